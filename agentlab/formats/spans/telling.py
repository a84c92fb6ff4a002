"""Telling the acts of a span tree as the events of a trace; the same for every convention that spans follow.

A model call that failed is no request: what it was sent did not reach a model, or nothing came back of it. It stands
in `model_errors` of the trace's extra, and where it was the last one, the attempt ended with the provider's error,
unless the agent handed back an answer all the same.

A sub-agent's work is an execution asked for by the agent above it, unless a tool's span stands between the two, which
then is that execution. What a span tells beyond its act goes to `extra`; spans that are none are counted by name in
`other_spans`, and those of them that failed stand whole in `failed_spans`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.said.model import finish_of
from agentlab.formats.shapes.durations import between
from agentlab.formats.spans.acts import AgentAct, ModelAct, Said, ToolAct, items_of
from agentlab.formats.spans.leftovers import failed_spans
from agentlab.formats.spans.plan import Moment, Plan, Unit
from agentlab.formats.spans.tree import SpanRecord
from agentlab.messages import clean_text
from agentlab.strictjson import JSONValue

__all__ = ["Story"]


@dataclass
class Story:
    """The books kept while acts are told."""

    builder: TraceBuilder
    plan: Plan
    orderly: bool = False
    """Whether an answer that names no call is that of the first tool which ran and has none: nobody proposed calls."""
    unnamed: dict[str, list[str]] = field(default_factory=dict)
    """By seat: the runs that name no call, in order."""
    sent: dict[str, Sequence[Said]] = field(default_factory=dict)
    """By seat: the messages of its last request, where they are its context as they stand."""
    open: dict[str, dict[str, str]] = field(default_factory=dict)
    """By seat: the calls of its last reply that have not run, with their tools."""
    replies: dict[str, str] = field(default_factory=dict)
    """By seat: its last reply."""
    final: dict[str, str] = field(default_factory=dict)
    """By seat: the text of its last reply, where it asked for nothing."""
    spoke: set[str] = field(default_factory=set)
    """Seats of which a reply's content is on record."""
    running: dict[int, str] = field(default_factory=dict)
    errors: list[dict[str, JSONValue]] = field(default_factory=list)
    last: ModelAct | None = None
    """The last call of a model."""
    agents: list[Unit] = field(default_factory=list)
    """The agents that nobody started, as they ended."""
    answered: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields of `AttemptStarted`."""
    about: dict[str, JSONValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        models = (unit.act for unit in self.plan.units if isinstance(unit.act, ModelAct))
        self.shows_context = any(act.context is not None for act in models)

    def tell(self, moment: Moment) -> None:
        """Record the beginning or the end of an act."""
        unit = moment.unit
        act = unit.act
        if isinstance(act, ModelAct):
            (self._ask if moment.begins else self._reply)(unit, act)
        elif isinstance(act, ToolAct):
            (self._run if moment.begins else self._ran)(unit, act)
        else:
            (self._start if moment.begins else self._stop)(unit, act)

    # --- models ---

    def _ask(self, unit: Unit, act: ModelAct) -> None:
        builder, seat = self.builder, unit.owner.seat
        builder.seat(seat)
        if act.context is not None or self.shows_context:
            self._see(seat, act)
        if act.reply is not None or act.span.error is None:
            recorded = act.context is not None and act.complete
            builder.request(recorded=recorded, time=act.span.start, source=act.span.id)
        if not seat:
            for name, value in {"tools": tuple(act.tools), **act.facts}.items():
                if value:
                    self.facts.setdefault(name, value)

    def _see(self, seat: str, act: ModelAct) -> None:
        if self.orderly and self.unnamed.get(seat):
            runs = iter(self.unnamed[seat])
            items = [
                replace(item, call=next(runs, "")) if item.role == "tool" and not item.call else item
                for item in items_of(act)
            ]
            self.sent.pop(seat, None)
            self.builder.see(items)
            return
        sent = act.context or ()
        same = _shared(self.sent.get(seat, ()), sent)
        self.sent[seat] = sent
        self.builder.see(items_of(act, same), same=same)

    def _reply(self, unit: Unit, act: ModelAct) -> None:
        span, seat = act.span, unit.owner.seat
        self.last = act
        error: dict[str, JSONValue] = {} if span.error is None else {"error": span.error, "error_kind": span.error_kind}
        if act.reply is None and (span.error is not None or span.end is None):
            if span.error is not None:
                more: dict[str, JSONValue] = {"request": dict(act.extra)} if act.extra else {}
                self.errors.append({"source": span.id, **error, **more})
            return
        self._said(unit, act, error)
        if act.reply is not None:
            self.spoke.add(seat)
        self._refuse(unit, act)

    def _said(self, unit: Unit, act: ModelAct, error: Mapping[str, JSONValue]) -> None:
        builder, span, seat, said = self.builder, act.span, unit.owner.seat, act.reply
        time = span.end if unit.ends == span.end else unit.ends if span.start is not None else None
        common: dict[str, Any] = {"time": time, "source": span.id}
        builder.seat(seat)
        asked = said.calls if said else ()
        by = unit.owner.by
        calls = [builder.propose(each.tool, each.arguments, call=each.call, by=each.by or by) for each in asked]
        text = clean_text(said.text) if said else ""
        unsaid: dict[str, JSONValue] = {} if said else {"content": "not recorded"}
        self.replies[seat] = builder.reply(
            text,
            calls=calls,
            reasoning=said.reasoning if said else "",
            model=act.model,
            usage=act.usage,
            finish_reason=finish_of(act.finish or (said.finish if said else "")),
            latency=span.duration,
            remembered=False,
            extra={**(said.extra if said else {}), **act.extra, **unsaid, **error},
            **common,
        )
        self.final[seat] = "" if calls else text
        own = [call for call in calls if call.by in ("agent", "subagent")]
        self.open[seat] = {call.call: call.tool for call in own}
        for each, call in zip(asked, calls, strict=True):
            if each.answer is not None:
                run = builder.begin(call.tool, call.arguments, call=call.call, by=call.by, **common)
                builder.end(run, result=each.answer, **common)

    def _refuse(self, unit: Unit, act: ModelAct) -> None:
        if act.refusal is None:
            return
        common = {"time": act.span.end, "source": act.span.id}
        calls = self.open.get(unit.owner.seat) or {}
        for call in calls:
            self.builder.refuse(call, code=act.refusal.code, reason=act.refusal.reason, **common)
        if not calls:
            reply = self.replies[unit.owner.seat]
            self.builder.reject(reply, code=act.refusal.code, reason=act.refusal.reason, **common)
        self.open[unit.owner.seat] = {}

    # --- tools ---

    def _run(self, unit: Unit, act: ToolAct) -> None:
        self.builder.seat(unit.owner.seat)
        call = self._call(unit.owner.seat, act.tool, act.call, act.span.id)
        if not act.call:
            self.unnamed.setdefault(unit.owner.seat, []).append(call)
        self._begin(unit, act.tool, act.arguments, call, act.extra)

    def _begin(
        self, unit: Unit, tool: str, arguments: Any, call: str, extra: Mapping[str, JSONValue] | None = None
    ) -> None:
        span = unit.act.span
        self.running[id(unit)] = self.builder.begin(
            tool,
            arguments,
            call=call,
            by=unit.owner.by,
            execution=span.id,
            time=span.start,
            source=span.id,
            extra=extra,
        )

    def _call(self, seat: str, tool: str, call: str, span: str) -> str:
        """The call that an execution is of: the one it names, else the first of its tool in the last reply.

        Where none was proposed, it goes by the span's id.
        """
        waiting = self.open.get(seat, {})
        name = call or next((each for each, wanted in waiting.items() if wanted == tool), span)
        waiting.pop(name, None)
        return name

    def _ran(self, unit: Unit, act: ToolAct) -> None:
        self._end(unit, act.result, act.error, act.error_kind)

    def _end(self, unit: Unit, result: str | None, error: str | None, kind: str | None) -> None:
        span = unit.act.span
        if span.end is None and result is None and error is None:
            return  # it began, and no end is on record
        self.builder.seat(unit.owner.seat)
        self.builder.end(
            self.running[id(unit)],
            result=result if error is None else None,
            error=error,
            error_kind=kind,
            duration=span.duration,
            time=span.end,
            source=span.id,
            extra={} if error is None or result is None else {"result": result},
        )

    # --- agents ---

    def _start(self, unit: Unit, act: AgentAct) -> None:
        own = unit.own
        if own is None:
            return
        if unit.delegates:
            self.builder.seat(unit.owner.seat)
            call = self._call(unit.owner.seat, act.name, "", act.span.id)
            more: dict[str, JSONValue] = {"tools": [tool.name for tool in act.tools]} if act.tools else {}
            self._begin(unit, act.name, {"task": act.task} if act.task else None, call, {**act.extra, **more})
        elif own.by == "agent" and not self.facts.get("agent"):
            self.facts.update({name: value for name, value in act.facts.items() if value})
            self.facts["agent"] = act.name
            if act.tools:
                self.facts["tools"] = tuple(act.tools)
            self.about.update(act.extra)
            if act.task:
                self.facts["task"] = act.task
        else:
            given: dict[str, JSONValue] = {"task": act.task} if act.task and not self.shows_context else {}
            if more_of_it := {**given, **act.extra}:
                self.about[f"agent {act.span.id}"] = more_of_it

    def _stop(self, unit: Unit, act: AgentAct) -> None:
        own, span = unit.own, act.span
        if own is None:
            return
        if act.output and own.seat not in self.spoke:  # its model's replies are not on record, and this is what it said
            self.builder.seat(own.seat)
            time = span.end if span.end is not None else span.start
            self.builder.see([])
            self.sent.pop(own.seat, None)
            self.builder.request(recorded=False, time=span.start, source=span.id)
            self.replies[own.seat] = self.builder.reply(
                clean_text(act.output), remembered=False, time=time, source=span.id
            )
            self.spoke.add(own.seat)
        if unit.delegates:
            self._end(unit, act.output, span.error, span.error_kind)
        elif own.by == "agent":
            self.agents.append(unit)
            if act.output:
                self._answer(act.output, own.seat, time=span.end, source=span.id)

    def _answer(self, text: str, seat: str, **common: Any) -> None:
        reply = self.replies.get(seat)
        if reply is not None:
            self.builder.seat(seat)
            self.builder.answer(clean_text(text), completion=reply, **common)
            self.answered = True

    # --- the end ---

    def close(self, extra: dict[str, JSONValue]) -> None:
        """Record the answer where no agent's span holds it, how the attempt ended, and what is known of it."""
        if not self.answered and self.final.get(""):
            self._answer(self.final[""], "")
        self._finish()
        if self.errors:
            self.about["model_errors"] = [*self.errors]
        if self.plan.others:
            self.about["other_spans"] = dict(sorted(Counter(span.name for span in self.plan.others).items()))
        if failed := failed_spans(self.plan.others):
            self.about["failed_spans"] = failed
        if resource := next((span.resource for span in self.plan.tree.spans if span.resource), None):
            self.about["resource"] = dict(resource)
        began = (unit.act.span.start for unit in self.plan.units if unit.act.span.start is not None)
        self.builder.describe(**self.facts, time=min(began, default=None), extra={**self.about, **extra})

    def _finish(self) -> None:
        self.builder.seat("")
        failed = self.last if self.last and self.last.reply is None and self.last.span.error is not None else None
        act = self.agents[-1].act if self.agents else None
        span = act.span if act else None
        if failed is not None and not (isinstance(act, AgentAct) and act.output and act.span.error is None):
            kind = failed.span.error_kind
            detail = f"{kind}: {failed.span.error}" if kind else failed.span.error or ""
            self.builder.finish("provider_error", detail=clean_text(detail), **self._ending(span or failed.span))
        elif span is not None and span.error is not None:
            self.builder.finish("other", detail=clean_text(span.error), **self._ending(span))
        elif span is not None and span.end is not None:
            detail = "" if self.answered else "no reason is recorded"
            self.builder.finish("answered" if self.answered else "other", detail=detail, **self._ending(span))

    def _ending(self, span: SpanRecord) -> dict[str, Any]:
        """The end of an attempt, which may have begun with another agent, or with an earlier span of the same one."""
        starts = [unit.act.span.start for unit in self.agents if unit.act.span.start is not None]
        first = min(starts, default=None)
        duration = span.duration
        if first is not None and span.start is not None and first < span.start:
            duration = between(first, span.end) if span.backwards is None else None
        return {"time": span.end, "source": span.id, "duration": duration}


def _shared(before: Sequence[Said], now: Sequence[Said]) -> int:
    """How many leading messages are the very same: a reader may give each that it meets again as it was."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, (one, other) in pairs if one is not other), min(len(before), len(now)))
