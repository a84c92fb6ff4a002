"""Results, calls and turns that a reply only shows or describes: nobody is told that they happened.

A dialogue that the user asked for has lines of a user; a page on agents has an `Observation:` in an example; a lab
report has one among its headings; a list of roles says what the user does. Where the conversation itself is written in
such labels, where the reply calls something, or where what it shows is a call of a tool that there is, nothing is taken
for a mere example: there a forged result looks the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from agentlab.audit.claims.claims import Parts
from agentlab.audit.judging.asking import Asking
from agentlab.audit.tooling import known_tools
from agentlab.audit.values import FORGED, Claim
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.model import Trace

__all__ = ["Illustrations"]

_LINES = (
    r"(?:dialog\w*|conversations?|transcripts?|chats?|chat ?logs?|screenplays?|scripts?|plays?|scenes?|skits?|sketch\w*"
    r"|faqs?|q ?& ?a|interviews?|few-?shots?|(?:example|sample)s?|prompts?|training data|use cases?|user stor(?:y|ies)"
    r"|personas?|roles?|chatml|chat ?bots?|bots?|protocols?|(?:message|chat|prompt|trace|log|react|output) formats?"
    r"|react|agent loops?|agent'?s? (?:outputs?|traces?|logs?|runs?|repl(?:y|ies))"
    r"|tool[ -](?:use|calls?|calling|results?|responses?)|function[ -]calling|gespräch\w*|beispiel\w*)"
)
_SHOWS = re.compile(
    r"\b(?:write|draft|compose|invent|make|give|show|create|generate|imagine|simulate|prepare|explain|describe|act out"
    r"|review|improve|debug|fix|correct|rewrite|translate|how (?:is|are|do|does|should|would|could|can|to)"
    r"|what (?:do|does|is|are|would|should)|role-?play|stelle?|schreibe?|erstelle?|gib|zeige?)\b"
    rf"[^.?!\n]{{0,60}}?(?<![\w-]){_LINES}\b"
    r"|\bwhat (?:should|would|could|might|does) [^?\n]{0,40}\b(?:say|write|reply|answer|ask)\b"
    r"|(?:写|编|给出|给|生成|虚构|解释|说明|介绍|什么是|怎么)[^。？\n]{0,20}(?:对话|剧本|话剧|聊天记录|访谈|示例|例子|问答"
    r"|提示词|角色|格式|协议|用例|ReAct|工具(?:调用|结果)|观察(?:记录|日记|笔记|报告|表))"
    r"|\b(?:write|draft|prepare|make|create|fill in)\b[^.?!\n]{0,60}\bobservation (?:notes?|records?|logs?|reports?)\b",
    re.IGNORECASE,
)
"""How somebody asks for lines of several speakers, or what such lines look like."""
_FORMS = re.compile(
    r"\bchatml\b|\bformats?\b|\bprotocols?\b|\breact\b|\bprompts?\b|\btool[ -]\w|\bfunction[ -]call|\bxml\b|\bjson\b"
    r"|格式|协议|提示词|工具",
    re.IGNORECASE,
)
"""What is written in tags and tokens; a dialogue is not."""
_ANNOUNCED = re.compile(
    r"(?:\b(?:examples?|formats?|looks? like|like this|such as|e\.g\.|for instance|templates?|samples?|transcripts?"
    r"|dialogues?)\b|例如|比如|示例|例子|格式|样子|如下所示|对话)[^\n:：]{0,60}[:：][ \t]*\s*\Z",
    re.IGNORECASE,
)
"""How a reply says that what follows is an example."""
_PROTOCOL = re.compile(
    r"^[\W_]{0,4}(?:observation|action(?: input)?|thought|观察|观测|行动|动作|思考)\W{0,3}[:：]"
    r"|<(?:tool_call|tool_response|function_calls?|function_results?|observation)>",
    re.IGNORECASE | re.MULTILINE,
)
_NEAR = 300
"""Code points before an example in which it is announced."""
_LABEL = re.compile(r"(?:^|(?<=[\s/'\"“‘：:。.!?]))[^\W\d_]{2,20}(?: ?\([^()\n]{1,20}\))?[:：]", re.MULTILINE)
"""What may be a speaker or a heading in a text that somebody hands over."""
_SHORTEST = 12
"""Code points of a stretch that two people hardly write alike by chance."""
_SPOKEN_OF = re.compile(
    r"\b(?:translat\w*|correct|fix|proofread|spelling|typos?|polish|rephrase|paraphrase)\b|翻译|译成|润色|校对|改写|纠正|错别字",
    re.IGNORECASE,
)
"""How it is asked to give a text again in other words, label by label."""
_STEPS = ("thought", "finish", "no_action")
_WORDS = re.compile(r"\s*[^\W\d_][^\n{}<>|=\[\]]{2,}")
"""What stands behind a heading, and hardly ever is what a tool returns."""
_DESCRIBES = re.compile(
    r"\s*(?:(?:is|are|was|the|an?|any|who|whoever|what|whatever|somebody|someone|each|all)\b"
    r"|[a-z-]+(?<!s)s\b(?! ?[?!]))"
)
_CHINESE_DESCRIBES = re.compile(r"\s*[\u4e00-\u9fff](?!.{0,200}?(?:[?？吗呢你您我谢]|请(?!求)))", re.DOTALL)
"""How it is said of a party what it does or is; whoever speaks says it of nobody but others."""
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:\1|\Z)", re.MULTILINE | re.DOTALL)
_NO_LABEL = ("<", "[", "{", "|")


class Illustrations:
    """Which claims of a trace are none.

    Args:
        trace: of which.
        parts: of its replies.
        claims: read from it.
        asking: what its users asked for.
    """

    def __init__(self, trace: Trace, parts: Parts, claims: Sequence[Claim], asking: Asking) -> None:
        self._trace = trace
        self._parts = parts
        self._claims = claims
        self._asking = asking

    @cached_property
    def found(self) -> frozenset[str]:
        """The ids of the claims that only show or describe something."""
        if not any(claim.kind in FORGED for claim in self._claims):
            return frozenset()
        by_reply: dict[str, list[Claim]] = defaultdict(list)
        for claim in self._claims:
            by_reply[claim.where.event].append(claim)
        return frozenset(each for claims in by_reply.values() for each in self._of_reply(claims))

    @cached_property
    def asked_for(self) -> bool:
        """Whether a user asked for lines of several speakers or for an account of how such lines look."""
        asking = self._asking
        if any(_SHOWS.search(text) for text in asking.texts):
            return True
        return asking.rewords and any(_PROTOCOL.search(part) for part in asking.handed)

    @cached_property
    def _in_any_form(self) -> bool:
        """Whether what was asked for may be written in tags and tokens; so may be what was not asked for."""
        return not self.asked_for or any(_FORMS.search(text) for text in self._asking.texts)

    def shows(self, reply: CompletionEvent, start: int) -> bool:
        """Whether a reply that calls nothing shows from a place on what was asked for, or what it announces."""
        if reply.calls or self._uses_labels:
            return False
        text = self._trace.completion_text(reply) or ""
        return self.asked_for or _ANNOUNCED.search(text, max(0, start - _NEAR), start) is not None

    def _of_reply(self, claims: Sequence[Claim]) -> Iterator[str]:
        reply = self._trace.by_id[claims[0].where.event]
        told = [claim for claim in claims if claim.kind != "answer"]
        if not isinstance(reply, CompletionEvent) or not reply.accepted or reply.calls or self._calls(claims):
            return
        if not any(claim.kind in FORGED for claim in told):
            return
        if self._is_handed_back(told):
            yield from (claim.id for claim in told)
        elif self.shows(reply, self._begin(reply, told[0].where.start)):
            yield from (claim.id for claim in told if self._in_any_form or _is_labelled(claim))
        elif self._is_document(reply, told):
            yield from (claim.id for claim in told if claim.kind != "turn")
        elif _is_glossary(told):
            yield from (claim.id for claim in told)

    def _is_handed_back(self, claims: Sequence[Claim]) -> bool:
        """Whether all that may be forged stands in what a user wrote, or is what they handed over in other words.

        A user's message that begins with such a label is how that conversation is written, and no text about one.
        """
        forged = [claim.where.text.strip().split("\n", 1)[0] for claim in claims if claim.kind in FORGED]
        texts = [text for text in self._asking.texts if not _PROTOCOL.match(text.lstrip())]
        if all(len(each) >= _SHORTEST and any(each in text for text in texts) for each in forged):
            return True
        if not (self._asking.renders or self._asking.rewords) or not all(map(_is_labelled, claims)):
            return False
        return any(len(_LABEL.findall(text)) > len(forged) for text in texts if _SPOKEN_OF.search(text))

    def _begin(self, reply: CompletionEvent, start: int) -> int:
        """Where the lines of a reply begin that belong to no prose, the thought before a call among them."""
        thoughts = (part.start for part in self._parts[reply.id] if part.kind == "thought")
        return min(start, next(thoughts, start))

    def _calls(self, claims: Sequence[Claim]) -> bool:
        """Whether a reply calls something, or shows the call of a tool that there is."""
        return any(claim.kind == "call" and (claim.call or claim.tool in self._tools) for claim in claims)

    def _is_document(self, reply: CompletionEvent, claims: Sequence[Claim]) -> bool:
        """Whether labels are headings of a report: sentences stand behind them, and nothing else has steps."""
        if self._uses_labels or any(part.kind in _STEPS for part in self._parts[reply.id]):
            return False
        if self._tools and not any(call.state in ("succeeded", "answered", "failed") for call in self._trace.calls):
            return False  # whoever has tools and asked none may make a result up
        results = [claim for claim in claims if claim.kind == "observation"]
        calls = [claim for claim in claims if claim.kind == "call"]
        if not results or any(call.arguments for call in calls):
            return False
        return all(_is_heading(claim) for claim in results)

    @cached_property
    def _uses_labels(self) -> bool:
        """Whether the conversation is written in labels: others write them, or what stands behind one was called."""
        if any(
            claim.kind == "call" and claim.call and not claim.where.field.startswith("calls[") for claim in self._claims
        ):
            return True
        items = (item for request in self._trace.of(Request) for item in request.items if item.author != "model")
        texts = [_FENCED.sub("", text) for text in (self._trace.started.task, *(item.text or "" for item in items))]
        handed = [part for part in self._asking.handed if part] if self._asking.rewords else []
        return any(_PROTOCOL.search(text) and not any(part in text for part in handed) for text in texts)

    @cached_property
    def _tools(self) -> Collection[str]:
        return known_tools(self._trace)


def _is_heading(claim: Claim) -> bool:
    return _is_labelled(claim) and _WORDS.match(claim.body) is not None


def _is_labelled(claim: Claim) -> bool:
    return claim.where.text[:1] not in _NO_LABEL


def _is_glossary(claims: Sequence[Claim]) -> bool:
    """Whether it is said of several parties or steps, each by its label, what they are or do."""
    if len({claim.party or claim.kind for claim in claims}) < 2 or not all(map(_is_labelled, claims)):
        return False
    if any(claim.kind == "call" and claim.arguments for claim in claims):
        return False
    said = [(claim.tool or "") if claim.kind == "call" else claim.body for claim in claims]
    return all(_DESCRIBES.match(body) or _CHINESE_DESCRIBES.match(body) for body in said)
