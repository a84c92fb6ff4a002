"""What was laid down at the beginning of a conversation: the system's instructions and the user's constraints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agentlab.audit.provenance.carrying import Carrying
from agentlab.audit.provenance.standing import Moment
from agentlab.audit.rules.base import Crossing
from agentlab.audit.rules.goal import place_in, step_of
from agentlab.audit.values import Where
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["Constraints", "Instructions"]

_SHOWN = 80
_MOST = 6
"""Constraints of one task that are looked for."""
_LONGEST = 1500
"""Characters of a message in which everything is its author's own; longer ones hold what was pasted."""
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+(?:\.(?=\w)[^.!?;。！？；\n]*)*")
_CONSTRAINT = re.compile(
    r"[\W\d_]{0,9}(?:(?:but|and|also|please|however|important|note|again|still)\b[\W_]{1,3}){0,3}"
    r"(?:do not|don'?t|never|only|at most|at least|no more than|under no"
    r"|you (?:must|shall|may not|should (?:never|not|only)|are not allowed))\b"
    r"|.{0,40}(?:不得|不要|不可|不许|禁止|必须|只能|只可|切勿|最多|务必)",
    re.IGNORECASE,
)
"""How a sentence begins that rules something out or requires it."""
_SPEAKS_OF_IT = re.compile(
    r"\b(?:must|never|not|don'?t|only|always|without|avoid|except|cannot|forbidden|allowed|keep|leave|exactly|limit\w*"
    r"|constrain\w*|restrict\w*|rules?|require\w*|conditions?|untouched|unchanged)\b"
    r"|[不禁勿仅只]|必须|最多|至少|务必|避免|约束|限制|规则|保持|要求|条件",
    re.IGNORECASE,
)
"""How a summary speaks that may hold a constraint in other words."""


@dataclass(eq=False, slots=True)
class Instructions:
    """The system prompts of one conversation, and whether they still stand."""

    carrying: Carrying | None
    last: Where | None = None
    place: Where | None = None
    step: str = ""

    @classmethod
    def of(cls, moment: Moment, trace: Trace) -> Instructions:
        """Those of its first request."""
        texts = [moment.chain.held[place].text for place in moment.chain.systems]
        return cls(Carrying(trace, texts) if texts else None)

    def follow(self, moment: Moment, *, acts: bool) -> None:
        """See whether they stand in the next request."""
        if self.carrying is None:
            return
        if moment.chain.systems:
            self.place = None
            self.last = place_in(moment, moment.chain.systems[0])
        elif moment.proves and self.carrying.stands(moment.chain):
            self.place = None
        elif moment.proves and acts and self.place is None:
            self.place, self.step = place_in(moment, 0), step_of(moment)

    def crossings(self) -> Iterator[Crossing]:
        if self.place is not None and self.last is not None:
            yield Crossing(
                message=f"From {self.step} on, the system's instructions stand in no context, nor does a text that "
                "says the same; it went on without them.",
                where=(self.place, self.last),
            )


@dataclass(eq=False, slots=True)
class _Constraint:
    text: str
    carrying: Carrying
    place: Where | None = None
    step: str = ""


class Constraints:
    """What the user ruled out or required in the first request of one conversation, beside the task itself.

    A constraint is gone where the task is still carried and nothing of it is: no word of it stands in a summary, and
    no summary speaks of constraints at all, in whatever words.
    """

    def __init__(self, moment: Moment, trace: Trace) -> None:
        chain = moment.chain
        said = [chain.held[place] for place in chain.spoken]
        self._said = {held.item.digest for held in said}
        self._task = Carrying(trace, [held.text for held in said])
        self._trace = trace
        self._first = moment.request
        self._spoken = [(place_in(moment, place), chain.held[place].text) for place in chain.spoken]
        self._all: Sequence[tuple[Where, _Constraint]] | None = None
        """Read when a second request is there to hold them."""
        self._is_over = not said

    def _read(self) -> Sequence[tuple[Where, _Constraint]]:
        found = ((where, each) for where, text in self._spoken for each in _constraints(text))
        return [
            (where, _Constraint(each, Carrying(self._trace, [each], in_summary=1, aside=_SPEAKS_OF_IT)))
            for where, each in islice(found, _MOST)
        ]

    def follow(self, moment: Moment, *, acts: bool) -> None:
        """See whether they stand in the next request."""
        chain = moment.chain
        if self._is_over or moment.request is self._first:
            return
        if self._all is None:
            self._all = self._read()
        if not self._all:
            return
        new = [place for place in chain.spoken if place >= chain.cut]
        if any(chain.held[place].item.digest not in self._said for place in new):
            self._is_over = True  # the user went on to something else, which may replace what was said before
            return
        if not moment.proves:
            return
        for _, constraint in self._all:
            if constraint.carrying.stands(chain):
                constraint.place = None
            elif acts and constraint.place is None and (chain.spoken or self._task.stands(chain)):
                constraint.place, constraint.step = place_in(moment, 0), step_of(moment)

    def crossings(self) -> Iterator[Crossing]:
        gone = [(where, each, each.place) for where, each in self._all or () if each.place is not None]
        if gone:
            said, first, place = gone[0]
            more = f", nor do {len(gone) - 1} more of the user's demands" if len(gone) > 1 else ""
            yield Crossing(
                message=f"From {first.step} on, the user's {shorten(first.text, _SHOWN)!r} stands in no context, nor "
                f"does a text that says the same{more}, while the task goes on.",
                where=(place, said),
            )


def _constraints(text: str) -> Iterator[str]:
    if len(text) <= _LONGEST:
        yield from (match[0].strip() for match in _SENTENCE.finditer(text) if _CONSTRAINT.match(match[0]))
