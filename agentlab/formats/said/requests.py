"""What was sent to a model and what came back, from the many values in which tracers keep the two.

Frameworks hand a tracer their own objects: a list of messages, a provider's whole request or response, a prompt text,
or a value printed with Python's `repr`. The shape decides; a value of no known shape is kept as its JSON text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agentlab.formats.said.memory import Memory
from agentlab.formats.said.messages import is_message, joined, said_of
from agentlab.formats.said.model import Said, decoded, finish_of
from agentlab.formats.said.parts import Draft, read_content
from agentlab.formats.said.usage import counts_beside, usage_of
from agentlab.formats.shapes.content import written
from agentlab.formats.shapes.fields import Object, mapping, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.messages import Usage
from agentlab.strictjson import JSONValue

__all__ = ["parameters_of", "replied", "requested"]


def requested(value: JSONValue, *, calls_in_text: bool = False, memory: Memory | None = None) -> list[Said] | None:
    """The messages of a request; None where they were not recorded.

    Args:
        value: the request, whose texts may hold JSON.
        calls_in_text: see `said_of`.
        memory: of the agent; it is brought up to date.

    Raises:
        ShapeError: if something stands where messages stand and is none.
    """
    opened, system = decoded(value), None
    while isinstance(opened, dict) and (body := _body(opened)) is not None:
        system = [*(system or ()), *_system(opened)]
        opened = decoded(body)
    if not filled(opened) or opened == _LOST:
        return system
    return [*(system or ()), *_messages(opened, calls_in_text, Memory() if memory is None else memory)]


def _body(value: Object) -> JSONValue:
    """The messages in a request that holds more; None in what is no such request."""
    if is_message(value):
        return None
    return next((value[name] for name in _BODIES if value.get(name) not in (None, "", [])), None)


def _messages(value: JSONValue, calls_in_text: bool, memory: Memory) -> list[Said]:
    if isinstance(value, list):
        return _conversation(value, calls_in_text, memory)
    if isinstance(value, dict):
        return [*([] if is_message(value) else _system(value)), *said_of(value, calls_in_text=calls_in_text)]
    return [Said(role="user", text=written(value))]


def parameters_of(value: JSONValue) -> dict[str, JSONValue]:
    """What a request holds beside its messages and tools: its model, how many tokens it may think, ...

    Args:
        value: the request, whose texts may hold JSON.
    """
    value = decoded(value)
    if not isinstance(value, dict) or _body(value) is None:
        return {}
    found = rest(value, {*_BODIES, *_SYSTEMS, *_TOOLS})
    config = found.get("config")
    if isinstance(config, dict):
        found["config"] = rest(config, {*_SYSTEMS, *_TOOLS})
    return {name: part for name, part in found.items() if filled(part)}


def replied(value: JSONValue, *, calls_in_text: bool = False, opened: JSONValue = None) -> Said | None:
    """A model's reply; None where it was not recorded.

    Args:
        value: the response, whose texts may hold JSON.
        calls_in_text: see `said_of`.
        opened: the response as `decoded` gives it, where that is at hand.

    Raises:
        ShapeError: if something stands where messages stand and is none.
    """
    opened = decoded(value) if opened is None else opened
    if opened is None or opened in ([], {}):
        return None
    if isinstance(opened, list):
        found = [_reply_of(part, calls_in_text) for part in opened]
        return joined([part for parts in found for part in parts])
    if isinstance(opened, dict):
        return _of_response(opened, calls_in_text) or Said(role="assistant", text=written(value))
    return Said(role="assistant", text=written(opened))


_RESPONSE = {
    *("choices", "candidates", "generations", "message", "content", "output", "text", "toolCalls", "model"),
    *("finish_reason", "finishReason", "stop_reason", "usage_metadata", "usageMetadata", "usage"),
}
_LOST = {"content": "role"}
"""What LangSmith's OpenTelemetry exporter puts for a list of messages that it could not flatten."""
_BODIES = ("messages", "contents", "input", "prompt", "prompts")
_SYSTEMS = ("system", "instructions", "system_instruction", "systemInstruction")
_TOOLS = ("tools", "functions")


