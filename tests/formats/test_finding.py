from __future__ import annotations

import gc
import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import fsspec
import pytest

from agentlab.errors import LoadError
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.files.source import Limits, Source
from agentlab.formats.finding import Survey, _Finder, survey
from agentlab.trace.codec import encode
from agentlab.trace.model import Trace
from tests.trace.samples import played, started
from tests.trace.test_lost import OTHER, run

ROOT = Path(__file__).parents[2]
JOURNAL = b"".join(encode(event) for event in played())
CHAT = [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "North."}]
CHATS = b"".join(json.dumps({"messages": CHAT, "n": number}).encode() + b"\n" for number in range(3))


def lay(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def archive(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as written:
        for name, each in files.items():
            written.writestr(name, each)
    return content.getvalue()


def formats(found: Survey, below: Path) -> dict[str, str]:
    return {os.path.relpath(each.source.path, below).replace(os.sep, "/"): each.format.name for each in found.found}


def problems(found: Survey) -> dict[str, str]:
    return {Path(error.path).name: error.problem for error in found.unreadable}


def traces(found: Survey) -> list[Trace]:
    loaded = list(found.load())
    assert not [each for each in loaded if isinstance(each, LoadError)]
    return [each for each in loaded if isinstance(each, Trace)]


# --- files and folders


def test_each_file_of_a_folder_is_of_its_own_format_and_the_others_are_listed(tmp_path: Path) -> None:
    lay(tmp_path, {"b.jsonl": JOURNAL, "deep/a.json": CHATS, "notes/readme.txt": b"hello", "notes/empty": b""})
    found = survey([str(tmp_path)])
    assert formats(found, tmp_path) == {"b.jsonl": "agentlab", "deep/a.json": "openai-chat"}
    assert [Path(path).name for path in found.skipped] == ["empty", "readme.txt"]
    assert not found.unreadable
    assert len(traces(found)) == 4


def test_the_name_of_a_file_says_nothing_about_its_format(tmp_path: Path) -> None:
    lay(tmp_path, {"picture.png": JOURNAL, "log": gzip.compress(CHATS, mtime=0), "trace.jsonl": b"\x89PNG\r\n"})
    found = survey([str(tmp_path)])
    assert formats(found, tmp_path) == {"picture.png": "agentlab", "log": "openai-chat"}
    assert [Path(path).name for path in found.skipped] == ["trace.jsonl"]


def test_a_file_that_is_named_is_refused_where_nothing_can_be_made_of_it(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "a.json": b'{"size": 3, "colour": "red"}',
            "b.bin": b"\x00\xff\x00",
            "c": b"",
            "d.json": b"{}",
            "e.json": b"[7]",
        },
    )
    found = survey([str(tmp_path / name) for name in ("a.json", "b.bin", "c", "d.json", "e.json", "missing.json")])
    assert not found.found
    assert not found.skipped
    told = problems(found)
    assert "it holds JSON; its first object has the fields size, colour." in told["a.json"]
    assert "it is no text: byte 1 is 0x00" in told["b.bin"]
    assert "the file is empty (0 bytes)" in told["c"]
    assert "an empty object" in told["d.json"]
    assert "JSON: a list" in told["e.json"]
    assert told["missing.json"] == "there is no such file"


def test_what_is_given_twice_counts_once(tmp_path: Path) -> None:
    lay(tmp_path / "logs", {"a.jsonl": JOURNAL, "other": b"\x00"})
    paths = [tmp_path / "logs", tmp_path, tmp_path / "logs" / "a.jsonl", tmp_path / "logs" / ".." / "logs", tmp_path]
    found = survey([str(path) for path in paths])
    assert formats(found, tmp_path) == {"logs/a.jsonl": "agentlab"}
    assert found.skipped == (str(tmp_path / "logs" / "other"),)


def test_a_link_to_a_file_is_the_file(tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": JOURNAL})
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "a.jsonl")
    assert len(survey([str(tmp_path)]).found) == 1


def test_a_text_that_was_skipped_and_is_then_named_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {"reply.txt": b"Action: look[lamp]"})
    for paths in ([tmp_path, tmp_path / "reply.txt"], [tmp_path / "reply.txt", tmp_path]):
        found = survey([str(path) for path in paths])
        assert formats(found, tmp_path) == {"reply.txt": "completion"}
        assert not found.skipped


