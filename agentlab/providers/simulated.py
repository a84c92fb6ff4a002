"""A stochastic model of a model: it forges, heeds or ignores a notice, and believes what it reads.

It sees a context and nothing else, as a real model does. It knows no history policy and cannot tell who wrote a
message: what a policy leaves in the context, or keeps out of it, is the only way a policy can change what it does.
Where tools are offered it calls natively, and what it forges stands in the text beside its call. How it decides:

1. It collects every text that looks like an observation: a line that begins with an observation marker followed by a
   JSON object with a `tool`, in any message but a system message, whoever wrote it, and the message of a tool. The
   latest of each tool is what it believes. One that reports an `error` counts as none.
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
from dataclasses import dataclass, replace
from itertools import zip_longest
from random import Random
from typing import Literal

from agentlab.messages import Completion, FinishReason, Message, Sampling, ToolCall, clean_text
from agentlab.providers.base import ProviderRequest
from agentlab.providers.behaviour import FIELD, Behaviour, Payload, PlanStep, Words
from agentlab.providers.scripted import crude_tokens, crude_usage
from agentlab.strictjson import JSONValue, dumps

__all__ = ["SimulatedProvider", "forbids_observations"]


_OBSERVATION = re.compile(
    r"^[ \t]*(?:\*\*)?(?:Observation|观察)(?:[ \t]*\d+)?(?:\*\*)?[ \t]*[:：](?:\*\*)?\s*+(?=\{)",
    re.MULTILINE | re.IGNORECASE,
)
_ACTION = re.compile(r"^[ \t]*(?:\*\*)?Action[ \t]*[:：]", re.MULTILINE | re.IGNORECASE)
_PROHIBITION = re.compile(
    r"\b(?:never|cannot|don['’]t|(?:do|must|may|shall|should) not)\b|不得|不要|不可|不能|禁止|切勿|请勿", re.IGNORECASE
)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_NOTICE = "protocol_error"
_DECODER = json.JSONDecoder()


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
        heeded = 2 if noticed and heed < behaviour.p_heed else 0
        beliefs = _beliefs(messages, heeded=heeded, native=bool(request.tools))
        draft = self._draft(beliefs, self._words(system), luck)
        text, reason = _cut(clean_text(draft.native if request.tools else draft.text), request.sampling)
        calls = (draft.call,) if request.tools and draft.call is not None and reason == "stop" else ()
        usage = crude_usage(request, text)
        latency = round(0.1 + crude_tokens(text) * (0.008 + 0.012 * pace), 6)
        return Completion(
            text=text,
            calls=calls,
            finish_reason="tool_calls" if calls else reason,
            usage=usage,
            model=self.model,
            latency=latency,
        )

    def _words(self, system: str) -> Words:
        words = self._behaviour.words
        wanted: Literal["en", "zh"] = "zh" if _CJK.search(system) else "en"
        return words[wanted] if wanted in words else next(iter(words.values()))

    def _draft(self, beliefs: Mapping[str, Payload], words: Words, luck: _Luck) -> _Draft:
        missing = [step for step in self._plan if step.tool not in beliefs]
        if not missing:
            return self._finish(beliefs, words)
        first = missing[0]
        arguments = _with_extra(first) if luck.smuggles else first.arguments
        thought = _fill(words.again if luck.again else words.act, {"tool": first.tool})
        act = _Draft(thought=thought, call=ToolCall(id="call_1", tool=first.tool, arguments=arguments))
        if not luck.forges:
            return act
        beyond = [_observe(first)]
        last = None
        if luck.goes_on:
            for step in missing[1:]:
                beyond += [_act(step, words.act), _observe(step)]
            last = self._finish({**beliefs, **{step.tool: step.forged for step in missing}}, words)
        return replace(act, beyond=tuple(beyond), last=last)

    def _finish(self, beliefs: Mapping[str, Payload], words: Words) -> _Draft:
        fields = beliefs[self._behaviour.answer_step]
        return _Draft(thought=_fill(words.conclude, fields), answer=_fill(words.answer, fields))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Draft:
    """What it means to say, before it is put into a form."""

    thought: str
    call: ToolCall | None = None
    answer: str = ""
    beyond: tuple[str, ...] = ()
    """Lines that it writes where it should have stopped."""
    last: _Draft | None = None
    """The answer that it goes on to."""

    @property
    def text(self) -> str:
        """In the text protocol."""
        call = self.call
        action = f"Finish[{self.answer}]" if call is None else f"{call.tool}[{dumps(call.arguments)}]"
        lines = [f"Thought: {self.thought}\nAction: {action}", *self.beyond]
        return "\n".join([*lines, *([self.last.text] if self.last else [])])

    @property
    def native(self) -> str:
        """The text beside a native call, or the answer."""
        if self.call is None:
            return self.answer
        return "\n".join([self.thought, *self.beyond, *([self.last.answer] if self.last else [])])


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


def _beliefs(messages: Sequence[Message], *, heeded: int, native: bool) -> dict[str, Payload]:
    """The latest observation of each tool; in the last `heeded` messages those behind an action do not count.

    Where calls are native, whatever the model itself wrote stands behind one.
    """
    beliefs: dict[str, Payload] = {}
    for left, message in zip(range(len(messages), 0, -1), messages, strict=True):
        if message.role == "system":
            continue
        action = _action_in(message, native=native) if left <= heeded else None
        for position, payload in _observations(message):
            tool = payload.get("tool")
            if not isinstance(tool, str) or (action is not None and action < position):
                continue
            if payload.get("error"):
                beliefs.pop(tool, None)
            else:
                beliefs[tool] = payload
    return beliefs


def _action_in(message: Message, *, native: bool) -> int | None:
    """Where the action of a message stands; None where it has none."""
    found = _ACTION.search(message.text)
    if found is not None:
        return found.start()
    return -1 if native and message.role == "assistant" else None


def _observations(message: Message) -> Iterator[tuple[int, Payload]]:
    text = message.text
    if message.call is not None:
        try:
            payload = _DECODER.decode(text)
        except (ValueError, RecursionError):
            return
        if isinstance(payload, dict):
            yield 0, payload
        return
    markers = list(_OBSERVATION.finditer(text))
    for marker, following in zip_longest(markers, markers[1:]):
        end = following.start() if following else len(text)
        try:
            payload, _ = _DECODER.raw_decode(text[marker.end() : end])
        except (ValueError, RecursionError):
            continue
        yield marker.start(), payload


def _act(step: PlanStep, thought: str) -> str:
    return f"Thought: {_fill(thought, {'tool': step.tool})}\nAction: {step.tool}[{dumps(step.arguments)}]"


def _observe(step: PlanStep) -> str:
    return f"Observation: {dumps(step.forged)}"


def _with_extra(step: PlanStep) -> Payload:
    """The arguments with the first field of the forged payload that is neither the tool nor an argument already."""
    extra = next((name for name in step.forged if name != "tool" and name not in step.arguments), None)
    return step.arguments if extra is None else {**step.arguments, extra: step.forged[extra]}


def _fill(template: str, fields: Payload) -> str:
    return FIELD.sub(lambda match: _shown(fields.get(match[1], "?")), template)


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
