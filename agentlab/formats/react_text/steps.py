"""Cutting a text of ReAct runs into episodes and steps, by the words at the beginning of its lines.

The words are those of the grammar of markers, in any script. Only places count here, not what shelters them: what a
tool answered is foreign text, and a fence that it opens hides no later action. All of it is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias

from agentlab.markers.actions import read_call
from agentlab.markers.calls import Call, is_finish
from agentlab.markers.lexicon import LABELS, pattern
from agentlab.markers.page import Page

__all__ = ["Episode", "Mark", "call_in", "episodes", "has_furniture", "marks_of", "resets"]

MarkKind: TypeAlias = Literal["prompt", "task", "thought", "action", "observation", "final"]
"""`prompt` is where a prompt with examples begins, whatever its words; the other kinds have words of their own."""

_WORDS: Mapping[MarkKind, str] = {
    "thought": LABELS["thought"],
    "action": LABELS["action"] + ", act",
    "observation": LABELS["observation"] + ", obs",
    "final": LABELS["final"],
    "task": "question, claim, 问题, 問題, 질문, вопрос, frage, pregunta, pergunta",
}
_MARK = re.compile(
    r"^[ \t]{0,8}(?:[*_]{1,3}|\#{1,4}[ ]|\d{1,7}[ ](?=question|claim))?(?:"
    + "|".join(
        f"(?P<{kind}>{pattern(' '.join(word.split()) for word in listed.split(','))})"
        for kind, listed in _WORDS.items()
    )
    + r")[ \t]{0,3}(?P<number>\d{1,4})?[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3}",
    re.MULTILINE | re.IGNORECASE,
)
_PLAIN = re.compile(r"\s*+(?P<name>[A-Za-z]\w{0,60})\[(?P<argument>[^\[\]{}<>`\n]*+)\]\s*+\Z", re.ASCII)
"""A call that the grammar need not be asked about."""
_RULE = re.compile(r"[ \t]*(?:[-=#*_~]{4,}|[-=#*]{3,}[^\n]{1,80}[-=#*]{3,})[ \t\r]*\Z")
_HEADER = re.compile(r"[ \t]*(?:BEGIN TRIAL \d|Trial summary:|Correct answer:|\{'.*\}[ \t\r]*\Z)", re.IGNORECASE)
_SECTION = re.compile(r"[ \t]*-*[ \t]*BEGIN (?:TRIAL \d|[A-Z]{1,40} AGENTS\b)")
_NUMBERS = re.compile(r"[\d. \t\r]*\Z")
_EXAMPLES = re.compile(
    r"^(?P<begin>[^\n]{0,200}\b(?:here are|here is|below are|following are)\b[^\n]{0,60}\bexamples?\b)"
    r"|^(?P<end>[ \t(\[*#-]{0,12}end of (?:the )?examples?\b)",
    re.MULTILINE | re.IGNORECASE,
)
_GAP = 100
"""Characters that may stand between the announcement of examples and the first of them."""
_PARAGRAPH = 4000
"""Characters of a prompt before that announcement that are looked at."""
_RESET = "reset"
"""What an environment with Gym's interface is called with before its first step."""


class Mark(NamedTuple):
    """The beginning of a part of a step, or of a task. Offsets are code points."""

    kind: MarkKind
    start: int
    end: int
    """Behind its colon."""
    number: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """One run in a text. Offsets are code points; its parts stand between `start` and `end`."""

    start: int
    """Where the run before ended, or the text begins."""
    prompt: int
    """Where the prompt begins, behind rules and headers of the file; there may be none."""
    task: Mark | None
    """The question in the prompt."""
    steps: tuple[Mark, ...]
    """Thoughts, actions, observations and final answers."""
    end: int
    """Where its last step ends."""
    behind: int
    """Up to here what follows belongs to the file and not to a step: verdicts, counts, headers of sections."""