def test_a_pattern_names_no_file(tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": JOURNAL, "reply.txt": b"Action: look[lamp]"})
    found = survey([str(tmp_path / "*")])
    assert formats(found, tmp_path) == {"a.jsonl": "agentlab"}
    assert found.skipped == (str(tmp_path / "reply.txt"),)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "*?[", "nosuchscheme://x"])
def test_a_path_that_cannot_be_one_is_an_error(name: str) -> None:
    found = survey([name])
    assert not found.found
    assert len(found.unreadable) == 1


def test_progress_counts_all_files(tmp_path: Path) -> None:
    lay(tmp_path, {"one/a": b"x", "one/b": b"x", "two/c": b"x"})
    counts: list[int] = []
    survey([str(tmp_path / "one"), str(tmp_path / "two")], progress=counts.append)
    assert counts == [1, 2, 3]


def test_a_format_that_is_named_is_not_asked(tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": JOURNAL})
    (found,) = survey([str(tmp_path)], format=FORMATS.get("openai-chat")).found
    assert found.format.name == "openai-chat"
    (error, *_) = found.load()
    assert isinstance(error, LoadError)
    assert "a list of chat messages was expected" in error.problem


def test_a_long_first_field_hides_no_format(tmp_path: Path) -> None:
    lay(tmp_path, {"a.json": json.dumps({"notes": "x" * 200_000, "messages": CHAT}).encode()})
    assert formats(survey([str(tmp_path)]), tmp_path) == {"a.json": "openai-chat"}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", [b"[" * 3_000_000, b'{"a":' * 600_000, b'"' * 3_000_000, b"\xff" * 3_000_000])
def test_what_is_no_trace_is_passed_over_in_linear_time(content: bytes, tmp_path: Path) -> None:
    lay(tmp_path, {"a": content})
    found = survey([str(tmp_path)])
    too_deep = content.startswith((b"[", b"{"))
    assert (found.found, bool(found.skipped)) == ((), not too_deep)
    assert ["nested deeper than 200" in error.problem for error in found.unreadable] == [True] * too_deep


CHAT_TEXT = json.dumps({"messages": CHAT})
RANDOM = gzip.compress(random.Random(5).randbytes(9000), mtime=0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CHAT_TEXT[:-9].encode().replace(b"messages", b"talk"), "the file was cut short"),
        (b'{"n": ' + b"9" * 5000 + b"}", "a number has too many digits"),
        (b'{"a": 1]', "this is not JSON"),
        (b"[" * 300, "nested deeper than 200"),
        (CHAT_TEXT.encode("utf-16"), "the file is text in UTF-16 or UTF-32"),
        (CHAT_TEXT.encode("utf-16-le"), "the file is text in UTF-16 or UTF-32"),
        (b"\xfe\xff" + CHAT_TEXT.encode("utf-16-be"), "the file is text in UTF-16 or UTF-32"),
        (CHAT_TEXT.encode("utf-32"), "the file is text in UTF-16 or UTF-32"),
        (CHAT_TEXT.encode("utf-32-be"), "the file is text in UTF-16 or UTF-32"),
        (RANDOM[:-9], f"the gzip data is cut off at byte {len(RANDOM) - 9}"),
        (gzip.compress(CHAT_TEXT.replace("messages", "talk").encode(), mtime=0)[:-20], "the gzip data is cut off"),
        (gzip.compress(b"", mtime=0)[:12], "the gzip data is cut off at byte 12"),
    ],
)
def test_data_that_cannot_be_read_is_named_in_a_folder_too(content: bytes, reason: str, tmp_path: Path) -> None:
    lay(tmp_path, {"a": content, "b.json": CHATS})
    found = survey([str(tmp_path)])
    assert (len(found.found), found.skipped) == (1, ())
    assert reason in problems(found)["a"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n",
        gzip.compress(b"", mtime=0),
        b"# Notes\n\n[1] A lamp.\n",
        "Das heißt".encode("utf-16"),
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"\xff\xfe\xfd",
        b'{"size": 3}',
        b'{"a": 1, "a": 2}',
        b'{"a": 1}\n{broken\n{"a": 2}\n',
        b"{% if a %}b{% endif %}",
        b"null",
        b"[]",
    ],
)
def test_what_is_something_else_is_skipped(content: bytes, tmp_path: Path) -> None:
    lay(tmp_path, {"a": content})
    found = survey([str(tmp_path)])
    assert (found.found, found.unreadable, found.skipped) == ((), (), (str(tmp_path / "a"),))


