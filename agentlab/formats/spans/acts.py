"""What a span tells, whatever convention its attributes follow: a model's call, a tool's run, or an agent's work.

Most spans of a real trace are none of them (requests, queues, steps of a framework); they are counted by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from agentlab.formats.building.seat import Item
from agentlab.formats.shapes.arguments import plain_arguments
from agentlab.formats.shapes.content import written
from agentlab.formats.spans.tree import SpanRecord
from agentlab.messages import Arguments, Author, Role, ToolDescription, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Caller, RefusalCode

__all__ = [
    "Act",
    "AgentAct",
    "Asked",
    "ModelAct",
    "Refusal",
    "Said",
    "ToolAct",
    "combined",
    "extra_of",
    "items_of",
    "result_text",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A call as a model wrote it."""

    tool: str
    arguments: Arguments | None = None
    call: str = ""
    """Its id; empty where it has none."""
    by: Caller | None = None
    """None for whoever the model works for."""
    answer: str | None = None
    """What came back, where the provider ran it within the same reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One message of a request or a reply."""

    role: Role
    text: str = ""
    author: Author | None = None
    """None for what the role says."""
    call: str = ""
    """Of a tool's message, the call it answers."""
    calls: Sequence[Asked] = ()
    reasoning: str = ""
    finish: str = ""
    extra: Mapping[str, JSONValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """The harness took a reply, or the calls in it, for what it would not run."""

    code: RefusalCode
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAct:
    """A model was asked."""

    span: SpanRecord
    context: Sequence[Said] | None = None
    """What it was sent; None where not recorded."""
    complete: bool = True
    """Whether that is all of it; not where only the instructions are recorded."""
    reply: Said | None = None
    """None where nothing came back, or what came back is not recorded."""
    shows_calls: bool = False
    """Whether a call in the reply would stand on record."""
    tools: Sequence[ToolDescription] = ()
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    refusal: Refusal | None = None
    extra: Mapping[str, JSONValue] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `AttemptStarted` that it tells, e.g. the provider."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolAct:
    """A tool ran."""

    span: SpanRecord
    tool: str
    arguments: Arguments | None = None
    call: str = ""
    """The call it is of; empty where it names none."""
    after: str = ""
    """Id of the model's span whose reply it ran, where its own span also holds that one: then what stands below the
    span is not inside the tool."""
    result: str | None = None
    error: str | None = None
    """None where it did not fail."""
    error_kind: str | None = None
    extra: Mapping[str, JSONValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentAct:
    """An agent worked on something."""

    span: SpanRecord
    name: str
    task: str = ""
    output: str | None = None
    """What it handed back; None where not recorded."""
    tools: Sequence[ToolDescription] = ()
    extra: Mapping[str, JSONValue] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Act: TypeAlias = ModelAct | ToolAct | AgentAct


def items_of(act: ModelAct, first: int = 0) -> list[Item]:
    """The messages a model was sent, from the `first` one on, as items of a context."""
    span, sent = act.span, act.context or ()
    return [
        Item(
            role=said.role,
            text=said.text,
            call=said.call,
            author=said.author,
            time=span.start,
            source=span.id,
            extra=extra_of(said),
        )
        for said in (sent[first:] if first else sent)
    ]


def extra_of(said: Said) -> Mapping[str, JSONValue]:
    """What a message says that has no place in an item of a context: its calls and its reasoning."""
    if not said.calls and not said.reasoning:
        return said.extra
    calls: list[JSONValue] = [
        {"id": each.call, "name": each.tool, "arguments": plain_arguments(each.arguments)} for each in said.calls
    ]
    more: dict[str, JSONValue] = {"tool_calls": calls, "reasoning": said.reasoning}
    return {**said.extra, **{name: value for name, value in more.items() if value}}


def combined(acts: Sequence[ModelAct]) -> ModelAct:
    """One call of a model that several spans inside each other tell of.

    The innermost span that holds a reply is kept, with what it lacks from the others: a framework's own span, the
    provider-neutral one below it and the client library's below that record the same call.

    Args:
        acts: from the outermost to the innermost.
    """
    if len(acts) == 1:
        return acts[0]
    inward = list(enumerate(acts))
    ranked = [act for _, act in sorted(inward, key=lambda pair: (*_lacks(pair[1]), -pair[0]))]
    best, others = ranked[0], ranked[1:]
    more: dict[str, JSONValue] = {act.span.id: dict(act.extra) for act in others if act.extra}
    sent = [act for act in ranked if act.context is not None]
    fullest = next((act for act in sent if act.complete), sent[0] if sent else best)
    reply = best.reply
    if reply is not None:
        second = next((act.reply for act in others if act.reply is not None), reply)
        reply = replace(
            reply,
            text=reply.text or second.text,
            calls=reply.calls or second.calls,
            reasoning=reply.reasoning or second.reasoning,
        )
    return replace(
        best,
        reply=reply,
        context=fullest.context,
        complete=fullest.complete,
        shows_calls=any(act.shows_calls for act in acts),
        tools=next((act.tools for act in ranked if act.tools), ()),
        model=next((act.model for act in ranked if act.model), ""),
        usage=next((act.usage for act in ranked if act.usage != Usage()), Usage()),
        finish=next((act.finish for act in ranked if act.finish), ""),
        refusal=next((act.refusal for act in ranked if act.refusal), None),
        extra={**best.extra, **({"spans": more} if more else {})},
        facts={name: value for act in reversed(ranked) for name, value in act.facts.items()},
    )


def _lacks(act: ModelAct) -> tuple[bool, bool]:
    return act.reply is None, act.context is None or not act.complete


def result_text(value: JSONValue) -> str | None:
    """A tool's result as text; None where there is none."""
    return None if value is None else written(value)
