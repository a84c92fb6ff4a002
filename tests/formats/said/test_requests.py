from __future__ import annotations

import json
from typing import Any

import pytest

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.model import Asked, Said, decoded, defect_of, finish_of
from agentlab.formats.said.requests import parameters_of, replied, requested
from agentlab.formats.said.telling import tell_reply
from agentlab.formats.shapes.fields import ShapeError
from agentlab.messages import Usage
from agentlab.trace.values import Evidence


def roles(said: list[Said] | None) -> list[tuple[str, str]]:
    assert said is not None
    return [(each.role, each.text) for each in said]


def asked(value: Any) -> list[Asked]:
    reply = replied(value)
    assert reply is not None
    return list(reply.calls)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
        {"messages": [{"role": "developer", "content": "Be kind."}, {"role": "human", "content": "Hi"}]},
        {"system": "Be kind.", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        {"system": [{"type": "text", "text": "Be kind."}], "messages": [{"role": "user", "content": "Hi"}]},
        {"instructions": "Be kind.", "input": "Hi"},
        {"system": "Be kind.", "prompt": "Hi"},
        {
            "systemInstruction": {"parts": [{"text": "Be kind."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        },
        {"config": {"system_instruction": "Be kind."}, "contents": "Hi"},
        [
            {"role": "system", "parts": [{"type": "text", "content": "Be kind."}]},
            {"role": "user", "blocks": [{"block_type": "text", "text": "Hi"}]},
        ],
        json.dumps(json.dumps([{"type": "system", "content": "Be kind."}, {"type": "human", "content": "Hi"}])),
        {"messages": ["role='system' content='Be kind.' name=None", "role='user' content=\"Hi\""]},
    ],
)
def test_requests_of_every_shape_say_the_same(value: Any) -> None:
    assert roles(requested(value)) == [("system", "Be kind."), ("user", "Hi")]


@pytest.mark.parametrize("value", [None, "", [], {}, {"content": "role"}, '{"content":"role"}'])
def test_what_was_not_recorded_is_none(value: Any) -> None:
    assert requested(value) is None


CALL = {"id": "c", "type": "function", "function": {"name": "go", "arguments": '{"n": 1}'}}
OPENAI = {"role": "assistant", "content": None, "tool_calls": [CALL]}
GOOGLE = {"id": "c", "name": "go", "args": {"n": 1}}
LANGCHAIN = {"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "go", "args": {"n": 1}}]}
VERCEL = {"toolCallId": "c", "toolName": "go", "args": {"n": 1}}


@pytest.mark.parametrize(
    "value",
    [
        OPENAI,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "go", "input": {"n": 1}}]},
        {"choices": [{"message": OPENAI}]},
        {"output": [{"type": "function_call", "call_id": "c", "id": "fc", "name": "go", "arguments": '{"n": 1}'}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": GOOGLE}]}}]},
        {"content": {"role": "model", "parts": [{"function_call": GOOGLE}]}},
        [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "go", "arguments": {"n": 1}}]}],
        [{"toolCallId": "c", "toolName": "go", "input": '{"n": 1}'}],
        {"finishReason": "tool-calls", "toolCalls": [VERCEL]},
        {"message": OPENAI, "index": 0},
        {"generations": [[{"text": "", "message": LANGCHAIN}]]},
    ],
)
def test_replies_of_every_shape_ask_the_same(value: Any) -> None:
    assert asked(value) == [Asked(call="c", tool="go", arguments={"n": 1})]
    assert asked(json.dumps(value)) == asked(value)


