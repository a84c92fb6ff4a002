"""Every format there is, and which one a file is of."""

from __future__ import annotations

from functools import cache

from agentlab.formats.base import Format
from agentlab.formats.head import Head
from agentlab.registry import Registry

__all__ = ["FORMATS", "all_formats", "claimants"]

FORMATS: Registry[Format] = Registry(
    kind="format",
    builtin={
        "agentlab": "agentlab.formats.journal:JOURNAL",
        "openai-chat": "agentlab.formats.openai_chat:OPENAI_CHAT",
    },
    group="agentlab.formats",
)


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format, sorted by name."""
    return tuple(FORMATS.get(name) for name in FORMATS.names())


def claimants(head: Head) -> tuple[Format, ...]:
    """The formats that claim a file; more than one only where two are written alike, and then the first is taken."""
    found = tuple(form for form in all_formats() if not form.general and form.sniff(head))
    return found or tuple(form for form in all_formats() if form.general and form.sniff(head))
