from __future__ import annotations

import pytest

from agentlab.harness.intents import Call, ProtocolError, parse_reply

TOOLS = ("bash", "patch", "hand_over")


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        (
            "I look, mend and give it back.\n```\ntree\n```\n```\npatch 4:6\ny = 3\n```\n```\nhand_over\n```",
            "bash",
            "tree",
        ),
        ("Let me look and then give it back.\n\n```\ntree -L 2\n```\n\n```\nhand_over\n```\n", "bash", "tree -L 2"),
        ("我先看一下再提交。\n```\ntree\n```\n```\nhand_over\n```", "bash", "tree"),
        ("```\nhand_over\n```", "hand_over", {}),
        ("I mend it.\n```\npatch 4:6\ny = 3\n```", "patch", "4:6\ny = 3"),
        ("To see it, use\n```sh\ntree\n```", "bash", "tree"),
    ],
)
def test_the_first_of_several_command_blocks_is_the_action(text: str, tool: str, arguments: object) -> None:
    intent = parse_reply(text, tools=TOOLS)
    assert isinstance(intent, Call), intent
    assert (intent.tool, intent.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "You type\n```\ntree\n```\n```\nhand_over\n```",
        "I would type\n```\nhand_over\n```",
        "I list the steps.\n```\ntree\n```\nand then\n```\nhand_over\n```",
        "I list the steps.\n```\ntree\n```\n```\nhand_over\n```\nThat is all.",
        "I list two versions.\n```\nx = 1\n```\n```\nx = 2\n```",
        "I name the folder.\n```text\nhand_over\n```",
        "我给出命令，请输入：\n```\ntree\n```\n```\nhand_over\n```",
        "The steps:\n```\ntree\n```\n```\nhand_over\n```",
        "I propose this sentence.\n```\npatch the roof by Friday\n```",
        "I wrote:\n```\npatch 3.1\n```",
    ],
)
def test_blocks_that_explain_something_are_no_action(text: str) -> None:
    assert not isinstance(parse_reply(text, tools=TOOLS), Call | ProtocolError)


def test_a_block_without_a_language_needs_a_tool_that_runs_it() -> None:
    text = "I look and give it back.\n```\ntree\n```\n```\nhand_over\n```"
    assert not isinstance(parse_reply(text, tools=("hand_over",)), Call | ProtocolError)


def test_an_output_block_directly_below_a_command_is_forged() -> None:
    intent = parse_reply("I count.\n```bash\nwc -l a.csv\n```\n\n```output\n31 a.csv\n```\nSo 31.", tools=TOOLS)
    assert isinstance(intent, ProtocolError)
    assert [part.text for part in intent.forged] == ["```output\n31 a.csv\n```"]
    assert intent.proposed is not None
    assert intent.proposed.arguments == "wc -l a.csv"


@pytest.mark.parametrize(
    "text",
    [
        "I count.\n```bash\nwc -l a.csv\n```\nwhich prints, for a file of two lines,\n```output\n2 a.csv\n```",
        "I count.\n```bash\nwc -l a.csv\n```\n```bash\nls\n```",
    ],
)
def test_any_other_block_below_a_command_is_not(text: str) -> None:
    assert isinstance(parse_reply(text, tools=TOOLS), Call)


def test_code_that_calls_tools_and_its_claimed_output() -> None:
    intent = parse_reply('```tool_code\npatch("a")\n```\n```tool_outputs\nok\n```\nIt is done.', tools=("patch",))
    assert isinstance(intent, ProtocolError)
    assert intent.proposed is not None
    assert intent.proposed.tool == "patch"
