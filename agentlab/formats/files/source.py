"""Where bytes come from: files, urls and members of zip archives, decompressed, within limits.

Compression is known by the first bytes and never by a file's name. Whatever cannot be read is one `LoadError`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, Final, Self, cast

from agentlab.errors import LoadError
from agentlab.formats.files.compressed import CHUNK, MAGIC_LENGTH, Limits, Metered, codec_of, told, unpacked
from agentlab.formats.files.opening import open_local, open_url
from agentlab.formats.files.paths import as_local, is_url, kept, printable
from agentlab.formats.files.zipped import Archive, Idle, Owner, Stored

__all__ = ["HEAD", "Limits", "Line", "Source", "split_lines"]

HEAD: Final = 1 << 16
"""Bytes that are enough to recognise a format: the first records of every log we know fit."""

_MAX_LAYERS: Final = 2
"""Compressions inside each other: a log compressed by its writer, and again by whoever stored it."""
_MAX_ARCHIVES: Final = 2
"""Archives inside each other: logs that are archives themselves, or were sent as one, in one."""
_IDLE: Final = Idle()
_LINES: Final = 1 << 20
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"

Line = tuple[int, bytes | LoadError, bool]
"""A line's number from 1, its bytes or why there are none, and whether a line break ends it."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Something that can be read, any number of times; nothing is opened before it is."""

    path: str
    """As the person named it, made printable; a member of a zip archive is `logs.zip!inner/a.json`."""
    file: str = field(default="", repr=False)
    """The local file as the system names it; empty where it is none, such as a url, a member or a folder."""
    parts: tuple[Source, ...] = field(default=(), repr=False)
    """The files of a folder that is one record, in order; whoever reads it reads these."""
    depth: int = field(default=0, repr=False)
    """Archives that it lies in."""
    limits: Limits = field(default_factory=Limits)
    _stored: Stored | None = field(default=None, repr=False)
    """How the archive holds it that it lies in."""
    _raw: Callable[[], BinaryIO] = field(repr=False, compare=False)
    """Opens the stored bytes, or raises LoadError."""

    @classmethod
    def at(cls, path: str | os.PathLike[str], *, limits: Limits | None = None) -> Self:
        """The source at a local path, as which a `file://` url counts, or at another url that fsspec understands."""
        name = as_local(os.fspath(path))
        if is_url(name):
            return cls(path=printable(name), limits=limits or Limits(), _raw=partial(open_url, name))
        return cls(path=printable(name), file=name, limits=limits or Limits(), _raw=partial(open_local, name))

    @classmethod
    def joined(cls, path: str, parts: Sequence[Source]) -> Source:
        """Files that are one record as one source with this path, which has no bytes of its own."""
        return cls(path=printable(path), parts=tuple(parts), _raw=partial(open_local, path))

    @property
    def name(self) -> str:
        """The last part of the path, for messages only."""
        return printable(re.split(r"[/\\!]", (self.file or self.path).rstrip("/\\"))[-1])

    def misnamed(self) -> str:
        """The ending that names a compression the stored bytes are not of; empty where there is none.

        Raises:
            LoadError: where the file cannot be opened or read.
        """
        ending = self.name[self.name.rfind(".") :].lower()
        if self.parts or ending not in _PACKED:
            return ""
        with io.BufferedReader(Metered(self._raw(), self.path), CHUNK) as stream:
            return "" if codec_of(stream.peek(MAGIC_LENGTH)) else ending

    def open(self) -> io.BufferedReader:
        """The decompressed bytes as a stream, which is a context manager.

        A zip archive is given as it is; `members` and `archive` read what is in it.

        Raises:
            LoadError: where it cannot be opened; from the stream where it cannot be read.
        """
        return self._opened()[0]

    def _opened(self) -> tuple[io.BufferedReader, Callable[[int], str]]:
        """The stream, and what is wrong with a text of some size that is held of it; empty where nothing is."""
        metered = Metered(self._raw(), self.path)
        stream: io.BufferedReader = io.BufferedReader(metered, CHUNK)
        try:
            deflated = self._stored is not None and self._stored.deflated
            for _ in range(_MAX_LAYERS):
                codec = codec_of(stream.peek(MAGIC_LENGTH))
                deflated = deflated or (codec is not None and codec.deflates)
                stream = unpacked(stream, self.path, lambda: metered.count, self.limits)
            if codec := codec_of(stream.peek(MAGIC_LENGTH)):
                raise LoadError(self.path, f"{codec.name} data lie inside two other compressions, and two are read")
            _refuse_pointer(stream.peek(), self.path)
        except BaseException:
            stream.close()
            raise
        ratio = self.limits.ratio(deflated=deflated, held=True)

        def swollen(size: int) -> str:
            paid = min(metered.count, self._stored.size) if self._stored and self._stored.size else metered.count
            return self.limits.swollen(size, paid, ratio)

        return stream, swollen

    def head(self, size: int = HEAD) -> bytes:
        """The first `size` bytes after decompression, fewer where the file ends or is damaged before.

        Raises:
            LoadError: where not one byte can be read.
        """
        return self.beginning(size)[0]

    def beginning(self, size: int) -> tuple[bytes, LoadError | None]:
        """What `head` gives, and the damage that ends it before its size.

        Raises:
            LoadError: where not one byte can be read.
        """
        read = io.BytesIO()
        with self.open() as stream:
            try:
                while (missing := size - read.tell()) > 0 and (piece := stream.read1(missing)):
                    read.write(piece)
            except LoadError as error:
                if not read.tell():
                    raise
                return read.getvalue(), kept(error)
        return read.getvalue(), None

    def read(self) -> bytes:
        """The whole content.

        Raises:
            LoadError: where it cannot be read, is empty, or is larger than the limit.
        """
        stream, swollen = self._opened()
        with stream:
            content = self._bounded(stream, swollen)
        if not content:
            raise LoadError(self.path, "the file is empty (0 bytes)")
        return content

    def lines(self) -> Iterator[tuple[int, bytes | LoadError]]:
        r"""Numbered lines, from 1, without their `\n` or `\r\n`.

        A line that is too long comes as a LoadError, and the lines after it still come. Where the file cannot be
        read further (it is cut off or damaged), the last item is the LoadError that says so.

        Raises:
            LoadError: where it cannot be opened.
        """
        for number, line, _ in self.split():
            yield number, line

    def split(self) -> Generator[Line, None, None]:
        """As `lines`, each with whether a line break ends it."""
        stream, swollen = self._opened()
        with stream:
            yield from split_lines(stream, self.path, self.limits.max_line, swollen)

    def is_zip(self) -> bool:
        """Whether the content is a zip archive; LoadError where it cannot be opened."""
        return self.head(4) in _ZIP

    def archive(self) -> Archive:
        """The zip archive, opened once so that many members can be read; a context manager.

        Raises:
            LoadError: where it is no readable zip archive, lies in two others, or in another compression and is too
                large to hold.
        """
        if self.depth >= _MAX_ARCHIVES:
            problem = f"a zip archive inside {self.depth} others is not opened; unpack the outer one first"
            raise LoadError(self.path, problem)
        raw = self._raw()
        try:
            in_place = raw.seekable() and raw.read(4) in _ZIP and raw.seek(0) == 0
        except Exception as error:  # remote file systems raise what their client libraries raise
            raw.close()
            raise LoadError(self.path, f"it cannot be read ({told(error)})") from error
        if not in_place:
            raw.close()
        file = io.BufferedReader(cast("io.RawIOBase", raw), CHUNK) if in_place else self._held()
        return Archive(file, self.path, self.limits)

    def members(self) -> tuple[Source | LoadError, ...]:
        """What lies in a zip archive, in its order; nothing where the content is no zip archive.

        A member with an unsafe name (absolute, with a drive, or with `..`) is a LoadError that says so.

        Raises:
            LoadError: where the archive itself cannot be read.
        """
        if not self.is_zip():
            return ()
        owner = _IDLE.owner()
        archive = self.archive()
        try:
            members = tuple(self._member(archive, name, owner) for name in archive.names)
            return members + tuple(LoadError(self.path, problem) for problem in archive.lost())
        finally:
            _IDLE.give(owner, archive)

    def _member(self, archive: Archive, name: str, owner: Owner) -> Source | LoadError:
        path = f"{self.path}!{printable(name)}"
        if _UNSAFE.search(name):
            return LoadError(path, f"its name, {name[:200]!r}, {_why_unsafe(name)}; it is not read")
        return Source(
            path=path,
            depth=self.depth + 1,
            limits=self.limits,
            _stored=archive.stored(name),
            _raw=partial(_open_member, self, name, owner),
        )

    def _held(self) -> BinaryIO:
        with self.open() as stream:
            if stream.peek(4)[:4] not in _ZIP:
                raise LoadError(self.path, "a zip archive is expected, and the content is none")
            content = io.BytesIO()
            while piece := stream.read1(_LINES):
                content.write(piece)
                if content.tell() > (most := self.limits.max_held):
                    why = f"a zip archive inside another compression is read up to {most} bytes, and this one has more"
                    raise LoadError(self.path, f"{why}; unpack the outer one first")
        content.seek(0)
        return content

    def _bounded(self, stream: io.BufferedReader, swollen: Callable[[int], str]) -> bytes:
        content = io.BytesIO()
        while piece := stream.read1(_LINES):
            size = content.tell() + len(piece)
            if size > (most := self.limits.max_document):
                raise LoadError(self.path, f"the content has more than {most} bytes, and no longer document is read")
            if problem := swollen(size):
                raise LoadError(self.path, problem)
            content.write(piece)
        return content.getvalue()


