"""Labels of your own: a table with a line for each thing that is wrong, and the traces it speaks about.

A CSV file with a head line, or JSON lines with the same names:

    trace     id of the trace, or its file: the whole path, its end, or the name without its last suffixes
    source    the place, as findings name it (span id, message index, line); empty for the trace as a whole
    category  the rule that should find it (`agentlab rules` lists them), or several joined by `|` of which any will do;
              `clean` with an empty source says that the whole trace was looked at and nothing is wrong
    note      your words; may be left out

Traces without a line are not scored. A trace with a line is taken to be labelled whole: a finding of a rule that some
line of the file names, at a place without a label, is a false alarm. Rules that no line names are judged on the clean
traces only.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from agentlab.audit.catalogue import RULES
from agentlab.audit.report import AuditReport
from agentlab.errors import LoadError, UsageError, unknown_name
from agentlab.experiments.scoring.auditing import audited, sightings
from agentlab.experiments.scoring.values import Group, Label, LabelledSet, LabelledTrace, Place
from agentlab.formats.files.paths import SEPARATOR
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["CLEAN", "read_own"]

CLEAN = "clean"
_ALL = "all"
_NEEDED = ("trace", "source", "category")
_NEEDS = f"it needs {', '.join(_NEEDED)}"
_NAMED = 12
"""Names of what is there, where one that is not was asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    """A line of the table, and its number."""

    number: int
    trace: str
    source: str
    category: str
    note: str


def read_own(labels: Path, traces: Path) -> LabelledSet:
    """Read a table of labels, and audit the traces it speaks about.

    Args:
        labels: a `.csv` file, or one of JSON lines.
        traces: a file or a folder.

    Raises:
        LoadError: if one of them cannot be read, or a line says what no line can say.
        UsageError: if a line speaks of a trace that is not there, or of several.
    """
    lines = list(_lines(labels))
    reports = list(audited(traces))
    named: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        named[_only(line, reports, labels)].append(line)
    categories = sorted({line.category for line in lines} - {CLEAN})
    rules = {category: frozenset(category.split("|")) for category in categories}
    groups = [Group(name=category, words="as labelled", rules=rules[category]) for category in categories]
    every = Group(name=_ALL, words="every rule that a line names", rules=frozenset().union(*rules.values()))
    return LabelledSet(
        name="own",
        words="labels of your own",
        folder=str(traces),
        traces=tuple(_labelled(report, named[place], labels) for place, report in enumerate(reports) if place in named),
        groups=(every, *groups) if len(groups) > 1 else tuple(groups),
    )


def _lines(path: Path) -> Iterator[_Line]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(path, f"a table of labels in UTF-8 was expected; it cannot be read ({error})") from None
    reads = _READERS.get(path.suffix.lower())
    if reads is None:
        raise LoadError(path, f"a table of labels is a file that ends in {' or '.join(_READERS)}")
    rows = list(reads(text, path))
    if not rows:
        raise LoadError(path, f"a table of labels was expected, and it has no line with one; {_NEEDS}")
    for number, row in rows:
        absent = [name for name in _NEEDED if name not in row or (name != "source" and row[name] is None)]
        if absent:
            raise LoadError(path, f"line {number} has no {absent[0]!r}; {_NEEDS}, and it has {_shown(row)}")
        trace, source, category = ("" if row[name] is None else str(row[name]).strip() for name in _NEEDED)
        _check(category, source, path, number)
        category = "|".join(part.strip() for part in category.split("|"))
        yield _Line(number=number, trace=trace, source=source, category=category, note=str(row.get("note") or ""))


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    reader = csv.DictReader(StringIO(text, newline=""), strict=True)
    try:
        _check_head(reader.fieldnames or (), path)
        for row in reader:
            if None in row:  # cells without a name
                raise LoadError(path, f"line {reader.line_num} has more cells than the head; quote what has a comma")
            yield reader.line_num, {name: cell for name, cell in row.items() if cell is not None}
    except csv.Error as error:
        raise LoadError(path, f"line {reader.line_num} is no line of a CSV file ({error})") from None


