"""Limits: steps, seconds, tokens; a silent server cannot lift the cap."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.harness.limits import Limits, Meter
from agentlab.messages import Completion, Usage


@dataclass
class Watch:
    """A clock that is set by hand."""

    at: float = 0.0

    def now(self) -> float:
        return self.at

    def elapsed(self) -> float:
        return self.at


def test_steps_are_capped() -> None:
    meter = Meter(limits=Limits(steps=2), clock=Watch())
    assert [meter.exhausted(steps=n) for n in (0, 1, 2, 3)] == [None, None, "step_limit", "step_limit"]


def test_the_deadline_is_wall_clock() -> None:
    watch = Watch()
    meter = Meter(limits=Limits(seconds=5), clock=watch)
    watch.at = 4.5
    assert (meter.time_left(), meter.exhausted(steps=0)) == (0.5, None)
    watch.at = 6
    assert (meter.time_left(), meter.exhausted(steps=0), meter.seconds()) == (0, "deadline", 6)


def test_reported_tokens_are_charged() -> None:
    meter = Meter(limits=Limits(tokens=100), clock=Watch())
    meter.charge(Completion(text="x" * 4000, usage=Usage(input_tokens=60, output_tokens=39)), sent_characters=9000)
    assert meter.exhausted(steps=0) is None
    meter.charge(Completion(text="", usage=Usage(input_tokens=1, output_tokens=0)), sent_characters=0)
    assert meter.exhausted(steps=0) == "token_budget"
    assert (meter.input_tokens, meter.output_tokens, meter.requests) == (61, 39, 2)


def test_unreported_tokens_are_estimated_for_the_cap_and_stay_unknown_in_the_record() -> None:
    meter = Meter(limits=Limits(tokens=100), clock=Watch())
    meter.charge(Completion(text="x" * 80), sent_characters=320)
    assert (meter.charged, meter.input_tokens, meter.exhausted(steps=0)) == (100, None, "token_budget")
