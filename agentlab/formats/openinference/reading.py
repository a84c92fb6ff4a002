"""What an OpenInference span says of a model, a tool or an agent.

https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md. Attributes are dotted
(`llm.output_messages.0.message.role`) or objects inside each other. The kind of a span tells what it is; of chains only
smolagents' steps are read (`agentlab.formats.openinference.smolagents`).

Tokens: `llm.token_count.prompt` counts all of the prompt, cached ones included, and `completion` all that was
generated, reasoning included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from agentlab.formats.openinference.containers import KIND
from agentlab.formats.openinference.smolagents import Steps, call_answered, positional
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, integer, mapping, rest, text
from agentlab.formats.spans.acts import Act, AgentAct, Asked, ModelAct, Said, ToolAct, result_text
from agentlab.formats.spans.leftovers import with_events
from agentlab.formats.spans.spoken import chat_messages, one_reply, role_of
from agentlab.formats.spans.tree import SpanRecord, Tree, indexed, parsed, unflattened
from agentlab.messages import ToolDescription, Usage
from agentlab.strictjson import JSONValue

__all__ = ["is_openinference", "kind_of_span", "openinference_reader"]


def kind_of_span(span: SpanRecord) -> str:
    """Its OpenInference kind in capitals; empty where it has none."""
    kind = span.attributes.get(KIND)
    if kind is None:
        inner = span.attributes.get("openinference")
        inner = inner.get("span") if isinstance(inner, dict) else None
        kind = inner.get("kind") if isinstance(inner, dict) else None
    return kind.upper() if isinstance(kind, str) else ""


def is_openinference(span: SpanRecord) -> bool:
    """Whether its attributes are OpenInference's."""
    return bool(kind_of_span(span))


def openinference_reader(tree: Tree) -> Callable[[SpanRecord], Act | None]:
    """What the spans of a tree tell; the reader may raise `ShapeError`."""
    return _Reader(tree).read


class _Reader:
    """Reads the spans of one trace."""

    def __init__(self, tree: Tree) -> None:
        self._models = _Models(shows_calls=any(_shows_calls(span.attributes) for span in tree.spans))
        self._steps = Steps(tree, kind_of_span, self._models.read)

    def read(self, span: SpanRecord) -> Act | None:
        """What a span tells; None for what is neither of a model, a tool, nor an agent."""
        read = self._READ.get(kind_of_span(span))
        return with_events(read(self, span)) if read else None

    def _llm(self, span: SpanRecord) -> ModelAct:
        act = self._models.read(span)
        reply, refusal = self._steps.answering(act), self._steps.refusal(act)
        return act if reply is act.reply and refusal is None else replace(act, reply=reply, refusal=refusal)

    def _agent(self, span: SpanRecord) -> AgentAct:
        root = unflattened(span.attributes)
        asked = _value(root, "input")
        body = parsed(asked)
        task = body.get("task") if isinstance(body, dict) else None
        known = {"input", "output", "openinference", "agent", "llm"}
        return AgentAct(
            span=span,
            name=text(mapping(root, "agent"), "name") or self._steps.name(span) or span.name.removesuffix(".run"),
            task=task if isinstance(task, str) else asked or "",
            output=_value(root, "output"),
            extra=rest(root, known),
        )

    # Plain functions: bound ones would make each reader refer to itself, and only a search for garbage free it.
    _READ: ClassVar[Mapping[str, Callable[[_Reader, SpanRecord], Act | None]]] = {
        "LLM": _llm,
        "TOOL": lambda self, span: _tool(span),
        "RETRIEVER": lambda self, span: _retriever(span),
        "AGENT": _agent,
        "CHAIN": lambda self, span: self._steps.code(span),
    }


def _shows_calls(attributes: Object) -> bool:
    """Whether calls of a model are recorded as such, or tools that it could have called."""
    nested = attributes.get("llm")
    if isinstance(nested, dict) and nested.get("tools"):
        return True
    names = "\n".join(attributes)
    if "llm.tools." not in names and ".tool_calls." not in names:  # one look at all, because contexts have long lists
        return False
    return any(name.startswith("llm.tools.") or ".tool_calls." in name for name in attributes)


def _value(root: Object, side: str) -> str | None:
    return result_text(mapping(root, side).get("value"))


def _known(root: Object, side: str) -> str | None:
    value = _value(root, side)
    return None if value == _REDACTED else value


_REDACTED = "__REDACTED__"
"""What instrumentations put for content that they were told to hide."""


# --- models ---

_LLM = {
    *("input_messages", "output_messages", "model_name", "token_count", "tools", "provider", "system", "prompts"),
    "function_call",
}


