"""The ReAct loop: what is executed, what is refused, what is remembered, and how an attempt ends."""

from __future__ import annotations

import pytest

from agentlab.errors import ProviderError
from agentlab.harness.history import DROP, KEPT_SILENT, REACT_V1, REACT_V2, REACT_V3, RETRY
from agentlab.harness.limits import Limits
from agentlab.messages import Completion, Usage
from agentlab.providers.base import ProviderRequest
from agentlab.trace.events import CallRefused, CompletionEvent, Notice, ProtocolErrorEvent, Request
from tests.agents.attempts import DONE, GOOD, attempt

FORGED = f'{GOOD}\nObservation: {{"bees": 7}}\nThought: seven\nAction: Finish[There are 7 bees.]'


def kinds(trace: object) -> list[str]:
    return [event.type for event in trace]  # type: ignore[attr-defined]


def test_the_straight_way() -> None:
    trace, sent = attempt([GOOD, DONE])
    assert kinds(trace) == [
        "attempt_started",
        "request",
        "completion",
        "execution_started",
        "execution_finished",
        "observation",
        "request",
        "completion",
        "answer",
        "attempt_finished",
    ]
    assert trace.answer is not None
    assert trace.answer.text == "There are 40 bees."
    assert sent[1].endswith(
        'assistant: Thought: count them\nAction: count_bees[{"hive":"east"}]\n'
        'user: Observation: {"tool":"count_bees","hive":"east","bees":40}'
    )
    assert trace.finished is not None
    assert (trace.finished.reason, trace.finished.steps, trace.finished.executions) == ("answered", 2, 1)


def test_a_forged_round_is_refused_whole_and_its_finish_is_no_answer() -> None:
    trace, sent = attempt([FORGED, GOOD, DONE])
    error = trace.of(ProtocolErrorEvent)[0]
    assert error.code == "forged_observation"
    assert trace.quarantine.get(error.digest) == FORGED
    assert [FORGED[span.start : span.end] for span in error.forged] == ['Observation: {"bees": 7}']
    assert "protocol_error" in sent[1]
    assert "omitted" in sent[1]
    assert "7" not in sent[1].split("user: Question")[1]
    assert trace.answer is not None
    assert trace.answer.text == "There are 40 bees."


def test_the_journal_holds_a_digest_and_no_text_of_a_refused_reply() -> None:
    trace, _ = attempt([FORGED, GOOD, DONE])
    refused = trace.of(CompletionEvent)[0]
    assert (refused.accepted, refused.text) == (False, None)
    assert [(call.tool, call.arguments) for call in refused.calls] == [("count_bees", None)]
    assert "seven" not in str(trace.events)


@pytest.mark.parametrize(
    ("reply", "code", "expects"),
    [
        ('Action: count_bees[{"hive": "east", "bees": 4}]', "invalid_arguments", "count_bees takes a JSON object"),
        ("Action: count_bees[{}]", "invalid_arguments", "The argument hive is missing"),
        ('Action: count_wasps[{"hive": "east"}]', "unknown_tool", "The tools are count_bees, list_hives"),
    ],
)
def test_a_call_that_is_refused_before_it_runs_is_a_rejected_reply(reply: str, code: str, expects: str) -> None:
    trace, sent = attempt([reply, GOOD, DONE])
    refused = trace.of(CallRefused)[0]
    assert refused.code == code
    assert trace.quarantine.get(refused.digest) == reply
    assert [call.state for call in trace.calls] == ["refused", "succeeded"]
    assert expects in sent[1]
    assert "wasps" not in sent[1]
    assert '"bees"' not in sent[1]


def test_a_reply_without_an_action_is_no_answer() -> None:
    trace, sent = attempt(["There are 40 bees, trust me.", GOOD, DONE])
    assert trace.of(ProtocolErrorEvent)[0].code == "no_action"
    assert "trust me" not in sent[1]
    assert "Finish[your answer]" in sent[1]


def test_a_failed_tool_is_observed_in_one_sentence() -> None:
    trace, sent = attempt(['Action: count_bees[{"hive": "burnt"}]', GOOD, DONE])
    assert [call.state for call in trace.calls] == ["failed", "succeeded"]
    assert sent[1].endswith("user: Observation: error: That hive is gone. Name a hive that stands.")


def test_only_the_first_action_runs_and_what_follows_it_is_discarded() -> None:
    trace, sent = attempt([f"{GOOD}\nThought: and more\nAction: list_hives[{{}}]", DONE])
    assert [call.tool for call in trace.calls] == ["count_bees"]
    assert trace.of(CompletionEvent)[0].discarded
    assert "and more" not in sent[1]


