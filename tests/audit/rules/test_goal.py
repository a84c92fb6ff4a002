"""The task that stands in the context no more, and everything that only looks like it."""

from __future__ import annotations

import pytest

from agentlab.agents.react import ReActAgent
from agentlab.audit.rules.goal import GOAL_LOST
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.trace.events import Request
from agentlab.trace.model import Trace
from tests.agents import attempts
from tests.audit.rules.bounded import SPANS, Call, Keep, attempt, bare, judged, pinned, replaced, spans, whole, window
from tests.audit.stories import field_of

TASK = (
    "Write a report on the mooring fees of Kestrel Harbour for 2031, with a table of all berths above 12 metres, "
    "and compare them with Osprey Quay."
)
AUFGABE = "请统计灰鹤港2031年的泊位费，列出所有超过十二米的泊位，并与白鹭码头比较后写成报告。"
PAGES: tuple[Call, ...] = tuple(
    ("read_ledger", {"page": n}, f"page {n}: entry {n * 37} paid, entry {n * 41} open") for n in range(6)
)
SEITEN: tuple[Call, ...] = tuple(
    ("read_ledger", {"page": n}, f"第{n}页：第{n * 37}笔已付，第{n * 41}笔未付") for n in range(6)
)


def lost(trace: Trace) -> list[str]:
    return [finding.message for finding in judged(GOAL_LOST, trace)]


@pytest.mark.parametrize(
    ("task", "keep", "calls"),
    [
        (TASK, window(4), PAGES),
        (TASK, window(1), PAGES),
        (TASK, bare(4), PAGES),
        (AUFGABE, window(4), SEITEN),
        (AUFGABE, bare(3), SEITEN),
        (TASK, replaced("Summary so far: pages 0 to 2 were read, two entries are open."), PAGES),
        (TASK, replaced("Summary so far: pages 0 to 2 were read, two entries are open.", author="system"), PAGES),
        (TASK, replaced("Summary of the work so far:\npages 0 to 2 were read.", author="user"), PAGES),
        (TASK, replaced("Summary so far: pages 0 to 2 were read, two entries are open.", author="model"), PAGES),
        (AUFGABE, replaced("之前对话摘要：已读取第0页到第2页，有两笔未付。"), SEITEN),
        (TASK, replaced("Please continue.", author="user"), PAGES),
        (TASK, replaced("请继续。", author="user"), PAGES),
        (TASK, replaced("Call a tool or finish."), PAGES),
    ],
)
def test_a_task_that_was_cut_out_is_lost(task: str, keep: Keep, calls: tuple[Call, ...]) -> None:
    (finding,) = judged(GOAL_LOST, attempt(*calls, task=task, keep=keep))
    assert finding.severity == "warning"
    assert "stands in no context" in finding.message


def test_it_says_from_which_step_and_where() -> None:
    trace = attempt(*PAGES, task=TASK, keep=window(4))
    (finding,) = judged(GOAL_LOST, trace)
    requests = trace.of(Request)
    without, last = finding.where
    holding = [r.id for r in requests if TASK in "".join(m.text for m in trace.contexts[r.id])]
    assert last.event == holding[-1]
    assert last.text == TASK
    assert without.event == requests[len(holding)].id
    assert f"From step {len(holding) + 1} on" in finding.message
    for place in finding.where:
        assert field_of(trace, place)[place.start : place.end] == place.text


@pytest.mark.parametrize(
    "summary",
    [
        "Summary so far: the mooring fees of Kestrel Harbour are to be reported; pages 0 to 2 were read.",
        "Goal: a report on fees for Kestrel Harbour 2031. Done: pages 0-2. Left: the rest.",
        "Summary: Kestrel vs Osprey, berths > 12, year 2031.",
        "Summary: the user wants the charges listed per place and set beside those of the other one.",
        "Summary. The task is the one about charges; pages 0 to 2 were read.",
        "摘要：用户要一份关于港口泊位收费的报告，已读第0到2页。",
        "小结：已经读了前面三页的账目，下一步继续读剩下的内容并整理成文。",
        f"Summary so far: pages 0 to 2 were read.\n> {TASK}",
        f"Task: {TASK[:70]}",
    ],
)
@pytest.mark.parametrize("author", ["harness", "system", "user", "model"])
def test_a_summary_that_carries_it_or_may_is_none(summary: str, author: str) -> None:
    assert lost(attempt(*PAGES, task=TASK, keep=replaced(summary, author=author))) == []


@pytest.mark.parametrize(
    "summary",
    [
        "摘要：目标是统计灰鹤港的泊位费。已读第0到2页。",
        "之前对话摘要：灰鹤港与白鹭码头比较，泊位超过十二米。",
        "任务：把两个港口的收费放在一起看。",
        "Summary so far: three pages of the ledger were read and two entries are still open there.",
    ],
)
def test_a_chinese_task_may_be_carried_by_a_summary(summary: str) -> None:
    assert lost(attempt(*SEITEN, task=AUFGABE, keep=replaced(summary))) == []


