"""Compressed streams, known by their first bytes: gzip (RFC 1952), bzip2, xz, Zstandard (RFC 8878).

Whatever goes wrong is told as one `LoadError`, with the byte that was reached.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import zstandard

from agentlab.errors import LoadError

__all__ = ["CHUNK", "MAGIC_LENGTH", "Layer", "Limits", "Metered", "codec_of", "told", "unpacked"]

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
    max_document_ratio: int = 500
    """The same for a text that is held at once. A request's text packs to a quarter, so that even where it is copied
    whole into every later one, a text within the limits of size reaches this with hundreds of requests only."""
    max_deflated_ratio: int = 400
    """As `max_ratio`, for what gzip or a zip archive packed. Deflate knows the last 32 KiB only and makes matches of at
    most 258 bytes: numbered lines of 300 to 20000 bytes that are alike otherwise reach 150, equal ones of 50 bytes 343,
    and one byte 1028."""
    max_deflated_document_ratio: int = 200
    """As `max_document_ratio`, for what gzip or a zip archive packed; one byte, packed in haste, reaches 246."""
    free_output: int = 64 * _MIB
    """Output below which no ratio is looked at: so much can be held several times over, whatever it is."""
    max_members: int = 250_000
    """Most entries of an archive and of those in it: a log of every sample of the largest benchmarks has fewer, and
    the directory fits in memory."""
    max_held: int = 64 * _MIB
    """Largest zip archive that is unpacked into memory because it lies in another compression."""

    def ratio(self, *, deflated: bool, held: bool) -> int:
        """Most bytes that come of one compressed byte, by how it was packed and whether the text is held at once."""
        most, of_deflate = (
            (self.max_document_ratio, self.max_deflated_document_ratio)
            if held
            else (self.max_ratio, self.max_deflated_ratio)
        )
        return min(most, of_deflate) if deflated else most

    def swollen(self, size: int, paid: int, ratio: int) -> str:
        """What is wrong with `size` bytes that came of `paid` compressed ones; empty where nothing is."""
        if size <= self.free_output or size <= ratio * max(paid, 1):
            return ""
        return (
            f"a decompression bomb and no log: {paid} compressed bytes stand for {size}, and at most {ratio} for each "
            "are read; what is meant to be so must be unpacked first"
        )


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
    deflates: bool = False
    """Whether it is Deflate (RFC 1951), which swells least."""
    piece: int = 1 << 13
    """Compressed bytes that are given to the machine at once; few, as what a stream leaves of them is copied."""


_CODECS: Final = (
    Codec(  # a byte stands for 1032 at most, so a piece for 8 MiB
        name="gzip",
        deflates=True,
        magic=re.compile(rb"\x1f\x8b\x08"),
        start=lambda: _Piecewise(zlib.decompressobj(wbits=31)),
    ),
    Codec(name="bzip2", magic=re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), start=bz2.BZ2Decompressor),
    Codec(
        name="xz",
        magic=re.compile(rb"\xfd7zXZ\x00"),
        start=lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=256 * _MIB),
    ),
    Codec(  # a block of 4 bytes can stand for 128 KiB, so a piece for 64 MiB
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


class _Unpacked(Layer):
    """The decompressed bytes of a stream; compressed streams that follow each other in it are read as one."""

    def __init__(
        self, inner: io.BufferedReader, codec: Codec, path: str, paid: Callable[[], int], limits: Limits
    ) -> None:
        super().__init__(inner)
        self._inner, self._codec, self._path, self._paid, self._limits = inner, codec, path, paid, limits
        self._ratio = limits.ratio(deflated=codec.deflates, held=False)
        self._machine = codec.start()
        self._waiting, self._taken = b"", 0  # input that is read and not yet given, and how much was
        self._ready, self._given = memoryview(b""), 0  # output nobody has asked for, and how much there was in all
        self._ended, self._failed = False, ""  # no exception is kept: it would hold whatever its callers had read

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        filled = 0
        while filled < len(buffer) and (self._ready or not self._ended):
            try:
                self._ready = self._ready or memoryview(self._step(max(len(buffer) - filled, CHUNK)))
            except LoadError as error:
                self._failed, self._ended = error.problem, True
            part = self._ready[: len(buffer) - filled]
            buffer[filled : filled + len(part)] = part
            self._ready = self._ready[len(part) :]
            filled += len(part)
        if self._failed and not filled:  # what was read before a failure is given first
            raise LoadError(self._path, self._failed)
        return filled

    def _step(self, wanted: int) -> bytes:
        """Some output, at most `wanted` bytes where the machine can hold back; empty where it needs more input."""
        if self._machine.eof and not self._next_stream():
            return b""
        piece = self._take() if self._machine.needs_input else b""
        if self._machine.needs_input and not piece:
            raise self._fault(f"is cut off at byte {self._taken}")
        try:
            output = self._machine.decompress(piece, wanted)
        except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError, ValueError) as error:
            raise self._fault(f"is damaged before byte {self._taken} ({told(error)})") from error
        self._given += len(output)
        if problem := self._limits.swollen(self._given, self._paid(), self._ratio):
            raise LoadError(self._path, problem)
        return output

    def _fault(self, what: str) -> LoadError:
        return LoadError(self._path, f"the {self._codec.name} data {what}")

    def _take(self) -> bytes:
        piece, self._waiting = self._waiting or self._inner.read1(self._codec.piece), b""
        self._taken += len(piece)
        return piece

    def _next_stream(self) -> bool:
        """Begin the stream after a finished one; False at the end of the file. Zeros between them are padding."""
        rest = self._machine.unused_data
        self._taken -= len(rest)
        while not (magic := rest.lstrip(b"\0")):
            self._taken += len(rest)
            rest = self._inner.read1(self._codec.piece)
            if not rest:
                self._ended = True
                return False
        self._taken += len(rest) - len(magic)
        while len(magic) < MAGIC_LENGTH and (more := self._inner.read1(self._codec.piece)):
            magic += more
        if not self._codec.magic.match(magic):
            raise self._fault(f"ends at byte {self._taken}, and what follows is something else")
        self._waiting = magic
        self._machine = self._codec.start()
        return True


def unpacked(stream: io.BufferedReader, path: str, paid: Callable[[], int], limits: Limits) -> io.BufferedReader:
    """The stream behind one compression, or the stream itself where its first bytes name none."""
    codec = codec_of(stream.peek(MAGIC_LENGTH))
    if codec is None:
        return stream
    return io.BufferedReader(cast("io.RawIOBase", _Unpacked(stream, codec, path, paid, limits)), CHUNK)
