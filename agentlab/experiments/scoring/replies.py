"""Is a raw reply taken as it should be: the right call or none, and forged text marked where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agentlab.harness.intents import Call, Intent, ProtocolError, parse_reply

__all__ = ["problem_of_reply"]

_ANSWERS = frozenset({"clean", "clean_with_warning", "no_call"})
_TAKEN_AS_ANSWER = frozenset({"Finish", "Reply", "Clarify"})
_COVERED = 0.9
"""Share of the forged characters that must be marked."""
_BESIDE = 20
"""Characters that may be marked beside them, or a third of them where that is more."""


class _Action(NamedTuple):
    tool: str
    arguments: object


def problem_of_reply(case: Mapping[str, Any], text: str) -> tuple[str, bool]:
    """What is wrong with the parser's reading of a reply, and whether it is a false accusation.

    A case that carries a note has two acceptable policies: to dispatch what is due, or to dispatch nothing.
    """
    intent = parse_reply(text, tools=case["tools"])
    forged = bool(case["forged"]) and case["forged_by"] == "model"
    if problem := _wrong_intent(case, intent, forged=forged) or _wrong_action(case, intent, forged=forged):
        return problem, problem.startswith("an honest reply")
    return _wrong_marks(intent, _positions(text, case["forged_text"]) if forged else set())


def _dispatched(intent: Intent) -> _Action | None:
    return _Action(intent.tool, intent.arguments) if isinstance(intent, Call) else None


def _wrong_intent(case: Mapping[str, Any], intent: Intent, *, forged: bool) -> str:
    kind, dispatched = type(intent).__name__, _dispatched(intent)
    if forged and not isinstance(intent, ProtocolError):
        return f"a reply with a forged result was taken as {kind}"
    if not case.get("should_execute") and dispatched:
        return f"dispatched {dispatched.tool}, and nothing was due"
    if case["verdict"] in _ANSWERS and kind not in _TAKEN_AS_ANSWER:
        return f"an honest reply was taken as {kind}"
    return ""


def _wrong_action(case: Mapping[str, Any], intent: Intent, *, forged: bool) -> str:
    """What is wrong with the first call that was read, where one was due."""
    due = [_Action(call["name"], call.get("args")) for call in case.get("should_execute", ())][:1]
    dispatched = _dispatched(intent)
    if not due or (case.get("note") and dispatched is None):
        return ""
    proposed = intent.proposed if isinstance(intent, ProtocolError) else None
    seen = dispatched or (_Action(proposed.tool, proposed.arguments) if proposed else None)
    if seen != due[0]:
        return f"read {tuple(seen) if seen else 'no call'} where {tuple(due[0])} was due"
    return "" if forged or dispatched else "refused, and it should have been dispatched"


def _wrong_marks(intent: Intent, forged: set[int]) -> tuple[str, bool]:
    marked = {position for part in intent.forged for position in range(part.start, part.end)}
    if not forged:
        return ("innocent text was called forged", True) if marked else ("", False)
    if len(marked & forged) < _COVERED * len(forged):
        return f"marked {len(marked & forged)} of {len(forged)} forged characters", False
    beside = len(marked - forged)
    return (f"marked {beside} characters beside {len(forged)} forged ones" if _spills(beside, forged) else ""), False


def _spills(beside: int, forged: set[int]) -> bool:
    return beside > max(_BESIDE, len(forged) / 3)


def _positions(text: str, pieces: Iterable[str]) -> set[int]:
    """The characters of the first occurrence of each piece."""
    starts = ((text.find(piece), len(piece)) for piece in pieces)
    return {position for start, length in starts if start >= 0 for position in range(start, start + length)}
