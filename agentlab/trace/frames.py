"""Traces as tables: one row an attempt, an event or a tool call, for pandas and as Parquet.

Columns and their types never depend on the rows, so that tables of different runs, and empty ones, can be put together.
Tables join on `attempt`; `calls` joins `events` on `attempt` and an event id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentlab.strictjson import dumps
from agentlab.trace.codec import encode
from agentlab.trace.events import CallRefused, ExecutionFinished, ExecutionStarted, ProtocolErrorEvent, own_text
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["attempts_frame", "calls_frame", "events_frame", "write_tables"]

Row: TypeAlias = dict[str, object]
_Type: TypeAlias = Literal["string", "Int64", "float64", "boolean"]

_OF_START = (
    *("attempt", "run", "case", "condition", "condition_digest", "index", "agent", "loop_version", "prompt_version"),
    *("language", "provider", "model", "package_version", "seed"),
)
_OF_END = ("detail", "steps", "requests", "executions", "input_tokens", "output_tokens", "duration")
_OF_EVENT = ("type", "step", "time", "completion", "call", "execution", "tool", "code", "status")
_OF_CALL = ("step", "tool", "state", "delivered", "proposed_in", "executed_in", "observed_in", "result", "error")
_EVIDENCE = tuple(field.name for field in fields(Evidence))


@dataclass(frozen=True, kw_only=True)
class _Table:
    """A table: its columns with their pandas types, and the rows that one trace gives."""

    columns: Mapping[str, _Type]
    rows: Callable[[Trace], Iterable[Row]]

    def frame(self, rows: Iterable[Row]) -> pd.DataFrame:
        import pandas as pd

        table = tuple(rows)
        columns = {
            name: pd.Series([_fitting(row[name]) for row in table], dtype=kind) for name, kind in self.columns.items()
        }
        return pd.DataFrame(columns)


def attempts_frame(traces: Iterable[Trace]) -> pd.DataFrame:
    """One row an attempt, in the order given.

    Columns:
        attempt, run (string): ids.
        case, condition, condition_digest (string): what was attempted; the digest is the condition's SHA-256.
        index (Int64): which attempt of its condition, from 0; `frame["index"]`, since `frame.index` is pandas' own.
        agent, loop_version, prompt_version, language, provider, model, package_version (string).
        seed (Int64); temperature (float64), NaN where it was left to the server.
        started (float64): seconds since 1970-01-01 UTC.
        duration (float64): seconds; NaN where the end is not recorded.
        ended (string): termination reason; NA where the end is not recorded.
        detail (string): for a cap or a fault, how far it got.
        steps, requests, executions (Int64): as the end counts them; NA where the end is not recorded.
        input_tokens, output_tokens (Int64): NA where not recorded.
        answer (string): the last answer; NA where there is none.
        proposed, refused, succeeded, failed, delivered (Int64): tool calls; `refused` includes those of rejected
            replies, `proposed` leaves out executions nobody proposed.
        protocol_errors, calls_refused (Int64): events of these types.
        evidence_proposals, evidence_executions, evidence_results, evidence_errors, evidence_times, evidence_usage,
            evidence_authorship (string): present, absent or not_recorded.
        defect (string): what is wrong with the record; empty where nothing is.
        path (string): the file it was read from; empty where none.
    """
    return _ATTEMPTS.frame(row for trace in traces for row in _ATTEMPTS.rows(trace))


def events_frame(traces: Iterable[Trace]) -> pd.DataFrame:
    """One row an event, in the order of recording.

    Columns:
        attempt, event (string): ids; an event id is unique within its attempt.
        position (Int64): place in the attempt, from 0.
        type (string): as in the journal, e.g. `observation`.
        step (Int64): round of the loop, from 1; NA outside the loop.
        time (float64): seconds since 1970-01-01 UTC; NaN where not recorded.
        completion, call, execution (string): ids of what the event is about; NA where it names none.
        tool (string): for an execution.
        code (string): of a protocol error, a refusal or a notice.
        status (string): succeeded or failed, for the end of an execution.
        text (string): what the event shows in full; NA for a rejected reply, whose text lies in quarantine.
        json (string): the whole event, as its journal line.
    """
    return _EVENTS.frame(row for trace in traces for row in _EVENTS.rows(trace))


def calls_frame(traces: Iterable[Trace]) -> pd.DataFrame:
    """One row a tool call, proposed or executed, as in `Trace.calls`.

    Columns:
        attempt, call (string): ids; foreign traces may repeat a call id within an attempt.
        position (Int64): place in `Trace.calls`, from 0.
        step (Int64): round of the loop, from 1.
        tool (string).
        arguments (string): JSON text (of a string where the model wrote no object); NA for a rejected reply.
        state (string): unanswered, dropped, refused, failed or succeeded.
        delivered (boolean): whether a later request carried the result; NA where that is not recorded.
        proposed_in, executed_in, observed_in (string): event ids; NA where there is no such event.
        result (string): JSON text; NA unless it succeeded.
        error (string): NA unless it failed.
        started (float64): start of the execution in seconds since 1970-01-01 UTC; NaN where nothing ran.
        duration (float64): seconds; NaN where not recorded.
    """
    return _CALLS.frame(row for trace in traces for row in _CALLS.rows(trace))


def write_tables(folder: Path, traces: Iterable[Trace]) -> None:
    """Write `attempts.parquet`, `events.parquet` and `calls.parquet`; equal traces give equal bytes.

    Args:
        folder: made if it is not there; tables already in it are replaced.
        traces: read once, so a run's stream of them will do.
    """
    rows: dict[str, list[Row]] = {name: [] for name in _TABLES}
    for trace in traces:
        for name, table in _TABLES.items():
            rows[name].extend(table.rows(trace))
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in _TABLES.items():
        table.frame(rows[name]).to_parquet(folder / f"{name}.parquet", engine="pyarrow", index=False)


def _fitting(value: object) -> object:
    """The value, or None for an integer that no column can hold; a foreign trace may have one."""
    return None if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _attempt_rows(trace: Trace) -> Iterator[Row]:
    start, end, calls = trace.started, trace.finished, trace.calls
    states = [call.state for call in calls]
    yield {
        **{name: getattr(start, name) for name in _OF_START},
        **{name: getattr(end, name, None) for name in _OF_END},
        **{f"evidence_{name}": getattr(trace.evidence, name) for name in _EVIDENCE},
        "temperature": start.sampling.temperature,
        "started": start.time,
        "ended": end.reason if end else None,
        "answer": trace.answer.text if trace.answer else None,
        "proposed": sum(call.proposed_in is not None for call in calls),
        "refused": states.count("refused"),
        "succeeded": states.count("succeeded"),
        "failed": states.count("failed"),
        "delivered": sum(call.delivered is True for call in calls),
        "protocol_errors": len(trace.of(ProtocolErrorEvent)),
        "calls_refused": len(trace.of(CallRefused)),
        "defect": trace.defect,
        "path": trace.path,
    }


def _event_rows(trace: Trace) -> Iterator[Row]:
    for position, event in enumerate(trace):
        yield {
            **{name: getattr(event, name, None) for name in _OF_EVENT},
            "attempt": trace.id,
            "event": event.id,
            "position": position,
            "text": own_text(event),
            "json": encode(event).decode().rstrip("\n"),
        }


def _call_rows(trace: Trace) -> Iterator[Row]:
    durations = {event.execution: event.duration for event in trace.of(ExecutionFinished)}
    started = {event.id: event for event in trace.of(ExecutionStarted)}
    for position, call in enumerate(trace.calls):
        begun = started.get(call.executed_in or "")
        yield {
            **{name: getattr(call, name) for name in _OF_CALL},
            "attempt": trace.id,
            "call": call.id,
            "position": position,
            "arguments": None if call.arguments is None else dumps(call.arguments),
            "started": begun.time if begun else None,
            "duration": durations.get(begun.execution) if begun else None,
        }


_ATTEMPTS = _Table(
    columns={
        **dict.fromkeys(("attempt", "run", "case", "condition", "condition_digest"), "string"),
        "index": "Int64",
        **dict.fromkeys(("agent", "loop_version", "prompt_version", "language", "provider", "model"), "string"),
        "package_version": "string",
        "seed": "Int64",
        **dict.fromkeys(("temperature", "started", "duration"), "float64"),
        **dict.fromkeys(("ended", "detail"), "string"),
        **dict.fromkeys(("steps", "requests", "executions", "input_tokens", "output_tokens"), "Int64"),
        "answer": "string",
        **dict.fromkeys(("proposed", "refused", "succeeded", "failed", "delivered"), "Int64"),
        **dict.fromkeys(("protocol_errors", "calls_refused"), "Int64"),
        **dict.fromkeys((f"evidence_{name}" for name in _EVIDENCE), "string"),
        **dict.fromkeys(("defect", "path"), "string"),
    },
    rows=_attempt_rows,
)

_EVENTS = _Table(
    columns={
        **dict.fromkeys(("attempt", "event"), "string"),
        "position": "Int64",
        "type": "string",
        "step": "Int64",
        "time": "float64",
        **dict.fromkeys(("completion", "call", "execution", "tool", "code", "status", "text", "json"), "string"),
    },
    rows=_event_rows,
)

_CALLS = _Table(
    columns={
        **dict.fromkeys(("attempt", "call"), "string"),
        **dict.fromkeys(("position", "step"), "Int64"),
        **dict.fromkeys(("tool", "arguments", "state"), "string"),
        "delivered": "boolean",
        **dict.fromkeys(("proposed_in", "executed_in", "observed_in", "result", "error"), "string"),
        **dict.fromkeys(("started", "duration"), "float64"),
    },
    rows=_call_rows,
)

_TABLES = {"attempts": _ATTEMPTS, "events": _EVENTS, "calls": _CALLS}
