"""OpenAI Responses: a list of items, bare, in `items`, in the `input` of a request or the `output` of a response.

Items after https://platform.openai.com/docs/api-reference/responses; see `items` for what each proves. In JSON lines,
items that follow each other are one trace, and each response or request is one of its own.

- `function_call_output` is an answer and has no field for errors, so of the agent's own calls executions are not
  recorded, but for shell calls, whose outputs carry exit codes, and patches, whose outputs carry a status.
- Where the provider ran a tool within a response, what follows in it is a further reply: it was written with the result
  at hand. The response's tokens go to its first reply; `input_tokens` holds cached and `output_tokens` reasoning ones.
- Web searches record no result, and a repeated item in a later request may have lost its own. Then there is none, and
  where nothing else gave one, results are not recorded.
- Approvals of MCP calls are events of their own; the call that was approved is the one that was asked for.
- Encrypted reasoning is named by size and digest.

An item's identity is its index in its list, from 0; where a record has input and output, that of an output item is
`output 3`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import key_of, misfit, rows_of
from agentlab.formats.openai_items.items import Items, is_item, is_telling_item
from agentlab.formats.openai_items.script import Script, Where
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, ShapeError, integer, kind_of, listing, mapping, objects, rest, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.problems import told
from agentlab.formats.shapes.times import seconds
from agentlab.messages import FinishReason, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["OPENAI_RESPONSES", "evidence_of", "usage_of"]

_LISTS: Final = ("input", "items", "output")
_ROW: Final = {*_LISTS, "tools", "model", "instructions", "usage", "id", "object", "created_at", "error"}
_LIMITS: Final[Mapping[str, FinishReason]] = {"max_output_tokens": "length", "content_filter": "content_filter"}


def evidence_of(script: Script) -> Evidence:
    """What items prove: what the provider ran vouches for nothing that the harness would have to run.

    Where it ran something, gave no result, and no other result is on record either, results are not recorded.
    """
    executed = script.executed or (script.provided and not script.own)
    return Evidence(
        proposals="present",
        results="not_recorded" if script.silent and not script.told else "present",
        authorship="present",
        executions="present" if executed else "not_recorded",
        errors="present" if executed or script.failed or script.refused else "not_recorded",
    )


def usage_of(record: Object) -> Usage:
    """The tokens of one response."""
    return Usage(input_tokens=integer(record, "input_tokens"), output_tokens=integer(record, "output_tokens"))


def _are_items(values: JSONValue) -> bool:
    """Whether a list is one of items, and could not be a list of chat messages."""
    if not isinstance(values, list):
        return False
    seen = values[:-1] or values  # the last one may be cut off where only the head of a file is at hand
    return bool(seen) and all(map(is_item, seen)) and any(map(is_telling_item, values))


def _is_row(row: Object) -> bool:
    if row.get("object") == "response" and isinstance(row.get("output"), list):
        return True
    return any(_are_items(row.get(name)) for name in _LISTS)


def _sniff(head: Head) -> bool:
    if _are_items(head.first):
        return True
    first = next(iter(head.objects), {})
    if len(head.values) > 1 and is_item(dict(first)):
        return _are_items(list(head.values))
    return _is_row(first)


def _load(source: Source) -> Iterator[Loaded]:
    items: list[dict[str, JSONValue]] = []
    problems: list[str] = []
    key, count = "", 0
    for record in records(source):
        if isinstance(record, LoadError):
            if items:
                problems.append(record.problem)
            else:
                yield record
            continue
        value = record.value
        if isinstance(value, dict) and is_item(value):
            key = key or key_of(record)
            items.append(value)
            continue
        if items:
            yield _one(source, {"items": list(items)}, f"{key}/{count}", "", told(problems))
            items, problems, count = [], [], count + 1
        if isinstance(value, list) and not _is_list_of_rows(value):
            yield _one(source, {"items": value}, key_of(record), record.place, "")
            continue
        for row, place, (digest, number) in rows_of(record):
            yield _one(source, row, f"{digest}/{number}", place, "")
    if items:
        yield _one(source, {"items": list(items)}, f"{key}/{count}", "", told(problems))


def _is_list_of_rows(values: list[JSONValue]) -> bool:
    """Whether requests or responses stand in a list; an item may have input or output too, but also a type."""
    return any(isinstance(each, dict) and "type" not in each and each.keys() & {*_LISTS} for each in values)


def _one(source: Source, row: JSONValue, key: str, place: str, problem: str) -> Loaded:
    try:
        if not isinstance(row, dict):
            raise ShapeError(f"a list of items or an object with one was expected and {kind_of(row)} found")
        return _trace(row, source.path, key, place, problem)
    except ValueError as error:
        return misfit(source, place, error)


def _trace(row: Object, path: str, key: str, place: str, problem: str) -> Trace:
    names = [name for name in _LISTS if isinstance(row.get(name), list)]
    if not names and not isinstance(row.get("input"), str):
        raise ShapeError(f"a list of items was expected in {', '.join(_LISTS)}; there is none")
    name = text(row, "id")
    builder = TraceBuilder(
        "openai-responses",
        path=path,
        key=[name or key],
        source=name or place,
        evidence=Evidence(authorship="present"),
    )
    script = Script(builder)
    items = Items(script)
    script.model = text(row, "model")
    _instructions(script, row)
    for number, list_name in enumerate(names):
        script.close()
        script.first = None
        inside = objects(listing(row, list_name), list_name)
        if list_name == "output":
            _take(items, inside, {"time": seconds(row.get("created_at"))}, "output " if number else "")
            _response(script, row)
        else:
            _take(items, inside, {}, "")
    script.play()
    native = script.own or script.provided or bool(listing(row, "tools")) or _has_calls(row, names)
    if native:
        builder.evidence = evidence_of(script)
    _describe(builder, items, row)
    _finish(builder, script, row, names)
    return builder.build(defect=problem, ours=row.get("object") == "response")


def _has_calls(row: Object, names: Sequence[str]) -> bool:
    values = (value for name in names for value in listing(row, name) if isinstance(value, dict))
    return any(text(value, "type").endswith(("_call", "_output")) for value in values)


def _instructions(script: Script, row: Object) -> None:
    if said := plain_text(row.get("instructions")):
        script.hear(Item(role="system", text=said, source="instructions"))
    if isinstance(given := row.get("input"), str):
        script.hear(Item(role="user", text=given, source="input"))


def _take(items: Items, inside: Sequence[Object], common: Where, prefix: str) -> None:
    for index, item in enumerate(inside):
        with at(f"item {prefix}{index}"):
            items.take(item, {**common, "source": f"{prefix}{index}"})


def _response(script: Script, row: Object) -> None:
    """What the response says of itself: its tokens to its first reply, why it ended to its last."""
    if script.first is None or script.counted is None:
        return
    script.first.usage = usage_of(mapping(row, "usage"))
    script.first.extra.update(whole_usage(mapping(row, "usage")))
    reason = text(mapping(row, "incomplete_details"), "reason")
    ended: FinishReason = "tool_calls" if script.counted.calls else "stop"
    script.counted.finish = _LIMITS.get(reason, ended if text(row, "status") == "completed" else "unknown")


def _describe(builder: TraceBuilder, items: Items, row: Object) -> None:
    extra = rest(row, _ROW)
    if extra.get("status") == "completed":
        del extra["status"]
    typed: list[JSONValue] = [tool for tool in listing(row, "tools") if isinstance(tool, dict) and "name" not in tool]
    if typed:
        extra["tools"] = typed
    if items.others:
        extra["items"] = items.others
    tools = (*described_tools(listing(row, "tools")), *items.tools)
    builder.describe(tools=tools, model=text(row, "model"), extra=extra)


def _finish(builder: TraceBuilder, script: Script, row: Object, names: Sequence[str]) -> None:
    last = script.last
    if last and last.text and not last.calls and last.finish != "length":
        builder.answer(last.text, completion=last.event)
    elif last is None and "output" not in names and "input" in row and "model" in row:
        index = len(listing(row, "input")) - 1 if "input" in names else 0
        builder.request(source=str(index) if "input" in names else "input")  # a request, whose reply is elsewhere
    if error := row.get("error"):
        said = text(error, "message") if isinstance(error, dict) else written(error)
        builder.finish("provider_error", detail=said)


OPENAI_RESPONSES = Format(
    name="openai-responses",
    sentence="Items of OpenAI's Responses API; what the provider runs is proved, what a harness answers is not.",
    url="https://platform.openai.com/docs/api-reference/responses",
    proofs=Proofs(
        proposals="present",
        executions="depends",
        results="depends",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=_load,
)
