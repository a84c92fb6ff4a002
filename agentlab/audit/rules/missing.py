"""The rule about calls that were never answered although the agent went on."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from agentlab.audit.arguments import call_key, plain
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.seen import SeenCall, reply_place, seen_calls, whole
from agentlab.audit.values import Where
from agentlab.trace.events import CompletionEvent, Observation, Request
from agentlab.trace.model import Trace

__all__ = ["MISSING_RESULT"]


def _missing(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    calls = seen_calls(trace)
    if not any(each.outcome is not None for each in calls):
        return  # a record without a single result does not show that one is missing
    after = _After(trace, calls)
    for seen in calls:
        if not _is_open(seen) or not after.went_on(seen) or after.strays(seen):
            continue
        siblings = [each for each in calls if each.reply is seen.reply and each is not seen and each.tool == seen.tool]
        answered = sum(each.outcome is not None for each in siblings)
        of_several = (
            f", one of {len(siblings) + 1} of this tool in one reply, of which {answered} came back,"
            if siblings
            else ""
        )
        reused = ", under an id that an earlier call was answered by" if after.is_reused(seen) else ""
        mended = after.is_asked_again(seen)
        yield Crossing(
            message=f"The call of {tool_name(seen.tool)}{of_several}{reused} was never answered; the agent went on.",
            where=(seen.place, *after.went_on(seen)),
            claimed={"tool": seen.tool, "arguments": plain(seen.call.arguments), "text": seen.place.text},
            severity="warning" if mended or after.is_interrupted(seen) or after.answer is None else "failure",
        )


def _is_open(seen: SeenCall) -> bool:
    if seen.is_finish or seen.inner or seen.reply is None or seen.call.by not in ("agent", "subagent"):
        return False
    return seen.outcome is None and seen.call.state in ("dropped", "unanswered")


class _After:
    """What came after a call."""

    def __init__(self, trace: Trace, calls: tuple[SeenCall, ...]) -> None:
        self._trace = trace
        self.answer = trace.answer
        self._replies: dict[str, list[int]] = defaultdict(list)
        self._heard: set[int] = set()
        self._strays: list[int] = []
        claimed = {seen.call.observed_in for seen in calls}
        for place, event in enumerate(trace.events):
            if isinstance(event, CompletionEvent):
                self._replies[event.agent_name].append(place)
            elif isinstance(event, Observation) and event.id not in claimed and not event.execution:
                self._strays.append(place)
            elif isinstance(event, Request) and any(i.author == "user" and i.role == "user" for i in event.items):
                self._heard.add(place)
        self._batches: dict[tuple[str, str], tuple[int, int]] = {}
        self._answered: dict[object, int] = {}
        self._ids: dict[str, int] = {}
        for seen in calls:
            batch = (seen.reply.id if seen.reply else "", seen.tool)
            asked, answered = self._batches.get(batch, (0, 0))
            self._batches[batch] = (asked + 1, answered + (seen.outcome is not None))
            if seen.outcome is not None:
                self._answered[call_key(seen.tool, seen.call.arguments)] = seen.position
                self._ids.setdefault(seen.call.id, seen.position)

    def batch(self, seen: SeenCall) -> tuple[int, int]:
        """How many calls of its tool its reply asked for, and how many of them were answered."""
        return self._batches[seen.reply.id if seen.reply else "", seen.tool]

    def _next(self, seen: SeenCall) -> int | None:
        """Place of the agent's next reply."""
        own = self._replies[seen.agent]
        place = bisect_right(own, seen.position)
        return own[place] if place < len(own) else None

    def went_on(self, seen: SeenCall) -> tuple[Where, ...]:
        """The agent's next reply, and the answer if that is another; nothing where it did not go on."""
        place = self._next(seen)
        if place is None:
            return ()
        reply = self._trace.events[place]
        assert isinstance(reply, CompletionEvent)
        found = [reply_place(self._trace, reply)]
        if self.answer is not None and self.answer.completion != reply.id:
            found.append(whole(self.answer.id, "text", self.answer.text))
        return tuple(found)

    def strays(self, seen: SeenCall) -> bool:
        """Whether a result that belongs to no call came before the agent went on; it may be the one that is missing."""
        end = self._next(seen)
        place = bisect_right(self._strays, seen.position)
        return place < len(self._strays) and (end is None or self._strays[place] < end)

    def is_interrupted(self, seen: SeenCall) -> bool:
        """Whether somebody spoke before the agent went on."""
        end = self._next(seen) or len(self._trace.events)
        return any(place in self._heard for place in range(seen.position + 1, min(end, seen.position + 50)))

    def is_asked_again(self, seen: SeenCall) -> bool:
        return self._answered.get(call_key(seen.tool, seen.call.arguments), -1) > seen.position

    def is_reused(self, seen: SeenCall) -> bool:
        return self._ids.get(seen.call.id, seen.position) < seen.position


MISSING_RESULT = Rule(
    id="missing-result",
    severity="failure",
    meaning=(
        "A call never got a result and the agent went on: the id was used before, or several calls of one tool got one "
        "answer. A warning where the same call was answered later, where somebody spoke in between, or where there "
        "is no "
        "answer that could rest on it. A call that hands over an answer needs no result; a record without results, "
        "and one "
        "in which a result belongs to no call, prove nothing."
    ),
    cause="The harness keeps calls by name or by an id that is not unique, and lost one.",
    check="Count the calls and the results of that reply, and see what the next text says of the missing one.",
    find=_missing,
)
