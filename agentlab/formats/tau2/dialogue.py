"""The messages of a tau2-bench simulation: an agent, a simulated user and the tools of both, in one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.said.model import finish_of
from agentlab.formats.shapes.calls import beside_calls
from agentlab.formats.shapes.chat_response import usage_of
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    boolean,
    mapping,
    mappings,
    number,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.python_errors import misfits_signature
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Role
from agentlab.trace.values import Caller, ProposedCall, RefusalCode

__all__ = ["USER", "Dialogue", "is_marked"]

USER: Final = "user"
"""Name of the simulated user where it acts: when it asks for calls of its own tools."""

_SPOKEN = {"role", "content", "tool_calls", "timestamp", "turn_idx", "usage", "generation_time_seconds"}
_RESULT = {"role", "id", "content", "requestor", "error", "timestamp", "turn_idx", "tool_messages"}
_CALL = {"id", "name", "arguments", "requestor"}
_NO_TOOLS = ("Tools not available", "User tools not available", "User tool calls are not allowed in solo mode")


@dataclass
class Dialogue:
    """Records messages as they come."""

    builder: TraceBuilder
    marked: bool = True
    """Whether every answer of a tool says if it is an error; where one does not, none proves what ran."""
    _proposed: dict[str, ProposedCall] = field(default_factory=dict)
    """The latest call of each id, for what it was run with."""
    _begun: bool = False
    _user_waits: bool = False
    """Whether the simulated user was given results that it has not spoken after."""
    _final: str | None = None
    """The agent's last words, if it asked for nothing after them."""

    def read(self, messages: Sequence[Object]) -> None:
        """Record a list of messages; a message's identity is its index.

        Raises:
            ShapeError: if one is not as tau2-bench writes it; it names the index.
        """
        for index, message in enumerate(messages):
            with at(f"message {index}"):
                self.take(message, str(index))
        self.close()

    def take(self, message: Object, source: str) -> None:
        """Record one message.

        Raises:
            ShapeError: if it is not as tau2-bench writes it.
        """
        role = text(message, "role")
        if role == "assistant":
            self._agent_speaks(message, source)
        elif role == "user":
            self._user_speaks(message, source)
        elif role == "tool":
            self._tool_answers(message, source)
        elif role == "system":
            self._hear("system", message, source)
        else:
            raise ShapeError(f"role: one of system, user, assistant, tool was expected and {role[:40]!r} found")

    @property
    def answered(self) -> bool:
        """Whether the agent spoke last, and asked for nothing."""
        return self._final is not None

    def close(self) -> None:
        """The conversation is over: what the agent said last, asking for nothing, is its answer."""
        if self._final is not None:
            self.builder.answer(self._final)

    # --- who speaks ---

    def _agent_speaks(self, message: Object, source: str) -> None:
        content = _content(message)
        greeting, self._begun = not self._begun and _is_canned(message), True
        if greeting:
            extra = rest(message, _SPOKEN)
            self.builder.hear(Item(role="assistant", author="harness", text=content, source=source, extra=extra))
            return
        calls = self._calls(message)
        common = _common(message, source, _SPOKEN)
        common["extra"].update(whole_usage(mapping(message, "usage")))
        self.builder.reply(
            content,
            calls=calls,
            usage=usage_of(message),
            latency=number(message, "generation_time_seconds"),
            **_of_provider(mapping(message, "raw_data")),
            **common,
        )
        self._final = None if calls else content

    def _user_speaks(self, message: Object, source: str) -> None:
        calls = self._calls(message, simulated=True)
        if calls or self._user_waits:
            self.builder.seat(USER)
            self.builder.request(source=source, time=seconds(message.get("timestamp")))
            if calls:
                common = _common(message, source, _SPOKEN - {"usage", "generation_time_seconds"})
                self.builder.reply(_content(message), calls=calls, **common)
            self._user_waits = False
            self.builder.seat("")
        if not calls:
            self._hear("user", message, source)

    def _hear(self, role: Role, message: Object, source: str) -> None:
        extra = rest(message, {"role", "content", "tool_calls", "turn_idx"})
        self.builder.hear(Item(role=role, text=_content(message), source=source, extra=extra))

    # --- calls ---

    def _calls(self, message: Object, *, simulated: bool = False) -> list[ProposedCall]:
        calls = []
        for call in mappings(message, "tool_calls"):
            by: Caller = "user_simulator" if simulated or text(call, "requestor") == "user" else "agent"
            arguments = arguments_of(call.get("arguments"))
            proposed = self.builder.propose(text(call, "name"), arguments, call=text(call, "id"), by=by)
            self._proposed[proposed.call] = proposed
            calls.append(proposed)
        return calls

    def _tool_answers(self, message: Object, source: str) -> None:
        many = mappings(message, "tool_messages")
        for place, inner in enumerate(many):
            self._answer(inner, f"{source}.{place}")
        if not many:
            self._answer(message, source)

    def _answer(self, message: Object, source: str) -> None:
        simulated = text(message, "requestor") == "user"
        name, content = text(message, "id"), _content(message)
        time = seconds(message.get("timestamp"))
        failed = boolean(message, "error") if self.marked else None
        if simulated:
            self._user_waits = True
            self.builder.seat(USER)
        call = self._proposed.get(name)
        tool = call.tool if call else text(message, "name")
        if failed and (code := _refusal(tool, content)):
            self.builder.refuse(name, code=code, reason=content, source=source, time=time)
        elif failed is not None:
            by: Caller = "user_simulator" if simulated else "not_recorded"
            execution = self.builder.begin(tool, call.arguments if call else None, call=name, by=by, source=source)
            result, error = (None, content) if failed else (content, None)
            self.builder.end(execution, result=result, error=error, source=source, time=time)
        extra = rest(message, _RESULT)
        self.builder.hear(Item(role="tool", text=content, call=name, time=time, source=source, extra=extra))
        self.builder.seat("")


