"""Exit codes and runners' summaries together: what they say, and whose word it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agentlab.audit.evidence.exits import answers_no, exit_code_in
from agentlab.audit.evidence.fields import Said
from agentlab.audit.evidence.programs import deed_of
from agentlab.audit.evidence.runners import Summary, summary_in
from agentlab.audit.evidence.shell import Command, exit_owners
from agentlab.audit.evidence.shown import Shown, shown
from agentlab.audit.evidence.values import EffectKind, TestCounts

__all__ = ["Found", "has_code", "said_by_machine"]

_Said = Literal["ok", "failed", "unclear"]
_PIPE_CLOSED = 141
_TAG = re.compile(r"</?\w{1,20}>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What an exit code and a summary say."""

    source: Said
    masked: bool = False
    """The exit code 0 is that of another command than those that do the work."""
    is_answer: bool = False
    """The exit code is an answer, as of `grep`, not a failure."""


def said_by_machine(seen: Shown, commands: Sequence[Command], *, kind: EffectKind, is_content: bool) -> Found | None:
    """What a result's exit code and its runner's summary say; None where it gives neither.

    Args:
        seen: the result.
        commands: those of the shell line that the call ran, if any.
        kind: what the call does.
        is_content: whether the text may be somebody's file or log.
    """
    runs = bool(commands) or kind in ("run", "check", "unknown")
    code = exit_code_in(seen, is_content=is_content or not runs, runs=runs)
    summary = summary_in(seen) if kind not in ("read", "finish") else None
    if code is None and summary is None:
        return None
    masked = code == 0 and _is_masked(commands)
    if summary is None:
        return _of_code(code or 0, commands, seen, masked=masked)
    tests = summary.counts if summary.counts != TestCounts() else None
    by_summary: _Said = "unclear" if summary.failed is None else "failed" if summary.failed else "ok"
    if code is None or masked:
        owner = f"; exit code 0 is that of {commands[-1].program}" if masked else ""
        return Found(source=Said(said=by_summary, why=summary.why + owner, exit_code=code, tests=tests), masked=masked)
    return _of_both(code, summary, by_summary, tests)


def _of_both(code: int, summary: Summary, by_summary: _Said, tests: TestCounts | None) -> Found:
    by_code: _Said = "failed" if code else "ok"
    if by_code == by_summary:
        return Found(source=Said(said=by_code, why=f"{summary.why}, exit code {code}", exit_code=code, tests=tests))
    said: _Said = "failed" if code and by_summary == "unclear" else "unclear"
    return Found(source=Said(said=said, why=f"{summary.why}, but exit code {code}", exit_code=code, tests=tests))


def _of_code(code: int, commands: Sequence[Command], seen: Shown, *, masked: bool) -> Found:
    if code == 0:
        return Found(source=Said(said="ok", why="exit code 0", exit_code=0), masked=masked)
    program = answers_no(code, exit_owners(commands, code), silent=_only_code(seen))
    if program:
        return Found(source=Said(said="ok", why=f"exit code 1 of {program} is an answer", exit_code=1), is_answer=True)
    said: _Said = "unclear" if code == _PIPE_CLOSED and len(commands) > 1 else "failed"
    return Found(source=Said(said=said, why=f"exit code {code}", exit_code=code))


def _only_code(seen: Shown) -> bool:
    """Whether nothing but the code came back."""
    return (
        seen.length < 160
        and seen.tail.count("\n") <= 3
        and all(has_code(line) or _TAG.fullmatch(line) for line in seen.first)
    )


def _is_masked(commands: Sequence[Command]) -> bool:
    """Whether the commands that do the work have no say in exit code 0."""
    if len(commands) < 2:
        return False
    owners = exit_owners(commands, 0)
    working = [command for command in commands if deed_of(command).kind in ("check", "run")]
    return bool(working) and not any(command is owner for command in working for owner in owners)


def has_code(line: str) -> bool:
    """Whether a line only gives an exit code."""
    return len(line) <= 160 and exit_code_in(shown(line), is_content=False, runs=True) is not None
