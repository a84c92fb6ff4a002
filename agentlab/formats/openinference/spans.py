"""OpenInference spans: what Arize Phoenix and the instrumentations that share its conventions record.

https://github.com/Arize-ai/openinference. Two containers: the spans of a trace inside each other, or flat, one behind
another. One trace for each trace id.

A span of a tool, a retriever or a sub-agent is an execution, and so is a step in which a CodeAgent's code ran. A call
that a model proposed is recorded where the model's tools are; what a CodeAgent asks for stands in the text of its
reply, where this format cannot see it. A span's id is the identity of what it tells; of messages, the id of the model's
span that carried them. smolagents gives a tool's span no call id: it is paired by name, in order, with the calls of
the reply before it.

Copies that are left out: `input.value` and `output.value` of a model's span that has messages, token sums of an agent.
Spans that are no act (chains, wrappers without a kind, and the log records that hang on them) are counted by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.source import Source
from agentlab.formats.openinference.containers import is_flat, is_nested, spans_in
from agentlab.formats.openinference.reading import openinference_reader
from agentlab.formats.spans.acts import AgentAct
from agentlab.formats.spans.convention import Convention, trace_of
from agentlab.formats.spans.grouping import objects_in, span_file
from agentlab.formats.spans.plan import Plan
from agentlab.formats.spans.tree import SpanRecord, Tree
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace

__all__ = ["OPENINFERENCE"]


def _sniff(head: Head) -> bool:
    return bool(head.objects) and (is_nested(head.objects[0]) or is_flat(head.objects[0]))


def _spans(value: JSONValue) -> Iterator[SpanRecord]:
    for record in objects_in(value):
        yield from spans_in(record)


def _is_trace(value: JSONValue) -> bool:
    return isinstance(value, dict) and is_nested(value)


def _records_executions(tree: Tree, plan: Plan) -> bool:
    return any(isinstance(unit.act, AgentAct) for unit in plan.units)


_CONVENTION = Convention(form="openinference", reader=openinference_reader, records_executions=_records_executions)


def _tell(spans: Mapping[str, SpanRecord], path: str, defects: list[str]) -> Trace | None:
    return trace_of(_CONVENTION, spans, path=path, defects=defects)


def _load(source: Source) -> Iterator[Loaded]:
    return span_file(source, _spans, _tell, whole=_is_trace)


OPENINFERENCE = Format(
    name="openinference",
    sentence=(
        "OpenInference spans, nested or as Phoenix exports them; what a CodeAgent asks for stands in its text only, "
        "but the code that ran is recorded."
    ),
    url="https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md",
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
