from __future__ import annotations

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


def test_a_folder_that_is_a_link_to_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert "a.json" in names(tmp_path, tmp_path)
    assert len(names(tmp_path, tmp_path)) < 10


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
    assert "it cannot be looked up" in error.problem
