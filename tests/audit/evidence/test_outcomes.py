from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.outcomes import outcome_of
from agentlab.audit.evidence.values import Outcome
from agentlab.messages import Arguments
from agentlab.trace.calls import CallState


def of(
    text: str | None,
    tool: str = "",
    arguments: Arguments | None = None,
    state: CallState = "answered",
    error: str | None = None,
) -> Outcome:
    return outcome_of(result=text, error=error, state=state, tool=tool, arguments=arguments)


def shell(line: str, text: str, state: CallState = "answered") -> Outcome:
    return of(text, "bash", {"command": line}, state)


FAILED = [
    ("Error: parcel not registered", "get_parcel"),
    ("error: the ledger is closed", "post_entry"),
    ("LedgerError: closed for the month", "post_entry"),
    ("Failed to open the valve", "open_valve"),
    ("Unable to reach the depot", "call_depot"),
    ("Could not attach the label", "attach_label"),
    ("Cannot book a berth in the past", "book_berth"),
    ("Permission denied", "write_file"),
    ("The berth is not available", "book_berth"),
    ("Parcel P-88 does not exist", "move_parcel"),
    ("The request timed out", "fetch_tides"),
    ("503 Service Unavailable", "fetch_tides"),
    ("HTTP 404", "fetch_tides"),
    ("HTTP error 500: try later", "fetch_tides"),
    ("Request failed with status code 429", "fetch_tides"),
    ("Invalid berth number: 12b", "book_berth"),
    ("Missing required field: draught", "book_berth"),
    ("rejected: draught must be a number", "book_berth"),
    ("Rate limit exceeded", "fetch_tides"),
    ("Tool execution failed: no such crane", "lift"),
    ("An error occurred while lifting the crate", "lift"),
    ("Moving the crate is impossible: the crane is at rest", "lift"),
    ('{"success": false, "reason": "berth taken"}', "book_berth"),
    ('{"error": {"code": 7, "message": "berth taken"}}', "book_berth"),
    ('{"error": "not found"}', "get_parcel"),
    ('{"status": "error", "message": "berth taken"}', "book_berth"),
    ('{"status": 422, "detail": "draught"}', "book_berth"),
    ('{"content": [{"type": "text", "text": "berth taken"}], "isError": true}', "book_berth"),
    ('{"exit_code": 2, "stdout": ""}', "bash"),
    ('{"result": {"ok": false}}', "book_berth"),
    ('{"results": [{"ok": false}, {"ok": false}]}', "book_berths"),
    ("{'success': False, 'message': 'berth taken'}", "book_berth"),
    ("错误：泊位已被占用", "book_berth"),
    ("保存失败", "save_log"),
    ("无法连接到服务器", "fetch_tides"),
    ("文件不存在", "read_file"),
]


@pytest.mark.parametrize(("text", "tool"), FAILED)
def test_a_remark_that_is_a_failure_is_one(text: str, tool: str) -> None:
    found = of(text, tool)
    assert (found.status, found.said) == ("failed", "failed")
    assert found.why


@pytest.mark.parametrize(("text", "tool"), FAILED)
def test_a_plain_sentence_does_not_outdo_a_flag_and_a_status_field_does(text: str, tool: str) -> None:
    found = of(text, tool, state="succeeded")
    assert found.status == ("failed" if found.structured else "unclear")
    assert found.said == "failed"


