"""Records of RAAF (Ruby AI Agents Factory): one at the start of a span and one at its end, as JSON lines.

https://github.com/raaf-ai/raaf. A model's span keeps the messages sent and the text that came back, and no calls, so
calls are not recorded; a tool's span keeps arguments and result in one of two namings. A tool hangs below the model's
span that asked for it, and the agent goes on below the tool's, though both had ended. Times are whole seconds; the
duration beside them is exact, and is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, integer, listing, mapping, number, rest, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.formats.spans.acts import Act, AgentAct, ModelAct, Said, ToolAct, result_text
from agentlab.formats.spans.container import identity, plain_events
from agentlab.formats.spans.faults import with_fault
from agentlab.formats.spans.spoken import chat_messages
from agentlab.formats.spans.tree import SpanRecord, first_of, word
from agentlab.messages import ToolDescription, Usage
from agentlab.strictjson import JSONValue

__all__ = ["SCOPE", "is_raaf", "raaf_act", "raaf_span"]

SCOPE = "raaf"
"""The instrumentation that these spans are marked with."""

_KINDS = ("agent", "llm", "tool", "handoff", "custom", "guardrail", "response")


def is_raaf(record: Object) -> bool:
    """Whether an object is such a record."""
    span = record.get("span")
    return record.get("event") in ("start", "end") and isinstance(span, dict) and span.get("kind") in _KINDS


def raaf_span(record: Object) -> SpanRecord:
    """The span of a record.

    Raises:
        ShapeError: if it is none.
    """
    span = mapping(record, "span")
    name = identity(span, "span_id")
    with at(f"span {name}"):
        lasts = number(span, "duration_ms")
        attributes = mapping(span, "attributes")
        status = text(span, "status")
        found = SpanRecord(
            trace=text(span, "trace_id"),
            id=name,
            parent=text(span, "parent_id"),
            name=text(span, "name"),
            start=seconds(span.get("start_time")),
            end=seconds(span.get("end_time")),
            lasts=None if lasts is None else lasts / 1000,
            attributes={**attributes, "raaf.kind": text(span, "kind")},
            events=plain_events(span),
            scope=SCOPE,
        )
        said = word(attributes, "status.description")
        return with_fault(found, failed=status == "error", fine=status == "ok", said=said)


def raaf_act(span: SpanRecord) -> Act | None:
    """What such a span tells.

    Raises:
        ShapeError: if an attribute is not what it should be.
    """
    read = _READERS.get(str(span.attributes.get("raaf.kind")))
    return read(span) if read else None


_LLM = {
    *("raaf.kind", "llm.model", "llm.request.model", "llm.request.messages", "llm.response.content"),
    *("llm.request.tools", "llm.usage.prompt_tokens", "llm.usage.completion_tokens", "llm.usage.total_tokens"),
    *("duration_ms", "status.description"),
}
_TOOL = {
    *("raaf.kind", "tool.name", "function.name", "tool.arguments", "function.input", "tool.result", "function.output"),
    *("duration_ms", "status.description"),
}
_AGENT = {"raaf.kind", "agent.name", "agent.tools", "agent.model", "duration_ms", "status.description"}


def _llm(span: SpanRecord) -> ModelAct:
    attributes = span.attributes
    asked = attributes.get("llm.request.messages")
    content = attributes.get("llm.response.content")
    usage = Usage(
        input_tokens=integer(attributes, "llm.usage.prompt_tokens"),
        output_tokens=integer(attributes, "llm.usage.completion_tokens"),
    )
    return ModelAct(
        span=span,
        context=None if asked is None else chat_messages(asked),
        reply=None if content is None else Said(role="assistant", text=plain_text(content)),
        tools=_named(listing(attributes, "llm.request.tools")),
        model=text(attributes, "llm.request.model") or text(attributes, "llm.model"),
        usage=usage,
        extra=rest(attributes, _LLM),
    )


def _tool(span: SpanRecord) -> ToolAct:
    attributes = span.attributes
    name = text(attributes, "tool.name") or text(attributes, "function.name") or span.name.removeprefix("tool.")
    return ToolAct(
        span=span,
        tool=name,
        arguments=given_arguments(first_of(attributes, "tool.arguments", "function.input")),
        result=result_text(first_of(attributes, "tool.result", "function.output")),
        error=span.error,
        error_kind=span.error_kind,
        extra=rest(attributes, _TOOL),
    )


def _agent(span: SpanRecord) -> AgentAct:
    attributes = span.attributes
    return AgentAct(
        span=span,
        name=text(attributes, "agent.name") or span.name.removeprefix("agent."),
        tools=_named(listing(attributes, "agent.tools")),
        extra=rest(attributes, _AGENT),
        facts={"model": text(attributes, "agent.model")},
    )


_READERS: Mapping[str, Callable[[SpanRecord], Act]] = {"llm": _llm, "tool": _tool, "agent": _agent}


def _named(names: list[JSONValue]) -> tuple[ToolDescription, ...]:
    return described_tools({"name": name} for name in names if isinstance(name, str))
