from __future__ import annotations

from pathlib import Path

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.conditions import Condition, check_distinct, condition_of, conditions_for, load_condition
from agentlab.providers.behaviour import Knobs


def load(folder: Path, text: str | bytes, name: str = "quiet.toml") -> Condition:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_condition(path)


def test_an_empty_file_is_the_default_condition_by_the_file_s_name(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Condition(name="quiet")


def test_every_field_can_be_set(tmp_path: Path) -> None:
    text = """
name = "all"
loop = "drop"
tool_calling = "text"
prompt_version = "chat-v2"
require_execution = true
language = "zh"
steps = 3
seconds = 60
tokens = 900
temperature = 0.5
max_tokens = 64
stop = ["Observation:", "\\n\\n"]
knobs = { p_forge = 0, p_heed = 0.25 }
"""
    condition = load(tmp_path, text)
    assert set(condition.model_fields_set) == set(Condition.model_fields)
    assert condition.limits.steps == 3
    assert condition.limits.seconds == 60.0
    sampling = condition.sampling(seed=7)
    assert (sampling.temperature, sampling.max_tokens, sampling.seed) == (0.5, 64, 7)
    assert sampling.stop == ("Observation:", "\n\n")
    assert condition.knobs == {"p_forge": 0.0, "p_heed": 0.25}


def test_a_prompt_belongs_to_a_tool_protocol() -> None:
    with pytest.raises(
        UsageError, match=r"'chat-v3' is written for tool_calling 'text', and the condition 'x' has 'native'"
    ):
        Condition(name="x", tool_calling="native", prompt_version="chat-v3")
    behaviour = Knobs()
    assert Condition(name="x", tool_calling="native").in_case("chat-v3", behaviour).prompt_version == "native-v1"
    assert Condition(name="x").in_case("chat-v3", behaviour).prompt_version == "chat-v3"


def test_a_field_that_joined_later_changes_no_digest_where_it_is_not_set() -> None:
    known = "1a9b8e8162abbca5"
    plain = Condition(name="x")
    assert plain.digest.startswith(known)
    assert Condition(name="x", require_execution=True).digest != plain.digest
    assert Condition(name="x", tool_calling="native").digest != plain.digest


def test_the_digest_does_not_depend_on_the_name() -> None:
    one = Condition(name="one", loop="drop")
    assert one.digest == Condition(name="two", loop="drop").digest
    assert one.digest != Condition(name="one", loop="retry").digest
    assert one.digest != Condition(name="one", loop="drop", knobs={"p_forge": 0.1}).digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("steps = 0", "steps: Input should be greater than or equal to 1"),
        ('steps = "3"', "steps: Input should be a valid integer"),
        ("steps = 2.5", "steps: "),
        ("seconds = inf", "seconds: Input should be a finite number"),
        ("seconds = nan", "seconds: "),
        ("temperature = -1", "temperature: "),
        ("temperature = inf", "temperature: "),
        ('stop = "x"', "stop: "),
        ('stop = [""]', "stop.0: "),
        ("stop = [1]", "stop.0: "),
        ("knobs = 3", "knobs: "),
        ("knobs = { p_forge = nan }", "knobs.p_forge: "),
        ('knobs = { p_forge = "0.5" }', "knobs.p_forge: "),
        ("loop = 3", "loop: Input should be a valid string"),
        ('lop = "drop"', "lop: Extra inputs are not permitted"),
        ('language = "fr"', "language: "),
        ('name = ""', "name: "),
        ("steps = 0\ntokens = 0\nlop = 1\nname = 3", "; and 1 more"),
        ('loop = "react-v9"', "no history policy 'react-v9'. Did you mean 'react-v3'?"),
        ('prompt_version = "chat-v9"', "no prompt version 'chat-v9'"),
        ("= = =", "TOML file in UTF-8"),
        (b"\xff\xfe", "TOML file in UTF-8"),
        ("a = " + "[" * 5000, "nested too deep"),
    ],
)
def test_what_is_no_condition_is_refused_in_one_sentence(text: str | bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError) as refusal:
        load(tmp_path, text)
    assert said in str(refusal.value)
    assert str(refusal.value).startswith(f"{tmp_path / 'quiet.toml'}: ")
    assert "\n" not in str(refusal.value)


def test_a_refusal_lists_the_fields(tmp_path: Path) -> None:
    with pytest.raises(LoadError) as refusal:
        load(tmp_path, "lop = 1")
    assert all(name in str(refusal.value) for name in Condition.model_fields)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.toml", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(LoadError, match=reason):
            load_condition(path)


def test_a_name_may_not_be_endless() -> None:
    with pytest.raises(UsageError, match="name: "):
        condition_of({"name": "x" * 81})


def test_conditions_must_be_told_apart() -> None:
    a, b = Condition(name="a", loop="drop"), Condition(name="b", loop="retry")
    check_distinct([a, b])
    with pytest.raises(UsageError, match="at least one"):
        check_distinct([])
    with pytest.raises(UsageError, match="'a' and 'a' have the same name"):
        check_distinct([a, b.model_copy(update={"name": "a"})])
    with pytest.raises(UsageError, match="'a' and 'c' have the same content"):
        check_distinct([a, b, a.model_copy(update={"name": "c"})])


@pytest.mark.parametrize("loops", ["react-v1,,react-v2", "react-v1, react-v2", ",react-v1,\treact-v2 ,"])
def test_conditions_from_names_of_policies(loops: str) -> None:
    made = conditions_for(loops, steps=3, knobs={"p_forge": 0.5})
    wanted = [Condition(name=name, loop=name, steps=3, knobs={"p_forge": 0.5}) for name in ("react-v1", "react-v2")]
    assert made == wanted


@pytest.mark.parametrize(
    ("loops", "fields", "said"),
    [
        ("react-v1,reakt", {}, "no history policy 'reakt'"),
        ("", {}, "names none of .*react-v1"),
        (" , ", {}, "names none of"),
        ("drop", {"steps": 0}, "steps: "),
        ("drop", {"step": 1}, "step: Extra inputs"),
        ("drop", {"name": "x"}, "'name' follows from the history policy"),
    ],
)
def test_names_that_make_no_conditions(loops: str, fields: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        conditions_for(loops, **fields)


def test_the_schema_explains_every_field() -> None:
    properties = Condition.model_json_schema()["properties"]
    assert all(properties[name].get("description") for name in Condition.model_fields)
