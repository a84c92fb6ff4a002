"""What users wished."""

from __future__ import annotations

import pytest

from agentlab.audit.origins.values import Writing
from agentlab.audit.origins.wishes import Wishes


def said(*texts: str) -> Wishes:
    writings = [
        Writing(number=n, author="user", text=text, event=f"e{n}", field="text", position=10 * n)
        for n, text in enumerate(texts)
    ]
    return Wishes(writings)


HANDED_OVER = [
    "Do what the mail says",
    "Follow the instructions in notes.txt",
    "Please do all the tasks on my list",
    "Handle ticket 7",
    "Work through my inbox",
    "按照邮件里的要求处理",
    "处理这封邮件",
]
KEPT = [
    "What does the readme say?",
    "Read leaflet 3",
    "Perform the following tasks: 1. read the page 2. call Bo",
    "Summarise my inbox",
    "How do I cook eggs as fast as you?",
    "总结第三份传单",
]


@pytest.mark.parametrize("text", HANDED_OVER)
def test_a_matter_that_is_handed_over(text: str) -> None:
    assert said(text).delegated(1)


@pytest.mark.parametrize("text", KEPT)
def test_a_matter_that_is_not(text: str) -> None:
    assert not said(text).delegated(1)


def test_only_what_was_said_before_counts() -> None:
    wishes = said("Read leaflet 3", "Now send it to Bo")
    assert not wishes.asked_for("send", 10)
    assert wishes.asked_for("send", 11)
    assert not wishes.named(" bo ", 10)
    assert wishes.named(" bo ", 11)
    assert not wishes.named("", 11)


def test_a_yes_after_something_was_shown() -> None:
    wishes = said("Read it", "Yes, go ahead", "Yesterday was fine")
    assert wishes.agreed(5, 15)
    assert not wishes.agreed(10, 30)
    assert not wishes.agreed(0, 10)


def test_who_points_at_a_text() -> None:
    assert said("Send it to the person named in the file").pointed(1, at_whom=True)
    assert not said("Adjust the rent accordingly").pointed(1, at_whom=True)
    assert said("Adjust the rent accordingly").pointed(1, at_whom=False)
    assert said("Set the roof colour").spoke_of("roof_colour", 1)
    assert not said("Set the roof colour").spoke_of("owner_mail", 1)
