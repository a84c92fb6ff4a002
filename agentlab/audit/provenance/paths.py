"""Provenance: who wrote a text first, and how text that the model forged came back to it, request by request.

A copy is found by the event an item came from. A harness may quote it in words of its own, and a tool may give it back,
but only what it was handed: a result that happens to say the same is a result. A foreign record may not say what
an item was made of; then the words are looked for, by who wrote them first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from agentlab.audit.arguments import written
from agentlab.audit.origins.folding import fold
from agentlab.audit.provenance.contexts import Contexts, Stay
from agentlab.audit.provenance.retelling import Copy, Retelling
from agentlab.audit.support import Support
from agentlab.audit.values import FORGED, Claim, Contamination, Entry, Where
from agentlab.markers.segments import segment
from agentlab.strictjson import StrictJSONError, dumps, loads
from agentlab.trace.events import CompletionEvent, ExecutionStarted, Observation
from agentlab.trace.model import Trace

__all__ = ["Provenance"]

_USEFUL_LENGTH = 12
"""Shorter bodies occur by chance: a copy of one is looked for in the model's own reply alone."""
_USEFUL_WORDS = 6
"""Words from which two texts do not agree by chance."""


class Provenance:
    """The ways of the texts of one trace.

    Args:
        trace: whose requests.
        ledger: what was executed.
    """

    def __init__(self, trace: Trace, ledger: Sequence[Entry]) -> None:
        self._trace = trace
        self._contexts = Contexts(trace)
        self._retelling = Retelling(trace, self._contexts)
        self._handed = [(entry.position, written(entry.arguments)) for entry in ledger]

    def is_recalled(self, claim: Claim) -> bool:
        """Whether a claim under no call says word for word what somebody else had said to the model before.

        It repeats what it was shown, in a form it may not use, and invents nothing. Its first line may be all that it
        repeats: what stands below is then the model's own comment.
        """
        if claim.kind not in FORGED or claim.about is not None or not claim.body:
            return False
        said = (claim.body, claim.body.partition("\n")[0])
        shown = [self._shown[text] for text in map(_squeezed, said) if text in self._shown]
        if not shown:  # in other quotes, escapes or forms of letters
            shown = [self._shown_folded[text] for text in map(fold, said) if text in self._shown_folded]
        return bool(shown) and min(shown) <= self._asked(claim)

    def contaminations(self, claims: Sequence[Claim], support: Support) -> Iterator[Contamination]:
        """Every forged claim that stands in a later request, with its path."""
        for claim in claims:
            copies = self._copies(claim) if claim.kind in FORGED else ()
            if copies:
                carriers = self._carriers(copies)
                origins = dict.fromkeys(copy.stay.origin for copy in copies)
                relays = tuple(origin for origin in origins if origin is not None and origin != claim.where.event)
                yield Contamination(
                    claim=claim,
                    carriers=carriers,
                    relays=relays,
                    answer=self._resting(claim, carriers[0], relays, support),
                )

    def _copies(self, claim: Claim) -> Sequence[Copy]:
        relayed = self._relayed(claim)
        return [*self._kept(claim), *(relayed or self._retelling.copies(claim))]

    @cached_property
    def _shown(self) -> Mapping[str, int]:
        """What others than the model said, blanks left out, with the number of the first request that showed it."""
        shown = {_squeezed(self._trace.started.task): 0}
        for stay in self._contexts.by_others:
            for said in map(_squeezed, _parts(stay.text)):
                shown[said] = min(shown.get(said, stay.first), stay.first)
        return shown

    @cached_property
    def _shown_folded(self) -> Mapping[str, int]:
        """The same by their words alone; texts of a few words are left out."""
        shown: dict[str, int] = {}
        for stay in self._contexts.by_others:
            for said in map(fold, _parts(stay.text)):
                if said.count(" ") > _USEFUL_WORDS:
                    shown[said] = min(shown.get(said, stay.first), stay.first)
        return shown

    @cached_property
    def _by_harness(self) -> Mapping[str, Sequence[Stay]]:
        """The harness's own words, each text once."""
        found: dict[str, list[Stay]] = defaultdict(list)
        for stay in self._contexts.by_others:
            if stay.author == "harness":
                found[stay.text].append(stay)
        return found

    @cached_property
    def _executions(self) -> Mapping[str | None, str]:
        """The `execution_started` event behind each observation, both by event id."""
        begun = {event.execution: event.id for event in self._trace.of(ExecutionStarted)}
        seen = self._trace.of(Observation)
        return {event.id: begun[event.execution] for event in seen if event.execution in begun}

    def _asked(self, claim: Claim) -> int:
        """Number of the request that the reply with this claim answers; -1 where it is not in the record."""
        reply = self._trace.by_id[claim.where.event]
        return self._contexts.numbers.get(reply.request, -1) if isinstance(reply, CompletionEvent) else -1

    def _kept(self, claim: Claim) -> Iterator[Copy]:
        """Items made of the very reply."""
        where = claim.where
        for stay in self._contexts.by_origin.get(where.event, ()):
            if stay.text[where.start : where.end] == where.text:
                yield Copy(stay, where.start, where.text)
            else:
                yield from _found(stay, (where.text, *_forms(claim.body)))

    def _relayed(self, claim: Claim) -> Sequence[Copy]:
        """Items of a harness that quote it, and of a tool that gives back what it was handed.

        None where somebody else had said the same before: then it is not the model's text that comes back.
        """
        forms = _forms(claim.body)
        asked = self._asked(claim)
        copies = [copy for stay in self._candidates(claim, forms) for copy in _found(stay, forms)]
        if copies and any(stay.first <= asked and any(_found(stay, forms)) for stay in self._contexts.by_others):
            return ()
        return copies

    def _candidates(self, claim: Claim, forms: Sequence[str]) -> Iterator[Stay]:
        for text, stays in self._by_harness.items():
            if any(form in text for form in forms):
                yield from stays
        born = self._trace.positions[claim.where.event]
        handed = [place for place, text in self._handed if place > born and any(form in text for form in forms)]
        if not handed or _repeats_arguments(claim, forms):
            return
        for stay in self._contexts.by_others:
            begun = self._executions.get(stay.origin) if stay.author == "tool" else None
            if begun is not None and self._trace.positions[begun] >= handed[0]:
                yield stay

    def _carriers(self, copies: Sequence[Copy]) -> tuple[Where, ...]:
        """The first place in each request that holds a copy, in the order of the requests."""
        found: dict[int, Where] = {}
        for copy in sorted(copies, key=lambda copy: copy.stay.place):
            field, end = f"context[{copy.stay.place}].text", copy.start + len(copy.text)
            for number in copy.stay.requests:
                if number not in found:
                    event = self._contexts.requests[number].id
                    found[number] = Where(event=event, field=field, start=copy.start, end=end, text=copy.text)
        return tuple(found[number] for number in sorted(found))

    def _resting(self, claim: Claim, first: Where, relays: Sequence[str], support: Support) -> Where | None:
        """What the answer states as the forged text does and no execution bears out."""
        answer, places = self._trace.answer, self._trace.positions
        if answer is None or not support.recorded or places[answer.id] < places[first.event]:
            return None
        return support.on_forged(answer, claim, without={self._executions.get(relay) for relay in relays})


def _found(stay: Stay, texts: Sequence[str]) -> Iterator[Copy]:
    """The first of some texts that an item holds, if any."""
    for text in texts:
        start = stay.text.find(text)
        if start >= 0:
            yield Copy(stay, start, text)
            return


def _forms(body: str) -> tuple[str, ...]:
    """How a text may be written where it is passed on: as it is, as compact JSON, and either inside a JSON string."""
    forms = [body]
    with suppress(StrictJSONError):
        forms.append(dumps(loads(body)))
    forms += [dumps(form)[1:-1] for form in forms]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= _USEFUL_LENGTH))


def _repeats_arguments(claim: Claim, forms: Sequence[str]) -> bool:
    """Whether a claimed result only says again what its call had asked for: nothing then that could travel."""
    asked_for = written(claim.arguments)
    return any(form in asked_for for form in forms)


def _parts(text: str) -> Iterator[str]:
    """A text, and what it says as a result."""
    yield text
    for part in segment(text):
        if part.kind == "observation":
            yield text[part.body_start : part.body_end]


def _squeezed(text: str) -> str:
    return "".join(text.split())
