from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.errors import LoadError
from agentlab.formats.files.paths import as_local, is_url, kept, masked, printable, resolved


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("logs/a b.json", "logs/a b.json"),
        ("l\u00f6g \u65e5 \U0001f600", "l\u00f6g \u65e5 \U0001f600"),
        (os.fsdecode(b"l\xf6g"), "l\\xf6g"),
        ("\ud83d", "\\ud83d"),
        ("a\nb\x1b[1m\x9b", "a\\nb\\x1b[1m\\x9b"),
        ("a\u202ecod.b", "a\\u202ecod.b"),
        ("C:\\logs", "C:\\logs"),
    ],
)
def test_what_prints_nothing_is_escaped(name: str, shown: str) -> None:
    assert printable(name) == shown


@given(st.text(st.characters(), max_size=20) | st.binary(max_size=20).map(os.fsdecode))
def test_every_name_can_be_written_down(name: str) -> None:
    shown = printable(name)
    assert shown.encode().decode() == shown
    assert printable(shown) == shown


@pytest.mark.parametrize("name", ["round", "nowhere", "a\0b", "x" * 5000, ""])
def test_every_name_has_one_that_is_known(tmp_path: Path, name: str) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "round")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    assert resolved(str(tmp_path / name)) == resolved(str(tmp_path / "." / name))


def test_an_error_that_is_kept_has_no_traceback() -> None:
    def fail() -> None:
        raise LoadError("a\udcffb", "no") from OSError()

    with pytest.raises(LoadError) as caught:
        fail()
    error = kept(caught.value)
    assert (error.path, error.problem) == ("a\\xffb", "no")
    assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ftp://bob:hush@example.org/a", "ftp://bob:***@example.org/a"),
        ("ftp://:hu:s@h@example.org", "ftp://:***@example.org"),
        ("zip://a.json::https://bob:hush@example.org/b.zip", "zip://a.json::https://bob:***@example.org/b.zip"),
        ("no route to sftp://bob:hush@h/x.", "no route to sftp://bob:***@h/x."),
        ("https://h/a?Signature=hush&part=2", "https://h/a?Signature=***&part=2"),
        ("s3://bucket/a:b@c.json", "s3://bucket/a:b@c.json"),
        ("https://h:80/a@b", "https://h:80/a@b"),
        ("a?token=seen", "a?token=seen"),
    ],
)
def test_what_must_not_be_seen_in_a_url_is_masked(text: str, shown: str) -> None:
    assert printable(text) == shown
    error = kept(LoadError(text, f"{text} cannot be opened"))
    assert (error.path, error.problem) == (shown, f"{shown} cannot be opened")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["://" + "a:" * 500_000, "a://b:" * 200_000, "x://" + "?token" * 200_000])
def test_masking_is_linear(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("given_path", "path"),
    [
        ("file:///a/b%20c*.json", "/a/b%20c*.json"),
        ("LOCAL://a/b", "a/b"),
        ("file://", ""),
        ("file:/a", "file:/a"),
        ("s3://a/b", "s3://a/b"),
        ("file:///a.zip::b", "file:///a.zip::b"),
    ],
)
def test_a_file_url_is_a_local_path(given_path: str, path: str) -> None:
    assert as_local(given_path) == path
    assert is_url(given_path) == ("://" in path)
