"""The events of one LangSmith trace, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.langsmith.runs import Run
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.messages import is_message, said_of
from agentlab.formats.said.model import Said
from agentlab.formats.said.refusals import refusal_in
from agentlab.formats.said.requests import parameters_of, replied, requested
from agentlab.formats.said.telling import OpenCalls, tell_reply
from agentlab.formats.said.usage import usage_of
from agentlab.formats.shapes.fields import Object, ShapeError, listing, text
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.values import Caller

__all__ = ["Telling", "final_text", "tools_in"]

_END, _MODEL, _BEGIN, _AT_ONCE = range(4)
"""At one instant: what ran before ends, the model is called, what it asked for begins, and may end in no time."""


@dataclass
class Telling:
    """One trace while it is told."""

    builder: TraceBuilder
    runs: Mapping[str, Run]
    defects: list[str]
    """What could not be read."""
    told: set[str] = field(default_factory=set)
    replies: int = 0
    executions: int = 0
    refused: int = 0
    failure: str = ""
    """Why the last model call failed; empty where it did not."""
    last: tuple[str, str] | None = None
    """The main agent's last reply and its text, where it asked for no call."""
    texts: dict[str, str] = field(default_factory=dict)
    """The main agent's latest reply by its text."""
    _tool_above: dict[str, str] = field(default_factory=dict)
    _model_above: set[str] = field(default_factory=set)
    """Model runs in which another one stands: the wrappers of client libraries."""
    _structured: set[str] = field(default_factory=set)
    """Model runs whose calls are only the form of an answer."""
    _open: dict[str, OpenCalls] = field(default_factory=dict)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _begun: dict[str, str] = field(default_factory=dict)
    _seats: dict[str, str] = field(default_factory=dict)

    def tell(self) -> None:
        """Record everything that can be read."""
        self._place()
        self._structured = set(_structured(self.runs))
        for name, moment in self._moments():
            try:
                moment()
            except ShapeError as error:
                self.defects.append(f"run {name}: {error}")

    def _place(self) -> None:
        """Find, for each run, the nearest tool's run around it, and the model runs that hold model runs."""
        ordered = sorted(self.runs.values(), key=lambda run: run.order.count("."))
        above: dict[str, str] = {}
        for run in ordered:
            path, here = [], run.id
            while here in self.runs and here not in above:
                above[here] = ""  # against circles
                path.append(here)
                here = self.runs[here].parent
            for name in reversed(path):
                parent = self.runs.get(self.runs[name].parent)
                if parent is None:
                    continue
                above[name] = parent.id if parent.kind == "tool" else above.get(parent.id, "")
                if parent.kind == "llm" and self.runs[name].kind == "llm":
                    self._model_above.add(parent.id)
        self._tool_above = above

    def _moments(self) -> Iterator[tuple[str, Callable[[], None]]]:
        moments: list[tuple[float, int, str, int, str, Callable[[], None]]] = []

        def add(run: Run, time: float, phase: int, moment: Callable[[], None]) -> None:
            moments.append((time, phase, run.order, len(moments), run.id, moment))

        for run in self.runs.values():
            start = run.start or 0.0
            end = start if run.end is None else run.end
            if run.kind == "llm":
                self.told.add(run.id)
                if run.id not in self._model_above:
                    add(run, start, _MODEL, partial(self._model, run))
            elif run.kind == "tool":
                self.told.add(run.id)
                add(run, start, _BEGIN, partial(self._begin, run))
                add(run, *((end, _END) if end > start else (start, _AT_ONCE)), partial(self._finish, run))
        for *_, name, moment in sorted(moments, key=lambda each: each[:4]):
            yield name, moment

    def _model(self, run: Run) -> None:
        seat, by = self._sit(run)
        memory = self._memories.setdefault(seat, Memory())
        said = requested(dict(run.inputs), memory=memory)
        self._open_calls(seat).go_on()
        self.builder.see(memory.items(said or [], source=run.id, time=run.start))
        about = parameters_of(dict(run.inputs))
        self.builder.request(recorded=said is not None, time=run.start, source=run.id, extra=about)
        reply = replied(dict(run.outputs))
        self.failure = run.error
        if reply is None:
            return
        self.replies += 1
        self.refused += any(call.problem for call in reply.calls)
        form = run.id in self._structured
        usage, model = _counts(run.outputs), text(run.metadata, "ls_model_name")
        event, calls = tell_reply(
            self.builder,
            reply,
            source=run.id,
            by="structured_output" if form else by,
            usage=usage,
            model=reply.model or model,
            extra=run.more,
            time=run.end,
            latency=run.duration,
        )
        self._open_calls(seat).add(calls)
        if not seat and reply.text:
            self.texts[reply.text] = event
        if not seat and not form:
            self.last = (event, reply.text) if reply.text and not reply.calls else None

    def _begin(self, run: Run) -> None:
        seat, by = self._sit(run)
        call = self._open_calls(seat).take(run.call, run.name)
        if run.answer is not None and run.failure is not None:
            code = refusal_in(Said(role="tool", text=run.failure, failed=True))
            if code is not None and call:
                self.refused += 1
                self.builder.refuse(call, code=code, reason=run.failure, time=run.end, source=run.id)
                return
        self.executions += 1
        self._begun[run.id] = self.builder.begin(
            run.name,
            run.arguments,
            call=call or run.call or run.id,
            by="subagent" if by == "subagent" else "not_recorded",
            execution=run.id,
            time=run.start,
            source=run.id,
            extra=run.more,
        )

    def _finish(self, run: Run) -> None:
        begun = self._begun.get(run.id)
        if begun is None or (run.end is None and run.result is None and run.failure is None):
            return
        self._sit(run)
        failure = run.failure
        self.builder.end(
            begun,
            result=run.result if failure is None else None,
            error=failure,
            duration=run.duration,
            time=run.end,
            source=run.id,
        )

    def _sit(self, run: Run) -> tuple[str, Caller]:
        """Let the agent act that a run is of: the one that a tool started, if it stands in a tool's run."""
        tool = self._tool_above.get(run.id, "")
        if tool and tool not in self._seats:
            name = self.runs[tool].name
            again = name in self._seats.values()
            self._seats[tool] = f"{name} {len(self._seats) + 1}" if again else name
        self.builder.seat(self._seats.get(tool, ""))
        return tool, "subagent" if tool else "agent"

    def _open_calls(self, seat: str) -> OpenCalls:
        return self._open.setdefault(seat, OpenCalls())


