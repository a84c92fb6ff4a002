"""The events of a sample, told to a builder in the order in which they happened.

A tool event stands where its call began; it ends with the span around it, so that what an agent did that was called
through a tool lies between the two. Events that show nothing of who said or did what are handed back as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.inspect.messages import Attachments, Failure, failure_of, item_of, result_text
from agentlab.formats.inspect.places import Place, Places
from agentlab.formats.inspect.replies import Reply, record_reply
from agentlab.formats.inspect.requests import Requests
from agentlab.formats.inspect.tools import described_tools
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, mapping, mappings, number, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval
from agentlab.trace.values import RefusalCode

__all__ = ["Transcript", "once", "refusal_of"]

_BASE = {"uuid", "span_id", "timestamp", "working_start", "event", "pending", "completed"}
_MODEL = _BASE | {"model", "input", "input_refs", "tools", "output", "call", "working_time"}
_TOOL = _BASE | {
    *("type", "id", "function", "arguments", "view", "result", "error", "events", "working_time", "message_id"),
}
_APPROVAL = _BASE | {"call", "view", "approver", "decision", "explanation", "message"}
_COPIES = {"sample_init", "state"}
"""Messages, tools and outputs over again."""
_NOT_RUN = "Not executed"
"""How the message of a cancelled call begins that was passed over because an earlier one had failed."""


@dataclass(kw_only=True, slots=True)
class _Running:
    """A call whose tool event has been read and whose end has not been recorded."""

    execution: str
    call: str
    event: Object
    failure: Failure | None
    source: str
    place: Place
    inside: list[JSONValue] = field(default_factory=list)
    """What the tool did in its sandbox."""


class Transcript:
    """Reads the events of one sample.

    Args:
        builder: records them.
        attachments: the sample's long texts.
        pool: the sample's messages, which model events may name by ranges.
    """

    def __init__(self, builder: TraceBuilder, attachments: Attachments, pool: Sequence[JSONValue]) -> None:
        self._builder, self._attachments = builder, attachments
        self._places = Places()
        self._requests: defaultdict[str, Requests] = defaultdict(lambda: Requests(pool))
        self._settings: dict[str, tuple[JSONValue, JSONValue]] = {}
        self._last_tools: JSONValue = None
        self._running: defaultdict[str, dict[str, _Running]] = defaultdict(dict)
        self._verdicts: dict[str, Object] = {}
        self.ended: dict[str, float | None] = {}
        """When the executions ended, by call."""
        self.other: list[Object] = []
        """Events of other kinds, e.g. scores and log lines."""
        self.proposed: dict[str, Object] = {}
        """The latest call of each id."""
        self.executed = 0
        """How many tool events there were, refusals included."""
        self.heard: set[str] = set()
        """Ids of messages that stood in a request or are a reply."""
        self.answered: set[str] = set()
        """Ids of calls whose answer stood in a request."""
        self.carried = 0
        """How many messages the agent's own last request had."""
        self.last: Reply | None = None
        """The agent's own last reply."""
        self.tools: dict[str, ToolDescription] = {}
        self.error = ""
        """What the provider said where the last request of the agent failed."""

    def read(self, events: Sequence[Object], prefix: str = "event ", *, first: int = 0) -> None:
        """Record events, and those that stand in them.

        Args:
            events: of a sample, or of a tool or subtask in older logs.
            prefix: of the identity of an event that has no id of its own, before its index.
            first: index of the first of them.
        """
        for index, event in enumerate(events, first):
            kind, uuid = event.get("event"), event.get("uuid")
            if not isinstance(kind, str):
                raise ShapeError(f"{prefix}{index}: the name of an event was expected and {kind_of(kind)} found")
            source = uuid if uuid and isinstance(uuid, str) else f"{prefix}{index}"
            read = self._READ.get(kind)
            try:
                if read:
                    read(self, event, source)
                elif kind not in _COPIES:
                    self._keep(event)
            except ShapeError as error:
                raise ShapeError(f"{source}: {error}") from None

    def close(self) -> None:
        """Record the ends that nothing in the log marked."""
        for seat in list(self._running):
            self._end_all(seat)

    # --- models ---

    def _model(self, event: Object, source: str) -> None:
        place = self._places.of(event)
        self._end_all(place.seat)
        self._builder.seat(place.name, place=place.seat)
        same, new = self._requests[place.seat].next(event)
        time = seconds(event.get("timestamp"))
        items = []
        for index, message in enumerate(new, same):
            item = item_of(message, source, index, self._attachments, self.ended)
            if place.scores and item.role == "user" and item.author is None:
                item = replace(item, author="harness")
            items.append(item)
            self.heard.add(item.source)
            if item.call:
                self.answered.add(item.call)
        self._builder.see(items, same=same)
        self._builder.request(time=time, source=source, extra=self._settings_of(event, place.seat))
        reply = record_reply(self._builder, event, source, place.by, self._attachments)
        if reply:
            self.proposed.update(reply.calls)
            self.heard.add(reply.message)
        if not place.seat:
            self.last, self.carried = reply or self.last, same + len(new)
            self.error = "" if reply else text(event, "error")
            self._describe_tools(event)

    def _settings_of(self, event: Object, seat: str) -> dict[str, JSONValue]:
        """What a model event says beside messages and output; settings only where they changed."""
        settings = (event.get("config"), event.get("tool_choice"))
        extra = rest(event, _MODEL)
        if settings == self._settings.get(seat) or not any(settings):
            extra.pop("config", None)
            extra.pop("tool_choice", None)
        self._settings[seat] = settings
        return self._attachments.object(extra) if extra else extra

    def _describe_tools(self, event: Object) -> None:
        tools = event.get("tools")
        if tools and tools != self._last_tools:
            self._last_tools = tools
            found = described_tools(mappings(event, "tools"), self._attachments)
            self.tools.update((tool.name, tool) for tool in found)

    # --- tools ---

    def _tool(self, event: Object, source: str) -> None:
        place = self._places.of_call(event)
        self._builder.seat(place.name, place=place.seat)
        self.executed += 1
        call, time = text(event, "id"), seconds(event.get("timestamp"))
        failure = failure_of(event, self._attachments) if event.get("error") else None
        refusal = self._refusal(call, failure) if failure or self._verdicts else None
        if refusal:
            if call in self.proposed:
                code, reason = refusal
                self._builder.refuse(
                    call, code=code, reason=reason, time=time, source=source, extra=self._extra(event, _TOOL)
                )
            else:
                self._keep(event)
            return
        execution = self._builder.begin(
            text(event, "function"),
            self._attachments.object(mapping(event, "arguments")),
            call=call,
            by="subagent" if place.by == "subagent" else "not_recorded",
            time=time,
            source=source,
        )
        span = event.get("span_id")
        running = _Running(execution=execution, call=call, event=event, failure=failure, source=source, place=place)
        nested = mappings(event, "events")
        if nested:
            self._places.enter("tool", text(event, "function"))
            self.read(once(nested), f"{source} event ")
            self._places.leave()
        if isinstance(span, str) and self._places.of(event).tool == span:
            self._running[place.seat][span] = running
        else:
            self._end(running)

    def _refusal(self, call: str, failure: Failure | None) -> tuple[RefusalCode, str] | None:
        """Why a tool event stands for a call that was not run; None where it ran."""
        verdict = self._verdicts.pop(call, {})
        if text(verdict, "decision") in ("reject", "terminate"):
            reason = failure.message if failure else text(verdict, "explanation")
            return "not_permitted", reason or text(verdict, "decision")
        return refusal_of(failure, self.proposed.get(call, {}))

    def _end_all(self, seat: str) -> None:
        for running in self._running.pop(seat, {}).values():
            self._end(running)

    def _end(self, running: _Running) -> None:
        event = running.event
        if event.get("pending") is True:
            return
        failure = running.failure
        if failure is None and event.get("failed") is True:
            failure = Failure(kind="exception", message="the tool raised an exception, which ended the sample")
        extra = self._extra(event, _TOOL)
        if running.inside:
            extra["sandbox"] = running.inside
        result = result_text(event.get("result"), self._attachments)
        time = seconds(event.get("completed"))
        self.ended[running.call] = time
        self._builder.seat(running.place.name, place=running.place.seat)
        self._builder.end(
            running.execution,
            result=result if failure is None or result else None,
            error=failure.message if failure else None,
            error_kind=failure.kind if failure else None,
            duration=number(event, "working_time"),
            time=time,
            source=running.source,
            extra=extra,
        )

    def _span_end(self, event: Object, source: str) -> None:
        span = text(event, "id")
        for running in self._running.values():
            if span in running:
                self._end(running.pop(span))
                return

    # --- the rest ---

    def _approval(self, event: Object, source: str) -> None:
        call = mapping(event, "call")
        name, decision = text(call, "id"), text(event, "decision")
        self._verdicts[name] = event
        if decision not in ("approve", "modify", "reject", "terminate", "escalate"):
            self._keep(event)
            return
        place = self._places.of_call(event)
        self._builder.seat(place.name, place=place.seat)
        self._builder.add(
            Approval,
            call=name,
            verdict=decision,
            by=text(event, "approver"),
            reason=self._attachments.text(text(event, "explanation")),
            time=seconds(event.get("timestamp")),
            source=source,
            extra=self._extra(event, _APPROVAL),
        )

    def _subtask(self, event: Object, source: str) -> None:
        self._keep({name: value for name, value in event.items() if name != "events"})
        self._places.enter("subtask", text(event, "name"))
        self.read(once(mappings(event, "events")), f"{source} event ")
        self._places.leave()

    def _sandbox(self, event: Object, source: str) -> None:
        tool = self._places.of(event).tool
        found = next((running[tool] for running in self._running.values() if tool in running), None) if tool else None
        if found:
            found.inside.append(self._extra(event, {"span_id", "event", "pending"}))
        else:
            self._keep(event)

    def _extra(self, event: Object, known: set[str]) -> dict[str, JSONValue]:
        extra = rest(event, known)
        return self._attachments.object(extra) if extra else extra

    def _keep(self, event: Object) -> None:
        self.other.append(self._attachments.object(dict(event)))

    # Plain functions: bound ones would make each reading refer to itself, and only a search for garbage free it.
    _READ: ClassVar[Mapping[str, Callable[[Transcript, Object, str], None]]] = {
        "model": _model,
        "tool": _tool,
        "approval": _approval,
        "subtask": _subtask,
        "sandbox": _sandbox,
        "span_begin": lambda self, event, _: self._places.begin_span(event),
        "span_end": _span_end,
        "step": lambda self, event, _: self._places.step(event),
    }


