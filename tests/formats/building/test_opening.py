from __future__ import annotations

from typing import Any

from agentlab.formats.building.opening import opening
from agentlab.messages import Sampling, Usage
from agentlab.strictjson import digest
from agentlab.trace.codec import decode, encode
from agentlab.trace.events import CompletionEvent, Request
from agentlab.trace.values import ContextItem, Evidence

FACTS: dict[str, Any] = {"attempt": "attempt_" + "0" * 32, "format": "x", "source": "7"}


def request(*texts: str, author: Any = "user", time: float | None = None) -> Request:
    items = tuple(
        ContextItem(role="user", author=author, trust="trusted", digest=digest(text), text=text) for text in texts
    )
    return Request(id="e1", items=items, time=time)


def reply(**more: Any) -> CompletionEvent:
    return CompletionEvent(id="e2", request="e1", digest=digest("a"), characters=1, accepted=True, text="a", **more)


def test_what_the_file_says_of_the_attempt() -> None:
    event = opening({**FACTS, "task": "Count.", "model": "m", "index": 2, "agent": "a"}, Evidence(), ())
    assert (event.id, event.task, event.model, event.index, event.agent) == ("e0", "Count.", "m", 2, "a")
    assert (event.format, event.source) == ("x", "7")
    assert (event.run, event.language, event.seed, event.sampling) == ("", None, None, Sampling(max_tokens=None))
    assert decode(encode(event)) == event


def test_where_it_says_nothing_the_task_is_the_first_word_of_a_user_and_the_model_that_of_the_first_reply() -> None:
    events = (request("Be brief.", author="system"), request("Count.", "Now."), reply(model="m-1"), reply(model="m-2"))
    event = opening(FACTS, Evidence(), events[1:])
    assert (event.task, event.model) == ("Count.", "m-1")
    assert opening(FACTS, Evidence(), events[:1]).task == ""
    assert opening({**FACTS, "task": "", "model": None}, Evidence(), events[1:]).task == "Count."


def test_times_and_usage_are_declared_from_what_was_found() -> None:
    bare = opening(FACTS, Evidence(proposals="present", times="present", usage="present"), (request("a"), reply()))
    assert (bare.evidence.proposals, bare.evidence.times, bare.evidence.usage) == (
        *("present", "not_recorded", "not_recorded"),
    )
    assert opening({**FACTS, "time": 5.0}, Evidence(), ()).evidence.times == "present"
    full = opening(FACTS, Evidence(), (request("a", time=5.0), reply(usage=Usage(input_tokens=3))))
    assert (full.evidence.times, full.evidence.usage) == ("present", "present")


def test_unknown_fields_are_kept() -> None:
    event = opening({**FACTS, "extra": {"a": [1.5], "b": None}}, Evidence(), ())
    assert event.extra == {"a": [1.5], "b": None}
