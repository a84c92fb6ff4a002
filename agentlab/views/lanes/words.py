"""What a timeline says in words: who ran, how it ended, and what the lanes show. Plain sentences, no drawing."""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.formats.files.paths import SEPARATOR
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace
from agentlab.views.lanes.scene import STRUCTURED, Scene, Slot
from agentlab.views.style import CALL, FORGED, REFUSED, UNMATCHED

__all__ = ["absences", "capital", "clauses", "count", "headline", "outcome", "verdict"]


def headline(trace: Trace) -> str:
    """Which attempt it is: agent, loop, prompt, case and number; of a foreign one format, file, place, agent, model."""
    start = trace.started
    if start.format:
        file = SEPARATOR.split(trace.path)[-1]
        return " · ".join(
            shorten(part, 60) for part in (start.format, file, start.source, start.agent, start.model) if part
        )
    parts = (
        start.agent,
        f"loop {start.loop_version or 'not recorded'}",
        f"prompt {start.prompt_version or 'not recorded'}",
        start.case and f"case {start.case}",
        f"attempt {start.index + 1}",
    )
    return " · ".join(shorten(part, 60) for part in parts if part)


def outcome(trace: Trace) -> str:
    """How the attempt ended: with which answer, or for what reason without one."""
    end = trace.finished
    if trace.answer is not None:
        return f"answered: {shorten(trace.answer.text, 300)}"
    if end is None:
        return "no answer: the end was not recorded"
    return f"no answer: {end.reason}" + (f" ({shorten(end.detail, 200)})" if end.detail else "")


def clauses(scene: Scene) -> tuple[str, ...]:
    """What the lanes show, the worst first."""
    return (*_forgeries(scene), _calls(scene))


def verdict(scene: Scene) -> str:
    """What the lanes show, in sentences."""
    return " ".join(f"{capital(clause)}." for clause in clauses(scene))


def capital(text: str) -> str:
    """The text with a capital first letter and all others as they are."""
    return text[:1].upper() + text[1:]


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def absences(slots: Sequence[Slot]) -> list[tuple[str, bool]]:
    """What did not succeed among some slots, in words, each with whether it is forged."""
    forged = sum(slot.mark is FORGED for slot in slots)
    refused = sum(slot.mark is REFUSED for slot in slots)
    failed = sum(slot.entry is not None and slot.entry.state == "failed" for slot in slots)
    unmatched = sum(slot.mark is UNMATCHED for slot in slots)
    said = [(f"✕ {forged} written by the model: no execution", True)] if forged else []
    said += [(f"{refused} refused", False)] if refused else []
    said += [(f"{failed} failed", False)] if failed else []
    return said + ([(f"{unmatched} without a recorded execution", False)] if unmatched else [])


def _calls(scene: Scene) -> str:
    if not scene.recorded:
        return "executions were not recorded, so no call is proved and none is disproved"
    claimed = [slot for slot in scene.slots if slot.claim is not None and slot.claim.kind == "call"]
    calls = [slot for slot in claimed if slot.fate != STRUCTURED]
    executed = sum(slot.mark is CALL for slot in calls)
    refused = sum(slot.mark is REFUSED for slot in calls)
    alone = sum(slot.claim is None and slot.entry is not None for slot in scene.slots)
    text = f"{executed} of {len(calls)} claimed calls executed" if calls else "no call was claimed"
    if refused:
        text += f", {refused} refused"
    if alone:
        text += f"; {count(alone, 'execution')} without a recorded claim"
    return text


def _forgeries(scene: Scene) -> tuple[str, ...]:
    if not scene.heard:
        return ("no reply of the model is on record, so what it wrote itself cannot be told",)
    kinds = [str(slot.claim.kind) for slot in scene.slots if slot.mark is FORGED and slot.claim is not None]
    if not kinds and not scene.flows:
        return _unread(scene) or ("the model wrote no result itself",)
    noun = {"observation": "result", "turn": "turn"}.get("+".join(sorted(set(kinds))), "result or turn")
    many = " or ".join(f"{word}s" for word in noun.split(" or "))
    alone = ", without an execution" if scene.recorded else ""
    said = [f"the model wrote {count(len(kinds), noun, many)} itself{alone}"] if kinds else []
    if scene.requests and (scene.flows or not scene.lost):
        carried = len(scene.carried())
        shown = f"at least {carried}" if carried and scene.lost else carried or "none"
        said.append(f"{shown} of {len(scene.requests)} requests carried forged text on")
    if any(flow.rests for flow in scene.flows):
        said.append("the answer rests on it")
    return (*said, *_unread(scene))


def _unread(scene: Scene) -> tuple[str, ...]:
    """What lost replies leave open; empty where none is lost."""
    if not scene.lost:
        return ()
    where = f"the text of {count(scene.lost, 'reply', 'replies')} is not in quarantine"
    if not scene.marked:
        return (f"whether the model wrote a result there itself cannot be told: {where}",)
    marked = count(scene.marked, "forged text")
    return (f"the harness marked {marked} in refused replies; what became of it cannot be told: {where}",)
