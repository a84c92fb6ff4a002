"""How files are named in tables: as shortly as can be, and so that no two are taken for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from agentlab.formats.files.paths import SEPARATOR

__all__ = ["short_paths"]

_WIDEST = 44
"""Characters of a name; a longer one loses its middle where it can still be told from the others."""


def short_paths(paths: Iterable[str]) -> Mapping[str, str]:
    """For each path its last parts, as many as tell it from the others."""
    starts = {path: [0, *(part.end() for part in SEPARATOR.finditer(path))] for path in paths}
    shown = {path: path[places[-1] :] for path, places in starts.items()}
    for depth in range(2, max(map(len, starts.values()), default=0) + 1):
        counts = Counter(shown.values())
        same = [path for path, name in shown.items() if counts[name] > 1]
        if not same:
            break
        shown.update((path, path[starts[path][-min(depth, len(starts[path]))] :]) for path in same)
    cut = {path: _cut(name) for path, name in shown.items()}
    counts = Counter(cut.values())
    return {path: name if counts[name] == 1 else shown[path] for path, name in cut.items()}


def _cut(name: str) -> str:
    half = _WIDEST // 2
    return name if len(name) <= _WIDEST else f"{name[: half - 1]}…{name[-half:]}"
