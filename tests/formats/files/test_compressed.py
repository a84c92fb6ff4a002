from __future__ import annotations

import bz2
import gc
import gzip
import lzma
import os
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source

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


def test_a_text_that_is_held_at_once_is_stopped_earlier_than_lines_are(stored: Callable[..., Source]) -> None:
    text = b"".join(os.urandom(100) + bytes(14_000) for _ in range(1000))
    packed = gzip.compress(text)
    assert 50 * len(packed) < len(text) < 200 * len(packed)
    limits = {"free_output": 1 << 20, "max_document_ratio": 50}
    said = refusal(stored(packed, **limits).read)
    assert "a decompression bomb and no log" in said
    assert "at most 50 for each are read" in said
    assert sum(isinstance(line, bytes) for _, line in stored(packed, **limits).lines()) == text.count(b"\n") + 1
    assert stored(packed, free_output=1 << 20).read() == text
    assert stored(packed, max_document_ratio=200).read() == text  # so little is harmless
    assert stored(text, **limits).read() == text


def test_a_bomb_takes_little_more_than_what_is_always_read(stored: Callable[..., Source]) -> None:
    machine = zlib.compressobj(9, wbits=31)
    source = stored(b"".join(machine.compress(b"[" + b" " * (1 << 20)) for _ in range(600)) + machine.flush())
    tracemalloc.start()
    try:
        (error,) = records(source)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(error, LoadError)
    assert "decompression bomb" in error.problem
    assert peak < 230_000_000


def test_what_was_read_before_an_error_is_let_go(stored: Callable[..., Source]) -> None:
    packed = gzip.compress(b"x" * 30_000_000)[:-9]
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        errors = []
        for _ in range(3):
            try:
                stored(packed).read()
            except LoadError as error:
                errors.append(error.problem)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()
    assert errors == [f"the gzip data is cut off at byte {len(packed)}"] * 3
    assert held < 5_000_000
