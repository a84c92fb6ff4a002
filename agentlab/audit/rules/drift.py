"""The rule about long tasks whose context forgets what was done or what was laid down."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agentlab.audit.arguments import CallKey, call_key, written
from agentlab.audit.evidence.effects import effect_of, words_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.provenance.carrying import Carrying
from agentlab.audit.provenance.contexts import Contexts
from agentlab.audit.provenance.standing import Chain, Conversation, Held, Moment, acted, moments
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.laiddown import Constraints, Instructions
from agentlab.audit.rules.seen import SeenCall, ran, seen_calls
from agentlab.trace.model import Trace

__all__ = ["LATE_DRIFT"]

_SHORT = 40
"""Longest result, in code points, that may be the same by chance."""
_READ = 2000
"""Characters of arguments and results that are looked through for words."""
_NAMED = 5
"""Repeated calls that a finding names."""
_TRIED = 40
"""Repeated calls of one conversation that are looked at more closely."""
_LIVE = words(
    "status state poll wait watch monitor progress now time date clock health ping inbox mailbox queue next previous"
    " scroll down up screenshot screen observe balance price quote random stock feed tail top ps uptime current latest"
    " new unread messages emails mails notifications events logs log turn look check"
    " 状态 轮询 等待 进度 时间 余额 价格 收件 最新 当前 监控"
)
"""What is rightly looked at again, since it changes by itself."""
_KEPT_FOR_IT = re.compile(r"memor(?:y|ies)|to-?do|scratchpad|recall|checklist|记忆|备忘|待办", re.IGNORECASE)
"""Where an agent keeps what its context will lose: to fetch it again is what it is for."""
_PENDING = re.compile(
    r"\b(?:pending|running|in[ _-]progress|queued|waiting|not (?:yet )?(?:ready|finished|done|available)|processing"
    r"|starting|try again|retry|busy|no new)\b"
    r"|处理中|等待|进行中|排队|尚未(?:完成|就绪|结束|开始|准备|可用)|稍后|运行中",
    re.IGNORECASE,
)


def _drifts(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    if not reading.loses:
        return
    done = acted(trace)
    laid_down: dict[Conversation, tuple[Instructions, Constraints]] = {}
    calls = _Repeated(trace)
    for moment in moments(trace):
        now = moment.conversation
        if now not in laid_down:
            laid_down[now] = Instructions.of(moment, trace), Constraints(moment, trace)
        for each in laid_down[now]:
            each.follow(moment, acts=moment.request.id in done)
        calls.follow(moment)
    for both in laid_down.values():
        for each in both:
            yield from each.crossings()
    yield from calls.crossings()


# --- calls that are made again because their results are gone ---


@dataclass(eq=False, slots=True)
class _Again:
    """A call, and the same one before it."""

    call: SeenCall
    before: SeenCall
    conversation: Conversation | None = None


@dataclass(eq=False)
class _Repeated:
    """Calls of which an earlier one had brought the same, and whose context holds that no more."""

    trace: Trace
    found: dict[Conversation, list[_Again]] = field(default_factory=lambda: defaultdict(list))
    _tried: dict[Conversation, int] = field(default_factory=lambda: defaultdict(int))
    _seen: dict[str, Conversation] = field(default_factory=dict)
    """By request."""

    def follow(self, moment: Moment) -> None:
        """See whether what the next request leads to was done before, and stands there no more."""
        now = moment.conversation
        self._seen[moment.request.id] = now
        for again in self._candidates.get(moment.request.id, ()):
            before = again.before.reply
            if not moment.proves or before is None or self._seen.get(before.request) is not now:
                continue
            if self._tried[now] < _TRIED and self._was_lost(again, moment):
                self._tried[now] += 1
                if not self._stands(again, moment.chain):
                    self.found[now].append(again)

    def crossings(self) -> Iterator[Crossing]:
        for many in self.found.values():
            first = many[0]
            more = f"; so it went with {len(many) - 1} more of its calls" if len(many) > 1 else ""
            yield Crossing(
                message=f"{tool_name(first.call.tool)} was called again{_step(first.call)} as it had been"
                f"{_step(first.before)}, and the same came back: the earlier result had reached the model and stood in "
                f"the context no more{more}.",
                where=tuple(place for each in many[:_NAMED] for place in (each.call.place, each.before.place)),
                executed=ran(first.call, times=2),
            )

    def _was_lost(self, again: _Again, moment: Moment) -> bool:
        """Whether the earlier result had stood in a context, and nobody but the loop spoke since."""
        number = self._contexts.numbers[moment.request.id]
        stays = self._contexts.by_origin.get(again.before.call.observed_in, ())
        first = min((stay.first for stay in stays), default=number)
        if first >= number or any(stay.first <= number <= stay.last and _is_in(stay.line, number) for stay in stays):
            return False
        after = bisect_right(self._spoken, first)
        return after == len(self._spoken) or self._spoken[after] > number

    def _stands(self, again: _Again, chain: Chain) -> bool:
        """Whether a context says what a call had brought, word for word, in other words, or in a summary naming it."""
        result = again.before.text.strip()
        if any(result in held.text for held in chain.held):
            return True
        others = Chain(held=[held for held in chain.held if not self._is_alike(held, again.call.tool)])
        if Carrying(self.trace, [result]).stands(others):
            return True
        names = [value for value in _values(again.call) if len(value) > 2]
        return any(held.kind == "summary" and any(name in held.text for name in names) for held in others.held)

    def _is_alike(self, held: Held, tool: str) -> bool:
        """Whether an item is another result of the same tool, which is worded alike and says something else."""
        return held.kind == "tool" and self._tools.get(held.item.origin or "") == tool

    @cached_property
    def _tools(self) -> Mapping[str, str]:
        """The tool of each result, by event."""
        return {call.observed_in: call.tool for call in self.trace.calls if call.observed_in}

    @cached_property
    def _candidates(self) -> Mapping[str, Sequence[_Again]]:
        """Calls with an earlier one like them, with nothing changed in between, by the request that led to them."""
        found: dict[str, list[_Again]] = defaultdict(list)
        latest: dict[tuple[str, CallKey], SeenCall] = {}
        changed = -1
        calls = seen_calls(self.trace)
        if len(calls) == len({(seen.agent, call_key(seen.tool, seen.call.arguments)) for seen in calls}):
            return found  # nothing is called twice, and what the calls do need not be read
        for seen in calls:
            effect = effect_of(seen.tool, seen.call.arguments)
            if effect.kind != "read" or not effect.kinds <= {"read"}:
                changed = seen.position
                continue
            if seen.reply is None or seen.outcome is None or seen.inner:
                continue
            key = (seen.agent, call_key(seen.tool, seen.call.arguments))
            before = latest.get(key)
            latest[key] = seen
            if before is not None and before.position > changed and _is_same(before, seen):
                found[seen.reply.request].append(_Again(seen, before))
        return found

    @cached_property
    def _contexts(self) -> Contexts:
        return Contexts(self.trace)

    @cached_property
    def _spoken(self) -> Sequence[int]:
        """The requests, by number, in which something by the user first stood."""
        stays = self._contexts.stays
        seen: dict[str, int] = {}
        for stay in stays:
            if stay.author == "user":
                seen[stay.text] = min(stay.first, seen.get(stay.text, stay.first))
        return sorted(set(seen.values()))


def _is_in(line: Sequence[int], number: int) -> bool:
    place = bisect_left(line, number)
    return place < len(line) and line[place] == number


def _is_same(before: SeenCall, seen: SeenCall) -> bool:
    """Whether both brought the same, and that is no passing state of something that changes by itself."""
    if before.fault or seen.fault or not before.call.delivered or before.text.strip() != seen.text.strip():
        return False
    named = {*words_of(seen.tool), *effect_of(seen.tool, seen.call.arguments).programs}
    if _KEPT_FOR_IT.search(seen.tool) or _KEPT_FOR_IT.search(written(seen.call.arguments)[:_READ]):
        return False
    return len(seen.text.strip()) > _SHORT and _LIVE.isdisjoint(named) and not _PENDING.search(seen.text[:_READ])


def _values(seen: SeenCall) -> Iterator[str]:
    given = seen.call.arguments
    for value in given.values() if isinstance(given, Mapping) else (given,):
        if isinstance(value, str):
            yield value.strip()


def _step(seen: SeenCall) -> str:
    return f" in step {seen.call.step}" if seen.call.step else ""


LATE_DRIFT = Rule(
    id="late-drift",
    severity="warning",
    meaning=(
        "The context of a long task lost what had been done or laid down: a call that only reads was made again with "
        "the same arguments and brought the same, and the result that had reached the model stands in the context no "
        "more, nor does a text that tells it; or the system's first instructions, or a constraint that the user had "
        "set, stand there no more while the task goes on. Nothing is said where something "
        "was written, run or said in between, where what is read changes by itself, or where the "
        "record does not hold whole contexts. A repetition with the result in plain sight is repeat-loop."
    ),
    cause="The context was cut at its beginning, and no summary of what is done and what holds takes its place.",
    check="Look whether the context of the repeated call names what had been found; keep a list of it at its head.",
    find=_drifts,
)
