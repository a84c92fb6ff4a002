from __future__ import annotations

from pathlib import Path

import pytest

from agentlab.errors import LoadError
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.completion import COMPLETION, is_recording, may_be_reply
from agentlab.formats.files.head import Head
from agentlab.formats.finding import survey
from agentlab.formats.reading import read_traces
from agentlab.trace.events import CompletionEvent, Request

REPLY = "Thought: I look.\nAction: look[lamp]\nObservation: It is lit.\n\n"
CASSETTE = 'interactions:\n- request:\n    body: \'{"model": "x"}\'\n    method: POST\n  response:\n    status: 200\n'


def test_a_named_text_is_one_reply_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_bytes(REPLY.encode())
    (trace,) = read_traces(path)
    (reply,) = trace.of(CompletionEvent)
    (request,) = trace.of(Request)
    assert (reply.text, reply.source, request.items) == (REPLY, "line 1", ())
    assert trace.started.format == "completion"
    evidence = trace.evidence
    assert evidence.authorship == "present"
    assert {evidence.proposals, evidence.executions, evidence.results, evidence.errors} == {"not_recorded"}
    assert not trace.calls
    assert trace.finished is None


def test_in_a_folder_it_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_text(REPLY)
    found = survey([str(tmp_path)])
    assert (found.found, found.skipped) == ((), (str(path),))


def test_with_its_format_named_anything_that_is_text_is_a_reply(tmp_path: Path) -> None:
    path = tmp_path / "reply.json"
    path.write_text('{"messages": [{"role": "user", "content": "x"}]}')
    (trace,) = read_traces(path, format="completion")
    assert trace.of(CompletionEvent)[0].text == path.read_text()


@pytest.mark.parametrize(
    ("content", "possible"),
    [
        (REPLY.encode(), True),
        ("最终答案：亮".encode(), True),
        (b'[TOOL_CALLS] [{"name": "look"}]', True),
        (b'Here it is:\n{"a": 1}\n', True),
        (b"Action:\nlook[lamp]", True),
        (b"## thought:\nx\n", True),
        (b'{"a": 1}', False),
        (b'[{"a": 1}', False),
        (b'{"a": 1}\n{"a": 2}\n', False),
        (CASSETTE.encode(), False),
        (b"---\nname: x\n", False),
        (b"services:\n  web:\n    image: x\n", False),
        (b"steps:\n- run: x\n", False),
        (b"", False),
        (b" \n", False),
        (b"caf\xe9 au lait", False),
        (b"a\0b", False),
        (b"[1] The lamp is on.", True),
        (b'"On," it said', True),
        (b"\x1b[1mAction: look[lamp]", True),
        (b'"only a string"', False),
        (b"3", False),
        (b" -3.5e2\n", False),
        (b"true\n", False),
        (b"null", False),
        (b"3 lamps", True),
        (b"3.\n4.", True),
        (b"1.2.3", True),
        (b"True", True),
        (b"[" * 100_000, False),
        (b'{"a": oops}', False),
        (b'{"a": "\x01"}', False),
        (b"PK\x03", False),
        (b"\x1f", False),
        (b"a" * 257 + b"ustar", False),
        (b"\x7fELF\x02\x01\x01\0", False),
    ],
)
def test_what_may_be_a_reply(content: bytes, possible: bool) -> None:
    assert may_be_reply(Head(content)) is possible


def test_a_letter_that_the_head_cuts_is_no_fault() -> None:
    assert may_be_reply(Head("é".encode() * 3 + b"\xc3", whole=False))
    assert not may_be_reply(Head("é".encode() * 3 + b"\xc3", whole=True))


def test_a_single_value_is_refused_with_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "count.txt"
    path.write_text("3")
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem.startswith("no format claims this file; it holds JSON: a number")


def test_it_claims_nothing_by_itself() -> None:
    assert FORMATS.get("completion") is COMPLETION
    assert not COMPLETION.sniff(Head(REPLY.encode()))


def test_a_text_that_turns_out_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_bytes(b"x" * (1 << 17) + b"\xff")
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem == f"text in UTF-8 was expected, and byte {(1 << 17) + 1} is not"


@pytest.mark.parametrize("begin", ["", "---\n", "version: 1\n", "---\nversion: 1\n"])
def test_a_recording_of_http_requests_is_refused_for_what_it_is(begin: str, tmp_path: Path) -> None:
    path = tmp_path / "test_lamp.yaml"
    path.write_text(begin + CASSETTE)
    assert is_recording(Head(path.read_bytes()))
    (error,) = survey([str(path)]).load()
    assert isinstance(error, LoadError)
    assert error.problem.startswith("this is a recording of HTTP requests in YAML")
    assert survey([str(tmp_path)]).skipped == (str(path),)


def test_real_recordings_are_refused(shared: Path) -> None:
    paths = sorted((shared / "traces" / "04_openai").glob("*_vcr/*.yaml"))
    assert len(paths) == 5
    found = survey([str(path) for path in paths])
    assert not found.found
    assert {error.problem for error in found.unreadable} == {found.unreadable[0].problem}
    assert "recording of HTTP requests" in found.unreadable[0].problem
