"""Real completions of two small models: the parser finds in them what was counted by hand.

The folder is other people's; it is named by AGENTLAB_SHARED and stands beside the repository otherwise.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from agentlab.harness.intents import parse_reply
from agentlab.markers.segments import Segment, segment

pytestmark = pytest.mark.shared

FOLDER = Path(os.environ.get("AGENTLAB_SHARED", Path(__file__).parents[3] / "shared")) / "llm"
ARGUMENTS = {"list_documents": set(), "scan_term": {"term"}}

# set: (replies with an observation of their own, then what comes first: action, malformed action, finish, observation)
TABLE = {
    "smollm2.zero_shot": (0, 0, 0, 0, 0),
    "smollm2.few_shot": (26, 1, 1, 2, 24),
    "smollm2.few_shot_turns": (9, 1, 1, 19, 9),
    "gemma.plain.few_shot": (27, 14, 16, 0, 0),
    "smollm2.few_shot_turns.stop": (0, 1, 1, 19, 0),
}


def completions(name: str) -> list[str]:
    path = FOLDER / f"{name}.jsonl"
    if not path.exists():
        message = f"{path} is not there; name the folder in AGENTLAB_SHARED"
        if os.environ.get("AGENTLAB_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)
    rows = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(row)["response"]["choices"][0]["message"]["content"] for row in rows]


def fits(part: Segment) -> bool:
    """Whether an action could run: well formed, of a registered tool, and with no argument the tool does not have."""
    call = part.call
    return (
        call is not None
        and call.problem is None
        and call.registered
        and isinstance(call.arguments, dict)
        and set(call.arguments) <= ARGUMENTS[call.name]
    )


def first_move(text: str) -> str:
    for part in segment(text, tools=ARGUMENTS):
        if part.kind == "action":
            return "action" if fits(part) else "malformed"
        if part.kind in ("finish", "observation"):
            return part.kind
    return "prose"


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    texts = completions(name)
    assert len(texts) == 30
    forged = sum(any(part.kind == "observation" for part in segment(text, tools=ARGUMENTS)) for text in texts)
    first = Counter(first_move(text) for text in texts)
    assert (forged, first["action"], first["malformed"], first["finish"], first["observation"]) == TABLE[name]


def test_a_valid_action_of_the_base_model_is_always_followed_by_a_forgery() -> None:
    valid = [text for text in completions("gemma.plain.few_shot") if first_move(text) == "action"]
    for text in valid:
        intent = parse_reply(text, tools=ARGUMENTS)
        assert intent.forged
        assert getattr(intent, "proposed", None) is not None


def test_stop_turns_forgeries_into_empty_replies() -> None:
    with_stop = zip(completions("smollm2.few_shot_turns"), completions("smollm2.few_shot_turns.stop"), strict=True)
    hidden = [after for before, after in with_stop if parse_reply(before, tools=ARGUMENTS).forged]
    assert len(hidden) == 9
    assert {getattr(parse_reply(text, tools=ARGUMENTS), "code", None) for text in hidden} == {"empty_reply"}
