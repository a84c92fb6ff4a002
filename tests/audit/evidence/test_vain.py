"""Failures that leave everything as it was asked for, and refusals that do not."""

from __future__ import annotations

import pytest

from agentlab.audit.evidence.vain import is_so_already


@pytest.mark.parametrize(
    ("text", "tool", "line"),
    [
        ("mkdir: cannot create directory 'quay': File exists", "bash", "mkdir quay"),
        ('relation "berths" already exists', "sql", "CREATE TABLE berths"),
        ("nothing to commit, working tree clean", "bash", "git commit -m x"),
        ("Requirement already satisfied: tides", "bash", "pip install tides"),
        ("rm: wreck: No such file or directory", "bash", "rm wreck"),
        ("umount: /quay: not mounted", "bash", "umount /quay"),
        ("No such process", "kill_process", "7"),
        ("错误：分支未找到", "bash", "git branch -D tmp"),
        ("服务未运行", "stop_service", "lamp"),
        ("目录已存在", "make_folder", "码头"),
    ],
)
def test_what_is_so_needs_no_doing(text: str, tool: str, line: str) -> None:
    assert is_so_already(text, tool, {"command": line})


@pytest.mark.parametrize(
    ("text", "tool", "line"),
    [
        ("berth 4 is already taken", "book_berth", "4"),
        ("the parcel has already left, cannot be stopped", "stop_parcel", "4"),
        ("the berth does not exist", "make_plan", "4"),
        ("table berths doesn't exist", "sql", "INSERT INTO berths"),
        ("No such file or directory", "bash", "cp rota.md plan.md"),
        ("permission denied", "bash", "rm wreck"),
        ("文件不存在", "write_rota", "rota"),
    ],
)
def test_a_refusal_leaves_it_undone(text: str, tool: str, line: str) -> None:
    assert not is_so_already(text, tool, {"command": line})
