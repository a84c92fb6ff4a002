from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.building.eventlog import EventLog
from agentlab.strictjson import digest
from agentlab.trace.events import CompletionEvent, Observation, Request


def reply(log: EventLog, text: str) -> CompletionEvent:
    values: dict[str, Any] = {"request": "e1", "digest": digest(text), "characters": len(text), "accepted": True}
    return log.add(CompletionEvent, {**values, "text": text})


def test_events_are_numbered_in_the_order_of_recording() -> None:
    log = EventLog()
    log.add(Request, {"items": ()})
    reply(log, "a")
    assert [event.id for event in log] == ["e1", "e2"]


def test_a_text_is_shown_once() -> None:
    log = EventLog()
    assert not log.shows(digest("prompt"))
    assert log.shows(digest("prompt"))
    log.add(Observation, {"execution": "", "call": "c", "text": "seen"})
    assert log.shows(digest("seen"))
    assert log.digest("seen") == digest("seen")


def test_unknown_fields_are_kept() -> None:
    log = EventLog()
    event = log.add(Observation, {"execution": "", "call": "c", "text": "x", "extra": {"a": 1.5, "b": [1]}})
    assert event.extra == {"a": 1.5, "b": [1]}
    assert log.add(Observation, {"execution": "", "call": "c", "text": "x", "extra": None}).extra == {}


def test_a_reply_is_found_by_its_id_or_as_the_last() -> None:
    log = EventLog()
    assert log.reply() is None
    first, second = reply(log, "a"), reply(log, "b")
    log.add(Request, {"items": ()})
    assert log.reply() is second
    assert log.reply(first.id) is first
    assert log.reply("e9") is None


def test_a_rejected_reply_keeps_its_place_and_its_text() -> None:
    log = EventLog()
    event = reply(log, "a")
    rejected = log.reject(event.id)
    assert list(log) == [rejected]
    assert (rejected.accepted, rejected.text) == (False, "a")
    log.add(Request, {"items": ()})
    with pytest.raises(TypeError, match="'e2' is a request, not a reply"):
        log.reject("e2")