@pytest.mark.parametrize("keep", [whole, pinned(2), pinned(4)])
@pytest.mark.parametrize("task", [TASK, AUFGABE])
def test_a_task_that_stands_is_none(keep: Keep, task: str) -> None:
    assert lost(attempt(*PAGES, task=task, keep=keep)) == []


@pytest.mark.parametrize(
    "turn",
    [
        "user: Leave that. Count the gulls on the pier instead.",
        "user: And mind the decimal comma.",
        "user: 算了，改成统计码头上的海鸥。",
        "user: Thanks!",
        "user: yes",
        "user: ",
    ],
)
def test_whoever_spoke_again_may_have_given_another_task(turn: str) -> None:
    assert lost(attempt(*PAGES[:2], turn, *PAGES[2:4], task=TASK, keep=window(5))) == []


def test_the_newer_task_is_lost_as_well_where_nothing_that_was_said_stands() -> None:
    turn = "user: Leave that. Count the gulls on the northern pier and name every species among them."
    (message,) = lost(attempt(*PAGES[:2], turn, *PAGES, task=TASK, keep=window(4)))
    assert "stands in no context" in message


@pytest.mark.parametrize(
    "call",
    [
        ("read_file", {"path": "todo.md"}, f"1. {TASK}\n2. rest"),
        ("write_plan", {"plan": f"First: {TASK}"}, "ok"),
        (
            "ask_helper",
            {"prompt": "Report on mooring fees, Kestrel Harbour, berths above 12 metres, 2031, table"},
            "ok",
        ),
    ],
)
def test_a_plan_or_a_file_carries_it(call: Call) -> None:
    assert lost(attempt(*PAGES[:3], call, task=TASK, keep=window(4))) == []


def test_it_is_lost_when_the_plan_that_carried_it_has_gone_too() -> None:
    plan: Call = ("write_plan", {"plan": f"First: {TASK}"}, "ok")
    (message,) = lost(attempt(PAGES[0], plan, *PAGES[1:], task=TASK, keep=window(4)))
    assert message.startswith("From step 5 on")


