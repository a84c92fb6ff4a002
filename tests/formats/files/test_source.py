from __future__ import annotations

import gzip
import importlib
import io
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
from agentlab.formats.files.source import Source, split_lines

BODY = b"".join(b'{"turn": %d, "said": "%s"}\n' % (turn, os.urandom(20).hex().encode()) for turn in range(3000))


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(LoadError) as caught:
        read()
    assert "\n" not in caught.value.problem
    return caught.value.problem


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
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    said = {
        tmp_path / "absent.json": "there is no such file",
        tmp_path: "a file is expected, and this is a folder",
        tmp_path / "pipe": "a file is expected, and this is a pipe or a device",
        "a\0b": "it cannot be opened (ValueError: embedded null byte)",
        "": "there is no such file",
        tmp_path / "pipe" / "a.json": "there is no such file",
        tmp_path / "nowhere": f"there is no such file at '{tmp_path}/gone', to which it is a link",
        tmp_path / "round": "it is a link that leads back to itself",
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
    needs = "this kind of url needs packages that are not installed; install them with pip"
    assert said == f"{needs} (ImportError: Install absent_package)"


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


def test_a_name_that_is_not_utf_8_is_printable_and_opens_the_file(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/l\xf6g\x85\n.json")
    Path(name).write_bytes(b"[1]")
    source = Source.at(name)
    assert (source.name, source.file, source.read()) == ("l\\xf6g\\x85\\n.json", name, b"[1]")
    Path(name).unlink()
    with pytest.raises(LoadError) as caught:
        source.open()
    assert str(caught.value) == f"{tmp_path}/l\\xf6g\\x85\\n.json: there is no such file"


def test_joined_files_are_its_parts(tmp_path: Path) -> None:
    parts = [Source.at(tmp_path / name) for name in ("0.json", "1.json")]
    source = Source.joined(str(tmp_path), parts)
    assert source.parts == tuple(parts)
    assert refusal(source.read) == "a file is expected, and this is a folder"
