"""Our own journals: JSON lines of events, one attempt behind the other.

A run's journal has its rejected texts in the folder `quarantine` of its run; a file of journals that `agentlab convert`
wrote has them in a folder of its own name and `.quarantine`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.layout import BLANK, BOM
from agentlab.formats.files.source import Source, split_lines
from agentlab.trace.codec import JOURNAL_SCHEMA, decode
from agentlab.trace.events import AttemptStarted, Event
from agentlab.trace.model import Trace
from agentlab.trace.quarantine_reader import EMPTY, FolderTexts, QuarantineReader

__all__ = ["JOURNAL", "quarantine_of"]


def quarantine_of(source: Source) -> QuarantineReader:
    """The rejected texts of a journal; none for one that is no local file."""
    if not source.file:
        return EMPTY
    own = Path(f"{source.file}.quarantine")
    return FolderTexts(own if own.is_dir() else Path(source.file).parent.parent / "quarantine")


def _load(source: Source) -> Iterator[Loaded]:
    """Each attempt; a line that is no event costs the attempt it stands in, and what follows is read on."""
    texts = quarantine_of(source)
    attempt = _Attempt(source.path, texts)
    with source.open() as stream:
        for number, found, ended in split_lines(stream, source.path, source.limits.max_line):
            line = found.removeprefix(BOM) if isinstance(found, bytes) and number == 1 else found
            if attempt.is_new and isinstance(line, bytes) and not line.strip(BLANK):
                continue  # before the first event only: a blank line in a record is a hole in it
            event = _event(source.path, number, line) if ended else None
            if event is None:
                attempt.defect = (
                    f"the last line was cut short after {len(line) if isinstance(line, bytes) else 0} bytes"
                )
            elif isinstance(event, AttemptStarted):
                yield from attempt.finished()
                attempt = _Attempt(source.path, texts, number)
            attempt.take(event)
    yield from attempt.finished()


def _event(path: str, number: int, line: bytes | LoadError) -> Event | LoadError:
    if isinstance(line, LoadError):
        return line
    try:
        event = decode(line)
    except ValueError as error:
        return LoadError(path, f"line {number} {error}")
    if isinstance(event, AttemptStarted) and event.schema != JOURNAL_SCHEMA:
        return LoadError(path, f"line {number} schema: only {JOURNAL_SCHEMA!r} can be read")
    return event


class _Attempt:
    """The events of one attempt as they are read."""

    def __init__(self, path: str, texts: QuarantineReader, line: int = 1) -> None:
        self.defect = ""
        self._path, self._texts, self._line = path, texts, line
        self._events: list[Event] = []
        self._error: LoadError | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing of it was read yet."""
        return not self._events and self._error is None

    def take(self, event: Event | LoadError | None) -> None:
        """Add what a line holds; the first error counts."""
        if isinstance(event, LoadError):
            self._error = self._error or event
        elif event is not None:
            self._events.append(event)

    def finished(self) -> Iterator[Loaded]:
        """The trace, or why there is none; nothing where there was nothing."""
        if self._error:
            yield self._error
        elif not self._events and self.defect:
            yield LoadError(self._path, f"the journal ends inside its first event: {self.defect}")
        elif self._events:
            try:
                yield Trace(events=tuple(self._events), quarantine=self._texts, path=self._path, damage=self.defect)
            except ValueError as error:
                problem = f"the attempt that begins on line {self._line} cannot be one record: {error}"
                yield LoadError(self._path, problem)


def _sniff(head: Head) -> bool:
    first = head.first
    begins = head.data.removeprefix(BOM).lstrip(BLANK)[:60].replace(b" ", b"")
    return (isinstance(first, dict) and first.get("type") == "attempt_started") or begins.startswith(
        b'{"type":"attempt_started",'
    )


JOURNAL = Format(
    name="agentlab",
    sentence="The journal of agentlab's own harness: every request, reply, execution and refusal, with who wrote what.",
    url="https://www.jsonlines.org",
    proofs=Proofs(
        proposals="present", executions="present", results="present", errors="present", times="present", usage="depends"
    ),
    sniff=_sniff,
    load=_load,
)
