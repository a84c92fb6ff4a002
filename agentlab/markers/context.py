"""Which marks can be markers at all, once quotation and their neighbours are looked at."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice, zip_longest
from operator import attrgetter

from agentlab.markers.calls import is_finish
from agentlab.markers.lexicon import LABELS, Kind, fold, squeeze, words
from agentlab.markers.quotation import Shelter, quoted_words
from agentlab.markers.scan import Mark

__all__ = ["PARTIES", "STEPS", "blank", "in_context", "inside", "outside", "with_cut"]

PARTIES: frozenset[Kind] = frozenset({"user", "system", "tool"})
STEPS: frozenset[Kind] = frozenset({"thought", "action", "observation", "final"})


def blank(text: str, start: int, end: int) -> bool:
    """Whether nothing visible stands between two places."""
    return not text[start:end].strip()


def inside(place: int, shelters: Sequence[Shelter]) -> bool:
    """Whether a place lies in one of the shelters, which are disjoint and in order."""
    at = bisect_right(shelters, place, key=attrgetter("start")) - 1
    return at >= 0 and place < shelters[at].end


def outside(marks: Sequence[Mark], shelters: Sequence[Shelter]) -> list[Mark]:
    """The marks that stand in no shelter."""
    return [mark for mark in marks if not inside(mark.start, shelters)] if shelters else list(marks)


def with_cut(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks, and as the last one what is left of a stop string: a beginning of a marker alone on the last line."""
    end = len(text.rstrip())
    start = text.rfind("\n", max(0, end - _LONGEST_CUT), end) + 1
    if not start and end > _LONGEST_CUT:
        return list(marks)
    line = text[start:end]
    start += len(line) - len(line.lstrip())
    if squeeze(fold(line).text.strip(" *#~`")) not in _CUTS:
        return list(marks)
    return [*(mark for mark in marks if mark.start < start), Mark("cut", start, end, "line")]


def in_context(text: str, marks: Sequence[Mark], registered: Callable[[str], object]) -> Iterator[Mark]:
    """The marks that can be markers, corrected by what stands beside them.

    Within a line, nothing between quotation marks counts. `Answer:` at the very beginning is the model's own label.
    Before any action, `Tool: name` is an action if the name is registered, and the model's own remark, as `Tool:` and
    a sentence are, if an action stands on the next line; a word alone on a line is nothing if a tool is called so. For
    other parties see `_party`, for the rows of a report `_in_report`.
    """
    quoted = quoted_words(text) if any(mark.place == "inline" for mark in marks) else []
    lines = [mark for mark in marks if mark.place == "line"]
    last_own = max((mark.start for mark in lines if mark.kind == "own"), default=-1)
    plain = not any(mark.kind in STEPS and not mark.bare for mark in lines)
    starts = [mark.start for mark in lines] if plain else None
    report = _in_report(text, marks, registered)
    acted = False
    for mark, following in zip_longest(marks, marks[1:]):
        if mark.place == "inline" and inside(mark.start, quoted):
            continue
        if (
            mark.start in report
            or _is_comment(text, mark)
            or (mark.bare and _names_a_tool(text, mark.start, registered))
        ):
            continue
        kept: Mark | None = mark
        if mark is marks[0] and mark.kind == "answer" and blank(text, 0, mark.start):
            kept = mark._replace(kind="own")
        if mark.kind in PARTIES and not mark.tag:
            if mark.kind == "tool" and not acted and _is_remark(text, mark, following, registered):
                kept = None
            elif mark.kind == "tool" and not acted and _names_a_tool(text, mark.end, registered):
                kept = mark._replace(kind="action")
            else:
                kept = _party(text, mark, following, last_own, starts)
        if kept is not None:
            acted = acted or (kept.kind == "action" and kept.place == "line")
            yield kept


def _party(text: str, mark: Mark, following: Mark | None, last_own: int, rows: Sequence[int] | None) -> Mark | None:
    """A label of another party, if it can be one.

    - Within a line it is one only directly before another marker.
    - Alone on a line, without a colon, it counts like one with a colon before a result, or where text follows it and
      the model's own label comes later.
    - In a text without any step (`rows` then holds the places of its labels), beside other `key: value` lines it is a
      row of a list.
    """
    adjoins = following is not None and blank(text, mark.end, following.start)
    if mark.place == "inline":
        return mark if adjoins else None
    if mark.bare:
        answered = adjoins and following is not None and following.kind in ("observation", "result")
        return mark._replace(bare=not (answered or (mark.start < last_own and not adjoins)))
    if rows is None:
        return mark
    listed = last_own < 0 and _is_listed(text, mark, rows)
    return None if listed or _is_row(text, mark, rows, reach=1 if last_own >= 0 else _REACH) else mark


