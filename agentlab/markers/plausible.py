"""Whether what stands behind an action's marker is an action, well formed or not, or text that begins with the word."""

from __future__ import annotations

import re

from agentlab.markers.arguments import read_object
from agentlab.markers.calls import Body, Call
from agentlab.markers.context import blank
from agentlab.markers.jsoncalls import BEGINNING, has_call_shape
from agentlab.markers.page import Page
from agentlab.markers.scan import TOKEN, Mark
from agentlab.markers.states import State

__all__ = ["is_action"]


def is_action(page: Page, mark: Mark, body: Body, call: Call, end: int, state: State) -> bool:
    """Judge the call that was read from a body, up to `end`, behind a marker that counts.

    A whole call of a registered tool, or Finish, always is one. Behind a final answer, and behind a marker without a
    colon, hardly anything else is; before any other step, a sentence is not.
    """
    if call.problem is None and (call.registered or call.finish):
        return True
    if state.finished or mark.bare:
        return call.problem is None and not call.alone and not page.tools
    if mark.tag == "{":
        return _is_object_call(page, body, end)
    if mark.tag not in ("", TOKEN):
        return not call.alone or (call.problem is None and not page.tools)
    if blank(page.text, mark.end, body.hard):
        return page.kinds.get(body.hard) not in ("final", "answer")
    return state.stepped or not _is_sentence(page, mark, body, call, end)


def _is_sentence(page: Page, mark: Mark, body: Body, call: Call, end: int) -> bool:
    """Whether a line in a text without any step is prose: no call, and neither the whole text nor before a marker."""
    if call.registered or body.input is not None:
        return False
    if not call.alone:
        return call.problem is not None and " " in call.name
    whole = body.hard < len(page.text) or blank(page.text, 0, mark.start)
    return call.problem is not None or not whole or not blank(page.text, end, body.hard)


def _is_object_call(page: Page, body: Body, end: int) -> bool:
    """Whether an object without a marker is a call: it begins with a registered name, or has a name and arguments."""
    first = _FIRST_VALUE.match(page.text, body.start, end)
    if first is not None and page.tools.find(first["name"]):
        return True
    value = read_object(page.text[body.start : end].strip())
    return isinstance(value, dict) and has_call_shape(value)


_FIRST_VALUE = re.compile(rf"{BEGINNING.pattern}\s*+\"(?P<name>[^\"\\\n]{{1,200}})\"")
