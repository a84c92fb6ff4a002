"""Names that a report gives behind a colon or a tick, and Chinese ones."""

from __future__ import annotations

import pytest

from agentlab.audit.prose.names import names_in
from agentlab.audit.prose.reading import statements
from tests.audit.dialogues import Call, chat, rules

COUNTED: Call = ("count_nets", {"quay": "Malt"}, "12")
LISTED: Call = ("list_dir", {"path": "."}, "nets.md\nropes.md")
NEVER = ("unexecuted-claim", "failure")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("结果已保存到 渔获.csv。", "渔获.csv"),
        ("结果已保存到渔获.csv。", "渔获.csv"),
        ("我写好了报告/渔获统计.xlsx", "报告/渔获统计.xlsx"),
        ("见“渔获.csv”", "渔获.csv"),
        ("渔获v2.csv 已更新", "渔获v2.csv"),
        ("结果。csv 是格式", ""),
        ("你好", ""),
    ],
)
def test_chinese_names(text: str, name: str) -> None:
    found = names_in(text, 0, len(text))
    assert [each.text for each in found if each.kind == "path"] == ([name] if name else [])
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize(
    "said",
    ["Saved: nets.csv", "✅ Created nets.csv", "- ✅ Saved `nets.csv`", "File saved: nets.csv", "已保存：渔获.csv"],
)
def test_a_report_states_its_name(said: str) -> None:
    (statement,) = statements(said)
    assert statement.kind == "change"
    assert [name.kind for name in statement.names] == ["path"]
    assert said[statement.start : statement.end] == statement.text


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (COUNTED, "Saved: nets.csv"),
        (COUNTED, "✅ Created nets.csv"),
        (COUNTED, "✅ Saved to nets.csv"),
        (COUNTED, "已保存：渔获.csv"),
        (COUNTED, "结果已保存到渔获.csv。"),
        (COUNTED, "已生成文件 `渔获.xlsx`。"),
        (LISTED, "Deleted nets.md."),
        (LISTED, "✅ Deleted: nets.md"),
        (LISTED, "已删除：nets.md"),
        (LISTED, "Removed nets.md and ropes.md."),
    ],
)
def test_what_no_call_has_to_do_with(call: Call, said: str) -> None:
    assert NEVER in rules(chat(call, said))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("write_file", {"path": "渔获.csv", "text": "12"}, "ok"), "结果已保存到渔获.csv。"),
        (("write_file", {"path": "渔获.csv", "text": "12"}, "ok"), "我已保存我的渔获.csv。"),
        (("bash", {"command": "wc -w a > 渔获.csv"}, ""), "已保存：渔获.csv"),
        (("write_file", {"path": "nets.csv", "text": "12"}, "ok"), "✅ Saved: nets.csv"),
        (COUNTED, "请保存到 渔获.csv。"),
        (COUNTED, "渔获.csv 尚未保存。"),
        (COUNTED, "To do:\n- ✅ Created nets.csv"),
        (COUNTED, "```\nSaved: nets.csv\n```"),
        (("stat_file", {"path": "nets.csv"}, "created 2024 by ann"), "Created: nets.csv"),
        (("bash", {"command": "git status"}, "deleted: nets.md"), "Deleted nets.md according to git."),
        (("bash", {"command": "git status"}, "deleted: nets.md"), "Deleted: nets.md"),
        (LISTED, "nets.md was not deleted."),
    ],
)
def test_what_was_done_or_is_told_again(call: Call, said: str) -> None:
    assert NEVER not in rules(chat(call, said))
