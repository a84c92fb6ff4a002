"""Finds the traces that paths stand for: which files there are, and which format each is of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded
from agentlab.formats.catalogue import all_formats, claimants
from agentlab.formats.completion import COMPLETION, is_recording, may_be_reply
from agentlab.formats.files.collecting import uncollected
from agentlab.formats.files.head import ZIP, Head
from agentlab.formats.files.source import HEAD, Source
from agentlab.formats.files.walking import walk
from agentlab.formats.shapes.fields import kind_of
from agentlab.trace.formatting import shorten

__all__ = ["Found", "Survey", "survey"]

_MORE = 1 << 24
"""Bytes that are looked at where the first ones say nothing: a document may begin with one long field."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A file, or what stands for one, and its format."""

    source: Source
    format: Format

    def load(self) -> Iterator[Loaded]:
        """Its traces, one by one, and an error for each part that cannot be read; nothing is raised."""
        traces = self.format.load(self.source)
        while True:
            with uncollected():
                try:
                    found = next(traces, None)
                except LoadError as error:
                    found = error
            if found is None:
                return
            yield found


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What paths stand for, each file once."""

    found: tuple[Found, ...]
    skipped: tuple[str, ...]
    """Files in folders and archives that no format claims."""
    unreadable: tuple[LoadError, ...]

    def load(self) -> Iterator[Loaded]:
        """Every trace, and every error."""
        yield from self.unreadable
        for each in self.found:
            yield from each.load()


def survey(
    paths: Sequence[str], *, format: Format | None = None, progress: Callable[[int], None] | None = None
) -> Survey:
    """Find the traces below some paths.

    Args:
        paths: files, folders, patterns, urls.
        format: what every file is taken for; by default each file's own first bytes decide.
        progress: told after each file how many were looked at.
    """
    found = _Finder(format)
    every = ((path, walked) for path in paths for walked in walk(path))
    for number, (given, walked) in enumerate(every, 1):
        if isinstance(walked, LoadError):
            found.refuse(walked)
        else:
            found.add(walked, named=walked.path == given)
        if progress:
            progress(number)
    return found.survey()


@dataclass
class _Finder:
    """What was found so far, by resolved path."""

    format: Format | None
    found: dict[str, Found] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, LoadError] = field(default_factory=dict)
    _folders: dict[Path, bool] = field(default_factory=dict)
    """Folders looked at, and whether their files are together one record."""

    def survey(self) -> Survey:
        return Survey(
            found=tuple(each for name, each in self.found.items() if name not in self.unreadable),
            skipped=tuple(
                path for name, path in self.skipped.items() if name not in self.unreadable and name not in self.found
            ),
            unreadable=tuple(self.unreadable.values()),
        )

    def refuse(self, error: LoadError) -> None:
        self.unreadable.setdefault(_resolved(error.path), error)

    def add(self, source: Source, *, named: bool) -> None:
        """Sort a file in; one that no format claims is skipped.

        Where somebody named it, it is a model's reply if it is plain text, and refused if it is not.
        """
        name = _resolved(source.path)
        if name in self.unreadable or name in self.found or self._in_record(source, named=named):
            return
        try:
            self._sort(source, name, named=named)
        except LoadError as error:
            self.refuse(error)

    def _sort(self, source: Source, name: str, *, named: bool) -> None:
        if self.format is not None and not source.is_zip():
            self.found[name] = Found(source=source, format=self.format)
            return
        head, claims = _recognise(source, self.format)
        if claims:
            self.found[name] = Found(source=source, format=claims[0])
        elif head.members:
            for member in source.members():
                if isinstance(member, LoadError):
                    self.refuse(member)
                else:
                    self.add(member, named=False)
        elif named and may_be_reply(head):
            self.found[name] = Found(source=source, format=COMPLETION)
        elif named:
            self.refuse(LoadError(source.path, _unclaimed(head)))
        else:
            self.skipped[name] = source.path

    def _in_record(self, source: Source, *, named: bool) -> bool:
        """Whether a file is part of a folder that is one record, which is then added instead."""
        file = Path(source.path)
        if named or not _NUMBERED.match(file.name) or "://" in source.path or "!" in source.path:
            return False
        if file.parent not in self._folders:
            joined = _joined(file.parent, [self.format] if self.format else all_formats())
            self._folders[file.parent] = joined is not None
            if joined:
                self.found[_resolved(str(file.parent))] = joined
        return self._folders[file.parent]


_NUMBERED = re.compile(r"\d{1,9}\.json\Z")


def _joined(folder: Path, forms: Sequence[Format]) -> Found | None:
    """A folder whose numbered files are the events of one attempt in one of some formats, as one source."""
    forms = [form for form in forms if form.folder]
    if not forms:
        return None
    names = sorted(
        (path.name for path in folder.iterdir() if _NUMBERED.match(path.name)), key=lambda name: int(name[:-5])
    )
    whole = Source.joined(str(folder), [Source.at(folder / name) for name in names])
    try:
        head = Head(whole.head(HEAD), whole=False)
    except LoadError:
        return None
    fitting = next((form for form in forms if form.folder and form.folder(head)), None)
    return Found(source=whole, format=fitting) if fitting else None


def _recognise(source: Source, known: Format | None) -> tuple[Head, tuple[Format, ...]]:
    """What a file begins with, and the formats that claim it, of which there is one at most where it is known."""
    data = source.head(HEAD + 1)
    members: tuple[str, ...] = ()
    if data.startswith(ZIP):
        with source.archive() as archive:
            members = tuple(archive.names)
    head = Head(data[:HEAD], whole=len(data) <= HEAD, members=members)
    if known:
        return head, (known,) if known.sniff(head) else ()
    claims = claimants(head)
    if claims or head.whole or members or not head.values:
        return head, claims
    data = source.head(_MORE)
    head = Head(data, whole=len(data) < _MORE)
    return head, claimants(head)


def _unclaimed(head: Head) -> str:
    if not head.data:
        return "a trace was expected, and the file is empty (0 bytes)"
    if is_recording(head):
        return (
            "this is a recording of HTTP requests in YAML, as tests replay them, and no format reads those; "
            "the messages in its request bodies can be read when saved as JSON"
        )
    what = "text" if head.data.isascii() or "\ufffd" not in head.text[:1000] else "no text"
    if head.objects:
        fields = ", ".join(list(head.objects[0])[:8])
        what = f"JSON; its first object has the fields {shorten(fields, 160)}" if fields else "JSON: an empty object"
    elif head.values:
        what = f"JSON: {kind_of(head.first)}"
    return f"no format claims this file; it holds {what}. `agentlab formats` lists what can be read."


def _resolved(path: str) -> str:
    return path if "://" in path or "!" in path or "\0" in path else str(Path(path).resolve())
