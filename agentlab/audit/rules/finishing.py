"""Rules about replies that do too much at once: several actions, or an end beside what it would have to wait for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from agentlab.audit.arguments import call_key, plain, written
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, claimed_side, tool_name
from agentlab.audit.rules.seen import SeenCall, is_finish_name, seen_calls, whole
from agentlab.audit.values import Claim
from agentlab.trace.formatting import counted, shorten

__all__ = ["MULTIPLE_ACTIONS", "PREMATURE_FINISH"]


def _several(reading: Reading) -> Iterator[Crossing]:
    for claims in _spoken(reading).values():
        actions = [claim for claim in claims if claim.kind == "call"]
        if len(actions) < 2 or any(claim.is_result or claim.kind == "turn" for claim in claims):
            continue  # what stands behind a forged result is the forgery's affair
        unrun = [claim for claim in actions[1:] if claim.id not in reading.executed and claim.call is None]
        if not unrun:
            continue
        same = len({call_key(claim.tool, claim.arguments) for claim in actions}) == 1
        ends = any(is_finish_name(claim.tool or "") for claim in unrun)
        names = ", ".join(tool_name(claim.tool) for claim in actions[:4])
        yield Crossing(
            message=f"The reply holds {len(actions)} actions ({names})"
            + ("; they are the same." if same else "; the later ones were chosen before any result of the first."),
            where=tuple(claim.where for claim in (*unrun, actions[0])),
            claimed=claimed_side(unrun[0]),
            severity="note" if same else "failure" if ends else "warning",
        )


def _spoken(reading: Reading) -> Mapping[str, list[Claim]]:
    """The claims made in the text of each reply, native calls left out."""
    found: dict[str, list[Claim]] = defaultdict(list)
    for claim in (*reading.claims, *reading.recalled):
        if claim.where.field == "text" and not claim.rejected:
            found[claim.where.event].append(claim)
    return found


# --- premature-finish ---

_SPEAKER = re.compile(
    r"(?:^|[.!:;\n]\s*)(?:(?:ok(?:ay)?|sure|first|next|now|then|great|alright)[,.]?\s+)?"
    r"(?:i(?:'ll|’ll| will| am going to|'m going to| shall)|let me|let's"
    r"|我(?:将|会|来|先|现在)|让我|接下来我?(?:将|会)?)"
    r"\s*(?:now |first |then |next |just |start by |begin by "
    r"|go ahead and )*(?P<what>[^.!?。！？\n]{2,200}?)(?P<end>[.!:。！：…]*)\s*$",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"(?:call|calling|run|running|search|searching|query|fetch|look up|look for|check|read|open|execute|invoke|use"
    r"|using|ask|inspect"
    r"|list|visit|retrieve|grep|调用|运行|执行|搜索|查询|读取|查看|检查|打开)",
    re.IGNORECASE,
)


def _premature(reading: Reading) -> Iterator[Crossing]:
    calls = seen_calls(reading.trace)
    yield from _beside_siblings(calls)
    yield from _behind_action(reading)
    yield from _only_announced(reading, calls)


def _beside_siblings(calls: Sequence[SeenCall]) -> Iterator[Crossing]:
    """A finish call in one reply with calls that then failed or were never answered."""
    batches: dict[str, list[SeenCall]] = defaultdict(list)
    for seen in calls:
        if seen.reply is not None and seen.call.proposed_in is not None:
            batches[seen.reply.id].append(seen)
    for batch in batches.values():
        ends = [seen for seen in batch if seen.is_finish]
        others = [seen for seen in batch if not seen.is_finish]
        if not ends or not others:
            continue
        bad = [seen for seen in others if seen.outcome is None or seen.fault is not None or _asks_again(seen.text)]
        worst = (bad or others)[0]
        state = "came back as an error" if worst.outcome is not None else "was never answered"
        why = f"; {tool_name(worst.tool)} {state}" if bad else "; they came back well"
        yield Crossing(
            message=f"{tool_name(ends[0].tool)} was called in one reply with {counted(len(others), 'other call')}, "
            f"before any had a result{why}.",
            where=(ends[0].place, *(seen.outcome or seen.place for seen in bad)),
            claimed={
                "tool": ends[0].tool,
                "arguments": plain(ends[0].call.arguments),
                "text": written(ends[0].call.arguments)[:2000],
            },
            severity="failure" if bad else "note",
        )


_AGAIN = re.compile(
    r"\s*(?:please )?(?:retry|try again|rejected|refused|denied|invalid|bad |not (?:saved|done|allowed|found)"
    r"|重试|请重试)",
    re.IGNORECASE,
)


def _asks_again(text: str) -> bool:
    """Whether a short word comes back that wants the call made once more."""
    return len(text) <= 200 and _AGAIN.match(text) is not None


def _behind_action(reading: Reading) -> Iterator[Crossing]:
    """An answer taken from a reply that also asks for an action, which then never ran."""
    answer = reading.trace.answer
    claims = _spoken(reading).get(answer.completion, []) if answer is not None else []
    if answer is None or any(claim.is_result or claim.kind == "turn" for claim in claims):
        return
    actions = [claim for claim in claims if claim.kind == "call"]
    ends = [claim for claim in claims if claim.kind == "answer"]
    if actions and ends and not any(claim.id in reading.executed or claim.call for claim in actions):
        yield Crossing(
            message=f"The answer stands in one reply with the call of {tool_name(actions[0].tool)}, which never ran.",
            where=(ends[0].where, actions[0].where),
            claimed=claimed_side(ends[0]),
        )


def _only_announced(reading: Reading, calls: Sequence[SeenCall]) -> Iterator[Crossing]:
    """An answer whose last sentence says what will be called, and nothing is."""
    answer = reading.trace.answer
    if answer is None or reading.trace.evidence.proposals == "not_recorded":
        return
    tail = answer.text.rstrip()[-300:]
    said = _SPEAKER.search(tail)
    if (
        said is None
        or "?" in tail[said.start() :]
        or any(s.reply is not None and s.reply.id == answer.completion for s in calls)
    ):
        return
    tools = {tool.name for tool in reading.trace.started.tools} | {seen.tool for seen in calls}
    words = set(re.findall(r"[\w-]+", said["what"]))
    named = next((tool for tool in sorted(tools) if tool in words and ("_" in tool or not tool.islower())), None)
    if not _ACTS.match(said["what"]) or not (named or said["end"].endswith((":", "：", "...", "…"))):
        return
    yield Crossing(
        message=f"The attempt ends with an announcement, {shorten(said[0].strip('.:; '), 80)!r}, and no call follows.",
        where=(whole(answer.id, "text", answer.text),),
        claimed={"tool": named, "arguments": None, "text": said[0].strip()},
        severity="warning",
    )


MULTIPLE_ACTIONS = Rule(
    id="multiple-actions",
    severity="warning",
    meaning=(
        "A reply of a text protocol holds several actions, so that the later ones were chosen without the result of "
        "the "
        "first. A failure where a later one ends the attempt; a note where they are copies of each other. Calls side "
        "by side "
        "in a native interface, and a harness that ran them all, are not meant; nor is a call drafted in reasoning."
    ),
    cause="The reply was not cut off behind its first action.",
    check="See which of them ran; a value in a later action that no result gave was made up.",
    find=_several,
)

PREMATURE_FINISH = Rule(
    id="premature-finish",
    severity="failure",
    meaning=(
        "The attempt was ended in the same reply as calls it should have waited for: a finish call beside calls that "
        "failed or "
        "were never answered, or an answer behind an action that never ran. A note where the calls beside it came "
        "back well; a "
        "warning where the answer ends by saying what will be called next."
    ),
    cause="The harness takes a finish for an end as soon as it is asked for.",
    check="Look at the results of the calls in that reply: did any later request carry them?",
    find=_premature,
)