def final_text(runs: Mapping[str, Run]) -> str:
    """The last thing that the model says in the output of the outermost run; empty where it holds no messages."""
    root = next((run for run in runs.values() if run.parent not in runs), None)
    messages = root.outputs.get("messages") if root else None
    if not isinstance(messages, list) or not messages or not is_message(messages[-1]):
        return ""
    said = said_of(messages[-1])
    return said[-1].text if said and said[-1].role == "assistant" else ""


def _structured(runs: Mapping[str, Run]) -> Iterator[str]:
    """Model runs whose calls a parser takes for the answer.

    The parser stands behind the model in one sequence. The parsers of agents are not meant: what they find is run.
    """
    parsed: dict[str, list[Run]] = {}
    executed = {run.call for run in runs.values() if run.kind == "tool" and run.call}
    for run in runs.values():
        if run.kind == "parser" and "Agent" not in run.name:
            parsed.setdefault(run.parent, []).append(run)
    for run in runs.values():
        behind = parsed.get(run.parent, ()) if run.kind == "llm" and run.parent else ()
        if any((parser.start or 0.0) >= (run.start or 0.0) for parser in behind) and not executed & _calls_of(run):
            yield run.id


def _calls_of(run: Run) -> set[str]:
    try:
        reply = replied(dict(run.outputs))
    except ShapeError:
        return set()  # it will be told as a defect
    return {call.call for call in reply.calls if call.call} if reply else set()


def _counts(outputs: Object) -> Usage:
    """Tokens of a reply; LangChain writes those of the whole response into `llm_output`."""
    found = usage_of(outputs)
    if found == Usage() and isinstance(outputs.get("llm_output"), dict):
        about: JSONValue = outputs["llm_output"]
        return usage_of({"response_metadata": about})
    return found


def tools_in(runs: Mapping[str, Run]) -> list[JSONValue]:
    """The tools that the model calls were told of."""
    found: dict[str, JSONValue] = {}
    for run in runs.values():
        given = (run.raw.get("extra") or {}) if run.kind == "llm" else {}
        request = given.get("invocation_params") if isinstance(given, dict) else None
        for place in (run.inputs, request if isinstance(request, dict) else {}):
            if run.kind == "llm" and isinstance(place.get("tools"), list):
                found.update((dumps(tool), tool) for tool in listing(place, "tools"))
    return list(found.values())
