"""What a case asks of an attempt: what the answer must say, and what it must rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentlab.harness.executor import Execution
from agentlab.quantities import Quantity, quantities
from agentlab.strictjson import JSONValue, StrictJSONError, loads
from agentlab.trace.calls import TracedCall
from agentlab.trace.model import Trace

__all__ = ["AnswerNumber", "Executed"]

_REACH = 24
"""How many characters after a number its unit may begin."""
_FREQUENCY = {"never", "once", "twice", "thrice"}


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AnswerNumber(_Check):
    """The answer states this count.

    Numbers before one of the units decide where there are any ("3 times", "出现了 3 次", "twice"), else the first
    number does. All that decide must agree.
    """

    kind: Literal["answer_number"]
    value: int
    units: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    """Words that follow the count, e.g. `times`, `次`."""

    def passed(self, answer: str) -> bool:
        """Whether the answer states the count."""
        found = quantities(answer)
        deciding = [q for q in found if self._has_unit(answer, q)] or list(found[:1])
        return bool(deciding) and all(q.value == self.value for q in deciding)

    def _has_unit(self, answer: str, quantity: Quantity) -> bool:
        after = answer[quantity.end : quantity.end + _REACH].lstrip(" *`\"'").lower()
        return quantity.text.lower() in _FREQUENCY or any(after.startswith(unit.lower()) for unit in self.units)


class Executed(_Check):
    """The answer rests on an execution: this tool, with at least these arguments, returned at least these fields."""

    kind: Literal["executed"]
    tool: str
    arguments: Mapping[str, JSONValue] = {}
    result: Mapping[str, JSONValue] = {}

    def passed(self, trace: Trace) -> bool:
        """Whether such an execution succeeded and its result was delivered to the model."""
        return any(self._fits(call) for call in trace.calls)

    def meets(self, execution: Execution) -> bool:
        """Whether an execution is such a one, while the attempt is under way."""
        call = execution.call
        return self._is_asked_for(call.tool, call.arguments, execution.result)

    def _fits(self, call: TracedCall) -> bool:
        done = call.state == "succeeded" and bool(call.delivered)
        return done and self._is_asked_for(call.tool, call.arguments, call.result)

    def _is_asked_for(self, tool: str, arguments: object, result: str | None) -> bool:
        return tool == self.tool and _holds(arguments, self.arguments) and _holds(_parsed(result), self.result)


def _parsed(result: str | None) -> object:
    try:
        return loads(result or "null")
    except StrictJSONError:
        return None


def _holds(found: object, wanted: Mapping[str, JSONValue]) -> bool:
    return isinstance(found, Mapping) and all(key in found and found[key] == value for key, value in wanted.items())