def _conversation(values: Sequence[JSONValue], calls_in_text: bool, memory: Memory) -> list[Said]:
    if values and isinstance(values[0], list):  # LangChain's batch of prompts; a run answers the first
        values = values[0]

    def read(value: JSONValue) -> list[Said]:
        printed = _printed(value) if isinstance(value, str) else None
        return printed or said_of(value, calls_in_text=calls_in_text)

    return memory.read(values, read)


def _system(request: Object) -> list[Said]:
    """The instructions that stand beside the messages."""
    config = mapping(request, "config") if isinstance(request.get("config"), dict) else {}
    for place in (request, config):
        for name in _SYSTEMS:
            if place.get(name):
                draft = Draft()
                content = decoded(place[name])
                read_content(draft, content.get("parts", content) if isinstance(content, dict) else content)
                return [Said(role="system", text="\n".join(draft.texts))]
    return []


def _reply_of(part: JSONValue, calls_in_text: bool) -> list[Said]:
    """What one element of a list that is a reply says."""
    if isinstance(part, dict) and "toolName" in part and "type" not in part:  # Vercel
        return said_of({"role": "assistant", "tool_calls": [part]})
    if isinstance(part, str):
        return [Said(role="assistant", text=part)]
    if isinstance(part, dict) and ("message" in part or "generation_info" in part):
        return [found] if (found := _of_response(part, calls_in_text)) else []
    return said_of(part, calls_in_text=calls_in_text)


def _of_response(value: Object, calls_in_text: bool) -> Said | None:
    """The reply in a provider's or framework's response; None where it has none of the known shapes."""
    if is_message(value):
        found: Said | None = joined(said_of(value, calls_in_text=calls_in_text))
    else:
        found = _inside(value, calls_in_text)
    if found is None:
        return None
    counts = usage_of(value)
    ending = finish_of(value.get("finish_reason") or value.get("finishReason") or value.get("stop_reason"))
    return replace(
        found,
        usage=found.usage if counts == Usage() else counts,
        finish_reason=found.finish_reason if ending == "unknown" else ending,
        model=found.model or (text(value, "model") if isinstance(value.get("model"), str) else ""),
        extra={**found.extra, **_beside(value)},
    )


def _beside(response: Object) -> dict[str, JSONValue]:
    """What a response holds beside the reply: its id, the server's fingerprint, tokens that came from a cache, ..."""
    if is_message(response):
        return {}  # its own fields are the message's
    held = {name: value for name, value in rest(response, _RESPONSE).items() if filled(value)}
    return {**held, **counts_beside(response)}


def _inside(value: Object, calls_in_text: bool) -> Said | None:
    for name in ("choices", "candidates", "generations"):
        several = value.get(name)
        if isinstance(several, list) and several:
            first = several[0][0] if isinstance(several[0], list) and several[0] else several[0]
            found = _of_response(first, calls_in_text) if isinstance(first, dict) else None
            return found and replace(found, extra={**found.extra, name: several[1:]}) if several[1:] else found
    for name in ("message", "content", "output"):
        if _speaks(inner := value.get(name)):
            return replied(inner, calls_in_text=calls_in_text)
    if "toolCalls" in value or "finishReason" in value:
        return joined(said_of({"role": "assistant", "content": value.get("text"), "toolCalls": value.get("toolCalls")}))
    return None


def _speaks(value: JSONValue) -> bool:
    """Whether a value is a message, or a list of messages or parts; a model's own JSON has such fields by chance."""
    if isinstance(value, dict):
        return is_message(value) or "parts" in value
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) and "type" in v for v in value)


# --- messages printed with Python's repr, as Agno hands them to its tracer

_PRINTED = re.compile(
    r"role='(\w{1,20})' content=(None|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"(?: name=(?:None|'[^']*') tool_call_id=(?:None|'([^']*)'))?",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


def _printed(value: str) -> list[Said] | None:
    found = _PRINTED.match(value)
    if found is None:
        return None
    content = "" if found[2] == "None" else _ESCAPE.sub(_unescape, found[2][1:-1])
    return said_of({"role": found[1], "content": content, **({"tool_call_id": found[3]} if found[3] else {})})


def _unescape(escape: re.Match[str]) -> str:
    body = escape[1]
    if len(body) == 1:
        return _ESCAPED.get(body, body)
    code = int(body[1:], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
