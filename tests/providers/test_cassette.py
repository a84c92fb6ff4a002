"""Replies recorded once and played back, by request; what is not on the tape is named with the nearest that is."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.clock import TickClock
from agentlab.errors import LoadError, ProviderError, UsageError
from agentlab.messages import Completion, Message, Sampling, ToolCall, ToolDescription, Usage
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.cassette import CassettePlayer, CassetteRecorder, CassetteWriter, read_header
from agentlab.providers.differences import difference
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.scripted import ScriptedProvider

KEY = "planted-key-31c9"
WEIGH = ToolDescription(name="weigh", description="Weighs a crate.", parameters={"type": "object"})


def asking(text: str, *, seed: int | None = None, **fields: Any) -> ProviderRequest:
    messages = (
        Message(role="system", text="Be brief.", author="system"),
        Message(role="user", text=text, author="user"),
    )
    return ProviderRequest(messages=messages, sampling=Sampling(temperature=0.5, seed=seed), **fields)


def taping(provider: Provider, path: Path) -> CassetteRecorder:
    writer = CassetteWriter(path, provider=provider, spec="http://127.0.0.1:1/v1#toy", clock=TickClock())
    return CassetteRecorder(provider, writer)


def recorded(path: Path, *requests: ProviderRequest) -> list[Completion]:
    """Records a numbered reply to each request."""
    numbers = iter(range(1, 1_000))
    script = ScriptedProvider(lambda request: f"reply {next(numbers)}")
    recorder = taping(script, path)
    return [recorder.complete(request) for request in requests]


def test_what_was_recorded_is_played(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    requests = [asking("How heavy?"), asking("How long?", tools=(WEIGH,)), asking("How heavy?", seed=4)]
    replies = recorded(path, *requests)
    player = CassettePlayer(path)
    assert [player.complete(request) for request in reversed(requests)] == replies[::-1]
    assert (player.name, player.model) == ("cassette", "scripted")
    assert read_header(path).spec == "http://127.0.0.1:1/v1#toy"


def test_a_whole_completion_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    whole = Completion(
        text="half \ufffd 七",
        reasoning="Hmm.",
        calls=(ToolCall(id="a", tool="weigh", arguments={"n": [1, None]}), ToolCall(id="b", tool="x", arguments="{")),
        finish_reason="tool_calls",
        usage=Usage(input_tokens=3),
        model="toy-1",
        latency=0.25,
        first_byte=0.1,
        tries=2,
        remarks=("empty_reply",),
    )
    taping(ScriptedProvider([whole]), path).complete(asking("?"))
    assert CassettePlayer(path).complete(asking("?")) == whole


def test_the_same_request_may_be_recorded_several_times(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    recorded(path, asking("?"), asking("?"))
    player = CassettePlayer(path)
    assert [player.complete(asking("?")).text for _ in range(2)] == ["reply 1", "reply 2"]
    with pytest.raises(ProviderError, match="recorded 2 times, and is asked once more") as caught:
        player.complete(asking("?"))
    assert caught.value.fault == "not_recorded"


def test_an_attempts_seed_is_a_part_of_its_requests(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    replies = iter(["one", "two"])
    recorder = taping(ScriptedProvider(lambda request: next(replies)), path)
    for seed in (1, 2):
        recorder.for_attempt(seed).complete(asking("?"))
    player = CassettePlayer(path)
    assert [player.for_attempt(seed).complete(asking("?")).text for seed in (2, 1)] == ["two", "one"]
    with pytest.raises(ProviderError, match=r"differs in sampling\.seed: [12] was recorded, 3 is asked"):
        player.for_attempt(3).complete(asking("?"))


def test_a_miss_names_the_nearest_request_and_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    recorded(path, asking("Which crate is the heaviest of all that came?"), asking("What?", tools=(WEIGH,)))
    with pytest.raises(ProviderError) as caught:
        CassettePlayer(path).complete(asking("Which crate is the lightest of all that came?"))
    assert str(caught.value) == (
        f"{path}: this request was not recorded; the nearest, number 1, differs in messages[2].text from character 20 "
        "on: 'Which crate is the heaviest of all that…' was recorded, 'Which crate is the lightest of all that…' is "
        "asked. Record it, or ask as it was recorded."
    )


@pytest.mark.parametrize(
    ("recorded", "asked", "shown"),
    [
        ({"a": 1}, {"a": 2}, "a: 1 was recorded, 2 is asked"),
        ({"a": 1}, {"b": 1}, "a: 1 was recorded, None is asked"),
        ({"a": [1]}, {"a": [1, 2]}, "a, of which 1 were recorded and 2 are asked"),
        ({"a": [{"b": "xy"}]}, {"a": [{"b": "xz"}]}, "a[1].b from character 2 on: 'xy' was recorded, 'xz' is asked"),
    ],
)
def test_differences(recorded: dict[str, object], asked: dict[str, object], shown: str) -> None:
    assert difference(asked, [recorded]) == f"the nearest, number 1, differs in {shown}"
    assert difference(asked, []) == "nothing was"


def test_many_may_record_and_play_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    recorder = taping(ScriptedProvider(lambda request: request.messages[-1].text), path)
    texts = [f"question {number}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: recorder.complete(asking(text)), texts))
        player = CassettePlayer(path)
        assert list(pool.map(lambda text: player.complete(asking(text)).text, texts)) == texts


def test_keys_never_reach_a_tape(tmp_path: Path, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    reply = {"choices": [{"message": {"content": f"Your key is {KEY}."}}]}
    server = serve(lambda handler: handler.send(200, reply, x_key=KEY))
    path = tmp_path / "tape.jsonl"
    recorder = taping(OpenAICompatProvider(server.url, "toy", api_key=KEY), path)
    recorder.complete(asking(f"My key is {KEY}, keep it."))
    assert KEY not in path.read_text(encoding="utf-8")
    assert CassettePlayer(path).complete(asking(f"My key is {KEY}, keep it.")).text == "Your key is [key]."
    monkeypatch.setenv("OPENAI_API_KEY", "another-key-5d10")
    assert CassettePlayer(path).complete(asking("My key is another-key-5d10, keep it.")).text == "Your key is [key]."


def test_a_tape_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    recorded(path)
    with pytest.raises(UsageError, match="is recorded once"):
        recorded(path)
    with pytest.raises(UsageError, match="cannot be written"):
        recorded(tmp_path / "nowhere" / "tape.jsonl")


def test_a_tape_may_be_gzipped(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    recorded(path, asking("?"))
    packed = tmp_path / "tape.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert CassettePlayer(packed).complete(asking("?")).text == "reply 1"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(LoadError, match="nor a whole gzip file"):
        CassettePlayer(packed)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "its first line is not the head"),
        (b"{}\n", "its first line is not the head"),
        (b"\xff\xfe\n", "neither text in UTF-8 nor"),
        (b"HEAD{\n", "line 2 is no recorded reply"),
        (b'HEAD{"key": "a"}\n', "line 2 is no recorded reply: field request does not fit"),
    ],
)
def test_files_that_are_no_tape(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "tape.jsonl"
    recorded(path)
    head = path.read_bytes()
    path.write_bytes(content.replace(b"HEAD", head))
    with pytest.raises(LoadError, match=problem):
        CassettePlayer(path)
    with pytest.raises(LoadError, match="cannot be read"):
        CassettePlayer(tmp_path / "nowhere")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["messages", "text", "a"]), inner),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["messages", "sampling", "tools"]), JSON)


@given(OBJECTS, st.lists(OBJECTS, max_size=3))
def test_any_two_requests_differ_somewhere(asked: dict[str, object], recorded: list[dict[str, object]]) -> None:
    if asked not in recorded:
        assert difference(asked, recorded)
