from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.files.source import Limits, Source, split_lines

BODY = b"".join(b'{"turn": %d, "said": "%s"}\n' % (turn, os.urandom(20).hex().encode()) for turn in range(3000))


def zstd_streamed(data: bytes) -> bytes:
    """Zstandard without the content's size in the frame, as a pipe writes it."""
    machine = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return machine.compress(data) + machine.flush()


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstandard.ZstdCompressor().compress,
    "streamed Zstandard": zstd_streamed,
}
every_compression = pytest.mark.parametrize("name", COMPRESSIONS)


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Source]:
    def store(data: bytes, **limits: int) -> Source:
        path = tmp_path / "log.bin"
        path.write_bytes(data)
        return Source.at(path, limits=Limits(**limits))

    return store


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(LoadError) as caught:
        read()
    assert "\n" not in caught.value.problem
    return caught.value.problem


@every_compression
def test_decompresses_what_the_first_bytes_name(stored: Callable[..., Source], name: str) -> None:
    pack = COMPRESSIONS[name]
    for data in (pack(BODY), gzip.compress(pack(BODY)), zstd_streamed(pack(BODY))):
        source = stored(data)
        assert source.read() == BODY
        assert source.head(10) == BODY[:10]
        assert b"\n".join(line for _, line in source.lines() if isinstance(line, bytes)) + b"\n" == BODY
        with source.open() as stream:
            assert (stream.read(5), stream.read()) == (BODY[:5], BODY[5:])


@every_compression
def test_streams_that_follow_each_other_are_one(stored: Callable[..., Source], name: str) -> None:
    pack = COMPRESSIONS[name]
    assert stored(pack(BODY) + pack(b"") + pack(b"end") + b"\0" * 70_000).read() == BODY + b"end"
    assert stored(b"".join(pack(b"%d," % part) for part in range(300))).read() == b"".join(
        b"%d," % part for part in range(300)
    )


@every_compression
def test_a_cut_stream_gives_what_is_there_and_says_where_it_ends(stored: Callable[..., Source], name: str) -> None:
    data = COMPRESSIONS[name](BODY) + COMPRESSIONS[name](BODY)
    cut = len(data) - 9
    source = stored(data[:cut])
    said = f"the {name.removeprefix('streamed ')} data is cut off at byte {cut}"
    assert refusal(source.read) == said
    assert source.head() == BODY[: 1 << 16]
    *lines, last = source.lines()
    assert len(lines) >= BODY.count(b"\n")
    assert all(isinstance(line, bytes) for _, line in lines)
    assert isinstance(last[1], LoadError)
    assert last[1].problem == f"line {last[0]} and what follows it cannot be read: {said}"


@every_compression
def test_damage_and_strange_ends_are_told(stored: Callable[..., Source], name: str) -> None:
    data = COMPRESSIONS[name](BODY)
    middle = len(data) // 2
    assert "byte" in refusal(stored(data[:middle] + b"\xaa" * 40 + data[middle + 40 :] + b"tail of something").read)
    assert f"ends at byte {len(data) + 2}, and what follows is something else" in refusal(
        stored(data + b"\0\0more").read
    )
    assert "is cut off at byte 10" in refusal(stored(data[:10]).open)


@given(st.sampled_from(sorted(COMPRESSIONS)), st.data())
def test_changed_bytes_are_never_another_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.bin"
    packed = bytearray(COMPRESSIONS[name](BODY[:2000]))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(packed[: data.draw(st.integers(0, len(packed)))])
    source = Source.at(path)
    for read in (source.read, source.head, source.members, lambda: list(source.lines())):
        named = str(path)
        try:
            read()
        except LoadError as error:
            named = error.path
        assert named == str(path)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz", "Zstandard"])
def test_a_bomb_is_stopped_in_bounded_memory(stored: Callable[..., Source], name: str) -> None:
    pack = COMPRESSIONS[name]
    source = stored(pack(bytes(100_000_000)), free_output=1 << 20, max_ratio=500)
    tracemalloc.start()
    try:
        said = refusal(lambda: list(source.lines())[-1][1] == 0 or source.read())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "decompression bomb" in said
    assert peak < 120_000_000
    nested = stored(gzip.compress(pack(bytes(20_000_000))), free_output=1 << 20, max_ratio=1500)
    assert "decompression bomb" in refusal(nested.read) or name == "gzip"


def test_repeated_prompts_are_no_bomb(stored: Callable[..., Source]) -> None:
    prompt = os.urandom(4000).hex().encode()
    log = b"".join(prompt + os.urandom(8).hex().encode() + b"\n" for _ in range(2000))
    packed = zstandard.ZstdCompressor().compress(log)
    assert len(log) > 200 * len(packed)
    source = stored(packed, free_output=1 << 20)
    assert sum(1 for _ in source.lines()) == 2000


def test_three_compressions_are_refused(stored: Callable[..., Source]) -> None:
    assert "two are read" in refusal(stored(gzip.compress(gzip.compress(gzip.compress(b"x")))).open)