class _Models:
    """Reads the models' spans of one trace, each once: a step asks for the model's span in it, too.

    Args:
        shows_calls: whether the calls of a reply would stand on record.
    """

    def __init__(self, *, shows_calls: bool) -> None:
        self._shows_calls = shows_calls
        self._acts: dict[str, ModelAct] = {}
        self._said: dict[tuple[str, str], Said] = {}
        """By role and text, messages that are no more than that. Each span repeats those of the spans before."""
        self._schemas: list[JSONValue] = []
        self._tools: Sequence[ToolDescription] = ()
        """The tools of the last span, which the next one repeats, each in JSON of its own."""

    def read(self, span: SpanRecord) -> ModelAct:
        """What the span of a model tells.

        Raises:
            ShapeError: if it cannot be read.
        """
        if (known := self._acts.get(span.id)) is None:
            known = self._acts[span.id] = self._act(span)
        return known

    def _act(self, span: SpanRecord) -> ModelAct:
        root = unflattened(span.attributes)
        llm = mapping(root, "llm")
        counts = mapping(llm, "token_count")
        reply = one_reply(self._messages(llm.get("output_messages"))) or _unstructured(root)
        extra = {**rest(root, {"llm", "input", "output", "openinference"}), **rest(llm, _LLM)}
        if beside := rest(counts, {"prompt", "completion", "total"}):
            extra["token_count"] = beside
        context = self._messages(llm["input_messages"]) if "input_messages" in llm else _prompted(root, llm)
        return ModelAct(
            span=span,
            context=context,
            complete=not any(said.text == _REDACTED for said in context or ()),
            reply=reply,
            shows_calls=self._shows_calls or bool(reply and reply.calls),
            tools=self._described(llm),
            model=text(llm, "model_name"),
            usage=Usage(input_tokens=integer(counts, "prompt"), output_tokens=integer(counts, "completion")),
            extra=extra,
            facts={"provider": text(llm, "provider") or text(llm, "system")},
        )

    def _described(self, llm: Object) -> Sequence[ToolDescription]:
        schemas = [mapping(each, "tool").get("json_schema") for each in _objects(llm.get("tools"))]
        if schemas != self._schemas:
            self._schemas, self._tools = schemas, described_tools(schemas)
        return self._tools

    def _messages(self, value: JSONValue) -> list[Said]:
        return [self._message(mapping(each, "message") or each) for each in _objects(value)]

    def _message(self, message: Object) -> Said:
        """A message; of one that is a role and a text and nothing else always the same value."""
        role, content = message.get("role"), message.get("content")
        if not (isinstance(role, str) and isinstance(content, str) and len(message) == 2):
            return _said(message)
        key = role, content
        if (known := self._said.get(key)) is None:
            known = self._said[key] = _said(message)
        return known


def _prompted(root: Object, llm: Object) -> list[Said] | None:
    """What a model was sent where no messages are recorded."""
    prompts = [result_text(mapping(each, "prompt").get("text")) for each in _objects(llm.get("prompts"))]
    if found := [Said(role="user", text=prompt) for prompt in prompts if prompt]:
        return found
    asked = _known(root, "input")
    body = parsed(asked)
    if isinstance(body, dict) and isinstance(body.get("messages"), list):
        return chat_messages(body["messages"])
    return None if asked is None else [Said(role="user", text=asked)]


def _unstructured(root: Object) -> Said | None:
    """A reply that stands in the span's output only."""
    answer = _known(root, "output")
    body = parsed(answer)
    if isinstance(body, dict) and isinstance(body.get("content"), str):
        return one_reply(chat_messages({**body, "role": "assistant"}))
    return None if answer is None else Said(role="assistant", text=answer)


def _objects(value: JSONValue) -> list[Object]:
    return [each for each in indexed(value) if isinstance(each, dict)]


_MESSAGE = {
    *("role", "content", "contents", "tool_calls", "tool_call_id", "function_call_name"),
    "function_call_arguments_json",
}


def _said(message: Object) -> Said:
    role = text(message, "role")
    content = message.get("content")
    words = _parts(message) if content is None else content if isinstance(content, str) else plain_text(content)
    if answer := call_answered(role, words):
        return answer
    calls = [_asked(mapping(each, "tool_call") or each) for each in _objects(message.get("tool_calls"))]
    if legacy := text(message, "function_call_name"):
        arguments = given_arguments(message.get("function_call_arguments_json")) or {}
        calls.append(Asked(tool=legacy, arguments=arguments))
    return Said(
        role="assistant" if role == "tool-call" else role_of(role),
        text=words,
        call=text(message, "tool_call_id"),
        calls=calls,
        extra=rest(message, _MESSAGE),
    )


def _parts(message: Object) -> str:
    parts = [mapping(each, "message_content") or each for each in _objects(message.get("contents"))]
    return "\n".join(plain_text([dict(part)]) for part in parts)


def _asked(call: Object) -> Asked:
    function = mapping(call, "function")
    return Asked(
        tool=text(function, "name"),
        arguments=given_arguments(function.get("arguments")) or {},
        call=text(call, "id"),
    )


# --- tools ---


def _tool(span: SpanRecord) -> ToolAct:
    root = unflattened(span.attributes)
    tool, call = mapping(root, "tool"), mapping(root, "tool_call")
    asked = mapping(root, "input").get("value")
    schema = parsed(tool.get("parameters"))
    known = schema if isinstance(schema, dict) else {}
    if asked is None:  # some writers keep the arguments, and smolagents the schema
        asked = mapping(call, "function").get("arguments", None if _is_schema(known) else tool.get("parameters"))
    arguments = given_arguments(asked)
    return ToolAct(
        span=span,
        tool=text(tool, "name") or span.name,
        arguments=arguments if arguments is None or isinstance(arguments, str) else positional(arguments, [*known]),
        call=text(tool, "id") or text(call, "id"),
        result=_value(root, "output"),
        error=span.error,
        error_kind=span.error_kind,
        extra={**rest(root, {"input", "output", "openinference", "tool", "tool_call"}), **rest(tool, _TOOL)},
    )


_TOOL = {"name", "id", "description", "parameters"}


def _is_schema(parameters: Object) -> bool:
    return bool(parameters) and all(isinstance(each, dict) and "type" in each for each in parameters.values())


def _retriever(span: SpanRecord) -> ToolAct:
    root = unflattened(span.attributes)
    documents = _objects(mapping(root, "retrieval").get("documents"))
    found = [result_text(mapping(each, "document").get("content")) for each in documents]
    texts = [each for each in found if each]
    return ToolAct(
        span=span,
        tool=span.name,
        arguments=_value(root, "input"),
        result="\n".join(texts) if texts else _value(root, "output"),
        error=span.error,
        error_kind=span.error_kind,
        extra=rest(root, {"input", "output", "openinference"}),
    )
