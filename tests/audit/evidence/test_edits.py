"""Which files a call changes, and which of them a check reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.edits import languages_read, program_files, takes_back, touched_files
from agentlab.messages import Arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("edit_file", {"file_path": "src/mast.py", "old_string": "hull.py", "new_string": "v2.1"}, ("src/mast.py",)),
        ("write_file", {"path": "a.py", "content": "b.py"}, ("a.py",)),
        ("replace_in_files", {"paths": ["a.py", "b.py"], "by": "c.py"}, ("a.py", "b.py")),
        ("apply_patch", {"input": "--- a/src/mast.go\n+++ b/src/mast.go\n@@\n-x\n+y"}, ("src/mast.go",)),
        ("apply_patch", "*** Add File: deck.rs\n+x", ("deck.rs",)),
        ("read_file", {"path": "a.py"}, ()),
        ("bash", {"command": "sed -i s/a/b/ mast.py"}, ("mast.py",)),
        ("bash", {"command": "echo x > mast.py"}, ("mast.py",)),
        ("bash", {"command": "mv mast.py deck.py"}, ("mast.py", "deck.py")),
        ("bash", {"command": "cp mast.py mast.py.old"}, ()),
        ("bash", {"command": "rm mast.py && touch deck.py && git add hull.py"}, ()),
        ("bash", {"command": "sed -n 1,5p mast.py"}, ()),
    ],
)
def test_only_what_names_a_file_is_changed(tool: str, arguments: Arguments, files: tuple[str, ...]) -> None:
    assert touched_files(tool, arguments) == files


def test_no_check_reads_documents_caches_or_scratch_files() -> None:
    aside = ["README.md", "a.css", "tmp/a.py", "/tmp/a.py", "docs/conf.py", "scratch_mast.py", "x", "v1.2", ".py"]
    assert program_files([*aside, "src/mast.py", "deck.test.ts"]) == ("src/mast.py", "deck.test.ts")


def test_a_runner_reads_its_own_language() -> None:
    files = ["mast.py", "deck.ts"]
    assert languages_read(["cd", "pytest"], files) == ("mast.py",)
    assert languages_read(["npm"], files) == ("deck.ts",)
    assert languages_read(["make"], files) == ("mast.py", "deck.ts")


def test_what_brings_back_an_earlier_state() -> None:
    assert takes_back("bash", {"command": "git checkout -- mast.py"})
    assert takes_back("editor", {"command": "undo_edit", "path": "mast.py"})
    assert not takes_back("bash", {"command": "git commit -m checkout"})


@given(st.text(max_size=200))
def test_any_line_is_taken(line: str) -> None:
    for tool in ("bash", "apply_patch", "python"):
        assert set(program_files(touched_files(tool, {"command": line, "path": line, "code": line}))) >= set()
        touched_files(tool, line)
