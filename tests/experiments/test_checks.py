from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from agentlab.experiments.checks import AnswerNumber, Executed
from agentlab.trace.model import Trace
from tests.experiments.lighthouse import CALL, RIGHT, scripted

FOUR = AnswerNumber(kind="answer_number", value=4, units=["times", "hits", "次", "处"])


@pytest.mark.parametrize(
    "answer",
    [
        "4",
        "It mentions fog 4 times.",
        "It mentions fog **4** times.",
        "Fog: four times",
        "Document 7 of 12 mentions fog 4 times.",
        "4 hits, that is 4 times",
        "fog 出现了 4 次。",
        "fog 出现了四次。",
        "共 4 处",
        "第 2 篇文档中出现了四次",
        "The answer is `4` times",
    ],
)
def test_answers_that_say_four(answer: str) -> None:
    assert FOUR.passed(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I do not know.",
        "0",
        "It never mentions fog.",
        "once",
        "40 times",
        "4.5 times",
        "14 times",
        "There are 4 documents, and fog is mentioned 3 times.",
        "4 times in one place and 2 times in another",
        "没有出现",
        "出现了三次",
        "MP4",
    ],
)
def test_answers_that_do_not(answer: str) -> None:
    assert not FOUR.passed(answer)


def test_words_that_are_frequencies_need_no_unit() -> None:
    two = FOUR.model_copy(update={"value": 2})
    assert two.passed("One reads of fog twice in 7 pages.")
    assert FOUR.model_copy(update={"value": 0}).passed("Fog is never mentioned in 7 pages.")


@pytest.mark.parametrize("change", [{"units": []}, {"units": [""]}, {"value": "4"}, {"value": 4.0}, {"unit": "times"}])
def test_a_check_that_is_none_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AnswerNumber.model_validate({"kind": "answer_number", "value": 4, "units": ["times"]} | change)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    result = scripted(tmp_path_factory.mktemp("checks"), [CALL, RIGHT])
    return result.trace(result.attempts[0].attempt)


def executed(**fields: object) -> Executed:
    return Executed.model_validate({"kind": "executed", "tool": "scan_term"} | fields)


@pytest.mark.parametrize(
    ("fields", "passed"),
    [
        ({}, True),
        ({"arguments": {"term": "fog"}}, True),
        ({"result": {"count": 4}}, True),
        ({"arguments": {"term": "fog"}, "result": {"tool": "scan_term", "count": 4}}, True),
        ({"tool": "list_documents"}, False),
        ({"arguments": {"term": "oil"}}, False),
        ({"arguments": {"term": "fog", "document": "log.md"}}, False),
        ({"result": {"count": 5}}, False),
        ({"result": {"weather": None}}, False),
    ],
)
def test_what_an_answer_rests_on(fields: dict[str, object], passed: bool, trace: Trace) -> None:
    assert executed(**fields).passed(trace) is passed


def test_a_result_that_was_not_delivered_is_no_evidence(tmp_path: Path) -> None:
    result = scripted(tmp_path, [CALL], steps=1)
    trace = result.trace(result.attempts[0].attempt)
    assert [(call.state, call.delivered) for call in trace.calls] == [("succeeded", False)]
    assert not executed().passed(trace)


def test_a_failed_execution_is_no_evidence(tmp_path: Path) -> None:
    result = scripted(tmp_path, ['Action: scan_term[{"term": "fog", "document": "lost.md"}]', RIGHT])
    trace = result.trace(result.attempts[0].attempt)
    assert [call.state for call in trace.calls] == ["failed"]
    assert not executed().passed(trace)
