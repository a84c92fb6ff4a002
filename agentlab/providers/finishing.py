"""What is made of every server's reply alike: stop strings applied again, oddities named, raw values read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from agentlab.messages import Arguments, Completion, Remark, clean_text
from agentlab.strictjson import StrictJSONError, dumps, loads

__all__ = ["arguments_of", "count_of", "finished", "text_of"]


def finished(completion: Completion, stop: Sequence[str]) -> Completion:
    """The completion as it counts: cut at the first stop string, with what is odd about it.

    Args:
        completion: as the server gave it.
        stop: the strings that were to end it. Some servers ignore them.
    """
    text = completion.text
    ends = [place for place in (text.find(each) for each in stop if each) if place >= 0]
    remarks: list[Remark] = []
    if ends:
        text = text[: min(ends)]
        remarks.append("stop_reapplied")
    if not text.strip() and not completion.calls and (ends or completion.finish_reason == "stop"):
        remarks.append("empty_reply")
    return replace(
        completion,
        text=text,
        finish_reason="stop" if ends else completion.finish_reason,
        remarks=tuple(remarks),
    )


def arguments_of(given: object) -> Arguments:
    """Arguments as strict JSON if they are an object of it, else as they came."""
    try:
        value = loads(given if isinstance(given, str) else dumps(given))
    except StrictJSONError:
        value = None
    if isinstance(value, dict):
        return value
    return clean_text(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def count_of(given: object) -> int | None:
    """A number of tokens; None where it is none."""
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None


def text_of(given: object) -> str:
    """A text; empty where it is none."""
    return clean_text(given) if isinstance(given, str) else ""
