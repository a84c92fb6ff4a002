"""What each policy remembers of an accepted turn and of a rejected reply."""

from __future__ import annotations

import pytest

from agentlab.errors import UsageError
from agentlab.harness.history import DROP, KEPT_SILENT, POLICIES, REACT_V1, REACT_V2, REACT_V3, RETRY, AcceptedTurn
from agentlab.harness.notices import KEPT, OMITTED

TURN = AcceptedTurn(
    text="Thought: weigh it\nAction: weigh[{}]\nand then some", thought="weigh it", action="weigh[{}]", origin="e3"
)
ALL = (REACT_V1, REACT_V2, REACT_V3, KEPT_SILENT, DROP, RETRY)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (REACT_V1, TURN.text),
        (KEPT_SILENT, TURN.text),
        (REACT_V2, "Thought: weigh it\nAction: weigh[{}]"),
        (DROP, "Thought: weigh it\nAction: weigh[{}]"),
        (RETRY, "Thought: weigh it\nAction: weigh[{}]"),
        (REACT_V3, "Action: weigh[{}]"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_accepted_turn(policy: object, text: str) -> None:
    message = policy.accepted(TURN)  # type: ignore[attr-defined]
    assert (message.text, message.author, message.trust, message.origin) == (text, "model", "untrusted", "e3")


def test_an_accepted_turn_without_a_thought_is_an_action_alone() -> None:
    turn = AcceptedTurn(text="Action: weigh[{}]", thought="", action="weigh[{}]", origin="e3")
    assert REACT_V2.accepted(turn).text == "Action: weigh[{}]"


@pytest.mark.parametrize("policy", ALL, ids=lambda policy: policy.name)
def test_only_two_policies_keep_a_rejected_reply(policy: object) -> None:
    kept = policy.rejected("Observation: 9", "e7")  # type: ignore[attr-defined]
    texts = [(message.text, message.author, message.origin) for message in kept]
    assert texts == ([("Observation: 9", "model", "e7")] if policy in (REACT_V1, KEPT_SILENT) else [])


def test_notices_and_retries() -> None:
    assert [policy.notice for policy in ALL] == [KEPT, OMITTED, OMITTED, None, None, None]
    assert [policy.retries for policy in ALL] == [0, 0, 0, 0, 0, 1]


def test_policies_are_found_by_name() -> None:
    assert POLICIES.names() == ("drop", "kept-silent", "react-v1", "react-v2", "react-v3", "retry")
    assert all(POLICIES.get(policy.name) is policy for policy in ALL)
    with pytest.raises(UsageError, match=r"history policy 'react-v9'.*react-v1"):
        POLICIES.get("react-v9")
