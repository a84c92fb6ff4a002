"""The content blocks of Anthropic messages: what one reply says, asks for, and was given by tools that the API runs.

A reply in which the API ran a tool is several stretches of generation: what stands behind a result was written after
it. So each stretch is recorded as a reply of its own, with the call, its execution and its result between them.

Token counts (https://docs.anthropic.com/en/api/messages): the API counts tokens read from and written to the cache
beside `input_tokens`, so the three are added up here; `output_tokens` holds thinking already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, arguments_of, boolean, integer, rest, text
from agentlab.formats.shapes.marks import mark
from agentlab.messages import Arguments, FinishReason, Usage
from agentlab.strictjson import JSONValue, dumps
from agentlab.trace.values import Caller, Evidence, ProposedCall, RefusalCode

__all__ = ["Replies", "finish_of", "is_block", "result_text", "usage_of"]

CALLS: Final = {"tool_use", "server_tool_use", "mcp_tool_use"}
_THOUGHTS: Final = {"thinking", "redacted_thinking"}
_FINISH: Final[Mapping[str, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_REFUSALS: Final[Mapping[str, RefusalCode]] = {
    "max_uses_exceeded": "not_permitted",
    "invalid_tool_input": "invalid_arguments",
    "invalid_input": "invalid_arguments",
    "query_too_long": "invalid_arguments",
    "request_too_large": "invalid_arguments",
}
"""Error codes of server tools that say that nothing was run; every other one is a run that failed."""
_CALL: Final = {"type", "id", "name", "input"}


def is_block(value: JSONValue) -> bool:
    """Whether a value is a content block as no other API writes it; text and pictures look alike everywhere."""
    if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
        return False
    if kind in CALLS:
        return "name" in value and "input" in value
    return (kind == "thinking" and "thinking" in value) or kind == "redacted_thinking" or _is_result(value)


def usage_of(record: Object) -> Usage:
    """The tokens of one API message, from its `usage`; the three kinds of input tokens added up."""
    counts = [integer(record, name) for name in _INPUTS]
    known = [count for count in counts if count is not None]
    return Usage(input_tokens=sum(known) if known else None, output_tokens=integer(record, "output_tokens"))


_INPUTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def finish_of(message: Object) -> FinishReason:
    """Why a reply ended, from its `stop_reason`."""
    return _FINISH.get(text(message, "stop_reason"), "unknown")


def result_text(content: JSONValue) -> str:
    """The content of a result as text: texts as they are, anything else as JSON, encrypted parts marked."""
    if isinstance(content, list) and not all(_is_plain(each) for each in content):
        return dumps([_readable(each) for each in content])
    if isinstance(content, dict):
        return dumps(_readable(content))
    return plain_text(content)


@dataclass(kw_only=True, slots=True)
class _Stretch:
    """What a model wrote without a result coming in between."""

    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    calls: list[Object] = field(default_factory=list)
    results: list[Object] = field(default_factory=list)
    more: list[JSONValue] = field(default_factory=list)
    last: Object = field(default_factory=dict)


def _stretches(blocks: Sequence[Object]) -> list[_Stretch]:
    found = [_Stretch()]
    for place, block in enumerate(blocks):
        kind = text(block, "type")
        if _is_result(block):
            found[-1].results.append(block)
            continue
        if found[-1].results:
            found.append(_Stretch())
        _take(found[-1], block, kind, place)
    return found


def _take(stretch: _Stretch, block: Object, kind: str, place: int) -> None:
    known: set[str] = set()  # of a block that nobody knows, all goes to extra
    if kind in CALLS:
        known = _CALL
        stretch.calls.append(block)
    elif kind in _THOUGHTS:
        known = {"type", "thinking"}
        if thought := text(block, "thinking"):
            stretch.thought.append(thought)
    elif kind == "text":
        known = {"type", "text"}
        _say(stretch, block)
    if more := rest(block, known):
        stretch.more.append({"block": place, **more})
    stretch.last = block


def _say(stretch: _Stretch, block: Object) -> None:
    """Texts with citations are pieces of one text; others are paragraphs."""
    said = text(block, "text")
    whole = bool(block.get("citations") or stretch.last.get("citations"))
    if whole and stretch.said and stretch.last.get("type") == "text":
        stretch.said[-1] += said
    else:
        stretch.said.append(said)


class Replies:
    """Records the replies of one agent, and remembers its context and which calls it asked for.

    Args:
        builder: of the trace, in which this agent acts while a method here is called.
        caller: who asks for a call to a tool of this name, where the API does not run it itself.
    """

    def __init__(self, builder: TraceBuilder, caller: Callable[[str], Caller] = lambda name: "agent") -> None:
        self._builder = builder
        self._caller = caller
        self._asked: dict[str, tuple[str, Arguments]] = {}
        self.items: list[Item] = []
        """The context, where everything that joins it goes through `hear` and `add`."""
        self.own = False
        """Whether a call was proposed that somebody else than the API would have to run."""
        self.provided = False
        """Whether the API ran something."""
        self.failed = False
        """Whether something that the API ran failed or was refused."""

    def hear(self, item: Item) -> None:
        """A message joins the context."""
        self._builder.hear(item)
        self.items.append(item)

    def replace(self, items: Sequence[Item]) -> None:
        """The context is now this."""
        self.items = list(items)
        self._builder.see(self.items)

    def rewind(self, length: int) -> None:
        """The context goes back to its first items."""
        del self.items[length:]
        self._builder.see((), same=length)

    def add(
        self,
        blocks: Sequence[Object],
        *,
        finish: FinishReason = "unknown",
        usage: Usage | None = None,
        extra: Mapping[str, JSONValue] | None = None,
        model: str = "",
        **common: Any,
    ) -> tuple[str, str | None]:
        """Record one API message, whose tokens go to its first stretch; common holds time and source.

        Returns:
            The id of the last reply, and its text where it asked for nothing.
        """
        stretches = _stretches(blocks)
        reply, said = "", ""
        for number, stretch in enumerate(stretches):
            last = number == len(stretches) - 1
            more: dict[str, JSONValue] = {**(extra or {})} if not number else {}
            if stretch.more:
                more["blocks"] = stretch.more
            said = "\n".join(stretch.said)
            reply = self._builder.reply(
                said,
                calls=[self._propose(call) for call in stretch.calls],
                reasoning="\n".join(stretch.thought),
                finish_reason=finish if last else "unknown",
                usage=None if number else usage,
                model=model,
                extra=more,
                **common,
            )
            self.items.append(Item(role="assistant", text=said))
            for result in stretch.results:
                self._provide(result, **common)
        open_ended = stretches[-1].calls or stretches[-1].results
        return reply, None if open_ended else said

    def asked(self, call: str) -> tuple[str, Arguments | None]:
        """The tool and the arguments of a call; empty and None where its proposal is not on record."""
        return self._asked.get(call, ("", None))

    def evidence(self) -> Evidence:
        """What a list of messages proves: executions and errors are on record only of what the API ran."""
        alone = self.provided and not self.own
        return Evidence(
            proposals="present",
            results="present",
            authorship="present",
            executions="present" if alone else "not_recorded",
            errors="present" if alone or self.failed else "not_recorded",
        )

    def _propose(self, block: Object) -> ProposedCall:
        name, arguments = text(block, "name"), arguments_of(block.get("input"))
        call = text(block, "id")
        by: Caller = self._caller(name) if block.get("type") == "tool_use" else "provider"
        self.own = self.own or by not in ("provider", "structured_output")
        proposed = self._builder.propose(name, arguments, call=call, by=by)
        self._asked[proposed.call] = name, arguments
        return proposed

    def _provide(self, block: Object, **common: Any) -> None:
        """A tool that the API ran, and what it gave."""
        self.provided = True
        call = text(block, "tool_use_id")
        name, arguments = self.asked(call)
        content = block.get("content")
        said, error = result_text(content), _error_of(block)
        self.failed = self.failed or error is not None
        if error is not None and error in _REFUSALS and name:
            self._builder.refuse(call, code=_REFUSALS[error], reason=error, **common)
        else:
            tool = name or text(block, "type").removesuffix("_tool_result")
            begun = {**common, "time": None}  # the message is as old as its end
            execution = self._builder.begin(tool, arguments, call=call, by="provider", **begun)
            self._builder.end(execution, result=said if error is None else None, error=error, **common)
        more = rest(block, {"type", "tool_use_id", "content"})
        self.hear(Item(role="tool", text=said, call=call, extra=more, **common))


def _error_of(block: Object) -> str | None:
    content = block.get("content")
    if isinstance(content, dict):
        if code := text(content, "error_code"):
            return code
        status = integer(content, "return_code")
        return f"return code {status}" if status else None
    return result_text(content) if boolean(block, "is_error") else None


def _is_result(block: Object) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("_tool_result") and "tool_use_id" in block


def _is_plain(part: JSONValue) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type") in ("text", "image", "document"))


def _readable(part: JSONValue) -> JSONValue:
    if not isinstance(part, dict):
        return part
    return {
        name: mark("encrypted", value) if name.startswith("encrypted_") and value else value
        for name, value in part.items()
    }
