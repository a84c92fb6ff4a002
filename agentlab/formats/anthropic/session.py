"""Reads the events of one managed agent's session into a trace; see `managed` for what they prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from agentlab.formats.anthropic.blocks import result_text, usage_of
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, ShapeError, arguments_of, boolean, listing, mapping, rest, text
from agentlab.formats.shapes.problems import told
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval
from agentlab.trace.model import Trace
from agentlab.trace.values import Caller, Evidence, ProposedCall, TerminationReason

__all__ = ["SessionReading", "is_own"]

_PREFIXES: Final = ("agent.", "user.", "session.", "span.")

_CALLS: Final = {"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"}
_RESULTS: Final[Mapping[str, str]] = {
    "agent.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
}
"""The field in which each kind of result names its call."""
_ENVELOPE: Final = {"id", "type", "processed_at", "content", "name", "input", "session_thread_id", "agent_name"}
_REQUEST_END: Final = {"type", "processed_at", "model_request_start_id", "model_usage"}
_ENDS: Final[Mapping[str, TerminationReason]] = {"end_turn": "answered", "retries_exhausted": "provider_error"}


def is_own(event: Object) -> bool:
    """Whether an event has a type that only these sessions have."""
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith(_PREFIXES) and kind.count(".") == 1


class SessionReading:
    """The events of one session, on their way into a trace."""

    def __init__(self, events: list[tuple[str, Object]], sent: list[JSONValue], path: str, key: str) -> None:
        self._events = events
        session = next((event for _, event in events if event.get("type") == "session"), {})
        name = session.get("id")
        named = name if isinstance(name, str) else ""
        self._builder = TraceBuilder(
            "managed-agents", path=path, key=[named, key], source=named, evidence=Evidence(authorship="present")
        )
        self._usage = {
            text(event, "model_request_start_id"): event
            for _, event in events
            if event.get("type") == "span.model_request_end" and isinstance(event.get("model_request_start_id"), str)
        }
        self._sent = sent
        self._extra: dict[str, JSONValue] = {}
        self._others: list[JSONValue] = []
        self._thread = self._name = self._model = ""
        self._span = ""
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._asked: list[ProposedCall] = []
        self._held: list[tuple[Object, str]] = []
        """The events of the reply that is being put together, with their identities."""
        self._approvals: list[Callable[[], None]] = []
        """What was decided of its calls, to be recorded after it."""
        self._tools: dict[str, Object] = {}
        self._denied: set[str] = set()
        self._executed = self._custom = False
        self._answer: tuple[str, str] | None = None
        self._end: tuple[TerminationReason, str, float | None] | None = None

    def trace(self, problems: list[str]) -> Trace:
        """What was read."""
        for place, event in self._events:
            try:
                self._TAKERS.get(text(event, "type"), SessionReading._other)(self, event, text(event, "id") or place)
            except ShapeError as error:
                problems.append(f"{place} could not be read: {error}")
        self._flush()
        builder = self._builder
        if self._answer:
            builder.answer(self._answer[1], completion=self._answer[0])
        if self._end:
            reason, detail, time = self._end
            builder.finish(reason, detail=detail, time=time)
        more = {"events": self._others, "sent": self._unechoed()}
        builder.describe(extra={**self._extra, **{name: value for name, value in more.items() if value}})
        executed = self._executed or not self._custom
        builder.evidence = Evidence(
            proposals="present",
            results="present",
            authorship="present",
            executions="present" if executed else "not_recorded",
            errors="present" if executed or self._denied else "not_recorded",
        )
        return builder.build(defect=told(problems), ours=any(is_own(event) for _, event in self._events))

    def _unechoed(self) -> list[JSONValue]:
        """What the client sent and the stream does not show again, told by kind and order."""
        shown: dict[str, int] = {}
        for _, event in self._events:
            kind = str(event.get("type"))
            shown[kind] = shown.get(kind, 0) + 1
        left: list[JSONValue] = []
        for sent in (each for batch in self._sent for each in _batch(batch)):
            kind = str(sent.get("type")) if isinstance(sent, dict) else ""
            if shown.get(kind, 0):
                shown[kind] -= 1
            else:
                left.append(sent)
        return left

    # --- events ---

    def _session(self, event: Object, source: str) -> None:
        agent = mapping(event, "agent")
        model = agent.get("model")
        self._model = text(model, "id") if isinstance(model, dict) else text(agent, "model")
        self._builder.describe(
            agent=text(agent, "name"),
            model=self._model,
            tools=described_tools(listing(agent, "tools")),
            time=seconds(event.get("created_at")),
        )
        self._extra["session"] = {name: value for name, value in event.items() if name not in ("id", "type")}
        if system := text(agent, "system"):
            self._builder.hear(Item(role="system", text=system, source=source))

    def _user(self, event: Object, source: str) -> None:
        self._flush()
        self._enter(event)
        said = plain_text(event.get("content"))
        self._builder.hear(Item(role="user", text=said, extra=rest(event, _ENVELOPE), **_common(event, source)))
        self._answer = self._end = None

    def _begin(self, event: Object, source: str) -> None:
        self._flush()
        self._enter(event)
        self._span = source
        self._builder.request(extra=rest(event, _ENVELOPE), **_common(event, source))

    def _finish(self, event: Object, source: str) -> None:
        self._flush()
        self._span = ""
        name = event.get("model_request_start_id")
        if not isinstance(name, str) or name in self._usage:
            self._others.append(dict(event))  # no reply came of the request, or none that is on record

    def _hold(self, event: Object, source: str) -> None:
        """A part of a reply."""
        self._enter(event)
        kind = text(event, "type")
        if kind == "agent.message":
            self._texts.append(plain_text(event.get("content")))
        elif kind == "agent.thinking":
            self._thoughts.append(text(event, "thinking") or plain_text(event.get("content")))
        else:
            self._ask(event, source)
        self._held.append((event, source))

    def _ask(self, event: Object, source: str) -> None:
        name, permission = text(event, "name"), text(event, "evaluated_permission")
        by: Caller = "subagent" if self._name else "agent"
        self._custom = self._custom or text(event, "type") == "agent.custom_tool_use"
        self._tools[source] = event
        self._asked.append(self._builder.propose(name, arguments_of(event.get("input")), call=source, by=by))
        if permission in ("allow", "deny"):
            self._decide(source, permission, "policy", "", _common(event, source))

    def _decide(self, call: str, verdict: str, by: str, reason: str, common: Mapping[str, Any]) -> None:
        """What was decided of a call, recorded at once or behind the reply that asked for it."""
        denied = verdict == "deny"
        if denied:
            self._denied.add(call)

        def record() -> None:
            word: Any = "reject" if denied else "approve"
            self._builder.add(Approval, call=call, verdict=word, by=by, reason=reason, **common)
            if denied:
                self._builder.refuse(call, code="not_permitted", reason=reason or f"denied by the {by}", **common)

        if self._held or self._asked:
            self._approvals.append(record)
        else:
            record()

    def _confirmed(self, event: Object, source: str) -> None:
        self._flush()
        verdict, reason = text(event, "result"), text(event, "deny_message")
        self._decide(text(event, "tool_use_id"), verdict, "user", reason, _common(event, source))

    def _result(self, event: Object, source: str) -> None:
        self._flush()
        self._enter(event)
        kind = text(event, "type")
        field = _RESULTS[kind]
        call = text(event, field) or text(event, "tool_use_id")
        said = result_text(event.get("content"))
        common = _common(event, source)
        asked: Object = self._tools.get(call, {})
        if kind != "user.custom_tool_result" and call not in self._denied:
            self._executed = True
            begun = text(asked, "id") or source  # when it began is not recorded: a permission may have been awaited
            arguments = arguments_of(asked.get("input")) if asked else None
            execution = self._builder.begin(text(asked, "name"), arguments, call=call, source=begun)
            wrong = bool(boolean(event, "is_error"))
            self._builder.end(execution, result=None if wrong else said, error=said if wrong else None, **common)
        extra = rest(event, {*_ENVELOPE, field, "tool_use_id"})
        self._builder.hear(Item(role="tool", text=said, call=call, extra=extra, **common))

    def _other(self, event: Object, source: str) -> None:
        kind = text(event, "type")
        if kind == "session.status_idle":
            reason = text(mapping(event, "stop_reason"), "type")
            self._end = (_ENDS.get(reason, "other"), reason, _time(event)) if reason != "requires_action" else None
        elif kind in ("session.status_terminated", "session.error"):
            error = text(mapping(event, "error"), "message") or kind
            self._end = "provider_error" if kind == "session.error" else "other", error, _time(event)
        elif kind == "user.interrupt":
            self._end = "interrupted", kind, _time(event)
        elif kind == "session.status_running":
            self._end = None
        self._others.append(dict(event))

    # --- replies ---

    def _is_other(self, event: Object) -> bool:
        return text(event, "session_thread_id") not in ("", self._thread)

    def _enter(self, event: Object) -> None:
        """The thread an event belongs to; the first one named is the main agent's, as are events that name none."""
        thread = text(event, "session_thread_id")
        self._thread = self._thread or thread
        name = (text(event, "agent_name") or thread) if self._is_other(event) else ""
        if name != self._name:
            self._flush()
            self._name = name
            self._builder.seat(name)

    def _flush(self) -> None:
        """The reply is whole."""
        if not self._held:
            return
        held = self._held
        event, source = next((each for each in held if text(each[0], "type") == "agent.message"), held[0])
        extra: dict[str, JSONValue] = {}
        if len(held) > 1:
            extra["events"] = [name for _, name in held]
        if more := _parts(held):
            extra["parts"] = more
        end = self._usage.get(self._span, {})
        said, calls = "\n".join(self._texts), self._asked
        if end:
            ended = {**rest(end, _REQUEST_END), **whole_usage(mapping(end, "model_usage"), "model_usage")}
            extra["model_request_end"] = ended
        reply = self._builder.reply(
            said,
            calls=calls,
            reasoning="\n".join(filter(None, self._thoughts)),
            model="" if self._name else self._model,
            usage=usage_of(mapping(end, "model_usage")) if end else Usage(),
            finish_reason="tool_calls" if calls else "unknown",
            extra=extra,
            **_common(event, source),
        )
        self._answer = (reply, said) if said and not calls else None
        self._held, self._texts, self._thoughts, self._asked = [], [], [], []
        self._usage.pop(self._span, None)
        for record in self._approvals:
            record()
        self._approvals = []

    # Plain functions: bound ones would make each reading refer to itself, and only a search for garbage free it.
    _TAKERS: ClassVar[Mapping[str, Callable[[SessionReading, Object, str], None]]] = {
        "session": _session,
        "user.message": _user,
        "user.tool_confirmation": _confirmed,
        "agent.message": _hold,
        "agent.thinking": _hold,
        **dict.fromkeys(_CALLS, _hold),
        **dict.fromkeys(_RESULTS, _result),
        "span.model_request_start": _begin,
        "span.model_request_end": _finish,
    }


def _parts(held: Sequence[tuple[Object, str]]) -> list[JSONValue]:
    """What the events of a reply say beyond what is read."""
    return [{"event": name, **more} for event, name in held if (more := rest(event, _ENVELOPE))]


def _batch(sent: JSONValue) -> list[JSONValue]:
    """The events of one sending: its session and an object with `events`."""
    body = sent[-1] if isinstance(sent, list) and sent else sent
    events = body.get("events") if isinstance(body, dict) else None
    return events if isinstance(events, list) else []


def _time(event: Object) -> float | None:
    return seconds(event.get("processed_at"))


def _common(event: Object, source: str) -> dict[str, Any]:
    return {"time": _time(event), "source": source}