def test_a_task_that_comes_back_was_kept_elsewhere() -> None:
    def keep(history: list[object]) -> list[object]:
        asked = [m for m in history if getattr(m, "author", "") == "user"] or aside
        aside[:] = asked
        return [history[0], *asked, *history[1:][-2:]] if len(history) % 2 else [history[0], *history[1:][-2:]]

    aside: list[object] = []
    assert lost(attempt(*PAGES, task=TASK, keep=keep)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("task", ["Fix bug 7.", "Go on", "hi", "修好它", "", "12"])
def test_a_few_words_cannot_be_known_again(task: str) -> None:
    assert lost(attempt(*PAGES, task=task, keep=window(2))) == []


def test_where_nothing_was_done_without_it_nothing_is_said() -> None:
    items = [Item(role="user", text=TASK)]
    results = _exchange(0) + _exchange(1)
    last = (results[2:] + _exchange(2), "", [])
    trace = spans((items, "", [_call(0)]), (items + _exchange(0), "", [_call(1)]), (results, "", [_call(2)]), last)
    assert len(lost(trace)) == 1  # the third request is acted upon
    builder = TraceBuilder("spans", path="x", key=["k"], evidence=SPANS)
    for context, calls in ((items, [_call(0)]), (items + _exchange(0), [_call(1)]), (results, [])):
        builder.see(list(context))
        builder.reply("Noted.", calls=[builder.propose(t, a, call=c) for t, a, c in calls], remembered=False)
    assert lost(builder.build()) == []


# --- requests for other purposes, other agents, records that do not prove it ---

PLANNER = Item(
    role="system", text="You write the next three steps of a plan, from what was done before, and act on nothing."
)
WORKER = Item(role="system", text="You work through ledgers of harbours with the tools that are given to you.")
ASKED = Item(role="user", text=TASK)


def _call(number: int) -> tuple[str, dict[str, int], str]:
    return "read_ledger", {"page": number}, f"c{number}"


def _exchange(number: int) -> list[Item]:
    result = f"page {number}: entry {number * 37} paid, entry {number * 41} open"
    reply = Item(role="assistant", text="", extra={"call": number})
    return [reply, Item(role="tool", text=result, call=f"c{number}")]


def test_a_planner_with_a_prompt_of_its_own_is_none() -> None:
    done = _exchange(0) + _exchange(1)
    trace = spans(
        ([WORKER, ASKED], "", [_call(0)]),
        ([WORKER, ASKED, *_exchange(0)], "", [_call(1)]),
        ([PLANNER, *done], "Read on.", [("note", {"text": "on"}, "n1")]),
        ([WORKER, ASKED, *done], "", [_call(2)]),
    )
    assert lost(trace) == []


def test_a_checker_that_sees_the_reply_alone_is_none() -> None:
    judge = Item(role="system", text="You grade an answer and call grade with a number.")
    draft = Item(role="assistant", text="Kestrel is dearer than the other one by a fifth, berth by berth.")
    trace = spans(
        ([WORKER, ASKED], draft.text, []),
        ([judge, draft], "", [("grade", {"n": 3}, "g1")]),
        ([WORKER, ASKED, draft], draft.text + " Surely.", []),
        ([judge, draft], "", [("grade", {"n": 4}, "g2")]),
    )
    assert lost(trace) == []


def test_a_record_of_what_is_new_only_proves_nothing() -> None:
    trace = spans(
        ([WORKER, ASKED], "", [_call(0)]),
        ([WORKER, *_exchange(0)], "", [_call(1)]),
        ([WORKER, *_exchange(1)], "", [_call(2)]),
        ([_exchange(2)[1]], "Done.", []),
    )
    assert lost(trace) == []


@pytest.mark.parametrize("form", ["codex", "claude-code", "opencode"])
def test_nor_does_a_session_that_does_not_say_what_was_sent(form: str) -> None:
    requests = (
        ([ASKED], "", [_call(0)]),
        ([ASKED, *_exchange(0)], "", [_call(1)]),
        ([*_exchange(0), *_exchange(1)], "Done.", []),
    )
    assert len(lost(spans(*requests))) == 1
    assert lost(spans(*requests, form=form)) == []


@pytest.mark.parametrize(
    "second", ["Count the eels in the weir and name the largest.", TASK, "Summary of the log: eels."]
)
def test_an_agent_that_is_started_again_has_another_task(second: str) -> None:
    builder = TraceBuilder("spans", path="x", key=[second], evidence=SPANS)
    for start, task in ((0, TASK), (10, second)):
        builder.seat("helper")
        builder.see([WORKER, Item(role="user", text=task)])
        builder.reply("", calls=[builder.propose("look", {"n": start}, call=f"c{start}")], remembered=False)
        builder.see([WORKER, Item(role="user", text=task), *_exchange(start)])
        builder.reply("Seen.", remembered=False)
    assert lost(builder.build()) == []


def test_agents_that_take_turns_keep_their_own_tasks() -> None:
    builder = TraceBuilder("spans", path="x", key=["turns"], evidence=SPANS)
    for number in range(4):
        for name, task in (("", TASK), ("helper", "Count the eels in the weir and name the largest.")):
            builder.seat(name)
            if not number:
                builder.hear(Item(role="user", text=task))
            call = builder.propose("look", {"n": number})
            builder.reply("", calls=[call])
            builder.hear(Item(role="tool", text=f"seen {number} by {name}", call=call.call))
    assert lost(builder.build()) == []


def test_one_of_two_agents_that_loses_its_task_is_named() -> None:
    builder = TraceBuilder("spans", path="x", key=["one"], evidence=SPANS)
    builder.seat("clerk")
    for context in ([ASKED], [ASKED, *_exchange(0)], [*_exchange(0), *_exchange(1)]):
        builder.see(context)
        number = max((int(item.call[1:]) + 1 for item in context if item.call), default=0)
        builder.reply("", calls=[builder.propose("read_ledger", {"page": number}, call=f"c{number}")], remembered=False)
    (message,) = lost(builder.build())
    assert "the task of clerk" in message


# --- a real run ---


class _Forgetful(ReActAgent):
    """Sends the last two items only."""

    def _ask(self, number: int):  # type: ignore[no-untyped-def]
        self._history = self._history[-2:]
        return super()._ask(number)


def test_an_agent_that_bounds_its_context_without_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = ["Action: list_hives[{}]"] * 3 + ["Action: Finish[None.]"]
    whole_run, _ = attempts.attempt(replies)
    assert lost(whole_run) == []
    monkeypatch.setattr(attempts, "ReActAgent", _Forgetful)
    bounded_run, _ = attempts.attempt(replies)
    (message,) = lost(bounded_run)
    assert message.startswith("From step 2 on, the task stands in no context")


# --- texts of strangers ---


@pytest.mark.parametrize(
    "text", ["a " * 100_000, "的" * 200_000, "Summary " * 25_000, "x" * 200_000, "- \\u4e00" * 25_000]
)
def test_long_texts_are_read_at_once(text: str) -> None:
    lost(attempt(*PAGES[:3], ("read_ledger", {"page": 9}, text), f"user: {text}", task=text, keep=window(3)))
    lost(attempt(*PAGES[:3], task=TASK, keep=replaced(text)))
