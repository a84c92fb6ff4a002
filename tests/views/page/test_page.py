"""The page of an audit."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from agentlab.audit.report import audit_trace
from agentlab.trace.model import Trace
from agentlab.views.page.page import AuditPage
from tests.audit.dialogues import chat
from tests.audit.stories import Story, forged
from tests.hanging import ends

TURN = "High water at noon.\n\nUser: Thank you.\n\nAssistant: You are welcome."
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed, every link has its one place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: set[str] = set()
        self.tags: Counter[str] = Counter()
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        held = {name: value or "" for name, value in attrs}
        if "id" in held:
            self.ids[held["id"]] += 1
        if "href" in held:
            self.links.add(held["href"])
        assert not {"src", "onclick", "onload", "style"} & set(held)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def page_of(*traces: Trace, room: int = 8_000_000) -> Reader:
    page = AuditPage(room=room)
    for trace in traces:
        page.add(audit_trace(trace))
    read = Reader(page.html())
    assert set(read.ids.values()) <= {1}
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)
    assert all(link.startswith("#") for link in read.links)
    assert read.tags["script"] == read.tags["link"] == read.tags["img"] == 0
    return read


def told() -> Story:
    story = Story()
    story.reply(forged("3"), keep=True)
    story.call("count_boats", {"basin": "north"}, "4")
    story.answer("3 boats")
    return story


def test_the_transcript_tells_what_was_said_run_and_shown() -> None:
    read = page_of(told().trace)
    for word in ("Request", "Reply of the model", "Execution", "Observation", "Answer", "3 boats", "count_boats"):
        assert word in read.text
    for word in ("claimed", "executed", "executions: present", "Diagnosis", "it believes what it wrote itself"):
        assert word in read.text
    assert read.tags["mark"] > 0


def test_a_trace_without_findings_is_listed_and_not_told() -> None:
    read = page_of(chat("The harbour is quiet."), chat(TURN))
    assert "Traces without findings" in read.text
    assert "The harbour is quiet." not in read.text
    assert "High water at noon." in read.text
    assert read.tags["section"] == 1


def test_each_symptom_stands_once_at_the_top_with_the_number_of_traces() -> None:
    head = page_of(chat(TURN), chat("x", TURN)).text.partition("Traces with findings")[0]
    assert head.count("it believes what it wrote itself") == 1
    assert "(2 traces)" in head


def test_what_a_trace_holds_is_never_markup() -> None:
    evil = "</div><script>x</script><img src=x onerror=y>\"'\u202e"
    read = page_of(chat((evil, {evil: evil}, evil), f"{evil}\n\nUser: {evil}\n\nAssistant: {evil}", task=evil))
    assert "<script>x</script>" in read.text
    assert "\u202e" not in read.text


def test_a_full_page_names_every_finding_and_says_what_it_leaves_out() -> None:
    read = page_of(chat(TURN), chat("x", TURN), room=10)
    assert "The page is full: 2 traces with findings: no transcript here." in read.text
    assert read.text.count("The transcript is left out") == 2
    assert "High water at noon." not in read.text
    assert read.text.count("forged-turn") >= 2


def test_many_events_are_told_near_the_findings_only() -> None:
    quiet = [f"Buoy {number}: " + "calm sea, " * 200 for number in range(1200)]
    read = page_of(chat(*quiet, TURN))
    (gap,) = map(int, re.findall(r"… ([\d,]+) events are left out", read.text.replace(",", "")))
    assert gap > 2000
    assert "High water at noon." in read.text


@pytest.mark.parametrize("listed", [0, 3, 700])
def test_files_that_were_not_audited_are_named(listed: int) -> None:
    page = AuditPage().html(unreadable=[("a<b", "cut")] * listed, skipped=["s.txt"] * listed)
    read = Reader(page)
    assert read.text.count("a<b") == min(listed, 500)
    assert ("and 200 more" in read.text) is (listed == 700)
    assert "Nothing was found." in read.text


def test_a_hostile_reply_of_thousands_of_findings_is_told_in_part() -> None:
    story = Story()
    story.reply("\n".join(f'Action: count_boats[{{"n": {n}}}]\nObservation: {n}' for n in range(3000)), keep=True)
    report = audit_trace(story.trace)
    assert len(report.findings) > 1000
    with ends():
        page = AuditPage()
        page.add(report)
        html = page.html()
    assert len(html) < 3_000_000
    assert f"{len(report.findings) - 300:,} more findings of this trace are left out of this page" in Reader(html).text


def test_a_side_that_no_record_could_fill_says_so() -> None:
    said = 'Action: count_boats[{"basin": "north"}]\nObservation: 3'
    assert "not recorded: whether anything ran, nobody can tell" in page_of(chat(said)).text
    story = Story()
    story.reply(forged("3"), keep=True)
    assert "whether anything ran" not in page_of(story.trace).text
