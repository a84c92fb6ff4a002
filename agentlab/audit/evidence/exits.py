"""The exit code that a result gives, and what it proves: whose code it is decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentlab.audit.evidence.programs import ANSWERS_NO, real_argv
from agentlab.audit.evidence.shell import Command
from agentlab.audit.evidence.shown import Shown, has_any

__all__ = ["answers_no", "exit_code_in"]

_LABELLED = re.compile(
    r"(?P<open>[\W_]{0,4})(?:[a-z]{1,12} ){0,5}?"
    r"(?:(?:exit|return)[ _-]?(?:code|status|value)|retcode|rc|退出码|退出代码|退出状态|返回码"
    r"|(?:exited|completed|finished|failed|terminated|ended|returned|died)\b[a-z \-,]{0,24}?(?:code|status))"
    r"(?: was| is| of|为)?[\"']?\s{0,3}[:=>：]?\s{0,3}(?P<code>-?[0-9]{1,3})\b(?P<rest>.{0,80})",
    re.IGNORECASE,
)
_BARE = re.compile(r"[\W_]{0,3}exit(?:ed)?[ :]\s?(?P<code>-?[0-9]{1,3})[\W_]{0,3}", re.IGNORECASE)
_SIGNS = ("exit", "code", "retcode", "rc", "退出", "返回码", "status")
_LARGEST = 255


def exit_code_in(shown: Shown, *, is_content: bool, runs: bool) -> int | None:
    """The exit code in the first or the last lines of a result.

    Args:
        shown: the result.
        is_content: whether it may be somebody's file or log, in which such a line is content.
        runs: whether the call runs a program, so that a bare `exit 1` can be its code.
    """
    if not has_any(shown.edges, _SIGNS):
        return None
    for position, line in enumerate(shown.first):
        code = _code(line, bare=runs and position == 0, framed=is_content and position > 0)
        if code is not None:
            return code
    for line in shown.last[: 1 if is_content else 3]:
        code = _code(line, bare=runs and not is_content, framed=is_content)
        if code is not None:
            return code
    return None


def _code(line: str, *, bare: bool, framed: bool) -> int | None:
    """Of one line; a framed one stands in brackets, as only a harness writes it."""
    if len(line) > 160:
        return None
    match = _LABELLED.fullmatch(line)
    if match is None and bare:
        match = _BARE.fullmatch(line)
    if match is None or (framed and not line.startswith(("[", "<", "("))):
        return None
    low = line.lower()
    if "http" in low or "request" in low or "expected" in low:
        return None
    code = int(match["code"])
    return code if abs(code) <= _LARGEST else None


def answers_no(code: int, owners: Sequence[Command], *, silent: bool) -> str:
    """The program whose code 1 is an answer, e.g. `grep` without a match; empty where it is a failure.

    Args:
        code: the exit code.
        owners: the commands it may belong to.
        silent: whether nothing but the code came back.
    """
    if code != 1 or not owners:
        return ""
    program = _program(owners[-1])
    if program not in ANSWERS_NO and not _is_git_look(owners[-1]):
        return ""
    return program if len(owners) == 1 or silent else ""


def _program(command: Command) -> str:
    argv = real_argv(command.argv)
    return argv[0].rsplit("/", 1)[-1].lower() if argv else ""


def _is_git_look(command: Command) -> bool:
    argv = real_argv(command.argv)
    return (
        len(argv) > 1
        and argv[0] == "git"
        and (argv[1] in {"grep", "check-ignore", "merge-base"} or "diff" in argv[1:3])
    )
