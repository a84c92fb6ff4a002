from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.code.programs import Program, program


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("print(1)", ("print",)),
        ("tide = harbour.read(at='noon')\nprint(tide)", ("harbour.read", "print")),
        ("def f():\n    return lamp()\nf()", ("lamp", "f")),
        ("table[0](1)", ()),
        ("# lamp()\ntext = 'lamp()'", ()),
        ("print(f'{lamp(2)}')", ("print", "lamp")),
    ],
)
def test_what_a_program_calls(source: str, calls: tuple[str, ...]) -> None:
    assert Program(source).calls == calls


@pytest.mark.parametrize(
    ("source", "shows"),
    [
        ("task = ('Ask the keeper. '\n 'Be short.')\nprint(task)", True),
        ("print('a', 'b')  # now the keeper is asked", True),
        ("keeper(task='x')", False),
        ("total = 3 * 4\nprint(total)", False),
        ("for n in [1]:\n    print(n)", False),
        ("import os\nprint('x')", False),
        ("print('x'", False),
        ("ls -la", False),
    ],
)
def test_whether_a_program_only_shows_what_it_brings_along(source: str, shows: bool) -> None:
    assert Program(source).only_shows is shows


def test_comments_stand_where_they_say() -> None:
    source = "x = '# no'\ny = 1  # one\n# two 潮\n"
    assert [(each.text, source[each.start : each.end]) for each in program(source).comments] == [
        ("# one", "# one"),
        ("# two 潮", "# two 潮"),
    ]


@pytest.mark.parametrize(
    ("source", "given"),
    [
        ("finish(answer='high')", "'high'"),
        ("x = 3\nfinish(x)", "x"),
        ("finish()", ""),
        ("print('finish(1)')", None),
        ("finish(f'at {t}', 2)", "f'at {t}'"),
    ],
)
def test_what_is_passed_to_a_function(source: str, given: str | None) -> None:
    assert Program(source).passed_to("finish") == given


@pytest.mark.parametrize(
    ("source", "repeats"), [("for n in x:\n    f(n)", True), ("[f(n) for n in x]", True), ("f(x)", False)]
)
def test_whether_a_program_repeats_something(source: str, repeats: bool) -> None:
    assert Program(source).repeats is repeats


def test_a_method_of_something_is_called_by_its_own_name_too() -> None:
    assert Program("tools.lamp(1)").is_calling("lamp")
    assert not Program("headlamp(1)").is_calling("lamp")


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "source", ["(" * 5000, "x = " + "[" * 3000 + "]" * 3000, "a" * 300_000, "\0", "-" * 50_000 + "1"]
)
def test_what_is_no_program_calls_nothing(source: str) -> None:
    assert Program(source).calls == ()
    assert not Program(source).only_shows


@given(st.text(max_size=200))
def test_any_text(source: str) -> None:
    found = Program(source)
    assert isinstance(found.only_shows, bool)
    assert all(found.source[each.start : each.end] == each.text for each in found.comments)


@pytest.mark.parametrize(
    "source",
    [
        "tell('é', 1)",
        "x = 1\r\ntell(  'a'\r\n 'b' )",
        'tell(\n  f"""𝒳\x0c {\n1}""",\n2)',
        "x = '\x0c\x1c'; tell(x + 'ü')",
    ],
)
def test_what_is_passed_is_given_as_it_is_written(source: str) -> None:
    call = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    assert Program(source).passed_to("tell") == ast.get_source_segment(source, call.args[0])


def test_a_program_longer_than_a_reply_is_not_read() -> None:
    assert not Program("x = 1\n" * 5_000).is_python
