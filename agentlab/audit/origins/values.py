"""What origins are made of: one text with its author, and one place where a value stands in it."""

from __future__ import annotations

from dataclasses import dataclass

from agentlab.messages import Author

__all__ = ["Origin", "Writing"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Writing:
    """A text as its author first put it into the record."""

    number: int
    """Place among the texts of its trace, from 0, in the order of first appearance."""
    author: Author
    text: str
    event: str
    field: str
    """Of the event: `task`, `text`, `reasoning`, `result`, `error`, `reason`, `calls[N].arguments` or
    `context[N].text`."""
    position: int
    """Place of the event in its trace, from 0."""
    call: str = ""
    """Of a tool's result, the id of the call it answers; empty where it is not known."""
    tool: str = ""
    """Of a tool's result, which tool; empty where it is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a value stands in a text, and in which sentence of it."""

    writing: Writing
    start: int
    """Code points into the text as it is recorded; the end is exclusive."""
    end: int
    sentence_start: int
    sentence_end: int

    @property
    def text(self) -> str:
        """The value as it is written there."""
        return self.writing.text[self.start : self.end]

    @property
    def sentence(self) -> str:
        """The sentence as it is written there."""
        return self.writing.text[self.sentence_start : self.sentence_end]
