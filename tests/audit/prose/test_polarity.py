from __future__ import annotations

import pytest

from agentlab.audit.prose.forms import form
from agentlab.audit.prose.polarity import is_denied

PASS = form("check", r"tests~(?:pass|(?P<no>fail))", "tests")
SAVE = form("change", r"i~@", verbs={"saved": "save"})


@pytest.mark.parametrize(
    ("text", "denied"),
    [("all tests pass", False), ("all tests fail", True), ("not all tests pass", True), ("no tests fail", False)],
)
def test_a_check_has_a_sign(text: str, denied: bool) -> None:
    match = PASS.pattern.search(text)

    assert match is not None
    assert is_denied(PASS, match) is denied


@pytest.mark.parametrize(("text", "denied"), [("i saved it", False), ("i saved nothing", True)])
def test_a_deed_needs_an_object(text: str, denied: bool) -> None:
    match = SAVE.pattern.search(text)

    assert match is not None
    assert is_denied(SAVE, match) is denied
