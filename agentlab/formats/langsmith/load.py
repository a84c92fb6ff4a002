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

All other runs (chains, retrievers, prompts, parsers) go to `extra` of the attempt as `runs`, without the copies of
state that chains hand on; retrievers and embeddings with what they were asked and what they found, of which prompts
hold a part. `serialized`, a
copy of the code's settings, is left out. Token counts include cached and reasoning tokens, as LangSmith has them.

A trace is the runs with one `trace_id`; its runs may come in any order, so a file's traces are told at its end. An
event's source is its run's id. The attempt ends where its outermost run does. No reason for that is recorded, but for
errors: it was `answered` where the model gave an answer, else `other`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.langsmith.running import Telling, final_text, tools_in
from agentlab.formats.langsmith.runs import Run, filled, flattened, merged, run_id, run_of, trace_of
from agentlab.formats.loading import misfit
from agentlab.formats.said.model import UNSAID, defect_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, text
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["LANGSMITH"]

_FOUND = {"retriever", "embedding"}
"""Runs that hold what no other does."""
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
    nothing = True
    for record in records(source):
        if isinstance(record, LoadError):
            nothing = False
            yield record
            continue
        values = record.value if isinstance(record.value, list) else [record.value]
        for number, value in enumerate(values):
            place = f"entry {number}" if isinstance(record.value, list) else record.place
            try:
                _take(value, runs, traces)
            except ShapeError as error:
                nothing = False
                yield misfit(source, place, error)
    if nothing and not runs:
        yield LoadError(source.path, "a run was expected, and there is none in the file")
    for name, found in _by_trace(runs, traces).items():
        try:
            yield _trace(name, found, source.path)
        except ValueError as error:
            yield misfit(source, f"trace {name}", error)


def _take(value: JSONValue, runs: dict[str, dict[str, JSONValue]], traces: dict[str, str]) -> None:
    """Add the records in a value to the runs they are about."""
    if not isinstance(value, dict):
        raise ShapeError(f"a run was expected and {kind_of(value)} found")
    for record in flattened(value):
        name, trace = run_id(record), trace_of(record)
        merged(runs.setdefault(name, {}), record)
        if trace:
            traces[name] = trace


def _by_trace(
    runs: Mapping[str, dict[str, JSONValue]], traces: Mapping[str, str]
) -> dict[str, dict[str, dict[str, JSONValue]]]:
    """The runs of each trace; a run that names none is of its parent's, or its own."""
    found: dict[str, dict[str, dict[str, JSONValue]]] = {}
    root: dict[str, str] = dict(traces)
    for name in runs:
        path, here = [], name
        while here not in root:
            root[here] = here  # against circles
            path.append(here)
            above = runs[here].get("parent_run_id")
            if not isinstance(above, str) or above not in runs:
                break
            here = above
        for each in path:
            root[each] = root[here]
        found.setdefault(root[name], {})[name] = runs[name]
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
    telling = Telling(builder, runs, defects)
    telling.tell()
    if defects and not telling.replies and not telling.executions:
        raise ShapeError(defects[0])
    builder.seat("")
    root = next((run for run in runs.values() if run.parent not in runs), None)
    answered = _answer(builder, telling, final_text(runs))
    _end(builder, telling, root, answered=answered)
    builder.evidence = _evidence(telling)
    others: list[JSONValue] = [_other(run) for run in runs.values() if run.id not in telling.told]
    extra = {**(root.more if root and root.id not in telling.told else {}), **({"runs": others} if others else {})}
    model = text(root.metadata, "ls_model_name") if root and isinstance(root.metadata.get("ls_model_name"), str) else ""
    agent = root.name if root and root.kind != "llm" else ""
    time = root.start if root else None
    builder.describe(agent=agent, model=model, tools=described_tools(tools_in(runs)), time=time, extra=extra)
    return builder.build(defect=defect_of(defects, "runs"))


def _answer(builder: TraceBuilder, telling: Telling, final: str) -> bool:
    """What the outermost run gave back as the last word of the model, else the last reply that asked for nothing.

    Returns:
        Whether there is one.
    """
    if final and final in telling.texts:
        builder.answer(final, completion=telling.texts[final])
    elif telling.last is not None:
        reply, answer = telling.last
        builder.answer(answer, completion=reply)
    else:
        return False
    return True


def _end(builder: TraceBuilder, telling: Telling, root: Run | None, *, answered: bool) -> None:
    ending: dict[str, Any] = {"time": root.end, "duration": root.duration, "source": root.id} if root else {}
    if telling.failure:
        builder.finish("provider_error", detail=telling.failure, **ending)
    elif root is not None and root.error:
        builder.finish("other", detail=root.error, **ending)
    elif root is not None and root.end is not None:
        builder.finish("answered" if answered else "other", detail="" if answered else UNSAID, **ending)


def _evidence(telling: Telling) -> Evidence:
    replied, executed = telling.replies > 0, telling.executions > 0
    return Evidence(
        proposals="present" if replied else "not_recorded",
        executions="present" if executed else "not_recorded",
        results="present" if replied or executed else "not_recorded",
        errors="present" if executed or telling.refused else "not_recorded",
        authorship="present" if replied else "not_recorded",
    )


def _other(run: Run) -> JSONValue:
    """A run that is no event."""
    names = ("id", "parent_run_id", "dotted_order", "run_type", "name", "start_time", "end_time", "error", "tags")
    found = {name: value for name in names if filled(value := run.raw.get(name))}
    if run.kind in _FOUND:
        found |= {name: value for name in ("inputs", "outputs") if filled(value := run.raw.get(name))}
    return found


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