def _check_head(names: Sequence[str], path: Path) -> None:
    """See that each column is there once; an empty file has none, and says so later."""
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise LoadError(path, f"the column {twice[0]!r} stands twice in the head, which is {_shown(names)}")
    absent = [name for name in _NEEDED if name not in names]
    if names and absent:
        raise LoadError(path, f"the head has no column {absent[0]!r}; {_NEEDS}, and the head is {_shown(names)}")


def _shown(names: Iterable[str]) -> str:
    return shorten(", ".join(map(repr, names)), 200) or "nothing"


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LoadError(path, f"line {number} is no JSON ({error})") from None
        if not isinstance(row, dict):
            raise LoadError(path, f"line {number}: an object with {', '.join(_NEEDED)} was expected")
        yield number, row


_READERS: Mapping[str, Callable[[str, Path], Iterator[tuple[int, Mapping[str, object]]]]] = {
    ".csv": _csv_rows,
    ".jsonl": _json_rows,
}


def _check(category: str, source: str, path: Path, number: int) -> None:
    if category == CLEAN:
        if source:
            raise LoadError(path, f"line {number}: `{CLEAN}` is said of a whole trace, but source is {source!r}")
        return
    for rule in (part.strip() for part in category.split("|")):
        if rule == CLEAN:
            raise LoadError(path, f"line {number}: `{CLEAN}` stands alone; beside a rule it says nothing")
        if rule not in RULES:
            raise LoadError(path, f"line {number}: {unknown_name('rule', rule, [*RULES, CLEAN])}")


def _only(line: _Line, reports: list[AuditReport], labels: Path) -> int:
    """The place among the audited of the trace that a line speaks about."""
    found = [place for place, report in enumerate(reports) if line.trace and _is_meant(line.trace, report.trace)]
    if len(found) == 1:
        return found[0]
    meant = [reports[place].trace for place in found]
    there = [_file_of(report.trace) for report in reports] if not found else [f"{t.path} ({t.id})" for t in meant]
    there = sorted(set(there))
    todo = "Name a file that is there" if not found else "Give the path or the id of one"
    raise UsageError(
        f"Line {line.number} of {str(labels)!r} speaks of the trace {line.trace!r}, and {len(found)} of the "
        f"{len(reports)} traces are named so. {todo}: "
        f"{', '.join(there[:_NAMED]) or 'none is'}{f' and {len(there) - _NAMED} more' if len(there) > _NAMED else ''}."
    )


def _file_of(trace: Trace) -> str:
    return SEPARATOR.split(trace.path)[-1]


def _is_meant(name: str, trace: Trace) -> bool:
    path, file = SEPARATOR.sub("/", trace.path), _file_of(trace)
    if name in (trace.id, path, file, file.partition(".")[0]) or path.endswith(f"/{name}"):
        return True
    return "/" in name and Path(name).resolve() == Path(path).resolve()


def _labelled(report: AuditReport, lines: list[_Line], labels: Path) -> LabelledTrace:
    wrong = [line for line in lines if line.category != CLEAN]
    if wrong and len(wrong) < len(lines):
        raise LoadError(
            labels, f"the trace {report.trace.id!r} is called clean, and line {wrong[0].number} says it is not"
        )
    known = {event.source for event in report.trace if event.source}
    for line in wrong:
        if line.source and line.source not in known:
            problem = f"line {line.number}: no event of the trace {line.trace!r} has the source {line.source!r}"
            raise LoadError(labels, f"{problem}; those there are: {_places(report.trace)}")
    return LabelledTrace(
        name=report.trace.path or report.trace.id,
        labels=tuple(
            Label(source=line.source, category=line.category, groups=frozenset({_ALL, line.category}), note=line.note)
            for line in wrong
        ),
        sightings=sightings(report),
        steps=_steps(report.trace),
        clean=not wrong,
    )


def _places(trace: Trace) -> str:
    sources = dict.fromkeys(event.source for event in trace if event.source)
    more = f" and {len(sources) - _NAMED} more" if len(sources) > _NAMED else ""
    return ", ".join(list(sources)[:_NAMED]) + more if sources else "none, so leave the source empty"


def _steps(trace: Trace) -> dict[str, Place]:
    """The first step that each place of the file belongs to."""
    places: dict[str, Place] = {}
    for event in trace:
        if event.source and event.step is not None:
            places.setdefault(event.source, (event.agent_name, event.step))
    return places
