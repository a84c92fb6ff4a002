from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.code import printed_literals
from agentlab.audit.evidence.echoing import echoes
from agentlab.messages import Arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("python", {"code": "print('12 crates loaded')"}, "12 crates loaded\n"),
        ("python", {"code": "n = 12\nprint(f'{n} crates', 'loaded')"}, "12 crates loaded"),
        ("python", {"code": "r = {'tide': 3.2}\nprint(r['tide'])"}, "3.2"),
        ("python", {"code": "import json\nprint(json.dumps({'tide': 3}))"}, '{"tide":3}'),
        ("python", {"code": "'12 crates'"}, "12 crates"),
        ("python", {"code": "if_wet = 1\nprint('tide \\d', 3)"}, "tide \\d 3"),
        ("python", {"code": "print('loaded')"}, "What was printed:\nloaded\nNone"),
        ("python_repl", "print('a')\nprint('b')", "Output:\na\nb\nexit code: 0"),
        ("bash", {"command": "cd deck && echo 'All checks passed'"}, "All checks passed\n"),
        ("bash", {"command": "cat <<E\ntide 3\nE"}, "tide 3"),
        ("note", {"text": "the tide is high"}, "the tide is high"),
        ("set_berth", {"berth": 4, "ship": "Ann"}, '{"ship": "Ann", "berth": 4, "status": "ok"}'),
    ],
)
def test_what_only_gives_back_what_was_passed_in(tool: str, arguments: Arguments, result: str) -> None:
    assert echoes(arguments, result, tool=tool)


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("python", {"code": "print(3 * 14)"}, "42"),
        ("python", {"code": "print(open('a.txt').read())"}, "tide"),
        ("python", {"code": "x = load('tide')\nprint('tide', x)"}, "tide 3"),
        ("python", {"code": "print('tide')"}, "tide\n3.2"),
        ("bash", {"command": "echo $HOME"}, "$HOME"),
        ("bash", {"command": "ls a.txt"}, "a.txt"),
        ("bash", {"command": "echo a | wc -c"}, "2"),
        ("bash", {"command": "pytest; echo over"}, "over"),
        ("bash", {"command": "sort a > b && echo sorted"}, "sorted"),
        ("set_berth", {"berth": 4}, '{"berth": 4, "ship": "Ann"}'),
        ("set_berth", {"berth": 4}, "ok"),
        ("set_berth", {"berth": 4}, '{"status": "ok"}'),
        ("set_berth", {"berth": 4}, ""),
        ("set_berth", None, "4"),
    ],
)
def test_what_brings_something_of_its_own(tool: str, arguments: Arguments | None, result: str) -> None:
    assert not echoes(arguments, result, tool=tool)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "code",
    ["-" * 19_000 + "1", "(" * 15_000, "[" * 9000 + "]" * 9000, "\x00", "f'{" * 300, "x=" * 9000],
)
def test_hostile_programs_are_given_up(code: str) -> None:
    assert printed_literals(code) is None


@given(
    st.one_of(st.none(), st.text(), st.dictionaries(st.sampled_from(["code", "command", "x"]), st.text())), st.text()
)
def test_any_result_is_compared(arguments: Arguments | None, result: str) -> None:
    for tool in ("python", "bash", "note"):
        assert echoes(arguments, result, tool=tool) in (True, False)
