"""The items of OpenAI's Responses API, which Codex keeps too.

`function_call` and its like are proposals, and `..._output` is what the harness answered. An item of a tool that the
provider runs (`web_search_call`, `code_interpreter_call`, `mcp_call`, ...) is proposal, execution and result in one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from agentlab.formats.building.seat import Item
from agentlab.formats.openai_items.script import Script, Where
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.content import part_text, plain_text, written
from agentlab.formats.shapes.fields import (
    Object,
    arguments_of,
    boolean,
    integer,
    listing,
    mapping,
    mappings,
    objects,
    rest,
    text,
)
from agentlab.formats.shapes.marks import mark
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Arguments, Author, Role, ToolDescription
from agentlab.strictjson import JSONValue

__all__ = ["Items", "is_item", "is_telling_item"]

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_OWN: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
}
"""Calls that the harness must run, with the field that holds the arguments."""
_PROVIDED: Final[Mapping[str, tuple[str, str]]] = {
    "web_search_call": ("action", ""),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("", "result"),
    "mcp_call": ("arguments", "output"),
}
"""Calls that the provider ran, with the fields that hold the arguments and the result."""
_OTHERS: Final = {"item_reference", "compaction", "compaction_summary", "ghost_snapshot"}
_APPROVALS: Final = {"mcp_approval_request", "mcp_approval_response"}
_UNFINISHED: Final = {"in_progress", "searching", "interpreting", "generating", "calling"}
_CALL: Final = {"type", "name", "call_id"}
_MESSAGE: Final = {"type", "role", "content"}


def is_item(value: JSONValue) -> bool:
    """Whether a value may stand in a list of items; easy messages have no type."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if kind is None or kind == "message":
        role = value.get("role")
        return isinstance(role, str) and role in _ROLES and "content" in value
    return is_telling_item(value) or (isinstance(kind, str) and kind in _OTHERS)


def is_telling_item(value: JSONValue) -> bool:
    """Whether a value is an item as no other API writes it."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _OWN or kind.endswith("_call_output"):
        return "call_id" in value
    if kind == "message":
        parts = value.get("content")
        return isinstance(parts, list) and any(
            isinstance(part, dict) and part.get("type") in ("input_text", "output_text") for part in parts
        )
    if kind == "reasoning":
        return isinstance(value.get("summary"), list)
    return kind in _PROVIDED or kind in _APPROVALS or kind == "mcp_list_tools"


def _nothing(tool: str, item: Object, said: str) -> Outcome:
    """What an output proves by its fields: a shell's exit code, and whether a patch was applied."""
    kind = text(item, "type")
    if kind == "apply_patch_call_output" and (status := text(item, "status")):
        return Outcome(ran=True, error=said or status if status == "failed" else None)
    if kind != "shell_call_output":
        return Outcome()
    ends = [mapping(part, "outcome") for part in mappings(item, "output")]
    codes = [integer(end, "exit_code") for end in ends if text(end, "type") == "exit"]
    late = any(text(end, "type") == "timeout" for end in ends)
    bad = next((f"exit code {code}" for code in codes if code), "timeout" if late else None)
    return Outcome(ran=bool(codes) or late, error=bad, error_kind=bad)


