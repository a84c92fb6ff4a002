"""What mini-swe-agent 1 wrote into its messages as text: commands in fenced blocks, and what running them gave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from agentlab.formats.shapes.fields import Object
from agentlab.strictjson import JSONValue

__all__ = ["RETURNED", "fenced_commands", "is_bare_run", "shown_output", "text_or_nothing"]

RETURNED = re.compile(r"<returncode>(-?\d{1,9})</returncode>")
"""How the message begins that follows a command."""
_OPENING = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n")


def text_or_nothing(record: Object, name: str) -> str:
    """The text in a field, empty where something else stands there."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def is_bare_run(messages: Sequence[JSONValue]) -> bool:
    """Whether a list holds a reply with one fenced command and, behind it, what running it gave."""
    known = [message if isinstance(message, dict) else {} for message in messages]
    return any(
        (reply.get("role"), answer.get("role")) == ("assistant", "user")
        and RETURNED.match(text_or_nothing(answer, "content")) is not None
        and len(fenced_commands(text_or_nothing(reply, "content"))) == 1
        for reply, answer in pairwise(known)
    )


def fenced_commands(reply: str) -> list[str]:
    """The fenced commands of a reply; one that is never closed is none."""
    found = []
    place = 0
    while opening := _OPENING.search(reply, place):
        end = reply.find("\n```", opening.end())
        if end < 0:
            break
        found.append(reply[opening.end() : end].strip())
        place = end + 4
    return found


def shown_output(shown: str) -> str:
    """The output of a command inside the tags that the harness puts around it."""
    return shown.strip("\n").removeprefix("<output>").removesuffix("</output>").strip("\n")
