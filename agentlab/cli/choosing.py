"""Which attempt is meant, where a path holds several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agentlab.cli.console import print_table
from agentlab.cli.loading import Loading
from agentlab.cli.naming import short_paths
from agentlab.errors import LoadError, UsageError
from agentlab.formats.files.paths import printable
from agentlab.trace.formatting import counted, shorten
from agentlab.trace.model import Trace

__all__ = ["choose"]

_LISTED = 20
"""Attempts that are listed where there is a choice."""
_ID, _SOURCE, _TASK = 16, 30, 60
"""Characters of an attempt's id, source and task in the list."""

_WAYS: tuple[Callable[[int, Trace, str], bool], ...] = (
    lambda number, _, name: name == str(number),
    lambda _, trace, name: name == trace.id,
    lambda _, trace, name: bool(name) and name == trace.started.source,
    lambda _, trace, name: trace.id.startswith(name),
)
"""How an attempt can be named, the plainest first: its number in the list, its id, its source, its id's beginning."""


@dataclass(kw_only=True, slots=True)
class _Held:
    """Attempts of one kind, as few of them in memory as can be."""

    count: int = 0
    first: Trace | None = None
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    """Number, id, path, source and task of those that are listed."""

    def add(self, number: int, trace: Trace) -> None:
        self.count += 1
        self.first = self.first or trace
        if len(self.rows) < _LISTED:
            start = trace.started
            source, task = shorten(start.source, _SOURCE), shorten(start.task, _TASK)
            self.rows.append((str(number), trace.id[:_ID], trace.path, source, task))


def choose(path: str, name: str, form: str) -> Trace:
    """The only attempt there, or the one that is named; where there is none such, what there is stands on stdout.

    Args:
        path: a file, a folder or a url.
        name: its number in that list, its id or the beginning of it, or its source; empty for the only one.
        form: what the files are taken for; empty where their first bytes decide.

    Raises:
        UsageError: if it is none, or several.
        LoadError: if it could not be read.
    """
    loading = Loading([path], form)
    every, named = _Held(), [_Held() for _ in _WAYS]
    for number, trace in enumerate(loading.traces(), 1):
        every.add(number, trace)
        for way, held in zip(_WAYS, named, strict=True):
            if way(number, trace, name):
                held.add(number, trace)
    if every.count:
        loading.complain()
    only = next((held.first for held in named if held.count == 1 and held.first), None)
    if only is not None:
        return only
    fitting = next((held for held in named if held.count), None)
    lost = [LoadError(*each) for each in loading.unreadable if name in each[0] or not every.count]
    if lost and fitting is None:
        raise lost[0]
    if not every.count:
        raise UsageError(f"{printable(path)!r} holds no attempt.")
    _list(fitting or every)
    which = f", {fitting.count if fitting else 'none'} of which {_fits(fitting)} {name!r}" if name else ""
    raise UsageError(
        f"{printable(path)!r} holds {counted(every.count, 'attempt')}{which}. Name one with --attempt: its "
        "number in the list, the beginning of its id, or its source."
    )


def _fits(fitting: _Held | None) -> str:
    return "fit" if fitting and fitting.count > 1 else "fits"


def _list(held: _Held) -> None:
    names = short_paths({row[2] for row in held.rows})
    rows = [[number, name, names[path], source, task] for number, name, path, source, task in held.rows]
    more = f", the first {_LISTED} of them" if held.count > _LISTED else ""
    print_table(f"{counted(held.count, 'attempt')}{more}", ["number", "attempt", "file", "source", "task"], rows)
