"""A list of spans that a person can write by hand: what happened, without any tracing library.

A file is an object with the list `spans`, or that list. A span says what one agent, one call of a model, or one run of
a tool did. Every field may be left out but `span_id` and `kind`.

    trace_id    text: which attempt it belongs to; each id is one trace
    span_id     text: its own id, unique within its trace
    parent_id   text or null: the span that it is part of
    kind        AGENT, LLM or TOOL
    name        text: of the agent or the tool; of an LLM span any word
    start, end  seconds from any zero, or ISO 8601 texts; `end` null where it never ended
    attributes  an object:

    of any span   error    text or object: what went wrong; null or absent where nothing did
                  seq      number: what came first among spans that start at the same time
                  session  text: whose work it is, where several run at once; or under the names of tracing libraries
    of AGENT      input    text: its task
                  output   text: what it handed back
                  tools    list of names, or of objects with name, description and parameters: what it may use
                  tool_uses, status, success: what its framework counted and said of it
    of LLM        messages       list of chat messages (role, content, tool_calls, tool_call_id): what it was sent
                  output         text: what it wrote
                  tool_calls     list of objects with id, name and arguments: what it asked for
                  reasoning      text
                  model          text
                  finish_reason  text
                  input_tokens   all tokens of the prompt; output_tokens all that it generated
                  cache_read_tokens, cache_write_tokens: how many of the prompt came from a cache, or went to it
                  request        object: what else it was sent (model, temperature, stop, tools, messages, ...)
    of TOOL       arguments      object or text
                  output         any value: its result
                  tool_call_id   text: the call in a model's `tool_calls` that it is a run of

Beside `spans` an object may hold `page`, an object with `returned` and `total`: how many spans of how many the list
holds; other fields by which an export says that it is a part are known too. Every other field, there or in
`attributes`, is kept in `extra`. The same is in `SPANS_SCHEMA` as JSON Schema.

A TOOL span is an execution and a span of a sub-agent is one too; none is on record where the list is a page of more.
Calls are recorded where an LLM span has `tool_calls`, or an `output` without any. An AGENT's output is what it said,
where no LLM span below it holds its words. A span whose parent is missing, in another trace, or of another session is
kept where its own ids say, or with its session, and the trace says so in its defect, as it does of one that ends
before it starts, whose duration is then not known, and of an id that two spans of other names or kinds have. Some
writers count cached tokens apart: where `input_tokens` is smaller than they are, they are added; where it is not, it
holds them already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from agentlab.formats.base import Format, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import each_record, key_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.arguments import given_arguments
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    integer,
    listing,
    mapping,
    mappings,
    number,
    objects,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.formats.spans.acts import Act, AgentAct, ModelAct, Said, ToolAct, result_text
from agentlab.formats.spans.container import identity
from agentlab.formats.spans.convention import Convention, trace_of
from agentlab.formats.spans.extent import lacking
from agentlab.formats.spans.schema import KINDS
from agentlab.formats.spans.spoken import called, chat_messages
from agentlab.formats.spans.tree import SpanRecord, merged, word
from agentlab.messages import ToolDescription, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["SPANS"]

_KIND = "agentlab.kind"
"""Where a neutral span keeps its kind, beside the attributes that the person wrote."""


def _is_list(spans: JSONValue) -> bool:
    first = spans[0] if isinstance(spans, list) and spans else None
    return isinstance(first, dict) and "span_id" in first and first.get("kind") in KINDS


def _sniff(head: Head) -> bool:
    return _is_list(head.first) or (isinstance(head.first, dict) and _is_list(head.first.get("spans")))


def _read(record: Record, path: str) -> Iterator[Trace]:
    value = record.value
    body: Object = value if isinstance(value, dict) else {"spans": value}
    spans = [_span(span, place) for place, span in enumerate(mappings(body, "spans"))]
    if not spans:
        raise ShapeError("spans: a list of spans was expected and none found")
    lacks = lacking(body, len(spans))
    general = [lacks] if lacks else []
    convention = Convention(form="spans", reader=lambda _: _act, records_executions=lambda *_: not lacks)
    for name, held in _filed(spans).items():
        trace, defects = held
        key = [key_of(record), name]
        found = trace_of(
            convention, trace, path=path, key=key, defects=[*general, *defects], extra=rest(body, {"spans"})
        )
        if found is not None:
            yield found


def _span(span: Object, place: int) -> SpanRecord:
    with at(f"span {text(span, 'span_id') or place}"):
        kind = text(span, "kind").upper()
        if kind not in KINDS:
            raise ShapeError(f"kind: one of {', '.join(KINDS)} was expected and {kind[:40]!r} found")
        attributes = mapping(span, "attributes")
        fault = attributes.get("error")
        error, error_kind = _fault(fault)
        told = not isinstance(fault, dict) or not word(fault, "message") or fault.keys() <= {"message", "code"}
        return SpanRecord(
            trace=text(span, "trace_id"),
            id=identity(span, "span_id"),
            parent=text(span, "parent_id"),
            name=text(span, "name"),
            start=seconds(span.get("start")),
            end=seconds(span.get("end")),
            error=error,
            error_kind=error_kind,
            attributes={**rest(span, _SPAN), **rest(attributes, {"error"} if told else ()), _KIND: kind},
            order=number(attributes, "seq"),
        )


_SPAN = {"trace_id", "span_id", "parent_id", "kind", "name", "start", "end", "attributes"}


def _fault(fault: JSONValue) -> tuple[str | None, str | None]:
    """What went wrong, and of which kind, from a text or an object that says it in any words."""
    if fault is None or fault is False or fault == "":
        return None, None
    if not isinstance(fault, dict):
        return result_text(fault), None
    return word(fault, "message") or result_text(fault), word(fault, "code") or word(fault, "type") or None


# --- where spans belong ---

_SESSION = ("session", "session_id", "session.id", "conversation_id", "gen_ai.conversation.id", "thread_id")
_COUNTS = (
    ("input_tokens", "prompt_tokens"),
    ("cache_read_tokens", "cache_read_input_tokens", "cached_tokens"),
    ("cache_write_tokens", "cache_creation_input_tokens", "cache_creation_tokens"),
)
"""Names of the tokens of the prompt, and of those that came from a cache and went to it; the first of each is ours."""

Filed = Mapping[str, tuple[dict[str, SpanRecord], list[str]]]
"""By trace id: its spans by id, and what is wrong with them."""


def _filed(spans: Sequence[SpanRecord]) -> Filed:
    """The spans of each trace; one that another session's span holds goes to its own session's trace."""
    found: dict[str, tuple[dict[str, SpanRecord], list[str]]] = {}
    home = {(span.trace, span.id): span for span in spans}
    sessions = _sessions(spans)
    for span in spans:
        found.setdefault(span.trace, ({}, []))
    for span in spans:
        parent = home.get((span.trace, span.parent))
        own, held = _session(span), _session(parent) if parent else ""
        moved = span
        if own and held and own != held:
            root = sessions.get(own)
            moved = replace(span, trace=root.trace, parent=root.id) if root else span
            told = f"span {span.id} is of session {own} and hangs below span {span.parent} of session {held}"
            for each in dict.fromkeys((span.trace, moved.trace)):
                found[each][1].append(told)
        home_of = found[moved.trace][0]
        known = home_of.get(span.id)
        if known is not None and (told := _contradiction(known, moved)):
            found[moved.trace][1].append(told)
        home_of[span.id] = moved if known is None else merged(known, moved)
    _check_tokens(found)
    return {name: held for name, held in found.items() if held[0]}


def _contradiction(first: SpanRecord, second: SpanRecord) -> str:
    """Why two records of one id are not one span; empty where they can be."""
    one, two = ((word(span.attributes, _KIND), span.name) for span in (first, second))
    if one[0] == two[0] and (one[1] == two[1] or not (one[1] and two[1])):
        return ""
    what, other = (f"{kind} {name!r}" for kind, name in (one, two))
    return f"span {first.id} is there twice, as {what} and as {other}, and what the later one says counts"


def _sessions(spans: Sequence[SpanRecord]) -> Mapping[str, SpanRecord]:
    """The first span without a parent of each session."""
    found: dict[str, SpanRecord] = {}
    for span in spans:
        if not span.parent and _session(span):
            found.setdefault(_session(span), span)
    return found


def _session(span: SpanRecord) -> str:
    """Whose work a span is, by the first of the names that tracing libraries give it; empty where it says nothing."""
    return next((own for name in _SESSION if (own := word(span.attributes, name))), "")


def _check_tokens(found: Filed) -> None:
    for spans, defects in found.values():
        for span in spans.values():
            given, cached = _tokens(span.attributes)
            if given is not None and cached and given >= cached:
                defects.append(
                    f"span {span.id} gives {cached} cached tokens beside {given} input tokens, which hold them "
                    "already; a sum of both counts them twice"
                )


def _tokens(attributes: Object) -> tuple[int | None, int]:
    given, read, wrote = (
        next((count for name in names if (count := integer(attributes, name)) is not None), None) for names in _COUNTS
    )
    return given, (read or 0) + (wrote or 0)


# --- what they tell ---


def _act(span: SpanRecord) -> Act | None:
    return _READERS[word(span.attributes, _KIND)](span)


_ANY = {_KIND, "seq"}
_LLM = {
    *("messages", "output", "tool_calls", "reasoning", "model", "finish_reason", "input_tokens", "output_tokens"),
}


def _llm(span: SpanRecord) -> ModelAct:
    attributes = span.attributes
    request = mapping(attributes, "request")
    sent = attributes.get("messages", request.get("messages"))
    calls = [called(call) for call in mappings(attributes, "tool_calls")]
    wrote = attributes.get("output")
    given, cached = _tokens(attributes)
    whole = given + cached if given is not None and given < cached else given
    reply = None
    if wrote is not None or calls:
        reply = Said(
            role="assistant", text=result_text(wrote) or "", calls=calls, reasoning=text(attributes, "reasoning")
        )
    return ModelAct(
        span=span,
        context=None if sent is None else chat_messages(sent),
        reply=reply,
        shows_calls=reply is not None,
        tools=_tools(listing(request, "tools")),
        model=text(attributes, "model") or text(request, "model"),
        usage=Usage(input_tokens=whole, output_tokens=integer(attributes, "output_tokens")),
        finish=text(attributes, "finish_reason"),
        extra=rest(attributes, _ANY | _LLM),
    )


def _tool(span: SpanRecord) -> ToolAct:
    attributes = span.attributes
    return ToolAct(
        span=span,
        tool=span.name,
        arguments=given_arguments(attributes.get("arguments")),
        call=text(attributes, "tool_call_id"),
        result=result_text(attributes.get("output")),
        error=span.error,
        error_kind=span.error_kind,
        extra=rest(attributes, _ANY | {"arguments", "output", "tool_call_id"}),
    )


def _agent(span: SpanRecord) -> AgentAct:
    attributes = span.attributes
    return AgentAct(
        span=span,
        name=span.name,
        task=result_text(attributes.get("input")) or "",
        output=result_text(attributes.get("output")),
        tools=_tools(listing(attributes, "tools")),
        extra=rest(attributes, _ANY | {"input", "output", "tools"}),
    )


_READERS: Mapping[str, Callable[[SpanRecord], Act]] = {"LLM": _llm, "TOOL": _tool, "AGENT": _agent}


def _tools(tools: list[JSONValue]) -> tuple[ToolDescription, ...]:
    found: list[JSONValue] = [{"name": tool} if isinstance(tool, str) else tool for tool in tools]
    return described_tools(objects(found, "tools"))


SPANS = Format(
    name="spans",
    sentence="A list of AGENT, LLM and TOOL spans that a person can write by hand; it proves what its writer put in.",
    url="https://opentelemetry.io/docs/concepts/signals/traces/",
    proofs=Proofs(
        proposals="depends",
        executions="depends",
        results="depends",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_record(_read),
)
