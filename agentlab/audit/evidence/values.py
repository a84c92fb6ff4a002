"""What a result proves and what a call does, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Effect", "EffectKind", "Outcome", "Scalar", "Status", "TestCounts"]

Status = Literal["ok", "failed", "unclear"]
EffectKind = Literal["read", "write", "run", "check", "send", "finish", "unknown"]
"""read: looks at something. write: makes, changes or removes something. run: runs a program that may do anything.
check: runs tests, a linter, a type checker or a build. send: gives something to another party. finish: ends the
attempt.
"""
Scalar: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCounts:
    """What a test runner's summary says; None where it does not give the number."""

    __test__ = False

    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None
    collected: int | None = None
    """How many there were, whether or not they ran."""
    runner: str = ""
    """Whose summary it is, e.g. `pytest`."""

    @property
    def broken(self) -> int:
        """How many failed, one way or the other."""
        return (self.failed or 0) + (self.errors or 0)

    @property
    def ran_nothing(self) -> bool:
        """Whether the summary shows that no check was executed: neither a pass nor a failure."""
        if self.passed or self.broken:
            return False
        return self.passed == 0 or self.collected == 0 or bool(self.skipped)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a call, so far as its result and the harness's word for it show."""

    status: Status
    """What may be relied on, flags and text together; unclear where they disagree or say nothing."""
    flagged: Literal["ok", "failed", ""]
    """What the harness recorded."""
    said: Literal["ok", "failed", ""]
    """What the text itself says: exit codes, success fields, summaries, error sentences."""
    exit_code: int | None = None
    tests: TestCounts | None = None
    shown: int | None = None
    """How much of `total` the text holds, where it says so."""
    total: int | None = None
    truncated: bool = False
    empty: bool = False
    """Nothing came back, or a remark that nothing did."""
    why: str = ""
    """One clause, for messages, e.g. `exit code 1`."""
    structured: bool = False
    """Whether `said` rests on an exit code, a status field or a runner's summary, not on a sentence."""
    masked: bool = False
    """Whether the exit code belongs to another command than the one that did the work, e.g. the last of a pipe."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """What a call does, judged by its tool's name and its arguments."""

    kind: EffectKind
    """The weightiest of `kinds`."""
    names: frozenset[str] = frozenset()
    """Artefacts it acts on: paths, urls, ids, as written."""
    kinds: frozenset[EffectKind] = frozenset()
    """Everything it does: a shell line may test, write and send."""
    written: frozenset[str] = frozenset()
    """Those of the names that it makes, changes or removes, so far as that can be told."""
    programs: tuple[str, ...] = ()
    """The programs that a shell line runs, in order, e.g. `pytest`."""
