"""Messages of any provider, told apart by their shape.

OpenAI chat and Responses items, Anthropic, Google (`parts`), OpenTelemetry GenAI (`parts`), Vercel, LlamaIndex
(`blocks`), and LangChain's two serialisations: `{lc, type: "constructor", id, kwargs}` and `{type: "human", ...}`.

LangChain writes each call up to three times: parsed in `tool_calls`, those it could not parse in `invalid_tool_calls`,
and raw in `additional_kwargs`. The raw one counts only where neither of the others is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agentlab.formats.said.model import Asked, Said, decoded, finish_of
from agentlab.formats.said.parts import Draft, asked_of, read_content
from agentlab.formats.said.usage import counts_beside, usage_of
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, mapping, mappings, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.formats.shapes.roles import ROLES
from agentlab.messages import Role, Usage
from agentlab.strictjson import JSONValue, dumps

__all__ = ["is_langchain", "is_message", "joined", "said_of", "unwrapped"]

_CLASSES: Mapping[str, str] = {
    name + more: role
    for name, role in (
        *(("SystemMessage", "system"), ("HumanMessage", "human"), ("AIMessage", "ai"), ("ToolMessage", "tool")),
        *(("FunctionMessage", "function"), ("ChatMessage", "chat")),
    )
    for more in ("", "Chunk")
}
_TYPES = {*_CLASSES.values(), *_CLASSES}
_CONTENTS = ("content", "parts", "blocks")


def unwrapped(value: JSONValue | Object) -> Object | None:
    """A LangChain message of either serialisation as its fields, with `type` for the role; None if it is none."""
    if not isinstance(value, Mapping):
        return None
    kind, name = value.get("type"), value.get("id")
    if kind == "constructor" and isinstance(name, list) and name and isinstance(value.get("kwargs"), dict):
        role = _CLASSES.get(str(name[-1]))
        return None if role is None else {**mapping(value, "kwargs"), "type": role}
    if not isinstance(kind, str) or kind not in _TYPES or ("role" in value and kind != "chat"):
        return None
    if isinstance(value.get("data"), dict) and "content" in mapping(value, "data"):
        return {**mapping(value, "data"), "type": _CLASSES.get(kind, kind)}
    return {**value, "type": _CLASSES.get(kind, kind)} if "content" in value else None


def is_langchain(value: JSONValue | Object) -> bool:
    """Whether a value is a serialised LangChain message."""
    return unwrapped(value) is not None


def is_message(value: JSONValue | Object) -> bool:
    """Whether a value is a message of any kind that is known here, but for a part that stands alone."""
    if not isinstance(value, Mapping):
        return False
    return (isinstance(value.get("role"), str) and not value.keys().isdisjoint(_SPEAKING)) or is_langchain(value)


def said_of(value: JSONValue | Object, *, calls_in_text: bool = False) -> list[Said]:
    """What one message says: the answers to calls that it holds, each of them apart, and then the rest of it.

    Args:
        value: a message, or an item of OpenAI's Responses.
        calls_in_text: whether a content that is the JSON of a list of calls is one, as Koog writes it.

    Raises:
        ShapeError: if it is no message.
    """
    if isinstance(value, str):
        return [Said(role="user", text=value)]
    if not isinstance(value, Mapping):
        raise ShapeError(f"a message was expected and {kind_of(value)} found")
    if value.keys() == _PLAIN and not calls_in_text:
        content, plain = value["content"], ROLES.get(str(value["role"]))
        if isinstance(content, str) and plain is not None and plain != "tool":
            return [Said(role=plain, text=content)]  # most messages of most files
    message = unwrapped(value) or value
    draft = Draft()
    role = _role_of(message)
    if role is None:
        return _of_item(draft, message)
    if calls_in_text and (calls := _calls_in(message.get("content"))):
        return [Said(role="assistant", calls=calls, finish_reason=finish_of(message.get("finish_reason")))]
    for name in _CONTENTS:
        read_content(draft, message.get(name))
    if role == "tool":
        return _answers(draft, message)
    _read_calls(draft, message)
    return [*draft.answers, *_rest_of(draft, message, role)]


def joined(parts: Sequence[Said]) -> Said:
    """The messages of one reply as one; of a reply that names no assistant, whatever is said in it but answers."""
    own = [part for part in parts if part.role == "assistant"] or [part for part in parts if part.role != "tool"]
    if len(own) == 1:
        return replace(own[0], role="assistant")
    return Said(
        role="assistant",
        text="\n".join(part.text for part in own if part.text),
        reasoning="\n".join(part.reasoning for part in own if part.reasoning),
        calls=tuple(call for part in own for call in part.calls),
        finish_reason=next((part.finish_reason for part in own if part.finish_reason != "unknown"), "unknown"),
        model=next((part.model for part in own if part.model), ""),
        usage=next((part.usage for part in own if part.usage != Usage()), Usage()),
        extra=_extras(own),
    )


def _extras(parts: Sequence[Said]) -> dict[str, JSONValue]:
    """What stands beside the parts of a reply; its thoughts may stand in several."""
    found: dict[str, JSONValue] = {}
    for part in parts:
        for name, more in part.extra.items():
            known = found.get(name)
            found[name] = [*known, *more] if isinstance(known, list) and isinstance(more, list) else more
    return found


def _role_of(message: Object) -> Role | None:
    name = message.get("role", message.get("type"))
    if not isinstance(name, str):
        return None
    if name in ROLES:
        return ROLES[name]
    if "role" not in message:
        return None
    # Langfuse's LangChain handler writes the tool's name for a ToolMessage; any other name is somebody who speaks.
    return "tool" if "additional_kwargs" in message or "tool_call_id" in message else "user"


def _of_item(draft: Draft, message: Object) -> list[Said]:
    """A part that stands alone where messages stand, as in OpenAI's Responses; a content without a role is a user's."""
    if "type" in message:
        read_content(draft, dict(message))
        thoughts, beside = "\n".join(draft.thoughts), draft.beside()
        if not (draft.texts or draft.calls or draft.thoughts or beside):
            return draft.answers
        words = "\n".join(draft.texts)
        said = Said(role="assistant", text=words, reasoning=thoughts, calls=draft.asked(), extra=beside)
        return [*draft.answers, said]
    content = next((name for name in _CONTENTS if name in message), None)
    if content is None:
        return [Said(role="user", text=dumps(message))]
    read_content(draft, message[content])
    return [*draft.answers, *_rest_of(draft, message, "user")]


def _answers(draft: Draft, message: Object) -> list[Said]:
    """A tool's message: the answers in its parts, or its content as the one answer it is."""
    if draft.answers and not draft.texts:
        return draft.answers
    name = text(message, "name") or text(message, "role")
    known = _KNOWN | {"tool_call_id", "toolCallId", "name", "status"}
    return [
        Said(
            role="tool",
            text="\n".join(draft.texts),
            call=text(message, "tool_call_id") or text(message, "toolCallId"),
            tool="" if name in ROLES else name,
            failed=message.get("status") == "error",
            extra=rest(message, known),
        )
    ]


