from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError, ProviderError, UsageError
from agentlab.messages import Completion, Message, Sampling, ToolCall, Usage
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.scripted import ScriptedProvider, crude_tokens


def request(*texts: str, seed: int | None = None) -> ProviderRequest:
    messages = tuple(Message(role="user", text=text, author="user") for text in texts)
    return ProviderRequest(messages=messages, sampling=Sampling(seed=seed))


def script(tmp_path: Path, name: str, content: str | bytes) -> list[str]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    provider = ScriptedProvider.from_file(path)
    replies = []
    while True:
        try:
            replies.append(provider.complete(request("next")).text)
        except ProviderError:
            return replies


def test_it_is_a_provider_and_answers_in_order() -> None:
    provider: Provider = ScriptedProvider(["one", "two"])
    assert (provider.name, provider.model) == ("scripted", "scripted")
    assert [provider.complete(request("q")).text for _ in range(2)] == ["one", "two"]


def test_a_text_becomes_a_whole_completion() -> None:
    reply = ScriptedProvider(["abcde"]).complete(request("abcd", "你好"))
    usage = Usage(input_tokens=1 + 2, output_tokens=2)
    assert reply == Completion(text="abcde", usage=usage, model="scripted", latency=0.0)


def test_a_completion_is_given_as_it_is() -> None:
    reply = Completion(text="", calls=(ToolCall(id="c1", tool="weigh", arguments="{"),), finish_reason="tool_calls")
    assert ScriptedProvider([reply]).complete(request("q")) is reply


def test_when_replies_run_out_it_says_how_many_there_were() -> None:
    provider = ScriptedProvider(["only"])
    provider.complete(request("q"))
    with pytest.raises(ProviderError, match="holds 1 replies and was asked for reply 2") as caught:
        provider.complete(request("q"))
    assert caught.value.fault == "exhausted"
    assert len(provider.requests) == 2


def test_a_function_sees_the_request() -> None:
    provider = ScriptedProvider(lambda asked: asked.messages[-1].text.upper())
    assert provider.complete(request("first", "last")).text == "LAST"


def test_it_records_the_context_as_it_was() -> None:
    context = [Message(role="user", text="q", author="user")]
    provider = ScriptedProvider(["a", "b"])
    provider.complete(ProviderRequest(messages=context))
    context.append(Message(role="assistant", text="a", author="model"))
    provider.complete(ProviderRequest(messages=context))
    assert [len(asked.messages) for asked in provider.requests] == [1, 2]


@pytest.mark.parametrize("replies", [["one", "two"], lambda asked: "one"])
def test_each_attempt_starts_afresh(replies: object) -> None:
    provider = ScriptedProvider(replies)  # type: ignore[arg-type]
    provider.complete(request("q"))
    attempt = provider.for_attempt(7)
    assert attempt.complete(request("r")).text == "one"
    assert [asked.messages[0].text for asked in attempt.requests] == ["r"]
    assert [asked.messages[0].text for asked in provider.requests] == ["q"]


def test_a_single_text_is_refused_and_not_read_letter_by_letter() -> None:
    with pytest.raises(UsageError, match="list of replies"):
        ScriptedProvider("Action: weigh[{}]")


def test_its_repr_is_one_line_without_the_replies() -> None:
    assert repr(ScriptedProvider(["secret\nplan"])) == "ScriptedProvider(1 replies, asked 0 times)"
    assert repr(ScriptedProvider(lambda asked: "")) == "ScriptedProvider(a function, asked 0 times)"


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("观察", 2), ("\ud800", 1)])
def test_crude_tokens(text: str, tokens: int) -> None:
    assert crude_tokens(text) == tokens


@given(st.text(), st.text())
def test_crude_tokens_grow_with_the_text(first: str, second: str) -> None:
    whole = crude_tokens(first + second)
    assert crude_tokens(first) <= whole <= crude_tokens(first) + crude_tokens(second)


@pytest.mark.parametrize(
    ("content", "replies"),
    [
        ("one", ["one"]),
        ("one\n", ["one"]),
        ("one\n\n", ["one\n"]),
        ("one\ntwo\n---\nthree\n", ["one\ntwo", "three"]),
        ("one\n---\n", ["one"]),
        ("one\r\n--- \r\ntwo\r\n", ["one", "two"]),
        ("---\none", ["", "one"]),
        ("one\n---\n---\ntwo", ["one", "", "two"]),
        ("a --- b\n----\n", ["a --- b\n----"]),
        ("\ufeffone\u2028still one\n", ["one\u2028still one"]),
    ],
)
def test_text_scripts(tmp_path: Path, content: str, replies: list[str]) -> None:
    assert script(tmp_path, "replies.txt", content) == replies


@given(
    st.lists(st.lists(st.text(alphabet="ab-:\u3002 "), min_size=1, max_size=3).map("\n".join), min_size=1, max_size=4)
)
def test_what_was_written_with_separators_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    texts = [text.replace("---", "-_-") for text in texts]
    path = tmp_path_factory.mktemp("scripts")
    assert script(path, "replies.txt", "".join(f"{text}\n---\n" for text in texts)) == texts


def test_json_scripts(tmp_path: Path) -> None:
    content = '"one\\n---"\n\n{"text": "two\u2028"}\r\n""\n'
    assert script(tmp_path, "replies.jsonl", content) == ["one\n---", "two\u2028", ""]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2 is not strict JSON"),
        ('{"text": "a", "text": "b"}', "same key twice"),
        ('"\\ud800"', "surrogate"),
        ("3", "line 2 should hold a JSON string"),
        ('{"text": 3}', "line 2 should hold"),
        ('{"text": "a", "calls": []}', "a text and no more"),
        ('["a"]', "line 2 should hold"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(LoadError, match=problem):
        script(tmp_path, "replies.jsonl", f'"good"\n{line}\n')


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("replies.txt", "", "holds none"),
        ("replies.jsonl", "\n\n", "holds none"),
        ("replies.txt", b"ab\xff", "byte 2"),
    ],
)
def test_a_file_that_is_no_script(tmp_path: Path, name: str, content: str | bytes, problem: str) -> None:
    with pytest.raises(LoadError, match=problem):
        script(tmp_path, name, content)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"nowhere\.txt: the script cannot be read"):
        ScriptedProvider.from_file(tmp_path / "nowhere.txt")
