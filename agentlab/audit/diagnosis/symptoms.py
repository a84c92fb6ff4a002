"""From findings to a diagnosis: the symptom a person saw, the likeliest root cause, and what to look at first.

The order is that in which one looks: at the context, then at the loop, then at the tool calls, and last at the model,
which is the likeliest suspect and the least likely culprit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.audit.diagnosis.context import ContextCheck, context_checks
from agentlab.audit.values import Finding
from agentlab.trace.model import Trace

__all__ = ["SYMPTOMS", "Diagnosis", "Layer", "Symptom", "diagnose"]

Layer: TypeAlias = Literal["context", "loop", "tool_calls", "model"]
_ORDER: tuple[Layer, ...] = ("context", "loop", "tool_calls", "model")
_LOUD = ("failure", "warning")


@dataclass(frozen=True, kw_only=True, slots=True)
class Symptom:
    """Something that runaway agents are seen to do."""

    name: str
    rules: frozenset[str]
    """Findings of these rules show it."""
    layer: Layer
    cause: str
    """The likeliest root cause."""
    check: str
    """The first thing to look at."""
    fed_by: tuple[str, ...] = ()
    """Questions to the context, by name, that bear on it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """A symptom that a trace shows, and the findings that show it."""

    symptom: Symptom
    findings: tuple[Finding, ...]
    context: tuple[ContextCheck, ...] = ()
    """What of the context makes it likelier."""


def diagnose(trace: Trace, findings: Sequence[Finding]) -> tuple[Diagnosis, ...]:
    """The symptoms that findings of severity failure and warning show, in the order in which to look."""
    loud = [finding for finding in findings if finding.severity in _LOUD]
    if not loud:
        return ()
    poor = [check for check in context_checks(trace) if check.verdict == "poor"]
    shown = []
    for symptom in SYMPTOMS:
        its = tuple(finding for finding in loud if finding.rule in symptom.rules)
        if its:
            related = tuple(check for check in poor if check.name in symptom.fed_by)
            shown.append(Diagnosis(symptom=symptom, findings=its, context=related))
    return tuple(sorted(shown, key=lambda each: _ORDER.index(each.symptom.layer)))


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom(
        name="it makes up tools",
        rules=frozenset({"unknown-tool"}),
        layer="context",
        cause="Tools are missing from the context, described vaguely, or buried in it.",
        check="Print the context of that step: are all tools there, and can they be told apart?",
        fed_by=("tool_descriptions",),
    ),
    Symptom(
        name="it forgets the goal",
        rules=frozenset({"goal-lost"}),
        layer="context",
        cause="The context is long and the goal drowned in it.",
        check="Look where the task stands in the context, and repeat it at the end.",
        fed_by=("instruction_place", "irrelevant_text"),
    ),
    Symptom(
        name="it drifts late in long tasks",
        rules=frozenset({"late-drift"}),
        layer="context",
        cause="No summary of what is done and what is left, so early constraints are lost.",
        check="Look whether the last contexts still hold the constraints of the first.",
        fed_by=("irrelevant_text", "instruction_place"),
    ),
    Symptom(
        name="it behaves oddly after reading external content",
        rules=frozenset({"injection-followed"}),
        layer="context",
        cause="Content from outside reached the model as if it were an instruction.",
        check="Mark tool results as data in the context, and ask for leave before an action that writes or sends.",
    ),
    Symptom(
        name="it believes what it wrote itself",
        rules=frozenset({"forged-observation", "forged-turn", "forged-error", "contamination", "laundered-claim"}),
        layer="context",
        cause="What the model writes may come back to it as a result.",
        check="Print the first context that carries the text; keep refused replies out of the history.",
    ),
    Symptom(
        name="it repeats itself",
        rules=frozenset({"repeat-loop", "no-progress", "raw-error-fed-back"}),
        layer="loop",
        cause="Nothing in the loop sees a repetition, or the error that came back does not help.",
        check="Look at the answer that the repeated call got: does it say what to do instead?",
        fed_by=("irrelevant_text",),
    ),
    Symptom(
        name="it says it is done when it is not",
        rules=frozenset({"premature-finish", "vacuous-evidence", "stale-evidence", "unexecuted-claim"}),
        layer="loop",
        cause="Whether the task is done is judged by the model itself.",
        check="Let the loop accept an answer only on a check of its own: a file, an exit code, a count.",
    ),
    Symptom(
        name="it calls tools with wrong arguments",
        rules=frozenset({"malformed-call", "multiple-actions"}),
        layer="tool_calls",
        cause="The description does not say what the parameters mean.",
        check="Read the tool's description as if you had never seen the tool; validate before executing.",
        fed_by=("tool_descriptions",),
    ),
    Symptom(
        name="it passes over errors",
        rules=frozenset({"ignored-error", "missing-result", "infrastructure"}),
        layer="tool_calls",
        cause="Errors come back raw, late, or not at all.",
        check="Look at what the model was shown of the failed call, and in which message.",
    ),
    Symptom(
        name="it was told what did not happen",
        rules=frozenset({"harness-forged-result"}),
        layer="tool_calls",
        cause="The harness answers in a tool's or the model's place, or answers one call with another's result.",
        check="Hold the message that the model was shown against the execution that it answers.",
    ),
    Symptom(
        name="it states what no tool returned",
        rules=frozenset(
            {"contradicted-claim", "phantom-call", "unsupported-answer", "unsupported-memory", "subagent-claim"}
        ),
        layer="model",
        cause="The model answered from what it believed, with the evidence missing or passed over.",
        check="Compare the answer with the results that had reached the model; ask for the source of each figure.",
        fed_by=("irrelevant_text", "instruction_place"),
    ),
)
