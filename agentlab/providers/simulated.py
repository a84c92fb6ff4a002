"""A stochastic model of a model: it forges, heeds or ignores a notice, and believes what it reads.

It sees a context and nothing else, as a real model does. It knows no history policy and cannot tell who wrote a
message: what a policy leaves in the context, or keeps out of it, is the only way a policy can change what it does.
How it decides:

1. It collects every text that looks like an observation: a line that begins with an observation marker followed by a
   JSON object with a `tool`, in any message but a system message, whoever wrote it. The latest of each tool is what
   it believes. One that reports an `error` counts as none.
2. If the last message holds the word `protocol_error` it takes it for a notice. With `p_heed` it then leaves out of
   account the observations that stand behind an action in the same message, in the notice's message and the one
   before it: the shape the notice is about. Else it reasons on from what it believes.
3. The first step of its plan without a believed observation is what it does next, as a Thought and an Action. With
   `p_forge` it does not stop there but writes the Observation as well, and then with `p_round` all further steps in
   the same way up to a Finish.
4. When no step is missing it finishes with what it believes.

Every request draws the same five numbers in the same order, so that two behaviours that differ in one probability
differ only where that probability decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentlab.errors import UsageError, unknown_name
from agentlab.messages import Completion, FinishReason, Message, Sampling, clean_text
from agentlab.providers.base import ProviderRequest
from agentlab.providers.scripted import crude_tokens, crude_usage
from agentlab.strictjson import JSONValue, StrictJSONError, dumps

__all__ = ["Behaviour", "Knobs", "PlanStep", "SimulatedProvider", "Words", "forbids_observations"]

_Payload = Mapping[str, JSONValue]
_Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Sentence = Annotated[str, Field(pattern=r"^[^\r\n]+$")]

_OBSERVATION = re.compile(
    r"^[ \t]*(?:\*\*)?(?:Observation|观察)(?:[ \t]*\d+)?(?:\*\*)?[ \t]*[:：](?:\*\*)?\s*+(?=\{)",
    re.MULTILINE | re.IGNORECASE,
)
_ACTION = re.compile(r"^[ \t]*(?:\*\*)?Action[ \t]*[:：]", re.MULTILINE | re.IGNORECASE)
_PROHIBITION = re.compile(
    r"\b(?:never|cannot|don['’]t|(?:do|must|may|shall|should) not)\b|不得|不要|不可|不能|禁止|切勿|请勿", re.IGNORECASE
)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_FIELD = re.compile(r"\{(\w+)\}")
_NOTICE = "protocol_error"
_DECODER = json.JSONDecoder()


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
    arguments: _Payload = {}
    optional: bool = False
    forged: _Payload
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


class SimulatedProvider:
    """Answers as a behaviour says, from a seed and the contexts it is given, and from nothing else.

    Honours `stop` and `max_tokens`; ignores `temperature`, and the request's seed in favour of its own. Tokens are
    counted by `crude_tokens`. The latency is made up, 50 to 125 tokens a second, and nothing waits for it.

    Args:
        behaviour: what it means to do and how often it goes wrong.
        seed: what all its draws depend on.
        knobs: values in place of the behaviour's own, by the names of `Knobs`.

    Raises:
        UsageError: for an unknown knob or a value out of its bounds.
    """

    __slots__ = ("_behaviour", "_plan", "_random", "_seed")

    name = "simulated"
    model = "simulated"

    def __init__(self, behaviour: Behaviour, *, seed: int = 0, **knobs: float) -> None:
        self._behaviour = behaviour.tuned(knobs) if knobs else behaviour
        self._seed = seed
        self._random = Random(seed)  # noqa: S311  repeatable by intention
        surveys = self._random.random() < self._behaviour.p_survey
        self._plan = [step for step in self._behaviour.plan if surveys or not step.optional]

    def __repr__(self) -> str:
        return f"SimulatedProvider(answer_step={self._behaviour.answer_step!r}, seed={self._seed})"

    def for_attempt(self, seed: int) -> SimulatedProvider:
        return SimulatedProvider(self._behaviour, seed=seed)

    def complete(self, request: ProviderRequest) -> Completion:
        """Read the context and write the next reply; never fails."""
        heed, forge, go_on, extra, pace = (self._random.random() for _ in range(5))
        behaviour = self._behaviour
        messages = request.messages
        system = "\n".join(message.text for message in messages if message.role == "system")
        noticed = bool(messages) and _NOTICE in messages[-1].text
        p_forge = behaviour.p_forge * (behaviour.rule_effect if forbids_observations(system) else 1)
        luck = _Luck(
            again=noticed,
            forges=forge < p_forge,
            goes_on=go_on < behaviour.p_round,
            smuggles=extra < behaviour.p_extra_argument,
        )
        beliefs = _beliefs(messages, heeded=2 if noticed and heed < behaviour.p_heed else 0)
        text, reason = _cut(clean_text(self._write(beliefs, self._words(system), luck)), request.sampling)
        usage = crude_usage(request, text)
        latency = round(0.1 + crude_tokens(text) * (0.008 + 0.012 * pace), 6)
        return Completion(text=text, finish_reason=reason, usage=usage, model=self.model, latency=latency)

    def _words(self, system: str) -> Words:
        words = self._behaviour.words
        wanted: Literal["en", "zh"] = "zh" if _CJK.search(system) else "en"
        return words[wanted] if wanted in words else next(iter(words.values()))

    def _write(self, beliefs: Mapping[str, _Payload], words: Words, luck: _Luck) -> str:
        missing = [step for step in self._plan if step.tool not in beliefs]
        if not missing:
            return self._finish(beliefs, words)
        first = missing[0]
        arguments = _with_extra(first) if luck.smuggles else first.arguments
        lines = [_act(first, arguments, words.again if luck.again else words.act)]
        if luck.forges:
            lines.append(_observe(first))
            if luck.goes_on:
                for step in missing[1:]:
                    lines += [_act(step, step.arguments, words.act), _observe(step)]
                lines.append(self._finish({**beliefs, **{step.tool: step.forged for step in missing}}, words))
        return "\n".join(lines)

    def _finish(self, beliefs: Mapping[str, _Payload], words: Words) -> str:
        fields = beliefs[self._behaviour.answer_step]
        return f"Thought: {_fill(words.conclude, fields)}\nAction: Finish[{_fill(words.answer, fields)}]"


def forbids_observations(system: str) -> bool:
    """Whether a system prompt holds the rule against writing observations.

    It does if one of its lines holds both the word Observation, in any case, and a prohibition: never, cannot, don't,
    do / must / may / shall / should not, 不得, 不要, 不可, 不能, 禁止, 切勿 or 请勿.
    """
    return any("observation" in line.lower() and _PROHIBITION.search(line) for line in system.splitlines())


@dataclass(frozen=True, kw_only=True, slots=True)
class _Luck:
    """What the draws of one request came to."""

    again: bool
    """The last message looks like a notice: no draw, but it chooses the words."""
    forges: bool
    goes_on: bool
    smuggles: bool


def _beliefs(messages: Sequence[Message], *, heeded: int) -> dict[str, _Payload]:
    """The latest observation of each tool; in the last `heeded` messages those behind an action do not count."""
    beliefs: dict[str, _Payload] = {}
    for left, message in zip(range(len(messages), 0, -1), messages, strict=True):
        if message.role == "system":
            continue
        action = _ACTION.search(message.text) if left <= heeded else None
        for position, payload in _observations(message.text):
            tool = payload.get("tool")
            if not isinstance(tool, str) or (action is not None and action.start() < position):
                continue
            if payload.get("error"):
                beliefs.pop(tool, None)
            else:
                beliefs[tool] = payload
    return beliefs


def _observations(text: str) -> Iterator[tuple[int, _Payload]]:
    markers = list(_OBSERVATION.finditer(text))
    for marker, following in zip_longest(markers, markers[1:]):
        end = following.start() if following else len(text)
        try:
            payload, _ = _DECODER.raw_decode(text[marker.end() : end])
        except (ValueError, RecursionError):
            continue
        yield marker.start(), payload


def _act(step: PlanStep, arguments: _Payload, thought: str) -> str:
    return f"Thought: {_fill(thought, {'tool': step.tool})}\nAction: {step.tool}[{dumps(arguments)}]"


def _observe(step: PlanStep) -> str:
    return f"Observation: {dumps(step.forged)}"


def _with_extra(step: PlanStep) -> _Payload:
    """The arguments with the first field of the forged payload that is neither the tool nor an argument already."""
    extra = next((name for name in step.forged if name != "tool" and name not in step.arguments), None)
    return step.arguments if extra is None else {**step.arguments, extra: step.forged[extra]}


def _fill(template: str, fields: _Payload) -> str:
    return _FIELD.sub(lambda match: _shown(fields.get(match[1], "?")), template)


def _shown(value: JSONValue) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "?"


def _cut(text: str, sampling: Sampling) -> tuple[str, FinishReason]:
    ends = [text.find(stop) for stop in sampling.stop if stop and stop in text]
    text = text[: min(ends, default=len(text))]
    if sampling.max_tokens is None or crude_tokens(text) <= sampling.max_tokens:
        return text, "stop"
    return text.encode()[: 4 * sampling.max_tokens].decode(errors="ignore"), "length"


def _writable(value: _Payload, what: str) -> None:
    try:
        dumps(value)
    except StrictJSONError as error:
        raise ValueError(f"{what} should be JSON: {error}") from None


def _check_fields(template: str, known: _Payload | set[str]) -> None:
    for name in _FIELD.findall(template):
        if name not in known:
            raise ValueError(f"there is no field {{{name}}}; the fields are {', '.join(sorted(known))}")
