from __future__ import annotations

import gc
import gzip
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fsspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.files.paths import printable
from agentlab.formats.files.source import Limits, Source
from agentlab.formats.files.zipped import Archive, Idle

TURNS = b"".join(b'{"turn": %d, "said": "%s"}\n' % (turn, os.urandom(9).hex().encode()) for turn in range(2000))


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def one_frame(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


def zipped_93(members: dict[str, bytes], pack: Callable[[bytes], bytes] = one_frame) -> bytes:
    """An archive whose members are compressed by method 93 (APPNOTE 4.4.5), which the standard library cannot write."""
    body, directory = b"", b""
    for name, data in members.items():
        packed, raw = pack(data), name.encode()
        shared = struct.pack("<HHHHHIIIHH", 63, 0x800, 93, 0, 0, zlib.crc32(data), len(packed), len(data), len(raw), 4)
        extra = struct.pack("<HH", 0xCAFE, 0)
        directory += b"PK\x01\x02\x3f\x00" + shared + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + raw + extra
        body += b"PK\x03\x04" + shared + raw + extra
        body += packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Source]:
    def store(data: bytes, **limits: int) -> Source:
        path = tmp_path / "logs.zip"
        path.write_bytes(data)
        return Source.at(path, limits=Limits(**limits))

    return store


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(LoadError) as caught:
        read()
    return str(caught.value)


def in_two_frames(data: bytes) -> bytes:
    pack = zstandard.ZstdCompressor().compress
    return pack(data[:777]) + b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab" + pack(data[777:])


@pytest.mark.parametrize(
    "write",
    [
        lambda members: zipped(members, zipfile.ZIP_STORED),
        zipped,
        lambda members: zipped(members, zipfile.ZIP_BZIP2),
        lambda members: zipped(members, zipfile.ZIP_LZMA),
        zipped_93,
        lambda members: zipped_93(members, in_two_frames),
    ],
    ids=["stored", "deflate", "bzip2", "lzma", "Zstandard", "Zstandard in frames"],
)
def test_reads_members_of_every_method(
    stored: Callable[..., Source], write: Callable[[dict[str, bytes]], bytes]
) -> None:
    members = {"header.json": b"{}" * 500, "samples/a.jsonl": TURNS, "samples/ü.json": b"[1]" * 400}
    source = stored(write(members))
    with source.archive() as archive:
        assert archive.names == tuple(members)
        assert {name: archive.read(name) for name in reversed(archive.names)} == members
        with archive.open("samples/a.jsonl") as one, archive.open("header.json") as other:
            assert one.read(50) + other.read(10) + one.read() == TURNS[:50] + b"{}" * 5 + TURNS[50:]
    found = source.members()
    assert [member.path for member in found] == [f"{source.path}!{name}" for name in members]
    assert [member.read() for member in found if isinstance(member, Source)] == list(members.values())
    assert found[1].head(7) == TURNS[:7]  # type: ignore[union-attr]


def test_members_may_be_compressed_or_archives_themselves(stored: Callable[..., Source]) -> None:
    inner = zipped({"a.json": b"[7]"})
    packed, nested = stored(zipped({"log.json.gz": gzip.compress(TURNS), "more.zip": inner})).members()
    assert isinstance(packed, Source)
    assert isinstance(nested, Source)
    assert packed.read() == TURNS
    (member,) = nested.members()
    assert isinstance(member, Source)
    assert (member.read(), member.name) == (b"[7]", "a.json")
    assert member.path.endswith("logs.zip!more.zip!a.json")
    (member,) = stored(gzip.compress(inner)).members()
    assert isinstance(member, Source)
    assert member.read() == b"[7]"
    assert "unpack the outer one first" in refusal(stored(gzip.compress(inner), max_held=50).members)


def test_an_archive_at_a_url(stored: Callable[..., Source]) -> None:
    with fsspec.open("memory://attic/logs.eval", "wb") as file:
        file.write(zipped_93({"a.json": TURNS}))
    with Source.at("memory://attic/logs.eval").archive() as archive:
        assert archive.read("a.json") == TURNS


def test_unsafe_names_are_named_and_the_others_are_read(stored: Callable[..., Source]) -> None:
    unsafe = ["../a.json", "x/../../a.json", "/etc/a.json", "C:\\a.json", "..\\a.json", "line\nbreak"]
    data = zipped(dict.fromkeys([*unsafe, "N", "fine..json", "x/a.json"], b"{}")).replace(b"N", b"\0")
    unsafe.append("")  # what a name of NUL is read as
    source = stored(data)
    *refused, one, two = source.members()
    why = ["leads out of the archive"] * 5 + ["holds control characters", "is empty"]
    assert [(error.path, error.problem) for error in refused if isinstance(error, LoadError)] == [
        (f"{source.path}!{printable(name)}", f"its name, {name!r}, {each}; it is not read")
        for name, each in zip(unsafe, why, strict=True)
    ]
    assert [member.read() for member in (one, two) if isinstance(member, Source)] == [b"{}", b"{}"]


