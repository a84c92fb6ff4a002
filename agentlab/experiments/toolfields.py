"""The names of what a case's tools take and return, so that a misspelled one is found when the case is read.

A check that asks for a field no tool has would never pass, and the study would only show a rate of 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from agentlab.experiments.checks import AnswerNumber, Executed
from agentlab.harness.contracts import Tool
from agentlab.providers.behaviour import PlanStep
from agentlab.tools.documents import Document, DocumentLibrary

__all__ = ["misnamed"]

_PROBE = "probe.md"
"""Name and content of the one document of a library that only serves to ask the tools what they return."""


def misnamed(checks: Sequence[AnswerNumber | Executed], plan: Sequence[PlanStep]) -> Iterator[str]:
    """A sentence for each argument or field of a result that its tool does not have; unknown tools are passed over."""
    known = _tools()
    for number, check in enumerate(checks):
        if isinstance(check, Executed) and check.tool in known:
            place = f"checks.{number}.executed"
            taken, returned = known[check.tool]
            yield from _strangers(f"{place}.arguments", check.arguments, f"argument of {check.tool}", taken)
            yield from _strangers(f"{place}.result", check.result, f"field of what {check.tool} returns", returned)
    for number, step in enumerate(plan):
        if step.tool in known:
            place = f"simulated.plan.{number}.arguments"
            yield from _strangers(place, step.arguments, f"argument of {step.tool}", known[step.tool][0])


def _strangers(place: str, given: Iterable[str], what: str, known: Sequence[str]) -> Iterator[str]:
    for key in given:
        if key not in known:
            yield f"{place}: {key!r} is no {what}; there is {', '.join(known) or 'none'}"


@cache
def _tools() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """By tool: the names of its arguments, and of the fields of its result."""
    library = DocumentLibrary(documents=(Document.from_text(_PROBE, _PROBE),))
    found = {}
    for function in library.tools():
        tool = Tool.of(function)
        required = {name: _PROBE for name, field in tool.contract.model_fields.items() if field.is_required()}
        found[tool.name] = (tuple(tool.contract.model_fields), tuple(function(**required)))
    return found
