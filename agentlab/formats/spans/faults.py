"""Whether a span failed, and with what: its status, an error's type, or an exception that it recorded.

A status that says OK wins over a recorded exception, which was then handled. A status that says nothing does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab.formats.shapes.fields import Object
from agentlab.formats.spans.tree import SpanEvent

__all__ = ["FaultSigns", "fault_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultSigns:
    """What a container's status says of a span."""

    failed: bool = False
    fine: bool = False
    """Whether it says that nothing went wrong, and not just nothing."""
    said: str = ""


def fault_of(signs: FaultSigns, attributes: Object, events: Sequence[SpanEvent]) -> tuple[str | None, str | None]:
    """What went wrong in a span and of which kind; None twice where it did not fail, the kind None where unknown."""
    exception = next((event.attributes for event in reversed(events) if event.name == "exception"), None)
    kind = _word(attributes, "error.type") or _word(exception or {}, "exception.type")
    if signs.fine or not (signs.failed or kind or exception is not None):
        return None, None
    message = _word(exception or {}, "exception.message") or signs.said or _word(attributes, "error.message")
    return message or kind or "the span's status is an error", kind or None


def _word(record: Object, name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""
