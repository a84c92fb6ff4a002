"""LangChain messages as they are serialised, and dumps of LangGraph's state, in which they stand.

Schema: https://python.langchain.com/docs/concepts/messages/. A message is `{lc, type: "constructor", id, kwargs}`
(`dumpd`) or `{type: "human", content, ...}` (`model_dump`, also with its fields in `data`). Such messages stand in a
list, in the fields of a state, or in the input and output of a row of some table; rows of one file differ. In each row
the lists of messages are looked for wherever they stand: the longest one is the conversation, and an input and an
output of which one holds the other are one. A list of lists is a batch of prompts, each of which was one request. Only
a row in which nothing is a message is refused.

What an AI message asks for is a proposal; what its SDK could not parse (`invalid_tool_calls`) it refused. A ToolMessage
proves that something was answered, not that anything ran: LangGraph writes one for a tool that does not exist too. That
one is told as a refusal; `status: "error"` is otherwise kept in `extra`. No executions and no times are recorded. Token
counts are those of `usage_metadata`, with cached and reasoning tokens in them. A row without any reply, as the input of
a graph is, cannot tell what would have been asked for.

A message's identity is its index in its list, from 0. Fields of the row beside its messages, such as the rest of a
state, go to `extra` of the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.jsontext import parse_partial
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, bad_row, each_row, key_of
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.messages import is_langchain, is_message, said_of, unwrapped
from agentlab.formats.said.model import Said
from agentlab.formats.said.refusals import refusal_in
from agentlab.formats.said.telling import tell_reply
from agentlab.formats.shapes.fields import Object, ShapeError, listing, mapping
from agentlab.formats.shapes.places import at
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, EvidenceState

__all__ = ["LANGCHAIN"]

_DEEPEST = 8
"""How deep below a row messages are looked for."""
_OTHERS = ("run_type", "dotted_order", "trace_id", "traceId", "observations", "post", "patch", "resourceSpans")
"""Fields of tracers' records, in whose inputs LangChain messages stand too."""


# --- recognising


def _sniff(head: Head) -> bool:
    rows = head.values[0] if len(head.values) == 1 and isinstance(head.first, list) else list(head.values)
    if not isinstance(rows, list) or any(isinstance(row, dict) and _is_other(row) for row in rows[:3]):
        return False
    if not head.whole and not head.cut:  # the first rows may be of OpenAI's shape, and the next one cut off
        rows = [*rows, parse_partial(head.data.rpartition(b"\n")[2])]
    return any(_is_sure(message) for row in rows for messages in _lists(row) for message in messages)


def _is_other(row: Object) -> bool:
    """Whether a row is a tracer's record, or wraps some, as the page of an answer does."""
    if any(name in row for name in _OTHERS):
        return True
    lists = (value for value in row.values() if isinstance(value, list) and value)
    return any(isinstance(value[0], dict) and any(name in value[0] for name in _OTHERS) for value in lists)


def _is_sure(message: JSONValue) -> bool:
    """Whether only LangChain writes such a message; other logs have entries of a type `system` with a content too."""
    fields = unwrapped(message)
    if fields is None or not isinstance(message, dict):
        return False
    return (
        "lc" in message or fields["type"] in ("human", "ai") or (fields["type"] == "tool" and "tool_call_id" in fields)
    )


# --- finding the messages of a row


def _lists(value: JSONValue, depth: int = 0) -> Iterator[list[JSONValue]]:
    """The lists of messages in a value, and single messages as lists of one, in their order."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        if is_message(value):
            yield [value]
            return
        within: Iterable[JSONValue] = value.values()
    elif isinstance(value, list):
        spoken = [each for each in value if is_message(each)]
        if spoken and len(spoken) == len(value):
            yield value
            return
        within = value
    else:
        return
    for inner in within:
        if inner and isinstance(inner, (dict, list)):
            yield from _lists(inner, depth + 1)


def _conversations(row: JSONValue) -> list[list[JSONValue]]:
    """The conversations of a row: each prompt of a batch, or else one.

    Raises:
        ShapeError: if nothing in the row is a message.
    """
    batch = row.get("messages") if isinstance(row, dict) else row
    if isinstance(batch, list):
        prompts = [each for each in batch if isinstance(each, list) and each and all(map(is_message, each))]
        if prompts and len(prompts) == len(batch):
            return prompts
    found = list(_lists(row))
    if not found:
        fields = ", ".join(list(row)[:8]) if isinstance(row, dict) else ""
        raise ShapeError(
            f"a LangChain message was expected, and nothing here is one{fields and f' (fields: {fields})'}"
        )
    place = max(range(len(found)), key=lambda each: len(found[each]))
    if len(found[place]) == 1:
        return [[message for messages in found for message in messages]]
    return [_continued(found[place], *found[place + 1 : place + 2])]


def _continued(longest: list[JSONValue], behind: Sequence[JSONValue] = ()) -> list[JSONValue]:
    """A conversation with what the list behind it adds to it, where a row's output holds only what is new."""
    known = {_identity(message) for message in longest}
    added = [message for message in behind if is_langchain(message)]
    return longest if {_identity(message) for message in added} & known else [*longest, *added]


