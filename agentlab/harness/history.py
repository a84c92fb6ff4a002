"""History policies: what is remembered of a turn. The loop knows no version; each policy is one object.

| policy      | accepted turn     | rejected reply | notice | same step again |
|-------------|-------------------|----------------|--------|-----------------|
| react-v1    | as written        | kept           | yes    | no              |
| react-v2    | Thought + Action  | omitted        | yes    | no              |
| react-v3    | Action            | omitted        | yes    | no              |
| kept-silent | as written        | kept           | no     | no              |
| drop        | Thought + Action  | omitted        | no     | no              |
| retry       | Thought + Action  | omitted        | no     | once, uncharged |

react-v1 is the historic fault, kept runnable. Where it was first described it was called react-langgraph-v1, and
react-v2 react-langgraph-v2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentlab.harness.notices import KEPT, OMITTED, NoticeWording
from agentlab.messages import Message, ToolCall
from agentlab.registry import Registry

__all__ = [
    "DROP",
    "KEPT_SILENT",
    "POLICIES",
    "REACT_V1",
    "REACT_V2",
    "REACT_V3",
    "RETRY",
    "AcceptedTurn",
    "HistoryPolicy",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceptedTurn:
    """A reply that passed: as it was written, and as it was understood."""

    text: str
    thought: str
    action: str
    """The action in canonical form, `tool[{json}]`."""
    origin: str
    """The completion event."""
    calls: tuple[ToolCall, ...] = ()
    """Native calls, with the harness's ids: they stand beside the text, so that the text holds no action."""


def as_written(turn: AcceptedTurn) -> str:
    """The whole reply, with whatever stood beside and after its action."""
    return turn.text


def thought_and_action(turn: AcceptedTurn) -> str:
    """The reply re-rendered from what was understood: nothing after the first action survives."""
    if turn.calls:
        return turn.thought
    return f"Thought: {turn.thought}\nAction: {turn.action}" if turn.thought else f"Action: {turn.action}"


def action_alone(turn: AcceptedTurn) -> str:
    """The action only: the model's prose never comes back."""
    return "" if turn.calls else f"Action: {turn.action}"


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryPolicy:
    """How a loop remembers."""

    name: str
    remember: Callable[[AcceptedTurn], str]
    """What an accepted turn leaves in the history."""
    keeps_rejected: bool = False
    """Whether the raw text of a rejected reply stays in the history: the breach this project is about."""
    notice: NoticeWording | None = None
    """What the model is told after a rejected reply."""
    retries: int = 0
    """How often the same request is sent again within a step, uncharged, after a rejected reply."""

    def accepted(self, turn: AcceptedTurn) -> Message:
        """The history item an accepted turn leaves."""
        text = self.remember(turn)
        return Message(role="assistant", text=text, author="model", origin=turn.origin, calls=turn.calls)

    def rejected(self, text: str, origin: str) -> tuple[Message, ...]:
        """The history items a rejected reply leaves, the notice apart."""
        return (Message(role="assistant", text=text, author="model", origin=origin),) if self.keeps_rejected else ()


REACT_V1 = HistoryPolicy(name="react-v1", remember=as_written, keeps_rejected=True, notice=KEPT)
REACT_V2 = HistoryPolicy(name="react-v2", remember=thought_and_action, notice=OMITTED)
REACT_V3 = HistoryPolicy(name="react-v3", remember=action_alone, notice=OMITTED)
KEPT_SILENT = HistoryPolicy(name="kept-silent", remember=as_written, keeps_rejected=True)
DROP = HistoryPolicy(name="drop", remember=thought_and_action)
RETRY = HistoryPolicy(name="retry", remember=thought_and_action, retries=1)

POLICIES: Registry[HistoryPolicy] = Registry(
    kind="history policy",
    builtin={
        policy.name: f"{__name__}:{constant}"
        for constant, policy in {
            "REACT_V1": REACT_V1,
            "REACT_V2": REACT_V2,
            "REACT_V3": REACT_V3,
            "KEPT_SILENT": KEPT_SILENT,
            "DROP": DROP,
            "RETRY": RETRY,
        }.items()
    },
    group="agentlab.history_policies",
)
"""The policies by name, others' by entry point."""
