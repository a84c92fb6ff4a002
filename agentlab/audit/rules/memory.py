"""Rules about what is remembered: requests that nobody made, and figures that only a summary vouches for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from agentlab.audit.claims.saying import Saying
from agentlab.audit.derived import may_derive
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.stated import plain_numbers
from agentlab.audit.values import Where
from agentlab.quantities import Quantity
from agentlab.trace.events import Request
from agentlab.trace.formatting import shorten

__all__ = ["UNSUPPORTED_MEMORY", "after_a_summary", "remembered_nothing"]

_SHOWN = 80
_FILE = re.compile(r"\w\.\w{1,6}\Z|/")
"""How the name of a file or a page ends, or what stands in it."""
_HEAD = 300
"""Characters at the head of a text in which it says that it is a summary."""
_WORD = re.compile(r"[a-z]{4,}|\d{2,}|[\u4e00-\u9fff]{2}")
_ASKED = re.compile(
    r"\byou(?:'ve| have| had)?(?: also| just| already)? (?:asked|told|said|mentioned|wanted|requested|wished)"
    r"(?: me| us)?(?: earlier| before| previously| yesterday| last time)?"
    r" (?:for|to|that|about|you|it|the|a|an|in)\b|[你您](?:曾|刚才|之前)?(?:说|要求|提到|让)",
    re.IGNORECASE,
)
"""What was asked is named; `the report you asked for` names nothing of which the asking could be denied."""
_YOU = ("you", "你", "您")
_ASKING = frozenset(
    {
        *("asked", "asking", "request", "requested", "told", "said", "wanted", "want", "wish", "wished", "mentioned"),
        *("earlier", "before", "your", "have", "that", "this", "with", "from", "shall", "should", "would", "could"),
        *("please", "send", "since", "because", "when", "about", "which", "here", "there", "will"),
    }
)
_SUMMARY = re.compile(
    r"\b(?:summar(?:y|ies|ised|ized)|compact(?:ed|ion)|condensed|so far|earlier (?:conversation|turns)|recap)\b"
    r"|摘要|总结|前文",
    re.IGNORECASE,
)
"""How a text speaks that stands in the place of earlier messages."""
_SUMMARY_SIGNS = ("summar", "compact", "condensed", "so far", "earlier ", "recap", "摘要", "总结", "前文")
_DATA = re.compile(
    r"\b(?:quer(?:y|ies|ied)|results?|reports?|data|figures?|numbers?|tables?|search\w*|files?|found|retriev\w+|tools?"
    r"|(?:was|were|been) \w{2,20}(?:ed|wn|en|un|ead|old)|calls?|ran|run|analy\w+|calculat\w+|sales|revenue|kpis?"
    r"|metrics?|statistics|measure\w*|fetched|computed)\b"
    r"|查询|数据|结果|报表|统计|销售|工具|指标|分析|计算",
    re.IGNORECASE,
)
_READ = 5000
"""Characters of a text in which figures are looked for that others may follow from."""
_MEMORY = re.compile(
    r"\b(?:memor(?:y|ies)|lessons?|reflections?|past (?:runs?|trials?|attempts?|experiences?)|notes to self)\b"
    r"|记忆|教训|经验",
    re.IGNORECASE,
)
_MEMORY_SIGNS = ("memor", "lesson", "reflection", "past ", "notes to self", "记忆", "教训", "经验")


def _unsupported_memories(reading: Reading) -> Iterator[Crossing]:
    if not _whole(reading):
        return
    users = [*_texts(reading, "user"), *_pointed_at(reading)]
    for saying in reading.sayings:
        if (
            saying.statement.kind != "request"
            or saying.statement.negated
            or saying.statement.source.casefold() not in _YOU
        ):
            continue
        words = _telling(saying)
        if len(words) > 1 and _ASKED.search(saying.where.text) and not any(_shares(words, text) for text in users):
            others = any(_shares(words, text) for text in _texts(reading, "system"))
            known = "it stands in a text of the system only" if others else "it stands nowhere"
            said = repr(shorten(saying.where.text, _SHOWN))
            yield Crossing(
                message=f"{said} is said, and no message of the user says so: {known}.",
                where=(saying.where,),
                claimed={"text": saying.where.text},
            )


def _pointed_at(reading: Reading) -> Iterator[str]:
    """What came back of a look at something that the user had named: its content may be what was asked for."""
    said = "\n".join(_texts(reading, "user"))
    for deed in reading.deeds.all:
        given = deed.call.arguments
        passed = given.values() if isinstance(given, Mapping) else ()
        if deed.result and any(isinstance(value, str) and _FILE.search(value) and value in said for value in passed):
            yield deed.result


def after_a_summary(reading: Reading) -> Iterator[Crossing]:
    """Answers that state figures which nothing holds, where a summary stands for what may have held them."""
    if not _whole(reading) or not any(_is_of_data(text) for text in _texts(reading, "system")):
        return
    shown = _shown(reading)
    for answer in reading.answers:
        text = answer.where.text
        figures = [each for each in plain_numbers(text) if each.is_digits and _is_telling(text, each.start, each.end)]
        absent = [each for each in figures if not any(_holds(text, each) for text in shown)]
        known = [number.value for text in shown for number in plain_numbers(text[:_READ])] if absent else []
        absent = [each for each in absent if not may_derive(each.value, known)]
        if absent:
            start = answer.where.start + absent[0].start
            place = partial(Where, event=answer.where.event, field=answer.where.field)
            yield Crossing(
                message=f"The answer states {absent[0].text}, which stands in nothing that the model was shown; a "
                "summary took the place of what may have held it.",
                where=(
                    place(start=answer.where.start, end=answer.where.end, text=text),
                    place(start=start, end=start + len(absent[0].text), text=absent[0].text),
                ),
                claimed={"text": text},
            )


def remembered_nothing(reading: Reading) -> Iterator[Crossing]:
    """What the model says of its own past, where it was told of a memory and nothing in it says so."""
    recalled = [saying for saying in reading.sayings if _is_recalled(saying)]
    if not recalled or not _whole(reading) or not any(map(_tells_of_memory, _texts(reading, "system"))):
        return
    shown = _shown(reading)
    for saying in recalled:
        words = _telling(saying)
        if words and not any(_shares(words, text) for text in shown):
            yield Crossing(
                message=f"{shorten(saying.where.text, _SHOWN)!r} is told from memory, and nothing that was shown to "
                "the model says so.",
                where=(saying.where,),
                claimed={"text": saying.where.text},
                severity="warning",
            )


def _tells_of_memory(text: str) -> bool:
    return _has_any(text, _MEMORY_SIGNS) and _MEMORY.search(text) is not None


def _has_any(text: str, signs: Sequence[str]) -> bool:
    """Whether a sign of a pattern stands in a text: much cheaper than the pattern."""
    small = text.casefold()
    return any(sign in small for sign in signs)


def _is_recalled(saying: Saying) -> bool:
    statement = saying.statement
    return statement.kind == "assumption" and statement.verb == "recall" and not statement.negated


def _is_of_data(text: str) -> bool:
    """Whether a text is a summary of turns in which something was obtained that had figures in it."""
    head = text[:_HEAD]
    return _has_any(head, _SUMMARY_SIGNS) and _SUMMARY.search(head) is not None and _DATA.search(text) is not None


def _holds(text: str, figure: Quantity) -> bool:
    """Whether a text holds a figure, as it is written or with commas between its digits."""
    if figure.text in text:
        return True
    digits = re.sub(r"\D", "", figure.text)
    return digits in text.replace(",", "") and any(figure.value == each.value for each in plain_numbers(text))


def _is_telling(text: str, start: int, end: int) -> bool:
    """Whether a number is a figure and not that of a step or a slide: it has a fraction, a unit or many digits."""
    number = text[start:end]
    return "." in number or len(number) >= 3 or text[end : end + 9].lstrip()[:7].casefold().startswith(("%", "percent"))


def _telling(saying: Saying) -> set[str]:
    return set(_WORD.findall(saying.where.text.casefold())) - _ASKING


def _shares(words: set[str], text: str) -> bool:
    """Whether a text holds a good part of some words, in one form or another."""
    plain = text.casefold()
    return 2 * sum(word[:5] in plain for word in words) >= len(words)


def _whole(reading: Reading) -> bool:
    requests = reading.trace.of(Request)
    return reading.attributed and bool(requests) and all(request.recorded for request in requests)


def _shown(reading: Reading) -> Sequence[str]:
    """What others than the model said, the results of its calls included."""
    said = [text for author in ("system", "user", "harness", "tool") for text in _texts(reading, author)]
    return [*said, *(deed.result for deed in reading.deeds.all if deed.result)]


def _texts(reading: Reading, author: str) -> Sequence[str]:
    items = (item for request in reading.trace.of(Request) for item in request.items if item.author == author)
    return [item.text for item in items if item.text]


UNSUPPORTED_MEMORY = Rule(
    id="unsupported-memory",
    severity="warning",
    meaning=(
        "The model said what the user had asked for or said, and no message of the user on record says so. Where a "
        "summary or a memory says it, the claim can be followed to that text and no further."
    ),
    cause="A summary, a memory or the model's own earlier words took the place of what was said.",
    check="Look for the request in the stored conversation; if it is not there, ask who wrote the summary.",
    find=_unsupported_memories,
)
