"""Building a trace from a foreign record, event by event, in the order in which things happened.

A loader says what stands in its file and the builder keeps the books: it numbers events and steps, finds contexts that
were repeated, pairs what names no call id by order within its step, and declares what was found.

Two ways to tell a context: `hear` adds one message to it, as chat lists grow; `see` gives the whole of it, as spans
and logs of requests do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from agentlab.clock import derived_id
from agentlab.formats.building.eventlog import EventLog
from agentlab.formats.building.opening import opening
from agentlab.formats.building.seat import Item, Seat, Slot
from agentlab.messages import Arguments, FinishReason, Usage
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.trace.values import Caller, ContextItem, Evidence, ProposedCall, RefusalCode, TerminationReason

__all__ = ["TraceBuilder"]

E = TypeVar("E", bound=Event)


class TraceBuilder:
    """Collects the events of one foreign attempt.

    Every method that records something takes `time` (seconds since 1970-01-01 UTC), `source` (identity in the foreign
    file) and `extra` (fields that have no place elsewhere), and gives the new event's id where others refer to it.

    Args:
        form: name of the format.
        path: the file, as the person named it.
        key: what identifies the attempt wherever the file lies: its own id, else a digest of its bytes and its number.
        evidence: what the format records of proposals, executions, results, errors and authorship; times and usage
            are declared from what was found.
        source: identity of the attempt in the file.
    """

    def __init__(self, form: str, *, path: str, key: Sequence[object], evidence: Evidence, source: str = "") -> None:
        self._path = path
        self._facts: dict[str, Any] = {"attempt": derived_id("attempt", form, *key), "format": form, "source": source}
        self._evidence = evidence
        self._log = EventLog()
        self._seats: defaultdict[str, Seat] = defaultdict(Seat)
        self._name = self._place = ""
        self._sender: Seat | None = None
        self._executions: dict[str, str] = {}
        self._executed_as: dict[str, str] = {}
        self._proposed_in: dict[str, str] = {}
        self._named: set[str] = set()
        self._calls = self._runs = self._steps = 0

    # --- who speaks, and what is known of the attempt ---

    def seat(self, name: str, *, place: str | None = None) -> None:
        """From here on this agent acts, empty for the main one; those at one place, by default their own, share all."""
        self._name, self._place = name, name if place is None else place

    def describe(self, **facts: object) -> None:
        """Set fields of `AttemptStarted`: agent, model, provider, task, tools, run, case, index, time, extra, ..."""
        self._facts.update(facts)

    @property
    def evidence(self) -> Evidence:
        """What the trace declares; a loader that finds more or less than its format usually records sets it anew."""
        return self._evidence

    @evidence.setter
    def evidence(self, evidence: Evidence) -> None:
        self._evidence = evidence

    # --- the context ---

    def hear(self, item: Item) -> None:
        """A message joins the context; a tool's message is recorded as an observation first."""
        self._seat.context.append(self._slot(item))

    def see(self, items: Sequence[Item], *, same: int = 0) -> None:
        """The context is now its first `same` messages as they stood, and these; one at its old place is the same."""
        new = self._seat.refit(items, same)
        self._seat.context.extend(each if isinstance(each, Slot) else self._slot(each) for each in new)

    def request(self, **common: Any) -> str:
        """The context is sent. `reply` does it where a format does not record requests."""
        seat, kept = self._seat, self._seat.standing
        base = "" if not kept or seat is self._sender else seat.sent
        seat.carried = seat.standing = len(seat.context)
        self._sender, self._steps = seat, self._steps + 1
        items = tuple(self._context_item(slot) for slot in seat.context[kept:])
        seat.request = seat.sent = self.add(Request, kept=kept, base=base, items=items, **common).id
        return seat.request

    # --- replies ---

    def propose(
        self, tool: str, arguments: Arguments | None = None, *, call: str = "", by: Caller = "agent"
    ) -> ProposedCall:
        """A call to be passed to `reply`; without an id of its own it gets one."""
        name = self._name_call(call)
        return ProposedCall(call=name, tool=tool, arguments=arguments, by=by)

    def reply(
        self,
        text: str,
        *,
        calls: Iterable[ProposedCall] = (),
        reasoning: str = "",
        model: str = "",
        usage: Usage | None = None,
        finish_reason: FinishReason = "unknown",
        latency: float | None = None,
        remembered: bool = True,
        **common: Any,
    ) -> str:
        """The model answers the request; where none was recorded, one is sent with the context as it stands.

        Args:
            text: what it wrote.
            calls: what it asked for, from `propose`.
            reasoning: what the provider returned as reasoning beside the text.
            model: as the server named it.
            usage: tokens; None where not recorded.
            finish_reason: why it stopped.
            latency: seconds.
            remembered: whether the reply joins the context; not where `see` will give the next one whole.
            common: time, source, extra.
        """
        seat = self._seat
        if seat.request is None:
            self.request(time=common.get("time"), source=common.get("source", ""))
        request, seat.request = seat.request or "", None
        event = self.add(
            CompletionEvent,
            request=request,
            digest=self._log.digest(text),
            characters=len(text),
            accepted=True,
            text=text,
            calls=tuple(calls),
            reasoning=reasoning,
            model=model,
            usage=usage or Usage(),
            finish_reason=finish_reason,
            latency=latency,
            **common,
        )
        self._proposed_in.update((call.call, event.id) for call in event.calls)
        seat.propose([call.call for call in event.calls], text=text, event=event.id)
        if remembered:
            seat.context.append(Slot(Item(role="assistant", text=text, source=event.source), event.id))
        return event.id

    def reject(self, reply: str, *, code: str, reason: str, **common: Any) -> None:
        """The harness refused the whole reply."""
        event = self._log.reject(reply)
        self.add(
            ProtocolErrorEvent,
            completion=reply,
            code=code,
            reason=reason,
            digest=event.digest,
            start=0,
            end=event.characters,
            **common,
        )

    # --- calls ---

    def refuse(self, call: str, *, code: RefusalCode, reason: str, **common: Any) -> None:
        """The harness refused a call before it ran; nothing is recorded of a call that no reply proposed."""
        name = self._seat.executed(call)
        if name in self._proposed_in:
            reply = self._proposed_in[name]
            self.add(CallRefused, completion=reply, call=name, code=code, reason=reason, digest="", **common)

    def begin(
        self,
        tool: str,
        arguments: Arguments | None = None,
        *,
        call: str = "",
        by: Caller = "not_recorded",
        execution: str = "",
        **common: Any,
    ) -> str:
        """A call begins to run; gives the id of the execution.

        Args:
            tool: its name.
            arguments: what it was run with; None where not recorded.
            call: which call it is; empty for the first of the last reply that has not run.
            by: who asked for it, where no reply on record did.
            execution: its own id, if it has one.
            common: time, source, extra.
        """
        name = self._seat.executed(call) or self._name_call("")
        identity = execution if execution and execution not in self._executions else self._new_execution()
        self._executions[identity] = name
        self._executed_as[name] = identity
        self.add(ExecutionStarted, execution=identity, call=name, tool=tool, arguments=arguments, by=by, **common)
        return identity

    def end(
        self,
        execution: str,
        *,
        result: str | None = None,
        error: str | None = None,
        error_kind: str | None = None,
        duration: float | None = None,
        **common: Any,
    ) -> None:
        """An execution ended: it failed where there is an error, else it succeeded."""
        self.add(
            ExecutionFinished,
            execution=execution,
            status="succeeded" if error is None else "failed",
            result=result,
            error=error,
            error_kind=error_kind,
            duration=duration,
            **common,
        )

    # --- the end ---

    def answer(self, text: str, *, completion: str = "", **common: Any) -> None:
        """The final text for the user, from the reply given or the last one, at whose time and place it stands."""
        reply = self._log.reply(completion)
        if reply is not None:
            where = {"time": reply.time, "source": reply.source, **common}
            self.add(Answer, completion=reply.id, text=text, **where)

    def finish(
        self,
        reason: TerminationReason,
        *,
        detail: str = "",
        duration: float | None = None,
        usage: Usage | None = None,
        **common: Any,
    ) -> None:
        """The attempt ended for a reason that the file gives; where it gives none, do not call this.

        `usage` is that of the whole attempt, where the file counts it; by default the sum over its replies.
        """
        spent = usage or self._log.usage()
        self.add(
            AttemptFinished,
            reason=reason,
            detail=detail,
            steps=self._steps,
            requests=self._steps,
            executions=len(self._executions),
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            duration=duration,
            **common,
        )

    def build(self, *, defect: str = "", ours: bool = True) -> Trace:
        """The trace. Messages that no request carried and that no event shows stand in its `extra` as `unsent`.

        Args:
            defect: what is wrong with the record though it could be read; empty where nothing is.
            ours: whether it is known to be of this format also where nothing happened in it.

        Raises:
            ValueError: if the events cannot be one record; `NothingToldError` if nothing is in it, unless `ours`.
        """
        if unsent := [message for seat in self._seats.values() for message in seat.unsent()]:
            self._facts["extra"] = {**self._facts.get("extra", {}), "unsent": unsent}
        events = tuple(self._log)
        start = opening({**self._facts, "defect": defect}, self._evidence, events, ours=ours or bool(unsent))
        return Trace(events=(start, *events), path=self._path, digests=self._log.digests)

    # --- books ---

    @property
    def _seat(self) -> Seat:
        return self._seats[self._place]

    def add(self, kind: type[E], **values: Any) -> E:
        """Record an event of a kind that no other method makes, e.g. an approval, and give it."""
        values["step"], values["agent_name"] = self._steps or None, self._name
        return self._log.add(kind, values)

    def _name_call(self, name: str) -> str:
        """The id of a call; one that has none gets one that no call before it has."""
        self._calls += 1
        if not name:
            while (name := f"call-{self._calls}") in self._named:
                self._calls += 1
        self._named.add(name)
        return name

    def _new_execution(self) -> str:
        self._runs += 1
        while (name := f"x{self._runs}") in self._executions:
            self._runs += 1
        return name

    def _slot(self, item: Item) -> Slot:
        if item.role == "tool":
            return Slot(item, self._observe(item))
        return Slot(item, self._seat.reply_with(item.text) if item.role == "assistant" else None)

    def _observe(self, item: Item) -> str:
        call = self._seat.answered(item.call)
        event = self.add(
            Observation,
            execution=self._executed_as.get(call, ""),
            call=call,
            text=item.text,
            tool="" if call in self._proposed_in or call in self._executed_as else item.tool,
            time=item.time,
            source=item.source,
            extra=item.extra,
        )
        return event.id

    def _context_item(self, slot: Slot) -> ContextItem:
        item, author, digest = slot.item, slot.item.written_by, self._log.digest(slot.item.text)
        return ContextItem(
            role=item.role,
            author=author,
            trust="untrusted" if author in {"model", "tool"} else "trusted",
            digest=digest,
            text=None if self._log.shows(digest) else item.text,
            origin=slot.origin,
            source=item.source,
            extra={} if slot.origin else item.extra,
        )
