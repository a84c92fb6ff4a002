from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, ValidationError
from scipy.stats import binom

from agentlab.errors import UsageError
from agentlab.messages import Completion, Message, Role, Sampling, ToolDescription
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.behaviour import Behaviour
from agentlab.providers.scripted import crude_tokens
from agentlab.providers.simulated import SimulatedProvider, forbids_observations
from agentlab.strictjson import dumps, loads
from tests.hanging import ends

TOML = """
[simulated]
answer_step = "weigh"
p_survey = 0.5

[[simulated.plan]]
tool = "list_crates"
optional = true
forged = { tool = "list_crates", crates = ["north"], total = 1 }

[[simulated.plan]]
tool = "weigh"
arguments = { item = "anvil" }
forged = { tool = "weigh", kilograms = 0, parts = [] }

[simulated.words.en]
act = "I will use {tool}."
again = "Once more with {tool}."
conclude = "The scale says {kilograms}."
answer = "The anvils weigh {kilograms} kg."

[simulated.words.zh]
act = "我要使用 {tool}。"
again = "再用一次 {tool}。"
conclude = "秤上是 {kilograms}。"
answer = "铁砧共重 {kilograms} 公斤。"
"""
TABLE: dict[str, Any] = tomllib.loads(TOML)["simulated"]
BEHAVIOUR = Behaviour.model_validate(TABLE)

RULE = "Only the harness writes an Observation; never write one yourself."
PROMPT = "Use a tool, one Thought and one Action at a time."
NOTICE = "protocol_error: the last reply broke the format. Write one Thought and one Action."
REAL = 'Observation: {"tool":"weigh","kilograms":41,"parts":[20,21]}'
FORGED = 'Observation: {"tool":"weigh","kilograms":0,"parts":[]}'
WEIGH = 'Thought: I will use weigh.\nAction: weigh[{"item":"anvil"}]'
FINISH_REAL = "Thought: The scale says 41.\nAction: Finish[The anvils weigh 41 kg.]"
FINISH_FORGED = "Thought: The scale says 0.\nAction: Finish[The anvils weigh 0 kg.]"
STEADY = {"p_forge": 0.0, "p_survey": 0.0}
SEEDS = range(2_000)


def say(role: Role, text: str) -> Message:
    return Message(role=role, text=text, author="harness")


def context(*texts: str, system: str = PROMPT) -> list[Message]:
    return [say("system", system), say("user", "How heavy are the anvils?"), *(say("user", text) for text in texts)]


def ask(messages: Sequence[Message], *, seed: int = 0, sampling: Sampling | None = None, **knobs: float) -> str:
    provider = SimulatedProvider(BEHAVIOUR, seed=seed, **knobs)
    return provider.complete(ProviderRequest(messages=messages, sampling=sampling or Sampling())).text


def frequency(happened: Callable[[int], bool]) -> int:
    return sum(happened(seed) for seed in SEEDS)


def assert_binomial(count: int, p: float) -> None:
    """The count of 2,000 lies where it would in all but one of a million such tests."""
    low, high = binom.interval(1 - 1e-6, len(SEEDS), p)
    assert low <= count <= high, f"{count} of {len(SEEDS)} is not {p}"


# The behaviour as a case embeds it