def test_sizes_are_limited(stored: Callable[..., Source]) -> None:
    assert stored(b"12345", max_document=5).read() == b"12345"
    assert "more than 5 bytes" in refusal(stored(b"123456", max_document=5).read)
    assert refusal(stored(b"").read) == "the file is empty (0 bytes)"
    assert stored(b"").head() == b""
    assert list(stored(b"").lines()) == []


@given(
    st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=12),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
    st.integers(1, 7),
    st.integers(0, 12),
)
def test_lines_are_what_was_joined(lines: list[bytes], end: bytes, ended: bool, piece: int, longest: int) -> None:
    text = end.join(lines) + (end if ended and lines else b"")
    if lines and not ended and not lines[-1]:
        lines = lines[:-1]

    class Dribble(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return self.read(piece)

    found = list(split_lines(Dribble(text), "log", longest + len(end)))  # type: ignore[arg-type]
    assert [number for number, _, _ in found] == list(range(1, len(lines) + 1))
    for (_, line, _), wanted in zip(found, lines, strict=True):
        assert line == wanted or (isinstance(line, LoadError) and len(wanted) > longest)
    assert [whole for _, _, whole in found] == ([True] * (len(lines) - 1) + [text.endswith(b"\n")] if lines else [])


def test_a_line_that_is_too_long_is_not_held_and_the_next_comes(stored: Callable[..., Source]) -> None:
    source = stored(
        zstandard.ZstdCompressor().compress(b"a\n" + b"x" * 300_000_000 + b"\nb\n"), max_line=1 << 20, max_ratio=10**9
    )
    tracemalloc.start()
    try:
        first, long, last = source.lines()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (first, last) == ((1, b"a"), (3, b"b"))
    assert isinstance(long[1], LoadError)
    assert long[1].problem == "line 2 has 300000000 bytes, and 1048576 are read"
    assert peak < 150_000_000


def test_a_git_lfs_pointer_is_named(stored: Callable[..., Source]) -> None:
    text = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 4096\n"
    source = stored(text)
    for read in (source.read, source.open, lambda: next(source.lines()), source.members):
        said = refusal(read)
        assert "Git LFS pointer" in said
        assert "4096 bytes" in said
        assert "git lfs pull" in said


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = {
        tmp_path / "absent.json": "there is no such file",
        tmp_path: "a file is expected, and this is a folder",
        tmp_path / "pipe": "a file is expected, and this is a pipe or a device",
        "a\0b": "it cannot be opened (ValueError: embedded null byte)",
        "memory://absent.json": "there is no such file",
        "unheard://of": "it cannot be opened (ValueError: Protocol not known: unheard)",
    }
    for path, problem in said.items():
        source = Source.at(path)
        assert (refusal(source.read), refusal(source.archive)) == (problem, problem)


def test_a_file_without_permission_says_so(stored: Callable[..., Source]) -> None:
    source = stored(b"{}")
    Path(source.path).chmod(0)
    if os.access(source.path, os.R_OK):  # as root nothing is forbidden, and the file is read
        assert source.read() == b"{}"
    else:
        assert refusal(source.read) == "there is no permission to read it"


def test_urls_are_read_through_fsspec() -> None:
    with fsspec.open("memory://shelf/log.jsonl.gz", "wb") as file:
        file.write(gzip.compress(BODY))
    source = Source.at("memory://shelf/log.jsonl.gz")
    assert source.read() == BODY
    assert source.name == "log.jsonl.gz"


def test_a_url_without_its_package_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.import_module("fsspec.registry").known_implementations
    monkeypatch.setitem(
        known,
        "parcel",
        {"class": "absent_package.Parcel", "err": "Install absent_package"},
    )
    said = refusal(Source.at("parcel://box/log.json").read)
    assert said == "a package for this kind of url is not installed (ImportError: Install absent_package)"


def test_a_file_system_that_fails_while_reading_is_told() -> None:
    class Unplugged(io.RawIOBase):
        reads = 0

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1, /) -> bytes:
            self.reads += 1
            if self.reads > 1:
                raise RuntimeError("the line\nwent dead")
            return b"first\nsecond"

    source = Source(path="far://log", _raw=Unplugged)  # type: ignore[arg-type,return-value]
    *lines, last = source.lines()
    assert lines == [(1, b"first")]
    assert isinstance(last[1], LoadError)
    assert last[1].problem.endswith("reading failed at byte 12 (RuntimeError: the line went dead)")


def test_a_source_is_a_value(tmp_path: Path) -> None:
    assert Source.at(tmp_path / "a.json") == Source.at(str(tmp_path / "a.json"))
    assert repr(Source.at("a.json")).startswith("Source(path='a.json', limits=Limits(")
    assert [Source.at(path).name for path in ("x/a.json", "C:\\x\\a.json", "s3://x/a.json", "runs/")] == [
        "a.json",
        "a.json",
        "a.json",
        "runs",
    ]
