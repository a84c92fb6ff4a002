"""What smolagents' own spans say beyond OpenInference: its steps, its memory, its agents.

https://github.com/huggingface/smolagents. A step is a chain with the model's call in it and what came of that. A
CodeAgent's step that ended with execution logs, or with an error of the code, ran what stood in the reply's code
blocks: that is an execution of `python_interpreter`, as smolagents itself calls it in the memory it sends back, and
the ids there are taken for it, the first id for the first code that ran. A step whose reply could not be parsed, or
named no known tool, ran nothing. A `final_answer` that a tool-calling agent gives is an answer in the form of a call:
nothing is run for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agentlab.formats.spans.acts import ModelAct, Refusal, Said, ToolAct, result_text
from agentlab.formats.spans.tree import SpanRecord, Tree
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue

__all__ = ["Steps", "call_answered", "positional"]

_CODE = "python_interpreter"
_LOGS, _BROKEN = "Execution logs:", "Code execution failed"
_ANSWERS, _CALL = "tool-response", "Call id: "


def call_answered(role: str, words: str) -> Said | None:
    """A message of an agent's memory that tells what came of a call, or of a reply that made none; else None."""
    if role != _ANSWERS:
        return None
    if words.startswith(_CALL):
        return Said(role="tool", text=words, call=words[len(_CALL) :].partition("\n")[0].strip())
    return Said(role="user", author="harness", text=words)


def positional(arguments: Mapping[str, JSONValue], names: Sequence[str]) -> Arguments:
    """A call's arguments by name, where they were kept as `args` and `kwargs` of a Python call."""
    if arguments.keys() - {"sanitize_inputs_outputs"} != {"args", "kwargs"}:
        return dict(arguments)
    given, named = arguments["args"], arguments["kwargs"]
    if not isinstance(given, list) or not isinstance(named, dict):
        return dict(arguments)
    if len(given) > len(names):
        return {"args": given, **named}
    return {**dict(zip(names, given, strict=False)), **named}


class Steps:
    """The steps of the agents of one trace.

    Args:
        tree: its spans.
        kind: of a span.
        model: reads a model's span.
    """

    def __init__(self, tree: Tree, kind: Callable[[SpanRecord], str], model: Callable[[SpanRecord], ModelAct]) -> None:
        self._tree, self._kind, self._model = tree, kind, model
        self._calls: dict[str, dict[str, str]] = {}
        """By agent: of its steps that ran code, the ids of the calls that it was told of."""
        self._busy = {span.parent for span in tree.spans if kind(span) in ("TOOL", "AGENT")}
        """Spans in which a tool or an agent ran."""

    def name(self, span: SpanRecord) -> str:
        """The name of a managed agent, where the agent above it has only one."""
        above = self._tree.parent(span)
        for _ in range(_NEAR):
            if above is None or self._kind(above) == "AGENT":
                break
            above = self._tree.parent(above)
        if above is None or self._kind(above) != "AGENT":
            return ""
        attributes = above.attributes.items()
        managed = [value for name, value in attributes if name.startswith(_MANAGED) and name.endswith(".name")]
        only = managed[0] if len(managed) == 1 else ""
        return only if isinstance(only, str) else ""

    def code(self, span: SpanRecord) -> ToolAct | None:
        """The code that a step ran; None where it is no such step."""
        agent = self._agent(span)
        if agent is None or not _ran_code(span):
            return None
        model = self._call_in(span)
        if agent.id not in self._calls:
            self._calls[agent.id] = dict(zip(self._runs(agent), self._told(agent), strict=False))
        act = self._model(model) if model else None
        return ToolAct(
            span=replace(span, start=model.end if model and model.end is not None else span.start),
            tool=_CODE,
            arguments=code_in(act.reply.text) if act and act.reply else None,
            call=self._calls[agent.id].get(span.id, ""),
            result=_output(span),
            error=span.error,
            error_kind=span.error_kind,
            after=model.id if model else "",
        )

    def refusal(self, act: ModelAct) -> Refusal | None:
        """What the step of a model's call says of a reply that it did not run; None where it ran it, or is none."""
        step = self._step(act.span)
        if step is None or step.error is None or _ran_code(step) or step.id in self._busy:
            return None
        if act.span.error is not None:
            return None
        unknown = step.error.lower().startswith(("unknown tool", "error: unknown tool"))
        parsing = (step.error_kind or "").endswith("ParsingError") or not (act.reply and act.reply.calls)
        return Refusal(
            code="unknown_tool" if unknown else "unparsed" if parsing else "invalid_arguments", reason=step.error
        )

    def answering(self, act: ModelAct) -> Said | None:
        """The reply, in which a final answer in the form of a call is marked as such."""
        reply = act.reply
        if reply is None or not any(asked.tool == _FINAL for asked in reply.calls):
            return reply
        step = self._step(act.span)
        if step is None or step.id in self._busy:
            return reply
        calls = [replace(each, by="structured_output") if each.tool == _FINAL else each for each in reply.calls]
        return replace(reply, calls=calls)

    # --- where a step is, and what is in it ---

    def _agent(self, span: SpanRecord) -> SpanRecord | None:
        above = self._tree.parent(span)
        return above if above is not None and self._kind(above) == "AGENT" else None

    def _step(self, span: SpanRecord) -> SpanRecord | None:
        above = self._tree.parent(span)
        if above is None or self._kind(above) != "CHAIN" or not above.name.startswith("Step "):
            return None
        return above if self._agent(above) is not None else None

    def _call_in(self, step: SpanRecord) -> SpanRecord | None:
        return next((each for each in self._tree.below(step) if self._kind(each) == "LLM"), None)

    def _runs(self, agent: SpanRecord) -> list[str]:
        return [each.id for each in self._tree.below(agent) if self._kind(each) == "CHAIN" and _ran_code(each)]

    def _told(self, agent: SpanRecord) -> list[str]:
        """The ids of calls in the memory that the agent's last step was asked with: it holds all before."""
        steps = [each for each in self._tree.below(agent) if self._kind(each) == "CHAIN"]
        model = self._call_in(steps[-1]) if steps else None
        context = (self._model(model).context if model else None) or ()
        return list(dict.fromkeys(said.call for said in context if said.role == "tool" and said.call))


_NEAR = 50
"""Spans above an agent's among which its manager is looked for."""
_MANAGED = "smolagents.managed_agents."
_FINAL = "final_answer"


def _output(span: SpanRecord) -> str | None:
    output = span.attributes.get("output")
    inner = output.get("value") if isinstance(output, dict) else None
    return result_text(span.attributes.get("output.value", inner))


def _ran_code(span: SpanRecord) -> bool:
    if span.error is not None:
        return span.error.startswith(_BROKEN)
    return (_output(span) or "").startswith(_LOGS)


def code_in(reply: str) -> str:
    """The code of a reply: what stands in its fenced blocks, as smolagents puts it together."""
    blocks = []
    place = 0
    while (begin := reply.find("```", place)) >= 0:
        line = reply.find("\n", begin)
        end = reply.find("\n```", line)
        if line < 0 or end < 0:
            break
        if reply[begin + 3 : line].strip() in ("", "py", "python"):
            blocks.append(reply[line + 1 : end])
        place = end + 4
    return "\n\n".join(blocks)
