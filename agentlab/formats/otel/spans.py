"""OpenTelemetry GenAI spans, in OTLP JSON, Jaeger's or Tempo's JSON, or as Python's console exporter prints them.

The conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/. One trace for each trace id; the file is read to
its end first, since exporters send the spans of a trace in any order and over many lines. RAAF's records of starts and
ends are read with them, and so are OpenInference's attributes where they came in such a container.

What the spans prove depends on who wrote them. A span of a tool is an execution. That there is none proves that none
ran only where an agent's span is there, whose writer would have recorded one; a client library alone records calls
and no tools. With content capture off, model spans hold no messages: then calls are not recorded, and a reply stands
with an empty text and `content: not recorded` in its extra. Where a span holds no messages that were sent, or the
instructions alone, its request is marked as not recorded. A span that never ended began an execution that is
unanswered. An MCP result with `isError` is a failure, though its span says OK.

A span's id is the identity of what it tells; of messages, the id of the model's span that carried them. Copies that
are left out: the same call in several spans inside each other (what they hold beyond it stands in the reply's extra,
under `spans`), and the second record of a span. Links between spans, trace states and span kinds are not kept, nor are
the attributes of spans that tell of no model, tool or agent, but for those that failed or met an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.source import Source
from agentlab.formats.openinference.reading import is_openinference, openinference_reader
from agentlab.formats.otel.containers import is_container, spans_in
from agentlab.formats.otel.genai import act_of
from agentlab.formats.otel.journals import attempt_of, restored
from agentlab.formats.otel.raaf import SCOPE, is_raaf, raaf_act, raaf_span
from agentlab.formats.spans.acts import Act, AgentAct
from agentlab.formats.spans.convention import Convention, trace_of
from agentlab.formats.spans.grouping import objects_in, span_file
from agentlab.formats.spans.leftovers import with_events
from agentlab.formats.spans.plan import Plan
from agentlab.formats.spans.tree import SpanRecord, Tree
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["OTEL_GENAI"]


def _sniff(head: Head) -> bool:
    return bool(head.objects) and (is_container(head.objects[0]) or is_raaf(head.objects[0]))


def _spans(value: JSONValue) -> Iterator[SpanRecord]:
    for record in objects_in(value):
        if is_raaf(record):
            yield raaf_span(record)
        else:
            yield from spans_in(record)


def _reader(tree: Tree) -> Callable[[SpanRecord], Act | None]:
    openinference = openinference_reader(tree)

    def read(span: SpanRecord) -> Act | None:
        if is_openinference(span):
            return openinference(span)
        return with_events(raaf_act(span) if span.scope == SCOPE else act_of(span))

    return read


def _records_executions(tree: Tree, plan: Plan) -> bool:
    """An agent framework that records its agents records its tools; a client library knows of none."""
    return any(isinstance(unit.act, AgentAct) for unit in plan.units) or any(
        span.scope == "gcp.vertex.agent" for span in tree.spans
    )


_CONVENTION = Convention(form="otel-genai", reader=_reader, records_executions=_records_executions)


def _tell(spans: Mapping[str, SpanRecord], path: str, defects: list[str]) -> Trace | None:
    if attempt_of(spans.values()):
        return restored(spans, path=path)
    return trace_of(_CONVENTION, spans, path=path, defects=defects)


def _load(source: Source) -> Iterator[Loaded]:
    return span_file(source, _spans, _tell)


OTEL_GENAI = Format(
    name="otel-genai",
    sentence=(
        "OpenTelemetry GenAI spans in OTLP, Jaeger or Tempo JSON or from Python's console; without content capture "
        "they name tools and no calls."
    ),
    url="https://opentelemetry.io/docs/specs/semconv/gen-ai/",
    proofs=Proofs(
        proposals="depends",
        executions="depends",
        results="depends",
        errors="depends",
        times="present",
        usage="depends",
    ),
    sniff=_sniff,
    load=_load,
)
