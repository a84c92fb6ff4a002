"""Finds the traces that paths stand for: which files there are, and which format each is of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded
from agentlab.formats.catalogue import all_formats, claimants
from agentlab.formats.completion import COMPLETION, is_recording, may_be_reply
from agentlab.formats.files.collecting import uncollected
from agentlab.formats.files.head import ZIP, Head
from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.formats.files.layout import BLANK, no_text, wide_text
from agentlab.formats.files.paths import as_local, is_url, kept, printable, resolved
from agentlab.formats.files.source import HEAD, Source
from agentlab.formats.files.walking import walk
from agentlab.formats.listed import in_list
from agentlab.formats.shapes.fields import kind_of
from agentlab.trace.formatting import shorten

__all__ = ["Found", "Survey", "survey"]

_NO_MEMORY = "the memory ran out while it was read; it may be read where more memory is free"
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
        while (found := self._next(traces)) is not None:
            yield kept(found) if isinstance(found, LoadError) else found

    def _next(self, traces: Iterator[Loaded]) -> Loaded | None:
        with uncollected():
            try:
                return next(traces, None)
            except LoadError as error:
                return error
            except MemoryError:
                pass  # until here the traceback holds all that was read
        return LoadError(self.source.path, _NO_MEMORY)


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What paths stand for, each file once."""

    found: tuple[Found, ...]
    skipped: tuple[str, ...]
    """Files in folders and archives that no format claims and that are something else, such as a text or a picture."""
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
            found.add(walked, named=walked.path == printable(as_local(given)))
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
    _folders: dict[str, bool] = field(default_factory=dict)
    """Folders looked at, and whether their files are together one record."""
    _inside: int = 0
    """Members of the outermost archive that is looked into, and of those in it."""

    def survey(self) -> Survey:
        return Survey(
            found=tuple(each for name, each in self.found.items() if name not in self.unreadable),
            skipped=tuple(
                path for name, path in self.skipped.items() if name not in self.unreadable and name not in self.found
            ),
            unreadable=tuple(self.unreadable.values()),
        )

    def refuse(self, error: LoadError, name: str = "") -> None:
        """Note what cannot be read; `name` is what it is known by where it is no local file."""
        self.unreadable.setdefault(name or (error.path if is_url(error.path) else resolved(error.path)), kept(error))

    def add(self, source: Source, *, named: bool) -> None:
        """Sort a file in.

        One that no format claims is refused where it is data that cannot be read (compressed data that are damaged,
        JSON that is cut, broken or in UTF-16), because it may be a trace. All else is skipped, an empty file too, but
        where somebody named it: then it is a model's reply if it is plain text, and refused if it is not.
        """
        name = resolved(source.file) if source.file else source.path
        if name in self.unreadable or name in self.found or self._in_record(source, named=named):
            return
        try:
            self._sort(source, name, named=named)
            return
        except LoadError as error:
            self.refuse(error, name)
            return
        except MemoryError:
            pass  # until here the traceback holds all that was read
        self.refuse(LoadError(source.path, _NO_MEMORY), name)

    def _sort(self, source: Source, name: str, *, named: bool) -> None:
        if self.format is not None and not source.is_zip():
            self.found[name] = Found(source=source, format=_as_it_stands(self.format, source))
            return
        seen = _recognise(source, self.format)
        if seen.claims:
            self.found[name] = Found(source=source, format=seen.claims[0])
        elif seen.head.members:
            self._look_into(source)
        elif problem := _unreadable(seen) or _misnamed(source, seen.head):
            self.refuse(LoadError(source.path, problem), name)
        elif named and may_be_reply(seen.head):
            self.found[name] = Found(source=source, format=COMPLETION)
        elif named:
            self.refuse(LoadError(source.path, _unclaimed(seen.head)), name)
        else:
            self.skipped[name] = source.path

    def _look_into(self, archive: Source) -> None:
        members = archive.members()
        self._inside = len(members) + (self._inside if archive.depth else 0)
        if self._inside > (most := archive.limits.max_members):
            raise LoadError(archive.path, f"with the archives in it, the outermost one has more than {most} members")
        for member in members:
            if isinstance(member, LoadError):
                self.refuse(member, f"{member.path}\n{member.problem}")  # an archive may have several
            else:
                self.add(member, named=False)

    def _in_record(self, source: Source, *, named: bool) -> bool:
        """Whether a file is part of a folder that is one record, which is then added instead."""
        folder, file = os.path.split(source.file)
        if named or not _NUMBERED.match(file):
            return False
        if folder not in self._folders:
            joined = _joined(folder, [self.format] if self.format else all_formats())
            self._folders[folder] = joined is not None
            if joined:
                self.found[resolved(folder)] = joined
        return self._folders[folder]