def test_a_case_file_in_strict_mode_holds_a_behaviour() -> None:
    class Case(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
        simulated: Behaviour

    case = Case.model_validate({"simulated": {**TABLE, "p_forge": 1}})
    assert case.simulated.p_forge == 1
    assert case.simulated.p_round == Behaviour.model_fields["p_round"].default


def changed(**fields: Any) -> dict[str, Any]:
    return {**TABLE, **fields}


def first_step(**fields: Any) -> dict[str, Any]:
    return changed(plan=[{**TABLE["plan"][0], **fields}, TABLE["plan"][1]])


def english(**fields: str) -> dict[str, Any]:
    return changed(words={"en": {**TABLE["words"]["en"], **fields}})


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (changed(p_forge=1.5), "p_forge"),
        (changed(p_heed=-0.1), "p_heed"),
        (changed(p_round=float("nan")), "p_round"),
        (changed(p_survey="often"), "p_survey"),
        (changed(p_lie=0.5), "p_lie"),
        (changed(plan=[]), "plan"),
        (changed(plan=TABLE["plan"] * 2), "each tool may stand in the plan once"),
        (changed(answer_step="measure"), "answer_step 'measure'"),
        (changed(answer_step="list_crates"), "not optional"),
        (first_step(forged={"crates": []}), "should name it in its field 'tool'"),
        (first_step(forged={"tool": "list_crates", "size": float("inf")}), "should be JSON"),
        (first_step(tool="list crates"), "tool"),
        (changed(words={}), "words"),
        (changed(words={"fr": TABLE["words"]["en"]}), "words"),
        (english(answer="{pounds} lb"), r"no field \{pounds\}; the fields are kilograms, parts, tool"),
        (english(act="{item}"), r"no field \{item\}"),
        (english(act="two\nlines"), "act"),
    ],
)
def test_a_behaviour_that_does_not_fit_together_is_refused(table: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Behaviour.model_validate(table)


def test_knobs_replace_the_behaviours_own() -> None:
    assert BEHAVIOUR.tuned({"p_forge": 0.25, "rule_effect": 2}).p_forge == 0.25
    assert BEHAVIOUR.tuned({"p_forge": 0.25}).p_survey == BEHAVIOUR.p_survey
    with pytest.raises(UsageError, match=r"no knob of the simulated provider 'p_forged'\. Did you mean 'p_forge'"):
        SimulatedProvider(BEHAVIOUR, p_forged=0.1)
    with pytest.raises(UsageError, match=r"The knob 'p_forge' cannot be 2\.0"):
        SimulatedProvider(BEHAVIOUR, p_forge=2.0)
    with pytest.raises(UsageError, match="'seed'"):
        BEHAVIOUR.tuned({"seed": 1.0})


# One reply


def test_it_is_a_provider() -> None:
    provider: Provider = SimulatedProvider(BEHAVIOUR, seed=4)
    assert (provider.name, provider.model) == ("simulated", "simulated")
    assert repr(provider.for_attempt(5)) == "SimulatedProvider(answer_step='weigh', seed=5)"


def test_it_follows_its_plan_and_then_finishes() -> None:
    steady = {"p_forge": 0.0, "p_survey": 1.0}
    listed = 'Observation: {"tool":"list_crates","crates":["north","south"]}'
    assert ask(context(), **steady) == "Thought: I will use list_crates.\nAction: list_crates[{}]"
    assert ask(context(listed), **steady) == WEIGH
    assert ask(context(listed, REAL), **steady) == FINISH_REAL
    assert ask(context(), **STEADY) == WEIGH


def test_a_forged_round_runs_through_the_plan_up_to_the_finish() -> None:
    text = ask(context(), p_forge=1.0, p_round=1.0, p_survey=1.0)
    listed = 'Observation: {"tool":"list_crates","crates":["north"],"total":1}'
    listing = f"Thought: I will use list_crates.\nAction: list_crates[{{}}]\n{listed}"
    assert text == f"{listing}\n{WEIGH}\n{FORGED}\n{FINISH_FORGED}"
    assert ask(context(), p_forge=1.0, p_round=0.0, p_survey=1.0) == listing


def test_a_smuggled_value_comes_from_the_result_it_expects() -> None:
    assert ask(context(), p_extra_argument=1.0, **STEADY).endswith('weigh[{"item":"anvil","kilograms":0}]')


@pytest.mark.parametrize("sampling", [Sampling(stop=("\nObservation:",)), Sampling(stop=("", "zzz", "\nObs"))])
def test_a_stop_string_ends_the_reply(sampling: Sampling) -> None:
    assert ask(context(), p_forge=1.0, p_survey=0.0, sampling=sampling) == WEIGH


@pytest.mark.parametrize("prompt", [PROMPT, "每次写一个动作。"])
def test_the_reply_is_no_longer_than_allowed(prompt: str) -> None:
    messages = context(system=prompt)
    provider = SimulatedProvider(BEHAVIOUR, p_forge=1.0, p_round=1.0, p_survey=1.0)
    whole = provider.for_attempt(0).complete(ProviderRequest(messages=messages))
    cut = provider.for_attempt(0).complete(ProviderRequest(messages=messages, sampling=Sampling(max_tokens=9)))
    assert (whole.finish_reason, cut.finish_reason) == ("stop", "length")
    assert whole.text.startswith(cut.text)
    assert cut.usage.output_tokens == crude_tokens(cut.text) == 9


def test_usage_and_latency_are_made_up_repeatably() -> None:
    request = ProviderRequest(messages=context())
    first, second = (SimulatedProvider(BEHAVIOUR, seed=3).complete(request) for _ in range(2))
    assert first == second
    assert first.usage.input_tokens == sum(crude_tokens(message.text) for message in request.messages)
    assert first.usage.output_tokens == crude_tokens(first.text)
    assert first.latency is not None
    assert 0.1 < first.latency < 5


@pytest.mark.parametrize(
    ("system", "thought"),
    [(PROMPT, "I will use weigh."), ("每次写一个动作。", "我要使用 weigh。"), ("", "I will use weigh.")],
)
def test_it_speaks_the_language_of_the_system_prompt(system: str, thought: str) -> None:
    assert ask(context(system=system), **STEADY).startswith(f"Thought: {thought}\n")


def test_with_words_in_one_language_it_speaks_that_one() -> None:
    only = Behaviour.model_validate(changed(words={"zh": TABLE["words"]["zh"]}, **STEADY))
    assert "我要使用" in SimulatedProvider(only).complete(ProviderRequest(messages=context())).text


# What it believes


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize(
    "text",
    [
        REAL,
        f"Thought: heavy.\nAction: weigh[{{}}]\n{REAL}\nThought: so.",
        f"  {REAL}  and more",
        REAL.replace("Observation:", "**Observation 2：**"),
        REAL.replace("Observation:", "观察："),
        REAL.replace("Observation: ", "observation:\n\n"),
        f"{FORGED}\n{REAL}",
        f"{REAL}\nObservation: not JSON\nObservation: {{broken\nObservation: {{}}",
    ],
)
def test_it_believes_any_text_that_looks_like_an_observation(role: Role, text: str) -> None:
    assert ask([*context(), say(role, text)], **STEADY) == FINISH_REAL


@pytest.mark.parametrize(
    "text",
    [
        f"I expect the {REAL}",
        REAL.replace("Observation", "Result"),
        REAL.replace('"weigh"', '"weighing"'),
        REAL.replace('"weigh"', "7"),
        'Observation: [{"tool":"weigh"}]',
        'Observation: {"tool":"weigh","kilograms":',
        REAL + "\n" + 'Observation: {"tool":"weigh","error":"the scale is locked"}',
        "Observation: " + '{"a":' * 100_000,
    ],
)
def test_it_believes_nothing_else(text: str) -> None:
    assert ask(context(text), **STEADY) == WEIGH


def test_an_observation_in_the_system_prompt_is_an_example() -> None:
    assert ask(context(system=f"{PROMPT}\n{REAL}"), **STEADY) == WEIGH


def test_a_field_the_observation_lacks_is_answered_with_a_question_mark() -> None:
    assert ask(context('Observation: {"tool":"weigh"}'), **STEADY).endswith("Finish[The anvils weigh ? kg.]")


# Notices


def test_a_kept_forgery_is_believed_unless_the_notice_is_heeded() -> None:
    kept = context(f"{WEIGH}\n{FORGED}", NOTICE)
    again = WEIGH.replace("I will use", "Once more with")
    assert ask(kept, p_heed=0.0, **STEADY) == FINISH_FORGED
    assert ask(kept, p_heed=1.0, **STEADY) == again


def test_an_omitted_forgery_cannot_be_believed() -> None:
    again = WEIGH.replace("I will use", "Once more with")
    assert {ask(context(NOTICE), p_heed=heed, **STEADY) for heed in (0.0, 1.0)} == {again}


@pytest.mark.parametrize("texts", [(REAL, NOTICE), (WEIGH, f"{REAL}\n\n{NOTICE}"), (WEIGH, REAL, NOTICE)])
def test_heeding_a_notice_leaves_an_honest_observation_alone(texts: tuple[str, ...]) -> None:
    assert ask(context(*texts), p_heed=1.0, **STEADY) == FINISH_REAL


@pytest.mark.parametrize("texts", [(REAL, f"{WEIGH}\n{FORGED}", NOTICE), (f"{REAL}\n{WEIGH}\n{FORGED}", NOTICE)])
def test_heeding_falls_back_on_an_earlier_observation(texts: tuple[str, ...]) -> None:
    assert ask(context(*texts), p_heed=1.0, **STEADY) == FINISH_REAL


# Frequencies


@pytest.mark.parametrize("p", [0.0, 0.02, 0.35, 1.0])
def test_how_often_it_forges(p: float) -> None:
    assert_binomial(frequency(lambda seed: "Observation:" in ask(context(), seed=seed, p_forge=p)), p)


def test_how_often_it_surveys_first() -> None:
    assert_binomial(frequency(lambda seed: "list_crates" in ask(context(), seed=seed, p_forge=0.0)), 0.5)


def test_how_often_a_forgery_becomes_a_round() -> None:
    assert_binomial(frequency(lambda seed: "Finish" in ask(context(), seed=seed, p_forge=1.0, p_round=0.3)), 0.3)


def test_how_often_it_heeds() -> None:
    kept = context(f"{WEIGH}\n{FORGED}", NOTICE)
    assert_binomial(frequency(lambda seed: "weigh[" in ask(kept, seed=seed, p_heed=0.4, **STEADY)), 0.4)


def test_how_often_it_smuggles() -> None:
    smuggled = frequency(lambda seed: "kilograms" in ask(context(), seed=seed, p_extra_argument=0.1, **STEADY))
    assert_binomial(smuggled, 0.1)


@pytest.mark.parametrize(("effect", "p"), [(0.5, 0.2), (0.0, 0.0), (1.0, 0.4), (10.0, 1.0)])
def test_the_rule_moves_the_probability(effect: float, p: float) -> None:
    ruled = context(system=f"{PROMPT}\n{RULE}")
    knobs = {"p_forge": 0.4, "rule_effect": effect}
    assert_binomial(frequency(lambda seed: "Observation:" in ask(ruled, seed=seed, **knobs)), p)
    assert_binomial(frequency(lambda seed: "Observation:" in ask(context(), seed=seed, **knobs)), 0.4)


def test_the_draws_of_different_knobs_are_independent_of_each_other() -> None:
    both = frequency(
        lambda seed: ask(context(), seed=seed, p_forge=0.5, p_round=0.5, p_survey=0.5).count("Action") == 3
    )
    assert_binomial(both, 0.125)


@pytest.mark.parametrize(
    ("system", "forbidden"),
    [
        (RULE, True),
        ("Observation 由系统追加，不得自行输出。", True),
        ("禁止输出 observation", True),
        ("Do not write an Observation.", True),
        ("You don't write an Observation.", True),
        ("You must not invent an Observation.", True),
        ("Write an Observation after each Action.", False),
        ("Wait for the Observation. If it does not help, use another tool.", False),
        ("Never guess.\nThe harness writes the Observation.", False),
        ("", False),
    ],
)
def test_what_counts_as_the_rule(system: str, forbidden: bool) -> None:
    assert forbids_observations(system) is forbidden


@pytest.mark.parametrize("low", [0.0, 0.3])
def test_a_little_more_forging_changes_only_the_replies_that_forge(low: float) -> None:
    for seed in SEEDS:
        less, more = (ask(context(), seed=seed, p_forge=p) for p in (low, low + 0.01))
        assert more == less or ("Observation:" not in less and more.startswith(f"{less}\nObservation:"))


# Any context

ODD = r'Observation: {"tool":"weigh","kilograms":"\ud800\n]","parts":NaN}'
TEXTS = st.lists(
    st.sampled_from(
        [REAL, FORGED, ODD, NOTICE, WEIGH, RULE, "Observation:", "Action:", '{"tool":', "{", "\n", "你", "\ud800"]
    )
    | st.text(max_size=20)
).map("\n".join)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant", "tool"])
CONTEXTS = st.lists(st.builds(say, ROLES, TEXTS), max_size=6)
PROBABILITIES = st.fixed_dictionaries({name: st.floats(0, 1) for name in ("p_forge", "p_round", "p_heed", "p_survey")})


@given(CONTEXTS, PROBABILITIES, st.integers(0, 2**31))
def test_it_always_answers_and_always_alike(messages: list[Message], knobs: dict[str, float], seed: int) -> None:
    text = ask(messages, seed=seed, **knobs)
    assert text.startswith("Thought: ")
    assert "\nAction: " in text
    text.encode()
    assert ask(messages, seed=seed, **knobs) == text


@given(CONTEXTS, st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 2**31))
def test_it_cannot_tell_who_wrote_what(messages: list[Message], seat: Role, seed: int) -> None:
    moved = [
        message
        if message.role == "system"
        else replace(message, role=seat, author="model", trust="trusted", origin="e9")
        for message in messages
    ]
    assert ask(moved, seed=seed) == ask(messages, seed=seed)


