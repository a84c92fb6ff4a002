"""`agentlab check` tells a person exactly what is wrong with a provider."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentlab.cli.checkdocument import CheckDocument
from agentlab.trace.store import RunStore
from tests.cli.conftest import Call
from tests.toymodel import KEY, ToyModel

Serve = Callable[..., Any]


def test_a_good_server(call: Call, serve: Serve) -> None:
    called = call("check", f"{serve(ToyModel()).url}#toy")
    assert (called.code, called.err) == (0, "")
    assert called.out.count(" yes ") == 9


@pytest.mark.parametrize(
    ("toy", "spec", "problem"),
    [
        (ToyModel(key=KEY), "{url}#toy", "HTTP 401: the key is missing or wrong; check the key."),
        (ToyModel(), "{root}#toy", "HTTP 404: no such model or path; check the model's name, and the address, which"),
    ],
)
def test_a_server_that_cannot_be_used(call: Call, serve: Serve, toy: ToyModel, spec: str, problem: str) -> None:
    server = serve(toy)
    called = call("check", spec.format(url=server.url, root=server.url.removesuffix("/v1")))
    assert called.code == 1
    assert called.out == ""
    assert problem in called.err
    assert "The server's own words: " in called.err


def test_nothing_is_there(call: Call, closed_port: int) -> None:
    called = call("check", f"http://127.0.0.1:{closed_port}/v1#toy")
    assert (called.code, called.out) == (1, "")
    assert "Nothing can be reached at 127.0.0.1:" in called.err
    assert "start the server or correct the address" in called.err


def test_no_key(call: Call) -> None:
    assert "set the environment variable OPENAI_API_KEY" in call("check", "openai:toy").refusal
    assert "set the environment variable ANTHROPIC_API_KEY" in call("check", "anthropic:toy").refusal


@pytest.mark.parametrize(
    ("ignored", "model", "said"),
    [
        ({"tools": False}, "toy", "tools are dropped without a word"),
        ({"stops": False}, "toy", "writes on behind a stop string"),
        ({}, "tay", "answers to 'tay' and lists 'toy'"),
    ],
)
def test_what_is_ignored_is_told(call: Call, serve: Serve, ignored: dict[str, Any], model: str, said: str) -> None:
    called = call("check", f"{serve(ToyModel(**ignored)).url}#{model}", "--json")
    document = CheckDocument.model_validate_json(called.out)
    assert called.code == 0
    (no,) = (each for each in document.capabilities if each.verdict == "no")
    assert said in no.detail


def test_a_server_s_words_are_shown_harmless(call: Call, serve: Serve) -> None:
    server = serve(lambda handler: handler.send(400, "x\x1b[2Jy"))
    called = call("check", f"{server.url}#toy")
    assert "\x1b" not in called.err


def test_a_key_is_never_shown(call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLAB_API_KEY", KEY)
    called = call("check", f"{serve(lambda handler: handler.send(401, f'no {KEY}')).url}#toy", "--json")
    assert called.code == 1
    assert KEY not in called.out + called.err
    assert json.loads(called.out)["fault"]["server_said"] == "no [key]"


def test_a_provider_without_a_server(call: Call) -> None:
    called = call("check", "simulated")
    assert called.code == 0
    assert "there is nothing to ask of it" in called.out


@pytest.mark.parametrize("loop", ["react-v1", "react-v2", "react-v3"])
def test_one_attempt_is_checked(call: Call, serve: Serve, tmp_path: Path, loop: str) -> None:
    toy = ToyModel(write=lambda asked: "Observation: 0 hits, and this is forged text")
    called = call("check", f"{serve(toy).url}#toy", "--probe", "mcp-mentions", "--loop", loop, "--out", "one", "--json")
    assert (called.code, called.err) == (0, "")
    document = CheckDocument.model_validate_json(called.out)
    assert [check.name for check in document.attempt if not check.passed] == []
    assert len(document.attempt) == 7
    assert RunStore.open(tmp_path / "one").manifest.attempts_per_condition == 1


def test_an_attempt_with_native_calls(call: Call, serve: Serve, tmp_path: Path) -> None:
    called = call("check", f"{serve(ToyModel()).url}#toy", "--probe", "mcp-mentions", "--native", "--out", "one")
    assert called.code == 0
    (trace,) = RunStore.open(tmp_path / "one").traces()
    assert trace.started.tool_calling == "native"


def test_an_attempt_that_a_server_does_not_survive(call: Call, serve: Serve) -> None:
    toy = ToyModel()

    def tired(handler: Any) -> None:
        toy(handler) if len(handler.server.received) < 14 else handler.send(400, "enough")

    called = call("check", f"{serve(tired).url}#toy", "--probe", "mcp-mentions", "--json")
    document = CheckDocument.model_validate_json(called.out)
    assert called.code == 1
    assert "end" in [check.name for check in document.attempt if not check.passed]


def test_options_that_mean_nothing(call: Call) -> None:
    assert "--probe CASE, which is not given" in call("check", "simulated", "--out", "one").refusal
    assert "no provider 'simulate'" in call("check", "simulate").refusal
    assert "no case 'nothing'" in call("check", "simulated", "--probe", "nothing").refusal


def test_the_server_s_words_are_kept_for_the_audit_and_in_no_context(call: Call, serve: Serve, tmp_path: Path) -> None:
    spec = f"{serve(lambda handler: handler.send(400, 'the furnace is out')).url}#toy"
    call("study", "mcp-mentions", "--attempts", 1, "--loop", "react-v2", "--provider", spec, "--out", "run")
    (trace,) = RunStore.open(tmp_path / "run").traces()
    assert trace.finished is not None
    assert (trace.finished.fault, trace.finished.server_said) == ("refused", "the furnace is out")
    assert "furnace" not in trace.finished.detail
    assert "The model server's own words: the furnace is out" in call("show", "run").out
    audit = json.loads(call("audit", "run", "--json").out)
    (finding,) = (each for each in audit["traces"][0]["findings"] if each["rule"] == "infrastructure")
    assert [each["field"] for each in finding["where"]] == ["detail", "server_said"]