def test_folders_are_no_members_and_the_later_of_two_counts(stored: Callable[..., Source]) -> None:
    file = io.BytesIO(zipped({"folder/": b"", "a.json": b"1"}))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("a.json", b"2")
    member, lost = stored(file.getvalue()).members()
    assert isinstance(member, Source)
    assert member.read() == b"2"
    assert isinstance(lost, LoadError)
    said = "2 members of the archive have the name 'a.json'; the last of them is read, and the others are not"
    assert lost.problem == said


def test_a_member_that_is_appended_once_more_as_it_was_loses_nothing(stored: Callable[..., Source]) -> None:
    file = io.BytesIO(zipped({"a.json": b"1"}))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("a.json", b"1")
    assert len(stored(file.getvalue()).members()) == 1


@pytest.mark.parametrize("write", [zipped, zipped_93])
def test_broken_members_are_told_and_the_others_are_read(
    stored: Callable[..., Source], write: Callable[[dict[str, bytes]], bytes]
) -> None:
    data = write({"a.json": TURNS, "b.json": b"[1]"})
    for place in (40, 41, 2000, 9000):
        broken = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        with stored(broken).archive() as archive:
            said = refusal(lambda archive=archive: archive.read("a.json"))  # type: ignore[misc]
            assert "logs.zip!a.json: " in said
            assert archive.read("b.json") == b"[1]"
    wrong_sum = data.replace(struct.pack("<I", zlib.crc32(b"[1]")), b"\x01\x02\x03\x04")
    with stored(wrong_sum).archive() as archive:
        assert archive.read("a.json") == TURNS
        assert any(word in refusal(lambda: archive.read("b.json")) for word in ("checksum differs", "Bad CRC-32"))


def test_a_size_that_is_not_the_stated_one_is_told(stored: Callable[..., Source]) -> None:
    for stated in (2, 9):
        data = zipped_93({"b.json": b"[1]"}).replace(struct.pack("<II", 12, 3), struct.pack("<II", 12, stated))
        with stored(data).archive() as archive:
            assert f"the member is not of the {stated} bytes" in refusal(lambda: archive.read("b.json"))


def test_what_cannot_be_read_says_why(stored: Callable[..., Source]) -> None:
    data = zipped({"a.json": TURNS})
    said = "a zip archive cut off or damaged: it ends at byte"
    assert f"{said} {len(data) - 30} without a directory" in refusal(stored(data[:-30]).archive)
    for cut in range(1, 19):
        reached = f"{said} {len(data) - cut}, {22 - cut} bytes into the 22 that end a directory"
        assert reached in refusal(stored(data[:-cut]).archive)
    assert "its directory cannot be read (BadZipFile: " in refusal(stored(data.replace(b"PK\1\2", b"PK\1\3")).archive)
    assert "a zip archive is expected, and the content is none" in refusal(stored(b"{}").archive)
    assert stored(b"{}").members() == ()
    encrypted = bytearray(data)
    encrypted[data.rfind(b"PK\x01\x02") + 8] |= 1
    with stored(bytes(encrypted)).archive() as archive:
        assert "the member is encrypted" in refusal(lambda: archive.read("a.json"))
        assert "has no member 'b.json'" in refusal(lambda: archive.read("b.json"))
    strange = bytearray(data)
    strange[data.rfind(b"PK\x01\x02") + 10] = 9
    with stored(bytes(strange)).archive() as archive:
        assert "the member cannot be opened" in refusal(lambda: archive.read("a.json"))


def test_limits_hold_for_members(stored: Callable[..., Source]) -> None:
    many = zipped({f"{number}.json": b"" for number in range(9)})
    assert len(stored(many, max_members=9).members()) == 9
    assert "the archive has 9 members, more than 8" in refusal(stored(many, max_members=8).members)
    assert "the archive's directory is too large" in refusal(stored(many, max_members=0).members)
    with stored(zipped({"a": b"12345"}), max_document=4).archive() as archive:
        assert "the member has 5 bytes, and 4 are read" in refusal(lambda: archive.read("a"))
    for write in (zipped, zipped_93):
        with stored(write({"a": bytes(30_000_000)}), free_output=1 << 20, max_ratio=500).archive() as archive:
            assert "decompression bomb" in refusal(lambda: archive.read("a"))


