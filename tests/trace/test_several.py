from __future__ import annotations

from collections.abc import Callable

import pytest

import agentlab as al
from agentlab.errors import UsageError
from agentlab.trace.several import checked, several
from tests.audit.dialogues import chat

HOW = "the shop sells them"


def test_one_or_many_as_they_come() -> None:
    assert list(several(3, int, HOW)) == [3]
    assert list(several((3, 4), int, HOW)) == [3, 4]
    assert list(several("ab", str, HOW)) == ["ab"]
    endless = several(iter(int, 1), int, HOW)
    assert next(endless) == 0


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("logs.json", "'logs.json' is no int; the shop sells them."),
        (None, "A value of type NoneType is no int; the shop sells them."),
        ([[1]], "A value of type list is no int; the shop sells them."),
        ("x" * 900, f"{'x' * 80!r}… is no int; the shop sells them."),
    ],
)
def test_anything_else_is_named(value: object, told: str) -> None:
    with pytest.raises(UsageError) as error:
        list(several(value, int, HOW))
    assert str(error.value) == told


def test_a_value_that_fits_is_given_back() -> None:
    assert checked(True, int, HOW) is True


@pytest.mark.parametrize("frame", [al.attempts_frame, al.events_frame, al.calls_frame])
def test_tables_take_one_trace_and_name_what_is_none(frame: Callable[[object], object]) -> None:
    trace = chat("Hi.")
    assert len(frame(trace)) == len(frame([trace])) >= 0  # type: ignore[arg-type]
    for wrong in ("logs.json", al.audit_trace(trace), [7]):
        with pytest.raises(UsageError, match="is no Trace; read_traces reads them from files"):
            frame(wrong)


def test_audits_take_traces_and_name_what_is_none() -> None:
    trace = chat("Hi.\n\nUser: Go.\n\nAssistant: Gone.")
    report = al.audit_trace(trace)
    assert len(al.findings_frame(report)) == len(report.findings)
    takers: list[Callable[..., object]] = [al.findings_frame, al.AuditPage().add]
    for take in takers:
        with pytest.raises(UsageError, match="is no AuditReport; audit_trace makes one"):
            take(trace)
    slips: list[Callable[..., object]] = [al.account, al.timeline, lambda part: al.AuditPage().add(report, part)]
    for slip in slips:
        with pytest.raises(UsageError, match="is no "):
            slip(trace)
    with pytest.raises(UsageError, match=r"'logs\.json' is no Trace; read_traces reads it from a file"):
        al.audit_trace("logs.json")  # type: ignore[arg-type]
