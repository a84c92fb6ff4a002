"""Rules about going round in circles: the same call with the same result, and steps that bring nothing new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agentlab.audit.arguments import plain, written
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.evidence.faults import template
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.repeated import replies_in_circles
from agentlab.audit.rules.searching import overlap, same_searches
from agentlab.audit.rules.seen import SeenCall, ran, seen_calls
from agentlab.audit.rules.waiting import is_pause, is_waiting
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.events import Request
from agentlab.trace.formatting import shorten

__all__ = ["NO_PROGRESS", "REPEAT_LOOP"]

_FIRM = 3
"""How often the same must come back before it is called a loop."""
_SHORT_REPLY = 40
"""Longest result, in code points, that only says that something was done."""
_MOVES = re.compile(
    r"(?:^|[_.:/-])(?:scroll|press|key|page|next|prev|previous|swipe|move|step|click|tap|turn|zoom|forward|back|undo"
    r"|redo"
    r"|increment|decrement|append|type|hotkey|wait|sleep|roll|draw|spin|flip|retry|poll|random|shuffle|sample)",
    re.IGNORECASE,
)
"""Tools that are rightly called again with the same arguments, where nothing but a word comes back."""
_UNMOVED = re.compile(
    r"\bunchanged\b|\bno (?:change|effect)\b|\bnothing (?:changed|happened|to do)\b|没有变化|无变化|未改变"
)
"""A word that comes back and says that the call did nothing."""
_WATCHES = re.compile(
    r"status|state|poll|progress|wait|watch|health|job|queue|inbox|time|now|tail|monitor", re.IGNORECASE
)
_TIMES = re.compile(
    r"\b(?:(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|several|many) times|twice|thrice|\d{1,3} ?x)\b"
    r"|[两三四五六七八九十\d]\s?[次遍回]",
    re.IGNORECASE,
)
_FETCHES = re.compile(r"(?:get|fetch|read|load|view|list|search|find|show)(?:[_.:/-]|$)", re.IGNORECASE)
_STEM = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


def _repeats(reading: Reading) -> Iterator[Crossing]:
    for own in _by_agent(reading):
        failures = list(_same_errors(own))
        told = {id(each) for run in failures for each in run}
        for run in (*failures, *(run for run in _same_calls(own) if id(run[0]) not in told)):
            last = run[-1]
            if last.fault is None and len(last.text) <= _SHORT_REPLY and _wants_again(reading):
                continue
            yield Crossing(
                message=f"{tool_name(last.tool)} was called {len(run)} times with {_alike(run)} and the same "
                f"{'error' if last.fault else 'result'}: {shorten(last.text, 60)!r}.",
                where=(last.place, *(each.place for each in run[:-1])),
                executed=ran(last, times=len(run)),
                severity="note" if is_waiting(reading, [last]) else "failure" if len(run) >= _FIRM else "warning",
            )


def _wants_again(reading: Reading) -> bool:
    """Whether the user asked for something to be done more than once."""
    said = (item.text for request in reading.trace.of(Request) for item in request.items if item.author == "user")
    return _TIMES.search(reading.trace.started.task) is not None or any(text and _TIMES.search(text) for text in said)


def _by_agent(reading: Reading) -> Iterable[list[SeenCall]]:
    own: dict[str, list[SeenCall]] = {}
    for seen in seen_calls(reading.trace):
        if not seen.is_finish and not seen.inner and seen.outcome is not None:
            own.setdefault(seen.agent, []).append(seen)
    return own.values()


def _same_calls(calls: Sequence[SeenCall]) -> Iterator[list[SeenCall]]:
    """Stretches of one call after another of the same tool, the same arguments and the same result.

    A stretch that the same call ends with another result was waiting for it. Two are enough where they failed.
    """
    for start, end in _stretches([_key(each) for each in calls]):
        run = list(calls[start:end])
        last = run[-1]
        if last.fault is None or last.fault.kind == "service":
            after = calls[end] if end < len(calls) else None
            if len(run) < _FIRM or (after is not None and _key(after)[:2] == _key(last)[:2]) or _may_repeat(last):
                continue
        elif len(run) >= _FIRM:
            continue  # a run of errors, told below
        yield run


def _same_errors(calls: Sequence[SeenCall]) -> Iterator[list[SeenCall]]:
    """Failures of one tool with the same error and nearly the same arguments, with no success of it in between."""
    open_runs: dict[str, list[SeenCall]] = {}
    for seen in calls:
        run = open_runs.get(seen.tool, [])
        if run and (seen.fault is None or not _is_same_failure(run[-1], seen)):
            if len(run) >= _FIRM:
                yield run
            run = []
        if seen.fault is not None:
            run = [*run, seen] if len(run) < 2 else _grown(run, seen)
        open_runs[seen.tool] = run
    yield from (run for run in open_runs.values() if len(run) >= _FIRM)


def _grown(run: list[SeenCall], seen: SeenCall) -> list[SeenCall]:
    run.append(seen)
    return run


def _is_same_failure(one: SeenCall, other: SeenCall) -> bool:
    if template(one.text) != template(other.text):
        return False
    if _essential(one.call.arguments) == _essential(other.call.arguments):
        return True
    words, others = _words(one), _words(other)  # other spellings of the same wrong arguments
    refused = one.fault is not None and one.fault.kind == "arguments"
    return refused and (words == others or overlap(words, others) >= 0.75)


def _stretches(keys: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Begin and end of each stretch of two or more equal keys."""
    start = 0
    for place in range(1, len(keys) + 1):
        if place == len(keys) or keys[place] != keys[start]:
            if place - start >= 2:
                yield start, place
            start = place


