"""Messages as GenAI spans write them: the conventions' parts, chat messages, and Google's contents.

Whatever the shape, a message becomes `Said`, and one that answers several calls becomes several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, mapping, mappings, rest, text
from agentlab.formats.shapes.roles import ROLES
from agentlab.formats.spans.acts import Asked, Said, extra_of, result_text
from agentlab.formats.spans.tree import first_of, indexed, parsed
from agentlab.messages import Role
from agentlab.strictjson import JSONValue

__all__ = ["called", "chat_messages", "google_contents", "google_reply", "one_reply", "part_messages", "role_of"]

_MESSAGE = {"role", "parts", "finish_reason"}
_CHAT = {
    *("role", "content", "tool_calls", "tool_call_id", "id", "finish_reason", "reasoning", "function_call", "refusal"),
}


def role_of(name: str) -> Role:
    """The seat of a message; what no convention names speaks from outside, like a user."""
    return ROLES.get(name.lower(), "user")


def one_reply(said: Sequence[Said]) -> Said | None:
    """The reply among what a model wrote; further choices of the same request go to its `extra`."""
    if not said:
        return None
    first, *more = said
    if not more and first.role == "assistant":
        return first
    others: list[JSONValue] = [{"text": each.text, "finish_reason": each.finish, **extra_of(each)} for each in more]
    return replace(first, role="assistant", extra={**first.extra, **({"choices": others} if others else {})})


def called(call: Object) -> Asked:
    """A call as chat messages write it, its fields inside `function` or beside the id."""
    body = mapping(call, "function") or call
    arguments = given_arguments(body.get("arguments", body.get("args"))) or {}
    return Asked(tool=text(body, "name"), arguments=arguments, call=text(call, "id"))


# --- the conventions' own messages ---


def part_messages(value: JSONValue) -> list[Said]:
    """Messages with `parts`, from a list or the JSON text of one.

    Raises:
        ShapeError: if they are not.
    """
    return [said for message in _objects(value, "messages") for said in _with_parts(message)]


def _with_parts(message: Object) -> Iterator[Said]:
    if "parts" not in message:
        yield from _chat_message(message)
        return
    role = text(message, "role")
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[Asked] = []
    answers: list[Said] = []
    for part in mappings(message, "parts"):
        kind = text(part, "type")
        if kind in ("tool_call", "server_tool_call"):
            calls.append(_part_call(part, server=kind.startswith("server")))
        elif kind in ("tool_call_response", "server_tool_call_response"):
            answers.append(Said(role="tool", call=text(part, "id"), text=_answer(part)))
        elif kind in ("reasoning", "thinking"):
            thoughts.append(text(part, "content"))
        else:
            texts.append(part_text(part))
    calls, left = _with_answers(calls, answers)
    yield from left
    if texts or thoughts or calls or not left:
        yield Said(
            role=role_of(role),
            text="\n".join(texts),
            calls=calls,
            reasoning="\n".join(thoughts),
            finish=text(message, "finish_reason"),
            extra=_more(message, _MESSAGE, role),
        )


def _part_call(part: Object, *, server: bool) -> Asked:
    inner = mapping(part, "server_tool_call") if server else part
    return Asked(
        tool=text(part, "name") or text(inner, "type"),
        arguments=given_arguments(inner.get("arguments", inner.get("input"))) or {},
        call=text(part, "id"),
        by="provider" if server else None,
    )


def _answer(part: Object) -> str:
    answer = first_of(part, "response", "result", "server_tool_call_response", "content")
    return "" if answer is None else written(answer)


def _with_answers(calls: Sequence[Asked], answers: Sequence[Said]) -> tuple[list[Asked], list[Said]]:
    """Calls that a provider ran, with what came back, and the answers to other calls."""
    by_call = {said.call: said.text for said in answers}
    served = {call.call for call in calls if call.by == "provider" and call.call in by_call}
    whole = [replace(call, answer=by_call[call.call]) if call.call in served else call for call in calls]
    return whole, [said for said in answers if said.call not in served]


# --- chat messages ---


def chat_messages(value: JSONValue) -> list[Said]:
    """Messages with `content` and `tool_calls`, also flattened; from a list, or the JSON text of one.

    Raises:
        ShapeError: if they are not.
    """
    return [said for message in _objects(value, "messages") for said in _chat_message(message)]


def _chat_message(message: Object) -> Iterator[Said]:
    role = text(message, "role")
    calls = [called(call) for call in _objects(message.get("tool_calls"), "tool_calls")]
    if legacy := mapping(message, "function_call"):
        calls.append(called(legacy))
    yield Said(
        role=role_of(role),
        text=_content(message.get("content")) or text(message, "refusal"),
        call=text(message, "tool_call_id") or (text(message, "id") if role == "tool" else ""),
        calls=calls,
        reasoning=_content(message.get("reasoning")),
        finish=text(message, "finish_reason"),
        extra=_more(message, _CHAT, role),
    )


def _content(content: JSONValue) -> str:
    """The text of a message; instrumentations write a list of parts as the JSON text of one."""
    if isinstance(content, str) and content.startswith("[{"):
        parts = parsed(content)
        if isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts):
            return plain_text(parts)
    if isinstance(content, dict) and "0" in content:
        return plain_text(indexed(content))
    return plain_text(content) if isinstance(content, str | list | dict) else result_text(content) or ""


# --- Google's contents ---


def google_contents(request: Object) -> list[Said]:
    """What a Gemini request was sent: `config.system_instruction` and `contents`.

    Raises:
        ShapeError: if it is none.
    """
    found = []
    system = mapping(request, "config").get("system_instruction")
    if system is not None:
        said = "\n".join(_google_texts(system)) if isinstance(system, dict) else plain_text(system)
        found.append(Said(role="system", text=said))
    return [*found, *(said for content in mappings(request, "contents") for said in _google(content))]


def google_reply(response: Object) -> Said | None:
    """What a Gemini model answered: `content`, or `candidates`.

    Raises:
        ShapeError: if it is none.
    """
    several = [response] if mapping(response, "content") else mappings(response, "candidates")
    finish = text(response, "finish_reason")
    return one_reply([_candidate(each, finish) for each in several if mapping(each, "content")])


def _candidate(candidate: Object, finish: str) -> Said:
    said = [each for each in _google(mapping(candidate, "content")) if each.role != "tool"]
    reply = said[0] if said else Said(role="assistant")
    return replace(reply, finish=text(candidate, "finish_reason", finish).lower())


def _google_texts(content: Object) -> list[str]:
    return [text(part, "text") for part in mappings(content, "parts") if "text" in part]


def _google(content: Object) -> Iterator[Said]:
    role = role_of(text(content, "role"))
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[Asked] = []
    answered = False
    for part in mappings(content, "parts"):
        answer = mapping(part, "function_response")
        call = mapping(part, "function_call")
        if answer:
            answered = True
            yield Said(role="tool", call=text(answer, "id"), text=google_answer(answer.get("response")))
        elif call:
            calls.append(Asked(tool=text(call, "name"), arguments=mapping(call, "args"), call=text(call, "id")))
        elif part.get("thought") is True:
            thoughts.append(text(part, "text"))
        elif "text" in part:
            texts.append(text(part, "text"))
        else:
            texts.append(part_text({"type": next(iter(part), "part"), **part}))
    if texts or thoughts or calls or not answered:
        yield Said(role=role, text="\n".join(texts), calls=calls, reasoning="\n".join(thoughts))


def google_answer(response: JSONValue) -> str:
    """A tool's answer as the model is shown it: of an MCP result the texts, else the JSON."""
    if isinstance(response, dict) and isinstance(response.get("content"), list) and "isError" in response:
        return plain_text(response["content"])
    return result_text(response) or ""


# --- parts ---


def _objects(value: JSONValue, name: str) -> Iterable[Object]:
    """The objects of a list, which may be flattened, or the JSON text of it."""
    value = parsed(value)
    if value is None:
        return
    for place, each in enumerate([value] if isinstance(value, dict) and "0" not in value else indexed(value)):
        one = parsed(each)
        if not isinstance(one, dict):
            raise ShapeError(f"{name}[{place}]: an object was expected and {kind_of(each)} found")
        yield one


def _more(message: Object, known: set[str], role: str) -> dict[str, JSONValue]:
    odd: dict[str, JSONValue] = {} if not role or role.lower() in ROLES else {"role": role}
    return {**rest(message, known), **odd}
