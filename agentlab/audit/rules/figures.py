"""What replies to the user give as figures, held against the figures that results give."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlab.audit.claims.saying import is_its_own
from agentlab.audit.judging.barelists import misgiven_entries, sole_list
from agentlab.audit.judging.figures import misfigured
from agentlab.audit.judging.hits import miscounted_hits, speaks_of_hits
from agentlab.audit.judging.known import Known
from agentlab.audit.judging.listing import cut_off, made_up, speaks_of_parts
from agentlab.audit.judging.records import Misfit
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.rules.misfits import misfit_crossing
from agentlab.trace.events import CompletionEvent

__all__ = ["contradicted_figures"]

_FIGURE = re.compile(
    r"\d|\b(?:no|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+ty)\b|匹配|[,、]|:\n", re.IGNORECASE
)


def contradicted_figures(reading: Reading) -> Iterator[Crossing]:
    """Figures that the only result which names their subject gives otherwise."""
    if not reading.tells_deeds:
        return
    for reply in reading.trace.of(CompletionEvent):
        text = reading.trace.completion_text(reply) or "" if is_its_own(reply) and not reply.calls else ""
        if not text or not _FIGURE.search(text):
            continue
        known = reading.shelf.before(reading.trace.positions[reply.id])
        seen = set[str]()
        for misfit in _misfits(reading, text, known):
            said = text[misfit.start : misfit.end]
            if said not in seen:
                seen.add(said)
                yield misfit_crossing(misfit, reply.id, "text", text)


def _misfits(reading: Reading, text: str, known: Known) -> Iterator[Misfit]:
    """All that is held against results; masking a text is dear, so each first says whether it may concern it."""
    if not known.deeds:
        return
    concerned, hits, parts = known.may_concern(text), speaks_of_hits(text), speaks_of_parts(text)
    listed = sole_list(known) is not None
    if concerned or hits or parts or listed:
        plain = reading.plain(text)
        yield from misfigured(plain, known) if concerned else ()
        yield from miscounted_hits(plain, known) if hits else ()
        yield from misgiven_entries(text, plain, known) if listed else ()
        yield from cut_off(plain, known) if parts else ()
        yield from made_up(text, plain, known) if parts else ()