class Items:
    """Lays items out in a script.

    Args:
        script: of the trace.
        judge: what an output proves of its call, from the tool's name, the item and its text.
        author: who really wrote a text in the user's seat.
    """

    def __init__(
        self,
        script: Script,
        *,
        judge: Callable[[str, Object, str], Outcome] = _nothing,
        author: Callable[[str], Author | None] = lambda said: None,
    ) -> None:
        self._script = script
        self._judge = judge
        self._author = author
        self.tools: list[ToolDescription] = []
        """Those that MCP servers listed."""
        self.others: list[JSONValue] = []
        """Items that are neither message nor call."""

    def take(self, item: Object, where: Where) -> None:
        """Lay out the next item.

        Raises:
            ShapeError: if a field has another type than it must have, or a message no known role.
        """
        kind = text(item, "type") or "message"
        if kind.endswith("_output") and kind not in self._TAKERS:
            self._output(item, where)
            return
        self._TAKERS.get(kind, Items._other)(self, item, where)

    def _message(self, item: Object, where: Where) -> None:
        role = meaning_of(item, "role", _ROLES)
        said = plain_text(item.get("content"))
        extra = rest(item, _MESSAGE)
        if notes := _annotations(item.get("content")):
            extra["annotations"] = notes
        if role == "assistant":
            self._script.say(said, where, extra)
        else:
            author = self._author(said) if role == "user" else None
            self._script.hear(Item(role=role, text=said, author=author, extra=extra, **where))

    def _reasoning(self, item: Object, where: Where) -> None:
        parts = [*listing(item, "summary"), *listing(item, "content")]
        extra: dict[str, JSONValue] = {}
        if sealed := item.get("encrypted_content"):
            extra["reasoning"] = mark("encrypted", sealed)
        more = rest(item, {"type", "summary", "content", "encrypted_content", "id", "status"})
        self._script.think(plain_text(parts), where, {**extra, **more})

    def _call(self, item: Object, where: Where) -> None:
        kind = text(item, "type")
        field = _OWN[kind]
        name = text(item, "name") or kind.removesuffix("_call")
        call = text(item, "call_id") or text(item, "id")
        given = item.get(field)
        arguments: Arguments = arguments_of(given) if field == "arguments" else _given(given, field)
        self._script.ask(name, arguments, call, where, rest(item, {*_CALL, field, "status"}), provider=False)

    def _output(self, item: Object, where: Where) -> None:
        call = text(item, "call_id")
        output = item.get("output")
        said = plain_text(output) if isinstance(output, str | list) else written(output) if output else ""
        tool = self._script.asked.get(call, ("", ""))[0]
        outcome = self._judge(tool, item, said)
        if outcome.refused:
            self._script.refuse(call, outcome, said, where)
        elif outcome.ran:
            self._script.executed = True
            if outcome.ended:
                self._script.end(call, said, outcome, where)
            else:
                self._script.begin(call, {**where, "time": None})
        self._script.hear(Item(role="tool", text=said, call=call, extra=rest(item, {*_CALL, "output"}), **where))

    def _provided(self, item: Object, where: Where) -> None:
        kind = text(item, "type")
        asked, gave = _PROVIDED[kind]
        name = text(item, "name") or kind.removesuffix("_call")
        call = text(item, "approval_request_id")
        more = rest(item, {*_CALL, asked, gave, "id", "status", "error", "approval_request_id"})
        if call not in self._script.asked or not call:
            call = text(item, "id") or f"{kind} {where['source']}"
            given = item.get(asked) if asked else None
            arguments = arguments_of(given) if asked == "arguments" else _given(given, asked)
            self._script.ask(name, arguments, call, where, more, provider=True)
        self._script.provided = True
        self._script.begin(call, {**where, "time": None})  # the item is as old as its end
        status = text(item, "status")
        if status in _UNFINISHED:
            return
        error = _error(item, status)
        self._script.failed = self._script.failed or error is not None
        result = _readable(kind, item.get(gave)) if gave else None
        self._script.end(call, result, Outcome(ran=True, error=error), where)
        shown = error if error is not None and result is None else result
        self._script.silent = self._script.silent or shown is None
        if shown is not None:
            self._script.hear(Item(role="tool", text=shown, call=call, **where))
        self._script.close()

    def _list_tools(self, item: Object, where: Where) -> None:
        self.tools.extend(described_tools(listing(item, "tools")))
        self.others.append({"item": where["source"], **rest(item, {"tools"})})

    def _approval_request(self, item: Object, where: Where) -> None:
        arguments = arguments_of(item.get("arguments"))
        extra = rest(item, {*_CALL, "arguments", "id"})
        self._script.ask(text(item, "name"), arguments, text(item, "id"), where, extra, provider=True)

    def _approval_response(self, item: Object, where: Where) -> None:
        call, reason = text(item, "approval_request_id"), text(item, "reason")
        if boolean(item, "approve"):
            self._script.then(lambda: self._script.decide(call, "approve", "user", reason, where))
            return
        self._script.close()
        self._script.refuse(call, Outcome(refused="not_permitted", by="user"), reason or "denied by the user", where)

    def _other(self, item: Object, where: Where) -> None:
        self.others.append({"item": where["source"], **item})

    # Plain functions: bound ones would make each reading refer to itself, and only a search for garbage free it.
    _TAKERS: ClassVar[Mapping[str, Callable[[Items, Object, Where], None]]] = {
        "message": _message,
        "reasoning": _reasoning,
        "mcp_list_tools": _list_tools,
        "mcp_approval_request": _approval_request,
        "mcp_approval_response": _approval_response,
        **dict.fromkeys(_OWN, _call),
        **dict.fromkeys(_PROVIDED, _provided),
    }


def _given(value: JSONValue, field: str) -> Arguments:
    """Arguments that are an object, a text as it is, or something that gets its field's name."""
    if isinstance(value, dict | str):
        return value
    return {} if value is None else {field: value}


def _error(item: Object, status: str) -> str | None:
    error = item.get("error")
    if error:
        return written(error)
    return status if status in ("failed", "incomplete") else None


def _readable(kind: str, result: JSONValue) -> str | None:
    """A result as text: the logs of code as they are, pictures as a mark."""
    if result is None or isinstance(result, str):
        return mark("image", result) if result and kind == "image_generation_call" else result
    if kind == "code_interpreter_call" and isinstance(result, list):
        parts = objects(result, "outputs")
        return "\n".join(text(each, "logs") if "logs" in each else part_text(each) for each in parts)
    return written(result) if result else ""


def _annotations(content: JSONValue) -> list[JSONValue]:
    """What the parts of a message say beside their text."""
    if not isinstance(content, list):
        return []
    known = {"type", "text", "refusal", "image_url", "file_data", "input_audio", "audio"}
    found = (rest(part, known) for part in content if isinstance(part, dict))
    more = [{name: value for name, value in each.items() if value not in ([], {})} for each in found]
    return [each for each in more if each]
