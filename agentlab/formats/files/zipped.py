"""The members of zip archives (APPNOTE.TXT 6.3.10), those compressed with Zstandard (method 93) among them.

Whatever goes wrong is told as one `LoadError`, with the byte that was reached.
"""

from __future__ import annotations

import io
import struct
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, Final, Self

from agentlab.errors import LoadError
from agentlab.formats.files.compressed import CHUNK, Layer, Limits, Metered, told, unpacked

__all__ = ["Archive", "Idle", "Owner", "Stored"]


class Archive:
    """A zip archive that is opened once and of which many members are read. For one thread at a time.

    Args:
        file: the archive's bytes, seekable; closed with this.
        path: the file as the person named it.
        limits: how much is read.

    Raises:
        LoadError: where it is no zip archive, or too large a one.
    """

    def __init__(self, file: BinaryIO, path: str, limits: Limits) -> None:
        self._file, self._path, self._limits = file, path, limits
        try:
            if _directory_size(file) > limits.max_members * _ENTRY:
                raise LoadError(path, f"the archive's directory is too large: {limits.max_members} entries are read")
            self._zip = zipfile.ZipFile(file)
        except LoadError:
            file.close()
            raise
        except Exception as error:  # struct, zipfile, and whatever a remote file system raises
            file.close()
            what = str(error) if isinstance(error, _CutError) else f"its directory cannot be read ({told(error)})"
            raise LoadError(path, f"a zip archive cut off or damaged: {what}") from error
        # Where a name stands twice the later entry counts, as for every program that appends to an archive.
        self._entries = {entry.filename: entry for entry in self._files()}
        if len(self._entries) > limits.max_members:
            self.close()
            raise LoadError(path, f"the archive has {len(self._entries)} members, more than {limits.max_members}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the archive and its file."""
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The members' names, folders left out, in the order of the archive."""
        return tuple(self._entries)

    def _files(self) -> Iterator[zipfile.ZipInfo]:
        return (entry for entry in self._zip.infolist() if not entry.filename.endswith("/"))

    def lost(self) -> Iterator[str]:
        """For each name that stands for several contents, which of them is read; in the order of the archive."""
        contents: dict[str, list[tuple[int, int]]] = {}
        for entry in self._files():
            contents.setdefault(entry.filename, []).append((entry.CRC, entry.file_size))
        for name, found in contents.items():
            if len(set(found)) > 1:
                which = f"{len(found)} members of the archive have the name {name[:200]!r}"
                yield f"{which}; the last of them is read, and the others are not"

    def stored(self, name: str) -> Stored:
        """How a member is packed, as the archive states it."""
        return _stored(self._entry(name))

    def read(self, name: str) -> bytes:
        """A whole member.

        Raises:
            LoadError: where it is not there, cannot be read, or is larger than the limit.
        """
        entry, path = self._entry(name), f"{self._path}!{name}"
        if (size := entry.file_size) > (most := self._limits.max_document):
            raise LoadError(path, f"the member has {size} bytes, and {most} are read")
        if problem := self._swollen(entry, held=True):
            raise LoadError(path, problem)
        if (content := self._at_once(entry)) is not None:
            return content
        with self.open(name) as stream:
            return stream.read()

    def _at_once(self, entry: zipfile.ZipInfo) -> bytes | None:
        """A member read in one piece, which is copied nowhere; None where it must be read bit by bit.

        That is so where the method of compression may give more than is asked for, and where anything goes wrong: then
        the stream says what, and at which byte.
        """
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return None
        try:
            with self._zip.open(entry) as member:
                return member.read(max(entry.file_size, 1))  # nothing asked for, no checksum compared
        except Exception:  # whatever zipfile, zlib or a remote file system raises, and it raises it again
            return None

    def open(self, name: str) -> io.BufferedReader:
        """A member's bytes as a stream, which checks their number and checksum when it comes to the end.

        Raises:
            LoadError: where it is not there or cannot be opened; from the stream where it cannot be read.
        """
        entry, path = self._entry(name), f"{self._path}!{name}"
        if entry.flag_bits & 1:
            raise LoadError(path, "the member is encrypted, and no password can be given")
        if problem := self._swollen(entry, held=False):
            raise LoadError(path, problem)
        raw = self._zstandard(entry, path) if entry.compress_type == _METHOD_93 else self._plain(entry, path)
        return io.BufferedReader(raw, CHUNK)

    def _swollen(self, entry: zipfile.ZipInfo, *, held: bool) -> str:
        stored = _stored(entry)
        ratio = self._limits.ratio(deflated=stored.deflated, held=held)
        return self._limits.swollen(entry.file_size, stored.size, ratio)

    def _entry(self, name: str) -> zipfile.ZipInfo:
        try:
            return self._entries[name]
        except KeyError:
            raise LoadError(self._path, f"the archive has no member {name!r}") from None

    def _plain(self, entry: zipfile.ZipInfo, path: str) -> io.RawIOBase:
        try:
            return Metered(self._zip.open(entry), path)
        except Exception as error:  # unknown methods, damaged headers, remote file systems
            raise LoadError(path, f"the member cannot be opened ({told(error)})") from error

    def _zstandard(self, entry: zipfile.ZipInfo, path: str) -> io.RawIOBase:
        try:
            self._file.seek(entry.header_offset)
            header = self._file.read(30).ljust(30, b"\0")
            name_length, extra_length = struct.unpack_from("<HH", header, 26)
        except Exception as error:
            raise LoadError(path, f"the member's header cannot be read ({told(error)})") from error
        if not header.startswith(b"PK\x03\x04"):
            raise LoadError(path, f"no member begins at byte {entry.header_offset}, where the directory says one does")
        start = entry.header_offset + 30 + name_length + extra_length
        section = Metered(_Section(self._file, start, entry.compress_size), path)
        stream: io.BufferedReader = io.BufferedReader(section, CHUNK)
        return _Checked(unpacked(stream, path, lambda: section.count, self._limits), entry, path)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """How a member lies in its archive."""

    size: int
    """Its compressed bytes."""
    deflated: bool
    """Whether it is packed with Deflate."""


def _stored(entry: zipfile.ZipInfo) -> Stored:
    return Stored(size=entry.compress_size, deflated=entry.compress_type == zipfile.ZIP_DEFLATED)


_METHOD_93: Final = 93
_ENTRY: Final = 512
"""Bytes of the directory allowed for an entry: 46, a long name, times and a zip64 field."""


class _CutError(Exception):
    """Where an archive ends before its directory does."""


def _directory_size(file: BinaryIO) -> int:
    """The size of the directory as the end of the archive states it, before anything of it is read."""
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - 22 - 0xFFFF))
    tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0:
        raise _CutError(f"it ends at byte {end} without a directory")
    if place + 22 > len(tail):
        raise _CutError(f"it ends at byte {end}, {len(tail) - place} bytes into the 22 that end a directory")
    size: int = struct.unpack_from("<I", tail, place + 12)[0]
    wide = tail.rfind(b"PK\x06\x06", 0, place)  # the zip64 record stands right before
    stated = tail[wide + 40 : wide + 48] if wide >= 0 else b""
    return max(0 if size == 0xFFFFFFFF else size, int.from_bytes(stated, "little"))