def test_a_bomb_that_lies_about_its_size_is_stopped(stored: Callable[..., Source]) -> None:
    data = zipped_93({"a": bytes(30_000_000)}).replace(struct.pack("<I", 30_000_000), struct.pack("<I", 300_000))
    with stored(data).archive() as archive:
        assert "the member is not of the 300000 bytes" in refusal(lambda: archive.read("a"))


@settings(max_examples=200)
@given(st.sampled_from([zipped, zipped_93]), st.data())
def test_changed_bytes_are_never_another_error(
    tmp_path_factory: pytest.TempPathFactory, write: Callable[[dict[str, bytes]], bytes], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.zip"
    changed = bytearray(write({"a.json": b"[1, 2, 3]" * 9, "b/c.json": b"{}"}))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(4, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(changed[: data.draw(st.integers(len(changed) // 2, len(changed)))])
    try:
        for member in Source.at(path).members():
            if isinstance(member, Source):
                member.read()
    except LoadError as error:
        named = error.path
    else:
        named = str(path)
    assert named.startswith(str(path))


def test_a_member_cut_inside_its_header_is_told(stored: Callable[..., Source]) -> None:
    data = zipped_93({"a.json": TURNS})
    place = struct.pack("<HHHII", 0, 0, 0, 0, 0)  # of the member, at the end of its entry
    at = data.rfind(place)
    moved = data[:at] + struct.pack("<HHHII", 0, 0, 0, 0, len(data) - 5) + data[at + len(place) :]
    with stored(moved).archive() as archive:
        assert f"no member begins at byte {len(data) - 5}" in refusal(lambda: archive.read("a.json"))


@pytest.mark.timeout(60)
def test_the_directory_of_an_archive_is_read_once_for_all_its_members(stored: Callable[..., Source]) -> None:
    members = {f"{number}.json": b"[%d]" % number for number in range(6000)}
    source = stored(zipped(members))
    for _ in range(2):
        found = source.members()
        assert [member.head() for member in found if isinstance(member, Source)] == list(members.values())
        assert [member.read() for member in found if isinstance(member, Source)] == list(members.values())


def test_members_can_be_read_side_by_side_and_in_threads(stored: Callable[..., Source]) -> None:
    members = {f"{number}.jsonl": TURNS + b"%d" % number for number in range(8)}
    found = [member for member in stored(zipped_93(members)).members() if isinstance(member, Source)]
    streams = [member.open() for member in found]
    assert [stream.read(40) for stream in streams] == [TURNS[:40]] * 8
    assert [stream.read() for stream in reversed(streams)] == [each[40:] for each in reversed(members.values())]
    for stream in streams:
        stream.close()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(Source.read, found * 5)) == list(members.values()) * 5


def test_idle_archives_are_few_and_closed_with_their_owner(stored: Callable[..., Source]) -> None:
    source, idle = stored(zipped({"a.json": b"[1]"})), Idle(2)
    owners = [idle.owner() for _ in range(3)]
    archives = [idle.take(owner, source.archive) for owner in owners]

    def is_closed(archive: Archive) -> bool:
        try:
            return archive.read("a.json") != b"[1]"
        except LoadError:
            return True

    for owner, archive in zip(owners, archives, strict=True):
        idle.give(owner, archive)
    assert [is_closed(archive) for archive in archives] == [True, False, False]
    assert idle.take(owners[1], source.archive) is archives[1]
    idle.give(owners[1], archives[1])
    del owners[1], owner
    gc.collect()
    assert [is_closed(archive) for archive in archives] == [True, True, False]
    with idle.take(owners[0], source.archive) as new:
        assert new not in archives
    with idle.take(owners[1], source.archive) as last:
        assert last is archives[2]


def test_archives_are_opened_one_inside_another_and_no_deeper(stored: Callable[..., Source]) -> None:
    data = zipped({"a.json": b"[7]"})
    for _ in range(3):
        data = zipped({"in.zip": data})
    (outer,) = stored(data).members()
    assert isinstance(outer, Source)
    (inner,) = outer.members()
    assert isinstance(inner, Source)
    assert (outer.depth, inner.depth) == (1, 2)
    assert "a zip archive inside 2 others is not opened" in refusal(inner.members)


def test_a_document_in_an_archive_is_stopped_earlier_than_lines_are(stored: Callable[..., Source]) -> None:
    text = b"".join(os.urandom(20) + bytes(14_000) for _ in range(1000))
    source = stored(zipped({"a": text}), free_output=1 << 20, max_document_ratio=200)
    (member,) = source.members()
    assert isinstance(member, Source)
    assert "at most 200 for each are read" in refusal(member.read)
    assert member.head(20) == text[:20]
    with source.archive() as archive, archive.open("a") as stream:
        assert "at most 200 for each are read" in refusal(lambda: archive.read("a"))
        assert stream.read() == text
