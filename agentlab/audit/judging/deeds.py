"""What was done before a statement was made: every call with its effect and its outcome, in order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from agentlab.audit.arguments import written
from agentlab.audit.evidence.edits import program_files, touched_files
from agentlab.audit.evidence.effects import effect_of, shell_line_of
from agentlab.audit.evidence.outcomes import outcome_of
from agentlab.audit.evidence.values import Effect, EffectKind, Outcome
from agentlab.trace.calls import CallState, TracedCall
from agentlab.trace.events import CompletionEvent, ExecutionFinished, ExecutionStarted, Observation
from agentlab.trace.model import Trace

__all__ = ["Deed", "Deeds"]

_RECENT = 60
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Deed:
    """A call that ran, or that was answered, which proves as much where executions are not recorded."""

    call: TracedCall
    at: int
    """Place of its beginning among the events."""
    done: int | None
    """Place of its result; None where there is none."""
    result: str | None
    flag: CallState
    """What the harness recorded of it, the mark on its answer included."""

    @cached_property
    def effect(self) -> Effect:
        return effect_of(self.call.tool, self.call.arguments)

    @cached_property
    def outcome(self) -> Outcome:
        return outcome_of(
            result=self.result,
            error=self.call.error,
            state=self.flag,
            tool=self.call.tool,
            arguments=self.call.arguments,
        )

    @cached_property
    def programs_changed(self) -> tuple[str, ...]:
        """The files of programs that it changes, no scratch files."""
        return program_files(touched_files(self.call.tool, self.call.arguments))

    @property
    def event(self) -> str:
        """The event that proves it."""
        return self.call.executed_in or self.call.observed_in or self.call.proposed_in or ""

    @cached_property
    def text(self) -> str:
        """Everything that was passed to it and that came back: where a name is looked for."""
        return "\n".join((self.call.tool, written(self.call.arguments), self.result or "", self.call.error or ""))

    def does(self, *kinds: EffectKind) -> bool:
        return self.effect.kind in kinds or not self.effect.kinds.isdisjoint(kinds)


class Deeds:
    """Every deed of a trace.

    Args:
        trace: of which.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def all(self) -> tuple[Deed, ...]:
        """In the order of their beginning."""
        return tuple(sorted(self._found(), key=lambda deed: deed.at))

    @property
    def recorded(self) -> bool:
        """Whether what is not among them did not happen.

        A record of all calls that were proposed says so, too: a harness runs nothing that nobody asked for.
        """
        evidence = self._trace.evidence
        return "not_recorded" not in (evidence.executions, evidence.results) or "not_recorded" not in (
            evidence.proposals,
            evidence.results,
        )

    def before(self, position: int) -> Iterator[Deed]:
        """Those whose result had come before an event, by its place, in the order of the results."""
        return islice(self._done, self._count(position))

    def recent(self, position: int) -> Sequence[Deed]:
        """The last of them: what a statement speaks of was done not long ago, and a long trace has many statements."""
        end = self._count(position)
        return self._done[max(end - _RECENT, 0) : end]

    def count(self, position: int) -> int:
        """How many results had come before an event."""
        return self._count(position)

    @property
    def offered(self) -> bool:
        """Whether the record lists tools that could have been called."""
        return bool(self._trace.started.tools)

    def hold_lately(self, text: str, position: int) -> bool:
        """Whether a text stands in one of the recent ones."""
        return any(text in deed.text for deed in reversed(self.recent(position)))

    def holding(self, text: str, position: int) -> Sequence[Deed]:
        """Those before an event in which a text stands, in what was passed or in what came back."""
        words = _WORD.findall(text.casefold())
        if not text.isascii():
            return [deed for deed in islice(self._done, self._count(position)) if _holds_name(text, deed.text)]
        if not words:
            return [deed for deed in self.recent(position) if text in deed.text]
        places = min((self._by_word.get(word, ()) for word in words), key=len)
        end = self._count(position)
        return [self._done[place] for place in places if place < end and text in self._done[place].text]

    def sharing(self, text: str, position: int) -> Sequence[Deed]:
        """Those before an event that share a word with a text, the latest of many."""
        end = self._count(position)
        words = sorted(set(_WORD.findall(text.casefold())), key=lambda word: len(self._by_word.get(word, ())))
        places = {place for word in words for place in self._by_word.get(word, ())[-_RECENT:] if place < end}
        return [self._done[place] for place in sorted(places)]

    def any_before(self, position: int, *kinds: EffectKind) -> bool:
        """Whether something of a kind that did not fail came before an event."""
        first = (self._first_of[kind] for kind in kinds if kind in self._first_of)
        return min(first, default=position) < position

    def any_tried(self, position: int, *kinds: EffectKind) -> bool:
        """Whether something of a kind came before an event, however it went."""
        first = (self._first_tried[kind] for kind in kinds if kind in self._first_tried)
        return min(first, default=position) < position

    def checks(self, position: int) -> Sequence[Deed]:
        """The checks whose results had come before an event."""
        return self._checks[: bisect_left(self._check_places, position)]

    def text_of(self, reply: CompletionEvent) -> str:
        """What a reply says."""
        return self._trace.completion_text(reply) or ""

    def _count(self, position: int) -> int:
        return bisect_left(self._places, position)

    @cached_property
    def _done(self) -> Sequence[Deed]:
        done = [deed for deed in self.all if deed.done is not None]
        return sorted(done, key=lambda deed: deed.done or 0)

    @cached_property
    def _places(self) -> Sequence[int]:
        return [deed.done or 0 for deed in self._done]

    @cached_property
    def _checks(self) -> Sequence[Deed]:
        return [deed for deed in self._done if deed.does("check") or _shows_tests(deed)]

    @cached_property
    def _check_places(self) -> Sequence[int]:
        return [deed.done or 0 for deed in self._checks]

    @cached_property
    def _first_of(self) -> Mapping[EffectKind, int]:
        """Place of the first result of each kind of deed that did not fail."""
        found: dict[EffectKind, int] = {}
        for deed in self._done:
            for kind in {deed.effect.kind, *deed.effect.kinds}.difference(found):
                if deed.outcome.status != "failed":
                    found[kind] = deed.done or 0
        return found

    @cached_property
    def _first_tried(self) -> Mapping[EffectKind, int]:
        """The same of each kind of deed, failed or not."""
        found: dict[EffectKind, int] = {}
        for deed in self._done:
            for kind in {deed.effect.kind, *deed.effect.kinds}:
                found.setdefault(kind, deed.done or 0)
        return found

    @cached_property
    def _by_word(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, deed in enumerate(self._done):
            for word in set(_WORD.findall(deed.text.casefold())):
                found[word].append(place)
        return found

    def _found(self) -> Iterator[Deed]:
        places, by_id = self._trace.positions, self._trace.by_id
        for call in self._trace.calls:
            begun = call.executed_in or call.proposed_in or call.observed_in
            if begun is None or (call.executed_in is None and call.state not in ("answered", "failed", "succeeded")):
                continue
            seen = by_id.get(call.observed_in or "")
            answer = seen.text if isinstance(seen, Observation) else None
            end = self._ends.get(call.executed_in or "") or call.observed_in
            yield Deed(
                call=call,
                at=places[begun],
                done=places[end] if end else None,
                result=call.result if call.result is not None else answer,
                flag=_flag(call, seen if isinstance(seen, Observation) else None),
            )

    @cached_property
    def _ends(self) -> Mapping[str, str]:
        """The end of each execution, both by event."""
        begun = {event.execution: event.id for event in self._trace.of(ExecutionStarted)}
        ends = self._trace.of(ExecutionFinished)
        return {begun[end.execution]: end.id for end in ends if end.execution in begun}


def _shows_tests(deed: Deed) -> bool:
    """Whether a call that may run anything printed the counts of a test runner, as a hook of `git commit` does."""
    if not deed.does("run", "unknown") and shell_line_of(deed.call.tool, deed.call.arguments) is None:
        return False
    tests = deed.outcome.tests
    return tests is not None and (deed.does("run") or bool(tests.passed or tests.broken or tests.failed == 0))


def _holds_name(name: str, text: str) -> bool:
    """Whether a text holds a Chinese name; where it begins cannot always be told from what is written before it."""
    bare = name.rpartition("/")[2]
    stem, dot, ending = bare.rpartition(".")
    if not dot or bare in text:
        return bare in text
    if f".{ending}" not in text or stem[-1:] not in text:
        return False
    return any(bare.endswith(found) for found in re.findall(rf"[\w-]+\.{re.escape(ending)}\b", text))


def _flag(call: TracedCall, seen: Observation | None) -> CallState:
    """The state of a call; of an answered one, what its answer is marked as."""
    marked = seen.extra.get("is_error") if seen is not None and call.state == "answered" else None
    return call.state if not isinstance(marked, bool) else "failed" if marked else "succeeded"
