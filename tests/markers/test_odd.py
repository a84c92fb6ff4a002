from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentlab.markers.odd import odd


@given(st.text(st.characters(exclude_categories=())))
@example("\ud83d\ude00 half of a pair: \udc80")
def test_what_is_odd_is_left_in_its_order(text: str) -> None:
    assert odd(text) == "".join(char for char in text if not (" " <= char <= "~" or char in "\t\n"))


def test_a_plain_text_has_nothing_odd() -> None:
    assert odd("Plums:\n\t3 kg, ~4 EUR") == ""
    assert odd("Plums:\r\n3 kg\u200b, für 4 €\x7f") == "\r\u200bü€\x7f"
