"""Every format there is, and which one a file is of."""

from __future__ import annotations

from functools import cache

from agentlab.formats.base import Format
from agentlab.formats.files.head import Head
from agentlab.formats.listed import in_list
from agentlab.registry import Registry

__all__ = ["FORMATS", "all_formats", "claimants"]

FORMATS: Registry[Format] = Registry(
    kind="format",
    builtin={
        "ag2": "agentlab.formats.ag2:AG2",
        "agentdojo": "agentlab.formats.agentdojo:AGENTDOJO",
        "agentlab": "agentlab.formats.journal:JOURNAL",
        "anthropic-messages": "agentlab.formats.anthropic.messages:ANTHROPIC_MESSAGES",
        "atif": "agentlab.formats.atif:ATIF",
        "claude-code": "agentlab.formats.claude_code.session:CLAUDE_CODE",
        "codex": "agentlab.formats.openai_items.codex:CODEX",
        "completion": "agentlab.formats.completion:COMPLETION",
        "inspect": "agentlab.formats.inspect.form:INSPECT",
        "langchain": "agentlab.formats.langchain:LANGCHAIN",
        "langfuse": "agentlab.formats.langfuse.load:LANGFUSE",
        "langsmith": "agentlab.formats.langsmith.load:LANGSMITH",
        "managed-agents": "agentlab.formats.anthropic.managed:MANAGED_AGENTS",
        "mini-swe-agent": "agentlab.formats.mini_swe_agent.loading:MINI_SWE_AGENT",
        "openai-chat": "agentlab.formats.openai_chat:OPENAI_CHAT",
        "openai-responses": "agentlab.formats.openai_items.responses:OPENAI_RESPONSES",
        "opencode": "agentlab.formats.opencode.loading:OPENCODE",
        "openhands": "agentlab.formats.openhands.loading:OPENHANDS",
        "openinference": "agentlab.formats.openinference.spans:OPENINFERENCE",
        "otel-genai": "agentlab.formats.otel.spans:OTEL_GENAI",
        "react-text": "agentlab.formats.react_text.loading:REACT_TEXT",
        "spans": "agentlab.formats.spans.loading:SPANS",
        "swe-agent": "agentlab.formats.swe_agent.loading:SWE_AGENT",
        "tau-bench": "agentlab.formats.tau_bench:TAU_BENCH",
        "tau2-bench": "agentlab.formats.tau2.bench:TAU2_BENCH",
    },
    group="agentlab.formats",
)


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format, sorted by name."""
    return tuple(FORMATS.get(name) for name in FORMATS.names())


def claimants(head: Head) -> tuple[Format, ...]:
    """The formats that claim a file; more than one only where two are written alike, and then the first is taken.

    A list of what a format writes one by one is its own too, before any general format is asked.
    """
    return (
        _specific(head) or _in_lists(head) or tuple(form for form in all_formats() if form.general and form.sniff(head))
    )


def _specific(head: Head) -> tuple[Format, ...]:
    return tuple(form for form in all_formats() if not form.general and form.sniff(head))


def _in_lists(head: Head) -> tuple[Format, ...]:
    return tuple(map(in_list, _specific(head.rows))) if head.rows else ()
