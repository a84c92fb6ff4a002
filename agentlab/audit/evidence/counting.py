"""What a result allows to be counted, for claims that are checked by value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.values import Counts, ListCount
from agentlab.strictjson import JSONValue

__all__ = ["counts_in"]

_DASHED = re.compile(r"^- ", re.MULTILINE)
_OTHER = re.compile(r"^(?![ \t\-])\S", re.MULTILINE)


def counts_in(result: str | None) -> Counts:
    """How long the lists and objects of a result are and where they stand, and the plain values of its fields by name.

    Of JSON everything is given. A text that is one list in dashes, as YAML writes it, gives the number of its entries.

    Args:
        result: what came back.
    """
    if not result:
        return Counts()
    value = whole_json(result)
    if value is None:
        return Counts(lists=_dashed(result))
    values: dict[str, list[JSONValue]] = defaultdict(list)
    lists = tuple(_walk(value, values))
    return Counts(lists=lists, values={name: tuple(found) for name, found in values.items()}, is_json=True)


def _walk(whole: JSONValue, values: dict[str, list[JSONValue]]) -> Iterator[ListCount]:
    """Every list and object, those outside first; the plain values are put under their names."""
    level: list[tuple[str, JSONValue]] = [("", whole)]
    while level:
        below: list[tuple[str, JSONValue]] = []
        for path, value in level:
            entries = _entries(value)
            yield ListCount(path=path, length=len(entries), is_object=isinstance(value, dict))
            for key, entry in entries:
                if isinstance(entry, (dict, list)):
                    below.append((f"{path}.{key}" if path else key, entry))
                elif isinstance(value, dict):
                    values[key].append(entry)
        level = below


def _entries(value: JSONValue) -> list[tuple[str, JSONValue]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(str(place), entry) for place, entry in enumerate(value)] if isinstance(value, list) else []


def _dashed(text: str) -> tuple[ListCount, ...]:
    if not text.startswith("- ") or _OTHER.search(text):
        return ()
    return (ListCount(path="", length=sum(1 for _ in _DASHED.finditer(text))),)
