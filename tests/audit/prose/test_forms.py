from __future__ import annotations

import pytest

from agentlab.audit.prose.forms import alternatives, form


def test_blanks_in_a_pattern_are_written_with_a_tilde() -> None:
    pattern = form("state", r"it~is ~?on", "on").pattern

    assert pattern.fullmatch("it \n is on")
    assert pattern.fullmatch("it ison")
    assert not pattern.fullmatch("itis on")


def test_a_verb_is_any_word() -> None:
    match = form("change", "i~@", verbs={"saved": "save"}).pattern.match("i saved it")

    assert match is not None
    assert match["verb"] == "saved"


def test_the_cues_of_a_form_are_its_verbs_where_it_names_none() -> None:
    assert form("change", "@", verbs={"saved": "save"}).cues == {"saved"}


def test_a_form_in_the_first_person_waits_for_its_subject() -> None:
    ours = form("change", "i~@", verbs={"saved": "save"}, first_person=True)

    assert (ours.cues, ours.needs) == ({"i", "we"}, {"saved"})


def test_the_longest_alternative_is_tried_first() -> None:
    assert alternatives("run test_run a") == "(?:test~run|run|a)"


@pytest.mark.parametrize(
    ("pattern", "anchored"),
    [("^done", True), ("^(?:a|b)", True), (r"^[|)]a\|", True), ("^a|b", False), ("(?:^a)", False), ("a", False)],
)
def test_a_form_that_begins_its_clause_is_looked_for_there_only(pattern: str, anchored: bool) -> None:
    made = form("change", pattern, "done")
    assert made.anchored == anchored
    for clause in ("done", "a done", "b", "|a|", ")a| done"):
        assert [match.span() for match in made.places(clause)] == [
            match.span() for match in made.pattern.finditer(clause)
        ]
