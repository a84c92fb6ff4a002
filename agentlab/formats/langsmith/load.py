"""LangSmith run operations: records that create and update runs, one JSON object a line, in batches, or a run alone.

Schema: https://docs.smith.langchain.com/reference/data_formats/run_data_format. A run is created by one record
(`run_type`, `inputs`, `start_time`, `dotted_order`) and updated by later ones (`outputs`, `end_time`, `error`), which
are put together by `id`; of an update of the JavaScript SDK only `dotted_order` tells the run. A file holds such
records a line, `{post, patch}` batches, whole runs (with their `child_runs`, or in a list), or several of these. Where
there is no `parent_run_id`, `dotted_order` names the parents. Times have a zone, none, or are milliseconds.

An `llm` run is a model call with its context and reply. A `tool` run is an execution. A trace without any declares
executions as not recorded, because functions that are no LangChain tools are not traced. The calls of a model run that
a `parser` run follows in its sequence are the form of an answer, and nothing is run for them. Runs inside a tool's run
are those of a sub-agent that the tool started. Of a model run inside another one, the inner is the call. A tool that
LangGraph could not find, or whose arguments it refused, is told as a refusal.

All other runs (chains, retrievers, prompts, parsers, and models that failed) go to `extra` of the attempt as `runs`,
without the copies of state that chains hand on; retrievers and embeddings with what they were asked and what they
found, of which prompts hold a part. `serialized`, a copy of the code's settings, is left out. Token counts include
cached and reasoning tokens, as LangSmith has them.

A trace is the runs with one `trace_id`; its runs may come in any order, so a file's traces are told at its end. An
event's source is its run's id. The attempt ends where its outermost run does. No reason for that is recorded, but for
errors: it was `answered` where the model gave an answer, else `other`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.langsmith.running import LangSmithTelling, tools_in
from agentlab.formats.langsmith.runs import Run, flattened, merged, run_of
from agentlab.formats.loading import misfit, rows_of
from agentlab.formats.said.model import defect_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.fields import Object, ShapeError
from agentlab.formats.shapes.filled import filled
from agentlab.formats.shapes.nesting import outermost_first
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["LANGSMITH"]

_FOUND = {"retriever", "embedding"}
"""Runs that hold what no other does."""
_PLACE = ("id", "parent_run_id", "dotted_order", "run_type", "name", "start_time", "end_time", "error")
_KINDS = {"chain", "llm", "tool", "retriever", "parser", "prompt", "embedding"}


# --- recognising


def _sniff(head: Head) -> bool:
    return any(_is_batch(each) or _is_record(each) for each in head.objects[:20])


def _is_batch(value: Object) -> bool:
    found = [part for name in ("post", "patch") if isinstance(part := value.get(name), list) and part]
    return any(isinstance(part[0], dict) and _is_record(part[0]) for part in found)


def _is_record(value: Object) -> bool:
    kind, order = value.get("run_type"), value.get("dotted_order")
    if isinstance(order, str) and "Z" in order:
        return True
    return isinstance(kind, str) and kind in _KINDS and bool(value.keys() & {"start_time", "inputs", "trace_id"})


# --- reading


def _load(source: Source) -> Iterator[Loaded]:
    runs: dict[str, dict[str, JSONValue]] = {}
    traces: dict[str, str] = {}
    lost = False
    for record in records(source):
        if isinstance(record, LoadError):
            lost = True
            yield record
            continue
        for value, place, _ in rows_of(record):
            for part in flattened(value):
                if isinstance(part, ShapeError):
                    lost = True
                    yield misfit(source, place, part)
                    continue
                name, trace, fields = part
                merged(runs.setdefault(name, {}), fields)
                if trace:
                    traces[name] = trace
    if not runs and not lost:
        yield LoadError(source.path, "a run was expected, and there is none in the file")
    for name, found in _by_trace(runs, traces).items():
        try:
            yield _trace(name, found, source.path)
        except ValueError as error:
            yield misfit(source, f"trace {name}", error, next(iter(found.values())))


def _by_trace(
    runs: Mapping[str, dict[str, JSONValue]], traces: Mapping[str, str]
) -> dict[str, dict[str, dict[str, JSONValue]]]:
    """The runs of each trace; a run that names none is of its parent's, or its own."""
    parents = {name: str(run.get("parent_run_id") or "") for name, run in runs.items()}
    root: dict[str, str] = {}
    for name in outermost_first(parents):
        root[name] = traces.get(name) or root.get(parents[name], name)
    found: dict[str, dict[str, dict[str, JSONValue]]] = {}
    for name, run in runs.items():
        found.setdefault(root[name], {})[name] = run
    return found


def _trace(name: str, records: Mapping[str, Object], path: str) -> Trace:
    builder = TraceBuilder("langsmith", path=path, key=[name], source=name, evidence=Evidence())
    runs: dict[str, Run] = {}
    defects: list[str] = []
    for each, fields in records.items():
        try:
            runs[each] = run_of(each, fields)
        except ShapeError as error:
            defects.append(str(error))
    telling = LangSmithTelling(builder=builder, records=runs, defects=defects)
    telling.tell()
    if defects and not telling.replies and not telling.executions:
        raise ShapeError(defects[0])
    builder.seat("")
    root = next((run for run in runs.values() if run.parent not in runs), None)
    answered = _answer(telling, root)
    telling.finish(root, fault=root.fault if root else "", answered=answered)
    builder.evidence = telling.evidence(proposals=telling.replies > 0, executions=telling.executions > 0)
    model = root.metadata.get("ls_model_name") if root else None
    builder.describe(
        agent=root.name if root and not root.calls_model else "",
        model=model if isinstance(model, str) else "",
        tools=described_tools(tools_in(runs)),
        time=root.start if root else None,
        extra=_beside(runs, root, telling.told),
    )
    return builder.build(defect=defect_of(defects, "runs"), ours=any("run_type" in run.raw for run in runs.values()))


def _answer(telling: LangSmithTelling, root: Run | None) -> bool:
    """What the outermost run gave back as the last word of the model, else the last reply that asked for nothing.

    Returns:
        Whether there is one.
    """
    final = telling.final_text(root) if root else ""
    reply, answer = (telling.texts[final], final) if final in telling.texts else telling.last or ("", "")
    if reply:
        telling.builder.answer(answer, completion=reply)
    return bool(reply)


def _beside(runs: Mapping[str, Run], root: Run | None, told: Set[str]) -> dict[str, JSONValue]:
    """What stands in no event: the fields of the outermost run, and the runs that are neither call nor execution."""
    others: list[JSONValue] = []
    found: dict[str, JSONValue] = {}
    for run in runs.values():
        if run.id in told:
            continue
        names = [*_PLACE, "inputs", "outputs"] if run.kind in _FOUND else _PLACE
        other = {name: value for name in names if filled(value := run.raw.get(name))}
        if run is root:
            found.update(run.more)
        else:
            other.update(run.more)
        others.append(other)
    return {**found, "runs": others} if others else found


LANGSMITH = Format(
    name="langsmith",
    sentence="LangSmith runs as records that create and update them; only a run of a tool proves an execution.",
    url="https://docs.smith.langchain.com/reference/data_formats/run_data_format",
    proofs=Proofs(
        proposals="depends", executions="depends", results="depends", errors="depends", times="present", usage="depends"
    ),
    sniff=_sniff,
    load=_load,
)