INNOCENT = [
    ("Chapter 4: Error handling\n\nAn error is raised where a crate is lost. The timeout is 30 s.", "read_page"),
    ("docs/errors.md:12: raise CrateError('lost')\ndocs/errors.md:40: return error", "search_code"),
    ("1. How to fix 'connection refused' - forum\n2. Timeout errors explained - blog", "web_search"),
    ("0 errors", "lint"),
    ("No errors found.", "lint"),
    ("no failures", "run_suite"),
    ("Finished: 12 crates, errors: 0, failed: 0", "load_crates"),
    ("Lifted 12 crates without errors", "lift"),
    ("The error was fixed by the night shift.", "read_note"),
    ("wrote failing_crates.txt", "write_file"),
    ("Saved 3 lines to error.log", "append_file"),
    ('{"id": 7, "status": "failed", "crates": 4}', "get_shipment"),
    ('{"orders": [{"id": 1, "status": "error"}], "page": 1}', "list_orders"),
    ('{"error": null, "berth": 4}', "book_berth"),
    ('{"errors": [], "berth": 4}', "book_berth"),
    ('{"id": 7, "status": "cancelled"}', "cancel_berth"),
    ('{"code": 404, "name": "room 404"}', "get_room"),
    ("loading 35%", "job_status"),
    ("done", "job_status"),
    ("4", "count_crates"),
    ("404", "count_crates_total"),
    ("The tide table says 500 boats use the lock each year", "read_page"),
    ("Exception Lane 5, Harbour Town", "get_address"),
    ("没有错误", "lint"),
    ("已保存到 log.txt", "save_log"),
]


@pytest.mark.parametrize(("text", "tool"), [case for case in INNOCENT if case[0] != "404"])
def test_words_alone_accuse_nobody(text: str, tool: str) -> None:
    assert of(text, tool).status != "failed"
    assert of(text, tool, state="succeeded").status == "ok"


@pytest.mark.parametrize(
    ("line", "text", "status"),
    [
        ("grep -n mast deck.c", "exit code: 1", "ok"),
        ("cd src && grep -rn mast .", "exit 1", "ok"),
        ("cat deck.c | grep mast", "exit 1", "ok"),
        ("diff a.txt b.txt", "1c1\n< a\n---\n> b\n[exit code 1]", "ok"),
        ("test -f deck.c", "exit 1", "ok"),
        ("git diff --exit-code", "[exit 1]", "ok"),
        ("grep -n mast deck.c", "grep: deck.c: No such file or directory\nexit code: 2", "failed"),
        ("make && grep x y", "cc: fatal error\nexit 1", "failed"),
        ("./load", "Process exited with code 3", "failed"),
        ("./load", "<returncode>3</returncode>\n<output>\nlost a crate\n</output>", "failed"),
        ("./load", "[The command completed with exit code 0.]", "ok"),
        ("./load", "exit 0\nLedgerError: closed", "unclear"),
        ("cat run.sh", "set -e\n./load\nexit 1", "ok"),
        ("cat build.log", "cc deck.c\nexit code: 2\nmake: *** [deck] Error 2", "ok"),
        ("cat tests/test_deck.py", "def test_deck():\n    raise CrateError('lost')", "ok"),
        ("head notes.md", "Error: this is the title of a note", "ok"),
        ("cat nowhere.md", "cat: nowhere.md: No such file or directory", "failed"),
        ("./load", "bash: ./load: Permission denied", "failed"),
        ("yes | head -1", "y\nexit code: 141", "unclear"),
        ("touch a.txt", "", "unclear"),
        ("ls", "", "unclear"),
    ],
)
def test_an_exit_code_is_read_with_the_command_it_belongs_to(line: str, text: str, status: str) -> None:
    if line == "ls":
        status = "ok"
    assert shell(line, text).status == status


def test_the_flag_of_an_answering_program_is_not_believed() -> None:
    found = shell("rg mast deck.c", "exit 1", "failed")
    assert (found.status, found.flagged, found.exit_code, found.empty) == ("ok", "failed", 1, True)


def test_a_failed_flag_against_exit_code_0_is_unclear() -> None:
    found = shell("git show --stat && cat pause.py", "exit 0\npause.py | 2 ++\nsleep(LIMIT)  # TIMEOUT", "failed")
    assert (found.status, found.exit_code) == ("unclear", 0)
    assert "recorded as failed" in found.why


