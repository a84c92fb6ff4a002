"""How the records of a tracer stand in each other, where each names its parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Above", "Nested", "above", "outermost_first"]


class Nested(Protocol):
    """A record that names its parent."""

    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str: ...
    @property
    def start(self) -> float | None: ...
    @property
    def tool(self) -> str:
        """The tool that it is an execution of; empty if it is none."""

    @property
    def calls_model(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Above:
    """What stands around a record; empty ids where nothing does. A parent that is not in the file is nothing."""

    tool: str = ""
    """The nearest execution of a tool: what happens in it, an agent does that the tool started."""
    generation: str = ""
    """The nearest model call, if no execution of a tool stands between."""
    start: float = 0.0
    """When the nearest one that has a time began."""


_OUTSIDE = Above()


def outermost_first(parents: Mapping[str, str]) -> Iterator[str]:
    """Every id after that of its parent, in linear time; of parents in a circle one comes first.

    Args:
        parents: by id; what is no id itself is no parent.
    """
    seen: set[str] = set()
    for name in parents:
        path: list[str] = []
        here = name
        while here in parents and here not in seen:
            seen.add(here)
            path.append(here)
            here = parents[here]
        yield from reversed(path)


def above(records: Mapping[str, Nested]) -> Mapping[str, Above]:
    """What stands around each record, by id."""
    found: dict[str, Above] = {}
    for name in outermost_first({each.id: each.parent for each in records.values()}):
        parent = records[name].parent
        found[name] = _below(records[parent], found[parent]) if parent in found else _OUTSIDE
    return found


def _below(parent: Nested, outer: Above) -> Above:
    start = outer.start if parent.start is None else parent.start
    if parent.tool:
        return Above(tool=parent.id, start=start)
    return Above(tool=outer.tool, generation=parent.id if parent.calls_model else outer.generation, start=start)
