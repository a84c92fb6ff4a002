"""Short chats with native calls, as a message list records them: executions are not recorded, answers are."""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.audit.report import audit_trace
from agentlab.audit.values import Finding
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.messages import Arguments
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

Call = tuple[str, Arguments, str]
"""A tool, what it was called with, and what came back; `!` before the result marks it as an error."""

_CHAT = Evidence(proposals="present", results="present", authorship="present")


def chat(*turns: str | Call | Sequence[Call], task: str = "Tend the harbour", system: str = "") -> Trace:
    """A chat: texts are replies, calls are made in a reply of their own, several of a list in one."""
    builder = TraceBuilder("openai-chat", path="x", key=["k", repr(turns)], evidence=_CHAT)
    if system:
        builder.hear(Item(role="system", text=system))
    builder.hear(Item(role="user", text=task))
    for turn in turns:
        if isinstance(turn, str):
            builder.reply(turn)
            continue
        calls: Sequence[Call] = [turn] if isinstance(turn, tuple) else turn  # type: ignore[list-item]
        asked = [builder.propose(tool, given) for tool, given, _ in calls]
        builder.reply("", calls=asked)
        for call, (_, _, came) in zip(asked, calls, strict=True):
            extra = {"is_error": True} if came.startswith("!") else {}
            builder.hear(Item(role="tool", text=came.removeprefix("!"), call=call.call, extra=extra))
    return builder.build()


def found(trace: Trace) -> list[Finding]:
    """The findings of severity failure and warning."""
    return [finding for finding in audit_trace(trace).findings if finding.severity in ("failure", "warning")]


def rules(trace: Trace) -> list[tuple[str, str]]:
    """The same as rule and severity."""
    return [(finding.rule, finding.severity) for finding in found(trace)]
