"""Records the events of one OpenHands attempt, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.openhands.outcome import outcome_of, refusal_of, unfit
from agentlab.formats.openhands.shape import Event, event_of, placed
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.chat_response import finish_reason_of, message_of, usage_of
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    integer,
    listing,
    mapping,
    mappings,
    rest,
    text,
)
from agentlab.messages import Author
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval, Summary
from agentlab.trace.values import Caller, ProposedCall

__all__ = ["Reader"]

_PLUMBING = {
    *("null", "change_agent_state", "agent_state_changed", "recall", "initialize", "start", "pause", "resume", "stop"),
    *("condensation_request", "loop_recovery", "server_ready", "chat", "success"),
}
"""Events of the machinery: no call, no reply and no result."""
_DERIVED = {
    *("thought", "confirmation_state", "is_confirmed", "security_risk", "action_risk", "wait_for_response"),
    *("blocking", "hidden", "is_static", "keep_prompt", "kernel_init_code", "include_extra", "translated_ipython_code"),
    *("impl_source", "timestamp", "source", "id", "message", "action"),
}
"""Arguments of an action that the harness added to what the model asked for."""
_METADATA = {"function_name", "tool_call_id", "model_response", "total_calls_in_response"}
_TOP = {"id", "timestamp", "source", "cause", "action", "observation", "content", "message"}
_RESPONSE = {"choices", "usage", "model", "object"}


@dataclass(kw_only=True, slots=True)
class _Open:
    """An action that waits for its observation."""

    event: Event
    call: ProposedCall | None
    """None where no reply asked for it."""
    beyond: Mapping[str, JSONValue] = field(default_factory=dict)
    """What the action holds beside the call, where no reply has it."""


@dataclass(slots=True)
class _Agent:
    """An agent at work: the main one, or one that it delegated to."""

    name: str
    caller: Caller
    context: dict[str, Item] = field(default_factory=dict)
    """By the identity of the event that brought it."""
    waiting: dict[str, _Open] = field(default_factory=dict)
    """By the identity of the action's event."""
    begun: str = ""
    """The event that delegated to it."""


