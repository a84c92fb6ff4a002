"""Whether a result only gives back what the call passed in, and so proves nothing that the model did not write."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentlab.audit.evidence.code import printed_literals
from agentlab.audit.evidence.effects import code_of, shell_line_of
from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.names import leaves
from agentlab.audit.evidence.shell import Command, split_line
from agentlab.audit.evidence.structured import has_code
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue

__all__ = ["echoes"]

_LONGEST = 100_000
_FRAME = re.compile(r"[A-Za-z ]{1,40}:|None", re.ASCII)
"""A line that a harness puts round what a program printed."""
_REMARKS = words("ok success successful done true false null created saved updated written stored accepted")


def echoes(arguments: Arguments | None, result: str | None, *, tool: str = "") -> bool:
    """Whether every line or value of a result was passed in by the call that it answers.

    That is so of a program that prints literals of its own, of `echo`, and of a tool that repeats its arguments. An
    empty result echoes nothing, and neither does one that is worked out.

    Args:
        arguments: the call's.
        result: what came back.
        tool: its name, which tells whether a text is a program.
    """
    if not arguments or not result or not result.strip() or len(result) > _LONGEST:
        return False
    line = shell_line_of(tool, arguments)
    if line is not None:
        return _within(_printed_by_shell(split_line(line)), result)
    code = code_of(tool, arguments)
    if code is None and isinstance(arguments, str):
        code = arguments
    if code is not None and (printed := printed_literals(code)) is not None:
        return _within(list(printed), result)
    return isinstance(arguments, Mapping) and code is None and _repeats(arguments, result)


def _within(printed: list[str] | None, result: str) -> bool:
    """Whether what was printed is the whole of a result, frames and exit codes apart."""
    if not printed:
        return False
    known = {line.strip() for text in printed for line in text.split("\n")}
    lines = [line.strip() for line in result.split("\n") if line.strip()]
    own = [line for line in lines if line in known or not (_FRAME.fullmatch(line) or has_code(line))]
    return bool(own) and all(line in known for line in own)


def _printed_by_shell(commands: tuple[Command, ...]) -> list[str] | None:
    """What `echo`, `printf` and a here document print; None where another program may print too."""
    found: list[str] = []
    worked = False
    for position, command in enumerate(commands):
        piped = position + 1 < len(commands) and commands[position + 1].joined == "|"
        if command.program in {"cd", "true", ":", "set", "exit", "export", "sleep"} or (command.writes and not piped):
            worked = worked or bool(command.writes)
            continue
        if (worked and command.joined in ("&&", "||")) or piped or command.joined == "|":
            return None
        if command.program in {"echo", "printf"}:
            words = [word for word in command.argv[1:] if word not in {"-e", "-n", "-E"}]
            if any("$" in word or "`" in word for word in words):
                return None
            found.append(" ".join(words).replace("\\n", "\n"))
        elif command.program == "cat" and command.body and len(command.argv) == 1:
            found.append(command.body)
        else:
            return None
    return found


def _repeats(arguments: Mapping[str, JSONValue], result: str) -> bool:
    """Whether a result repeats the values of the arguments and adds none but a remark that it was done."""
    given = {_plain(leaf) for leaf in leaves(arguments) if leaf is not None and leaf != ""}
    given.discard("")
    value = whole_json(result)
    if value is None:
        text = _plain(result)
        return len(text) > 3 and text in given
    found = [_plain(leaf) for leaf in leaves(value) if leaf is not None and not isinstance(leaf, bool)]
    own = [text for text in found if text.lower() not in _REMARKS]
    return bool(own) and all(text in given for text in own)


def _plain(leaf: object) -> str:
    return " ".join(str(leaf).split())