def _is_listed(text: str, mark: Mark, labels: Sequence[int]) -> bool:
    """Whether a word or two stand behind a label and behind one on the next line beside it, as in a list of terms."""
    if not _TERM.match(text, mark.end):
        return False
    for lines in (_lines_above, _lines_below):
        start = next(lines(text, mark.start, apart=False), -1)
        row = _TERM_ROW.match(text, start) if start >= 0 else None
        if row is not None and bisect_left(labels, row.start()) < bisect_left(labels, row.end()):
            return True
    return False


def _in_report(text: str, marks: Sequence[Mark], registered: Callable[[str], object]) -> Collection[int]:
    """Places of the labels that are rows of a report, such as a form about an inspection has them.

    No step stands in such a text, or in what follows the final answer of a reply without an action: it has no tag, no
    thought, no input and no other party; what it calls an action is a sentence; and beside its observations stand rows
    of other names; and it does not begin with one in plain letters, as a reply with a forged one may. A text that
    explains the three steps, a line each and no more, is one too.
    """
    lines = [mark for mark in marks if mark.place == "line" and not mark.bare]
    if not any(mark.kind == "observation" and not mark.tag for mark in lines):
        return ()
    end = next((mark.end for mark in lines if mark.kind == "final"), 0)
    before = [mark for mark in lines if mark.start < end]
    if any(mark.kind in ("observation", "action") for mark in before):
        return ()
    found = [mark for mark in lines if mark.start >= end and mark.kind in ("observation", "action")]
    others = {mark.kind for mark in marks if mark.start >= end and not mark.bare} - {"observation", "action", "result"}
    if any(mark.tag for mark in marks) or not all(
        mark.kind == "observation" or _is_sentence(text, mark, registered) for mark in found
    ):
        return ()
    if others == {"thought"} and not end:
        explained = [mark.kind for mark in lines] == ["thought", "action", "observation"]
        return {mark.start for mark in lines} if explained and _ends_in_words(text, lines[-1]) else ()
    labels = [mark.start for mark in lines if mark.kind != "result"]
    rows = [
        m for m in found if m.kind == "observation" and _is_row(text, m, labels, row=_NAMED_ROW, reach=2, apart=True)
    ]
    if not end and blank(text, 0, found[0].start) and text[found[0].start] not in "*_":
        return ()
    paired = end and len({mark.kind for mark in found}) > 1
    return {mark.start for mark in found} if not others and (rows or paired) else ()


def _is_comment(text: str, mark: Mark) -> bool:
    """Whether a result's label is rather a comment in code; headings have more signs, or nothing behind them."""
    if mark.kind != "result" or mark.bare or mark.place != "line":
        return False
    return text.startswith(("# ", "//", "-- "), mark.start)


def _ends_in_words(text: str, mark: Mark) -> bool:
    """Whether a text ends with the line of a label, and that line has no figure and no value in it."""
    line = text[mark.end :].strip()
    return bool(line) and "\n" not in line and not _FIGURES.search(line)


def _is_sentence(text: str, mark: Mark, registered: Callable[[str], object]) -> bool:
    """Whether what stands behind a label is several words on its line, without a sign of a call."""
    said = _PLAIN_WORDS.match(text, mark.end)
    return said is not None and not registered(said[0].strip())


def _names_a_tool(text: str, start: int, registered: Callable[[str], object]) -> bool:
    """Whether a registered name stands at a place, up to a bracket, a colon or the end of the line."""
    name = _NAME.match(text, start)
    return name is not None and bool(registered(name[0]))


def _is_remark(text: str, mark: Mark, following: Mark | None, registered: Callable[[str], object]) -> bool:
    """Whether `Tool:` is said of the action that stands on the next line: a registered name, or words and no result."""
    if mark.bare or following is None or following.bare or (following.kind, following.place) != ("action", "line"):
        return False
    said = _SAID.fullmatch(text, mark.end, following.start)
    if said is None:
        return False
    if _names_a_tool(text, mark.end, registered):
        return True
    called = _NAME.match(text, following.end)
    return _RESULT_SIGN.search(said["words"]) is None and (called is None or not is_finish(called[0].strip()))


