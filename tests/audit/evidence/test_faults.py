"""What an error text says went wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.faults import fault_of, is_error_text, is_parse_error, template


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Error: unknown tool 'count_bots'; available: count_boats", "unknown_tool"),
        ("Tool berth_plan not found", "unknown_tool"),
        ("error: no such function: moor", "unknown_tool"),
        ("错误:未知工具 查潮汐", "unknown_tool"),
        ("TypeError: moor() got an unexpected keyword argument 'deep'", "arguments"),
        ("1 validation error for Moor\nberth\n  Field required", "arguments"),
        ("No boats match. Use a less specific query.", "input"),
        ("参数错误:缺少泊位", "arguments"),
        ("Error: Could not parse LLM output", "unparsed"),
        ("HTTP 503 from the tide service", "service"),
        ("ConnectionError: connection refused", "service"),
        ("the request timed out", "service"),
        ("429 Too Many Requests", "service"),
        ("InterpreterError: import of os is not allowed", "forbidden"),
        ("Forbidden function evaluation: 'open' is not among the allowed tools", "forbidden"),
        ("InterpreterError: it is not permitted to call other functions than the tools (tried open)", "forbidden"),
        ("错误:禁止导入 os", "forbidden"),
        ("InterpreterError: the program was stopped after 10000000 operations", "sandbox"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'tides.csv'", "absent"),
        ("UnboundLocalError: cannot access local variable 'tide'", "crash"),
        ("the berth is taken", "other"),
    ],
)
def test_a_failure_is_sorted_by_what_it_says(text: str, kind: str) -> None:
    fault = fault_of(text, failed=True)
    assert fault is not None
    assert fault.kind == kind
    assert fault.words in text


@pytest.mark.parametrize(
    "text",
    [
        "3 boats",
        "The guide says: on 'connection refused', call the harbour master.",
        "exit 0\nawait boat(TIMEOUT_MS)",
        "def error(): raise ValueError('unknown tool')",
        "the request timed out in 1987, wrote the log keeper",
    ],
)
def test_a_text_that_only_mentions_one_is_none(text: str) -> None:
    assert fault_of(text, failed=None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"error": "berth taken"}', True),
        ('{"id": 4, "ok": false, "message": "berth taken"}', True),
        ('{"status": "failed"}', True),
        ('{"error": null, "boats": 3}', False),
        ('{"errors": [], "ok": true}', False),
        ('{"boats": [{"state": "afloat"}]}', False),
    ],
)
def test_an_object_says_that_it_failed(text: str, expected: bool) -> None:
    assert is_error_text(text) is expected


def test_an_exit_code_of_zero_outweighs_the_flag() -> None:
    assert fault_of("exit code: 0\nerror.log: timeout", failed=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "Title: Error 403\n\nPlease enable scripts",
        "# 503 Service Unavailable\ntry later",
        "Address: https://tides.test\nTitle: Error\n## Error\n\n('Connection aborted.',)",
        "Title: Error 403\n" + "<p>menu</p>\n" * 500,
    ],
)
def test_a_page_that_is_only_a_refusal_is_a_fault_though_it_was_fetched(text: str) -> None:
    fault = fault_of(text, failed=False)
    assert fault is not None
    assert fault.kind == "service"


@pytest.mark.parametrize(
    "text", ["525", "503", "# Errors\nHow to read them", "Room 503\nService on deck", "Title: Error 404"]
)
def test_a_number_or_a_missing_page_is_none(text: str) -> None:
    assert fault_of(text, failed=False) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invalid format: no 'Action:' after 'Thought:'", True),
        ("Could not parse your reply", True),
        ("格式错误,请重新输出", True),
        ("Please go on.", False),
        ("What is the format of the tide table?", False),
    ],
)
def test_format_errors_are_known(text: str, expected: bool) -> None:
    assert is_parse_error(text) is expected


def test_a_template_leaves_out_what_changes() -> None:
    assert template("berth 'n7' holds 3 boats") == template("berth 's12' holds 11 boats")


@given(st.text(max_size=3000), st.sampled_from([True, False, None]))
def test_any_text_can_be_read(text: str, failed: bool | None) -> None:
    fault = fault_of(text, failed=failed)
    assert fault is None or fault.words in text
    is_error_text(text)
    is_parse_error(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [" ", "'", "error ", "tool tool ", "{", "missing ", "\n#", "use more "])
def test_long_hostile_texts_take_no_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    for failed in (True, False, None):
        fault_of(text, failed=failed)
    is_parse_error(text)
    template(text)
