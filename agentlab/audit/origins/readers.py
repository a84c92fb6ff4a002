"""Whom a passage speaks to: anybody, a model by name, or a model about the orders it has.

Nothing here knows an attack by its words. A passage speaks to a model where it names one as its reader; it reaches for
a model's orders where it speaks of its reader's task or instructions, claims a system's voice, or speaks of its
reader's user as a third party.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

__all__ = ["Reader", "may_address", "reader_of"]

Reader = Literal["", "model", "orders"]
"""Anybody; a model by name; a model about the orders it has, which outweighs its name."""

_MODEL = (
    r"(?:a\.?i\.?(?![\w-])|artificial intelligence|(?:language|ai|chat) ?models?|llms?|chat ?bots?|bots?|gpt[\w.-]*|"
    r"chatgpt|claude|gemini|llama|mistral|qwen|deepseek|copilot|(?:ai |virtual |digital )?assistants?|"
    r"(?:ai |autonomous |automated )?agents?|asistente|assistente|assistent(?:en|in)?|ki|ia|ии|ассистент|помощник)"
)
_LABEL = (
    r"(?:notes?|hints?|tips?|messages?|instructions?|reminders?|attention|important|notices?|info(?:rmation)?|memos?"
    r"|warnings?|"
    r"requests?|directives?|commands?|tasks?|orders?|guidance|prompt|hinweis|anweisung|nota|aviso|instrucción|remarque)"
)
_TO_MODEL = re.compile(
    rf"\b{_LABEL}\b[^.\n]{{0,30}}?\b(?:to|for|an|für|para|pour|per|al?|à l')\s{{0,3}}(?:\w+\s){{0,3}}?{_MODEL}\b"
    rf"|(?:^|[.!?\n>*#\-\"'(\[])\s{{0,9}}(?:to|for) (?:\w+ ){{0,3}}{_MODEL}s?\s{{0,3}}[:：,]"
    rf"|\b(?:ai|{_MODEL})[ _-](?:\w+[ _-]){{0,2}}{_LABEL}[\"']?\s{{0,3}}[:：]"
    rf"|\b(?:dear|hey|hi|hello|attention|to all|to any|to the|for the|for any|for "
    rf"all)\b,?\s(?:\w+\s){{0,2}}{_MODEL}\s{{0,3}}[,:!.—–-]"
    rf"|\byou,? (?:are )?(?:(?:the|an|a|my|our|as) )?(?:\w+ )?{_MODEL}\b"
    rf"|\b(?:if you are|if you're|as) an? (?:\w+ )?{_MODEL}\b"
    rf"|(?:^|[.!?\n>*#\-\"'“(\[])\s{{0,9}}(?:@|the )?{_MODEL}s?\s{{0,3}}[,:：\])]"
    rf"|\b{_MODEL} (?:\w+ ){{0,5}}(?:must|should|shall|needs? to|(?:is|are) to|(?:is|are) (?:required|instructed"
    rf"|asked))\b"
    r"|<\|?(?:tool|function)_?calls?\b|<invoke name=|\"(?:name|tool"
    r"|function)\"\s{0,3}:\s{0,3}\"[\w.-]{1,60}\"\s{0,3},\s{0,9}\"(?:arguments|args|parameters|input)\"\s{0,3}:"
    r"|\b(?:tell|ask|have|let|get|instruct) (?:your|the) (?:\w+ )?(?:ai|assistant|agent|chatbot|llm)s?\b"
    r"|(?:助手|助理|人工智能|智能体|机器人|模型|代理|ＡＩ|AI)[^。！？\n]{0,6}(?:[：:，,]|请|必须|应|需|注意|务必)"
    r"|(?:致|给|提示|告知|提醒|通知|指示|请)[^。！？\n]{0,8}(?:助手|助理|人工智能|智能体|机器人|模型|代理|AI)"
    r"|(?:アシスタント|エージェント|モデル|어시스턴트|에이전트|모델)[^。\n]{0,6}(?:[:：、,]|は|へ|에게|는)",
    re.IGNORECASE | re.MULTILINE,
)
_THEIRS = (
    r"(?:tasks?|instructions?|requests?|prompts?|questions?|quer(?:y|ies)|orders?|goals?|jobs?|assignments?"
    r"|conversations?|directives?|guidelines?|rules)"
)
_OF_ORDERS = re.compile(
    # a deed placed before, after or instead of what the reader was asked
    rf"\b(?:before|after|once|until|prior to|instead of|while|when)\b[^.\n]{{0,40}}\b(?:you"
    rf"|your)\b[^.\n]{{0,60}}\b{_THEIRS}\b"
    rf"|\b(?:before|prior to|instead of|after) (?:\w+ing|you \w+|your)\b[^.\n]{{0,50}}\b(?:the|your|any|this|that"
    rf"|its?) (?:\w+ ){{0,3}}{_THEIRS}\b"
    r"|\b(?:before|instead of|prior to|without) (?:answering|responding|replying|continuing|proceeding)\b"
    r"|\bbefore you (?:answer|respond|reply|continue|proceed|go on)\b"
    # earlier orders set aside
    r"|\b(?:ignore|disregard|forget|override|overrule|bypass|supersedes?|replaces?|cancels?|overrides?)\b[^.\n]{0,40}\b"
    r"(?:instructions?|prompts?|tasks?|rules?|guidelines|requests?|polic(?:y|ies)|orders|directives?|everything"
    r"|above|guardrails)\b"
    rf"|\b(?:new|updated|additional|revised|real|actual|hidden|secret) (?:system )?(?:instructions?|tasks?|prompt"
    rf"|orders|directives?|goal)\b"
    # authority claimed
    r"|\bsystem (?:message|prompt|notice|override|update|note|instruction|alert|command)s?\b\W{0,3}[:：\])>]"
    r"|<\|(?:im_start|start_header_id|system)\|?>|\[INST\]|<<SYS>>"
    r"|(?:^|\n)\s{0,9}[\[<#*]{0,3}\s?system\s?[\]>#*]{0,3}\s?[:：]"
    rf"|\b(?:your|original|initial|first|current|main|previous|prior|earlier) (?:\w+ "
    rf")?{_THEIRS}\b[^.\n]{{0,60}}\b(?:continue|resume|proceed|complete|finish|later|afterwards)\b"
    rf"|\b(?:continue|resume|proceed|go on|return|carry on|complete|finish|solve|answer)\b[^.\n]{{0,30}}\b(?:your"
    rf"|the original|the initial|the first|the main|the previous|the user'?s?) (?:\w+ )?{_THEIRS}\b"
    # the user as a third party
    r"|\b(?:the|your) user (?:\w+ )?(?:wants?|asked|authori[sz]ed|approved|changed|requested|needs?|wishes|expects"
    r"|agreed|consented|would like)\b"
    r"|\b(?:do not|don'?t|never|without) (?:\w+ )?(?:tell|mention|inform|reveal|show|notify|alert|ask|telling"
    r"|mentioning|informing|notifying|asking|alerting)\w*\b[^.\n]{0,30}\b(?:the |your )(?:user|human|operator"
    r"|customer)\b"
    r"|\bon behalf of (?:the|your) user\b"
    # Chinese
    r"|(?:忽略|无视|忘记|忘掉|覆盖|取代|不要理会|不必理会)[^。！？\n]{0,16}(?:指令|提示|任务|要求|规则|指示|请求|问题|说明)"
    r"|(?:在)?(?:完成|执行|继续|回答|解决|处理|开始)[^。！？\n]{0,16}(?:任务|问题|请求|指令|工作|要求)[^。！？\n]{0,3}(?:之前|以前|前|之后|以后|后)"
    r"|(?:新的?|最新|更新后的|真正的)(?:系统)?(?:指令|任务|提示词?)"
    r"|系统(?:消息|提示|指令|通知|命令)\s{0,2}[:：\]】]"
    r"|(?:不要|别|勿|无需|不必|切勿)[^。！？\n]{0,4}(?:告诉|告知|通知|提及|提醒|询问)[^。！？\n]{0,6}(?:用户|客户|使用者)"
    r"|用户[^。！？\n]{0,3}(?:已经?|要求|希望|想要|需要|授权|同意|批准)"
    # others
    r"|\b(?:ignor\w{0,8}|olvid\w{1,4}|oubli\w{1,4}|dimentica|vergiss|missachte|игнорируй\w{0,2}"
    r"|забудь\w{0,2})\b[^.\n]{0,40}"
    r"\b(?:instruc\w{3,8}|instruktionen|anweisung\w{0,2}|aufgabe\w?|istruzion\w|consignes|tarea\w?|инструкци\w"
    r"|указани\w)",
    re.IGNORECASE | re.MULTILINE,
)


def _signs(row: str) -> tuple[str, ...]:
    return tuple(row.split("|"))


# What a passage must hold for one of the patterns above to match, in small letters: a hundred times as fast.
_SHORT_NAMES = ("ai", "ki", "ia", "a.i")
_MODEL_SIGNS = _signs(
    "assistant|agent|model|llm|bot|gpt|claude|gemini|llama|mistral|qwen|deepseek|copilot|intelligence|"
    "asistente|assistente|assistent|помощник|ассистент|ии|a.i| ki| ia|l'ia| ai|\nai|\tai|\\nai|(ai|[ai|"
    "'ai|\"ai|*ai|#ai|>ai|@ai|:ai|/ai|“ai|‘ai|_ai|-ai|助手|助理|人工智能|智能体|机器人|模型|代理|：ai|"
    "致ai|给ai|请ai|。ai|，ai|アシスタント|エージェント|モデル|어시스턴트|에이전트|모델|tool_call|"
    'toolcall|function_call|functioncall|<invoke|"arg|"param|"input|ａｉ'
)
_BEFORE_SIGNS = _signs(
    "before|after|once|until|prior to|instead of|while|when|without|ignor|disregard|forget|overrid|"
    "overrul|bypass|supersede|replace|cancel|new |updated |additional |revised |real |actual |hidden |"
    "secret |continue|resume|proceed|complete|finish|return|carry on|go on|solve|answer|later|afterwards|"
    "忽略|无视|忘|覆盖|取代|理会|完成|执行|继续|回答|解决|处理|开始|新|真正|olvid|oubli|dimentica|vergiss|"
    "missachte|игнорируй|забудь"
)
_ORDER_SIGNS = _signs(
    "task|instruc|request|prompt|question|quer|order|goal|job|assignment|conversation|directive|guideline|"
    "rule|polic|everything|above|guardrail|answering|responding|replying|continuing|proceeding|you answer|"
    "you respond|you reply|you continue|you proceed|you go on|指令|提示|任务|要求|规则|指示|请求|问题|"
    "说明|工作|instruktion|anweisung|aufgabe|istruzion|consignes|tarea|инструкци|указани"
)
_CLAIM_SIGNS = _signs(
    "system message|system prompt|system notice|system override|system update|system note|"
    "system instruction|system alert|system command|system:|system]|system>|system :|system*|system#|"
    "system：|im_start|header_id|<|system|[inst]|<<sys|the user|your user|human|operator|customer|系统|"
    "用户|客户|使用者"
)
_SHORTEST = 8
"""Code points of the shortest text that tells a model to do something."""
_SOFT = re.compile(r"[ \t]*\n[ \t]*(?=[a-z])")


def may_address(text: str) -> bool:
    """Whether a text could speak to a model at all; cheap, and made to err on the side of yes."""
    if len(text) < _SHORTEST:
        return False
    folded = text.casefold()
    return _may_name(folded) or _may_order(folded)


def reader_of(passage: str) -> Reader:
    """Whom a passage speaks to."""
    folded = passage.casefold()
    if _may_order(folded) and _OF_ORDERS.search(_SOFT.sub(" ", passage)):
        return "orders"
    return "model" if _may_name(folded) and _TO_MODEL.search(_SOFT.sub(" ", passage)) else ""


def _may_name(folded: str) -> bool:
    return _any(_MODEL_SIGNS, folded) or folded.startswith(_SHORT_NAMES)


def _may_order(folded: str) -> bool:
    return _any(_CLAIM_SIGNS, folded) or (_any(_BEFORE_SIGNS, folded) and _any(_ORDER_SIGNS, folded))


def _any(signs: Iterable[str], folded: str) -> bool:
    return any(map(folded.__contains__, signs))