class Reader:
    """Records events one after the other.

    Args:
        builder: of the attempt.
    """

    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._agents = [_Agent("", "agent")]
        self._names: dict[str, int] = {}
        self._responses: dict[str, dict[str, ProposedCall]] = {}
        self._undecided: dict[tuple[str, str], ProposedCall] = {}
        self._decided: set[str] = set()
        self._replies: dict[str, str] = {}
        self._last: tuple[str, str] | None = None
        self.defects: list[str] = []
        """Why events could not be read; each costs only itself."""
        self.plumbing: list[JSONValue] = []
        """Events of the machinery, as they stand in the file."""
        self.state = ""
        """The agent's last state on record."""
        self.finished = ""
        """`finish` or `reject`, if the last reply was that."""
        self.facts: dict[str, JSONValue] = {}
        """What the system event says of the agent."""

    def read(self, listed: Sequence[JSONValue]) -> None:
        """Record the events of a list.

        Raises:
            ShapeError: if none is what its format says.
        """
        read = 0
        for place, value in placed(listed):
            try:
                self._read_event(event_of(value, place))
                read += 1
            except ShapeError as error:
                self.defects.append(f"event {place}: {error}")
        if self.defects and not read:
            raise ShapeError(self.defects[0])
        if self._last and self._last[1]:
            self._builder.answer(self._last[1], completion=self._last[0])

    def _read_event(self, event: Event) -> None:
        if event.action in _PLUMBING or event.observation in _PLUMBING:
            self.plumbing.append({**event.whole})
            if event.observation == "agent_state_changed":
                self.state = text(event.fields, "agent_state")
        elif event.observation:
            self._observe(event)
        else:
            self._act(event)

    @property
    def _agent(self) -> _Agent:
        return self._agents[-1]

    # --- actions ---

    def _act(self, event: Event) -> None:
        source = text(event.whole, "source")
        first = not self._agent.context
        if event.action == "system":
            self._describe(event)
        elif event.action == "condensation":
            self._condense(event)
        elif event.action == "message" and event.is_users(first=first):
            author: Author | None = "model" if self._agent.name and first else None
            self._hear(event, Item(role="user", text=event.said, author=author), rest(event.fields, {"content"}))
        elif source in ("user", "environment"):
            self._agent.waiting[event.place] = _Open(event=event, call=None)
        else:
            self._reply(event)

    def _describe(self, event: Event) -> None:
        self._hear(event, Item(role="system", text=event.said), {})
        self._builder.describe(tools=described_tools(listing(event.fields, "tools")))
        self.facts = {**rest(event.fields, {"content", "tools"}), **event.extra}

    def _reply(self, event: Event) -> None:
        """An action of the agent: a new reply, or one more call of the last one, or one that waited for a person."""
        call = self._known_call(event)
        beyond: dict[str, JSONValue] = {}
        if call is None:
            call = self._new_reply(event)
        else:
            beyond = _beyond(event, call)
        if event.action in ("finish", "reject", "message") or call is None:
            return
        self._agent.waiting[event.place] = _Open(event=event, call=call, beyond=beyond)
        if event.action == "delegate":
            self._delegate(event)

    def _known_call(self, event: Event) -> ProposedCall | None:
        """The call that an action is of, if a reply on record asked for it."""
        metadata = mapping(event.whole, "tool_call_metadata")
        response = text(mapping(metadata, "model_response"), "id")
        name = text(metadata, "tool_call_id")
        word = text(event.fields, "confirmation_state")
        call = self._responses.get(response, {}).get(name)
        if word not in ("confirmed", "rejected"):
            return call
        undecided = self._undecided.pop((self._agent.name, name or event.action), None)
        if undecided is not None:
            verdict = "approve" if word == "confirmed" else "reject"
            self._decided.add(undecided.call)
            self._builder.add(Approval, call=undecided.call, verdict=verdict, by="user", **event.where)
        return call or undecided

    def _new_reply(self, event: Event) -> ProposedCall | None:
        metadata = mapping(event.whole, "tool_call_metadata")
        response = mapping(metadata, "model_response")
        message = message_of(response)
        said = plain_text(message.get("content")) if message else text(event.fields, "thought")
        if event.action == "message":
            said = event.said
        calls = {call.call: call for call in self._calls(event, metadata, message)}
        call = calls.get(text(metadata, "tool_call_id")) or next(iter(calls.values()), None)
        reply = self._builder.reply(
            said,
            calls=calls.values(),
            reasoning=text(message, "reasoning_content"),
            model=text(response, "model"),
            usage=usage_of(response),
            finish_reason=finish_reason_of(response),
            extra=_beyond(event, call, said),
            **event.where,
        )
        self._agent.context[event.place] = Item(role="assistant", text=said, source=event.place)
        self._replies[event.place] = reply
        if identity := text(response, "id"):
            self._responses = {identity: calls}  # the calls of one reply follow each other
        if not self._agent.name:
            self.finished = event.action if event.action in ("finish", "reject") else ""
            self._last = (reply, event.final(said))
        if call is not None and text(event.fields, "confirmation_state") == "awaiting_confirmation":
            self._undecided[self._agent.name, text(metadata, "tool_call_id") or event.action] = call
        return call

    def _calls(self, event: Event, metadata: Object, message: Object) -> Iterator[ProposedCall]:
        caller = self._agent.caller
        native = mappings(message, "tool_calls")
        for each in native:
            function = mapping(each, "function")
            name = text(function, "name")
            by: Caller = "structured_output" if name == "finish" else caller
            yield self._builder.propose(name, arguments_of(function.get("arguments")), call=text(each, "id"), by=by)
        if native or event.action == "message":
            return
        name = text(metadata, "function_name") or event.action
        by = "structured_output" if event.action in ("finish", "reject") else caller
        arguments = {key: value for key, value in event.fields.items() if key not in _DERIVED and value is not None}
        if event.action == "think":
            arguments = {"thought": text(event.fields, "thought")}
        yield self._builder.propose(name, arguments, call=text(metadata, "tool_call_id"), by=by)

    def _delegate(self, event: Event) -> None:
        name = text(event.fields, "agent") or "delegate"
        count = self._names[name] = self._names.get(name, 0) + 1
        self._agents.append(_Agent(name if count == 1 else f"{name} {count}", "subagent", begun=event.place))
        self._builder.seat(self._agent.name)

    # --- observations ---

    def _observe(self, event: Event) -> None:
        cause = text(event.whole, "cause")
        ended = event.observation == "delegate" or (cause and cause == self._agent.begun)
        if ended and len(self._agents) > 1:
            self._agents.pop()
            self._builder.seat(self._agent.name)
        waiting = self._agent.waiting
        ordered = not event.id and not cause
        opened = waiting.pop(cause, None) if cause else None
        if ordered and waiting:
            opened = waiting.pop(next(iter(waiting)))
        if opened is None and event.observation == "error" and text(event.whole, "source") == "agent":
            self._reject(event)
        elif opened is None and event.observation in ("error", "message"):
            author: Author = "harness" if event.observation == "error" else "user"
            extra = {"observation": event.observation, **event.fields} if event.fields is not event.whole else {}
            self._hear(event, Item(role="user", text=event.said, author=author), extra)
        else:
            self._answer(event, opened)

    def _reject(self, event: Event) -> None:
        """A reply from which no action could be made; the file has its call, or nothing but that it was refused."""
        asked = "tool_call_metadata" in event.whole
        call = self._known_call(event) or self._new_reply(event) if asked else None
        if call is not None:
            self._builder.refuse(call.call, code=unfit(event), reason=event.said, **event.where)
            self._hear(event, Item(role="tool", text=event.said, call=call.call), event.results)
            return
        reply = self._builder.reply("", remembered=False, extra={"content": "not recorded"}, **event.where)
        self._builder.reject(reply, code=unfit(event), reason=event.said, **event.where)
        self._hear(event, Item(role="user", text=event.said, author="harness"), event.results)

    def _answer(self, event: Event, opened: _Open | None) -> None:
        """What an action gave, or why it was not run."""
        call = opened.call if opened else None
        code = refusal_of(event)
        name = call.call if call else ""
        if code and call:
            if event.observation == "user_rejected" and name not in self._decided:
                self._builder.add(Approval, call=name, verdict="reject", by="user", **event.where)
            self._builder.refuse(name, code=code, reason=event.said, **event.where)
        elif not code:
            name = self._run(event, opened)
        self._hear(event, Item(role="tool", text=event.said, call=name), event.results)

    def _run(self, event: Event, opened: _Open | None) -> str:
        """Record an execution; gives its call."""
        call, began = (opened.call, opened.event) if opened else (None, event)
        if call is None:
            fields = {key: value for key, value in began.fields.items() if key not in _DERIVED} if opened else {}
            call = self._builder.propose(began.action or began.observation, fields)
        execution = self._builder.begin(
            call.tool,
            call.arguments,
            call=call.call,
            time=began.time if opened else None,
            source=began.place,
            extra=opened.beyond if opened else {},
        )
        found = outcome_of(event)
        if found.ended:
            self._builder.end(execution, result=found.result, error=found.error, error_kind=found.kind, **event.where)
        return call.call

    # --- the context ---

    def _hear(self, event: Event, item: Item, extra: Mapping[str, JSONValue]) -> None:
        whole = replace(item, time=event.time, source=event.place, extra={**extra, **event.extra})
        self._builder.hear(whole)
        self._agent.context[event.place] = whole

    def _condense(self, event: Event) -> None:
        """Events left the context, and a summary may have taken their place."""
        fields, context = event.fields, self._agent.context
        first, last = integer(fields, "forgotten_events_start_id"), integer(fields, "forgotten_events_end_id")
        gone = {str(each) for each in listing(fields, "forgotten_event_ids")}
        if first is not None and last is not None:
            gone |= {name for name in context if name.isdecimal() and first <= int(name) <= last}
        kept = [(name, item) for name, item in context.items() if name not in gone]
        summary = text(fields, "summary")
        if summary:
            offset = max(0, integer(fields, "summary_offset") or 0)
            kept.insert(offset, (event.place, Item(role="user", text=summary, author="model", source=event.place)))
        replaced = tuple(self._replies[name] for name in context if name in gone and name in self._replies)
        extra = rest(fields, {"summary"})
        self._builder.add(Summary, replaces=replaced, text=summary, author="model", extra=extra, **event.where)
        self._agent.context = dict(kept)
        self._builder.see([item for _, item in kept])


def _beyond(event: Event, call: ProposedCall | None, said: str = "") -> dict[str, JSONValue]:
    """What an action holds beyond its call: what the harness added, what the provider said, and no copies."""
    metadata = mapping(event.whole, "tool_call_metadata")
    given = call.arguments if call and isinstance(call.arguments, Mapping) else {}
    args = rest(event.fields, _TOP if event.fields is event.whole else {"content"} if event.action == "message" else ())
    copied = {"thought": said, **given}
    extra: dict[str, JSONValue] = {"action": event.action, **event.extra, **rest(metadata, _METADATA)}
    if added := {name: value for name, value in args.items() if copied.get(name) != value}:
        extra["args"] = added
    response = mapping(metadata, "model_response")
    if more := {**rest(response, _RESPONSE), **whole_usage(mapping(response, "usage"))}:
        extra["model_response"] = more
    if metrics := event.whole.get("llm_metrics"):
        extra["llm_metrics"] = metrics
    if (total := integer(metadata, "total_calls_in_response")) not in (None, 1):
        extra["total_calls_in_response"] = total
    return extra