def _rest_of(draft: Draft, message: Object, role: Role) -> Iterator[Said]:
    """What a message says beside the answers in it; nothing where they are all of it."""
    if draft.answers and not draft.texts and not draft.calls:
        return
    about = mapping(message, "response_metadata")
    ending = message.get("finish_reason") or message.get("stop_reason")
    yield Said(
        role=role,
        text="\n".join(draft.texts) or text(message, "refusal"),
        reasoning="\n".join(draft.thoughts) or _reasoning(message),
        calls=draft.asked(),
        finish_reason=finish_of(ending or about.get("finish_reason") or about.get("stop_reason")),
        model=text(about, "model_name") or text(about, "model"),
        usage=usage_of(message),
        extra={
            **{name: more for name, more in rest(message, _KNOWN).items() if filled(more)},
            **counts_beside(message),
            **draft.beside(),
        },
    )


def _reasoning(message: Object) -> str:
    for place in (message, mapping(message, "additional_kwargs")):
        for name in ("reasoning_content", "reasoning"):
            found = place.get(name)
            if isinstance(found, str) and found:
                return found
            if found:
                return dumps(found)
    return ""


def _read_calls(draft: Draft, message: Object) -> None:
    """Calls beside the content, each once: the content may name them too, and LangChain writes them raw as well."""
    if message.keys().isdisjoint(_CALLING):
        return
    named = {call.call for call in draft.calls if call.call}
    raw = mapping(message, "additional_kwargs")
    found = [asked_of(_body(call)) for call in _listed(message, "tool_calls") or _listed(message, "toolCalls")]
    for call in mappings(message, "invalid_tool_calls"):
        problem = text(call, "error") or "its arguments could not be parsed"
        found.append(replace(asked_of(call), problem=problem))
    if not found:
        found = [asked_of(_body(call)) for call in _listed(raw, "tool_calls")]
    if not found and not draft.calls:
        legacy = mapping(message, "function_call") or mapping(raw, "function_call")
        found = [asked_of({"function": legacy})] if legacy else []
    draft.calls.extend(call for call in found if not call.call or call.call not in named)


def _listed(message: Object, name: str) -> list[JSONValue]:
    value = decoded(message.get(name))
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise ShapeError(f"{name}: a list was expected and {kind_of(value)} found")
    return value


def _body(call: JSONValue) -> Object:
    call = decoded(call)
    if not isinstance(call, dict):
        raise ShapeError(f"tool_calls: an object was expected in the list and {kind_of(call)} found")
    return call


def _calls_in(content: JSONValue) -> tuple[Asked, ...]:
    calls = decoded(content) if isinstance(content, str) and content.startswith("[{") else None
    bodies = [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    if not bodies or not all(isinstance(each.get("function"), dict) for each in bodies):
        return ()
    return tuple(asked_of(body) for body in bodies)


_CALLING = {"tool_calls", "toolCalls", "invalid_tool_calls", "function_call", "additional_kwargs"}
_PLAIN = {"role", "content"}
_SPEAKING = {*_CONTENTS, "tool_calls", "toolCalls", "function_call"}
_KNOWN = {
    *_CONTENTS,
    *("role", "type", "tool_calls", "toolCalls", "invalid_tool_calls", "function_call", "additional_kwargs", "refusal"),
    *("finish_reason", "stop_reason", "reasoning_content", "reasoning", "usage_metadata", "usage", "example"),
}