def marks_of(text: str) -> list[Mark]:
    """Every mark at the beginning of a line; of examples in a prompt only where their prompt begins."""
    examples = list(_examples(text))
    found = [Mark("prompt", start, start, None) for start, _ in examples]
    at = 0
    for match in _MARK.finditer(text):
        while at < len(examples) and examples[at][1] <= match.start():
            at += 1
        if at == len(examples) or match.start() < examples[at][0]:
            kind = next(kind for kind in _WORDS if match[kind])
            number = int(match["number"]) if match["number"] else None
            found.append(Mark(kind, match.start(), match.end(), number))
    return sorted(found, key=attrgetter("start"))


def call_in(text: str, start: int, end: int) -> Call:
    """The call of the action that stands in a stretch, well formed or not."""
    written = text[start:end]
    if plain := _PLAIN.match(written):
        name, argument = plain["name"], plain["argument"].strip()
        return Call(name=name, arguments=argument or {}, finish=is_finish(name))
    page = Page("Action: " + written.lstrip(), ())
    mark = page.marks[0]
    return read_call(page.body(mark), page.tools)[0]


def episodes(text: str, marks: Sequence[Mark]) -> Iterator[Episode]:
    """The runs in a text, in order.

    A run begins at a question, where the numbers of steps begin again, where an environment is reset, and behind a
    rule where the run before had ended.
    """
    start = 0
    for first, following in pairwise([*_beginnings(text, marks), len(marks)]):
        steps = tuple(mark for mark in marks[first:following] if mark.kind not in ("task", "prompt"))
        if not steps:
            continue  # a prompt behind which nothing was run
        last = steps[-1]
        task = next((mark for mark in marks[first:following] if mark.kind == "task" or mark is steps[0]), None)
        if following == len(marks):
            end, behind = _tail(text, last.end, len(text)), len(text)
        else:
            end, behind = _between(text, last.end, marks[following])
        prompt = marks[first].start if marks[first].kind == "prompt" else _head(text, start, steps[0].start)
        yield Episode(
            start=start, prompt=prompt, task=None if task is steps[0] else task, steps=steps, end=end, behind=behind
        )
        start = behind


def _beginnings(text: str, marks: Sequence[Mark]) -> Iterator[int]:
    """Places in the list of marks at which a run begins."""
    begun = False
    run = _Run()
    for place, mark in enumerate(marks):
        if mark.kind == "prompt":
            begins = True
        elif mark.kind == "task":
            begins = (run.stepped or not begun) and _opens(text, marks, place)
        else:
            begins = not begun or (run.stepped and run.ends_before(text, marks, place))
        if begins:
            run, begun = _Run(), True
            yield place
        if mark.kind not in ("prompt", "task"):
            run.take(text, mark)


def _opens(text: str, marks: Sequence[Mark], place: int) -> bool:
    """Whether a question is one and not a line of an answer: a first step follows, and it begins a paragraph."""
    follows = next((mark for mark in marks[place + 1 : place + 3] if mark.kind != "task"), None)
    before = text[max(marks[place].start - 200, 0) : marks[place].start].rstrip("\n").rpartition("\n")[2]
    blank = marks[place].start < 2 or text[marks[place].start - 2] == "\n"
    return (
        follows is not None
        and follows.kind in ("thought", "action", "final")
        and follows.number in (None, 0, 1)
        and (blank or _is_furniture(before))
    )


class _Run:
    """What is known of a run while its marks are passed."""

    def __init__(self) -> None:
        self.stepped = False
        self._ended = False
        self._highest: dict[MarkKind, int] = {}

    def take(self, text: str, mark: Mark) -> None:
        self.stepped = True
        self._highest[mark.kind] = max(self._highest.get(mark.kind, -1), mark.number if mark.number is not None else -1)
        self._ended = self._ended or mark.kind == "final" or (mark.kind == "action" and _finishes(text, mark))

    def ends_before(self, text: str, marks: Sequence[Mark], place: int) -> bool:
        """Whether a step is the first of another run."""
        mark = marks[place]
        if mark.kind not in ("thought", "action"):
            return False
        if mark.number in (0, 1) and self._highest.get(mark.kind, -1) >= mark.number:
            return _separator(text, marks[place - 1].end, mark.start, blank=True)
        if resets(text, mark):
            return True
        return self._ended and mark.number is None and _separator(text, marks[place - 1].end, mark.start)


