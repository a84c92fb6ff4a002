"""Which answers a loop accepts. The check is one of structure: what was executed, not what the answer says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from agentlab.harness.executor import Execution
from agentlab.harness.gate import Rejected
from agentlab.messages import Completion
from agentlab.trace.values import Language

__all__ = ["AnswerRule", "any_answer", "resting_on"]

AnswerRule: TypeAlias = Callable[[Completion, Sequence[Execution]], Rejected | None]
"""Takes a reply that answers and what had been executed before; gives a refusal, or None where it is accepted."""

_HINT: Mapping[Language, str] = {
    "en": "No execution that your answer must rest on is recorded yet: call the tool that can tell, then answer.",
    "zh": "尚未记录到回答所必须依据的执行：请先调用能够给出结果的工具，再作回答。",
}


def any_answer(reply: Completion, executed: Sequence[Execution]) -> Rejected | None:
    """Accepts every answer."""
    return None


def resting_on(*required: Callable[[Execution], bool]) -> AnswerRule:
    """A rule that accepts an answer only when for each requirement an execution that meets it has succeeded."""

    def rule(reply: Completion, executed: Sequence[Execution]) -> Rejected | None:
        done = [execution for execution in executed if execution.result is not None]
        if all(any(meets(execution) for execution in done) for meets in required):
            return None
        reason = "The answer came before an execution that it must rest on."
        return Rejected(code="no_evidence", reason=reason, hint=_HINT, start=0, end=len(reply.text))

    return rule
