"""The parts of a message's content, as OpenAI, Anthropic, Google, Vercel and OpenTelemetry write them.

A part says by its `type` what it is; Google's say it by the name of their only field. What is none of the known parts
is kept as its JSON, and a picture as a short mark (see `agentlab.formats.shapes.content`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from agentlab.formats.said.model import Asked, Said
from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.fields import Object, ShapeError, boolean, kind_of, mapping, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.strictjson import JSONValue, dumps

__all__ = ["Draft", "asked_of", "read_content"]


@dataclass(slots=True)
class Draft:
    """A message while it is read."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    sealed: list[JSONValue] = field(default_factory=list)
    """What the parts with thoughts hold beside them: signatures, and thoughts that nobody but the provider reads."""
    calls: list[Asked] = field(default_factory=list)
    answers: list[Said] = field(default_factory=list)
    provided: dict[str, Object] = field(default_factory=dict)
    """Results of calls that the provider ran, by call."""

    def asked(self) -> tuple[Asked, ...]:
        """The calls, those that the provider ran with what came out."""
        return tuple(
            _served(call, self.provided[call.call]) if call.call in self.provided else call for call in self.calls
        )

    def beside(self) -> dict[str, JSONValue]:
        """What has no place in a message, for its `extra`; also results of calls that an earlier message made."""
        calls = {call.call for call in self.calls}
        stray: list[JSONValue] = [dict(part) for call, part in self.provided.items() if call not in calls]
        held: dict[str, JSONValue] = {"thinking": [*self.sealed], "tool_results": stray}
        return {name: more for name, more in held.items() if more}


def read_content(draft: Draft, content: JSONValue) -> None:
    """Read a content: a text, a part, a list of either, or nothing.

    Raises:
        ShapeError: if it is something else.
    """
    if content is None:
        return
    if isinstance(content, str):
        draft.texts.append(content)
    elif isinstance(content, dict):
        _read_part(draft, content)
    elif isinstance(content, list):
        for part in content:
            if not isinstance(part, str | dict):
                raise ShapeError(f"content: a text or an object was expected in the list and {kind_of(part)} found")
            read_content(draft, part)
    else:
        raise ShapeError(f"content: a text or a list of parts was expected and {kind_of(content)} found")


def asked_of(call: Object) -> Asked:
    """A call, from an OpenAI `tool_calls` entry, LangChain's or Vercel's, or a part that is one."""
    body = mapping(call, "function") or mapping(call, "custom") or call
    given = next((body[name] for name in ("arguments", "args", "input") if body.get(name) is not None), None)
    return Asked(
        call=next((text(call, name) for name in _IDS if call.get(name)), ""),
        tool=text(body, "name") or text(body, "toolName") or text(body, "tool_name"),
        arguments=given_arguments(given) or {},
    )


def _read_part(draft: Draft, part: Object) -> None:
    kind = text(part, "type") or text(part, "block_type") or next((name for name in _GOOGLE if name in part), "")
    reader = _READERS.get(kind)
    if reader is not None:
        reader(draft, part)
    elif kind.endswith("_tool_result"):
        draft.provided[text(part, "tool_use_id")] = part
    elif kind.endswith("_call"):
        draft.calls.append(asked_of({"name": kind, **part}) if part.get("call_id") else _provided(part, kind))
    else:
        draft.texts.append(part_text(part))


def _text(draft: Draft, part: Object) -> None:
    if boolean(part, "thought"):  # how Google marks reasoning
        _thought(draft, part)
        return
    found = part.get("text")
    draft.texts.append(found if isinstance(found, str) else part_text(part))


def _thought(draft: Draft, part: Object) -> None:
    if held := {name: more for name, more in rest(part, _THOUGHT).items() if filled(more)}:
        draft.sealed.append(held)
    for name in _THOUGHTS:
        found = part.get(name)
        if isinstance(found, dict):  # Microsoft.Extensions.AI wraps it once more
            found = found.get("text")
        if found:
            draft.thoughts.append(plain_text(found) if isinstance(found, str | list) else dumps(found))
            return


def _call(draft: Draft, part: Object) -> None:
    draft.calls.append(asked_of(part))