def test_what_the_provider_ran_itself_is_proposal_and_execution() -> None:
    search = {"type": "web_search_call", "id": "ws1", "status": "completed", "action": {"query": "tide"}}
    failed = {"type": "mcp_call", "id": "m1", "name": "roll", "arguments": "{}", "output": None, "error": "gone"}
    ours = {"type": "computer_call", "id": "i1", "call_id": "k1", "action": {"type": "click"}}
    found = asked({"output": [search, failed, ours]})
    assert [(each.tool, each.by, each.error) for each in found] == [
        ("web_search", "provider", None),
        ("roll", "provider", "gone"),
        ("computer_call", "agent", None),
    ]
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tide"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "high"}]}
    (call,) = asked({"role": "assistant", "content": [use, result, {"type": "text", "text": "High."}]})
    assert (call.by, call.result, call.error) == ("provider", "high", None)
    refused = result | {"content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}}
    (call,) = asked({"role": "assistant", "content": [use, refused]})
    assert (call.result, call.error) == (None, "unavailable")
    late = replied({"role": "assistant", "content": [result, {"type": "text", "text": "High."}]})
    assert late is not None
    assert late.extra == {"tool_results": [result]}  # of a call that an earlier message made


@pytest.mark.parametrize(
    ("part", "state"),
    [
        ({"type": "web_search_call", "status": "completed"}, "succeeded"),
        ({"type": "web_search_call", "status": "incomplete"}, "failed"),
        ({"type": "web_search_call", "status": "searching"}, "unanswered"),
        ({"type": "server_tool_use", "name": "web_search"}, "unanswered"),
    ],
)
def test_what_the_provider_began_ended_only_where_the_record_says_so(part: dict[str, Any], state: str) -> None:
    reply = replied({"output": [{**part, "id": "s1"}]})
    assert reply is not None
    builder = TraceBuilder("langfuse", path="", key=["tide"], evidence=Evidence())
    tell_reply(builder, reply, source="1")
    assert [call.state for call in builder.build().calls] == [state]


def test_who_speaks_in_a_reply_need_not_be_called_assistant() -> None:
    for value in ({"role": "Pilot", "content": "Aye."}, [{"role": "Pilot", "content": "Aye."}]):
        reply = replied(value)
        assert reply is not None
        assert (reply.role, reply.text) == ("assistant", "Aye.")


def test_requests_in_texts_inside_each_other_are_opened_however_deep() -> None:
    value: Any = "Hi"
    for _ in range(6):
        for _ in range(180):
            value = {"input": value}
        value = json.dumps(value)
    assert roles(requested(value)) == [("user", "Hi")]


@pytest.mark.parametrize(
    ("part", "role"),
    [
        ({"type": "tool_result", "tool_use_id": "c", "content": "wet", "is_error": True}, "user"),
        ({"type": "tool_call_response", "id": "c", "response": "wet"}, "tool"),
        (
            {"type": "tool-result", "toolCallId": "c", "toolName": "go", "output": {"type": "text", "value": "wet"}},
            "tool",
        ),
    ],
)
def test_answers_stand_apart_from_what_else_a_message_says(part: dict[str, Any], role: str) -> None:
    said = requested(
        [{"role": role, "content": [part, {"type": "text", "text": "And?"}] if role == "user" else [part]}]
    )
    assert said is not None
    assert (said[0].role, said[0].text, said[0].call) == ("tool", "wet", "c")
    assert said[0].failed is ("is_error" in part)
    assert [each.text for each in said[1:]] == (["And?"] if role == "user" else [])


def test_reasoning_is_no_text() -> None:
    for content in (
        [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}],
        [{"thought": True, "text": "Hm."}, {"text": "Yes."}],
        [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "Yes."}],
    ):
        reply = replied({"role": "assistant", "parts": content})
        assert reply is not None
        assert (reply.text, reply.reasoning) == ("Yes.", "Hm.")


def test_further_choices_are_kept() -> None:
    choices = [{"message": {"role": "assistant", "content": text}, "finish_reason": "length"} for text in "ab"]
    reply = replied({"choices": choices, "usage": {"prompt_tokens": 3, "completion_tokens": 2}, "model": "m"})
    assert reply is not None
    assert (reply.text, reply.finish_reason, reply.model) == ("a", "length", "m")
    assert (reply.usage, reply.extra["choices"]) == (Usage(input_tokens=3, output_tokens=2), choices[1:])


