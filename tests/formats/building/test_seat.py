from __future__ import annotations

from agentlab.formats.building.seat import Item, Seat, Slot


def item(text: str, role: str = "user", call: str = "") -> Item:
    return Item(role=role, text=text, call=call)  # type: ignore[arg-type]


def filled(*texts: str) -> Seat:
    seat = Seat()
    seat.context = [Slot(item(text), None) for text in texts]
    seat.standing = len(texts)
    return seat


def test_who_wrote_an_item_is_what_its_role_says_unless_it_says_otherwise() -> None:
    roles = ("system", "user", "assistant", "tool")
    assert [item("x", role).written_by for role in roles] == ["system", "user", "model", "tool"]
    assert Item(role="user", text="x", author="harness").written_by == "harness"


def test_a_call_without_a_name_is_the_first_that_waits() -> None:
    seat = Seat()
    seat.propose(["a", "b"], text="t", event="e2")
    assert [seat.executed(""), seat.executed(""), seat.executed("")] == ["a", "b", ""]
    assert [seat.answered("b"), seat.answered(""), seat.answered("")] == ["b", "a", ""]


def test_calls_of_an_earlier_reply_wait_no_more_for_what_names_none() -> None:
    seat = Seat()
    seat.propose(["a"], text="t", event="e2")
    seat.propose(["b"], text="u", event="e4")
    assert seat.answered("") == "b"
    assert seat.answered("a") == "a"
    assert seat.rounds == 2
    assert [seat.reply_with("t"), seat.reply_with("u"), seat.reply_with("v")] == ["e2", "e4", None]


def test_a_context_that_grew_keeps_its_messages() -> None:
    seat = filled("a", "b")
    before = list(seat.context)
    new = item("c")
    assert seat.refit([item("a"), item("b"), new], 0) == [new]
    assert seat.context == before
    assert seat.standing == 2


def test_a_message_that_was_cut_out_moves_the_others_along() -> None:
    seat = filled("a", "b", "c")
    _, _, third = seat.context
    assert seat.refit([item("a"), item("c")], 0) == [third]
    assert [slot.item.text for slot in seat.context] == ["a"]
    assert seat.standing == 1


def test_two_equal_messages_are_two() -> None:
    seat = filled("a", "x", "b", "x")
    _, first, _, second = seat.context
    again = seat.refit([item("a"), item("x"), item("x"), item("x")], 0)
    assert seat.context[1] is first
    assert again[0] is second
    assert again[1] == item("x")


def test_the_same_words_of_another_role_or_about_another_call_are_another_message() -> None:
    seat = Seat()
    seat.context = [Slot(item("x", "tool", "a"), None)]
    assert seat.refit([item("x", "tool", "b")], 0) == [item("x", "tool", "b")]
    seat.context = [Slot(item("x"), None)]
    assert seat.refit([item("x", "assistant")], 0) == [item("x", "assistant")]


def test_known_messages_need_not_be_given_again() -> None:
    seat = filled("a", "b", "c")
    third = seat.context[2]
    assert seat.refit([item("c"), item("d")], 2) == [item("d")]
    assert seat.context[2] is third


def test_what_no_request_carried_and_no_event_shows() -> None:
    seat = filled("a")
    seat.carried = 1
    seat.context += [Slot(Item(role="user", text="b", source="7"), None), Slot(item("c", "assistant"), "e5")]
    assert seat.unsent() == [{"role": "user", "text": "b", "source": "7"}]