def _is_row(
    text: str,
    mark: Mark,
    labels: Sequence[int],
    *,
    row: re.Pattern[str] | None = None,
    reach: int = 1,
    apart: bool = False,
) -> bool:
    """Whether beside the line of a label stands a `key: value` line whose key is no label.

    Args:
        text: that holds it.
        mark: the label.
        labels: places of all labels.
        row: how such a line looks.
        reach: how many lines on each side are looked at; those between must be short rows themselves.
        apart: whether lines with nothing on them may stand between.
    """
    for lines in (_lines_above, _lines_below):
        for start in islice(lines(text, mark.start, apart=apart), reach):
            found = (row or _ROW).match(text, start)
            if found is None:
                break
            if bisect_left(labels, found.start()) == bisect_left(labels, found.end()):
                return True
            if not _SHORT_ROW.match(text, start):
                break
    return False


def _lines_above(text: str, place: int, *, apart: bool) -> Iterator[int]:
    """Where the lines above that of a place begin, the nearest first.

    The first with nothing on it ends them; where `apart`, such lines are left out.
    """
    begin = text.rfind("\n", 0, place) + 1
    while begin:
        end, begin = begin - 1, text.rfind("\n", 0, begin - 1) + 1
        if not blank(text, begin, end):
            yield begin
        elif not apart:
            return


def _lines_below(text: str, place: int, *, apart: bool) -> Iterator[int]:
    """Where the lines below that of a place begin, as in `_lines_above`."""
    while (place := text.find("\n", place) + 1) > 0:
        end = text.find("\n", place)
        if not blank(text, place, len(text) if end < 0 else end):
            yield place
        elif not apart:
            return


_LONGEST_CUT = 30
_MIN_CUT = 3
"""Fewest letters of a marker that are taken for its beginning, in a script with upper and lower case; elsewhere one."""
_CUTS = frozenset(
    label[:length]
    for kind in ("observation", "user", "system", "tool")
    for label in (squeeze(word) for word in words(LABELS[kind]))
    for length in range(_MIN_CUT if label[0].upper() != label[0] else 1, len(label) + 1)
)
_NAME = re.compile(r"[^\[\](){}<>\n\"`:]{1,120}+")
_SAID = re.compile(r"(?P<words>[^\s\n][^\n]{0,300})(?:\n[ \t\r]*+)+")
_RESULT_SIGN = re.compile(r"[{}\[\]<>=|:：\"]|(?<!\w)\d")
"""What a result holds, and a sentence about what the model is to do hardly ever."""
_REACH = 4
"""Rows on each side of a label that may be names of parties too: the user and the system of a machine."""
_PLAIN_WORD = r"[^\s\[\](){}<>:：=`\"]++"
_PLAIN_WORDS = re.compile(
    rf"(?:{_PLAIN_WORD}(?>(?:[ \t]++{_PLAIN_WORD})+)|[^\s\[\](){{}}<>:：=`\"]{{2,60}}(?<=[.。]))"
    r"[*_]{0,2}[ \t\r]*+(?=\n|\Z)"
)
_FIGURES = re.compile(r"[\d\[\](){}<>:：=`\"/_]")
_TERM = re.compile(r"[ \t]*[^\W\d][\w-]{0,20}(?: [\w-]{1,20})?[ \t\r]*(?=\n|\Z)")
_TERM_ROW = re.compile(rf"[^\w\n]{{0,8}}[^\W\d]\w{{0,20}}[:：]{_TERM.pattern}")
_NAMED_ROW = re.compile(
    r"[^\w\n]{0,8}(?:[^\W\d_a-z][\w'-]{1,20}(?: [\w'-]{1,20}){0,2}|[\u3040-\u9fff\uac00-\ud7af]{1,8})"
    r"[*_]{0,2}[:：][*_]{0,2}[ \t]*\S"
)
_SHORT_ROW = re.compile(r"[^\n]{1,60}(?:\n|\Z)")
_ROW = re.compile(r"[^\w\n]{0,8}\w[^:：\n]{0,40}[:：][ \t]*[^\s]")
