"""Segments tile a text and judge nothing; what a harness makes of them is tested beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.markers.segments import Segment, segment

TOOLS = ("tide", "weigh")


def kinds(text: str) -> list[tuple[str, str]]:
    return [(part.kind, text[part.body_start : part.body_end]) for part in segment(text, tools=TOOLS)]


def test_a_transcript_is_cut_into_its_steps() -> None:
    text = (
        "Thought 1: how high\nAction 1: tide[Brest]\nObservation 1: 3 m\nin the evening\n"
        "Thought 2: so\nAction 2: Finish[3 m]\nObservation 2: correct\n"
    )
    assert kinds(text) == [
        ("thought", "how high"),
        ("action", "tide[Brest]"),
        ("observation", "3 m\nin the evening"),
        ("thought", "so"),
        ("finish", "Finish[3 m]"),
        ("observation", "correct"),
    ]


def test_quotation_and_reasoning_are_segments_of_their_own() -> None:
    text = "<think>hm</think>\nSee:\n```\nObservation: 3\n```\n> quoted\nThought: a\n```\nb\n```\nc"
    assert kinds(text) == [
        ("reasoning", "<think>hm</think>"),
        ("prose", "See:"),
        ("quotation", "```\nObservation: 3\n```"),
        ("quotation", "> quoted"),
        ("thought", "a"),
        ("quotation", "```\nb\n```"),
        ("thought", "c"),
    ]


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Log of day 3\nObservation: two seals.\nWind: none", True),
        ("潮汐记录\n\n观察：水位上升。\n结论：大潮。", True),
        ("Observation: two seals.\nWind: none", False),
        ("I look it up.\nObservation: two seals.\nSo there are two.", False),
        ("Thought: look\nObservation: two seals.\nWind: none", False),
    ],
)
def test_an_observation_that_is_a_row_of_a_report(text: str, noted: bool) -> None:
    assert ("observation" not in [kind for kind, _ in kinds(text)]) is noted


def test_quotation_in_an_answer_and_in_an_observation_belongs_to_it() -> None:
    assert kinds("Final Answer: a\n```\nb\n```\nc") == [("finish", "a\n```\nb\n```\nc")]
    assert kinds("Observation: a\n```\nb\n```\nc") == [("observation", "a\n```\nb\n```\nc")]


def test_a_call_is_described_whether_well_formed_or_not() -> None:
    good, bad, unknown = (
        part.call for part in segment('Action: tide[x]\nAction: tide[{"a"]\nAction: sail[x]', tools=TOOLS)
    )
    assert good is not None
    assert (good.name, good.arguments, good.problem, good.registered) == ("tide", "x", None, True)
    assert bad is not None
    assert (bad.name, bad.arguments, bad.problem) == ("tide", '[{"a"]', "unclosed")
    assert unknown is not None
    assert (unknown.name, unknown.problem, unknown.registered) == ("sail", None, False)


def test_turns_name_their_party() -> None:
    parts = segment("Action: tide[x]\nUser: a\nSystem: b\nTool: c\nAssistant: d", tools=TOOLS)
    assert [part.party for part in parts if part.kind == "turn"] == ["user", "system", "tool"]
    assert [part.kind for part in parts][-2:] == ["label", "prose"]


@pytest.mark.parametrize(
    "turn",
    ["<user_message>and the depth?</user_message>", "[INST] and the depth? [/INST]"],
)
def test_what_closes_a_turn_belongs_to_it(turn: str) -> None:
    text = f"It is 3 m.\n{turn}\n4 m"
    part = next(part for part in segment(text) if part.kind == "turn")
    assert text[part.start : part.end] == turn
    assert text[part.body_start : part.body_end].strip() == "and the depth?"
    assert kinds(text)[-1] == ("prose", "4 m")


@pytest.mark.parametrize(
    "text",
    [
        "Pier: north\nObservation: rust on the ladder\nAction: replace the ladder\nBy: Eva",
        "**Observation:** The ladder rusts.\n\n**Advice:** Replace it.",
        "Notes of the dive\n\nObservation: the chain is worn.\nResult: it holds for a year.",
        "地点：北码头\n观察：梯子生锈\n建议：更换梯子",
        "Ship: Alba\nUser: eva\nSystem: Linux\nTool: winch",
        "User: Nutzer\nSystem: Anlage\nTool: Werkzeug",
        "Its parts:\n\nThought: what comes next\nAction: the call that is made\nObservation: what it gives",
        "思考：下一步是什么。\n行动：调用工具。\n观察：工具给出的内容。",
        "Our form:\n\nObservation: what was seen\nAction: what was done\nDate: when",
    ],
)
def test_the_rows_of_a_report_are_prose(text: str) -> None:
    assert {part.kind for part in segment(text, tools=TOOLS)} == {"prose"}


@pytest.mark.parametrize(
    "report",
    [
        "Report\n\nObservation: the tide rose.\nAdvice: shut the gate.",
        "# Report\n**Observation:** the tide rose.\n**Action:** shut the gate.",
        "报告\n观察：潮水上涨\n建议：关门",
    ],
)
def test_a_report_may_be_the_answer(report: str) -> None:
    assert kinds(f"Thought: I have all.\nFinal Answer: {report}")[-1] == ("finish", report)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Observation: 3 m\nThought: high\nNote: rounded", "observation"),
        ("Action: look it up\nObservation: 3 m\nFinal Answer: 3 m", "observation"),
        ("Action: tide\nObservation: 3 m\nNote: rounded", "observation"),
        ("Observation: 3 m\nso the gate is shut", "observation"),
        ("It is shut: yes\n\nUser: please open it", "turn"),
        ("User: open it now\nSystem: opened", "turn"),
        ("Thought: I look\nAction: look it up\nObservation: 3 m", "observation"),
        ("Thought: I look\nAction: look it up\nObservation: high\nFinal Answer: high", "observation"),
        ("Final Answer: 3 m\nObservation: correct", "observation"),
        ("Final Answer: 3 m\nObservation: correct\nNote: so\nThought: next", "observation"),
    ],
)
def test_steps_and_speech_beside_other_lines_are_no_report(text: str, kind: str) -> None:
    assert kind in {part.kind for part in segment(text, tools=TOOLS)}


@pytest.mark.parametrize(
    "label",
    [
        "Obs 1",
        "Returned value",
        "Response from tide",
        "Execution result of [tide]",
        "Execution result",
        "Simulated observation",
        "运行结果",
        "実行結果",
    ],
)
def test_a_result_by_another_name_counts_behind_an_action_only(label: str) -> None:
    assert kinds(f"Action: tide[Brest]\n{label}: 3 m")[-1] == ("observation", "3 m")
    assert kinds(f"{label}: 3 m") == [("prose", f"{label}: 3 m")]


@pytest.mark.parametrize("tag", ["interpreter", "execution_results", "tool_use_result"])
def test_a_result_in_a_tag(tag: str) -> None:
    assert kinds(f"Action: tide[Brest]\n<{tag}>3 m</{tag}>\nHigh.")[1] == ("observation", "3 m")


@pytest.mark.parametrize("comment", ["# Output: 3", "// result: three", "-- Results: three rows"])
def test_a_comment_in_code_is_no_result(comment: str) -> None:
    code = f"x = 3\n{comment}\nshow(x)"
    (action,) = segment(f"Action: weigh\nAction Input: {code}", tools=TOOLS)
    assert action.call is not None
    assert action.call.arguments == code


def test_a_parameter_of_a_tool_in_tags_is_no_result() -> None:
    (action,) = segment("<tide>\n<result>3 m</result>\n</tide>", tools=TOOLS)
    assert action.call is not None
    assert action.call.arguments == {"result": "3 m"}
    assert kinds("<tide><port>Brest</port></tide>\n<result>3 m</result>")[-1] == ("observation", "3 m")


def test_a_marker_between_rules_is_one() -> None:
    kind, body = kinds("Action: tide[Brest]\n━━━ OBSERVATION ━━━\n3 m")[-1]
    assert kind == "observation"
    assert body.endswith("\n3 m")


def test_a_fenced_call_before_further_steps_is_an_action() -> None:
    text = '```json\n{"name": "tide", "arguments": {"port": "Brest"}}\n```\nObservation: 3 m\nFinal Answer: 3 m'
    assert [part.kind for part in segment(text, tools=TOOLS)] == ["label", "action", "label", "observation", "finish"]
    shown = text.partition("Observation")[0] + "That is how a call looks."
    assert {part.kind for part in segment(shown, tools=TOOLS)} == {"quotation", "prose"}


def test_the_edges_of_a_fence_around_a_step_are_labels() -> None:
    assert [part.kind for part in segment("```\nAction: tide[x]\n```", tools=TOOLS)] == ["label", "action", "label"]


def test_text_without_any_marker_is_prose() -> None:
    assert segment("It is high. ", tools=TOOLS) == (Segment(kind="prose", start=0, end=11, body_start=0, body_end=11),)
    assert segment(" \n") == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\u2028", "\x0b"])
def test_any_line_break_ends_a_line(end: str) -> None:
    text = end.join(["Thought: a", "Action: tide[x]", "Observation: 3"])
    assert [part.kind for part in segment(text, tools=TOOLS)] == ["thought", "action", "observation"]


PIECES = [
    "Thought: ",
    "Action: ",
    "Action Input: ",
    "Observation: ",
    "Final Answer: ",
    "Finish[",
    "tide",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    '"',
    "'",
    "`",
    "```\n",
    ":",
    "\n",
    "\r",
    "\u2028",
    " ",
    "\u200b",
    "- ",
    "> ",
    "**",
    "<tool_call>",
    "</tool_call>",
    "<observation>",
    "</observation>",
    "<think>",
    "</think>",
    "<tide>",
    "<",
    "im_end",
    ">",
    "User: ",
    "user\n",
    "观察：",
    "관찰: ",
    "None",
    "Obs",
    "x",
    "é",
    "é",
    "😀",
    "�",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_segments_tile_the_text(text: str) -> None:
    end = 0
    for part in segment(text, tools=TOOLS):
        assert end <= part.start <= part.body_start <= part.body_end <= part.end <= len(text)
        assert part.start < part.end
        assert not text[end : part.start].strip()
        assert text[part.start : part.end] == text[part.start : part.end].strip()
        assert (part.call is not None) <= (part.kind in ("action", "finish"))
        assert (part.party is not None) == (part.kind == "turn")
        end = part.end
    assert not text[end:].strip()