class Idle:
    """Archives that were read from and may be again, of which a few are kept open.

    A member is read by opening its archive, so reading all members by themselves would read the directory as often as
    it has entries. Whoever takes an archive has it alone, as long as it reads.

    Args:
        most: how many are kept: one, and the one that it lies in.
    """

    def __init__(self, most: int = 2) -> None:
        self._most = most
        self._lock = threading.RLock()  # a stream that is given up may give its archive back in the midst of a call
        self._kept: dict[int, Archive] = {}

    def owner(self) -> Owner:
        """Whatever its archives are kept for; when it is no longer referred to, they are closed."""
        owner = Owner()
        weakref.finalize(owner, self._forget, id(owner))
        return owner

    def take(self, owner: Owner, make: Callable[[], Archive]) -> Archive:
        """The archive that was given back, or a new one."""
        with self._lock:
            kept = self._kept.pop(id(owner), None)
        return kept or make()

    def give(self, owner: Owner, archive: Archive) -> None:
        """Keep an archive that nobody reads any longer; the one that was not used for longest is closed."""
        with self._lock:
            before = self._kept.pop(id(owner), None)
            self._kept[id(owner)] = archive
            oldest = self._kept.pop(next(iter(self._kept))) if len(self._kept) > self._most else None
        for each in (before, oldest):
            if each:
                each.close()

    def _forget(self, owner: int) -> None:
        with self._lock:
            kept = self._kept.pop(owner, None)
        if kept:
            kept.close()


class Owner:
    """Stands for one archive as somebody found it; see `Idle`."""

    __slots__ = ("__weakref__",)


class _Section:
    """A stretch of a file that others read too. Closing it leaves the file open."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._at, self._end = file, start, start + size

    def read(self, size: int, /) -> bytes:
        self._file.seek(self._at)
        piece = self._file.read(min(size, self._end - self._at))
        self._at += len(piece)
        return piece

    def close(self) -> None:
        pass


class _Checked(Layer):
    """A member's bytes, compared with the size and the checksum that the archive states."""

    def __init__(self, inner: io.BufferedReader, entry: zipfile.ZipInfo, path: str) -> None:
        super().__init__(inner)
        self._inner, self._entry, self._path = inner, entry, path
        self._size = self._sum = 0

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        size = self._inner.readinto1(buffer)
        self._sum = zlib.crc32(buffer[:size], self._sum)
        self._size += size
        stated = self._entry.file_size
        if self._size > stated or (not size and self._size < stated):
            raise LoadError(self._path, f"the member is not of the {stated} bytes that the archive states")
        if not size and self._sum != self._entry.CRC:
            raise LoadError(self._path, f"the member's checksum differs from the archive's at byte {self._size}")
        return size