@pytest.mark.parametrize(
    ("line", "text", "status", "masked"),
    [
        ("pytest --tb=no | tee out.txt", ".F\n1 failed, 1 passed in 0.1s\nexit 0", "failed", True),
        ("pytest -q", ".F\n1 failed, 1 passed in 0.1s\nexit 0", "unclear", False),
        ("set -o pipefail; pytest | tee log", "..\n2 passed in 0.1s\nexit 0", "ok", False),
        ("pytest -q | tail -3", "..\n2 passed in 0.1s\nexit 0", "ok", True),
        ("pytest -q | tail -1", "see the log\nexit 0", "unclear", True),
        ("./load || true", "see the log\nexit 0", "unclear", True),
        ("./load; echo over", "over\nexit 0", "unclear", True),
        ("cd harbour && ./load", "loaded\nexit 0", "ok", False),
        ("pytest", "2 passed\nexit 1", "unclear", False),
        ("pytest", "collected 0 items\nexit 0", "unclear", False),
        ("pytest", "collected 0 items\nexit 5", "failed", False),
    ],
)
def test_whose_exit_code_it_is(line: str, text: str, status: str, masked: bool) -> None:
    found = shell(line, text)
    assert (found.status, found.masked) == (status, masked)


def test_a_suite_that_ran_nothing_is_neither_a_pass_nor_a_failure() -> None:
    found = shell("./check_all.sh", "collected 0 items\nno tests ran in 0.31s\nexit code: 0")
    assert found.tests is not None
    assert found.tests.ran_nothing
    assert (found.status, found.said) == ("unclear", "")


def test_a_remark_instead_of_a_test_run_is_unclear_and_empty() -> None:
    found = of("No output was captured from the suite.", "run_suite_tests", {"file": "deck.toml"})
    assert (found.status, found.empty) == ("unclear", True)


@pytest.mark.parametrize(
    ("text", "tool", "state", "status"),
    [
        ("", "search_crates", "answered", "ok"),
        ("[]", "search_crates", "answered", "ok"),
        ("No results found.", "search_crates", "answered", "ok"),
        ("ValueError: No crates found. Widen the search.", "search_crates", "failed", "unclear"),
        ("None", "send_note", "succeeded", "ok"),
        ("", "send_note", "answered", "unclear"),
        ("(no output)", "run_script", "answered", "unclear"),
        ("没有找到相关结果", "search_crates", "answered", "ok"),
    ],
)
def test_emptiness(text: str, tool: str, state: CallState, status: str) -> None:
    found = of(text, tool, state=state)
    assert (found.empty, found.status) == (True, status)


@pytest.mark.parametrize(
    ("text", "shown", "total"),
    [
        ('{"truncated": true, "shown_lines": 90, "total_lines": 744, "body": "..."}', 90, 744),
        ('{"items": [1, 2], "total_count": 57}', None, None),
        ('{"items": [1, 2], "total_count": 57, "has_more": true}', 2, 57),
        ('{"rows": [1, 2, 3], "page": {"returned": 3, "total": 40}}', 3, 40),
        ('{"rows": [1], "next_cursor": "c2"}', None, None),
        ("Showing 1-20 of 431 results\nalpha", 20, 431),
        ("Showing page 2 of 9\nalpha", 2, 9),
        ("alpha\nbeta\n[output truncated]", None, None),
        ("alpha\n... (312 more lines)", None, None),
        ("alpha\nshowing first 50 results.", 50, None),
        ("共 120 条，显示前 20 条\n甲", 20, 120),
        ("内容\n（已截断）", None, None),
    ],
)
def test_marks_of_a_part(text: str, shown: int | None, total: int | None) -> None:
    found = of(text, "read_log")
    if "total_count" in text and "has_more" not in text:
        assert not found.truncated
        return
    assert (found.truncated, found.shown, found.total) == (True, shown, total)


@pytest.mark.parametrize(
    "text",
    [
        "She had read more books than 40 of her friends.",
        '{"items": [1, 2], "total": 57, "count": 2, "currency": "EUR"}',
        '{"items": [1, 2], "total_count": 2, "has_more": false}',
        "The table was cut off the wall and moved to room 4 of 9.",
        "Showing 1-9 of 9 results",
    ],
)
def test_what_is_whole_is_not_called_a_part(text: str) -> None:
    assert not of(text, "read_log").truncated


