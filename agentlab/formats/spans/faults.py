"""Whether a span failed, and with what: its status, an error's type, or an exception that it recorded.

A status that says OK wins over a recorded exception, which was then handled. A status that says nothing does not.
"""

from __future__ import annotations

from dataclasses import replace

from agentlab.formats.spans.tree import SpanRecord, word

__all__ = ["with_fault"]


def with_fault(span: SpanRecord, *, failed: bool, fine: bool, said: str) -> SpanRecord:
    """The span, with what went wrong in it and of which kind, where it failed.

    Args:
        span: as its container has it.
        failed: whether its status says that it failed.
        fine: whether its status says that nothing went wrong, and not just nothing.
        said: what its status says beside that.
    """
    exception = next((event.attributes for event in reversed(span.events) if event.name == "exception"), None)
    kind = word(span.attributes, "error.type") or word(exception or {}, "exception.type")
    if fine or not (failed or kind or exception is not None):
        return span
    message = word(exception or {}, "exception.message") or said or word(span.attributes, "error.message")
    return replace(span, error=message or kind or "the span's status is an error", error_kind=kind or None)
