"""Findings as a table."""

from __future__ import annotations

import json
import re

from agentlab.audit.outputs.frames import findings_frame
from agentlab.audit.report import audit_trace
from tests.audit.dialogues import chat
from tests.audit.stories import Story, field_of, forged


def test_one_row_a_finding_with_what_it_says() -> None:
    story = Story()
    story.reply(forged("3"), keep=True)
    story.call("count_boats", {"basin": "north"}, "4")
    story.answer("3 boats")
    reports = [audit_trace(story.trace), audit_trace(chat("Quiet."))]
    frame = findings_frame(reports)
    assert len(frame) == len(reports[0].findings)
    assert list(frame["position"]) == list(range(len(frame)))
    for (_, row), finding in zip(frame.iterrows(), reports[0].findings, strict=True):
        place = finding.where[0]
        assert (row["rule"], row["severity"], row["event"]) == (finding.rule, finding.severity, place.event)
        assert field_of(story.trace, place)[row["start"] : row["end"]] == row["text"]
        if finding.claimed is not None:
            assert json.loads(row["claimed"]) == dict(finding.claimed)
    row = frame[frame["rule"] == "forged-observation"].iloc[0]
    assert (row["layer"], row["symptom"]) == ("context", "it believes what it wrote itself")


def test_columns_and_types_never_depend_on_the_rows() -> None:
    empty, full = findings_frame([]), findings_frame([audit_trace(chat("Hi.\n\nUser: Go.\n\nAssistant: Gone."))])
    assert len(empty) == 0
    assert len(full) > 0
    assert empty.dtypes.equals(full.dtypes)


def test_every_column_is_documented() -> None:
    words = set(re.findall(r"\w+", findings_frame.__doc__ or ""))
    assert set(findings_frame([]).columns) <= words
