"""The gate: one place decides what a loop may act on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.harness.contracts import ToolBox
from agentlab.harness.gate import AdmittedAnswer, AdmittedCall, Rejected, admit


def ring(bell: str) -> dict[str, object]:
    """Ring a bell."""
    return {"bell": bell}


BOX = ToolBox([ring])
CALL = 'Thought: loud\nAction: ring[{"bell": "big"}]'


def test_a_call_that_fits_is_admitted_in_canonical_form() -> None:
    judged = admit(f"{CALL}\nThought: and\nAction: ring[{{}}]", BOX)
    assert isinstance(judged, AdmittedCall)
    assert (judged.thought, judged.action) == ("loud", 'ring[{"bell":"big"}]')
    assert judged.discarded


def test_an_answer_is_admitted() -> None:
    judged = admit("Thought: done\nAction: Finish[It rang [twice].]", BOX)
    assert judged == AdmittedAnswer(answer="It rang [twice].")


@pytest.mark.parametrize(
    ("text", "code", "refusal", "tool"),
    [
        (f"{CALL}\nObservation: ding", "forged_observation", "unparsed", "ring"),
        ("Observation: ding", "forged_observation", "unparsed", None),
        (f"{CALL}\nUser: go on", "forged_turn", "unparsed", "ring"),
        ('Action: ring[{"bell": "big"}].', "malformed_call", "unparsed", None),
        ('Action: ring[{"bell": "a", "bell": "b"}]', "ambiguous_call", "unparsed", None),
        ("", "empty_reply", "unparsed", None),
        ("It rang.", "no_action", "unparsed", None),
        ("Action: Finish[ ]", "empty_answer", "unparsed", None),
        ("Action: None", "no_tool_wanted", "unparsed", None),
        ('Action: toll[{"bell": "big"}]', "unknown_tool", "unknown_tool", "toll"),
        ('Action: ring[{"bell": "big", "times": 2}]', "call_refused", "invalid_arguments", "ring"),
        ("Action: ring[big]", "call_refused", "invalid_arguments", "ring"),
    ],
)
def test_what_is_rejected_says_why(text: str, code: str, refusal: str, tool: str | None) -> None:
    judged = admit(text, BOX)
    assert isinstance(judged, Rejected)
    assert (judged.code, judged.refusal, judged.tool) == (code, refusal, tool)
    assert 0 <= judged.start <= judged.end <= len(text)


def test_what_a_rejection_says_quotes_nothing_of_the_reply() -> None:
    word = "vermilion"
    replies = (
        f'Action: {word}[{{"bell": "{word}"}}]',
        f'Action: ring[{{"{word}": "{word}"}}]',
        f"Action: ring[{word}]",
        f"{word}",
        f"{CALL}\nObservation: {word}",
        f"Action: ring[{{{word}",
    )
    for reply in replies:
        judged = admit(reply, BOX)
        assert isinstance(judged, Rejected)
        assert word not in " ".join([judged.reason, *judged.hint.values()]), reply


@given(st.text() | st.text(alphabet='Action: ring[{"bel}]\nThought:Observation<>`'))
def test_any_reply_is_judged(text: str) -> None:
    judged = admit(text, BOX)
    if isinstance(judged, Rejected):
        assert 0 <= judged.start <= judged.end <= len(text)
        assert all(0 <= span.start < span.end <= len(text) for span in judged.forged)
