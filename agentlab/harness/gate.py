"""The gate: from the raw text of a reply to something the loop may act on, or a refusal. One place decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from agentlab.harness.contracts import ToolBox
from agentlab.harness.intents import Call, Clarify, Finish, Intent, ProtocolError, Reply, parse_reply
from agentlab.messages import Arguments, Completion, ToolCall
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.values import Language, RefusalCode, Span

__all__ = ["AdmittedAnswer", "AdmittedCall", "AdmittedCalls", "Judgement", "Rejected", "admit", "admit_native"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedCall:
    """A reply whose first action may run."""

    thought: str
    tool: str
    arguments: dict[str, JSONValue]
    discarded: tuple[Span, ...] = ()
    """What stood after the action and was not read."""

    @property
    def action(self) -> str:
        """The action in canonical form."""
        return f"{self.tool}[{dumps(self.arguments)}]"

    @property
    def calls(self) -> tuple[AdmittedCall, ...]:
        return (self,)


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedCalls:
    """A reply with native calls, all of which may run, in order."""

    thought: str
    """The text beside them; it is never evidence."""
    calls: tuple[AdmittedCall, ...]
    discarded: tuple[Span, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedAnswer:
    """A reply that ends the attempt."""

    answer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejected:
    """A reply that is refused whole; nothing of it may enter a context under a policy that omits."""

    code: str
    reason: str
    """Quotes nothing of the reply."""
    hint: Mapping[Language, str]
    """What a notice may add, worded by the harness."""
    start: int
    end: int
    """Where in the reply, in code points."""
    forged: tuple[Span, ...] = ()
    tool: str | None = None
    """Tool of the first well-formed action it asked for."""
    arguments: Arguments | None = None
    refusal: RefusalCode = "unparsed"
    native_calls: tuple[ToolCall, ...] = ()
    """Every call that it asked for natively."""


Admitted: TypeAlias = AdmittedCall | AdmittedCalls
Judgement: TypeAlias = Admitted | AdmittedAnswer | Rejected

_FINISH: Mapping[Language, str] = {
    "en": "If no tool is needed, reply with Action: Finish[your answer].",
    "zh": "如果不需要工具，请回复 Action: Finish[你的回答]。",
}


def admit(text: str, tools: ToolBox) -> Judgement:
    """Judge one reply."""
    intent = parse_reply(text, tools=tools.names)
    if isinstance(intent, Finish) and intent.answer.strip():
        return AdmittedAnswer(answer=intent.answer)
    if isinstance(intent, Call):
        return _admit_call(intent, tools)
    if isinstance(intent, ProtocolError):
        return _rejected_error(intent, tools)
    code, reason = _NO_ACTION[type(intent)]
    return Rejected(code=code, reason=reason, hint=_FINISH, start=0, end=len(text))


def admit_native(completion: Completion, tools: ToolBox) -> Judgement:
    """Judge one reply of a model that has the tools natively.

    The text beside a call, or the answer, is held to the same law as a reply of the text protocol: a result or another
    party's turn in it refuses the whole reply. A call that only stands in the text is none.
    """
    intent = parse_reply(completion.text, tools=tools.names)
    if isinstance(intent, ProtocolError) and intent.forged:
        return replace(_rejected_error(intent, tools), native_calls=completion.calls)
    if completion.calls:
        return _admit_calls(completion, tools)
    if isinstance(intent, Finish | Reply):
        answer = intent.answer if isinstance(intent, Finish) else intent.text
        return AdmittedAnswer(answer=answer) if answer.strip() else _rejected_whole("empty_answer", completion.text)
    code = "empty_reply" if isinstance(intent, ProtocolError) and intent.code == "empty_reply" else "call_as_text"
    return _rejected_whole(code, completion.text)


def _admit_calls(completion: Completion, tools: ToolBox) -> AdmittedCalls | Rejected:
    admitted = []
    for call in completion.calls:
        refusal = tools.refusal(call.tool, call.arguments)
        if refusal is not None or not isinstance(call.arguments, dict):
            assert refusal is not None, "a call that passes its contract has an object of arguments"
            return Rejected(
                code="call_refused",
                reason=refusal.texts["en"],
                hint=refusal.texts,
                start=0,
                end=len(completion.text),
                tool=call.tool,
                arguments=call.arguments,
                refusal=refusal.code,
                native_calls=completion.calls,
            )
        admitted.append(AdmittedCall(thought="", tool=call.tool, arguments=call.arguments))
    return AdmittedCalls(thought=completion.text.strip(), calls=tuple(admitted))


def _rejected_whole(code: str, text: str) -> Rejected:
    reason, hint = _NATIVE[code]
    return Rejected(code=code, reason=reason, hint=hint, start=0, end=len(text))


_ANSWER_OR_CALL: Mapping[Language, str] = {
    "en": "Call a tool itself, or answer in plain words.",
    "zh": "请直接调用工具，或者用文字回答。",
}
_NATIVE: Mapping[str, tuple[str, Mapping[Language, str]]] = {
    "call_as_text": ("The reply writes a call as text and makes none.", _ANSWER_OR_CALL),
    "empty_reply": ("The reply is empty.", _ANSWER_OR_CALL),
    "empty_answer": ("The reply finishes without an answer.", _ANSWER_OR_CALL),
}
_NO_ACTION: Mapping[type[Intent], tuple[str, str]] = {
    Reply: ("no_action", "The reply holds neither an Action nor a Finish."),
    Clarify: ("no_tool_wanted", "The reply says that no tool is wanted and gives no answer."),
    Finish: ("empty_answer", "The reply finishes without an answer."),
}


def _admit_call(intent: Call, tools: ToolBox) -> AdmittedCall | Rejected:
    refusal = tools.refusal(intent.tool, intent.arguments)
    if refusal is None and isinstance(intent.arguments, dict):
        discarded = tuple(Span(start=part.start, end=part.end, kind="discarded") for part in intent.discarded)
        return AdmittedCall(thought=intent.thought, tool=intent.tool, arguments=intent.arguments, discarded=discarded)
    assert refusal is not None, "a call that passes its contract has an object of arguments"
    return Rejected(
        code="call_refused",
        reason=refusal.texts["en"],
        hint=refusal.texts,
        start=intent.start,
        end=intent.end,
        tool=intent.tool,
        arguments=intent.arguments,
        refusal=refusal.code,
    )


def _rejected_error(error: ProtocolError, tools: ToolBox) -> Rejected:
    proposed = error.proposed
    refusal = tools.refusal(proposed.tool, proposed.arguments) if proposed and error.code == "unknown_tool" else None
    return Rejected(
        code=error.code,
        reason=error.reason,
        hint=refusal.texts if refusal else {},
        start=error.start,
        end=error.end,
        forged=tuple(Span(start=part.start, end=part.end, kind=part.kind) for part in error.forged),
        tool=proposed.tool if proposed else None,
        arguments=proposed.arguments if proposed else None,
        refusal=refusal.code if refusal else "unparsed",
    )
