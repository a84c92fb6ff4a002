from __future__ import annotations

import json

import pytest

from agentlab.errors import UsageError
from agentlab.formats.catalogue import FORMATS, all_formats, claimants
from agentlab.formats.files.head import Head

CHAT = [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "North."}]


def named(value: object) -> list[str]:
    return [form.name for form in claimants(Head(json.dumps(value).encode()))]


def test_every_name_is_the_name_of_its_format() -> None:
    assert [form.name for form in all_formats()] == list(FORMATS.names()) == sorted(FORMATS.builtin)


def test_a_name_that_is_none_lists_the_names() -> None:
    with pytest.raises(UsageError, match="openai-chat"):
        FORMATS.get("openai-chats")


def test_a_general_format_is_asked_only_where_no_other_claims_a_file() -> None:
    assert FORMATS.get("openai-chat").general
    assert named({"messages": CHAT}) == ["openai-chat"]
    assert named({"type": "attempt_started", "messages": CHAT}) == ["agentlab"]


@pytest.mark.parametrize("value", [{}, [], 7, "x", None, {"messages": []}, {"a": {"b": [1]}}, [[]]])
def test_what_is_no_trace_is_claimed_by_none(value: object) -> None:
    assert named(value) == []


@pytest.mark.parametrize("data", [b"", b"\n", b"Dear all,\nall is well.\n", b"\x00\x01\x02", b"a,b\n1,2\n"])
def test_neither_is_other_content(data: bytes) -> None:
    assert claimants(Head(data)) == ()
