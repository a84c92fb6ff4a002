from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.strictjson import MAX_DEPTH, loads
from agentlab.trace.codec import LINE_DEPTH, decode, encode, event_schema
from agentlab.trace.events import (
    EVENT_TYPES,
    Answer,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    Observation,
)
from agentlab.trace.values import ProposedCall
from tests.trace.samples import played
from tests.trace.values import EVENTS, instances

GOLDEN = Path(__file__).with_name("herons.jsonl")
SECRET = "hunter2 says hello"


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_comes_back_as_it_was(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(instances(kind))
    line = encode(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    back = decode(line[:-1])
    assert type(back) is kind
    assert repr(back) == repr(event)  # equality would take 1 for 1.0 and for True


def test_journal_format_does_not_drift() -> None:
    journal = b"".join(encode(event) for event in played())
    assert journal.decode() == GOLDEN.read_text(encoding="utf-8")
    assert tuple(map(decode, GOLDEN.read_bytes().splitlines())) == played().events


def test_type_comes_first_in_every_line() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        assert line.startswith('{"type":"')


@given(EVENTS)
def test_lines_are_strict_json_with_exactly_the_fields(event: Event) -> None:
    value = loads(encode(event).decode())
    assert isinstance(value, dict)
    if_any = {"agent_name", "source", "extra", "format", "reasoning", "base", "defect", "reasoning_digest", "remarks"}
    if_any |= {"fault", "server_said", "tool_calling"}
    left_out = {name for name in if_any if not getattr(event, name, None)}
    if isinstance(event, Observation) and not event.tool:
        left_out.add("tool")
    if getattr(event, "recorded", False):
        left_out.add("recorded")
    usual = {"by": "not_recorded", "tries": 1, "first_byte": None}
    left_out |= {name for name, value in usual.items() if getattr(event, name, value) == value}
    assert list(value) == [field.name for field in fields(event) if field.name not in left_out]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"", "strict JSON"),
        (b"\xff{}", "UTF-8 (byte 0)"),
        (b"[1]", "not an object"),
        (b"7", "not an object"),
        (b'{"text":"hunter2 says hello"}', "type: field required"),
        (b'{"type":"hunter2 says hello"}', "type: not a known one"),
        (b'{"type":7}', "type: not a known one"),
        (b'{"type":"answer","completion":"e1"}', "answer.text: Field required"),
        (b'{"type":"answer","completion":"e1","text":"a","text":"b"}', "same key twice"),
        (b'{"type":"answer","completion":"e1","text":"a","time":NaN}', "NaN"),
        (b'{"type":"answer","completion":"e1","text":"a","time":1e999}', "range of a double"),
        (b'{"type":"answer","completion":"e1","text":"a"} hunter2', "more text follows"),
        (b'{"type":"answer","completion":"e1","text":"\\ud800"}', "surrogate"),
        (b'{"type":"answer","completion":"e1","text":"a","more":"hunter2 says hello"}', "answer.more: Unexpected"),
        (b'{"type":"answer","completion":"e1","text":["hunter2 says hello"]}', "answer.text: Input should be"),
        (b'{"type":"answer","completion":"e1","text":"a","step":"1"}', "answer.step: Input should be a valid integer"),
        (b'{"type":"answer","completion":"e1","text":"a","time":"1.5"}', "answer.time: Input should be a valid number"),
        (b'{"type":"answer","completion":"e1","text":"a","step":true}', "answer.step: Input should be a valid integer"),
        (b'{"type":"execution_finished","execution":"x","status":"hunter2"}', "execution_finished.status: Input"),
        (b'{"type":"request","items":[{"role":"hunter2"}]}', "request.items.0.role: Input should"),
        (b'{"type":"request","items":[],"kept":1.0}', "request.kept: Input should"),
        (b'{"type":"request","items":[{"hunter":"hunter2"}]}', "request.items.0.role: Field required"),
        (
            b'{"type":"completion","request":"e","digest":"d","characters":1,"accepted":true,"usage":{"a":"hunter2"}}',
            "completion.usage.a: Unexpected",
        ),
        (b'{"type":"answer","completion":"e1","text":"a","\\u001b[31m":1}', "answer.\\u{1b}[31m: Unexpected"),
    ],
)  # fmt: skip
def test_refusals_name_the_field_and_quote_no_value(line: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"^is not ") as refusal:
        decode(line)
    assert complaint in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


@given(EVENTS)
def test_an_unknown_field_is_refused_in_every_event(event: Event) -> None:
    value = json.loads(encode(event)) | {"hunter": SECRET}
    with pytest.raises(ValueError, match=rf"^is not an event: {event.type}\.hunter: Unexpected") as refusal:
        decode(json.dumps(value).encode())
    assert SECRET not in str(refusal.value)


@given(EVENTS, st.integers(0), st.integers(0, 255))
def test_a_changed_byte_never_breaks_the_reader(event: Event, place: int, byte: int) -> None:
    line = bytearray(encode(event)[:-1])
    line[place % len(line)] = byte
    with suppress(ValueError):
        assert isinstance(decode(bytes(line)), EVENT_TYPES)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        encode(ExecutionFinished(execution="x", status="succeeded", duration=number))
    with pytest.raises(ValueError, match="surrogate"):
        encode(Answer(completion="e", text="\ud800"))
    assert decode(encode(Answer(completion="e", text="NaN and Infinity"))) == Answer(
        completion="e", text="NaN and Infinity"
    )


def test_arguments_as_deep_as_strict_json_allows_can_be_recorded_and_read() -> None:
    arguments = loads('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH)
    assert isinstance(arguments, dict)
    call = ProposedCall(call="c", tool="t", arguments=arguments)
    for event in (
        ExecutionStarted(execution="x", call="c", tool="t", arguments=arguments),
        CompletionEvent(request="r", digest="d", characters=0, accepted=True, calls=(call,)),
    ):
        assert decode(encode(event)) == event


def test_a_line_may_be_as_deep_as_pydantic_reads() -> None:
    levels = LINE_DEPTH - 2  # the event is one, and its extra another
    event = Answer(completion="e", text="a", extra={"reed": json.loads("[" * levels + "]" * levels)})
    assert decode(encode(event)) == event
    deeper = encode(event).replace(b"[]", b"[[]]")
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        decode(deeper)


@pytest.mark.timeout(20)
def test_hostile_lines_are_refused_in_linear_time() -> None:
    for line in (
        b"[" * 2_000_000,
        b'{"a":' * 2_000_000,
        b"[]" * 210 + b'"' + b'\\"' * 1_000_000,
        b'{"type":' + b"9" * 2_000_000,
    ):
        with pytest.raises(ValueError, match=r"^is not "):
            decode(line)


def test_schema_lists_every_type() -> None:
    types = {next(field.default for field in fields(kind) if field.name == "type") for kind in EVENT_TYPES}
    assert len(types) == len(EVENT_TYPES)
    schema = event_schema()
    assert isinstance(schema["discriminator"], dict)
    assert set(schema["discriminator"]["mapping"]) == types
