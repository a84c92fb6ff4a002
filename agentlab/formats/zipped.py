"""Compressed bytes: single streams known by their first bytes, and the members of a zip archive.

Formats: gzip (RFC 1952), bzip2, xz, Zstandard (RFC 8878), zip (APPNOTE.TXT 6.3.10, whose method 93 is Zstandard).
Whatever goes wrong below is told as one `LoadError`, with the byte that was reached.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Final, Protocol, Self

import zstandard

from agentlab.errors import LoadError

__all__ = ["CHUNK", "MAGIC_LENGTH", "Archive", "Codec", "Layer", "Limits", "Metered", "codec_of", "told"]

CHUNK: Final = 1 << 16
_MIB: Final = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How much is read of a file that somebody else made, all sizes in bytes."""

    max_line: int = 256 * _MIB
    """Longest line. One line is one record, and the largest, a whole attempt with pictures, are near 100 MB."""
    max_document: int = 1024 * _MIB
    """Longest text that is held at once. Its parsed value takes a few times as much, which a workstation still has."""
    max_ratio: int = 1000
    """Most bytes that come of one compressed byte. Logs that repeat their prompts reach a few hundred."""
    free_output: int = 256 * _MIB
    """Output below which the ratio is not looked at: small files of zeros are harmless."""
    max_members: int = 250_000
    """Most entries of an archive: a log of every sample of the largest benchmarks, and the directory fits in memory."""
    max_held: int = 64 * _MIB
    """Largest zip archive that is unpacked into memory because it lies in another compression."""


class Closing(Protocol):
    """What can be closed."""

    def close(self) -> None: ...


class Readable(Closing, Protocol):
    """The part of a binary stream that is used here."""

    def read(self, size: int, /) -> bytes | None: ...


class Decompressor(Protocol):
    """What `bz2` and `lzma` have; `_Piecewise` gives it to the others."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Piecewise:
    """A machine that cannot hold output back; its output is bounded by giving it small pieces."""

    needs_input = True

    def __init__(self, inner: Any) -> None:
        self._inner = inner  # a `decompressobj` of zlib or zstandard

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._inner.decompress(data))


@dataclass(frozen=True, kw_only=True, slots=True)
class Codec:
    """One compression of a single stream."""

    name: str
    magic: re.Pattern[bytes]
    start: Callable[[], Decompressor]
    piece: int = CHUNK
    """Compressed bytes that are given to the decompressor at once."""


_CODECS: Final = (
    Codec(  # a byte stands for 1032 at most, so a piece for 33 MiB
        name="gzip",
        magic=re.compile(rb"\x1f\x8b\x08"),
        start=lambda: _Piecewise(zlib.decompressobj(wbits=31)),
        piece=1 << 15,
    ),
    Codec(name="bzip2", magic=re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), start=bz2.BZ2Decompressor),
    Codec(
        name="xz",
        magic=re.compile(rb"\xfd7zXZ\x00"),
        start=lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=256 * _MIB),
    ),
    ZSTANDARD := Codec(  # a block of 4 bytes can stand for 128 KiB, so a piece for 64 MiB
        name="Zstandard",
        magic=re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # the second begins a skippable frame
        start=lambda: _Piecewise(zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()),
        piece=2048,
    ),
)
MAGIC_LENGTH: Final = 10


def codec_of(head: bytes) -> Codec | None:
    """The compression that a file's first bytes (10 are enough) name; None where they name none of the four."""
    return next((codec for codec in _CODECS if codec.magic.match(head)), None)


class Layer(io.RawIOBase):
    """A stream read from another one, which is closed with it; `also` are closed after that."""

    def __init__(self, inner: Closing, *also: Closing) -> None:
        super().__init__()
        self._closing = (inner, *also)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            for stream in self._closing:
                stream.close()
        super().close()


class Metered(Layer):
    """A stream that counts what was read, gives as much as was asked, and fails with `LoadError` only.

    Args:
        inner: where the bytes come from.
        path: the file as the person named it.
        also: what else is closed with this.
    """

    def __init__(self, inner: Readable, path: str, *also: Closing) -> None:
        super().__init__(inner, *also)
        self._inner = inner
        self._path = path
        self.count = 0
        """Bytes read until now."""

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        view, filled = memoryview(buffer).cast("B"), 0
        while filled < len(view):
            try:
                piece = self._inner.read(len(view) - filled)
            except Exception as error:  # remote file systems raise what their client libraries raise
                if filled:  # what was read is given first; the next call fails again
                    break
                if isinstance(error, LoadError):
                    raise
                raise LoadError(self._path, f"reading failed at byte {self.count} ({told(error)})") from error
            if not piece:
                break
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
            self.count += len(piece)
        return filled


