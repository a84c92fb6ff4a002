"""One observation of a Langfuse trace: what it is, and its fields with the JSON in their texts read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from agentlab.formats.said.messages import unwrapped
from agentlab.formats.said.model import decoded
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.durations import between
from agentlab.formats.shapes.fields import Object, arguments_of, integer, mapping, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Arguments, Usage
from agentlab.strictjson import JSONValue, dumps

__all__ = ["Observation", "observation_of"]


@dataclass(frozen=True, kw_only=True)
class Observation:
    """An observation."""

    id: str
    parent: str
    type: str
    name: str
    start: float | None
    end: float | None
    raw: Object
    metadata: Object
    attributes: Object = field(default_factory=dict)
    """OpenTelemetry attributes of the span it was made from; empty where an SDK of Langfuse wrote it."""

    @cached_property
    def scope(self) -> str:
        """The library that made the span."""
        scope = self.metadata.get("scope")
        return _word(scope, "name") if isinstance(scope, dict) else ""

    @cached_property
    def given(self) -> JSONValue:
        """Its input, with the JSON in its text read."""
        return decoded(self.raw.get("input"))

    @cached_property
    def returned(self) -> JSONValue:
        """Its output, with the JSON in its text read."""
        return decoded(self.raw.get("output"))

    @property
    def calls_model(self) -> bool:
        return self.type == "GENERATION"

    @cached_property
    def tool(self) -> str:
        """The tool that it is an execution of; empty if it is none.

        Older SDKs know no type TOOL, so a SPAN is one where its attributes say so, or where it gave back LangChain's
        ToolMessage.
        """
        if self.calls_model or self.name.startswith(_MERGED):
            return ""
        said = _word(self.attributes, *_TOOL_NAMES)
        kind = any(self.attributes.get(name) == word for name, word in _TOOL_SIGNS)
        other = self.attributes.get("openinference.span.kind") not in (None, "TOOL")
        if self.type == "TOOL" or kind or (said and not other):
            return said or self.name.removeprefix(next((each for each in _PREFIXES if self.name.startswith(each)), ""))
        return self.name if self.answer is not None else ""

    @cached_property
    def answer(self) -> Object | None:
        """The ToolMessage that it gave back, if it gave back one."""
        message = unwrapped(self.returned)
        return message if message and message.get("type") == "tool" else None

    @property
    def node_answers(self) -> list[Object]:
        """The ToolMessages that a node of LangGraph added to the state: its tool node may be all that is recorded."""
        if self.metadata.get("langgraph_node") != self.name or self.raw.get("level") == "DEBUG":
            return []
        state = self.returned
        messages = state.get("messages") if isinstance(state, dict) else state
        found = [unwrapped(message) for message in messages] if isinstance(messages, list) else []
        return [message for message in found if message and message.get("type") == "tool"]

    @property
    def call(self) -> str:
        """The id of the call that it is an execution of; most frameworks write it into the attributes only."""
        return _word(self.attributes, *_CALL_IDS) or _word(self.answer or {}, "tool_call_id")

    @property
    def arguments(self) -> Arguments:
        """What the tool was run with; a text where it is no JSON object."""
        value = decoded(self.attributes.get("gcp.vertex.agent.tool_call_args")) or self.given
        if value is None:
            value = decoded(_first(self.attributes, _ARGUMENTS))
        if isinstance(value, dict) and value.keys() == {"input"} and self.scope in _WRAPPING:
            value = decoded(value["input"])
        return arguments_of(value) if value is None or isinstance(value, str | dict) else dumps(value)

    @cached_property
    def result(self) -> str | None:
        """What came out; None where nothing is recorded, or a null."""
        if self.answer is not None:
            return plain_text(self.answer.get("content"))
        value = self.attributes.get("gcp.vertex.agent.tool_response")  # the output is then an empty object
        if value is None:
            value = self.raw.get("output")
        if value is None:
            value = _first(self.attributes, _RESULTS)
        if value is None or value == "null":
            return None
        opened = decoded(value)
        return opened if isinstance(opened, str) else written(value)

    @property
    def error(self) -> str | None:
        """Why it failed; None where it did not.

        Most frameworks leave the level as it is and only say in the payload that a tool failed.
        """
        if text(self.raw, "level") == "ERROR":
            return text(self.raw, "statusMessage") or self.result or "failed"
        if self.answer is not None:
            return self.result if self.answer.get("status") == "error" else None
        payload = self.returned
        if not isinstance(payload, dict):
            return None
        status = payload.get("response_status", payload.get("status"))
        failed = isinstance(status, str) and status.lower() == "error"
        failed = failed or payload.get("isError") is True or payload.get("is_error") is True
        return written(self.raw.get("output")) if failed else None

    @property
    def duration(self) -> float | None:
        """Seconds. The field `latency` is in seconds in an export and in milliseconds in a seed, so it is not read."""
        return between(self.start, self.end)

    @property
    def usage(self) -> Usage:
        """All tokens of the prompt and all generated ones.

        Langfuse's own integrations count cached and reasoning tokens beside `input` and `output`, under names that
        begin so; OpenTelemetry's attributes count them in. The total tells which. What it has beyond both are Google's
        reasoning tokens. Zeros are written where nothing was counted.
        """
        counts = self._counts
        sent, made = integer(counts, "input"), integer(counts, "output")
        if sent is None and made is None:
            sent, made = integer(self.raw, "promptTokens"), integer(self.raw, "completionTokens")
        if not sent and not made:
            return Usage()
        total = integer(counts, "total") or 0
        if sent is not None and made is not None and sent + made != total:
            sent += sum(integer(counts, name) or 0 for name in counts if name.startswith(_BESIDE_INPUT))
            made += sum(integer(counts, name) or 0 for name in counts if name.startswith("output_"))
            made = max(made, total - sent)
        return Usage(input_tokens=sent, output_tokens=made)

    @property
    def more(self) -> dict[str, JSONValue]:
        """What stands in no other field of an event. Attributes that repeat input and output are copies, and left out.

        What is the same for all of a trace (project, environment, resource) stands there.
        """
        found = {name: value for name, value in rest(self.raw, _KNOWN).items() if filled(value)}
        about = {name: value for name, value in self.metadata.items() if name not in _SHARED and filled(value)}
        attributes = {name: value for name, value in self.attributes.items() if not name.startswith(_COPIES)}
        if attributes:
            about["attributes"] = attributes
        counts: dict[str, JSONValue] = {name: n for name, n in self._counts.items() if name not in _SUMS and n}
        if counts:
            found["usageDetails"] = counts
        return {**found, "metadata": about} if about else found

    @property
    def _counts(self) -> Object:
        return mapping(self.raw, "usageDetails") or mapping(self.raw, "usage")


def observation_of(raw: Object) -> Observation:
    """Read an observation.

    Raises:
        ShapeError: if it is none; it names the observation.
    """
    name = text(raw, "id")
    with at(f"observation {name}"):
        metadata = decoded(raw.get("metadata"))
        metadata = metadata if isinstance(metadata, dict) else {"metadata": metadata} if metadata else {}
        attributes = decoded(metadata.get("attributes"))
        return Observation(
            id=name,
            parent=text(raw, "parentObservationId"),
            type=text(raw, "type").upper(),
            name=text(raw, "name"),
            start=seconds(raw.get("startTime")),
            end=seconds(raw.get("endTime")),
            raw=raw,
            metadata={word: value for word, value in metadata.items() if word != "attributes"},
            attributes=attributes if isinstance(attributes, dict) else {},
        )


def _word(record: Object, *names: str) -> str:
    """The first text in these fields; empty where none holds one."""
    return next((word for name in names if isinstance(word := record.get(name), str) and word), "")


def _first(attributes: Object, names: tuple[str, ...]) -> JSONValue:
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


_TOOL_NAMES = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name", "tool_name")
_CALL_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool_call_id")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "ai.toolCall.args", "input.value")
_RESULTS = ("gen_ai.tool.call.result", "tool_response", "ai.toolCall.result", "output.value")
_TOOL_SIGNS = (
    ("openinference.span.kind", "TOOL"),
    ("gen_ai.operation.name", "execute_tool"),
    ("ai.operationId", "ai.toolCall"),
    ("langsmith.span.kind", "tool"),
    ("ag2.span.type", "tool"),
)
_PREFIXES = ("running tool: ", "execute_tool ", "tool.")
_MERGED = "execute_tool (merged tools)"
"""What Google's ADK writes once more for calls that ran side by side."""
_WRAPPING = {"langsmith"}
"""Libraries that put a tool's arguments into one more object."""
_BESIDE_INPUT = ("input_", "cache_read_input", "cache_creation_input")
_SUMS = {"input", "output", "total", "unit"}
_SHARED = {"resourceAttributes", "scope"}
_KNOWN = {
    *("id", "traceId", "parentObservationId", "type", "name", "startTime", "endTime", "input", "output", "metadata"),
    *("usageDetails", "usage", "promptTokens", "completionTokens", "totalTokens", "model"),
    *("inputUsage", "outputUsage", "totalUsage", "projectId", "environment", "toolCalls", "toolCallNames", "latency"),
}
_COPIES = (
    *("input.", "output.", "llm.input_messages", "llm.output_messages", "llm.tools", "all_messages"),
    *("pydantic_ai.all_messages", "gen_ai.prompt", "gen_ai.completion", "gen_ai.input", "gen_ai.output"),
    *("gen_ai.tool.definitions", "gen_ai.usage", "ai.prompt", "ai.response.text", "ai.response.toolCalls", "ai.usage"),
    *("gcp.vertex.agent.llm_re", "gcp.vertex.agent.tool_", "tool.parameters", "model_request_parameters"),
)
