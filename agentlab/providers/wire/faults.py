"""What an HTTP status of a model server means, and whether asking again can help."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import httpx

from agentlab.errors import ProviderFault

__all__ = ["fault_of", "is_transient", "wait_asked_for"]

_STATUSES: Mapping[int, tuple[ProviderFault, str]] = {
    401: ("unauthorized", "the key is missing or wrong; check the key"),
    403: ("unauthorized", "the key does not allow this; check what it may use"),
    404: (
        "not_found",
        "no such model or path; check the model's name, and the address, which mostly ends in /v1",
    ),
    405: ("not_found", "this path takes no such request; check that the address is the API's"),
    408: ("timeout", "it waited too long for the request; try again"),
    429: ("rate_limited", "too many requests, or no allowance left; wait, or run fewer attempts at once"),
    529: ("rate_limited", "the server has too much to do; try again later"),
}
_STATUS_CLASSES: Mapping[int, tuple[ProviderFault, str]] = {
    3: ("bad_reply", "a redirect, which is not followed because the key would go with it; give the final address"),
    4: ("refused", "it does not accept this request; read its own words in server_said"),
    5: ("server_error", "the server failed; look into its log, or try again later"),
}
_STRANGE_STATUS: tuple[ProviderFault, str] = ("bad_reply", "no answer to a request; check the address")
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request can succeed: RFC 9110, RFC 8470, and 529 as Anthropic's overload."""
_SPENT = ("insufficient_quota", "billing", "credit balance")
"""What servers say with 429 where no waiting helps: the allowance is used up."""


def fault_of(status: int) -> tuple[ProviderFault, str]:
    """What a status that is no success means, and what to do, as a clause."""
    return _STATUSES.get(status) or _STATUS_CLASSES.get(status // 100, _STRANGE_STATUS)


def is_transient(status: int, said: str) -> bool:
    """Whether asking again can help.

    Args:
        status: of the answer.
        said: its body.
    """
    spent = status == 429 and any(word in said.casefold() for word in _SPENT)
    return status in _TRANSIENT and not spent


def wait_asked_for(headers: httpx.Headers) -> float | None:
    """Seconds that a server asks to wait (RFC 9110, section 10.2.3); None where it says nothing that can be read."""
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.replace(".", "", 1).isdigit():
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None
