"""The instruction that a value in a tool's result belongs to, where it belongs to one."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.audit.origins.commands import commands, orders
from agentlab.audit.origins.folding import Plain
from agentlab.audit.origins.readers import Reader, reader_of
from agentlab.audit.origins.sentences import passage_around, sentence_around, sentence_before
from agentlab.audit.origins.values import Writing

__all__ = ["Instruction", "instruction_at"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Instruction:
    """A sentence of a result that tells its reader to do something, or is announced by one."""

    writing: Writing
    reader: Reader
    start: int
    """Code points into the text as it is recorded; the end is exclusive."""
    end: int
    sentence: str
    """On one line."""

    @property
    def weight(self) -> int:
        """The more, the plainer it speaks to a model."""
        return ("", "model", "orders").index(self.reader)


def instruction_at(
    writing: Writing, plain: Plain, start: int, end: int, *, unaddressed: bool = True
) -> Instruction | None:
    """The instruction that a stretch of a result belongs to; None where it is data.

    Args:
        writing: the result.
        plain: the same as a reader means it.
        start: of the stretch, in `plain.text`; the end is exclusive.
        end: see `start`.
        unaddressed: whether an order that names no reader is one too.
    """
    text = plain.text
    begin, close = sentence_around(text, start, end)
    first, last = passage_around(text, begin, close)
    sentence, passage = text[begin:close], text[first:last]
    reader = reader_of(passage)
    if not (_is_commanded(text, (begin, close), first) if reader else unaddressed and orders(sentence)):
        return None
    return Instruction(
        writing=writing,
        reader=reader,
        start=plain.recorded(begin),
        end=plain.recorded(close),
        sentence=" ".join(sentence.split()),
    )


def _is_commanded(text: str, sentence: tuple[int, int], first: int) -> bool:
    """Whether a sentence commands, or is announced by one that does; one that only stands beside it is data."""
    begin, close = sentence
    if commands(text[begin:close]):
        return True
    before = sentence_before(text, begin)
    said = text[before[0] : before[1]]
    return first <= before[0] and said.endswith((":", "：")) and commands(said)