_NUMBERED = re.compile(r"\d{1,9}\.json\Z")


def _joined(folder: str, forms: Sequence[Format]) -> Found | None:
    """A folder whose numbered files are the events of one attempt in one of some formats, as one source."""
    forms = [form for form in forms if form.folder]
    if not forms:
        return None
    with os.scandir(folder or os.curdir) as entries:
        names = sorted((each.name for each in entries if _NUMBERED.match(each.name)), key=lambda name: int(name[:-5]))
    parts = [Source.at(os.path.join(folder, name)) for name in names]  # noqa: PTH118
    head = Head(_beginning(parts), whole=False)
    fitting = next((form for form in forms if form.folder and form.folder(head)), None)
    return Found(source=Source.joined(folder, parts), format=fitting) if fitting else None


def _beginning(parts: Sequence[Source]) -> bytes:
    """The first bytes of files that follow each other, each on lines of its own; what cannot be read is missing."""
    data = b""
    for part in parts:
        try:
            data += part.head(HEAD - len(data)) + b"\n"
        except LoadError:
            continue
        if len(data) >= HEAD:
            break
    return data[:HEAD]


def _as_it_stands(form: Format, source: Source) -> Format:
    """A format that a person named, as it stands in a file: as such, or in a list of its records."""
    data = source.head(HEAD + 1)
    head = Head(data[:HEAD], whole=len(data) <= HEAD)
    in_rows = not form.sniff(head) and head.rows is not None and form.sniff(head.rows)
    return in_list(form) if in_rows else form


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What a file begins with."""

    head: Head
    claims: tuple[Format, ...]
    """The formats that claim it, of which there is one at most where it is known."""
    damage: LoadError | None
    """Why no more of it could be read, though more was asked for."""


def _recognise(source: Source, known: Format | None) -> _Seen:
    data, damage = source.beginning(HEAD + 1)
    members: tuple[str, ...] = ()
    if data.startswith(ZIP):
        with source.archive() as archive:
            members = tuple(archive.names)
    head = Head(data[:HEAD], whole=len(data) <= HEAD, members=members)
    if known:
        return _Seen(head=head, claims=(known,) if known.sniff(head) else (), damage=damage)
    claims = claimants(head)
    if (claims and not (claims[0].general and head.cut)) or head.whole or members or not head.begins_as_json:
        return _Seen(head=head, claims=claims, damage=damage)
    data, damage = source.beginning(_MORE)
    head = Head(data, whole=len(data) < _MORE)
    return _Seen(head=head, claims=claimants(head), damage=damage)


def _unreadable(seen: _Seen) -> str:
    """What is wrong with a file that is plainly data, whoever wrote it; empty where it is something else."""
    if seen.damage:
        return seen.damage.problem
    if Head(wide_text(seen.head.data).encode()).begins_as_json:
        return f"a trace was expected, and the file is {no_text(seen.head.data)}"
    error = _fault(seen.head) if seen.head.begins_as_json and not no_text(seen.head.data) else None
    return f"a trace was expected, and {error}" if error else ""


def _misnamed(source: Source, head: Head) -> str:
    """What is wrong with a file that is named as a compressed one and is none; an empty file is only empty."""
    ending = source.misnamed() if head.data else ""
    return (
        f"its name ends in {ending!r}, and it holds no data of that compression; {_held(head)} was found"
        if ending
        else ""
    )


def _unclaimed(head: Head) -> str:
    if not head.data:
        return "a trace was expected, and the file is empty (0 bytes)"
    if is_recording(head):
        return (
            "this is a recording of HTTP requests in YAML, as tests replay them, and no format reads those; "
            "the messages in its request bodies can be read when saved as JSON"
        )
    if problem := no_text(head.data):
        return f"no format claims this file; it is {problem}"
    return f"no format claims this file; it holds {_held(head)}. `agentlab formats` lists what can be read."


def _fault(head: Head) -> str | None:
    """Why what begins as JSON is none as far as it is seen; None where nothing is wrong with it."""
    try:
        parse(head.data.strip(BLANK), non_finite=True)
    except JSONError as error:
        if error.trouble == "cut":
            return f"the file was cut short: {error}" if head.whole else None
        return None if error.trouble == "twice" or (head.values and not head.cut) else f"this is not JSON: {error}"
    return None


def _held(head: Head) -> str:
    if head.objects:
        fields = ", ".join(list(head.objects[0])[:8])
        return f"JSON; its first object has the fields {shorten(fields, 160)}" if fields else "JSON: an empty object"
    if head.is_json or (head.values and _fault(head) is None):
        return f"JSON: {kind_of(head.first)}"
    if not head.data.strip():
        return "white space only"
    return "text" if head.data.isascii() or "\ufffd" not in head.text[:1000] else "no text in UTF-8"
