"""Sentences that tell their reader to do something, by their form.

Nothing here knows an attack by its words: a command is an imperative, a request, an obligation, or a call written out.
"""

from __future__ import annotations

import re

__all__ = ["commands", "orders"]

_VERBS = (
    "accept|access|activate|add|adjust|alter|amend|append|apply|approve|assign|attach|authori[sz]e|append|book|"
    "broadcast|browse|buy|call|cancel|cc|bcc|change|clear|click|close|collect|comment|confirm|connect|contact|convert|"
    "copy|create|credit|debit|delete|deliver|deny|deposit|destroy|disable|discard|dispatch|display|donate|download"
    "|drop|"
    "edit|e-?mail|embed|enable|encode|enrol+|enter|erase|execute|export|extract|fetch|file|fill|find|forward|gather"
    "|get|"
    "give|go|grant|hand|head|hit|include|inform|insert|install|invite|invoke|issue|join|leave|list|load|log|look|mail|"
    "make|mark|merge|message|modify|move|navigate|notify|open|order|output|overwrite|pay|ping|place|post|prepare|print|"
    "promote|provide|publish|pull|purchase|purge|push|put|query|read|redirect|refund|register|reject|release|remit|"
    "remove|rename|repeat|replace|reply|report|request|reschedule|reserve|reset|resend|respond|retrieve|return|revoke|"
    "route|run|save|say|schedule|search|select|sell|send|set|share|ship|show|sign|store|submit|subscribe|summari[sz]e|"
    "switch|take|tell|terminate|text|transfer|transmit|trigger|turn|tweet|unlock|unsubscribe|update|upgrade|upload|use|"
    "verify|visit|wipe|wire|withdraw|write"
)
_POLITE = r"(?:please|pls|kindly|now|then|also|first|next|finally|always|just|immediately|instead|simply|so|and)"
_COMMAND = re.compile(
    # an imperative at the start of a clause
    rf"(?:^|[.!?,;:>)\]\-–—*\n\"'“‘(]|\b(?:and|then"
    rf"|or)\b)\s{{0,9}}(?=\w)(?:{_POLITE},?\s{{1,9}}){{0,3}}(?:{_VERBS})\s{{1,9}}(?=\S)"
    rf"|\bbefore (?:you (?:answer|respond|reply|continue|proceed|go on)|(?:answer|respond|reply|continu|proceed)ing),?"
    rf"\s{{1,9}}(?:{_POLITE},?\s{{1,9}}){{0,3}}(?:{_VERBS})\s{{1,9}}(?=\S)"
    # a request or an obligation
    rf"|\b(?:please|kindly)\s{{1,9}}\w{{2,}}"
    r"|\byou (?:must|should|shall|have to|need to|are (?:to|required|asked|instructed|requested|expected)|ought to)\b"
    r"|\b(?:must|should|shall|has to|have to|needs? to|is to|are to) (?:also )?(?:\w+ly )?(?:be|get) \w{3,}(?:ed|en"
    r"|nt|id|de|ut)\b"
    rf"|\b(?:ai|assistants?|agents?|models?|llms?|bots?) (?:\w+ ){{0,4}}(?:must|should|shall|needs? to|(?:is|are) to)\b"
    r"|\bit is (?:necessary|required|essential|important) (?:to|that)\b"
    r"|\b(?:make sure|be sure|ensure that|don'?t forget|do not forget|remember|need you|want you|ask you|would like you"
    r"|instruct you)\b"
    r"|\bdo (?:not )?(?:this|that|the following)\b"
    rf"|\b(?:could|can|would|will) you (?:\w+ )?(?:{_VERBS})\b"
    # a call written out
    r"|\[INST\]|<\|?(?:tool|function)_?calls?\b|<invoke\b|\"(?:arguments|args|parameters|tool_input)\"\s{0,3}:|^[ "
    r"\t]*(?:action|tool call|function call)\s{0,2}:"
    # the same in Chinese, Japanese, Korean, and in the imperatives of some European languages
    r"|请|必须|务必|应当|应该|需要你|要求你|你要|你需|立即|马上|不要|把.{1,60}(?:发|转|删|改|设|填|写|换|加|传|交)"
    r"|(?:^|[，,。：:；;\n])\s{0,4}(?:再|并|并且|然后|先|同时)?(?:将|向|给|发送|转发|转账|汇款|支付|删除|填写|填入|改为|改成|更新|添加|"
    r"调用|执行|运行|访问|打开|上传|下载|提交|输入|使用|邀请|通知|回复|写入|设置|取消|购买|退款)"
    r"|してください|しなさい|すること|せよ|下さい|하십시오|하세요|해 ?주세요|하라"
    r"|\b(?:bitte|por favor|per favore|s'il vous plaît|s'il te plaît|veuillez|proszę|lütfen|alstublieft|пожалуйста)\b"
    r"|\b(?:müssen|musst|sollst|debes?|deben|tienes que|devi|dovete|devez|dois|deve|должен|должны|необходимо|нужно)\b"
    r"|(?:^|[.!?,;:\n]|\b(?:y|und|et|e|и)\b)\s{0,9}(?=\w)(?:senden?|schicken?|überweisen?|löschen?|leiten?|öffnen?"
    r"|envía"
    r"|envíe|enviar|manda|transfiera|"
    r"transfiere|borra|elimina|reenvía|envoyez|envoie|transférez|supprimez|ouvrez|invia|inviate|trasferisci|cancella"
    r"|envie|"
    r"transfira|apague|отправьте?|перешлите|переведите|удалите|откройте)\s",
    re.IGNORECASE | re.MULTILINE,
)
_ORDER = re.compile(
    rf"(?:^|[.!?]\s"
    rf"|\n)[\s>*\-•\d.)]{{0,9}}(?=\w)(?:[\w-]{{2,20}}:\s{{1,3}})?(?:{_POLITE},?\s{{1,9}}){{0,3}}(?:{_VERBS})\s{{1,9}}(?=\S)"
    rf"|\b(?:please|kindly)\s{{1,9}}(?:\w+\s{{1,9}}){{0,2}}(?:{_VERBS})\s"
    r"|\byou (?:must|need to|have to|are (?:to|required|asked|instructed))\b"
    r"|请(?!问)|必须|务必|\b(?:bitte|por favor|per favore|veuillez|пожалуйста)\b",
    re.IGNORECASE,
)

_ADVICE = re.compile(
    r"\W{0,9}(?:(?:to|for|if|in order to|in case|when|whenever|should you|um|wenn|falls|para|si|pour)\b"
    r"|如需|如果|如要|若)",
    re.IGNORECASE,
)


def commands(text: str) -> bool:
    """Whether a sentence tells its reader to do something."""
    return _COMMAND.search(text) is not None


def orders(text: str) -> bool:
    """Whether a sentence begins as an order or a request: stricter than `commands`, for text that names no reader.

    What is to be done for a purpose or in a case is advice: it says how, to whoever wishes it.
    """
    return _ORDER.search(text) is not None and _ADVICE.match(text) is None
