"""What the records of a tracer, Langfuse's or LangSmith's, tell of the agents of one trace, in the order of time.

A model call stands at the time it began, request and reply together; an execution begins and ends at its own times, so
that what happened in it stands between. What happens in an execution, an agent does that the tool started.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.model import UNSAID, Said
from agentlab.formats.said.refusals import refusal_in
from agentlab.formats.said.telling import OpenCalls, tell_reply
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError
from agentlab.formats.shapes.nesting import Above, Nested, above
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, Evidence, EvidenceState

__all__ = ["CALL", "Acting", "Agent", "Moment", "Record", "Telling", "ending_of"]

_END, CALL, _BEGIN, _AT_ONCE = range(4)
"""At one instant: what ran before ends, the model is called, what it asked for begins, and may end in no time."""


class Record(Nested, Protocol):
    """An observation or a run; what is said of a tool counts only where it is a tool's execution."""

    @property
    def end(self) -> float | None: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def call(self) -> str: ...
    @property
    def arguments(self) -> Arguments: ...
    @property
    def answer(self) -> Object | None:
        """The ToolMessage that the tool gave back, if it gave back one."""

    @property
    def result(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def more(self) -> dict[str, JSONValue]: ...


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """Something that a record tells of."""

    time: float
    phase: int
    record: str
    act: Callable[[], None]
    order: str = ""
    """What comes first of one time and phase."""


def ending_of(start: float, end: float | None) -> tuple[float, int]:
    """Time and phase of the end of something."""
    return (end, _END) if end is not None and end > start else (start, _AT_ONCE)


@dataclass(kw_only=True)
class Telling:
    """A trace while it is told, and what was found in it."""

    builder: TraceBuilder
    defects: list[str] = field(default_factory=list)
    """What could not be read."""
    told: set[str] = field(default_factory=set)
    """Records that became events, or are copies of one that did."""
    replies: int = 0
    asked: int = 0
    """Calls that the model asked for."""
    executions: int = 0
    refused: int = 0
    failure: str = ""
    """Why the last model call failed; empty where it did not."""
    last: tuple[str, str] | None = None
    """The main agent's last reply and its text, where it asked for no call."""

    def evidence(self, *, proposals: bool, executions: bool) -> Evidence:
        """What the trace declares.

        Args:
            proposals: whether it would show what the model asked for.
            executions: whether it would show what ran.
        """

        def state(recorded: bool) -> EvidenceState:
            return "present" if recorded else "not_recorded"

        return Evidence(
            proposals=state(proposals),
            executions=state(executions),
            results=state(proposals or executions),
            errors=state(executions or self.refused > 0),
            authorship=state(self.replies > 0),
        )

    def finish(self, top: Record | None, *, fault: str, answered: bool) -> None:
        """The attempt ends where its outermost record does, if that one ended or failed.

        Args:
            top: the outermost record; None where there are several.
            fault: why it failed; empty where it did not.
            answered: whether the model's last reply is an answer.
        """
        where: dict[str, Any] = {"time": top.end, "duration": top.duration, "source": top.id} if top else {}
        if self.failure:
            self.builder.finish("provider_error", detail=self.failure, **where)
        elif fault:
            self.builder.finish("other", detail=fault, **where)
        elif top is not None and top.end is not None:
            self.builder.finish("answered" if answered else "other", detail="" if answered else UNSAID, **where)


@dataclass(kw_only=True, slots=True)
class Agent:
    """An agent of a trace."""

    inside: str
    """The execution that started it; empty for the main one."""
    name: str
    memory: Memory = field(default_factory=Memory)
    calls: OpenCalls = field(default_factory=OpenCalls)

    @property
    def asks(self) -> Caller:
        """Who asks for what its model asks for."""
        return "subagent" if self.inside else "agent"

    @property
    def runs(self) -> Caller:
        """Who asked for an execution that no reply on record asked for."""
        return "subagent" if self.inside else "not_recorded"


@dataclass(kw_only=True)
class Acting(Telling, ABC, Generic[R]):
    """A trace whose records are model calls and executions, one inside the other."""

    noun: ClassVar[str]
    """What the tracer calls a record."""
    records: Mapping[str, R]
    around: Mapping[str, Above] = field(init=False)
    _agents: dict[str, Agent] = field(default_factory=dict)
    _named: Counter[str] = field(default_factory=Counter)
    _begun: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.around = above(self.records)

    @abstractmethod
    def moments(self, record: R) -> Iterator[Moment]:
        """What a record tells of."""

    def tell(self) -> None:
        """Record everything that can be read."""
        moments: list[Moment] = []
        for record in self.records.values():
            with self.guarded(record.id):
                moments.extend(self.moments(record))
        for moment in sorted(moments, key=lambda each: (each.time, each.phase, each.order)):
            with self.guarded(moment.record):
                moment.act()

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """What cannot be read of a record is a defect of the trace."""
        try:
            yield
        except ShapeError as error:
            self.defects.append(f"{self.noun} {name}: {error}")

    def execution(self, record: R, start: float, order: str = "") -> Iterator[Moment]:
        """The two moments of an execution."""
        yield Moment(time=start, phase=_BEGIN, record=record.id, act=partial(self.begin, record), order=order)
        time, phase = ending_of(start, record.end)
        yield Moment(time=time, phase=phase, record=record.id, act=partial(self._end, record), order=order)

    def sit(self, record: R) -> Agent:
        """Let the agent act that a record is of: the one that a tool started, if it stands in a tool's run."""
        inside = self.around[record.id].tool
        if inside not in self._agents:
            name = self.records[inside].tool if inside else ""
            self._named[name] += 1
            again = f"{name} {self._named[name]}" if self._named[name] > 1 else name
            self._agents[inside] = Agent(inside=inside, name=again)
        agent = self._agents[inside]
        self.builder.seat(agent.name)
        return agent

    def reply(self, agent: Agent, said: Said, *, by: Caller, **common: Any) -> str:
        """Record a reply; gives the event's id. Calls that are only the form of an answer make it no last word."""
        event, calls = tell_reply(self.builder, said, by=by, **common)
        self.replies += 1
        self.asked += len(said.calls)
        self.refused += any(call.problem for call in said.calls)
        agent.calls.add(calls)
        if not agent.inside and by != "structured_output":
            self.last = (event, said.text) if said.text and not said.calls else None
        return event

    def begin(self, record: R) -> None:
        """An execution begins, or its answer says that it never did."""
        agent = self.sit(record)
        call = agent.calls.take(record.call, record.tool)
        if record.answer is not None and self.refuses(record, call, record.answer):
            return
        self._begun[record.id] = self.builder.begin(
            record.tool,
            record.arguments,
            call=call or record.call or record.id,
            by=agent.runs,
            execution=record.id,
            time=record.start,
            source=record.id,
            extra=record.more,
        )
        self.executions += 1
        self.told.add(record.id)

    def refuses(self, record: R, call: str, answer: Object) -> bool:
        """Whether a ToolMessage says that nothing was run; then the call, if a reply asked for it, is refused."""
        said = Said(role="tool", text=plain_text(answer.get("content")), failed=answer.get("status") == "error")
        code = refusal_in(said)
        if code is not None and call:
            self.refused += 1
            self.told.add(record.id)
            self.builder.refuse(call, code=code, reason=said.text, time=record.end, source=record.id)
        return code is not None

    def _end(self, record: R) -> None:
        begun, result, error = self._begun.get(record.id), record.result, record.error
        if begun is None or (record.end is None and result is None and error is None):
            return
        self.sit(record)
        self.builder.end(
            begun,
            result=result if error is None else None,
            error=error,
            duration=record.duration,
            time=record.end,
            source=record.id,
        )
