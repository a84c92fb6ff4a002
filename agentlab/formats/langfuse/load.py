"""Langfuse exports: a trace and its observations, in which some twenty frameworks leave what they did.

Schema: https://langfuse.com/docs/observability/data-model. A file holds `{trace, observations}`, a trace with its
`observations` inside (as the API gives it), a list of either, or the rows of a table of observations, one object a
line or a list, which belong together by `traceId`. Texts of `input`, `output` and `metadata` hold JSON in exports, and
sometimes JSON twice; in seeds they are objects.

Proofs depend on the framework. A GENERATION is a model call with its context and reply. An execution is what a TOOL
observation records, or, where an older SDK wrote it, a SPAN whose attributes say so; a ToolMessage that LangGraph's
tool node gave back; BeeAI's tool events (see `agentlab.formats.langfuse.beeai`). A trace declares executions as
recorded where it holds any, and where a library made it that traces every tool and the loop around the model call is
in the file too. Everywhere else nobody can say whether anything ran.

Call ids are mostly in the attributes only. Google's ADK has other ids in the execution than in the reply, and the
Claude agent none at all: these are paired by tool and order. C# takes the tool's name for the id of each of its calls,
which then belongs to the latest reply that used it. A tool named as the form of the answer (`final_result`, Pydantic
AI's output tools) is structured output, and its TOOL observation without a result no execution.

Calls made inside an execution are those of a sub-agent that the tool started. What is neither model call nor execution,
and a model call that failed, goes to `extra` of the attempt as `observations`, without the copies of state that chains
and agents hand on. The copies of input and output in attributes, and of the observations in the trace, are left out.

An event's source is its observation's id. The attempt ends where its outermost observation does. No reason for that is
recorded, but for errors: it was `answered` where the model's last reply asked for nothing, else `other`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.langfuse.beeai import BeeTelling, is_beeai
from agentlab.formats.langfuse.observation import Observation, observation_of
from agentlab.formats.langfuse.running import LangfuseTelling, structured_tools
from agentlab.formats.langfuse.tools import tools_of
from agentlab.formats.loading import misfit, rows_of
from agentlab.formats.said.acting import Telling
from agentlab.formats.said.model import decoded, defect_of
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, mapping, rest, text
from agentlab.formats.shapes.filled import filled
from agentlab.formats.shapes.times import seconds
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["LANGFUSE"]

_TRACING = {
    *("ai", "ai.koog", "agent_framework", "pydantic-ai", "autogen.opentelemetry", "gcp.vertex.agent"),
    *("openinference.instrumentation.openai_agents", "openinference.instrumentation.google_adk"),
    *("openinference.instrumentation.agno", "openinference.instrumentation.beeai"),
    "Experimental.Microsoft.Extensions.AI",
}
"""Libraries that run the tools themselves and make a span of each run."""
_SHOWN = {"SPAN", "RETRIEVER", "EMBEDDING", "EVENT", "GUARDRAIL", "EVALUATOR"}
"""Observations whose input and output are no copies of the state around them."""
_OBSERVED = {"GENERATION", "TOOL", "AGENT", "CHAIN", *_SHOWN}
_TRACE = {"id", "name", "timestamp", "observations", "input", "output", "metadata"}


# --- recognising


def _sniff(head: Head) -> bool:
    return any(_is_export(each) or _is_trace(each) or _is_row(each) for each in head.objects[:1])


def _is_export(value: Object) -> bool:
    trace, observations = value.get("trace"), value.get("observations")
    if isinstance(observations, list) and observations and isinstance(observations[0], dict):
        return _is_row(observations[0]) and isinstance(trace, dict | None)
    return isinstance(trace, dict) and _is_trace(trace)


def _is_trace(value: Object) -> bool:
    known = value.keys() & {"projectId", "timestamp", "bookmarked", "public", "environment", "sessionId", "htmlPath"}
    return isinstance(value.get("id"), str) and "timestamp" in value and len(known) > 2


def _is_row(value: Object) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _OBSERVED and "traceId" in value and "startTime" in value


# --- reading


def _load(source: Source) -> Iterator[Loaded]:
    rows: dict[str, list[JSONValue]] = {}
    for record in records(source):
        if isinstance(record, LoadError):
            yield record
            continue
        if record.value == []:
            yield misfit(source, record.place, ShapeError("a trace was expected, and the list is empty"))
        for value, place, key in rows_of(record):
            try:
                if not isinstance(value, dict):
                    raise ShapeError(f"a trace or an observation was expected and {kind_of(value)} found")
                if "observations" not in value and "traceId" in value:
                    rows.setdefault(text(value, "traceId"), []).append(value)
                else:
                    yield _export(value, source.path, "/".join(map(str, key)), place)
            except ValueError as error:
                yield misfit(source, place, error)
    for name, found in rows.items():
        try:
            yield _trace({"id": name}, found, source.path, name, "")
        except ValueError as error:
            yield misfit(source, f"trace {name}", error)


def _export(value: Object, path: str, key: str, place: str) -> Trace:
    head = mapping(value, "trace")
    found = listing(value, "observations") or listing(head, "observations")
    if not head:
        head = {name: part for name, part in value.items() if name != "observations"}
    if not found:
        raise ShapeError("a trace with observations was expected, and there are none")
    return _trace(head, found, path, text(head, "id") or key, place)


def _trace(head: Object, raw: Sequence[JSONValue], path: str, key: str, place: str) -> Trace:
    observations, defects = _each_once(raw)
    builder = TraceBuilder("langfuse", path=path, key=[key], source=text(head, "id") or place, evidence=Evidence())
    run: LangfuseTelling | BeeTelling
    if is_beeai(observations):
        run = BeeTelling(builder=builder, records=observations, defects=defects)
    else:
        structured = structured_tools(observations)
        run = LangfuseTelling(builder=builder, records=observations, structured=structured, defects=defects)
    run.tell()
    if defects and not run.replies and not run.executions:
        raise ShapeError(defects[0])
    builder.seat("")
    if run.last is not None:
        reply, answer = run.last
        builder.answer(answer, completion=reply)
    _end(run, observations)
    builder.evidence = _evidence(run, observations)
    builder.describe(
        agent=text(head, "name"),
        tools=tools_of(observations),
        time=seconds(head.get("timestamp")),
        extra=_about(head, [_other(each) for each in observations.values() if each.id not in run.told]),
    )
    return builder.build(defect=defect_of(defects, "observations"))


def _about(head: Object, others: list[JSONValue]) -> dict[str, JSONValue]:
    """What stands in no event: the trace's own fields, and observations that are neither model call nor execution."""
    found = {name: part for name, part in rest(head, _TRACE).items() if filled(part)}
    opened = {name: decoded(head.get(name)) for name in ("input", "output", "metadata")}
    found |= {name: part for name, part in opened.items() if filled(part)}
    return {**found, "observations": others} if others else found


