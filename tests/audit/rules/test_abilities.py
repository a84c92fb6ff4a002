"""Abilities that a model denies a tool, held against the tool's description."""

from __future__ import annotations

import pytest

from agentlab.trace.model import Trace
from tests.audit.dialogues import Call, chat, found

PROMPT = (
    "You can call:\n"
    "- open_log: opens a log of the harbour. It takes .wav, .mp3, .pdf and .xlsx. It does not read images.\n"
    "- read_log: 读取日志，支持音频和 pdf。不支持图片。\n"
    "- final_answer: ends."
)
MISSING: Call = ("open_log", {"path": "fog.mp3"}, "!FileNotFoundError: no such file: fog.mp3")
REFUSED: Call = ("open_log", {"path": "fog.mp3"}, "!Error: the format .mp3 is not supported")


def told(said: str, *calls: Call) -> Trace:
    return chat(*(calls or (MISSING,)), said, system=PROMPT)


@pytest.mark.parametrize(
    "said",
    [
        "The tool open_log does not support audio files, so I rely on the usual signal.",
        "`open_log` cannot read MP3.",
        "Sadly open_log can't open spreadsheets directly.",
        "As open_log is unable to process .pdf files, I stop here.",
    ],
)
def test_what_the_description_says_that_a_tool_reads_is_not_to_be_denied(said: str) -> None:
    (finding,) = [each for each in found(told(said)) if each.rule == "contradicted-claim"]
    assert finding.where[0].text.startswith("open_log")
    assert ".mp3, .pdf and .xlsx" in finding.message
    assert finding.where[1].text == "It takes .wav, .mp3, .pdf and .xlsx."
    assert PROMPT[finding.where[1].start : finding.where[1].end] == finding.where[1].text


@pytest.mark.parametrize(
    ("said", "denied"), [("read_log 工具不支持音频文件，只能凭经验回答。", True), ("read_log 不支持图片。", False)]
)
def test_in_chinese(said: str, denied: bool) -> None:
    trace = told(said, ("read_log", {"path": "fog.mp3"}, "!找不到文件"))
    assert ("contradicted-claim" in [each.rule for each in found(trace)]) is denied


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("open_log does not support images.", (MISSING,)),  # so says the description
        ("open_log does not support video files.", (MISSING,)),  # of which it says nothing
        ("open_log does not support audio files.", (REFUSED,)),  # so said a result
        ("open_log supports audio files.", (MISSING,)),
        ("If open_log did not support audio, I would ask.", (MISSING,)),
        ("open_log could not find fog.mp3.", (MISSING,)),
        ("open_log does not read minds.", (MISSING,)),
        ("close_log does not support audio files.", (MISSING,)),  # whose description nobody knows
    ],
)
def test_what_is_true_or_unknown_is_not_held_against_anybody(said: str, calls: tuple[Call, ...]) -> None:
    assert "contradicted-claim" not in [each.rule for each in found(told(said, *calls))]


def test_the_same_denial_is_told_once() -> None:
    trace = chat(MISSING, "open_log cannot read audio. I go on.", MISSING, "open_log cannot read audio.", system=PROMPT)
    assert [each.rule for each in found(trace)].count("contradicted-claim") == 1