def is_marked(messages: Sequence[Object]) -> bool:
    """Whether every tool message among these says if it is an error, as tau2-bench's own do."""
    for message in messages:
        if message.get("role") == "tool":
            inner: Sequence[Object] = mappings(message, "tool_messages") or [message]
            if not all(isinstance(each.get("error"), bool) for each in inner):
                return False
    return True


def _content(message: Object) -> str:
    return plain_text(message.get("content"))


def _common(message: Object, source: str, known: set[str]) -> dict[str, Any]:
    extra = {**rest(message, known), **beside_calls(mappings(message, "tool_calls"), _CALL)}
    return {"source": source, "time": seconds(message.get("timestamp")), "extra": extra}


def _is_canned(message: Object) -> bool:
    """Whether a greeting was put there by the harness: no model was paid, and none left a trace of its answer."""
    return message.get("cost") == 0 and not any(message.get(name) for name in ("usage", "raw_data", "tool_calls"))


def _of_provider(raw: Object) -> dict[str, Any]:
    """What the provider's own answer says beside text and calls: model, reasoning, why it stopped."""
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else raw
    choice: Object = first if isinstance(first, dict) else {}
    model = raw.get("model")
    return {
        "model": model if isinstance(model, str) else "",
        "reasoning": _reasoning(choice),
        "finish_reason": finish_of(choice.get("finish_reason") or choice.get("stop_reason")),
    }


def _reasoning(choice: Object) -> str:
    inner = choice.get("message")
    reply = inner if isinstance(inner, dict) else choice
    if isinstance(told := reply.get("reasoning_content"), str):
        return told
    blocks = reply.get("thinking_blocks")
    found = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    return "\n".join(text(block, "thinking") for block in found if isinstance(block.get("thinking"), str))


def _refusal(tool: str, content: str) -> RefusalCode | None:
    """Why a call that failed never ran; None where the tool raised the error."""
    problem = content.removeprefix("Error: ")
    if problem in _NO_TOOLS or problem == f"Tool '{tool}' not found.":
        return "unknown_tool"
    return "invalid_arguments" if misfits_signature(tool, content) else None
