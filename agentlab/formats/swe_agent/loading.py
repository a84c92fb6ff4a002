"""SWE-agent trajectories (`.traj`): the steps of a run, the history of its messages, and how it ended.

Written by SWE-agent from 0.x to 1.x, https://swe-agent.com/latest/usage/trajectories/. A step of `trajectory` tells
three things apart: `response`, what the model wrote; `action`, what the harness read in it and ran; `observation`, what
came back. So a step proves an execution, but not how it ended: no exit code is recorded, only text, and an execution
counts as succeeded unless the harness itself says that it was cancelled.

What the model was sent stands in each step, copied whole, and each message is read once: `query` is what this step
sent; its predecessor `messages` is what there was when the step was over, and so what the next one sent.
Older files have none of it: there the context is `history`, which may be longer than what was sent, because old
observations are shortened on the way. In `history` and in the messages, entries with `is_demo` are an example that the
harness shows the model. They stand in the context, as the harness's words, and are no replies, calls or results.

- A step that the harness refused (it could not be parsed, or was blocked, or is no valid shell) has no action or ran
  nothing: no time, no state, no observation. The next step's messages then end with the harness's complaint, which is
  lost from `history`. The last step may be the harness's own, `Exit due to ...`; it is not the model's reply.
- A native call's name and arguments stand in `history` only; `action` is the shell line made of it. Without native
  calls the line itself is the call, of a tool named `bash`. An id may be used again by a later call.
- A `history` without `trajectory` (demonstrations) shows answers, and no executions.
- With `attempts` (several tries, of which the best stands once more at the top) each try is a trace.

Durations of executions are recorded, and no times; tokens for the whole run only (`info.model_stats`: all that was sent
and came back), where two zeros mean that nobody counted. The identity of an
event is its path in the file, as `trajectory[3]` or `history[7]`, of a mere history the index of the message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, each_row, key_of, no_object
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    listing,
    mapping,
    mappings,
    number,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.swe_agent.messages import (
    Sent,
    complaint_of,
    is_demo,
    is_reply,
    is_result,
    is_run,
    other_thought,
    role_of,
    sent_messages,
    spent_by,
    thinking_of,
    was_run,
)
from agentlab.messages import Author
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, ProposedCall, RefusalCode, TerminationReason

__all__ = ["SWE_AGENT"]

_STEP = {"action", "observation", "response", "thought", "execution_time", "query", "messages", "reasoning_content"}
_MESSAGE = {"role", "content", "tool_calls", "tool_call_ids", "thought", "action", "thinking_blocks"}
_EXITS = ("Exit due to ", "Exiting due to ")
_BLOCKED = "not supported by this environment"
_CANCELLED = " was cancelled because it took more than "
_ENDINGS: tuple[tuple[str, TerminationReason], ...] = (
    ("exit_cost", "token_budget"),
    ("exit_context", "token_budget"),
    ("exit_api", "provider_error"),
    ("exit_total_execution_time", "deadline"),
    ("exit_command_timeout", "deadline"),
    ("exit_", "other"),
    ("submitted", "answered"),
)
_FULL = Evidence(authorship="present", proposals="present", executions="present", results="present")
_ANSWERS = Evidence(authorship="present", proposals="present", results="present")


def _sniff(head: Head) -> bool:
    return isinstance(head.first, dict) and is_run(head.first)


def _split(record: Record) -> Iterator[Row | ShapeError]:
    """The tries of a record, each with what the file says of all; else the one run that it is."""
    value, digest = record.value, key_of(record)
    if not isinstance(value, dict):
        yield no_object(value, record.place)
        return
    listed = value.get("attempts")
    every = listed if isinstance(listed, list) else []
    tries = [each for each in every if not isinstance(each, dict) or each.keys() & {"trajectory", "history"}]
    shared = rest(value, {"trajectory", "history", "attempts", "info"})
    for index, each in enumerate(tries):
        place = f"attempts[{index}]"
        if isinstance(each, dict):
            yield Row(value={**shared, **each}, place=place, key=(digest, index))
        else:
            yield no_object(each, place)
    if not tries:
        yield Row(value=value, place=record.place, key=(digest, 0))


def _read(row: Row, path: str) -> Trace:
    builder = TraceBuilder("swe-agent", path=path, key=row.key, evidence=_FULL, source=row.place)
    builder.describe(index=row.key[-1])
    if not row.value.keys() & {"trajectory", "history"}:
        raise ShapeError("trajectory, history: a list of steps or of messages was expected, and there is neither")
    _Run(builder, row.value).read()
    return builder.build(ours=is_run(row.value))


@dataclass
class _Run:
    """One run while it is read."""

    builder: TraceBuilder
    record: Object
    faults: bool = False
    """Whether anything was refused or failed."""
    recorded: bool = False
    """Whether the steps say what was sent."""
    sent: Sent = field(default_factory=Sent)
    """What was sent last, as far as the steps say."""
    place: int = 0
    """How many messages of the history have joined the context."""
    shown: set[tuple[str, str]] = field(default_factory=set)
    """Observations, by call and text, that were sent as they were."""
    closing: Object = field(default_factory=dict)
    """The last step, where the harness made it itself."""
    history: list[dict[str, JSONValue]] = field(init=False)
    actions: deque[int] = field(init=False)
    """Places in the history of the model's messages that no step has claimed yet."""
    first: int = field(init=False)
    """Place in the history of the model's first message; before it nothing is a result."""

    def __post_init__(self) -> None:
        self.history = mappings(self.record, "history")
        self.actions = deque(place for place, message in enumerate(self.history) if is_reply(message))
        self.first = self.actions[0] if self.actions else len(self.history)

    def read(self) -> None:
        """Record everything."""
        self._describe()
        if "trajectory" in self.record:
            self._read_steps(mappings(self.record, "trajectory"))
        else:
            self._read_history()
        self._finish()

    # --- steps ---

    def _read_steps(self, steps: Sequence[Object]) -> None:
        sent = sent_messages(steps)
        self.recorded = any(each.messages for each in sent)
        for place, step in enumerate(steps):
            complaint = complaint_of(sent[place + 1].messages) if place + 1 < len(sent) else ""
            with at(f"trajectory[{place}]"):
                if not self._is_closing(step):
                    self._read_step(step, f"trajectory[{place}]", sent[place], complaint)
        for place in range(self.place, len(self.history)):
            if place > self.first and is_result(self.history[place]):
                self._hear(place)
        if self.faults:
            self.builder.evidence = replace(_FULL, errors="present")

    def _is_closing(self, step: Object) -> bool:
        """Whether the harness made a step itself, to end the run; it is kept for the end."""
        action = text(step, "action")
        if not text(step, "response").startswith(_EXITS) or (action and not action.startswith("exit_")):
            return False
        self.closing = step
        return True

    def _read_step(self, step: Object, source: str, sent: Sent, complaint: str) -> None:
        response, action = text(step, "response"), text(step, "action")
        kept = self._committed(response, action)
        self._context(sent, kept)
        message: Object = {} if kept is None else self.history[kept]
        calls = tuple(self._calls(message, action))
        reply = self.builder.reply(
            response,
            calls=calls,
            reasoning=text(step, "reasoning_content") or thinking_of(message),
            remembered=kept is not None and not self.recorded,
            source=source,
            extra={**other_thought(step, response), **rest(message, _MESSAGE)},
        )
        if was_run(step):
            self._run(step, action, calls[0], source)
        elif not action.strip():
            self.faults = True
            reason = complaint or "no action was read in the reply"
            self.builder.reject(reply, code="unparsed", reason=reason, source=source)
        elif action.strip() != "exit":  # which the harness obeys itself
            self._refuse(calls[0].call, step, complaint, source)

    def _context(self, sent: Sent, kept: int | None) -> None:
        """What the model was sent: the step's own messages, else the history up to the reply's place in it."""
        if not self.recorded:
            end = kept if kept is not None else (self.actions[0] if self.actions else len(self.history))
            for place in range(self.place, end):
                self._hear(place)
            self.place = max(self.place, end)
        elif sent.messages:
            same, last = self.sent.shared_with(sent), sent.last_reply
            self.sent = sent
            new = enumerate(sent.messages[same:], same)
            items = [self._item(each, f"{sent.path}[{place}]", fresh=place > last) for place, each in new]
            self.builder.see(items, same=same)
        if kept is not None:
            self.place = kept + 1

    def _refuse(self, call: str, step: Object, complaint: str, source: str) -> None:
        self.faults = True
        code: RefusalCode = "not_permitted" if _BLOCKED in complaint else "unparsed"
        reason = complaint or "the action was not run"
        self.builder.refuse(call, code=code, reason=reason, source=source, extra=rest(step, _STEP))

    def _run(self, step: Object, action: str, call: ProposedCall, source: str) -> None:
        line: dict[str, JSONValue] = {} if call.arguments == {"command": action} else {"action": action}
        execution = self.builder.begin(call.tool, call.arguments, call=call.call, source=source, extra=line)
        result = text(step, "observation")
        cancelled = result.startswith("The command ") and _CANCELLED in result[:4000]
        self.faults = self.faults or cancelled
        self.builder.end(
            execution,
            result=None if cancelled else result,
            error=result if cancelled else None,
            error_kind="timeout" if cancelled else None,
            duration=number(step, "execution_time"),
            source=source,
            extra=rest(step, _STEP),
        )

    def _committed(self, response: str, action: str) -> int | None:
        """The place in the history of the message that a step left there; None where it left none."""
        if not self.actions:
            return None
        message = self.history[self.actions[0]]
        if plain_text(message.get("content")) == response or (action and message.get("action") == action):
            return self.actions.popleft()
        return None

    def _calls(self, message: Object, action: str) -> Iterator[ProposedCall]:
        native = mappings(message, "tool_calls")
        for call in native:
            function = mapping(call, "function")
            given = arguments_of(function.get("arguments"))
            yield self.builder.propose(text(function, "name"), given, call=text(call, "id"))
        if not native and action.strip():
            yield self.builder.propose("bash", {"command": action})

    # --- messages ---

    def _hear(self, place: int) -> None:
        self.builder.hear(self._item(self.history[place], f"history[{place}]", fresh=place > self.first))

    def _item(self, message: Object, source: str, *, fresh: bool) -> Item:
        """A message of the context.

        Args:
            message: as it stands in the file.
            source: its path.
            fresh: whether it came after the last reply, so that an observation among it is a new one.
        """
        role, content = role_of(message), plain_text(message.get("content"))
        author: Author | None = None
        extra, call = rest(message, _MESSAGE), ""
        if is_demo(message):
            author, extra = "harness", rest(message, {"content"})
        elif is_result(message):
            call = next((each for each in listing(message, "tool_call_ids") if isinstance(each, str)), "")
            if fresh or (call, content) in self.shown:
                self.shown.add((call, content))
                return Item(role="tool", text=content, call=call, source=source, extra={**extra, "role": role})
            author = "harness" if self.shown else None  # shortened; or the task, which is called observation too
        elif message.get("message_type") == "user":
            author = "harness"  # a complaint
        return Item(role="user" if role == "tool" else role, text=content, author=author, source=source, extra=extra)

    def _read_history(self) -> None:
        """Record a history that stands alone."""
        self.builder.evidence = _ANSWERS
        for place, message in enumerate(self.history):
            with at(f"history[{place}]"):
                if not is_reply(message):
                    self.builder.hear(self._item(message, str(place), fresh=place > self.first))
                    continue
                self.builder.reply(
                    plain_text(message.get("content")),
                    calls=tuple(self._calls(message, text(message, "action"))),
                    reasoning=thinking_of(message),
                    source=str(place),
                    extra=rest(message, _MESSAGE),
                )

    # --- the attempt ---

    def _describe(self) -> None:
        config = arguments_of(self.record.get("replay_config"))
        plan = config if isinstance(config, dict) else {}
        problem, agent = mapping(plan, "problem_statement"), mapping(plan, "agent")
        more = rest(self.record, {"trajectory", "history", "replay_config"})
        self.builder.describe(
            agent="swe-agent",
            case=text(problem, "id"),
            model=text(mapping(agent, "model"), "name"),
            extra={**more, **({"replay_config": config} if config else {})},
        )

    def _finish(self) -> None:
        status = text(mapping(self.record, "info"), "exit_status")
        if not status:
            return
        reason: TerminationReason = next((reason for word, reason in _ENDINGS if word in status.lower()), "other")
        extra: dict[str, JSONValue] = {"step": {**self.closing}} if self.closing else {}
        self.builder.finish(reason, detail=status, usage=spent_by(self.record), source="info", extra=extra)


SWE_AGENT = Format(
    name="swe-agent",
    sentence="SWE-agent .traj files; what was run and what came back, but not whether a command succeeded.",
    url="https://swe-agent.com/latest/usage/trajectories/",
    proofs=Proofs(
        proposals="present", executions="depends", results="present", errors="depends", times="absent", usage="depends"
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
)
