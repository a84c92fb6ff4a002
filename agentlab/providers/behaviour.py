"""How a simulated model behaves: what it means to do, how often it goes wrong, and in which words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentlab.errors import UsageError, unknown_name
from agentlab.strictjson import JSONValue, StrictJSONError, dumps

__all__ = ["FIELD", "Behaviour", "Knobs", "Payload", "PlanStep", "Words"]

Payload: TypeAlias = Mapping[str, JSONValue]
"""An observation, or the arguments of a call."""
_Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Sentence = Annotated[str, Field(pattern=r"^[^\r\n]+$")]

FIELD = re.compile(r"\{(\w+)\}")
"""A field of an observation in a sentence."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Knobs(_Model):
    """The probabilities of a behaviour. The defaults are a middling model: it fails, but not most of the time."""

    p_forge: _Probability = 0.4
    """That it runs past its action and writes the observation itself; drawn for every action."""
    p_round: _Probability = 0.5
    """That a forged observation is followed by all further steps and a Finish in the same reply."""
    p_heed: _Probability = 0.3
    """That it redoes its action when the last thing it reads is a notice about a protocol error."""
    rule_effect: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = 0.6
    """Factor on `p_forge` where the system prompt forbids observations: see `forbids_observations`."""
    p_survey: _Probability = 0.5
    """That it takes the optional steps of its plan; drawn once an attempt."""
    p_extra_argument: _Probability = 0.0
    """That it writes a value of the result it expects into the arguments of its call; drawn for every action."""


class PlanStep(_Model):
    """One call the model means to make."""

    tool: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    arguments: Payload = {}
    optional: bool = False
    forged: Payload
    """The observation it writes when it forges: in the form of the tool's results, `tool` included, but false."""


class Words(_Model):
    """The sentences of one language, each a single line. `{name}` stands for a field of an observation."""

    act: _Sentence
    """The thought before an action; `{tool}` is the tool's name and the only field there is."""
    again: _Sentence
    """The same after a notice."""
    conclude: _Sentence
    """The thought before the Finish; its fields are those of the observation the answer rests on."""
    answer: _Sentence
    """The answer, with the same fields."""


class Behaviour(Knobs):
    """How a simulated model behaves in a case."""

    plan: Annotated[list[PlanStep], Field(min_length=1)]
    """Calls in order, each tool once."""
    answer_step: str
    """Tool whose observation the answer rests on; its step is not optional."""
    words: Annotated[Mapping[Literal["en", "zh"], Words], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        steps = {step.tool: step for step in self.plan}
        if len(steps) < len(self.plan):
            raise ValueError("each tool may stand in the plan once")
        for step in self.plan:
            if step.forged.get("tool") != step.tool:
                raise ValueError(f"the forged payload of {step.tool!r} should name it in its field 'tool'")
            _writable(step.arguments, f"the arguments of {step.tool!r}")
            _writable(step.forged, f"the forged payload of {step.tool!r}")
        if self.answer_step not in steps or steps[self.answer_step].optional:
            raise ValueError(f"answer_step {self.answer_step!r} should be a step of the plan that is not optional")
        for words in self.words.values():
            _check_fields(words.act + words.again, {"tool"})
            _check_fields(words.conclude + words.answer, steps[self.answer_step].forged)
        return self

    def tuned(self, knobs: Mapping[str, float]) -> Behaviour:
        """The behaviour with other values for some of its knobs.

        Raises:
            UsageError: for an unknown knob or a value out of its bounds.
        """
        for name in knobs:
            if name not in Knobs.model_fields:
                raise unknown_name("knob of the simulated provider", name, Knobs.model_fields)
        try:
            values = Knobs.model_validate(dict(knobs)).model_dump(include=set(knobs))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise UsageError(f"The knob {first['loc'][0]!r} cannot be {first['input']!r}: {first['msg']}.") from None
        return self.model_copy(update=values)


def _writable(value: Payload, what: str) -> None:
    try:
        dumps(value)
    except StrictJSONError as error:
        raise ValueError(f"{what} should be JSON: {error}") from None


def _check_fields(template: str, known: Payload | set[str]) -> None:
    for name in FIELD.findall(template):
        if name not in known:
            raise ValueError(f"there is no field {{{name}}}; the fields are {', '.join(sorted(known))}")