def test_a_single_json_value_is_no_reply(tmp_path: Path) -> None:
    lay(tmp_path, {"a.json": b"null\n", "b.json": b"42\n"})
    found = survey([str(tmp_path / "a.json"), str(tmp_path / "b.json")])
    assert found.found == ()
    assert "it holds JSON: null" in problems(found)["a.json"]
    assert "it holds JSON: a number" in problems(found)["b.json"]


@pytest.mark.timeout(60)
def test_where_memory_runs_out_one_file_is_lost_and_not_the_others(tmp_path: Path) -> None:
    many = b", ".join([b'{"role": "assistant", "content": "North by north."}'] * 2_000_000)
    lay(tmp_path, {"big.json": b'{"messages": [' + many + b"]}", "small.json": CHATS})
    code = f"""
import resource
from agentlab.formats.reading import read_traces
for _ in read_traces({str(tmp_path / "small.json")!r}):
    pass
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 400_000_000, -1))
traces = read_traces({str(tmp_path)!r}, on_error=lambda error: print(error.problem))
print(len(list(traces)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    said = "the memory ran out while it was read; it may be read where more memory is free"
    assert (run.stdout, run.stderr) == (f"{said}\n3\n", "")


@pytest.mark.timeout(60)
def test_a_bomb_that_was_packed_in_haste_is_stopped_early(tmp_path: Path) -> None:
    machine = zlib.compressobj(1, wbits=31)
    start = b'[{"role": "user", "content": "'
    packed = b"".join([machine.compress(start), *(machine.compress(b"a" * (1 << 20)) for _ in range(300))])
    lay(tmp_path, {"a.json": packed + machine.flush()})
    (error,) = survey([str(tmp_path)]).load()
    assert isinstance(error, LoadError)
    size = int(re.findall(r"stand for (\d+)", error.problem)[0])
    assert size < 80_000_000


def test_errors_stand_beside_traces_and_lose_none(tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": CHATS + b"{\n" + CHATS})
    loaded = list(survey([str(tmp_path)]).load())
    assert [type(each) for each in loaded] == [Trace] * 3 + [LoadError] + [Trace] * 3


# --- archives


def test_the_members_of_an_archive_are_files(tmp_path: Path) -> None:
    content = archive({"logs/a.jsonl": JOURNAL, "b.json": CHATS, "notes.txt": b"hello"})
    lay(tmp_path, {"all.zip": content})
    for path in (tmp_path, tmp_path / "all.zip"):
        found = survey([str(path)])
        assert formats(found, tmp_path) == {"all.zip!logs/a.jsonl": "agentlab", "all.zip!b.json": "openai-chat"}
        assert found.skipped == (f"{tmp_path / 'all.zip'}!notes.txt",)
        assert len(traces(found)) == 4


def test_a_member_whose_name_leads_elsewhere_is_an_error_and_the_others_are_read(tmp_path: Path) -> None:
    lay(tmp_path, {"all.zip": archive({"../../evil.jsonl": JOURNAL, "a.jsonl": JOURNAL})})
    found = survey([str(tmp_path)])
    assert formats(found, tmp_path) == {"all.zip!a.jsonl": "agentlab"}
    assert len(found.unreadable) == 1


def test_each_unsafe_name_is_told_and_the_archive_counts_as_read(tmp_path: Path) -> None:
    unsafe = ["../a.json", "/b.json", "x/../../c.json", "line\nbreak.json", "bell\a.json"]
    lay(tmp_path, {"all.zip": archive({**dict.fromkeys(unsafe, CHATS), "a.jsonl": JOURNAL})})
    found = survey([str(tmp_path)])
    shown = ["../a.json", "/b.json", "x/../../c.json", "line\\nbreak.json", "bell\\x07.json"]
    assert [error.path.partition("!")[2] for error in found.unreadable] == shown
    assert formats(found, tmp_path) == {"all.zip!a.jsonl": "agentlab"}


def test_a_format_that_is_named_is_meant_for_the_members(tmp_path: Path) -> None:
    lay(tmp_path, {"all.zip": archive({"a.json": CHATS, "b.json": CHATS})})
    found = survey([str(tmp_path)], format=FORMATS.get("openai-chat"))
    assert formats(found, tmp_path) == {"all.zip!a.json": "openai-chat", "all.zip!b.json": "openai-chat"}
    assert len(traces(found)) == 6


def test_an_empty_and_a_broken_archive(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"empty.zip": archive({}), "broken.zip": archive({"a.json": CHATS})[:-30], "text.zip": b"PK is not enough"},
    )
    found = survey([str(tmp_path)])
    assert not found.found
    assert "broken.zip" in problems(found)
    named = survey([str(tmp_path / "empty.zip")])
    assert len(named.unreadable) == 1


def test_an_archive_in_an_archive_is_no_crash(tmp_path: Path) -> None:
    lay(tmp_path, {"all.zip": archive({"inner.zip": archive({"a.json": CHATS}), "b.json": CHATS})})
    found = survey([str(tmp_path)])
    assert formats(found, tmp_path) == {"all.zip!inner.zip!a.json": "openai-chat", "all.zip!b.json": "openai-chat"}


@pytest.mark.timeout(60)
def test_archives_in_archives_come_to_an_end(tmp_path: Path) -> None:
    content = archive({"a.json": CHATS})
    for _ in range(8):
        content = archive({f"{number}.zip": content for number in range(4)})
    lay(tmp_path, {"all.zip": content})
    for form in (None, FORMATS.get("openai-chat")):
        found = survey([str(tmp_path)], format=form)
        assert (found.found, found.skipped, len(found.unreadable)) == ((), (), 16)
        assert {error.problem for error in found.unreadable} == {
            "a zip archive inside 2 others is not opened; unpack the outer one first"
        }


def test_the_members_of_an_archive_are_counted_with_those_of_the_archives_in_it(tmp_path: Path) -> None:
    inner = archive({f"{number}.json": CHATS for number in range(5)})
    lay(tmp_path, {f"{name}.zip": archive({f"{number}.zip": inner for number in range(3)}) for name in "ab"})
    assert len(survey([str(tmp_path)]).found) == 30
    finder = _Finder(None)
    for name in "ab":
        finder.add(Source.at(tmp_path / f"{name}.zip", limits=Limits(max_members=13)), named=True)
    found = finder.survey()
    assert len(found.found) == 20
    assert [os.path.relpath(error.path, tmp_path) for error in found.unreadable] == ["a.zip!2.zip", "b.zip!2.zip"]
    assert "more than 13 members" in found.unreadable[0].problem


def test_errors_that_are_kept_hold_nothing_of_what_was_read(tmp_path: Path) -> None:
    content = gzip.compress(b"[" + b" " * 20_000_000, mtime=0)
    lay(tmp_path, {f"{number}.json.gz": content[:-9] for number in range(4)})
    form = FORMATS.get("openai-chat")
    gc.collect()
    tracemalloc.start()
    try:
        errors = list(survey([str(tmp_path)], format=form).load())
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(errors) == 4
    assert all(isinstance(error, LoadError) and error.__traceback__ is None for error in errors)
    assert held < 5_000_000


def test_what_is_no_file_in_a_folder_is_an_error(tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": JOURNAL})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "back").symlink_to(tmp_path)
    for path in (tmp_path, tmp_path / "*"):
        found = survey([str(path)])
        assert [os.path.realpath(each.source.file) for each in found.found] == [str(tmp_path / "a.jsonl")]
        assert problems(found) == {
            "pipe": "a file is expected, and this is a pipe or a device",
            "gone": "there is no such file at 'nowhere', to which it is a link",
            "round": "it is a link that leads back to itself",
        }
    assert "leads back to itself" in problems(survey([str(tmp_path / "round")]))["round"]


def test_names_that_are_not_utf_8_can_be_written_down(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xe9t\xe9"
    os.mkdir(folder)  # noqa: PTH102
    for name, content in ((b"a.jsonl", JOURNAL), (b"\xff.txt", b"hello"), (b"b\xff.json", b"{")):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(content)
    (tmp_path / "link").symlink_to(os.fsdecode(folder))
    found = survey([os.fsdecode(folder), str(tmp_path), os.fsdecode(folder + b"/b\xff.json")])
    shown = f"{tmp_path}/\\xe9t\\xe9"
    assert [each.source.path for each in found.found] == [f"{shown}/a.jsonl"]
    assert (found.skipped, [error.path for error in found.unreadable]) == (
        (f"{shown}/\\xff.txt",),
        [f"{shown}/b\\xff.json"],
    )
    assert [each.path for each in found.load() if isinstance(each, Trace)] == [f"{shown}/a.jsonl"]


def test_a_run_in_a_folder_whose_name_is_not_utf_8_loses_the_same_attempts(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    journal = run(folder)
    journal.write_bytes(b"all is well\n")
    found = survey([str(folder)])
    assert (found.found, len(found.unreadable)) == ((), 2)
    assert found.unreadable[0].path.endswith(f"/\\xff/attempts/{journal.name}")


def test_a_name_with_an_exclamation_mark_is_no_member(tmp_path: Path) -> None:
    lay(tmp_path, {"wow!.jsonl": JOURNAL})
    found = survey([str(tmp_path), str(tmp_path / "." / "wow!.jsonl"), f"{tmp_path}/../{tmp_path.name}"])
    assert len(found.found) == 1


# --- urls


@pytest.fixture
def memory() -> Iterator[str]:
    files = fsspec.filesystem("memory")
    content = {"a.jsonl": JOURNAL, "deep/b.json": CHATS, "all.zip": archive({"c.json": CHATS}), "d": b"\x00"}
    for name, each in content.items():
        files.pipe(f"/find/{name}", each)
    yield "memory://find"
    files.rm("/find", recursive=True)


def test_a_url_of_a_folder_and_of_a_file(memory: str) -> None:
    found = survey([memory])
    names = {each.source.path.rpartition("/find/")[2]: each.format.name for each in found.found}
    assert names == {"a.jsonl": "agentlab", "deep/b.json": "openai-chat", "all.zip!c.json": "openai-chat"}
    assert [path.rpartition("/")[2] for path in found.skipped] == ["d"]
    assert len(traces(found)) == 7
    assert len(traces(survey([f"{memory}/a.jsonl"]))) == 1
    assert len(traces(survey([f"{memory}/*/*.json"]))) == 3


def test_folders_that_a_pattern_of_a_url_fits_are_walked(memory: str) -> None:
    files = fsspec.filesystem("memory")
    for name in (".hidden/e.json", "deep/.f.json", "deep/er/g.json"):
        files.pipe(f"/find/{name}", CHATS)
    files.mkdir("/find/empty")
    every = ["a.jsonl", "all.zip!c.json", "deep/b.json", "deep/er/g.json"]
    for pattern, wanted in (("**", every), ("*", every), ("d*", every[2:]), ("deep/**", every[2:]), ("*er", [])):
        found = survey([f"{memory}/{pattern}"])
        assert sorted(each.source.path.rpartition("/find/")[2] for each in found.found) == wanted
        assert [error.problem for error in found.unreadable] == [] if wanted else ["no file fits this pattern"]
    assert survey([f"{memory}/empty"]) == Survey(found=(), skipped=(), unreadable=())


@pytest.mark.parametrize("scheme", ["file", "local", "FILE"])
def test_a_file_url_is_the_local_path(scheme: str, tmp_path: Path) -> None:
    lay(tmp_path, {"a.jsonl": JOURNAL, "reply.txt": b"Action: look[lamp]", ".h/b.json": CHATS})
    os.mkfifo(tmp_path / "p.json")
    (tmp_path / "self").symlink_to(tmp_path)
    for path in ("", "/*", "/**"):
        local, by_url = survey([f"{tmp_path}{path}"]), survey([f"{scheme}://{tmp_path}{path}"])
        assert formats(by_url, tmp_path) == formats(local, tmp_path) == {"a.jsonl": "agentlab"}
        assert by_url.skipped == local.skipped
        assert [os.path.realpath(name) for name in local.skipped] == [str(tmp_path / "reply.txt")]
        assert problems(by_url) == problems(local) == {"p.json": "a file is expected, and this is a pipe or a device"}
    assert problems(survey([f"{scheme}://{tmp_path}/p.json"])) == problems(by_url)
    assert formats(survey([f"{scheme}://{tmp_path}/reply.txt"]), tmp_path) == {"reply.txt": "completion"}
    (error,) = survey([f"{scheme}://"]).unreadable
    assert str(error) == f"{scheme}://: the name of a file or folder was expected, and this url names none"


@pytest.mark.parametrize("form", ["zip://*.json::file://{}", "zip://a.json::{}", "simplecache::file://{}"])
def test_a_chain_of_urls_that_ends_in_a_pipe_blocks_nobody(form: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")
    (error,) = survey([form.format(tmp_path / "p")]).unreadable
    assert "it is a pipe or a device" in error.problem


def test_members_of_one_name_are_told(tmp_path: Path) -> None:
    lay(tmp_path, {"all.zip": archive({"a.json": CHATS, "b.json": JOURNAL})})
    with zipfile.ZipFile(tmp_path / "all.zip", "a") as more:
        for name, content in (("a.json", json.dumps({"messages": CHAT})), ("b.json", CHATS)):
            with pytest.warns(UserWarning, match="Duplicate"):
                more.writestr(name, content)
    found = survey([str(tmp_path)])
    assert len([each for each in found.load() if isinstance(each, Trace)]) == 4
    assert [error.problem.partition(";")[0] for error in found.unreadable] == [
        f"2 members of the archive have the name '{name}.json'" for name in "ab"
    ]


def test_a_password_in_a_url_is_seen_nowhere() -> None:
    (error,) = survey(["nosuch://bob:hush@example.org/a.json?X-Amz-Signature=hush"]).unreadable
    assert error.path == "nosuch://bob:***@example.org/a.json?X-Amz-Signature=***"
    assert "hush" not in str(error)


def test_a_url_that_is_named_is_refused_where_nothing_can_be_made_of_it(memory: str) -> None:
    assert len(survey([f"{memory}/d"]).unreadable) == 1
    assert len(survey([f"{memory}/missing"]).unreadable) == 1


# --- runs


def test_a_run_gives_its_journals_and_skips_nothing(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    for path in (tmp_path / "run", tmp_path, journal.parent):
        found = survey([str(path)])
        assert [each.source.path for each in found.found] == [str(journal)]
        assert not found.skipped
        assert problems(found) == {f"{OTHER}.jsonl": "the manifest names this attempt and there is no journal of it"}
    (trace,) = traces(survey([str(journal)]))
    assert trace.events == played().events


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "its journal is empty"),
        (b"all is well\n", "what lies in its place is not a journal"),
        (encode(started(attempt="attempt_" + "f" * 32)), "what lies in its place is the journal of another"),
    ],
)
def test_what_lies_in_place_of_a_journal_is_an_error_and_no_trace(content: bytes, reason: str, tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    journal.write_bytes(content)
    for path in (tmp_path, tmp_path / "run", journal.parent):
        found = survey([str(path)])
        assert (found.found, found.skipped) == ((), ())
        assert problems(found)[journal.name] == f"the manifest names this attempt and {reason}"
        assert len(found.unreadable) == 2


def test_a_run_whose_manifest_cannot_be_read_is_named_and_its_journals_are_read(tmp_path: Path) -> None:
    journal = run(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text("{")
    found = survey([str(tmp_path)])
    assert [each.source.path for each in found.found] == [str(journal)]
    assert "a manifest is one JSON object" in problems(found)["manifest.json"]


# --- a folder that is one record


def test_the_numbered_files_of_a_folder_are_one_record_where_a_format_writes_one_event_a_file(tmp_path: Path) -> None:
    event = {"id": 0, "timestamp": "2026-01-05T10:00:00", "source": "user", "action": "message"}
    rows = [
        {**event, "message": "Look.", "args": {"content": "Look.", "wait_for_response": False}},
        {**event, "id": 1, "source": "agent", "message": "Done.", "args": {"content": "Done."}},
    ]
    lay(tmp_path / "events", {f"{number}.json": json.dumps(row).encode() for number, row in enumerate(rows)})
    found = survey([str(tmp_path)])
    assert formats(found, tmp_path) == {"events": "openhands"}
    chats = FORMATS.get("openai-chat")
    assert len(survey([str(tmp_path)], format=chats).found) == 2
    lay(tmp_path / "chats", {"0.json": CHATS, "1.json": CHATS})
    assert len(survey([str(tmp_path / "chats")]).found) == 2


def test_numbered_files_of_another_format_are_not_held_to_find_that_out(tmp_path: Path) -> None:
    chats = CHATS + b" " * 10_000_000
    lay(tmp_path, {f"{number}.json": chats for number in range(8)})
    tracemalloc.start()
    try:
        assert len(survey([str(tmp_path)]).found) == 8
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".GZ"])
@pytest.mark.parametrize("named", [True, False])
def test_what_is_named_as_packed_and_is_none_is_refused(ending: str, named: bool, tmp_path: Path) -> None:
    lay(tmp_path, {f"log.json{ending}": b"this is no archive\n"})
    found = survey([str(tmp_path / f"log.json{ending}" if named else tmp_path)])
    assert (found.found, found.skipped) == ((), ())
    assert problems(found) == {
        f"log.json{ending}": f"its name ends in {ending.lower()!r}, and it holds no data of that compression; "
        "text was found"
    }


def test_a_trace_that_was_unpacked_under_its_old_name_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {"chats.jsonl.gz": CHATS, "reply.txt.gz": gzip.compress(b"Action: look[lamp]"), "empty.gz": b""})
    assert formats(survey([str(tmp_path)]), tmp_path) == {"chats.jsonl.gz": "openai-chat"}
    assert formats(survey([str(tmp_path / "reply.txt.gz")]), tmp_path) == {"reply.txt.gz": "completion"}
