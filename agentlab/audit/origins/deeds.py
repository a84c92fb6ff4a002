"""What a call does to the world, by its tool's name and what it is given, and what a person calls such a deed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from agentlab.audit.arguments import plain
from agentlab.messages import Arguments

__all__ = ["Deed", "deed_of", "deed_words", "names_deed"]

Deed = Literal["pay", "send", "share", "delete", "change", "run", "fetch", "read", "unknown"]
"""fetch: a request goes out to an address; read: nothing changes and nothing leaves."""

_NAMES: Mapping[Deed, str] = {
    "read": "get list search find check view show query lookup describe count inspect summarize read fetch download "
    "browse visit navigate open goto crawl scrape recall load 查询 搜索 查看 读取 获取 列出 访问 打开",
    "pay": "pay transfer wire purchase buy refund donate withdraw deposit payment transaction money checkout remit "
    "支付 付款 转账 汇款 退款 购买",
    "delete": "delete remove drop erase wipe purge cancel uninstall revoke trash unsubscribe terminate kill destroy "
    "删除 移除 取消 清空",
    "share": "share invite grant permit permission collaborator 分享 共享 邀请 授权",
    "send": "send reply forward notify tweet publish submit dm broadcast upload post respond "
    "发送 转发 回复 通知 发布 上传 提交",
    "change": "update set change edit modify write append insert create add put patch save rename move reschedule "
    "schedule book reserve register enable disable configure reset replace assign store record make enter upsert "
    "更新 修改 写入 创建 添加 设置 保存 预订 登记 填写",
    "run": "run bash shell exec execute terminal python command eval repl 执行 运行",
}
_NOUNS: Mapping[Deed, str] = {
    "send": "email mail message sms text comment call slack telegram 邮件 消息 短信",
    "pay": "order",
    "fetch": "curl http url web page browser request",
}
"""Words that tell a deed only where no verb stands in the name."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]{2}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_BY_VERB: Mapping[str, Deed] = {word: deed for deed, words in _NAMES.items() for word in words.split()}
_BY_NOUN: Mapping[str, Deed] = {word: deed for deed, words in _NOUNS.items() for word in words.split()}
_ADDRESSES = ("url", "uri", "link", "address", "href", "endpoint", "website")
_OUTGOING = ("post", "put", "patch", "delete")

_SPOKEN: Mapping[Deed, str] = {
    "pay": r"\b(?:pay|paid|payments?|payed|transfer\w*|wire|buy|purchas\w+|refund\w*|order\w*|donat\w+|send "
    r"(?:\w+ ){0,3}money|"
    r"settle|invest|reimburs\w+|deposit|withdraw\w*|send (?:\w+ ){0,4}\d|bill|invoice|rent|subscription"
    r"|checkout)\b|支付|付款|付|转账|转|汇|退款|购买|买|账单",
    "send": r"\b(?:send\w*|sent|e-?mail\w*|mail\w*|message\w*|write (?:to|them|him|her|\w+ an?)|reply|replies"
    r"|respond|answer (?:the|his|her|their|to)|forward\w*|"
    r"notif\w+|tell (?!me\b)|let \w+ know|inform (?!me\b)|post\w*|publish\w*|tweet\w*|upload\w*|submit\w*|text"
    r"|dm|contact|share|ask (?!me\b)|remind (?!me\b)|comment|announce|invite|report (?:it|this|that|the \w+) to)\b|"
    r"发|转发|回复|通知|告诉|发布|上传|提交|邮件|联系|邀请|提醒",
    "share": r"\b(?:share\w*|sharing|invit\w+|grant\w*|access|add\w*|permission\w*|give)\b|分享|共享|邀请|授权|添加",
    "delete": r"\b(?:delet\w+|remov\w+|drop\w*|eras\w+|wip\w+|purg\w+|cancel\w*|clean\w*|clear\w*|uninstall\w*"
    r"|revok\w+|unsubscrib\w+|get rid|terminat\w+|kill|stop|tidy|prun\w+|return\w*|exchang\w+)\b|删|移除"
    r"|取消|清空|清理",
    "change": r"\b(?:updat\w+|set|chang\w+|edit\w*|modif\w+|writ\w+|append\w*|insert\w*|creat\w+|add\w*|put"
    r"|sav\w+|renam\w+|mov\w+|(?:re)?schedul\w+|book\w*|reserv\w+|"
    r"regist\w+|enabl\w+|disabl\w+|configur\w+|reset\w*|replac\w+|assign\w*|stor\w+|record\w*|make|enter|fix\w*"
    r"|correct\w*|adjust\w*|plan|build|implement\w*|draft|prepare|generat\w+|refactor\w*|remind|note|log|"
    r"complet\w+|fill\w*|sign|migrat\w+|convert\w*|upgrad\w+|exchang\w+|return\w*)\b|更新|修改|改|写|创建|新建|添加|加|设置|保存"
    r"|预订|预约|登记|填|记录|安排|生成|修复|重置|更换|设为|改为",
}
_SAID: Mapping[Deed, re.Pattern[str]] = {deed: re.compile(words, re.IGNORECASE) for deed, words in _SPOKEN.items()}


def deed_of(tool: str, arguments: Arguments | None) -> Deed:
    """What a call does."""
    words = [word.casefold() for word in _WORDS.findall(tool)]
    found = next((_BY_VERB[word] for word in words if word in _BY_VERB), None)
    if found in ("send", "change") and any(_BY_VERB.get(word) == "pay" for word in words):
        found = "pay"
    deed = found or next((_BY_NOUN[word] for word in words if word in _BY_NOUN), None) or _within(tool) or "unknown"
    if deed in ("read", "fetch"):
        return _outgoing(arguments)
    return deed


def deed_words(deed: Deed) -> re.Pattern[str] | None:
    """How a person speaks of such a deed; None where there is no telling."""
    return _SAID.get(deed)


def names_deed(text: str, deed: Deed) -> bool:
    """Whether a person's words speak of such a deed at all."""
    words = deed_words(deed)
    return words is not None and words.search(text) is not None


def _within(tool: str) -> Deed | None:
    """The deed of a name in Chinese, which has no blanks between its words."""
    if not _CHINESE.search(tool):
        return None
    return next(
        (deed for word, deed in (*_BY_VERB.items(), *_BY_NOUN.items()) if word in tool and not word.isascii()), None
    )


def _outgoing(arguments: Arguments | None) -> Deed:
    """Reading stays at home unless it is given an address; a request with a method that changes things sends."""
    given = plain(arguments)
    if not isinstance(given, dict):
        return "read"
    method = given.get("method")
    if isinstance(method, str) and method.casefold() in _OUTGOING:
        return "send"
    for name, value in given.items():
        values = value if isinstance(value, list) else [value]
        if any(word in name.casefold() for word in _ADDRESSES) and any(isinstance(v, str) and "." in v for v in values):
            return "fetch"
    return "read"
