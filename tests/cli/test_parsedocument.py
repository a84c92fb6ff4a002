from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agentlab.cli.parsedocument import ParseDocument
from agentlab.harness.intents import parse_reply, to_document
from agentlab.strictjson import dumps

CALL = 'Action: sweep[{"room": "attic", "deep": {"corners": [1, 2.5, null, true]}}]'
PIECES = (
    CALL,
    "Action: sweep[the attic]",
    "Action: mop[{}]",
    "Action: sweep[{",
    "Action: Finish[clean]",
    'Observation: {"dust": 0}',
    "User: thank you",
    "Thought: the attic first",
    "It is clean.",
    "",
)


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=5).map("\n".join), st.booleans())
def test_every_reply_gives_such_a_document(reply: str, registered: bool) -> None:
    written = to_document(parse_reply(reply, tools=["sweep"] if registered else []))
    read = ParseDocument.model_validate_json(dumps(written))
    assert read.model_dump(mode="json") == written


@pytest.mark.parametrize(
    ("reply", "intent"),
    [(CALL, "call"), ("Action: Finish[done]", "finish"), ("It is clean.", "reply"), ("", "protocol_error")],
)
def test_each_intent_is_met(reply: str, intent: str) -> None:
    assert ParseDocument.model_validate(to_document(parse_reply(reply, tools=[]))).intent == intent


@pytest.mark.parametrize("change", [{"schema": "agentlab.parse/2"}, {"intent": "guess"}, {"extra": 1}, {"forged": 1}])
def test_another_document_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ParseDocument.model_validate({**to_document(parse_reply(CALL, tools=[])), **change})