def split_lines(
    stream: io.BufferedReader, path: str, max_line: int, swollen: Callable[[int], str] = lambda _: ""
) -> Iterator[Line]:
    """The lines of an open stream, of which one line and one piece are held at a time; errors name `path`.

    `swollen` says what is wrong with a line of which so much is held already; no more is read then.
    """
    number, begun, size = 1, io.BytesIO(), 0  # the line that is being read, and its length even if it is not kept

    def finished(end: bytes) -> bytes | LoadError:
        if (length := size + len(end)) > max_line:
            return LoadError(path, f"line {number} has {length} bytes, and {max_line} are read")
        line = begun.getvalue() + end if size else end
        return line[:-1] if line.endswith(b"\r") else line

    try:
        while piece := stream.read1(_LINES):
            *ends, rest = piece.split(b"\n")
            for end in ends:
                yield number, finished(end), True
                number += 1
                if size:
                    begun, size = io.BytesIO(), 0
            size += len(rest)
            if size <= max_line:
                if problem := swollen(size):
                    raise LoadError(path, problem)
                begun.write(rest)
            else:
                begun = io.BytesIO()
    except LoadError as error:
        begun = io.BytesIO()  # may be long, and whoever is told may read the file again
        yield number, LoadError(path, f"line {number} and what follows it cannot be read: {error.problem}"), False
        return
    if size:
        yield number, finished(b""), False