def test_google_and_anthropic_count_some_tokens_apart() -> None:
    counts = {"prompt_token_count": 5, "candidates_token_count": 3, "thoughts_token_count": 7}
    candidate = {"content": {"role": "model", "parts": [{"text": "a"}]}}
    google = replied({"candidates": [candidate], "usage_metadata": counts})
    usage = {"input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 3}
    anthropic = replied({"role": "assistant", "content": "a", "usage": usage})
    assert google is not None
    assert anthropic is not None
    assert google.usage == Usage(input_tokens=5, output_tokens=10)
    assert anthropic.usage == Usage(input_tokens=25, output_tokens=3)
    litellm = replied(
        {"role": "assistant", "content": "a", "usage": {"prompt_tokens": 25} | usage | {"input_tokens": None}}
    )
    assert litellm is not None
    assert litellm.usage == Usage(input_tokens=25, output_tokens=3)


def test_the_models_own_json_is_its_text() -> None:
    for text in ('{"answer": 2}', '{"content": "x"}', '{"message": "x"}', '{"output": "x"}', '{"text": "x"}', "[1]x"):
        reply = replied(text)
        assert reply is not None
        assert (reply.text, reply.calls) == (text, ())


@pytest.mark.parametrize(
    "value", [[5], [{"role": "user", "content": 5}], {"messages": [None]}, [{"role": "user", "content": [5]}]]
)
def test_what_is_no_message_is_refused(value: Any) -> None:
    with pytest.raises(ShapeError, match="was expected"):
        requested(value)


def test_messages_that_are_sent_again_are_read_and_told_once() -> None:
    talk = [{"role": "user", "content": str(number)} for number in range(9)]
    memory, items = Memory(), []
    for first, last in ((0, 3), (0, 5), (2, 7), (2, 9), (0, 2)):
        said = requested(talk[first:last], memory=memory)
        assert said is not None
        found = memory.items(said, source=f"{first}-{last}")
        assert [item.text for item in found] == [str(number) for number in range(first, last)]
        items.append(found)
    assert [item.source for item in items[3]] == ["0-3", "0-5", "0-5", "2-7", "2-7", "2-9", "2-9"]


def test_decoded_opens_json_in_texts_and_leaves_words() -> None:
    assert decoded(json.dumps(json.dumps({"a": 1}))) == {"a": 1}
    assert [decoded(text) for text in ("12", "null", "{no", "")] == ["12", "null", "{no", ""]


def test_words_for_an_ending() -> None:
    assert [finish_of(word) for word in ("STOP", ["tool_calls"], "MAX_TOKENS", 5, "odd")] == [
        *("stop", "tool_calls", "length", "unknown", "unknown"),
    ]
    assert (defect_of([], "runs"), defect_of(["a"], "runs")) == ("", "one of the runs could not be read: a")


def test_thoughts_that_only_the_provider_can_read_are_kept() -> None:
    sealed = {"type": "reasoning", "id": "r-1", "summary": [], "encrypted_content": "x"}
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    for output in ([sealed, call], {"id": "resp-1", "output": [sealed, call], "usage": {"input_tokens": 1}}):
        reply = replied(output)
        assert reply is not None
        assert [each.tool for each in reply.calls] == ["look"]
        assert reply.extra["thinking"] == [{"id": "r-1", "encrypted_content": "x"}]
        assert reply.reasoning == ""
    assert reply.extra["id"] == "resp-1"
    assert "usage" not in reply.extra  # it counts nothing that the event does not


@pytest.mark.parametrize(
    ("value", "parameters"),
    [
        (
            {"model": "m", "messages": [], "prompt": "Hi", "tools": [{}], "system": "x", "top_p": 0.5},
            {"model": "m", "top_p": 0.5},
        ),
        ({"contents": "Hi", "config": {"system_instruction": "x", "temperature": 1}}, {"config": {"temperature": 1}}),
        ('{"input": "Hi", "reasoning": {"effort": "low"}}', {"reasoning": {"effort": "low"}}),
        ({"role": "user", "content": "Hi", "name": "me"}, {}),
        ({"city": "Ulm"}, {}),
        ([{"role": "user", "content": "Hi"}], {}),
        (None, {}),
    ],
)
def test_what_a_request_holds_beside_its_messages(value: Any, parameters: dict[str, Any]) -> None:
    assert parameters_of(value) == parameters
