"""What an OpenTelemetry span says of a model, a tool or an agent, by the GenAI conventions and what came before them.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ names an operation and holds messages as attributes; older
instrumentations write each message as an event of the span; Traceloop flattens them into numbered attributes
(`gen_ai.prompt.0.role`); Google's Agent Development Kit keeps its requests as JSON texts of its own.

Tokens: `input_tokens` counts all of the prompt, cached ones included, and `output_tokens` all that was generated,
reasoning included; Google counts thoughts apart, and they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, integer, listing, mapping, rest, text
from agentlab.formats.spans.acts import Act, AgentAct, ModelAct, Said, ToolAct, result_text
from agentlab.formats.spans.spoken import (
    chat_messages,
    google_answer,
    google_contents,
    google_reply,
    one_reply,
    part_messages,
)
from agentlab.formats.spans.tree import SpanRecord, first_of, indexed, parsed, unflattened, word
from agentlab.messages import ToolDescription, Usage
from agentlab.strictjson import JSONValue

__all__ = ["act_of"]

_MODEL = ("chat", "text_completion", "generate_content", "completion", "responses")
_ADK = "gcp.vertex.agent."


def act_of(span: SpanRecord) -> Act | None:
    """What a span tells; None for what is neither of a model, a tool, nor an agent.

    Raises:
        ShapeError: if an attribute is not what its convention says.
    """
    kind = _kind(span)
    if kind == "tool":
        return _tool(span)
    if kind == "agent":
        return _agent(span)
    return _model(span) if kind == "model" else None


def _kind(span: SpanRecord) -> str:
    attributes = span.attributes
    operation = attributes.get("gen_ai.operation.name")
    if operation == "execute_tool" or (operation is None and "gen_ai.tool.name" in attributes):
        return "tool"
    if operation in _MODEL:
        return "model"
    loop = attributes.get("traceloop.span.kind")
    if operation == "invoke_agent" or loop == "agent":
        return "agent"
    if operation is not None or loop is not None:
        return "tool" if loop == "tool" else ""
    named = next(
        (kind for begin, kind in _NAMES.items() if span.name == begin or span.name.startswith(f"{begin} ")), ""
    )
    return named or ("model" if _speaks(attributes) else "")


_NAMES = {"execute_tool": "tool", "invoke_agent": "agent", "call_llm": "model"}
"""Spans that are known by their names, where a writer left the operation out."""
_SPEECH = (
    *("gen_ai.prompt.0.role", "gen_ai.prompt.0.content", "gen_ai.completion.0.role", "gen_ai.completion.0.content"),
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.response.id", "gen_ai.response.finish_reasons"),
)


def _speaks(attributes: Object) -> bool:
    return any(name in attributes for name in _SPEECH) or attributes.get("llm.request.type") in ("chat", "completion")


# --- tools ---

_TOOL = {
    *("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments"),
    *("gen_ai.tool.call.result", f"{_ADK}tool_call_args", f"{_ADK}tool_response", f"{_ADK}llm_request"),
    *(f"{_ADK}llm_response", "error.type", "traceloop.span.kind", "traceloop.entity.name"),
    *("traceloop.entity.input", "traceloop.entity.output"),
}


def _tool(span: SpanRecord) -> ToolAct:
    attributes = span.attributes
    asked = first_of(attributes, "gen_ai.tool.call.arguments", f"{_ADK}tool_call_args", "traceloop.entity.input")
    answer = first_of(attributes, "gen_ai.tool.call.result", f"{_ADK}tool_response", "traceloop.entity.output")
    error, kind = span.error, span.error_kind
    body = parsed(answer)
    if error is None and isinstance(body, dict) and body.get("isError") is True:
        error, kind = google_answer(body) or "the tool's result says that it is an error", "isError"
    named = text(attributes, "gen_ai.tool.name") or text(attributes, "traceloop.entity.name")
    return ToolAct(
        span=span,
        tool=named or span.name.removeprefix("execute_tool "),
        arguments=given_arguments(asked),
        call=text(attributes, "gen_ai.tool.call.id"),
        result=result_text(answer),
        error=error,
        error_kind=kind,
        extra=rest(attributes, _TOOL),
    )


# --- agents ---

_AGENT = {
    *("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.provider.name", "gen_ai.system", "gen_ai.request.model"),
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions"),
    *("traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output"),
    "error.type",
}


def _agent(span: SpanRecord) -> AgentAct:
    attributes = span.attributes
    heard = part_messages(attributes.get("gen_ai.input.messages"))
    said = part_messages(attributes.get("gen_ai.output.messages"))
    name = text(attributes, "gen_ai.agent.name") or text(attributes, "traceloop.entity.name")
    task = next((each.text for each in reversed(heard) if each.role == "user"), "")
    output = next((each.text for each in reversed(said) if each.text), None)
    if output is None:
        output = result_text(attributes.get("traceloop.entity.output"))
    return AgentAct(
        span=span,
        name=name or span.name.removeprefix("invoke_agent").strip(),
        task=task or result_text(attributes.get("traceloop.entity.input")) or "",
        output=output,
        tools=_definitions(attributes),
        extra=rest(attributes, _AGENT),
        facts={"provider": _provider(attributes), "model": text(attributes, "gen_ai.request.model")},
    )


# --- models ---

_READ = {
    *("gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"),
    *("gen_ai.tool.definitions", "gen_ai.request.model", "gen_ai.response.model", "gen_ai.response.finish_reasons"),
    *("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.prompt_tokens"),
    *("gen_ai.usage.completion_tokens", "gen_ai.provider.name", "gen_ai.system", "gen_ai.prompt", "gen_ai.completion"),
    *(f"{_ADK}llm_request", f"{_ADK}llm_response", "error.type"),
}
_FLAT = ("gen_ai.prompt.", "gen_ai.completion.", "llm.request.functions.")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Speech:
    """What one convention tells of a model call."""

    context: Sequence[Said] = ()
    complete: bool = True
    """Whether the context is all that the model was sent, and not only its instructions."""
    reply: Said | None = None
    tools: Sequence[ToolDescription] = ()


def _model(span: SpanRecord) -> ModelAct:
    attributes = span.attributes
    speeches = [speech for read in (_spec, _by_events, _flat, _whole, _adk) if (speech := read(span))]
    reply = next((speech.reply for speech in speeches if speech.reply), None)
    heard = sorted((speech for speech in speeches if speech.context), key=lambda speech: not speech.complete)
    words = parsed(attributes.get("gen_ai.response.finish_reasons"))
    extra = {
        name: value
        for name, value in attributes.items()
        if name not in _READ and value is not None and not name.startswith(_FLAT)
    }
    if beside := _beside(span):
        extra[f"{_ADK}llm_response"] = beside
    return ModelAct(
        span=span,
        context=heard[0].context if heard else None,
        complete=not heard or heard[0].complete,
        reply=reply,
        shows_calls=reply is not None,
        tools=next((speech.tools for speech in speeches if speech.tools), ()),
        model=text(attributes, "gen_ai.response.model") or text(attributes, "gen_ai.request.model"),
        usage=_usage(attributes),
        finish=words[0] if isinstance(words, list) and words and isinstance(words[0], str) else "",
        extra=extra,
        facts={"provider": _provider(attributes)},
    )


def _spec(span: SpanRecord) -> _Speech | None:
    attributes = span.attributes
    details = next((event.attributes for event in span.events if event.name in _DETAILS), None)
    if details:
        attributes = {**attributes, **details}
    names = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions")
    if not any(name in attributes for name in names):
        return None
    system = parsed(attributes.get("gen_ai.system_instructions"))
    first = [Said(role="system", text=plain_text(system))] if system else []
    return _Speech(
        context=[*first, *part_messages(attributes.get("gen_ai.input.messages"))],
        complete=attributes.get("gen_ai.input.messages") is not None,
        reply=one_reply(part_messages(attributes.get("gen_ai.output.messages"))),
        tools=_definitions(attributes),
    )


_DETAILS = {"gen_ai.client.inference.operation.details"}
_SPOKEN = ("system", "user", "assistant", "tool")


def _by_events(span: SpanRecord) -> _Speech | None:
    context: list[Said] = []
    choices: list[Said] = []
    complete = True
    for event in span.events:
        if not event.name.startswith("gen_ai."):
            continue
        name = event.name.removeprefix("gen_ai.").removesuffix(".message")
        whole = parsed(event.attributes.get("gen_ai.event.content"))
        body: dict[str, JSONValue] = {**event.attributes, **(whole if isinstance(whole, dict) else {})}
        if name in _SPOKEN:
            complete = complete and not body.keys().isdisjoint(("content", "tool_calls"))
            context += chat_messages({"role": name, **_message(body)})
        elif name == "choice":
            inner = parsed(body.get("message"))
            message = inner if isinstance(inner, dict) else {"content": inner} if isinstance(inner, str) else body
            told = {"role": "assistant", "finish_reason": word(body, "finish_reason")}
            choices += chat_messages({**_message(message), **told})
        elif name == "content.prompt":
            context += chat_messages(event.attributes.get("gen_ai.prompt"))
        elif name == "content.completion":
            choices += chat_messages(event.attributes.get("gen_ai.completion"))
    if not context and not choices:
        return None
    return _Speech(context=context, complete=complete, reply=one_reply(choices))


def _message(body: Object) -> dict[str, JSONValue]:
    return {name: body[name] for name in ("role", "content", "tool_calls", "id") if body.get(name) is not None}


def _flat(span: SpanRecord) -> _Speech | None:
    attributes = span.attributes
    if not any(name in attributes for name in _SPEECH[:4]) and "llm.request.functions.0.name" not in attributes:
        return None
    reply = one_reply(chat_messages(unflattened(attributes, "gen_ai.completion.")))
    tools = described_tools(indexed(unflattened(attributes, "llm.request.functions.")))
    return _Speech(context=chat_messages(unflattened(attributes, "gen_ai.prompt.")), reply=reply, tools=tools)


def _whole(span: SpanRecord) -> _Speech | None:
    """The oldest way: prompt and completion each one text, of messages as JSON or of the words alone."""
    prompt, completion = span.attributes.get("gen_ai.prompt"), span.attributes.get("gen_ai.completion")
    if prompt is None and completion is None:
        return None
    return _Speech(
        context=_either(prompt, "user") if prompt is not None else [],
        reply=one_reply(_either(completion, "assistant")) if completion is not None else None,
    )


def _either(value: JSONValue, role: str) -> list[Said]:
    body = parsed(value)
    if isinstance(body, list) and all(isinstance(each, dict) for each in body):
        return chat_messages(body)
    return chat_messages({"role": role, "content": value})


def _adk(span: SpanRecord) -> _Speech | None:
    request = parsed(span.attributes.get(f"{_ADK}llm_request"))
    response = parsed(span.attributes.get(f"{_ADK}llm_response"))
    asked = request if isinstance(request, dict) else {}
    answered = response if isinstance(response, dict) else {}
    if not asked and not answered:
        return None
    return _Speech(
        context=google_contents(asked),
        complete="contents" in asked,
        reply=google_reply(answered),
        tools=described_tools(listing(mapping(asked, "config"), "tools")),
    )


_RESPONSE = {"content", "candidates", "finish_reason"}


def _beside(span: SpanRecord) -> dict[str, JSONValue]:
    """What Google's response holds beside the reply, e.g. how many tokens came from a cache."""
    response = parsed(span.attributes.get(f"{_ADK}llm_response"))
    return rest(response, _RESPONSE) if isinstance(response, dict) else {}


def _usage(attributes: Object) -> Usage:
    given = _count(attributes, "input_tokens", "prompt_tokens")
    wrote = _count(attributes, "output_tokens", "completion_tokens")
    response = parsed(attributes.get(f"{_ADK}llm_response"))
    counts = mapping(response, "usage_metadata") if isinstance(response, dict) else {}
    thoughts = integer(counts, "thoughts_token_count")
    if thoughts and wrote is not None and wrote == integer(counts, "candidates_token_count"):
        wrote += thoughts
    return Usage(input_tokens=given, output_tokens=wrote)


def _count(attributes: Object, *names: str) -> int | None:
    found = (integer(attributes, f"gen_ai.usage.{name}") for name in names)
    return next((count for count in found if count is not None), None)


# --- parts ---


def _provider(attributes: Object) -> str:
    return text(attributes, "gen_ai.provider.name") or text(attributes, "gen_ai.system")


def _definitions(attributes: Object) -> Sequence[ToolDescription]:
    return described_tools(indexed(parsed(attributes.get("gen_ai.tool.definitions"))))
