from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from agentlab.errors import LoadError
from agentlab.formats.files.source import Source
from agentlab.formats.files.walking import walk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.json", "a.jsonl", "deep/er/c.json", ".hidden/d.json", "deep/.e.json", "[x].json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    return tmp_path


@pytest.fixture
def memory() -> Iterator[str]:
    files = fsspec.filesystem("memory")
    for name in ("b.json", "a.json", "deep/c.json"):
        files.pipe(f"/walk/{name}", b"{}")
    yield "memory://walk"
    files.rm("/walk", recursive=True)


def names(path: object, below: object = "") -> list[str]:
    found = []
    for each in walk(str(path)):
        assert isinstance(each, Source)
        found.append(each.path.removeprefix(f"{below}/").replace("\\", "/"))
    return found


def test_a_file_is_itself(folder: Path) -> None:
    assert names(folder / "b.json", folder) == ["b.json"]


def test_a_folders_files_come_sorted_without_what_is_hidden(folder: Path) -> None:
    assert names(folder, folder) == ["[x].json", "a.jsonl", "b.json", "deep/er/c.json"]


def test_a_hidden_folder_that_is_named_is_read(folder: Path) -> None:
    assert names(folder / ".hidden", folder) == [".hidden/d.json"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.json", ["[x].json", "b.json"]),
        ("**/*.json", ["[x].json", "b.json", "deep/er/c.json"]),
        ("?.json*", ["a.jsonl", "b.json"]),
        ("dee[p]", ["deep/er/c.json"]),
        ("[x].json", ["[x].json"]),
        ("**", ["[x].json", "a.jsonl", "b.json", "deep/er/c.json"]),
        ("**/er/*", ["deep/er/c.json"]),
        ("deep/**/**/c.*", ["deep/er/c.json"]),
        (".hid*/*", [".hidden/d.json"]),
        ("**/.e*", ["deep/.e.json"]),
        ("*/er", ["deep/er/c.json"]),
    ],
)
def test_a_pattern_stands_for_what_fits_it(pattern: str, found: list[str], folder: Path) -> None:
    assert names(folder / pattern, folder) == found


def test_a_pattern_that_nothing_fits_is_an_error(folder: Path) -> None:
    (error,) = walk(str(folder / "*.txt"))
    assert isinstance(error, LoadError)
    assert error.problem == "no file fits this pattern"


def test_an_empty_folder_stands_for_nothing(tmp_path: Path) -> None:
    assert not list(walk(str(tmp_path)))


def test_what_is_not_there_is_found_out_when_it_is_opened(tmp_path: Path) -> None:
    (source,) = walk(str(tmp_path / "missing.json"))
    assert isinstance(source, Source)
    with pytest.raises(LoadError, match="there is no such file"):
        source.open()


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "", "x" * 5000 + "/*"])
def test_a_name_that_no_file_can_have_is_no_crash(name: str) -> None:
    for each in walk(name):
        assert isinstance(each, (Source, LoadError))


@pytest.mark.timeout(60)
def test_folders_that_are_links_in_a_circle_are_read_once(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.json").write_text("{}")
    for link in ("again", "once", "more"):
        (inner / link).symlink_to(inner, target_is_directory=True)
    (inner / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "b.json").write_text("{}")
    (inner / "z").symlink_to(tmp_path / "z", target_is_directory=True)
    assert names(inner, inner) == ["a.json", "z/b.json"]
    assert names(inner / "again", inner) == ["again/a.json", "again/z/b.json"]
    assert names(f"{inner}/**/a.json", inner) == ["a.json"]
    assert names(f"{inner}/**/b.json", inner) == ["z/b.json"]
    assert names(f"{inner}/*/a.json", inner) == ["again/a.json"]


def test_what_is_no_file_is_given_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert names(tmp_path, tmp_path) == ["gone", "pipe", "round"]
    assert names(f"{tmp_path}/*", tmp_path) == ["gone", "pipe", "round"]
    assert names(tmp_path / "round", tmp_path) == ["round"]


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that holds one that this process cannot look into, one that it can, and one without entry."""
    folder = Path(tempfile.mkdtemp())  # the folders of pytest are closed to all but their owner
    was = os.geteuid()
    try:
        for name in ("in", "out", "list"):
            (folder / name).mkdir()
            (folder / name / "a.json").write_text("{}")
            (folder / name / "manifest.json").write_text("{}")
        folder.chmod(0o755)
        (folder / "in").chmod(0)
        (folder / "list").chmod(0o744 if was == 0 else 0o444)
        if was == 0:
            os.seteuid(65534)  # nothing is closed to root
        yield folder
    finally:
        os.seteuid(was)
        for name in ("in", "list"):
            (folder / name).chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize("pattern", ["", "/*/*.json", "/**/*.json"])
def test_a_folder_without_permission_is_an_error_and_the_others_are_read(closed: Path, pattern: str) -> None:
    found = list(walk(f"{closed}{pattern}"))
    errors = {error.path: error.problem for error in found if isinstance(error, LoadError)}
    problem = "the folder cannot be looked into: there is no permission to read it"
    assert errors == {str(closed / "in"): problem}
    paths = [each.path.removeprefix(f"{closed}/") for each in found if isinstance(each, Source)]
    assert {"out/a.json", "list/a.json"} <= {*paths}
    assert next(walk(str(closed / "in"))).path == str(closed / "in")


def test_a_file_that_is_closed_says_so_when_it_is_opened(closed: Path) -> None:
    (source,) = (each for each in walk(f"{closed}/list/a*") if isinstance(each, Source))
    with pytest.raises(LoadError, match="there is no permission to read it"):
        source.open()


def test_a_url_of_a_file_of_a_folder_and_of_a_pattern(memory: str) -> None:
    assert names(f"{memory}/a.json") == ["memory://walk/a.json"]
    assert names(memory, "memory:///walk") == ["a.json", "b.json", "deep/c.json"]
    assert names(f"{memory}/*.json", "memory:///walk") == ["a.json", "b.json"]


def test_a_pattern_within_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("a.json", "{}")
        archive.writestr("b.txt", "x")
    (source,) = walk(f"zip://*.json::file://{tmp_path}/logs.zip")
    assert isinstance(source, Source)
    assert source.read() == b"{}"


def test_a_url_that_is_not_there(memory: str) -> None:
    (source,) = walk(f"{memory}/missing.json")
    assert isinstance(source, Source)
    with pytest.raises(LoadError):
        source.open()
    (error,) = walk("nosuchscheme://x/y")
    assert isinstance(error, LoadError)
    assert error.problem == "it cannot be opened (ValueError: Protocol not known: nosuchscheme)"


def test_a_pattern_below_the_folder_that_one_is_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert names("*.jsonl") == ["a.jsonl"]
    assert names("**/c.json") == ["deep/er/c.json"]
    assert names("./d*/**") == ["deep/er/c.json"]
    assert names(".") == ["./[x].json", "./a.jsonl", "./b.json", "./deep/er/c.json"]


def test_an_empty_name_is_an_error() -> None:
    (error,) = walk("")
    assert isinstance(error, LoadError)
    assert "this name is empty" in error.problem


def test_names_that_are_not_utf_8_are_found(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.json"
    Path(os.fsdecode(name)).write_bytes(b"[1]")
    for path in (str(tmp_path), f"{tmp_path}/*.json", os.fsdecode(name)):
        (source,) = walk(path)
        assert isinstance(source, Source)
        assert (source.path, source.read()) == (f"{tmp_path}/\\xff.json", b"[1]")
