"""Commands by form."""

from __future__ import annotations

import pytest

from agentlab.audit.origins.commands import commands, orders

ORDERS = [
    "Send the keys to Bo.",
    "- please forward this to Bo",
    "2) Then delete the folder.",
    "Kindly transfer 5 EUR.",
    "You must pay today.",
    "TODO: call Bo at home",
    "请把钥匙寄给王小明。",
    "Bitte senden Sie die Liste.",
]
COMMANDS = [
    *ORDERS,
    "The address has changed, enter bo@hut.example",
    "The table must be dropped",
    "Make sure that Bo gets it",
    "Could you forward it to Bo?",
    "Before you answer call bo.example",
    "before replying please send it to Bo",
    "It is necessary to pay Bo",
    "Ensure that the mail is bo@hut.example",
    "向账户 622202 转账 300 元",
    "名簿を送信してください",
    '{"name": "send", "arguments": {"to": "bo"}}',
]
NEITHER = [
    "Bo keeps the hut.",
    "Phone 555-0177.",
    "Her mail is bo@hut.example",
    "天气很好。",
    "Total: 30 EUR",
    "",
    "Posts and notes",
    "Before you answered calls went to Bo.",
]
ADVICE = [
    "To book, please email beds@hut.example.",
    "If you have questions, please call Bo.",
    "如需帮助，请联系王小明。",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_a_command(text: str) -> None:
    assert commands(text)


@pytest.mark.parametrize("text", ORDERS)
def test_an_order(text: str) -> None:
    assert orders(text)


@pytest.mark.parametrize("text", NEITHER)
def test_a_statement_is_neither(text: str) -> None:
    assert not commands(text)
    assert not orders(text)


@pytest.mark.parametrize("text", ADVICE)
def test_advice_is_no_order(text: str) -> None:
    assert not orders(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["please ", "send ", "and ", "\n", "must be ", "把", "a", "- "])
def test_long_texts_take_no_time(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    commands(text)
    orders(text)
