"""What is wrong with a record whose other parts could be read."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["told"]


def told(problems: Sequence[str]) -> str:
    """The first problem and how many more there are, for a trace's `defect`; empty where there is none."""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return problems[0] + more if problems else ""
