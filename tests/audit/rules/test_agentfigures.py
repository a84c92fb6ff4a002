"""Figures that started agents report: those that nobody gave them, and all the ways in which they may know one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentlab.audit.reading import read
from agentlab.audit.rules.subagents import SUBAGENT_CLAIM
from agentlab.audit.values import Finding
from agentlab.formats.reading import read_traces

TASK = "How deep was the basin in the year it was dug? It has 14 berths."
RESULT = {"depth": 3.256, "tons": 12500, "log": "dug 1887-05-02, see page 61"}


def span(name: str, kind: str, parent: str | None, start: int, **attributes: Any) -> dict[str, Any]:
    place = {"trace_id": "t", "span_id": name, "parent_id": parent, "start": start, "end": start + 1}
    return {**place, "kind": kind, "name": name, "attributes": attributes}


def reported(folder: Path, report: str, *, of: str = "mate", later: str = "") -> list[Finding]:
    """What is found where a chief starts a mate that looks once and reports, and the chief looks once more."""
    asks = {"tool_calls": [{"id": "m1", "name": "sound", "arguments": {"basin": "north", "try": 77}}]}
    spans = [
        {**span("chief", "AGENT", None, 0, output="It is done."), "end": 90},
        {**span(of, "AGENT", "chief", 10, output=report), "end": 60},
        span("ask", "LLM", of, 20, messages=[{"role": "user", "content": TASK}], **asks),
        span("sound", "TOOL", of, 30, tool_call_id="m1", arguments={"basin": "north", "try": 77}, output=RESULT),
        span(
            *("say", "LLM", of, 40),
            messages=[
                {"role": "user", "content": TASK},
                {"role": "assistant", "content": "", **asks},
                {"role": "tool", "tool_call_id": "m1", "content": json.dumps(RESULT)},
            ],
            output=report,
        ),
        *([span("gauge", "TOOL", "chief", 70, arguments={}, output=later)] if later else []),
    ]
    path = folder / "trace.json"
    path.write_text(json.dumps({"spans": spans}), encoding="utf-8")
    (trace,) = read_traces(path)
    return list(SUBAGENT_CLAIM.judge(read(trace)))


@pytest.mark.parametrize(
    ("report", "figures"),
    [
        ("It was dug in 1913.", ["1913"]),
        ("It is 3.31 m deep.", ["3.31"]),
        ("它深 47 米。", ["47"]),
        ("Dug in 1887, it holds 733 boats and cost 8251 marks.", ["733", "8251"]),
    ],
)
def test_a_figure_that_nobody_gave_it(tmp_path: Path, report: str, figures: list[str]) -> None:
    (finding,) = reported(tmp_path, report)
    assert finding.severity == "warning"
    assert [report[place.start : place.end] for place in finding.where] == figures
    assert f"mate reports {', '.join(figures)}, and that stands in nothing" in finding.message


def test_a_later_result_bears_out_no_earlier_report(tmp_path: Path) -> None:
    assert reported(tmp_path, "It was dug in 1913.", later="dug in 1913")


@pytest.mark.parametrize(
    "report",
    [
        "It was dug in 1887, on 2 May.",  # a part of a date
        "It is 3.256 m deep.",
        "It is 3.26 m deep.",  # rounded
        "It carries 12,500 tons.",
        "The basin has 14 berths.",  # it was told so
        "I tried 77 times, see page 61.",
        "About 200 boats lie there, in 3 rows.",  # round, and small
        "1. It is deep.\n27. It is wide.",  # the numbers of a list
        "It is deep, says HB-1913.",
    ],
)
def test_what_it_may_know(tmp_path: Path, report: str) -> None:
    assert not reported(tmp_path, report)


def test_the_main_agents_own_answer_is_not_meant(tmp_path: Path) -> None:
    assert not [finding for finding in reported(tmp_path, "It is deep.", later="1913") if "1913" in finding.message]