def _server_call(draft: Draft, part: Object) -> None:
    draft.calls.append(replace(asked_of(part), by="provider", ended=False))  # its result is a part of its own


def _served(call: Asked, result: Object) -> Asked:
    """A call that Anthropic ran, with the part that holds its result, or the code of the error that it met."""
    content = result.get("content")
    error = text(content, "error_code") if isinstance(content, dict) else ""
    return replace(call, result=None if error else _result_text(result), error=error or None, ended=True)


def _google_call(draft: Draft, part: Object) -> None:
    draft.calls.append(asked_of(mapping(part, "function_call") or mapping(part, "functionCall")))


def _answer(draft: Draft, part: Object) -> None:
    names = ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "id")
    failed = boolean(part, "is_error") or boolean(part, "isError") or False
    draft.answers.append(
        Said(
            role="tool",
            call=next((text(part, name) for name in names if part.get(name)), ""),
            tool=text(part, "name") or text(part, "toolName"),
            text=_result_text(part),
            failed=failed,
            extra=rest(part, _ANSWER),
        )
    )


def _google_answer(draft: Draft, part: Object) -> None:
    body = mapping(part, "function_response") or mapping(part, "functionResponse")
    draft.answers.append(
        Said(role="tool", call=text(body, "id"), tool=text(body, "name"), text=written(body.get("response")))
    )


def _result_text(part: Object) -> str:
    value = next((part[name] for name in ("content", "output", "result", "response") if part.get(name) is not None), "")
    if isinstance(value, dict) and value.keys() == {"type", "value"}:  # Vercel
        value = value["value"]
    parts = isinstance(value, list) and all(isinstance(each, dict) and each.get("type") == "text" for each in value)
    return plain_text(value) if parts else written(value)


def _provided(part: Object, kind: str) -> Asked:
    """A call that OpenAI runs itself: the item is proposal and execution in one."""
    status = text(part, "status")
    failed = status in ("failed", "incomplete") or part.get("error") is not None
    given = part.get("arguments", part.get("action", part.get("input")))
    return Asked(
        call=text(part, "id"),
        tool=text(part, "name") or kind.removesuffix("_call"),
        arguments=given_arguments(rest(part, _PROVIDED) if given is None else given) or {},
        by="provider",
        result=None if part.get("output") is None else written(part["output"]),
        error=written(part.get("error") or status) if failed else None,
        ended=status not in _UNFINISHED,
    )


_IDS = ("call_id", "id", "toolCallId", "tool_call_id")
"""An item of OpenAI's Responses has an id of its own beside that of its call."""
_ANSWER = {
    *("type", "tool_use_id", "tool_call_id", "toolCallId", "call_id", "id", "name", "toolName", "is_error", "isError"),
    *("content", "output", "result", "response"),
}
_PROVIDED = {"type", "id", "status", "output", "error", "name"}
_UNFINISHED = {"in_progress", "searching", "interpreting", "generating", "calling"}
_THOUGHTS = ("thinking", "reasoning", "text", "content", "summary")
_THOUGHT = {*_THOUGHTS, "type", "block_type", "thought"}
_GOOGLE = ("function_call", "functionCall", "function_response", "functionResponse", "text")

_READERS: Mapping[str, Callable[[Draft, Object], None]] = {
    **dict.fromkeys(("text", "input_text", "output_text"), _text),
    **dict.fromkeys(("thinking", "reasoning", "redacted_thinking", "thought"), _thought),
    "Microsoft.Extensions.AI.TextReasoningContent": _thought,
    **dict.fromkeys(("tool_use", "tool_call", "tool-call", "function", "custom_tool_call"), _call),
    "server_tool_use": _server_call,
    "function_response": _google_answer,
    "functionResponse": _google_answer,
    "functionCall": _google_call,
    "function_call": lambda draft, part: (_google_call if "function_call" in part else _call)(draft, part),
    **dict.fromkeys(
        (
            *("tool_result", "tool-result", "tool_call_response"),
            *("function_call_output", "custom_tool_call_output", "computer_call_output"),
        ),
        _answer,
    ),
}
