"""What the outputs of Codex's tools prove: it writes exit codes and times in front of what a command printed.

Only the head that Codex itself writes counts, never what the command printed below it, and never the answer of an MCP
server, which may begin with the same words.
"""

from __future__ import annotations

import re
from typing import Final

from agentlab.formats.shapes.fields import Object, integer, number
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.strictjson import StrictJSONError, loads

__all__ = ["ended", "judge", "seconds_of"]

_HEAD: Final = 400
"""Characters in which the head of an output ends."""
_STARTS: Final = ("Chunk ID:", "Wall time:", "Exit code:", "Process exited with code", "Process running with session")
_BODY: Final = re.compile(r"^(?:Output|Total output lines):", re.MULTILINE)
_CODE: Final = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})$", re.MULTILINE)
_WALL: Final = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$", re.MULTILINE)
_RUNNING: Final = re.compile(r"^Process running with session ID", re.MULTILINE)
_FAILED: Final = ("execution error:", "exec_command failed", "failed in sandbox", "sandbox denied", "command timed out")
_UNKNOWN: Final = ("unsupported call:", "unsupported custom tool call:", "unknown tool")
_INVALID: Final = ("failed to parse function arguments", "apply_patch verification failed")
_REJECTED: Final = re.compile(r"(?:exec command |command |patch |exec_command failed for [^\n]{0,200})?rejected[ (:]")
_BLOCKED: Final = re.compile(r"`[^\n]{1,300}` rejected:")
_BY_RULE: Final = ("by user approval settings", "by policy")
_POLICY: Final = ("approval policy is", "approval required by policy", "blocked by policy")


def judge(tool: str, item: Object, said: str) -> Outcome:
    """What an output proves of its call.

    Args:
        tool: name of the tool that was asked for.
        item: the output's item, whose fields prove nothing here.
        said: its text.
    """
    if "__" in tool:
        return Outcome()  # an MCP server's tool, whose text is its own
    if said.startswith('{"output"'):
        return _of_json(said)
    if said.startswith(_STARTS):
        return _of_head(_BODY.split(said[:_HEAD], maxsplit=1)[0])
    return _of_words(said[:_HEAD].lower(), said)


def ended(code: int | None, *, duration: float | None = None, problem: str = "") -> Outcome:
    """The outcome of something that ran."""
    kind = f"exit code {code}" if code else None
    return Outcome(ran=True, error=problem or kind, error_kind=kind, duration=duration)


def seconds_of(value: Object) -> float | None:
    """A duration as Codex writes it: whole seconds and nanoseconds."""
    whole, parts = number(value, "secs"), number(value, "nanos")
    return None if whole is None and parts is None else (whole or 0) + (parts or 0) / 1e9


def _of_json(said: str) -> Outcome:
    try:
        value = loads(said)
    except StrictJSONError:
        return Outcome()
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict) or "exit_code" not in metadata:
        return Outcome()
    return ended(integer(metadata, "exit_code"), duration=number(metadata, "duration_seconds"))


def _of_head(head: str) -> Outcome:
    wall = _WALL.search(head)
    duration = float(wall[1]) if wall else None
    if code := _CODE.search(head):
        return ended(int(code[1]), duration=duration)
    return Outcome(ran=True, ended=False) if _RUNNING.search(head) else Outcome()


def _of_words(begin: str, said: str) -> Outcome:
    if begin.startswith(_UNKNOWN):
        return Outcome(refused="unknown_tool")
    if begin.startswith(_INVALID):
        return Outcome(refused="invalid_arguments")
    if _REJECTED.match(begin) or _BLOCKED.match(begin):
        ruled = "by user" not in begin or any(word in begin for word in _BY_RULE)
        return Outcome(refused="not_permitted", by="policy" if ruled else "user")
    if begin.startswith(_POLICY):
        return Outcome(refused="not_permitted", by="policy")
    return Outcome(ran=True, error=said) if begin.startswith(_FAILED) else Outcome()