def _identity(message: JSONValue) -> str:
    fields = unwrapped(message) or {}
    name = fields.get("id")
    return name if isinstance(name, str) and name else repr((fields.get("type"), fields.get("content")))


# --- reading


def _split(record: Record) -> Iterator[Row | ShapeError]:
    table, digest = _table_in(record.value), key_of(record)
    for number, row in enumerate([record.value] if table is None else table):
        place = ": ".join(part for part in (record.place, "" if table is None else f"row {number}") if part)
        try:
            conversations = _conversations(row)
        except ShapeError as error:
            yield bad_row(str(error), place)
            continue
        for part, messages in enumerate(conversations):
            key = f"{digest}/{record.place}/{number}/{part}"
            yield Row(value={"messages": messages, "beside": _beside(row)}, place=place, key=(key,))


def _table_in(value: JSONValue) -> list[JSONValue] | None:
    """The rows that a value is, or wraps as the page of an answer does (`{"data": [...]}`); None where it is one."""
    if isinstance(value, dict) and value.keys() == {"data"}:
        value = value["data"]
    if not isinstance(value, list) or not value:
        return None
    return value if all(isinstance(each, dict) and not is_message(each) for each in value) else None


def _trace(row: Row, path: str) -> Trace:
    builder = TraceBuilder("langchain", path=path, key=row.key, source=row.place, evidence=Evidence())
    messages = listing(row.value, "messages")
    last: Said | None = None
    replied = refused = False
    for index, message in enumerate(messages):
        with at(f"message {index}"):
            for said in said_of(message):
                refused |= _tell(builder, said, str(index))
                replied |= said.role == "assistant"
                last = said
    if last is not None and last.role == "assistant" and not last.calls and last.text:
        builder.answer(last.text)
    elif last is not None and last.role in ("user", "system"):
        builder.request(source=str(len(messages) - 1))  # what the model was or would be asked; no reply is in the row
    told: EvidenceState = "present" if replied else "not_recorded"
    errors: EvidenceState = "present" if refused else "not_recorded"
    builder.evidence = Evidence(proposals=told, results=told, errors=errors, authorship="present")
    builder.describe(extra=mapping(row.value, "beside"))
    return builder.build()


def _tell(builder: TraceBuilder, said: Said, source: str) -> bool:
    """Record a message; whether it shows a refusal."""
    if said.role == "assistant":
        tell_reply(builder, said, source=source)
        return any(call.problem for call in said.calls)
    code = refusal_in(said)
    if code is not None:
        builder.refuse(said.call, code=code, reason=said.text, source=source)
    for item in Memory().items([said], source=source):
        builder.hear(item)
    return code is not None


def _beside(value: JSONValue, depth: int = 0) -> dict[str, JSONValue]:
    """The fields of a row without the messages in them."""
    if not isinstance(value, dict) or is_message(value):
        return {}
    found: dict[str, JSONValue] = {}
    for name, inner in value.items():
        holds = depth <= _DEEPEST and next(_lists(inner, depth + 1), None) is not None
        left = _beside(inner, depth + 1) if holds else inner
        if left not in (None, {}, []):
            found[name] = left
    return found


LANGCHAIN = Format(
    name="langchain",
    sentence="LangChain messages and LangGraph states; a ToolMessage answers a call and proves no execution.",
    url="https://python.langchain.com/docs/concepts/messages/",
    proofs=Proofs(
        proposals="depends", executions="absent", results="depends", errors="depends", times="absent", usage="depends"
    ),
    sniff=_sniff,
    load=each_row(_split, _trace),
)
