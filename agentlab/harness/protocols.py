"""How a model asks for tools: as text in a fixed form, or natively, beside its text. Each way is one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentlab.errors import unknown_name
from agentlab.harness.contracts import ToolBox
from agentlab.harness.gate import Admitted, Judgement, admit, admit_native
from agentlab.harness.history import AcceptedTurn
from agentlab.harness.notices import NoticeWording
from agentlab.messages import Completion, Message, ToolCall, ToolDescription
from agentlab.trace.events import CompletionEvent
from agentlab.trace.values import Language

__all__ = ["NATIVE", "TEXT", "ToolProtocol", "protocol_named"]


class ToolProtocol(Protocol):
    """The form in which calls and results pass between a model and the harness."""

    name: str

    def offered(self, tools: ToolBox) -> Sequence[ToolDescription]:
        """The tools that a request offers natively."""
        ...

    def judge(self, completion: Completion, tools: ToolBox) -> Judgement:
        """What a reply comes to."""
        ...

    def turn(self, completion: Completion, event: CompletionEvent, admitted: Admitted) -> AcceptedTurn:
        """An accepted reply, as a history policy may remember it."""
        ...

    def shown(self, payload: str) -> str:
        """How a result is written for the model."""
        ...

    def observation(self, text: str, call: str, origin: str) -> Message:
        """The message that shows a result, written so, of a call."""
        ...

    def notice(self, wording: NoticeWording, language: Language, detail: str) -> str:
        """A notice in this form's terms."""
        ...


class _Text:
    """Thought / Action / Observation in the text itself."""

    name = "text"

    def offered(self, tools: ToolBox) -> Sequence[ToolDescription]:
        return ()  # the prompt describes them

    def judge(self, completion: Completion, tools: ToolBox) -> Judgement:
        return admit(completion.text, tools)

    def turn(self, completion: Completion, event: CompletionEvent, admitted: Admitted) -> AcceptedTurn:
        action = admitted.calls[0].action
        return AcceptedTurn(text=completion.text, thought=admitted.thought, action=action, origin=event.id)

    def shown(self, payload: str) -> str:
        return f"Observation: {payload}"

    def observation(self, text: str, call: str, origin: str) -> Message:
        return Message(role="user", text=text, author="tool", origin=origin)

    def notice(self, wording: NoticeWording, language: Language, detail: str) -> str:
        return wording.render(language, detail)


class _Native:
    """Calls and results as messages of their own. The ids are the harness's: what a server gives may come twice."""

    name = "native"

    def offered(self, tools: ToolBox) -> Sequence[ToolDescription]:
        return tools.descriptions

    def judge(self, completion: Completion, tools: ToolBox) -> Judgement:
        return admit_native(completion, tools)

    def turn(self, completion: Completion, event: CompletionEvent, admitted: Admitted) -> AcceptedTurn:
        calls = tuple(
            ToolCall(id=proposed.call, tool=call.tool, arguments=call.arguments)
            for proposed, call in zip(event.calls, admitted.calls, strict=True)
        )
        return AcceptedTurn(
            text=completion.text, thought=admitted.thought, action=calls[0].tool, origin=event.id, calls=calls
        )

    def shown(self, payload: str) -> str:
        return payload

    def observation(self, text: str, call: str, origin: str) -> Message:
        return Message(role="tool", text=text, author="tool", origin=origin, call=call)

    def notice(self, wording: NoticeWording, language: Language, detail: str) -> str:
        return wording.render_native(language, detail)


TEXT: ToolProtocol = _Text()
NATIVE: ToolProtocol = _Native()
_PROTOCOLS = {protocol.name: protocol for protocol in (TEXT, NATIVE)}


def protocol_named(name: str) -> ToolProtocol:
    """The protocol of a name.

    Raises:
        UsageError: if there is none.
    """
    if name not in _PROTOCOLS:
        raise unknown_name("tool protocol", name, _PROTOCOLS)
    return _PROTOCOLS[name]
