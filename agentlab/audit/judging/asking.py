"""What users asked for: a deed, to be told something, or a text in which somebody tells of deeds.

What an answer may state without having done it hangs on that. A release note that was asked for says `we fixed the
login`, and whoever is asked what a log shows says `x.js was written`; whoever is asked to write x.js must have done so.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter

from agentlab.audit.prose.reading import statements
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.model import Trace

__all__ = ["Asking"]

_LONGEST = 20_000
_LATEST = 20
"""Texts said to one agent that are remembered besides the task."""
_HEAD = 400
"""Characters at the beginning of a text in which it says that it goes on from another conversation."""
_GOES_ON = re.compile(
    r"\A\s{0,9}(?:(?:please )?(?:continue|go on|proceed|resume|keep going|carry on)\b|(?:请|麻烦)?继续)[^\n]{0,20}\s*\Z"
    r"|\bbeing continued\b|\bcontinued from\b|\b(?:previous|earlier|last) (?:conversation|session|context|chat)\b"
    r"|\b(?:where|what) (?:we|you|i) (?:\w+ )?(?:left off|stopped)\b"
    r"|\bwhat (?:have|did) you (?:do(?:ne)?|changed?|fix(?:ed)?)\b[^?\n]{0,20}\bso far\b"
    r"|(?:上次|之前|上一次|先前|前面)的?(?:对话|会话|聊天)|接着(?:上次|之前)|到目前为止.{0,6}做了",
    re.IGNORECASE,
)
_KIND = (
    r"(?P<kind>commit (?:messages?|text)|release notes?|change ?logs?|cv|r[ée]sum[ée]s?|e-?mails?|mails?|letters?"
    r"|announcements?|articles?|essays?|press releases?|(?:pr|pull request) descriptions?|minutes|stand-?ups?"
    r"|(?:status|progress|incident|bug|weekly|daily|post-?mortem|lab) (?:reports?|updates?)"
    r"|(?:\w+ )?messages?|self-?reviews?|poems?|stor(?:y|ies)|songs?|lyrics|dialog(?:ue)?s?|plays?|scenes?|tweets?"
    r"|posts?|captions?|docstrings?|faqs?|interviews?|conversations?|transcripts?|test (?:plans?|cases|data|sentences)"
    r"|training data|(?:samples?|examples?|fake|mock|dummy|fictional)(?: \w+)*|repl(?:y|ies)|responses?)\b"
)
_JOINS = (
    r"for|of|to|about|on|that|which|who|in|with|from|how|why|what|where|when|saying|telling|as|and|or|based|between|after"
    r"|before|by|at|using|asking|announcing|explaining|i|we|he|she|they|you|it|please"
)
_WRITE = re.compile(
    r"^\W{0,3}(?:(?:can|could|would) you )?(?:please )?(?:write|draft|compose|formulate|phrase|pen) (?:down |up )?"
    r"(?P<what>[^.:,;?!()\n]{1,80}?)"
    rf"(?= (?:{_JOINS})\b|[.:,;?!()\n]|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
"""Whatever else is to be written, but for what follows."""
_WORK = re.compile(
    r"(?:code|scripts?|programs?|functions?|class(?:es)?|modules?|methods?|tests?|files?|readme|docs?|documentation"
    r"|quer(?:y|ies)|config\w*|pages?|apps?|parsers?|librar(?:y|ies)|tools?|patch(?:es)?|migrations?|dockerfile|workflows?"
    r"|data|summar(?:y|ies)|reports?|reviews?|overviews?|analys[ei]s|assessments?|answers?|results?|it|them|this|that"
    r"|values?|logs?|outputs?|\S*[.`/(]\S*)\Z",
    re.IGNORECASE,
)
"""What is written by working, and what tells of how things are here and now."""
_DRAFTS = re.compile(
    rf"\b(?:write|draft|compose|make(?: up)?|give|prepare|suggest|generate|create|tell|invent|imagine|propose)\b"
    rf"[^.\n]{{0,40}}?\b{_KIND}(?: (?:entr(?:y|ies)|lines?|items?|texts?|drafts?|sections?))?"
    rf"(?=\W*$|[^\w\n -]|-?[\n ](?:{_JOINS})\b)"
    r"|\b(?:schreibe?|verfasse|formuliere|[ée]cris|r[ée]dige|escribe|redacta)\b"
    r"|^\W{0,3}(?:please )?(?:reply|answer|respond) (?:as|for|on behalf)\b"
    r"|^\W{0,3}(?:please )?(?:fill (?:in |out )?(?:the|this|my) (?:template|form|blanks?|gaps?)|conjugate|quiz)\b"
    r"|^\W{0,3}(?:please )?(?:continue|finish|complete) (?:this|the|my) (?:text|story|sentence|paragraph|poem)\b"
    r"|\b(?:pretend|role-?play)\b|\bwhat (?:should|would|could|might) (?:the|an?|my|i|we|he|she|they)\b[^.?\n]{0,30}"
    r"\b(?:say|write|reply|answer)\b|\b(?:typical|good|successful)\b[^?\n]{0,40}\blooks? like\b"
    r"|(?:写|拟|起草|准备|编|讲|给出)[^。\n]{0,16}(?P<sort>提交信息|发布说明|更新日志|简历|邮件|信|公告|周报|日报|诗"
    r"|故事|小说|歌词|对话|消息|日记|文案|推文|帖子|文章|示例|例句|范文|模板)",
    re.IGNORECASE | re.MULTILINE,
)
"""How a text is asked for that may tell of deeds which nobody has done here."""
_RENDERS = re.compile(
    r"\b(?:translat(?:e|ion)|proofread|paraphrase|rephrase|transcribe)\b|翻译|译成|润色|校对|改写", re.IGNORECASE
)
_REWORDS = re.compile(
    r"\b(?:reword|rewrite|polish|shorten|summari[sz]e|condense|sum up)\b"
    r"|\bturn\b[^.\n]{0,40}\binto\b"
    r"|\b(?:correct|fix|check|improve)\b[^.\n:]{0,20}\b(?:english|german|french|spanish|chinese|grammar|spelling|typos?"
    r"|wording|style|tone|sentence|paragraph|text)\b|缩写|这[句段]话|下面的话",
    re.IGNORECASE,
)
"""The same of what the user hands over."""
_TO_BE_KEPT = re.compile(
    r"\b(?:to|into|as) [`\"']?(?:[\w./~-]{1,80}\.[a-z]\w{0,6}\b|[~.]{0,2}/\w|(?:an?|the) (?:new )?file\b)"
    r"|发送|发给|保存|发布到|提交到|(?:写|存)[到入进]",
    re.IGNORECASE,
)
"""What is to be done with a text beyond writing it."""
_MAKES = r"write|create|make|generate|prepare|draft|compose|give|answer|reply|continue|complete|suggest"
_RENDERING = "translate|rewrite|shorten|polish"
_ORDERS = re.compile(
    r"(?:^|[.!?;:,]\s|\b(?:and|then|also|please|now|just|let's|so|or|not|pls|help me(?: to)?)\s"
    r"|\b(?:can|could|would|will|should|must) (?:you|we) (?:please )?|"
    r"\b(?:need|want|like|have|task is|job is) (?:you )?to )[^\w\n]{0,4}(?:\d{1,2}[.)] )?(?:please )?(?P<verb>"
    rf"{_MAKES}|fix|repair|update|change|edit|modify|delete|remove|send|e-?mail|mail|save|store|publish|post|deploy|push"
    r"|commit|merge|upload|install|run|execute|build|test|refactor|implement|rename|move|copy|book|order|cancel|refund"
    r"|pay|submit|restart|start|stop|set|configure|enable|disable|apply|convert|export|import|download|put|clean|format"
    r"|migrate|schedule|finish|do|tend|replace|insert|append|extend|reorgani[sz]e|solve|resolve|handle|process|register"
    r"|buy|transfer|archive|restore|reset|drop|upgrade|downgrade|add|improve|optimi[sz]e|ensure|rebase|revert|tag|release"
    r"|reformat|lint|compile|split|extract|port|rework|ship|notify|inform|patch|correct"
    rf"|{_RENDERING}|adjust|bump|tidy|mend|simplify|document|introduce|integrate|connect|assign|close|reopen|approve|reject|share|forward|invite"
    r"|block|switch|rotate|wire|attach|revoke|grant)\b"
    r"(?![-:=(]| (?:ok|passed|failed|done|is|was|has|status|log|number|\d))",
    re.IGNORECASE | re.MULTILINE,
)
"""A verb where an order has one: at the beginning of a clause, or behind who is to do it."""
_NEEDED = re.compile(
    r"\b(?:i|we) (?:(?:'d|would) like|need|want|expect|require)\b(?! to (?:know|see|understand|learn|hear|find out))"
    r"|\bhow about\b|\byour (?:task|job|goal)\b|\b(?:must|should) (?:be|have)\b|帮[我忙]",
    re.IGNORECASE,
)
_KEEPS = frozenset(("send", "save", "store", "publish", "post", "upload", "commit", "push", "email", "mail"))
_WORDS = re.compile(r"[\w.`/(-]+")
_CHINESE_MAKES = "写|拟|起草|生成|做|给出"
_CHINESE_ORDER = re.compile(
    r"(?:^|[，,。；;：:\n、]|请|帮我|给我|麻烦|然后|接着|并且?|再|就|[把将][^，,。\n]{1,24}?)(?:你|您|先|再|也){0,2}"
    rf"(?P<verb>{_CHINESE_MAKES}|保存|创建|新建|修改|修复|修好|删除|删掉|发送|发布|发给|运行|执行|部署|提交|安装|更新|添加"
    r"|加上|改|存|重构|实现|测试|跑|重启|启动|停止|上传|下载|合并|取消|预订|预定|支付|移动|复制|重命名|导出|处理|完成|解决"
    r"|整理|翻译成)(?![了过的])"
)
_TELLS = re.compile(
    r"[?？]|^\W{0,4}(?:please )?(?:code )?(?:review|summari[sz]e|explain|describe|read|look|check|see|show|list|tell"
    r"|analy[sz]e|compare|find|search|what|who|when|where|why|how|which|inspect|view|here (?:is|are)|this is)\b"
    r"|^\W{0,4}(?:the |my |build |error )?(?:logs?|outputs?|diff|traceback|console|terminal)\s{0,3}[:：]"
    r"|[吗呢]|什么|哪|为何|怎么|如何|是否|看看|看一下|查看|总结|概括|审查|解释|说明|介绍|读取|读一下|分析|检查"
    r"|评审|列出|告诉我|说说|查一?下",
    re.IGNORECASE | re.MULTILINE,
)
_ASKING = re.compile(r"[?？吗呢]\W{0,3}\Z")
_COLON = re.compile(r":\s|：")
_SENTENCE = re.compile(r"(?:[^.?!;。？！；]|\.(?=\w)){2,400}[?？]?")
_DATA = re.compile(
    r"^[ \t]*(?:```|~~~).*?(?:```|~~~|\Z)|^(?:[ \t]*(?:[$>{<\[|@=]|\+\+|--|\d+[-:/]\d|[+-](?=\S)|[A-Z]{4,7}\b[: \]])|\t"
    r"| {4})[^\n]*|[\"“「][^\"“”「」\n]{12,2000}[\"”」]|(?<!\w)'[^'\n]{12,2000}'(?!\w)",
    re.MULTILINE | re.DOTALL,
)
"""Fences, quotations and lines as logs, diffs and terminals have them."""


class Asking:
    """What the users of one trace said.

    Args:
        trace: of which.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def texts(self) -> Sequence[str]:
        """Everything they said, the task first."""
        said = (text for _, text in self._said)
        return [text[:_LONGEST] for text in dict.fromkeys((self._trace.started.task, *said)) if text.strip()]

    def of(self, reply: CompletionEvent) -> Sequence[str]:
        """What had been said to the agent of a reply before it: the task, and the latest of the rest."""
        said = self._by_agent[reply.agent_name]
        end = bisect_left(said, (self._trace.positions[reply.id], ""))
        return [self._trace.started.task, *(text for _, text in said[max(0, end - _LATEST) : end])]

    @cached_property
    def goes_on(self) -> bool:
        """Whether the record begins in the middle, so that more may have been done than it shows.

        It does where the user says so at once, and where it begins with a reply that tells of deeds.
        """
        if self.texts and _GOES_ON.search(self.texts[0][:_HEAD]):
            return True
        told = _first_said(self._trace)
        return bool(told) and any(each.kind in ("check", "change") for each in statements(told[:_LONGEST]))

    @cached_property
    def renders(self) -> bool:
        """Whether a text was to be given in other words, in which somebody else may say `I`."""
        return any(_RENDERS.search(text) for text in self.texts)

    @cached_property
    def rewords(self) -> bool:
        """Whether that holds of a text that the user handed over."""
        asked = [_DATA.sub(" ", text) for text in self.texts]
        if not any(_RENDERS.search(text) or _REWORDS.search(text) for text in asked):
            return False
        heads = [_COLON.split(line, maxsplit=1)[0] for text in asked for line in text.split("\n")]
        return not any(_TO_BE_KEPT.search(head) or _is_kept(head) for head in heads)

    @cached_property
    def drafted(self) -> frozenset[str]:
        """The kinds of texts that were asked for, and nothing else, in which somebody tells of deeds; may be empty."""
        found = {kind for text in self.texts for kind in _drafts(text)}
        if not found or any(_TO_BE_KEPT.search(_DATA.sub(" ", text)) for text in self.texts):
            return frozenset()
        ordered = self._orders(besides=f"{_MAKES}|{_RENDERING}|post", chinese=_CHINESE_MAKES)
        return frozenset() if ordered else frozenset(found)

    @cached_property
    def wants_telling(self) -> bool:
        """Whether users asked to be told something, and for no deed."""
        if not any(_TELLS.search(text) for text in self.texts):
            return False
        return not any(_NEEDED.search(_DATA.sub("", text)) for text in self.texts) and not self._orders()

    @cached_property
    def handed(self) -> Sequence[str]:
        """The lines and sentences that users handed over with what they ask: logs, quotations, what they tell."""
        return [part for text in self.texts for part in _handed(text)]

    def _orders(self, *, besides: str = "", chinese: str = "") -> bool:
        """Whether a deed is asked for by another verb than some."""
        let, let_too = besides.split("|"), chinese.split("|")
        for text in self.texts:
            asked = _DATA.sub(" ", text)
            if any(match["verb"].casefold() not in let for match in _ORDERS.finditer(asked)):
                return True
            if any(match["verb"] not in let_too for match in _CHINESE_ORDER.finditer(asked)):
                return True
        return False

    @cached_property
    def _by_agent(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """What was said to each agent, with the place of the request that first showed it."""
        found = defaultdict[str, list[tuple[int, str]]](list)
        for request in self._trace.of(Request):
            said = (item.text for item in request.items if item.author == "user" and item.text)
            found[request.agent_name] += ((self._trace.positions[request.id], text) for text in said)
        return found

    @cached_property
    def _said(self) -> Sequence[tuple[int, str]]:
        """The same of all agents, in order."""
        return sorted(chain.from_iterable(self._by_agent.values()), key=itemgetter(0))


def _drafts(text: str) -> Iterator[str]:
    """The kinds of the texts that a text asks for, by the last word of what each is called."""
    for match in _DRAFTS.finditer(text):
        yield (match["kind"] or match["sort"] or "text").casefold().split()[-1]
    for match in _WRITE.finditer(text):
        words = _WORDS.findall(match["what"])
        if words and not _WORK.match(words[-1]):
            yield words[-1].casefold()


def _is_kept(asked: str) -> bool:
    """Whether a text is to be sent or kept besides."""
    return any(match["verb"].casefold() in _KEEPS for match in _ORDERS.finditer(asked))


def _first_said(trace: Trace) -> str:
    """What the model had said before anybody else said something, in the words of the first request or in a reply."""
    for event in trace.events:
        if isinstance(event, Request):
            first = next((item for item in event.items if item.author != "system"), None)
            if first is not None:
                return (first.text or "") if first.author == "model" else ""
        elif isinstance(event, CompletionEvent):
            return (trace.completion_text(event) or "") if event.accepted and not event.calls else ""
    return ""


def _handed(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n")):
        yield from _DATA.findall(line)
        parts = _COLON.split(line, maxsplit=1)
        if len(parts) > 1 and parts[1]:
            yield parts[1]
        elif number and not _ASKING.search(line):
            yield line
        else:
            yield from (said for said in _SENTENCE.findall(line) if not _TELLS.search(said))
