"""What a server can do and what it ignores, asked of a server of which the test knows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentlab.errors import ProviderError
from agentlab.providers.capabilities import QUESTIONS, capabilities
from agentlab.providers.openai_compat import OpenAICompatProvider
from tests.toymodel import KEY, ToyModel

Serve = Callable[..., Any]


def asked(serve: Serve, toy: ToyModel, model: str = "toy", key: str | None = None) -> dict[str, tuple[str, str]]:
    provider = OpenAICompatProvider(serve(toy).url, model, api_key=key)
    found = list(capabilities(provider))
    assert len(found) == QUESTIONS
    return {each.name: (each.verdict, each.detail) for each in found}


def test_a_good_server_can_do_everything(serve: Serve) -> None:
    found = asked(serve, ToyModel())
    assert {name: verdict for name, (verdict, _) in found.items()} == dict.fromkeys(found, "yes")


@pytest.mark.parametrize(
    ("ignored", "name", "verdict", "seen"),
    [
        ("stops", "stop", "no", "writes on behind a stop string"),
        ("limits", "max_tokens", "no", "tokens came where 8 were wanted"),
        ("tools", "tools", "no", "tools are dropped without a word"),
        ("schemas", "reply_schema", "no", "the reply is no JSON"),
        ("streams", "stream", "no", "the reply came whole"),
        ("counts", "usage", "no", "counts no tokens"),
        ("seeded", "seed", "no", "the same seed gave two replies"),
    ],
)
def test_what_a_server_ignores(serve: Serve, ignored: str, name: str, verdict: str, seen: str) -> None:
    found = asked(serve, ToyModel(**{ignored: False}))  # type: ignore[arg-type]
    assert found[name][0] == verdict
    assert seen in found[name][1]
    others = {each for each, (verdict, _) in found.items() if verdict == "no"}
    assert others == {name}


def test_a_name_that_the_server_does_not_list(serve: Serve) -> None:
    verdict, seen = asked(serve, ToyModel(), model="tay")["model"]
    assert (verdict, seen) == ("no", "it answers to 'tay' and lists 'toy': the name may mean nothing to it")
    verdict, seen = asked(serve, ToyModel(models=()))["model"]
    assert (verdict, seen) == ("unclear", "it lists no models; it calls itself 'toy-1'")


def test_what_cannot_be_told_is_said_so(serve: Serve) -> None:
    found = asked(serve, ToyModel(write=lambda asked: "river " * 30, tools=False, counts=False))
    assert found["seed"] == ("unclear", "two seeds gave the same reply; it may answer alike whatever the seed")
    assert found["tools"][0] == "unclear"


def test_a_server_that_refuses_something_says_it_in_its_own_words(serve: Serve) -> None:
    toy = ToyModel()

    def picky(handler: Any) -> None:
        if b'"tools"' in handler.server.received[-1].body:
            handler.send(400, {"error": {"message": "tools are not supported"}})
        else:
            toy(handler)

    found = {each.name: each for each in capabilities(OpenAICompatProvider(serve(picky).url, "toy"))}
    assert found["tools"].verdict == "no"
    assert "tools are not supported" in found["tools"].detail


def test_a_server_that_does_not_answer_is_an_error(serve: Serve) -> None:
    provider = OpenAICompatProvider(serve(ToyModel(key=KEY)).url, "toy", api_key="another-key-1")
    with pytest.raises(ProviderError, match="the key is missing or wrong"):
        next(capabilities(provider))