def refusal_of(failure: Failure | None, proposed: Object) -> tuple[RefusalCode, str] | None:
    """Why a call was not run, as the error of its answer says; None where it may have run.

    `parsing` covers replies that were no call, names of no tool and arguments against the schema; `approval` a
    person or rule that said no. All other kinds mean that the tool had begun.
    """
    if failure is None:
        return None
    if failure.kind == "approval" or (failure.kind == "cancelled" and failure.message.startswith(_NOT_RUN)):
        return "not_permitted", failure.message
    if failure.kind != "parsing":
        return None
    if text(proposed, "parse_error"):
        return "unparsed", failure.message
    unknown = failure.message.startswith("Tool ") and failure.message.endswith(" not found")
    return ("unknown_tool" if unknown else "invalid_arguments"), failure.message


def once(events: Sequence[Object]) -> Sequence[Object]:
    """Events, each once: of those that were written while they went on and again at their end, the last counts."""
    names = [event.get("uuid") for event in events]
    known = [name for name in names if isinstance(name, str)]
    if len(set(known)) == len(known):
        return events
    last = {name: event for name, event in zip(names, events, strict=True) if isinstance(name, str)}
    return [
        last.pop(name) if isinstance(name, str) else event
        for name, event in zip(names, events, strict=True)
        if not isinstance(name, str) or name in last
    ]