def resets(text: str, mark: Mark) -> bool:
    """Whether an action starts an environment, as loops do themselves."""
    return mark.kind == "action" and _line(text, mark.end).strip().lower() == _RESET


def _finishes(text: str, mark: Mark) -> bool:
    name = re.split(r"[\[({]", _line(text, mark.end), maxsplit=1)[0].strip().strip("*`")
    return is_finish(name)


def _line(text: str, start: int) -> str:
    end = text.find("\n", start, start + 200)
    return text[start : end if end >= 0 else start + 200]


def _separator(text: str, start: int, end: int, *, blank: bool = False) -> bool:
    """Whether a rule or a header, or an empty line where that is enough, stands between two steps."""
    return any(_is_furniture(line) or (blank and not line.strip()) for line in text[start:end].split("\n")[1:-1])


def has_furniture(text: str, end: int) -> bool:
    """Whether a rule or a header stands before a place."""
    return any(_is_furniture(line) for _, line in _lines(text, 0, end))


def _is_furniture(line: str) -> bool:
    return bool(_RULE.match(line) or _HEADER.match(line))


def _between(text: str, start: int, mark: Mark) -> tuple[int, int]:
    """Where the last step of a run ends, and where the next run's task begins, before its first mark."""
    if mark.kind in ("task", "prompt"):
        return _tail(text, start, mark.start), mark.start
    lines = list(_lines(text, start, mark.start))
    at = next((at for at in range(len(lines) - 1, 0, -1) if _is_furniture(lines[at][1])), 0)
    if at:
        while at + 1 < len(lines) and _NUMBERS.match(lines[at + 1][1]):
            at += 1
        begin = lines[at + 1][0] if at + 1 < len(lines) else mark.start
        return _tail(text, start, begin), begin
    at = len(lines) - 1
    while at > 0 and not lines[at][1].strip():
        at -= 1
    while at > 0 and lines[at][1].strip():
        at -= 1
    return (lines[at][0], lines[at + 1][0]) if at > 0 else (mark.start, mark.start)


def _tail(text: str, start: int, end: int) -> int:
    """Where a step ends that runs to `end`: before rules, headers and counts, which no step but the file has.

    Lines of numbers count only before or behind a rule, and never the step's first line.
    """
    found = end
    ruled = passed = False
    for place, line in reversed(list(_lines(text, start, end))[1:]):
        if _is_furniture(line):
            found, ruled = place, True
        elif not _NUMBERS.match(line):
            break
        elif ruled or not (passed or line.strip()):
            found = place
        else:
            passed = True  # a number; of the file only if a rule stands before it
    return found


def _head(text: str, start: int, end: int) -> int:
    """Where a prompt begins, behind a section's header, and behind rules and counts that stand before all else."""
    found = None
    for place, line in _lines(text, start, end):
        if _SECTION.match(line):
            found = None
        elif found is None and not _is_furniture(line) and not _NUMBERS.match(line):
            found = place
    return end if found is None else found


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Lines with their places, from the middle of one on."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, text[start:stop]
        start = stop + 1


def _examples(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a prompt that show how runs look, from the beginning of their paragraph on.

    They end where the prompt says so, else, where they follow at once, before the last question in front of the next
    such stretch.
    """
    notes = list(_EXAMPLES.finditer(text))
    behind = 0
    for note, following in zip_longest(notes, notes[1:]):
        if note["end"] or _MARK.match(text, note.start()):
            continue
        near = max(behind, note.start() - _PARAGRAPH)
        gap = text.rfind("\n\n", near, note.start())
        start = near if gap < 0 else gap + 2
        if following is not None and following["end"]:
            behind = following.end()
        else:
            last = _last_question(text, note.end(), following.start() if following else len(text))
            if last is None:
                continue
            behind = last
        yield start, behind


def _last_question(text: str, start: int, end: int) -> int | None:
    """Where the last question stands in a stretch that shows examples from its beginning on; None where it does not."""
    begin = text.find("\n", start, end)
    first = _MARK.search(text, start, end)
    if first is None or begin < 0 or len(text[begin : first.start()].strip()) > _GAP:
        return None
    return max((match.start() for match in _MARK.finditer(text, start, end) if match["task"]), default=None)