def _each_once(raw: Sequence[JSONValue]) -> tuple[dict[str, Observation], list[str]]:
    """The observations in their order, and why some could not be read.

    Of several with one id, which are updates, the last counts, filled up from the others.
    """
    found: dict[str, dict[str, JSONValue]] = {}
    defects: list[str] = []
    for number, each in enumerate(raw):
        if not isinstance(each, dict):
            defects.append(f"observations[{number}]: an object was expected and {kind_of(each)} found")
            continue
        given = each.get("id")
        name = given if isinstance(given, str) and given else f"observation {number}"
        said = {part: value for part, value in each.items() if filled(value)}
        found[name] = {**found.get(name, {}), **said, "id": name}
    read: dict[str, Observation] = {}
    for name, fields in found.items():
        try:
            read[name] = observation_of(fields)
        except ShapeError as error:
            defects.insert(0, str(error))
    return read, defects


def _end(run: Telling, observations: Mapping[str, Observation]) -> None:
    tops = [each for each in observations.values() if each.parent not in observations]
    failed = next((each for each in tops if not each.calls_model and text(each.raw, "level") == "ERROR"), None)
    fault = (text(failed.raw, "statusMessage") or "ERROR") if failed else ""
    run.finish(failed or (tops[0] if len(tops) == 1 else None), fault=fault, answered=run.last is not None)


def _evidence(run: LangfuseTelling | BeeTelling, observations: Mapping[str, Observation]) -> Evidence:
    """What this trace can prove: where no reply was captured but as a bare text, nobody can say what was asked for."""
    traced = any(each.scope in _TRACING and each.parent in observations for each in observations.values())
    return run.evidence(proposals=run.asked > 0 or run.shaped > 0, executions=run.executions > 0 or traced)


def _other(each: Observation) -> JSONValue:
    """An observation that is no event."""
    names = ("id", "parentObservationId", "type", "name", "startTime", "endTime")
    shown = (*names, "input", "output") if each.type in _SHOWN else names
    return {**{name: value for name in shown if filled(value := decoded(each.raw.get(name)))}, **each.more}


LANGFUSE = Format(
    name="langfuse",
    sentence="Langfuse exports of a trace and its observations; what they prove of executions is up to the framework.",
    url="https://langfuse.com/docs/observability/data-model",
    proofs=Proofs(
        proposals="depends", executions="depends", results="depends", errors="depends", times="present", usage="depends"
    ),
    sniff=_sniff,
    load=_load,
)
