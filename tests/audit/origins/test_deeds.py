"""What calls do."""

from __future__ import annotations

from typing import Any

import pytest

from agentlab.audit.origins.deeds import deed_of, names_deed

DEEDS: list[tuple[str, dict[str, Any], str]] = [
    ("send_mail", {}, "send"),
    ("sendMoney", {}, "pay"),
    ("post_notice", {}, "send"),
    ("email", {}, "send"),
    ("list_emails", {}, "read"),
    ("search_messages", {}, "read"),
    ("get_order", {}, "read"),
    ("place_order", {}, "pay"),
    ("schedule_payment", {}, "pay"),
    ("delete-file", {}, "delete"),
    ("share_folder", {}, "share"),
    ("invite_guest", {}, "share"),
    ("update_hut", {}, "change"),
    ("create_event", {}, "change"),
    ("bash", {}, "run"),
    ("open_page", {"url": "www.hut.example"}, "fetch"),
    ("open_page", {"number": 4}, "read"),
    ("http_request", {"method": "POST", "url": "https://hut.example"}, "send"),
    ("http_request", {"method": "GET", "url": "https://hut.example"}, "fetch"),
    ("发送邮件", {}, "send"),
    ("查询订单", {}, "read"),
    ("frobnicate", {}, "unknown"),
    ("", {}, "unknown"),
]


@pytest.mark.parametrize(("tool", "arguments", "deed"), DEEDS)
def test_what_a_call_does(tool: str, arguments: dict[str, Any], deed: str) -> None:
    assert deed_of(tool, arguments) == deed


def test_arguments_that_are_no_object() -> None:
    assert deed_of("open_page", "www.hut.example") == "read"
    assert deed_of("send_mail", None) == "send"


def test_what_a_person_calls_it() -> None:
    assert names_deed("Forward it to Bo", "send")
    assert names_deed("把清单发给王小明", "send")
    assert names_deed("Settle the bill", "pay")
    assert not names_deed("What is in my inbox?", "pay")
    assert not names_deed("Forward it to Bo", "fetch")
