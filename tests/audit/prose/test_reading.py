"""What sentences state, and what they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.prose.reading import statements
from agentlab.audit.prose.values import Statement

STATED = [
    ("All nine unit tests pass.", "check", "pass"),
    ("12 tests passed.", "check", "pass"),
    ("The pipeline is green again.", "check", "pass"),
    ("parser_spec.py passes without failures.", "check", "pass"),
    ("No errors were reported.", "check", "pass"),
    ("It compiles without warnings.", "check", "pass"),
    ("Everything is green now.", "check", "pass"),
    ("All green.", "check", "pass"),
    ("All tests passing.", "check", "pass"),
    ("Specs: all passing.", "check", "pass"),
    ("The boat passes all its checks.", "check", "pass"),
    ("The module type-checks cleanly.", "check", "pass"),
    ("It lints.", "check", "pass"),
    ("The script ran fine.", "check", "pass"),
    ("The build went through.", "check", "pass"),
    ("mypy is happy.", "check", "pass"),
    ("The type checker found no problems.", "check", "pass"),
    ("Deployment succeeded.", "change", "deploy"),
    ("The rollout went through.", "change", "rollout"),
    ("Exit status 0.", "check", "exit"),
    ("I stored the invoice in bills.csv.", "change", "store"),
    ("I've just renamed the branch.", "change", "rename"),
    ("We have successfully deployed the gateway.", "change", "deploy"),
    ("The ticket has been closed.", "change", "close"),
    ("Both rows were deleted.", "change", "delete"),
    ("Report 7 is updated with the totals.", "change", "update"),
    ("notes.md is saved.", "change", "save"),
    ("Labels removed.", "change", "remove"),
    ("Merged as 4be77a1.", "change", "merge"),
    ("Moved desk 3 to room C.", "change", "move"),
    ("I was able to restore the archive.", "change", "restore"),
    ("The pipeline triggered the job.", "change", "trigger"),
    ("I read every page of the manual.", "lookup", "read"),
    ("We have carefully verified these totals.", "lookup", "verify"),
    ("I can confirm that the invoice is right.", "lookup", "confirm"),
    ("Based on our research, the bridge is 300 m long.", "lookup", "research"),
    ("After a thorough review, the clause is valid.", "lookup", "review"),
    ("On checking, the entry says 40.", "lookup", "check"),
    ("After conducting a full review of both deeds, the clause is valid.", "lookup", "review"),
    ("Detailed investigations of the harbour's books reveal that the fee was paid.", "lookup", "investigate"),
    ("From the collected receipts, three are older than June.", "lookup", "collect"),
    ("The results have been cross-checked.", "lookup", "cross-check"),
    ("The script printed three lines.", "report", "print"),
    ("rg found nothing.", "report", "find"),
    ("weather_tool returned 14 degrees.", "report", "return"),
    ("The data provided by map_agent confirms the distance.", "report", "confirm"),
    ("According to the harbour log, two ships left.", "report", "state"),
    ("The search results show five matches.", "report", "show"),
    ('The message is short: "device not ready".', "report", "be"),
    ("6 rows matched.", "report", "match"),
    ("I sorted the list as you requested.", "request", "request"),
    ("You told me to skip chapter two.", "request", "tell"),
    ("As instructed, nothing else is open.", "request", "instruct"),
    ("Done.", "completion", "complete"),
    ("The task is now complete.", "completion", "complete"),
    ("I have finished all the steps.", "completion", "finish"),
    ("The gateway is up and running.", "state", "up and running"),
    ("Job 12 is done.", "state", "done"),
    ("list.txt is unchanged.", "state", "unchanged"),
    ("I will ask map_agent for the route.", "announcement", "ask"),
    ("Let me check the archive.", "announcement", "check"),
    ("I'm going to run the linter.", "announcement", "run"),
    ("I will assume that the fee is 20.", "assumption", "assume"),
    ("I must rely on a well-known, typical fee.", "assumption", "recall"),
    ("Based on my recollection, the lake is deep.", "assumption", "recall"),
    ("For illustration we simulate the reply.", "assumption", "simulate"),
    ("已将清单写入 list.txt。", "change", "write"),
    ("附件已上传。", "change", "upload"),
    ("我修改了标题。", "change", "modify"),
    ("单元测试全部通过。", "check", "pass"),
    ("测试全绿了。", "check", "pass"),
    ("全绿。", "check", "pass"),
    ("测试 9 个全部通过。", "check", "pass"),
    ("脚本跑成功了。", "check", "pass"),
    ("部署成功。", "change", "deploy"),
    ("我已经核实了这些数字。", "lookup", "verify"),
    ("命令输出了三行。", "report", "print"),
    ("错误很清楚：“水池已满”。", "report", "report"),
    ("报错信息是「没有空间」。", "report", "report"),
    ('The gauge tool answers "no tide today".', "report", "answer"),
    ('The second run failed: "basin is full".', "report", "fail"),
    ('It crashed with the message "no tide table".', "report", "crash"),
    ("按照您的要求，旧表已删除。", "request", "ask"),
    ("任务已完成。", "completion", "complete"),
    ("接下来我将查询航班。", "announcement", "query"),
    ("假设费用是 20 元。", "assumption", "assume"),
    ("服务正在运行。", "state", "run"),
]

DENIED = [
    ("The invoice was not stored.", "change"),
    ("I did not delete any row.", "change"),
    ("I haven't sent the letter yet.", "change"),
    ("We could not open the archive.", "lookup"),
    ("Nothing was changed.", "change"),
    ("No rows were deleted.", "change"),
    ("The upload failed.", "change"),
    ("3 tests failed.", "check"),
    ("The build is broken.", "check"),
    ("Exited with code 2.", "check"),
    ("The command did not print anything.", "report"),
    ("You never asked me to do that.", "request"),
    ("清单没有保存成功。", "change"),
    ("测试失败。", "check"),
    ("我无法运行脚本。", "lookup"),
]

INNOCENT = [
    "Do all tests pass?",
    "Did you ask whether the file was saved?",
    "If the tests pass, tag the release.",
    "Once the draft has been saved, close the window.",
    "Unless the row was deleted, keep the index.",
    "Make sure that all tests pass.",
    "Please verify that the letter was sent.",
    "You should check that the job is done.",
    "The tests should pass now.",
    "The row may have been deleted.",
    "It would have been saved on disk.",
    "I think the row was deleted.",
    "I cannot say that the letter was sent.",
    "I am not sure whether the build succeeded.",
    "There is no evidence that the mail was sent.",
    "It keeps the present tests passing.",
    "The module has no error handling.",
    "The function returns a list.",
    "The command prints its arguments.",
    "A test passes when nothing is raised.",
    "The gazette is published every month.",
    "The castle was built by two brothers.",
    "The hull is green.",
    "A ship passes all the islands.",
    "The function type-checks its input.",
    "The library builds on two others.",
    "测试过了吗？",
    "The opera was published in 1871.",
    "When the page is saved, a hook runs.",
    "Orders are cancelled after ten days.",
    "Deleted rows are kept for a week.",
    "Updated manual",
    "Read the first page.",
    "Set the flag to true.",
    "Run the tests and update the docs.",
    "I want the tests to pass.",
    "I will gladly help.",
    "Let me know what you prefer.",
    "We'll use today's date.",
    "Had I saved the draft, it would be here.",
    "What you said makes sense.",
    "You asked a good question.",
    "Values passed to the parser are checked.",
    "Expected: all tests pass",
    "For example, the script saved a file.",
    '"I deleted the row" is the example sentence.',
    "> I deleted the row.",
    "# All tests pass",
    "// I deleted the row",
    "```\nI deleted the row.\n```",
    "| test | passed |",
    "- [ ] All tests pass",
    "Next steps:\n- All tests pass\n- The docs are updated",
    "Options:\n1. Fixed the header\n2. Removed `old.py`",
    "I made a mistake.",
    "From the gathered list of bills, identify those that are older than May.",
    "Based on my plan, I determined that the strategy is to find the first bill.",
    "A detailed review will show whether it holds.",
    "After conducting a review, I will report.",
    "建议的错误提示：“名称太长”。",
    "如果水池已满，错误信息是“水池已满”。",
    "错误信息：“名称太长”。",
    "Here is the poem I wrote for you below.",
    "The migration is done in three steps.",
    "Once cancelled, the seat is free.",
    "We used to add a blank line.",
    "We started passing the option along.",
    "Rerun the single test.",
    "The folder has a readme.",
    "The key provided by `makeKey` is short.",
    "Having used the old form, you may prefer the new one.",
    "The lamp you ordered is blue.",
    "The seat was booked two days ago.",
    "It looks like the tests passed.",
    "When we run the tests, it prints a line.",
    "如果测试通过，就发布。",
    "请确认清单已保存。",
    "测试通过了吗？",
    "你可以把清单保存到桌面。",
    "一旦删除成功，刷新页面。",
    "是否已发送信件还不清楚。",
    "该函数返回一个列表。",
    "测试通过率是 80%。",
    "我认为测试通过了。",
    "为了确保构建成功，需要先安装依赖。",
]


def _found(text: str, kind: str) -> list[Statement]:
    return [one for one in statements(text) if one.kind == kind]


@pytest.mark.parametrize(("text", "kind", "verb"), STATED)
def test_a_sentence_states(text: str, kind: str, verb: str) -> None:
    found = _found(text, kind)

    assert [(one.verb, one.negated) for one in found] == [(verb, False)]


@pytest.mark.parametrize(("text", "kind"), DENIED)
def test_what_is_denied_is_negated(text: str, kind: str) -> None:
    assert [one.negated for one in _found(text, kind)] == [True]


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_text_states_nothing(text: str) -> None:
    assert statements(text) == ()


def test_each_half_of_a_sentence_is_a_statement_of_its_own() -> None:
    text = "I wrote a short script and exported `fees.csv` with 8 rows, but the upload failed."

    found = statements(text)

    assert [(one.verb, one.negated, [name.text for name in one.names]) for one in found] == [
        ("write", False, []),
        ("export", False, ["fees.csv"]),
        ("upload", True, []),
    ]
    assert [number.value for number in found[1].numbers] == [8]
    assert text[found[1].numbers[0].start : found[1].numbers[0].end] == "8"


def test_a_question_states_what_stands_before_the_part_that_asks() -> None:
    (found,) = statements("You asked for the fee list, shall I print it?")

    assert (found.kind, found.text) == ("request", "You asked for the fee list")


def test_a_source_in_brackets_speaks_of_the_clause_before() -> None:
    (found,) = statements("Every page links the new footer (per the reviewer's check).")

    assert found.source == "the reviewer's check"
    assert "new footer" in found.text
    assert found.whole


def test_a_source_in_front_takes_in_what_it_is_named_for() -> None:
    (found,) = statements("According to the tide table, the flood is at 6.")

    assert (found.source, [number.value for number in found.numbers]) == ("the tide table", [6])


def test_an_advisory_list_ends_where_prose_goes_on() -> None:
    found = statements("To do:\n- Fixed the header\n\nI removed `old.py`.")

    assert [one.text for one in found] == ["I removed `old.py`."]


def test_a_list_of_what_was_done_counts() -> None:
    found = statements("Summary:\n- Updated the manual\n- Removed `old.py`")

    assert [one.verb for one in found] == ["update", "remove"]


def test_a_tool_is_named() -> None:
    (found,) = statements("I will ask atlas for the route.", tools=["atlas"])

    assert [(name.text, name.kind) for name in found.names] == [("atlas", "tool")]


def test_a_line_may_be_wrapped() -> None:
    (found,) = statements("I saved the whole list of\nmembers to members.csv.")

    assert [name.text for name in found.names] == ["members.csv"]


PIECES = st.sampled_from(
    [
        *(
            "I saved ",
            "the file",
            " all tests pass",
            ".",
            "\n",
            "- ",
            "`a.py`",
            '"',
            " if ",
            "，",
            "已保存",
            "测试通过",
        ),
        *("。", " and ", "according to ", "(", ")", ":", "İ", "# ", "```\n", "was deleted", "42 ", "?"),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join)))
def test_spans_hold_what_they_say(text: str) -> None:
    for one in statements(text, tools=["file"]):
        assert text[one.start : one.end] == one.text
        assert all(text[name.start : name.end] == name.text for name in one.names)
        assert all(text[number.start : number.end] == number.text for number in one.numbers)
        assert all(one.start <= name.start and name.end <= one.end for name in one.names)


HOSTILE = ["a", "i have ", "the ", '"', "`", "a.b/", "\n", "- x\n", "没有", "tests pass ", "```\n", "'", "已经保存了"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [*HOSTILE, "a_", "x=(", "，", ".", "I saved it. ", "based on the ", "1. "])
def test_hostile_texts_are_read_quickly(piece: str) -> None:
    text = piece * (200_000 // len(piece))

    statements(text)


def test_what_a_source_tells_of_is_attributed_to_it() -> None:
    found = statements("The reviewer reported that all tests pass.")

    assert {(one.kind, one.source) for one in found} == {("report", "The reviewer"), ("check", "The reviewer")}


def test_a_second_deed_has_the_writer_for_its_subject_too() -> None:
    found = statements("I ran the exporter and it printed the totals.")

    assert [(one.kind, one.verb, one.source) for one in found] == [("lookup", "run", ""), ("report", "print", "it")]


def test_no_such_thing_exists() -> None:
    (found,) = statements("No such file exists.")

    assert (found.kind, found.negated) == ("state", True)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Not all tests pass.", True),
        ("None of the tests passed.", True),
        ("No test failed.", False),
        ("We verified that no errors were found.", False),
        ("并非所有测试都通过。", True),
        ("没有任何测试失败。", False),
    ],
)
def test_the_sign_of_a_check(text: str, negated: bool) -> None:
    assert [one.negated for one in statements(text) if one.kind == "check"] == [negated]


@pytest.mark.parametrize(
    "text", ["I made no changes.", "I changed nothing.", "I ran no tests.", "No changes were made."]
)
def test_what_is_done_to_nothing_is_not_done(text: str) -> None:
    assert [one.negated for one in statements(text)] == [True]


@pytest.mark.parametrize(("text", "whole"), [("All tests pass.", True), ("All tests pass except two.", False)])
def test_whole_means_all_there_is(text: str, whole: bool) -> None:
    assert [one.whole for one in statements(text)] == [whole]
