"""The rule about characters that are not seen and change what is read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from agentlab.audit.arguments import written
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.values import Severity, Where
from agentlab.markers.odd import odd
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Answer, CompletionEvent

__all__ = ["HIDDEN_CHARACTER"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]+"
)
"""Runs of controls, fillers, blanks of no width, direction changes and tags. Joiners, marks of direction and variation
selectors stand in ordinary text and are left out."""
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile("[\U000e0001-\U000e007f]")
_SUPPLEMENT = re.compile("[\U000e0100-\U000e01ef]")
_FLAG = "\U0001f3f4"
_SHOWN = 8
_BREAKS = "\u2028\u2029"


def _hidden(reading: Reading) -> Iterator[Crossing]:
    for event in reading.trace.events:
        if isinstance(event, CompletionEvent):
            text = reading.trace.completion_text(event)
            for place, call in enumerate(event.calls):
                yield from _in_field(event.id, f"calls[{place}].tool", call.tool, "a call's name", firm="failure")
                said = written(call.arguments)
                yield from _in_field(event.id, f"calls[{place}].arguments", said, "a call's arguments", firm="failure")
            if text and not event.calls:
                yield from _in_field(event.id, "text", text, "a reply", firm="warning")
        elif isinstance(event, Answer):
            yield from _in_field(event.id, "text", event.text, "the answer", firm="failure")


def _in_field(event: str, field: str, text: str, what: str, *, firm: Severity) -> Iterator[Crossing]:
    if (text.isascii() and text.isprintable()) or not _HIDDEN.search(odd(text)):
        return
    runs = [run for run in _HIDDEN.finditer(text) if not _is_innocent(run, text)]
    if not runs:
        return
    held = "".join(run[0] for run in runs)
    turns = _TURNS.search(held) is not None
    tags = _TAGS.search(held) is not None or len(_SUPPLEMENT.findall(held)) > 2
    in_name = field.endswith(".tool")
    severity: Severity = firm if turns or tags or in_name else "warning" if _splits(runs, text) else "note"
    names = sorted({_name(character) for character in held})
    effect = "change{} its order" if turns else "hold{} text nobody sees" if tags else "make{} it other than it looks"
    several, it = ("s", "") if len(held) > 1 else ("", "s")
    yield Crossing(
        message=f"{len(held)} hidden character{several} ({', '.join(names[:4])}{', …' if len(names) > 4 else ''}) in "
        f"{what} {effect.format(it)}.",
        where=tuple(
            Where(event=event, field=field, start=run.start(), end=run.end(), text=run[0]) for run in runs[:_SHOWN]
        ),
        claimed=_claimed(text, held),
        severity=severity,
    )


def _is_innocent(run: re.Match[str], text: str) -> bool:
    """A mark at the beginning, a flag, a soft hyphen, a line's end, and direction in text written from the right."""
    held = run[0]
    if held == "\ufeff" and run.start() == 0:
        return True
    if held.strip("\u00ad" + _BREAKS) == "":
        return True
    if run.start() and text[run.start() - 1] == _FLAG and held.endswith("\U000e007f"):
        return True
    if len(held) == 1 and _SUPPLEMENT.match(held):
        return True
    return _TURNS.sub("", held) == "" and _is_from_right(text, run.start(), run.end()) and not _overrides(held)


def _overrides(held: str) -> bool:
    return "\u202d" in held or "\u202e" in held


def _is_from_right(text: str, start: int, end: int) -> bool:
    near = text[max(0, start - 100) : end + 100]
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in near)


def _splits(runs: list[re.Match[str]], text: str) -> bool:
    """Whether a hidden character stands within a word, where it makes another word of it, or is a control."""
    for run in runs:
        if any(ord(character) < 32 or ord(character) == 127 for character in run[0]):
            return True
        before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
        if before.isascii() and before.isalnum() and after.isascii() and after.isalnum():
            return True
    return False


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"


def _claimed(text: str, held: str) -> dict[str, JSONValue]:
    """What is seen, and, where tags spell something, what they spell."""
    spelled = "".join(chr(ord(c) - 0xE0000) for c in held if 0xE0020 <= ord(c) <= 0xE007E)
    seen: dict[str, JSONValue] = {"text": _HIDDEN.sub("", text)[:500]}
    if spelled:
        seen["hidden"] = spelled[:500]
    return seen


HIDDEN_CHARACTER = Rule(
    id="hidden-character",
    severity="warning",
    meaning=(
        "A call's name or arguments, a reply or the answer holds characters nobody sees and that change what is read: "
        "controls, blanks of no width, changes of direction, tags. A failure in a name, and where direction or tags "
        "are "
        "used in a call or the answer; a note where one stands between words, as in text copied from a page. Marks "
        "in text "
        "written from the right, joiners, flags and soft hyphens are not meant."
    ),
    cause="The text was copied from a page or a result, or somebody hid it there.",
    check="Look the characters up in what the model was shown: whoever wrote it first put them there.",
    find=_hidden,
)
