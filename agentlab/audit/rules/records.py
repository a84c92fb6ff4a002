"""What replies state of counts and fields, held against the JSON that tools returned."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.audit.claims.saying import is_its_own, texts_of
from agentlab.audit.judging.records import Misfit, misfits, speaks_of_records
from agentlab.audit.prose.hedges import conditional, hedged
from agentlab.audit.prose.sentences import sentences
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.rules.misfits import misfit_crossing
from agentlab.trace.events import CompletionEvent

__all__ = ["contradicted_records"]


def contradicted_records(reading: Reading) -> Iterator[Crossing]:
    """Counts, denied fields and field values that a JSON result says otherwise."""
    if not reading.tells_deeds or not any((deed.result or "").lstrip()[:1] in ("{", "[") for deed in reading.deeds.all):
        return
    for reply in reading.trace.of(CompletionEvent):
        if is_its_own(reply):
            for field, text in texts_of(reading.trace, reply):
                for misfit in _misfits(reading, reply, text):
                    yield misfit_crossing(misfit, reply.id, field, text)


def _misfits(reading: Reading, reply: CompletionEvent, text: str) -> Iterator[Misfit]:
    if not speaks_of_records(text.lower().replace("*", " ")):
        return
    plain = reading.plain(text)
    position = reading.trace.positions[reply.id]
    for sentence in sentences(plain):
        for misfit in () if sentence.question else misfits(text, plain, *sentence[:2], position, reading.deeds):
            taken_back = conditional(plain, sentence.start, misfit.start) or hedged(
                plain, sentence.start, misfit.start, timed=False
            )
            if not taken_back:
                yield misfit
