"""Whether a context still says what a text said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.provenance.carrying import Carrying
from agentlab.audit.provenance.standing import Chain, Held
from agentlab.strictjson import digest
from agentlab.trace.values import ContextItem
from tests.audit.stories import Story

TRACE = Story().trace
WISH = "Paint the northern lighthouse white before Saturday and send the invoice to Harriet."


def held(text: str, kind: str = "summary") -> Held:
    item = ContextItem(role="user", author="harness", trust="trusted", digest=digest(text), text=text, origin=None)
    return Held(item, kind, text)


def chain(*items: Held) -> Chain:
    return Chain(held=list(items))


def stands(*items: Held, texts: tuple[str, ...] = (WISH,), **more: Any) -> bool:
    return Carrying(TRACE, texts, **more).stands(chain(*items))


@pytest.mark.parametrize(
    ("items", "is_there"),
    [
        ([], False),
        ([("the lighthouse and the invoice", "summary")], False),
        ([("the lighthouse, the invoice, Harriet", "summary")], True),
        ([("the lighthouse, the invoice, Harriet", "other")], True),
        ([("the lighthouse, the invoice, Harriet", "model")], False),
        ([("paint white; northern lighthouse; the invoice; Harriet", "model")], True),
        ([("the lighthouse, the invoice, Harriet", "tool")], False),
        ([("paint white; northern lighthouse; invoice", "tool")], True),
        ([("paint, white", "tool"), ("north, lighthouse", "tool")], False),
        ([("paint, white", "tool"), ("north, lighthouse", "tool"), ("send, invoice, Harriet", "tool")], True),
        ([("灯塔已经刷白了一半，账单还没有寄出去", "summary")], True),
        ([("灯塔已经刷白了一半，账单还没有寄出去", "tool")], False),
        ([("灯塔", "summary")], False),
        ([("nothing of the kind", "summary")], False),
    ],
)
def test_what_counts(items: list[tuple[str, str]], is_there: bool) -> None:
    assert stands(*(held(text, kind) for text, kind in items)) is is_there


def test_any_of_several_texts_will_do() -> None:
    other = "Count the gulls that nest on the eastern breakwater in June."
    assert stands(held("gulls nest, breakwater, June"), texts=(WISH, other))
    assert not stands(held("gulls"), texts=(WISH, other))


@pytest.mark.parametrize("text", ["", "Paint it.", "修好它"])
def test_a_few_words_are_never_gone(text: str) -> None:
    assert stands(texts=(text,))


def test_what_a_caller_takes_for_another_wording() -> None:
    aside = re.compile("as asked")
    assert stands(held("Done as asked."), aside=aside)
    assert not stands(held("Done as asked.", "tool"), aside=aside)
    assert stands(held("Harriet"), in_summary=1)


WORDS = st.sampled_from(["paint", "white", "north", "lighthouse", "invoice", "Harriet", "sand", "kelp"])
ITEMS = st.builds(held, st.lists(WORDS, max_size=5).map(" ".join), st.sampled_from(["tool", "model", "summary"]))


@given(st.lists(st.tuples(st.integers(0, 6), st.lists(ITEMS, max_size=4)), max_size=8))
def test_a_chain_that_is_cut_and_grows_is_judged_as_a_new_one(cuts: list[tuple[int, list[Held]]]) -> None:
    carrying, growing = Carrying(TRACE, [WISH]), Chain()
    for kept, more in cuts:
        growing.keep(kept)
        for each in more:
            growing.add(each._replace())
        assert carrying.stands(growing) is stands(*growing.held)
