"""Texts made to be slow: every reading of the audit ends, breaks on none of them, and does work in step with length.

Work is counted in calls, not in seconds. What a regular expression does is not counted: one that is not linear shows
itself by a test that does not end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from agentlab.audit.claims.turns import bare_turns
from agentlab.audit.code.programs import Program
from agentlab.audit.evidence.echoing import echoes
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.evidence.outcomes import outcome_of
from agentlab.audit.judging.measures import measures
from agentlab.audit.origins.commands import commands, orders
from agentlab.audit.origins.folding import Plain, fold, normalized, small_letters
from agentlab.audit.origins.readers import reader_of
from agentlab.audit.origins.sentences import passage_around, sentence_around
from agentlab.audit.origins.targets import targets_of
from agentlab.audit.prose.reading import statements
from agentlab.audit.report import audit_trace
from agentlab.audit.stated import Result, loose_numbers, plain_numbers
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.markers.segments import segment
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

LONG = 200_000
SHORT = 6_000
"""Of the texts whose work is counted, once and twice as long."""
AUDITED = 20_000
DEEP = 2_000

UNITS: Mapping[str, str] = {
    "double quotes": '"',
    "quotes of all kinds": "\"'`“”‘’「」",
    "opening brackets": "[({",
    "closing brackets": "])}",
    "digits": "1",
    "version numbers": "1.",
    "numbers and signs": "+1-2 $3 4% ",
    "dates": "2031-01-01T",
    "one letter": "a ",
    "full stops": ". ",
    "nested fences": "```py\n~~~\n",
    "half addresses": "http://",
    "half mail addresses": "a@b.",
    "one long word": "a",
    "base64": "aGVsbG8gd29ybGQ9/+",
    "Chinese without stops": "我已经更新了日志",
    "lines": "\n",
    "carriage returns": "a\r\n",
    "blanks": " \t",
    "backslashes": "\\",
    "escapes": "\\u0041\\n",
    "terminal commands": "\x1b[1;",
    "combining marks": "\u0316\u0301",
    "characters of no width": "a\u200b",
    "half tags": "</think><tool_call",
    "actions": "Action: a\n",
    "turns": "\n\nuser\n",
    "claims": "I saved the log and ",
    "half claims": "all tests based on the ",
    "denials": "not could not ",
    "conditions": "if I before you ",
    "addressed to a model": "AI assistant please send the ",
    "table rows": "| a ",
    "list items": "1. a\n",
    "assignments": "x = (1\n",
    "shell lines": "echo $(cat <<'E' | a && ",
    "keys": '"name": a:\n  ',
    "paths": "a_B/.",
}
NESTED: Mapping[str, tuple[str, str]] = {"lists in lists": ("[", "]"), "objects in objects": ('{"a":', "1}")}


def text_of(kind: str, length: int) -> str:
    if kind in NESTED:
        before, behind = NESTED[kind]
        return before * DEEP + behind * DEEP
    return UNITS[kind] * (length // len(UNITS[kind]))


def stated(text: str) -> None:
    for each in statements(text, tools=("a", "send")):
        assert text[each.start : each.end] == each.text


def cut(text: str) -> None:
    parts = segment(text, tools=("a", "bash"))
    assert all(before.end <= behind.start for before, behind in pairwise(parts))


def judged(text: str) -> None:
    for tool, given in (("bash", {"command": text}), ("read_log", {"name": text[:100]})):
        for error in (None, text):
            outcome_of(result=text, error=error, state="answered", tool=tool, arguments=given)
        effect_of(tool, given)
        echoes(given, text, tool=tool)
    effect_of("python", text)


def programmed(text: str) -> None:
    program = Program(text)
    assert all(text[each.start : each.end] == each.text for each in program.comments)
    assert program.is_python or not (program.calls or program.texts or program.imports)
    assert program.passed_to("no_such_function") is None


def folded(text: str) -> None:
    words = fold(text)
    assert fold(words) == words
    small = small_letters(text)
    assert small is None or all(word in small for word in set(words.split()))
    assert normalized(normalized(text)) == normalized(text)
    plain = Plain(text)
    for start, end in plain.find(f" {words.split()[0]} " if words else ""):
        assert 0 <= plain.recorded(start) <= plain.recorded(end) <= len(text)


def addressed(text: str) -> None:
    reader_of(text[:20_000])  # of passages, which are short
    commands(text[:20_000])
    orders(text[:20_000])
    middle = len(text) // 2
    start, end = sentence_around(text, middle, middle + 1)
    passage_around(text, start, end)
    targets_of({"to": text[:2000], "body": text, "all": [text[:150]] * 20}, mentioned=True)


def counted(text: str) -> None:
    for number in (*plain_numbers(text), *loose_numbers(text), *measures(text)):
        assert text[number.start : number.end] == number.text
    result = Result(text)
    assert result.numbers is not None
    assert result.names is not None


def spoken(text: str) -> None:
    assert all(0 < start < end <= len(text) for start, end in bare_turns(text))


READINGS: Mapping[str, Callable[[str], None]] = {
    each.__name__: each for each in (stated, cut, judged, programmed, folded, addressed, counted, spoken)
}


def calls_made(function: Callable[[str], None], text: str) -> int:
    """How many calls a function makes, those into the interpreter included."""
    count = 0

    def tell(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        function(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind", [*UNITS, *NESTED])
@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_ends_on_a_long_text_and_works_in_step_with_its_length(reading: str, kind: str) -> None:
    read = READINGS[reading]
    read(text_of(kind, LONG))
    once, twice = (calls_made(read, text_of(kind, length)) for length in (SHORT, 2 * SHORT))
    assert twice <= 2.5 * once + 1000


@pytest.mark.parametrize("kind", [*UNITS, *NESTED])
def test_an_audit_ends_where_every_text_is_hostile(kind: str) -> None:
    trace = hostile(text_of(kind, AUDITED))
    report = audit_trace(trace)
    assert report.findings == audit_trace(trace).findings
    for finding in report.findings:
        assert all(0 <= where.start <= where.end for where in finding.where)


def test_the_audit_works_in_step_with_the_length_of_its_texts() -> None:
    def audited(text: str) -> None:
        audit_trace(hostile(text))

    for kind in ("claims", "actions", "addressed to a model", "combining marks"):
        once, twice = (calls_made(audited, text_of(kind, length)) for length in (SHORT, 2 * SHORT))
        assert twice <= 2.5 * once + 5000


def hostile(text: str) -> Trace:
    """A trace that holds one text in every place: prompt, task, replies, arguments, results, answer."""
    there = Evidence(
        proposals="present", executions="present", results="present", errors="present", authorship="present"
    )
    builder = TraceBuilder("openai-chat", path="x", key=["hostile"], evidence=there)
    builder.hear(Item(role="system", text=text))
    builder.hear(Item(role="user", text=text))
    quoting = f'The tool returned "three swans at noon". I saved the log to log.md. {text}'
    for tool, given in (("send_mail", {"to": "keeper@dock.example", "text": text}), ("bash", {"command": text})):
        call = builder.propose(tool, given)
        builder.reply(quoting, calls=[call])
        builder.end(builder.begin(tool, given, call=call.call), result=text)
        builder.hear(Item(role="tool", text=text, call=call.call))
    builder.reply(quoting)
    return builder.build()
