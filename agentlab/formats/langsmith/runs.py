"""LangSmith runs, put together from the records that create and update them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agentlab.formats.said.messages import unwrapped
from agentlab.formats.said.model import decoded
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.fields import Object, ShapeError, arguments_of, mapping, mappings, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue, dumps

__all__ = ["Run", "filled", "flattened", "merged", "run_id", "run_of", "trace_of"]


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
    error: str
    raw: Object

    @property
    def metadata(self) -> Object:
        extra = self.raw.get("extra")
        found = extra.get("metadata") if isinstance(extra, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def duration(self) -> float | None:
        """Seconds."""
        return None if self.start is None or self.end is None else self.end - self.start

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
        if isinstance(given, dict) and given.get("type") == "tool_call" and isinstance(given.get("id"), str):
            return text(given, "id")
        named = self.metadata.get("tool_call_id")
        return text(self.answer or {}, "tool_call_id") or (named if isinstance(named, str) else "")

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
    def failure(self) -> str | None:
        """Why a tool failed; None where it did not."""
        if self.error:
            return self.error
        return self.result if self.answer is not None and self.answer.get("status") == "error" else None

    @property
    def more(self) -> dict[str, JSONValue]:
        """What stands in no other field of an event."""
        return {name: value for name, value in rest(self.raw, _KNOWN).items() if filled(value)}


def flattened(value: Object) -> Iterator[Object]:
    """The records in a value: those of a batch of `post` and `patch`, or a run with the runs inside it."""
    if "post" in value or "patch" in value:
        for record in (*mappings(value, "post"), *mappings(value, "patch")):
            yield from flattened(record)
        return
    waiting: list[Object] = [value]
    while waiting:
        run = waiting.pop()
        children = mappings(run, "child_runs")
        yield {name: part for name, part in run.items() if name != "child_runs"}
        if children:
            above = {"parent_run_id": run_id(run), "trace_id": trace_of(run) or run_id(run)}
            waiting.extend({**above, **child} for child in reversed(children))


def run_id(record: Object) -> str:
    """The id of the run that a record is about; an update of the JavaScript SDK has it in its order only.

    Raises:
        ShapeError: if it names none.
    """
    name = text(record, "id") or text(record, "run_id") or text(record, "dotted_order")[-36:]
    if not name:
        raise ShapeError("a run was expected with id or dotted_order, and neither is there")
    return name


def trace_of(record: Object) -> str:
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
    try:
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
            error=text(record, "error"),
            raw=record,
        )
    except ShapeError as error:
        raise ShapeError(f"run {name}: {error}") from None


def filled(value: JSONValue) -> bool:
    """Whether a field says anything."""
    return value is not None and value not in ("", [], {})


_KNOWN = {
    *("id", "run_id", "name", "run_type", "inputs", "outputs", "start_time", "end_time", "error", "dotted_order"),
    *("trace_id", "parent_run_id", "parent_run_ids", "serialized", "child_run_ids"),
}
