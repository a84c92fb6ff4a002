"""LangSmith runs, put together from the records that create and update them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agentlab.formats.said.messages import unwrapped
from agentlab.formats.said.model import decoded
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.durations import between
from agentlab.formats.shapes.fields import Object, ShapeError, arguments_of, kind_of, listing, mapping, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, dumps

__all__ = ["Run", "flattened", "merged", "run_of"]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run."""

    id: str
    parent: str
    kind: str
    name: str
    start: float | None
    end: float | None
    order: str
    inputs: Object
    outputs: Object
    fault: str
    """Why it failed; empty where it did not."""
    raw: Object

    @property
    def metadata(self) -> Object:
        extra = self.raw.get("extra")
        found = extra.get("metadata") if isinstance(extra, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def duration(self) -> float | None:
        """Seconds."""
        return between(self.start, self.end)

    @property
    def calls_model(self) -> bool:
        return self.kind == "llm"

    @property
    def tool(self) -> str:
        """The tool that it is an execution of; empty if it is none. A tool without a name counts as `tool`."""
        return (self.name or self.kind) if self.kind == "tool" else ""

    @cached_property
    def answer(self) -> Object | None:
        """Of a tool's run, the ToolMessage that it gave back; None where it gave back something else."""
        for value in (self.outputs.get("output"), dict(self.outputs)):
            message = unwrapped(decoded(value))
            if message and message.get("type") == "tool":
                return message
        return None

    @property
    def call(self) -> str:
        """Of a tool's run, the call's id; empty where nothing names it."""
        given = decoded(self.inputs.get("input", dict(self.inputs)))
        asked = given.get("id") if isinstance(given, dict) and given.get("type") == "tool_call" else None
        named = (asked, (self.answer or {}).get("tool_call_id"), self.metadata.get("tool_call_id"))
        return next((name for name in named if isinstance(name, str) and name), "")

    @property
    def arguments(self) -> Arguments:
        """What a tool was run with."""
        value = self.inputs.get("input") if self.inputs.keys() == {"input"} else dict(self.inputs)
        value = decoded(value)
        if isinstance(value, dict) and value.get("type") == "tool_call":
            value = value.get("args")
        return arguments_of(value) if value is None or isinstance(value, str | dict) else dumps(value)

    @property
    def result(self) -> str | None:
        """What a tool gave back; None where nothing is recorded."""
        if self.answer is not None:
            return plain_text(self.answer.get("content"))
        if not self.outputs:
            return None
        return written(self.outputs["output"] if self.outputs.keys() == {"output"} else dict(self.outputs))

    @property
    def error(self) -> str | None:
        """Why a tool failed; None where it did not."""
        marked = self.answer is not None and self.answer.get("status") == "error"
        return self.fault or (self.result if marked else None)

    @property
    def more(self) -> dict[str, JSONValue]:
        """What stands in no other field of an event."""
        return {name: value for name, value in rest(self.raw, _KNOWN).items() if filled(value)}


def flattened(value: JSONValue) -> Iterator[tuple[str, str, Object] | ShapeError]:
    """The records in a value: those of a batch of `post` and `patch`, or a run with the runs inside it.

    Returns:
        Run and trace that each record is about, and the record; an error in the place of each that is none.
    """
    waiting: list[tuple[JSONValue, Object]] = [(value, {})]
    while waiting:
        record, above = waiting.pop()
        try:
            if not isinstance(record, dict):
                raise ShapeError(f"a run was expected and {kind_of(record)} found")
            if "post" in record or "patch" in record:
                parts, above = [*listing(record, "post"), *listing(record, "patch")], {}
            else:
                run = {**above, **record}
                name, trace, parts = _run_id(run), _trace_of(run), listing(run, "child_runs")
                above = {"parent_run_id": name, "trace_id": trace or name}
                yield name, trace, {field: part for field, part in run.items() if field != "child_runs"}
            waiting.extend((part, above) for part in reversed(parts))
        except ShapeError as error:
            yield error


def _run_id(record: Object) -> str:
    """The id of the run that a record is about; an update of the JavaScript SDK has it in its order only.

    Raises:
        ShapeError: if it names none.
    """
    name = text(record, "id") or text(record, "run_id") or text(record, "dotted_order")[-36:]
    if not name:
        raise ShapeError("a run was expected with id or dotted_order, and neither is there")
    return name


def _trace_of(record: Object) -> str:
    """The trace that a record names; empty where it names none, as updates may."""
    order = text(record, "dotted_order")
    return text(record, "trace_id") or order.partition(".")[0][-36:]


def merged(into: dict[str, JSONValue], record: Object) -> None:
    """Add a record to what is known of its run; the later one counts, unless it says nothing."""
    for name, value in record.items():
        if filled(value) or name not in into:
            into[name] = value


def run_of(name: str, record: Object) -> Run:
    """The run.

    Raises:
        ShapeError: if a field holds what it cannot; it names the run.
    """
    with at(f"run {name}"):
        order = text(record, "dotted_order")
        above = order.split(".")[:-1]
        return Run(
            id=name,
            parent=text(record, "parent_run_id") or (above[-1][-36:] if above else ""),
            kind=text(record, "run_type"),
            name=text(record, "name"),
            start=seconds(record.get("start_time")),
            end=seconds(record.get("end_time")),
            order=order,
            inputs=mapping(record, "inputs"),
            outputs=mapping(record, "outputs"),
            fault=text(record, "error"),
            raw=record,
        )


_KNOWN = {
    *("id", "run_id", "name", "run_type", "inputs", "outputs", "start_time", "end_time", "error", "dotted_order"),
    *("trace_id", "parent_run_id", "parent_run_ids", "serialized", "child_run_ids"),
}