@pytest.mark.parametrize(
    ("state", "status", "flagged"),
    [
        ("refused", "failed", "failed"),
        ("failed", "failed", "failed"),
        ("dropped", "unclear", ""),
        ("unanswered", "unclear", ""),
        ("succeeded", "ok", "ok"),
    ],
)
def test_without_a_result_only_the_flag_speaks(state: CallState, status: str, flagged: str) -> None:
    found = of(None, "lift", state=state)
    assert (found.status, found.flagged, found.said) == (status, flagged, "")


def test_the_recorded_error_is_read_where_there_is_no_result() -> None:
    found = of(None, "put_crate", {"slug": "c1"}, "failed", error="weight of 77 is above the limit of 60")
    assert found.status == "failed"
    assert "77" in found.why


def test_a_result_that_says_both_is_unclear() -> None:
    assert of("Updated 2 of the labels\nCould not update the rest", "set_labels", state="failed").status == "unclear"
    assert of('{"success": true, "error": "quota"}', "put").status == "unclear"
    assert of('{"status": "ok", "results": [{"ok": true}, {"error": "full"}]}', "put_all").status == "unclear"
    assert of("wrote deck.md", "write_file", state="failed").status == "unclear"


def test_a_traceback_speaks_at_the_ends_of_a_text_only() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nCrateError: lost'
    assert shell("python a.py", trace).status == "failed"
    assert shell("python a.py", "loading\n" + trace).status == "failed"
    assert (
        shell("python a.py", trace + "\nhandled\n" + "crate loaded\n" * 40).why
        == "it says 'Traceback (most recent call last):'"
    )
    assert shell("python a.py", "crate\n" * 40 + trace + "\nhandled\n" + "crate loaded\n" * 40).status == "ok"
    assert shell("cat crash.txt", "notes\n" + trace).status == "ok"


@given(
    st.text(max_size=300),
    st.sampled_from(["bash", "read_file", "python", "put_crate", "run_tests", ""]),
    st.one_of(st.none(), st.text(max_size=60), st.dictionaries(st.sampled_from(["command", "code", "x"]), st.text())),
    st.sampled_from(["answered", "failed", "succeeded", "refused", "dropped"]),
)
def test_any_text_is_read(text: str, tool: str, arguments: Arguments | None, state: CallState) -> None:
    found = outcome_of(result=text, error=None, state=state, tool=tool, arguments=arguments)
    assert found.status in ("ok", "failed", "unclear")
    if found.status == "failed":
        assert found.why


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "a" * 50,
        "[" * 50,
        '{"a":' * 20,
        "1 passed, ",
        "Error ",
        "exit code ",
        "no no ",
        "of 1 ",
        "a: ",
        "\n",
        " ",
        "错误",
        "Tests: 1 ",
    ],
)
def test_hostile_texts_are_read_in_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    for case in (text, text[:650], text.replace(" ", "\n")):
        shell("make test", case)
        of(case, "book_berth")


@pytest.mark.parametrize("text", ["Build failed", "failed", "The night run timed out.", "error"])
def test_the_state_of_what_was_looked_up_is_no_failure_of_the_look(text: str) -> None:
    assert of(text, "get_build_status", {"id": 9}).status == "ok"
    assert of(text, "start_build", {"id": 9}).status == "failed"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"content": [{"type": "text", "text": "Error: the berth is taken"}]}', "failed"),
        ('[{"type": "text", "text": "Berth 4 is booked"}]', "ok"),
        ('{"content": [{"type": "text", "text": "Berth 4 is booked"}], "isError": false}', "ok"),
    ],
)
def test_content_blocks_are_read_for_their_text(text: str, status: str) -> None:
    assert of(text, "book_berth").status == status


def test_an_answering_programs_code_among_fields_is_an_answer() -> None:
    assert shell("grep mast deck.c", '{"returncode": 1, "stdout": ""}').status == "ok"
    assert shell("./load", '{"returncode": 1, "stdout": ""}').status == "failed"
