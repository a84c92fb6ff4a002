"""The events of one Langfuse trace, from its model calls, its executions and the answers of LangGraph's tool nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from agentlab.formats.langfuse.observation import Observation
from agentlab.formats.said.acting import CALL, Acting, Agent, Moment, ending_of
from agentlab.formats.said.model import Said, decoded
from agentlab.formats.said.requests import parameters_of, replied, requested
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, listing, text
from agentlab.formats.shapes.nesting import Above
from agentlab.strictjson import JSONValue

__all__ = ["LangfuseTelling", "structured_tools"]


@dataclass(kw_only=True)
class LangfuseTelling(Acting[Observation]):
    """One trace while it is told."""

    noun = "observation"
    structured: frozenset[str]
    """Tools that are only a form for the answer."""
    shaped: int = 0
    """Replies in a shape that would show calls; a bare text may stand for a reply whose calls were left out."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._calls = _model_calls(self.records, self.around)
        self._answered = {each.call for each in self.records.values() if each.tool and each.call}

    def moments(self, record: Observation) -> Iterator[Moment]:
        """What an observation tells of."""
        start = self.around[record.id].start if record.start is None else record.start
        if record.id in self._calls:
            act = partial(self._model, record, self.records[self._calls[record.id]])
            yield Moment(time=start, phase=CALL, record=record.id, act=act)
        elif record.calls_model:
            self.told.add(record.id)  # a copy of the calls in it
        elif record.tool in self.structured and record.result is None:
            self.told.add(record.id)  # the SDK takes the answer out of its form; its input is the call's arguments
        elif record.tool:
            yield from self.execution(record, start)
        else:
            time, phase = ending_of(start, record.end)
            for message in record.node_answers:
                if text(message, "tool_call_id") not in self._answered:
                    yield Moment(time=time, phase=phase, record=record.id, act=partial(self._node, record, message))

    def _model(self, call: Observation, content: Observation) -> None:
        """One call; its content may stand in another record of it, which is then the one that is named."""
        agent = self.sit(call)
        builder, koog = self.builder, call.scope == "ai.koog"
        given = call.given if isinstance(call.given, list) else content.given
        said = requested(given, calls_in_text=koog, memory=agent.memory)
        if said is None:
            builder.see([])
            about: dict[str, JSONValue] = {"input": given or "missing"}
            builder.request(recorded=False, time=call.start, source=content.id, extra=about)
        else:
            agent.calls.go_on()
            builder.see(agent.memory.items(said, source=content.id, time=call.start))
            builder.request(time=call.start, source=content.id, extra=parameters_of(given))
        reply = replied(content.raw.get("output"), calls_in_text=koog, opened=content.returned)
        self.failure = ""
        if reply is None and text(call.raw, "level") == "ERROR":
            self.failure = text(call.raw, "statusMessage") or "the model call failed"
            return
        self._reply(agent, call, content, _with_listed(reply, content))
        self.told.add(call.id)

    def _reply(self, agent: Agent, call: Observation, content: Observation, said: Said | None) -> None:
        self.shaped += said is not None and said.text != content.raw.get("output")
        more = content.more
        if said is None:
            more["output"] = "missing"
        if call is not content:
            more["same_call"] = call.id
        self.reply(
            agent,
            said or Said(role="assistant"),
            by=agent.asks,
            source=content.id,
            usage=call.usage,
            model=text(content.raw, "model"),
            structured=self.structured,
            extra=more,
            time=call.start if call.end is None else call.end,
            latency=call.duration,
        )

    def _node(self, each: Observation, message: Object) -> None:
        """An answer that LangGraph's tool node gave, where the run of the tool itself is not recorded."""
        agent = self.sit(each)
        named, tool = text(message, "tool_call_id"), text(message, "name")
        call = agent.calls.take(named, tool)
        if self.refuses(each, call, message):
            return
        begun = self.builder.begin(tool, call=call or named or each.id, by=agent.runs, time=each.start, source=each.id)
        answer, failed = plain_text(message.get("content")), message.get("status") == "error"
        result, error = (None, answer) if failed else (answer, None)
        self.builder.end(begun, result=result, error=error, time=each.end, source=each.id)
        self.executions += 1
        self.told.add(each.id)


def structured_tools(observations: Mapping[str, Observation]) -> frozenset[str]:
    """Tools that are only a form for the answer: those that Pydantic AI names so, and what it and C# call the last."""
    found = {"final_result"}
    for each in observations.values():
        request = decoded(each.attributes.get("model_request_parameters"))
        if isinstance(request, dict) and isinstance(request.get("output_tools"), list):
            found.update(_names(listing(request, "output_tools")))
    return frozenset(found)


def _names(tools: list[JSONValue]) -> Iterator[str]:
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get("name"), str):
            yield text(tool, "name")


def _with_listed(said: Said | None, content: Observation) -> Said | None:
    """The reply with the calls that Langfuse found in it, where the text of the output holds none of them."""
    names, calls = listing(content.raw, "toolCallNames"), listing(content.raw, "toolCalls")
    if (said is not None and said.calls) or not names or len(names) != len(calls):
        return said
    found: list[JSONValue] = []
    for name, call in zip(names, calls, strict=True):
        body = decoded(call)
        if isinstance(body, dict):
            found.append({**body, "name": name})
    calls_of = replied({"role": "assistant", "content": said.text if said else "", "tool_calls": found})
    return calls_of if found else said


def _model_calls(observations: Mapping[str, Observation], around: Mapping[str, Above]) -> Mapping[str, str]:
    """The generations that are model calls, each with the generation that has its content.

    A framework and the client library below it may each record the same call, one in the other, and one record of a
    whole loop may hold those of its calls. The innermost is the call. Where it stands alone in another and holds no
    more than a text, while the other one holds the provider's response, the content is the other's.
    """
    inside: dict[str, list[str]] = {}
    for each in observations.values():
        if each.calls_model and (outer := around[each.id].generation):
            inside.setdefault(outer, []).append(each.id)
    calls = {each.id: each.id for each in observations.values() if each.calls_model and each.id not in inside}
    for outer, inner in inside.items():
        alone = inner[0] if len(inner) == 1 else ""
        if alone in calls and _structured(observations[outer]) and not _structured(observations[alone]):
            calls[alone] = outer
    return calls


def _structured(observation: Observation) -> bool:
    return isinstance(observation.returned, dict | list)
