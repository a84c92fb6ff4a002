"""What a long task's context forgets: results that are fetched again, instructions and constraints that are gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentlab.audit.rules.drift import LATE_DRIFT
from agentlab.audit.rules.looping import REPEAT_LOOP
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.model import Trace
from tests.audit.rules.bounded import SPANS, Call, Keep, attempt, bare, judged, pinned, replaced, whole, window
from tests.audit.stories import field_of, message

TASK = "Which berths of Kestrel Harbour are free in April?"
BOOK = "Berth {n}: taken by a ketch until the {m}th, then free again for two weeks, fee not settled."
BUCH = (
    "第{n}号泊位：由一艘双桅船占用到{m}日，之后空出两周，费用尚未结清，管理员已经登记在册，无其他备注，北侧水深足够。"
)


def reads(*pages: int, tool: str = "read_book", text: str = BOOK) -> list[Call]:
    return [(tool, {"page": n}, text.format(n=n, m=n + 11)) for n in pages]


def drifts(trace: Trace) -> list[str]:
    return [finding.message for finding in judged(LATE_DRIFT, trace)]


def bounded(*turns: Call | str, keep: Keep | None = None, **more: Any) -> list[str]:
    keep = keep or pinned(4)
    return drifts(attempt(*turns, task=TASK, keep=keep, **more))


@pytest.mark.parametrize(
    ("turns", "keep"),
    [
        (reads(0, 1, 2, 3, 0), pinned(4)),
        (reads(0, 1, 2, 3, 0), pinned(1)),
        (reads(0, 1, 2, 3, 0), window(4)),
        (reads(0, 1, 2, 3, 0, text=BUCH), pinned(4)),
        (reads(0, 1, 2, 3, 0, tool="读取文件", text=BUCH), pinned(4)),
        ([("bash", {"command": f"cat berths/{n}.md"}, BOOK.format(n=n, m=n)) for n in (0, 1, 2, 3, 0)], pinned(4)),
        (reads(0, 1, 2, 3, 0), replaced("Summary so far: some of it was read.", after=9)),
    ],
)
def test_a_result_that_is_fetched_again_because_it_is_gone(turns: list[Call], keep: Keep) -> None:
    trace = attempt(*turns, task=TASK, keep=keep)
    (finding,) = judged(LATE_DRIFT, trace)
    assert finding.severity == "warning"
    assert "was called again in step 5 as it had been in step 1" in finding.message
    assert finding.executed is not None
    assert finding.executed["times"] == 2
    for place in finding.where:
        assert field_of(trace, place)[place.start : place.end] == place.text


def test_several_are_one_finding() -> None:
    (told,) = bounded(*reads(0, 1, 2, 3, 0, 1, 2, 3))
    assert told.endswith("so it went with 3 more of its calls.")


def test_a_repetition_in_plain_sight_is_a_loop_and_no_drift() -> None:
    trace = attempt(*reads(0, 0, 0, 0), task=TASK, keep=whole)
    assert drifts(trace) == []
    assert [finding.severity for finding in judged(REPEAT_LOOP, trace)] == ["failure"]
    assert bounded(*reads(0, 0, 0, 0), keep=pinned(4)) == []
    assert bounded(*reads(0, 1, 0, 1, 0), keep=pinned(6)) == []


@pytest.mark.parametrize(
    "between",
    [
        ("write_book", {"page": 0, "text": "free"}, "written"),
        ("edit_file", {"path": "book.md"}, "ok"),
        ("bash", {"command": "make book"}, "built"),
        ("python", {"code": "open('book.md', 'w').write('x')"}, ""),
        ("send_mail", {"to": "keeper"}, "sent"),
        ("ring_bell", {}, "rung"),
        ("保存", {"page": 0}, "已保存"),
        "user: Look at page 0 again, please.",
        "user: 再看一遍第0页。",
    ],
)
def test_what_may_have_changed_is_rightly_looked_at_again(between: Call | str) -> None:
    assert bounded(*reads(0, 1, 2), between, *reads(3, 0)) == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_job_status", {"job": 1}),
        ("poll_queue", {}),
        ("check_inbox", {}),
        ("read_messages", {"channel": "pier"}),
        ("get_current_time", {}),
        ("get_balance", {"account": 1}),
        ("take_screenshot", {}),
        ("next_page", {}),
        ("read_logs", {}),
        ("查看状态", {"任务": 1}),
        ("bash", {"command": "tail -n 3 harbour.txt"}),
        ("write_note", {"text": "on"}),
        ("roll_dice", {}),
        ("view", {"path": "/memories/harbour.md"}),
        ("read_todo", {}),
        ("recall", {"topic": "berths"}),
        ("读取备忘", {"页": 1}),
    ],
)
def test_what_changes_by_itself_or_does_something_is_rightly_called_again(tool: str, arguments: dict[str, Any]) -> None:
    again: Call = (
        tool,
        arguments,
        "The ketch lies at berth 4 with two springs, and the keeper has gone home for today.",
    )
    assert bounded(again, *reads(1, 2, 3), again) == []


@pytest.mark.parametrize(
    "result",
    [
        "ok",
        "14 boats",
        "The build is still running, 40 of 90 parts of the harbour were made so far.",
        "The export of the harbour book is in progress; try again in a while, please.",
        "导出仍在进行中，请稍后再来查看港口的账簿，目前完成了九十个部分中的四十个部分，其余部分还在排队。",
        "",
    ],
)
def test_a_word_or_a_passing_state_is_none(result: str) -> None:
    again: Call = ("read_export", {"book": "harbour"}, result)
    assert bounded(again, *reads(1, 2, 3), again) == []


def test_another_result_shows_that_it_had_changed() -> None:
    last: Call = ("read_book", {"page": 0}, "Berth 0: free at last, the ketch has left a day early.")
    assert bounded(*reads(0, 1, 2, 3), last) == []


def test_another_page_is_another_call() -> None:
    assert bounded(*reads(0, 1, 2, 3, 4, 5, 6)) == []


@pytest.mark.parametrize(
    "summary",
    [
        "Summary so far: " + BOOK.format(n=0, m=11),
        "Summary so far: berth 0 is taken by a ketch until the 11th and then free.",
        "Notes: the ketch leaves on the 11th, two weeks free, fee not settled.",
        "摘要：零号泊位有船停到11日，之后空出两周，费用还没有结清，其余泊位仍待查看。",
    ],
)
@pytest.mark.parametrize("author", ["harness", "system", "model"])
def test_a_summary_that_tells_it_is_none(summary: str, author: str) -> None:
    keep = replaced(summary, author=author, after=9)
    assert bounded(*reads(0, 1, 2, 3, 0), keep=keep) == []


def test_a_summary_that_names_the_file_is_none() -> None:
    turns = [("read_file", {"path": f"book{n}.md"}, BOOK.format(n=n, m=n)) for n in (0, 1, 2, 3, 0)]
    assert bounded(*turns, keep=replaced("Summary so far: book0.md was read.", after=9)) == []
    assert len(bounded(*turns, keep=replaced("Summary so far: books were read.", after=9))) == 1


def test_a_result_that_never_reached_the_model_was_not_lost() -> None:
    def keep(history: list[Any]) -> list[Any]:
        return [m for m in history if m.author != "tool"]

    assert bounded(*reads(0, 1, 2, 3, 0), keep=keep) == []


def test_agents_do_not_share_what_they_read() -> None:
    builder = TraceBuilder("spans", path="x", key=["two"], evidence=SPANS)
    for name in ("", "mate"):
        builder.seat(name)
        held: list[Item] = []
        for number in (0, 1, 2, 3):
            builder.see([Item(role="user", text=TASK), *held[-4:]])
            call = builder.propose("read_book", {"page": number}, call=f"{name}{number}")
            builder.reply(f"Page {number}.", calls=[call], remembered=False)
            result = BOOK.format(n=number, m=number)
            held += [Item(role="assistant", text=f"Page {number}."), Item(role="tool", text=result, call=call.call)]
        builder.see([Item(role="user", text=TASK), *held[-4:]])
        builder.reply("None.", remembered=False)
    assert drifts(builder.build()) == []


@pytest.mark.parametrize(("form", "count"), [("spans", 1), ("codex", 0), ("opencode", 0), ("claude-code", 0)])
def test_foreign_records_that_hold_whole_contexts(form: str, count: int) -> None:
    assert len(drifts(_foreign(lambda held: held[-4:], form))) == count


def test_a_record_of_what_is_new_only_proves_nothing() -> None:
    assert drifts(_foreign(lambda held: held[-2:], "spans")) == []


def _foreign(keep: Callable[[list[Item]], list[Item]], form: str) -> Trace:
    builder = TraceBuilder(form, path="x", key=[form], evidence=SPANS)
    held: list[Item] = []
    for step, number in enumerate((0, 1, 2, 3, 0)):
        builder.see([Item(role="user", text=TASK), *keep(held)])
        call = builder.propose("read_book", {"page": number}, call=f"c{step}")
        builder.reply("", calls=[call], remembered=False)
        result = BOOK.format(n=number, m=number)
        held += [Item(role="assistant", text=""), Item(role="tool", text=result, call=call.call)]
    builder.see([Item(role="user", text=TASK), *keep(held)])
    builder.reply("None.", remembered=False)
    return builder.build()


# --- instructions ---

SYSTEM = (
    "You keep the books of a harbour. Answer with one action a turn. Round fees to whole crowns, name berths by number "
    "and refuse whatever concerns pilots or customs."
)


@pytest.mark.parametrize(
    "keep", [bare(4), lambda history: [m for m in history if m.author != "system"][:1] + history[-2:]]
)
def test_instructions_that_were_cut_out(keep: Keep) -> None:
    trace = attempt(*reads(0, 1, 2, 3), task=TASK, keep=keep, system=SYSTEM)
    (finding,) = judged(LATE_DRIFT, trace)
    assert "the system's instructions stand in no context" in finding.message
    assert finding.where[1].text == SYSTEM[:200]


@pytest.mark.parametrize(
    "rest",
    [
        [message("harness", "Rules: one action a turn; round fees to whole crowns; refuse pilots and customs.")],
        [message("user", f"(reminder) {SYSTEM}")],
        [message("system", "You are now the one who checks the books of the harbour.")],
        [
            message(
                "model", "I keep the books: round fees to whole crowns, name berths by number, refuse customs, pilots."
            )
        ],
    ],
)
def test_instructions_that_are_said_again_or_replaced(rest: list[Any]) -> None:
    def keep(history: list[Any]) -> list[Any]:
        return history if len(history) < 5 else [*rest, history[1], *history[-2:]]

    assert bounded(*reads(0, 1, 2, 3), keep=keep, system=SYSTEM) == []


def test_short_instructions_cannot_be_known_again() -> None:
    assert bounded(*reads(0, 1, 2, 3), keep=bare(4), system="Be brief.") == []


# --- constraints ---

LIMITED = (
    "List the free berths of Kestrel Harbour in April. Never wake the keeper before eight or telephone his brother."
)
LIMITED_ZH = "列出灰鹤港四月份的空闲泊位。八点以前不得叫醒管理员，也不要打电话给他弟弟。"


@pytest.mark.parametrize(
    ("task", "summary", "said"),
    [
        (LIMITED, "Summary so far: free berths of Kestrel Harbour in April; pages 0 to 2 were read.", "Never wake"),
        (LIMITED_ZH, "摘要：灰鹤港四月份空闲泊位的清单，已读到第2页，接着读第3页。", "八点以前不得"),
    ],
)
def test_a_constraint_that_a_summary_dropped(task: str, summary: str, said: str) -> None:
    trace = attempt(*reads(0, 1, 2, 3), task=task, keep=replaced(summary))
    (told,) = drifts(trace)
    assert said in told
    assert "while the task goes on" in told


@pytest.mark.parametrize(
    "summary",
    [
        "Summary so far: free berths of Kestrel Harbour in April. Never wake the keeper before eight.",
        "Summary so far: free berths of Kestrel Harbour in April. Let the man sleep and do not ring anybody up.",
        "Summary so far: free berths of Kestrel Harbour in April. Constraints: as given.",
        "Summary so far: free berths of Kestrel Harbour in April, and the keeper.",
        "摘要：灰鹤港四月份空闲泊位的清单，已读到第2页，接着读第3页。",
        "Summary so far: pages 0 to 2 were read.",
    ],
)
def test_a_constraint_that_is_kept_or_may_be_or_went_with_the_task(summary: str) -> None:
    assert bounded_by(LIMITED, replaced(summary)) == []


@pytest.mark.parametrize(
    "task",
    [
        "List the free berths of Kestrel Harbour in April.",
        "List the berths of Kestrel Harbour that the keeper said must never be used in April.",
        "List the free berths of Kestrel Harbour in April. Log:\n" + "Never mind the telephone of the keeper.\n" * 60,
    ],
)
def test_what_is_no_constraint_of_the_user(task: str) -> None:
    assert bounded_by(task, replaced("Summary so far: free berths of Kestrel Harbour in April; page 2 was read.")) == []


def test_what_the_user_says_later_may_replace_it() -> None:
    turns = [*reads(0, 1), "user: You may call him.", *reads(2, 3, 4, 5)]
    keep = replaced("Summary so far: free berths of Kestrel Harbour in April.", after=9)
    assert drifts(attempt(*turns, task=LIMITED, keep=keep)) == []


def bounded_by(task: str, keep: Keep) -> list[str]:
    return drifts(attempt(*reads(0, 1, 2, 3), task=task, keep=keep))


@pytest.mark.parametrize(
    "text", ["a " * 100_000, "的" * 200_000, "don't " * 30_000, "x" * 200_000, ".".join("ab" * 60_000)]
)
def test_long_texts_are_read_at_once(text: str) -> None:
    again: Call = ("read_book", {"page": text}, text)
    bounded(again, *reads(1, 2, 3), again, keep=pinned(4), system=text)
    drifts(attempt(*reads(1, 2, 3, 1), task=text, keep=replaced(text)))
