from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.strictjson import digest
from agentlab.trace.quarantine import FolderQuarantine, MemoryQuarantine
from agentlab.trace.quarantine_reader import EMPTY, FolderTexts, read_side


@given(st.text())
def test_a_text_is_found_again_by_its_digest(text: str) -> None:
    memory = MemoryQuarantine()
    assert memory.put(text) == digest(text)
    assert read_side(memory).get(digest(text)) == text
    with tempfile.TemporaryDirectory() as folder:
        assert FolderQuarantine(Path(folder, "q")).put(text) == digest(text)
        assert FolderTexts(Path(folder, "q")).get(digest(text)) == text


def test_folder_holds_one_file_a_text_and_nothing_else(tmp_path: Path) -> None:
    quarantine = FolderQuarantine(tmp_path / "q")
    assert not (tmp_path / "q").exists()
    for text in ("one", "two", "one", "zwei\r\n\x00"):
        quarantine.put(text)
    assert sorted(path.name for path in (tmp_path / "q").iterdir()) == sorted(
        map(digest, {"one", "two", "zwei\r\n\x00"})
    )


def test_read_side_is_a_picture_of_its_moment() -> None:
    memory = MemoryQuarantine()
    before = read_side(memory)
    memory.put("later")
    assert before.get(digest("later")) is None
    assert read_side(memory).get(digest("later")) == "later"


def test_unknown_digest_gives_none(tmp_path: Path) -> None:
    assert EMPTY.get(digest("x")) is None
    assert FolderTexts(tmp_path).get(digest("x")) is None
    assert FolderTexts(tmp_path / "missing").get(digest("x")) is None


@pytest.mark.parametrize("content", [b"other", b"", b"\xff\xfe", "wörds".encode("latin-1")])
def test_changed_text_is_not_given_out(tmp_path: Path, content: bytes) -> None:
    name = FolderQuarantine(tmp_path).put("wörds")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LoadError, match=f"{name}: a quarantined text must have the SHA-256"):
        FolderTexts(tmp_path).get(name)


@pytest.mark.parametrize(
    "name", ["../outside", "{folder}/outside", "", ".", "..", "a" * 63, "A" * 64, "a" * 64 + "\n", "b" * 64 + "/", "\0"]
)  # fmt: skip
def test_names_that_are_no_digest_reach_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_text("private")
    (tmp_path / "q").mkdir()
    assert FolderTexts(tmp_path / "q").get(name.format(folder=tmp_path)) is None


def test_link_to_another_file_is_not_followed_into_a_trace(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("private")
    (tmp_path / digest("wanted")).symlink_to(tmp_path / "outside")
    with pytest.raises(LoadError, match="this one was changed"):
        FolderTexts(tmp_path).get(digest("wanted"))


def test_threads_may_put_at_the_same_time(tmp_path: Path) -> None:
    texts = [f"reply {number % 40} " * 2000 for number in range(400)]
    quarantine = FolderQuarantine(tmp_path / "q")
    with ThreadPoolExecutor(16) as pool:
        names = list(pool.map(quarantine.put, texts))
    assert names == list(map(digest, texts))
    reader = FolderTexts(tmp_path / "q")
    assert [reader.get(name) for name in names] == texts
    assert {path.name for path in (tmp_path / "q").iterdir()} == set(names)