def _may_repeat(seen: SeenCall) -> bool:
    """Whether calling it again with the same arguments can do something, though no more than a word comes back."""
    if is_pause(seen):
        return True
    if len(seen.text) > _SHORT_REPLY or _UNMOVED.search(seen.text.casefold()):
        return False
    return _MOVES.search(seen.tool) is not None and _FETCHES.match(seen.tool) is None


def _key(seen: SeenCall) -> tuple[str, str, str]:
    """Tool, arguments that matter, and result; what only counts up in them is left out."""
    return seen.tool, _essential(seen.call.arguments), template(seen.text) if seen.fault else seen.text.strip()


_COSMETIC = re.compile(
    r"label|description|desc|comment|reason|reasoning|thought|thoughts|explanation|request_?id|call_?id|trace_?id|nonce|seq"
    r"|sequence|attempt|attempt_?(?:no|number)|try|retry|retries|timestamp|uuid",
    re.IGNORECASE,
)
_COUNTER = re.compile(
    r"step|step_?(?:no|number|id)|iteration|turn|round|run|run_?(?:id|no)|count|counter|n", re.IGNORECASE
)
_TELLING = re.compile(
    r"cmd|command|code|script|sql|query|q|question|url|uri|path|file|file_?(?:name|path)|pattern", re.IGNORECASE
)
"""What a call is about; beside it a counter changes nothing."""


def _essential(arguments: Mapping[str, JSONValue] | str | None) -> str:
    """The arguments as text; of labels and counters beside others only the letters are kept."""
    value = plain(arguments)
    if not isinstance(value, dict):
        return value or ""
    told = any(_TELLING.fullmatch(name) for name in value)
    aside = {name for name in value if _COSMETIC.fullmatch(name) or (told and _COUNTER.fullmatch(name))}
    if len(aside) == len(value):
        aside = set()
    return dumps(
        {name: _STEM.sub("", str(each)) if name in aside else each for name, each in value.items()}, sort_keys=True
    )


# --- no-progress ---


def _standing_still(reading: Reading) -> Iterator[Crossing]:
    yield from replies_in_circles(reading.trace)
    for own in _by_agent(reading):
        yield from _cycles(reading, own)
        yield from same_searches(own)


def _cycles(reading: Reading, calls: Sequence[SeenCall]) -> Iterator[Crossing]:
    """Two or three different calls, over and over, each with the same result every time."""
    keys = [_key(each) for each in calls]
    place = 0
    while place < len(keys):
        for period in (2, 3):
            turns = _turns(keys, place, period)
            if turns >= 2 and _is_idle(calls[place : place + period], turns):
                run = calls[place : place + turns * period]
                names = ", ".join(tool_name(each.tool) for each in run[:period])
                yield Crossing(
                    message=f"The calls of {names} took turns {turns} times, each with the same arguments and result.",
                    where=(run[-1].place, *(each.place for each in run[:-1])),
                    executed=ran(run[-1], times=turns),
                    severity="note"
                    if is_waiting(reading, run[:period])
                    else "failure"
                    if turns >= _FIRM
                    else "warning",
                )
                place += turns * period - 1
                break
        place += 1


def _is_idle(calls: Sequence[SeenCall], turns: int) -> bool:
    """Whether going round brings nothing: something longer than a word comes back, or only reads take turns."""
    if any(each.fault or len(each.text) > _SHORT_REPLY for each in calls):
        return True
    reads = (
        effect_of(each.tool, each.call.arguments).kind == "read" and not _WATCHES.search(each.tool) for each in calls
    )
    return turns > _FIRM and all(reads)


def _turns(keys: Sequence[object], place: int, period: int) -> int:
    """How often the `period` keys from a place follow each other; 1 where they are not all different."""
    first = keys[place : place + period]
    if len(set(first)) < period:
        return 1
    turns = 1
    while keys[place + turns * period : place + (turns + 1) * period] == first:
        turns += 1
    return turns


def _words(seen: SeenCall) -> frozenset[str]:
    """The words of the arguments' values."""
    value = plain(seen.call.arguments)
    said = (
        " ".join(each if isinstance(each, str) else dumps(each) for each in value.values())
        if isinstance(value, dict)
        else value
    )
    return frozenset(word.casefold() for word in _WORD.findall((said or "")[:2000]))


def _alike(run: Sequence[SeenCall]) -> str:
    forms = Counter(written(each.call.arguments) for each in run)
    return "the same arguments" if len(forms) == 1 else "arguments that hardly differ"


REPEAT_LOOP = Rule(
    id="repeat-loop",
    severity="failure",
    meaning=(
        "The same tool was called again and again with the same arguments, labels and counters aside, and the same "
        "came back: three times in a row, or three failures with the same error, or an identical failure tried at once "
        "again (a warning). A call that is repeated until its result changes is waiting; one whose result says that "
        "something goes on, between pauses, or that was asked for, is a note; a key pressed again, a page "
        "turned and a pause are no loop where only a word comes back; nor is a retry after a network fault."
    ),
    cause="Nothing in the context tells the model that it has done this before, or it cannot see why it failed.",
    check="Compare the arguments and results of the calls; does the model's own text take notice of the last one?",
    find=_repeats,
)

NO_PROGRESS = Rule(
    id="no-progress",
    severity="warning",
    meaning=(
        "Steps that bring nothing new: empty replies in a row, the same reply to the same complaint, calls that take "
        "turns "
        "with the same results, and searches that ask for nearly the same over and over."
    ),
    cause="The loop has no stop for steps that change nothing.",
    check="Look at what each step added to the context.",
    find=_standing_still,
)
