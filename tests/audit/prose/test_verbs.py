from __future__ import annotations

import pytest

from agentlab.audit.prose.chinese import verb_of_chinese
from agentlab.audit.prose.verbs import CHANGES, LOOKUPS, verb_of


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("saved", "save"),
        ("wrote", "write"),
        ("written", "write"),
        ("modified", "modify"),
        ("deployed", "deploy"),
        ("checking", "check"),
        ("analyzing", "analyze"),
        ("returns", "return"),
        ("investigation", "investigate"),
        ("blue", "blue"),
    ],
)
def test_the_base_of_a_form(written: str, base: str) -> None:
    assert verb_of(written) == base


def test_no_verb_is_both_a_change_and_a_look_up() -> None:
    assert not set(CHANGES) & set(LOOKUPS)


def test_a_chinese_verb_has_an_english_base() -> None:
    assert (verb_of_chinese("保存"), verb_of_chinese("蓝")) == ("save", "蓝")
