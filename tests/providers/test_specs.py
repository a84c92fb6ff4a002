from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.messages import Message
from agentlab.providers.base import ProviderRequest
from agentlab.providers.behaviour import Behaviour
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.scripted import ScriptedProvider
from agentlab.providers.specs import open_provider

KEYS = ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "AGENTLAB_API_KEY")
REQUEST = ProviderRequest(messages=(Message(role="user", text="How heavy?", author="user"),))
BEHAVIOUR = Behaviour.model_validate(
    {
        "plan": [{"tool": "weigh", "forged": {"tool": "weigh", "kilograms": 0}}],
        "answer_step": "weigh",
        "words": {"en": {"act": "Weigh.", "again": "Again.", "conclude": "Done.", "answer": "{kilograms} kg"}},
    }
)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def test_simulated_with_knobs() -> None:
    forging = open_provider("simulated", behaviour=BEHAVIOUR, knobs={"p_forge": 1.0})
    assert "\nObservation:" in forging.complete(REQUEST).text
    honest = open_provider("simulated", behaviour=BEHAVIOUR, knobs={"p_forge": 0.0})
    assert honest.complete(REQUEST).text == "Thought: Weigh.\nAction: weigh[{}]"
    assert honest.name == "simulated"


def test_scripted_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "replies:1.txt"
    path.write_text("one\n---\ntwo\n", encoding="utf-8")
    provider = open_provider(f"scripted:{path}", behaviour=None)
    assert isinstance(provider, ScriptedProvider)
    assert provider.complete(REQUEST).text == "one"


@pytest.mark.parametrize(
    ("spec", "variable", "shown"),
    [
        ("openai:toy-1", "OPENAI_API_KEY", "OpenAICompatProvider('https://api.openai.com/v1', 'toy-1')"),
        ("deepseek:toy-1", "DEEPSEEK_API_KEY", "OpenAICompatProvider('https://api.deepseek.com/v1', 'toy-1')"),
        ("ollama:toy:1b", None, "OpenAICompatProvider('http://127.0.0.1:11434/v1', 'toy:1b')"),
        ("http://[::1]:8090/v1#toy#1", None, "OpenAICompatProvider('http://[::1]:8090/v1', 'toy#1')"),
        ("HTTPS://model.invalid/v1#toy", "AGENTLAB_API_KEY", "OpenAICompatProvider('https://model.invalid/v1', 'toy')"),
    ],
)
def test_servers(monkeypatch: pytest.MonkeyPatch, spec: str, variable: str | None, shown: str) -> None:
    if variable:
        monkeypatch.setenv(variable, "planted-key-90b1")
    provider = open_provider(spec, behaviour=None)
    assert isinstance(provider, OpenAICompatProvider)
    assert repr(provider) == shown


@pytest.mark.parametrize("key", [None, "", "planted-key-90b1"])
def test_a_server_gets_the_key_of_the_environment(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    server = serve(lambda handler: handler.send(200, {"choices": [{"message": {"content": "Heavy."}}]}))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    if key is not None:
        monkeypatch.setenv("AGENTLAB_API_KEY", key)
    assert open_provider(f"{server.url}#toy", behaviour=None).complete(REQUEST).text == "Heavy."
    assert server.received[0].json["model"] == "toy"
    assert server.received[0].headers.get("authorization") == (f"Bearer {key}" if key else None)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("", r"no provider ''"),
        (
            "simulate",
            r"Did you mean 'simulated'\? What there is: anthropic, cassette, deepseek, http, https, ollama, openai",
        ),
        ("ftp://user:hidden@host/v1#toy", r"no provider 'ftp'\."),
        ("simulated:fast", "nothing after its name"),
        ("simulated", "needs the behaviour of a case"),
        ("scripted", r"scripted:FILE"),
        ("openai", r"openai:MODEL"),
        ("openai:toy", r"set the environment variable OPENAI_API_KEY"),
        ("deepseek:toy", r"set the environment variable DEEPSEEK_API_KEY"),
        ("anthropic:toy", r"set the environment variable ANTHROPIC_API_KEY"),
        ("cassette", r"cassette:FILE"),
        ("ollama:", r"ollama:MODEL"),
        ("http://127.0.0.1:8090/v1", r"http://host:port/v1#MODEL"),
        ("http://user:hidden@127.0.0.1/v1#toy", "holds a user or a key"),
        ("http:#toy", "should be http://host:port/v1"),
    ],
)
def test_specs_that_cannot_be_opened(spec: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        open_provider(spec, behaviour=None)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("spec", ["scripted:replies.txt", "ollama:toy", "http://127.0.0.1:1/v1#toy"])
def test_knobs_are_refused_where_they_would_do_nothing(spec: str) -> None:
    with pytest.raises(UsageError, match=r"Only the simulated provider has knobs; leave out 'p_forge'\."):
        open_provider(spec, behaviour=None, knobs={"p_forge": 0.5})


def test_a_script_that_is_not_there() -> None:
    with pytest.raises(LoadError, match="nowhere"):
        open_provider("scripted:nowhere.txt", behaviour=None)