def _refuse_pointer(head: bytes, path: str) -> None:
    if head.startswith(_POINTER):
        found = re.search(rb"\nsize (\d{1,20})", head[:1000])
        size = f" of {int(found[1])} bytes" if found else ""
        what = f"a Git LFS pointer stands in place of the content{size}, which was not fetched"
        raise LoadError(path, f"{what}; run `git lfs pull` in its repository")


_UNSAFE: Final = re.compile(r"\A\Z|\A[/\\]|\A[A-Za-z]:[/\\]|(?:\A|[/\\])\.\.(?:[/\\]|\Z)|[\x00-\x1f]")


def _why_unsafe(name: str) -> str:
    if not name:
        return "is empty"
    return "holds control characters" if re.search(r"[\x00-\x1f]", name) else "leads out of the archive"


def _open_member(source: Source, name: str, owner: Owner) -> BinaryIO:
    archive = _IDLE.take(owner, source.archive)
    try:
        return cast("BinaryIO", Metered(archive.open(name), f"{source.path}!{name}", _GivenBack(owner, archive)))
    except BaseException:
        archive.close()
        raise


class _GivenBack:
    """Closed where a member was read to its end: its archive is idle then."""

    def __init__(self, owner: Owner, archive: Archive) -> None:
        self._owner, self._archive = owner, archive

    def close(self) -> None:
        _IDLE.give(self._owner, self._archive)
