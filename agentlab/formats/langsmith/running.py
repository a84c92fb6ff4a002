"""The events of one LangSmith trace, from its runs of models and of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from agentlab.formats.langsmith.runs import Run
from agentlab.formats.said.acting import CALL, Acting, Moment
from agentlab.formats.said.messages import is_message, said_of
from agentlab.formats.said.model import Said
from agentlab.formats.said.requests import parameters_of, replied, requested
from agentlab.formats.said.usage import usage_of
from agentlab.formats.shapes.fields import Object, ShapeError, listing, text
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue, dumps

__all__ = ["LangSmithTelling", "tools_in"]


@dataclass(kw_only=True)
class LangSmithTelling(Acting[Run]):
    """One trace while it is told."""

    noun = "run"
    texts: dict[str, str] = field(default_factory=dict)
    """The main agent's latest reply by its text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._wrappers = {self.around[run.id].generation for run in self.records.values() if run.calls_model}
        self._forms = set(_forms(self.records))

    def moments(self, record: Run) -> Iterator[Moment]:
        """What a run tells of."""
        start = self.around[record.id].start if record.start is None else record.start
        if record.tool:
            yield from self.execution(record, start, record.order)
        elif record.calls_model and record.id in self._wrappers:
            self.told.add(record.id)  # of a client library in it there is a run too
        elif record.calls_model:
            act = partial(self._model, record)
            yield Moment(time=start, phase=CALL, record=record.id, act=act, order=record.order)

    def _model(self, run: Run) -> None:
        agent = self.sit(run)
        given = dict(run.inputs)
        said = requested(given, memory=agent.memory)
        agent.calls.go_on()
        self.builder.see(agent.memory.items(said or [], source=run.id, time=run.start))
        about = parameters_of(given)
        self.builder.request(recorded=said is not None, time=run.start, source=run.id, extra=about)
        reply = replied(dict(run.outputs))
        self.failure = run.fault
        if reply is None:
            return
        event = self.reply(
            agent,
            reply,
            by="structured_output" if run.id in self._forms else agent.asks,
            source=run.id,
            usage=_counts(run.outputs),
            model=reply.model or text(run.metadata, "ls_model_name"),
            extra=run.more,
            time=run.end,
            latency=run.duration,
        )
        self.told.add(run.id)
        if not agent.inside and reply.text:
            self.texts[reply.text] = event

    def final_text(self, root: Run) -> str:
        """The last thing that the model says in the output of the outermost run; empty where it holds no messages."""
        messages = root.outputs.get("messages")
        if not isinstance(messages, list) or not messages or not is_message(messages[-1]):
            return ""
        said: list[Said] = []
        with self.guarded(root.id):
            said = said_of(messages[-1])
        return said[-1].text if said and said[-1].role == "assistant" else ""


def _forms(runs: Mapping[str, Run]) -> Iterator[str]:
    """Model runs whose calls a parser takes for the answer.

    The parser stands behind the model in one sequence. The parsers of agents are not meant: what they find is run.
    """
    parsed: dict[str, float] = {}
    executed = {run.call for run in runs.values() if run.tool and run.call}
    for run in runs.values():
        if run.kind == "parser" and run.parent and "Agent" not in run.name:
            parsed[run.parent] = max(parsed.get(run.parent, 0.0), run.start or 0.0)
    for run in runs.values():
        behind = run.calls_model and run.parent in parsed and parsed[run.parent] >= (run.start or 0.0)
        if behind and not executed & _calls_of(run):
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
        about = run.raw.get("extra") if run.calls_model else None
        request = about.get("invocation_params") if isinstance(about, dict) else None
        for place in (run.inputs, request) if run.calls_model else ():
            if isinstance(place, dict) and isinstance(place.get("tools"), list):
                found.update((dumps(tool), tool) for tool in listing(place, "tools"))
    return list(found.values())