def told(error: BaseException) -> str:
    """What a library said, on one line that fits into a sentence."""
    said = " ".join(str(error).split())[:200].rstrip(".")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


Unpack = Callable[[Metered, str], io.BufferedReader]
"""Opens the compressed bytes of a stream, which belong to the path that errors name."""


class Archive:
    """A zip archive that is opened once and of which many members are read. For one thread at a time.

    Args:
        file: the archive's bytes, seekable; closed with this.
        path: the file as the person named it.
        limits: how much is read.
        unpack: opens a Zstandard stream, which this layer cannot do itself.

    Raises:
        LoadError: where it is no zip archive, or too large a one.
    """

    def __init__(self, file: BinaryIO, path: str, limits: Limits, unpack: Unpack) -> None:
        self._file, self._path, self._limits, self._unpack = file, path, limits, unpack
        try:
            if _directory_size(file) > limits.max_members * _ENTRY:
                raise LoadError(path, f"the archive's directory is too large: {limits.max_members} entries are read")
            self._zip = zipfile.ZipFile(file)
        except LoadError:
            file.close()
            raise
        except Exception as error:  # struct, zipfile, and whatever a remote file system raises
            file.close()
            raise LoadError(
                path, f"a zip archive cut off or damaged: no directory at its end ({told(error)})"
            ) from error
        # Where a name stands twice the later entry counts, as for every program that appends to an archive.
        self._entries = {entry.filename: entry for entry in self._zip.infolist() if not entry.is_dir()}
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

    def read(self, name: str) -> bytes:
        """A whole member.

        Raises:
            LoadError: where it is not there, cannot be read, or is larger than the limit.
        """
        if (size := self._entry(name).file_size) > (most := self._limits.max_document):
            raise LoadError(f"{self._path}!{name}", f"the member has {size} bytes, and {most} are read")
        with self.open(name) as stream:
            return stream.read()

    def open(self, name: str) -> io.BufferedReader:
        """A member's bytes as a stream, which checks their number and checksum when it comes to the end.

        Raises:
            LoadError: where it is not there or cannot be opened; from the stream where it cannot be read.
        """
        entry, path = self._entry(name), f"{self._path}!{name}"
        if entry.flag_bits & 1:
            raise LoadError(path, "the member is encrypted, and no password can be given")
        packed, size = entry.compress_size, entry.file_size
        if size > self._limits.free_output and size > self._limits.max_ratio * max(packed, 1):
            raise LoadError(path, f"{size} bytes out of {packed} are a decompression bomb and no log")
        raw = self._zstandard(entry, path) if entry.compress_type == _METHOD_93 else self._plain(entry, path)
        return io.BufferedReader(raw, CHUNK)

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
            header = self._file.read(30)
            name_length, extra_length = struct.unpack_from("<HH", header, 26)
        except Exception as error:
            raise LoadError(path, f"the member's header cannot be read ({told(error)})") from error
        if not header.startswith(b"PK\x03\x04"):
            raise LoadError(path, f"no member begins at byte {entry.header_offset}, where the directory says one does")
        start = entry.header_offset + 30 + name_length + extra_length
        section = Metered(_Section(self._file, start, entry.compress_size), path)
        return _Checked(self._unpack(section, path), entry, path)


_METHOD_93: Final = 93
_ENTRY: Final = 512
"""Bytes of the directory allowed for an entry: 46, a long name, times and a zip64 field."""


def _directory_size(file: BinaryIO) -> int:
    """The size of the directory as the end of the archive states it, before anything of it is read."""
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - 22 - 0xFFFF))
    tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0:
        raise zipfile.BadZipFile("no end record")
    size: int = struct.unpack_from("<I", tail, place + 12)[0]
    wide = tail.rfind(b"PK\x06\x06", 0, place)  # the zip64 record stands right before
    return max(0 if size == 0xFFFFFFFF else size, struct.unpack_from("<Q", tail, wide + 40)[0] if wide >= 0 else 0)


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