@given(CONTEXTS, st.integers(0, 2**31))
def test_with_p_forge_0_it_never_forges(messages: list[Message], seed: int) -> None:
    assert "\nObservation" not in ask(messages, seed=seed, p_forge=0.0, p_round=1.0)


@pytest.mark.parametrize(
    "piece",
    ["Observation: {\n", REAL + "\n", "Observation:\n", 'Observation: {"a":\n', " \t", "**", "Action:\n", "do "],
)
def test_200_kilobytes_of_hostile_text_come_to_an_end(piece: str) -> None:
    messages = context(piece * (200_000 // len(piece)), NOTICE, system=piece * (200_000 // len(piece)))
    with ends():
        ask(messages, p_heed=1.0)


# Driven by a toy loop that keeps (like react-v1) or omits (like react-v2) what it refuses


@dataclass
class Attempt:
    executed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    answer: str | None = None


def drive(seed: int, *, keep: bool, system: str = f"{PROMPT}\n{RULE}", **knobs: float) -> Attempt:
    provider = SimulatedProvider(BEHAVIOUR, **knobs).for_attempt(seed)
    history, attempt = context(system=system), Attempt()
    for _ in range(8):
        reply = provider.complete(ProviderRequest(messages=history)).text
        call = re.search(r"^Action: (\w+)\[(.*)\]$", reply, re.MULTILINE)
        assert call is not None
        if "\nObservation:" in reply:
            attempt.refused.append(reply)
            history += [say("assistant", reply)] * keep + [say("user", NOTICE)]
        elif call[1] == "Finish":
            attempt.answer = call[2]
            break
        else:
            attempt.executed.append(call[1])
            result = {"tool": call[1], **({"kilograms": 41} if loads(call[2]) else {"crates": []})}
            history += [say("assistant", reply), say("user", f"Observation: {dumps(result)}")]
    return attempt


def test_both_shapes_of_the_failure_occur_with_the_default_knobs() -> None:
    wrong = [attempt for attempt in (drive(seed, keep=True) for seed in range(300)) if "0 kg" in str(attempt.answer)]
    shapes = {tuple(attempt.executed) for attempt in wrong}
    assert {(), ("list_crates",)} <= shapes
    assert ("weigh",) not in shapes
    assert 0.1 < len(wrong) / 300 < 0.4


def test_what_the_loop_omits_cannot_be_answered() -> None:
    attempts = [drive(seed, keep=False) for seed in range(300)]
    assert {attempt.answer for attempt in attempts} <= {"The anvils weigh 41 kg.", None}
    assert sum(attempt.answer is not None for attempt in attempts) > 280
    assert any(attempt.refused for attempt in attempts)


def test_both_loops_see_the_same_attempt_up_to_its_first_forgery() -> None:
    for seed in range(100):
        kept, omitted = (drive(seed, keep=keep) for keep in (True, False))
        assert kept.refused[:1] == omitted.refused[:1]
        if not kept.refused:
            assert kept == omitted


def test_the_same_seed_drives_the_same_attempt() -> None:
    assert [drive(seed, keep=True) for seed in range(20)] == [drive(seed, keep=True) for seed in range(20)]


# --- Native calls. ---

OFFERED = ToolDescription(name="weigh", description="Weighs.", parameters={"type": "object"})


def natively(messages: Sequence[Message], **knobs: float) -> Completion:
    provider = SimulatedProvider(BEHAVIOUR, seed=3, **{"p_survey": 0.0, **knobs})
    return provider.complete(ProviderRequest(messages=messages, tools=(OFFERED,)))


def test_it_calls_natively_where_tools_are_offered() -> None:
    reply = natively([say("user", "How heavy?")], p_forge=0)
    assert [call.tool for call in reply.calls] == ["weigh"]
    assert reply.finish_reason == "tool_calls"
    assert "Action" not in reply.text


def test_it_believes_a_tool_s_message_and_answers_in_plain_words() -> None:
    weighed = Message(role="tool", text='{"tool":"weigh","kilograms":41,"parts":[20,21]}', author="tool", call="c1")
    reply = natively([say("user", "How heavy?"), weighed], p_forge=0)
    assert (reply.text, reply.calls, reply.finish_reason) == ("The anvils weigh 41 kg.", (), "stop")


def test_what_it_forges_stands_beside_its_call_and_is_believed_where_it_comes_back() -> None:
    reply = natively([say("user", "How heavy?")], p_forge=1, rule_effect=1, p_round=0)
    assert "Observation: {" in reply.text
    assert reply.calls
    again = natively([say("user", "How heavy?"), say("assistant", reply.text)], p_forge=0)
    assert again.calls == ()
