"""What each request sent is written by the conventions, whole or only what is new in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.otel.export import otlp_lines
from agentlab.formats.otel.inputs import inputs
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence
from tests.trace.samples import played


def user(text: str) -> Item:
    return Item(role="user", text=text, source="1")


def built(*requests: tuple[str, Iterable[str]]) -> Trace:
    """Requests of named agents with contexts of users' messages."""
    builder = TraceBuilder("spans", path="", key=["ferry"], evidence=Evidence())
    for name, texts in requests:
        builder.seat(name)
        builder.see([user(text) for text in texts])
        builder.reply("aye", remembered=False, source="1")
    return builder.build()


def shown(trace: Trace, messages: Any) -> list[tuple[str, int]]:
    """Of each request the texts written, and how many messages stand in earlier spans."""
    found = []
    for held in inputs(trace, messages).values():
        written = json.loads(str(held["gen_ai.input.messages"]))
        texts = "".join(part["content"] for message in written for part in message["parts"])
        assert (held.get("agentlab.input.messages") == "new") == ("agentlab.input.earlier" in held)
        earlier = held.get("agentlab.input.earlier", 0)
        assert isinstance(earlier, int)
        found.append((texts, earlier))
    return found


@pytest.mark.parametrize(
    ("contexts", "new"),
    [
        (["a", "ab", "abc"], [("a", 0), ("b", 1), ("c", 2)]),
        (["ab", "ab"], [("ab", 0), ("", 2)]),
        (["aa", "aaa"], [("aa", 0), ("a", 2)]),
        (["sabc", "sbcd", "scde"], [("sabc", 0), ("d", 3), ("e", 3)]),
        (["abc", "z"], [("abc", 0), ("z", 0)]),
    ],
)
def test_new_is_what_the_last_request_did_not_hold(contexts: list[str], new: list[tuple[str, int]]) -> None:
    trace = built(*(("", context) for context in contexts))
    assert shown(trace, "new") == new
    assert shown(trace, "all") == [(context, 0) for context in contexts]


def test_each_agent_has_a_last_request_of_its_own() -> None:
    trace = built(("", "ab"), ("mate", "xy"), ("", "abc"), ("mate", "xyz"), ("mate", "xyzq"))
    assert shown(trace, "new") == [("ab", 0), ("xy", 0), ("c", 2), ("z", 2), ("q", 3)]


@given(st.lists(st.tuples(st.sampled_from(["", "mate"]), st.text("abc", max_size=5)), max_size=8))
def test_what_is_written_and_what_stands_earlier_make_the_context(requests: list[tuple[str, str]]) -> None:
    trace = built(*requests)
    lengths = [len(context) for context in trace.contexts.values()]
    assert [len(texts) + earlier for texts, earlier in shown(trace, "new")] == lengths
    assert [len(texts) for texts, _ in shown(trace, "all")] == lengths
    assert shown(trace, "auto") in (shown(trace, "new"), shown(trace, "all"))


def test_a_request_whose_content_is_not_recorded_shows_none() -> None:
    builder = TraceBuilder("spans", path="", key=["ferry"], evidence=Evidence())
    builder.request(recorded=False, source="1")
    builder.reply("aye", source="1")
    trace = builder.build()
    assert len(trace.of(Request)) == 1
    assert inputs(trace, "all") == inputs(trace, "new") == {}


def test_a_short_attempt_is_written_as_the_conventions_have_it() -> None:
    whole = inputs(played(), "auto")
    assert whole == inputs(played(), "all")
    lengths = [len(json.loads(str(held["gen_ai.input.messages"]))) for held in whole.values()]
    assert lengths == [len(context) for context in played().contexts.values()]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("names", [("",), ("", "mate")])
def test_a_file_is_linear_in_its_attempt(names: tuple[str, ...]) -> None:
    def long(steps: int) -> Trace:
        builder = TraceBuilder("spans", path="", key=["ferry"], evidence=Evidence())
        for number in range(steps):
            builder.seat(names[number * len(names) // steps])
            builder.hear(user(f"{number} waves " + "and foam " * 20))
            builder.reply(f"{number} seen", source="1")
        return builder.build()

    (short,), (longer,) = (list(otlp_lines([long(steps)])) for steps in (1_000, 4_000))
    assert len(longer) < 5 * len(short)
    assert b"agentlab.input.earlier" in longer
    assert sum(map(len, otlp_lines([long(1_000)], messages="all"))) > 20 * len(short)