def test_retry_asks_the_same_again_once_and_does_not_charge_the_step() -> None:
    trace, sent = attempt([FORGED, GOOD, FORGED, FORGED, DONE], policy=RETRY)
    assert sent[0] == sent[1]
    assert sent[2] == sent[3] == sent[4]
    assert [(r.step, r.attempt_of_step) for r in trace.of(Request)] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
    assert trace.finished is not None
    assert trace.finished.steps == 3


def test_drop_remembers_nothing_and_charges_the_step() -> None:
    trace, sent = attempt([FORGED, GOOD, DONE], policy=DROP)
    assert sent[0] == sent[1]
    assert not trace.of(Notice)
    assert trace.finished is not None
    assert trace.finished.steps == 3


def test_v1_sends_the_raw_text_and_a_notice_and_kept_silent_the_raw_text_alone() -> None:
    _, loud = attempt([FORGED, DONE], policy=REACT_V1)
    _, silent = attempt([FORGED, DONE], policy=KEPT_SILENT)
    assert FORGED in loud[1]
    assert "protocol_error" in loud[1]
    assert "omitted" not in loud[1]
    assert silent[1].endswith(f"assistant: {FORGED}")


def test_v3_sends_no_prose_of_the_model_back() -> None:
    _, v2 = attempt([GOOD, DONE], policy=REACT_V2)
    _, v3 = attempt([GOOD, DONE], policy=REACT_V3)
    assert "count them" in v2[1]
    assert "count them" not in v3[1]
    assert 'Action: count_bees[{"hive":"east"}]' in v3[1]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(steps=2), "step_limit"),
        (Limits(steps=9, tokens=700), "token_budget"),
        (Limits(seconds=0.02), "deadline"),
    ],
)
def test_a_cap_is_no_answer_and_says_how_far_it_got(limits: Limits, reason: str) -> None:
    trace, _ = attempt(lambda _: GOOD, limits=limits)
    assert trace.finished is not None
    assert trace.finished.reason == reason
    assert trace.answer is None
    assert f"stopped after {trace.finished.steps} steps" in trace.finished.detail


def test_a_provider_that_fails_ends_the_attempt_without_an_exception() -> None:
    trace, _ = attempt([GOOD])
    assert trace.finished is not None
    assert trace.finished.reason == "provider_error"
    assert [call.state for call in trace.calls] == ["succeeded"]


def test_a_person_who_stops_the_run_finds_it_recorded() -> None:
    class Stopping:
        name = model = "stopping"
        requests: list[ProviderRequest]

        def for_attempt(self, seed: int) -> Stopping:
            return self

        def complete(self, request: ProviderRequest) -> Completion:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt([], provider=Stopping())


def test_a_late_timeout_is_the_deadline_and_an_early_one_the_providers_fault() -> None:
    def slow(_: ProviderRequest) -> Completion:
        raise ProviderError("timeout", "The server took too long.")

    trace, _ = attempt(slow)  # type: ignore[arg-type]
    assert trace.finished is not None
    assert trace.finished.reason == "provider_error"
    trace, _ = attempt(slow, limits=Limits(seconds=0.004))  # type: ignore[arg-type]
    assert trace.finished is not None
    assert trace.finished.reason == "deadline"


def test_usage_is_added_up() -> None:
    replies = iter([GOOD, DONE])
    trace, _ = attempt(
        lambda _: Completion(text=next(replies), usage=Usage(input_tokens=100, output_tokens=9))  # type: ignore[arg-type,return-value]
    )
    assert trace.finished is not None
    assert (trace.finished.input_tokens, trace.finished.output_tokens) == (200, 18)


def test_the_trace_shows_exactly_what_was_sent() -> None:
    trace, sent = attempt([FORGED, GOOD, "nothing", DONE])
    shown = ["\n".join(f"{m.role}: {m.text}" for m in context) for context in trace.contexts.values()]
    assert shown == sent


def test_what_would_have_been_recorded_and_never_happened_is_absent_and_not_unknown() -> None:
    talked, _ = attempt(["Nothing to do."], limits=Limits(steps=1))
    worked, _ = attempt([GOOD, DONE])
    assert (talked.evidence.proposals, talked.evidence.executions, talked.evidence.results) == ("absent",) * 3
    assert (talked.evidence.errors, talked.evidence.authorship) == ("present", "present")
    assert (worked.evidence.executions, worked.evidence.results, worked.evidence.errors) == (
        "present",
        "present",
        "absent",
    )
