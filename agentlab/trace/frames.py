"""Traces as tables: one row an attempt, an event or a tool call, for pandas and as Parquet.

Columns and their types never depend on the rows, so that tables of different runs, and empty ones, can be put together.
Tables join on `attempt`; `calls` joins `events` on `attempt` and an event id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from agentlab.strictjson import dumps
from agentlab.trace.calls import CallState
from agentlab.trace.codec import encode
from agentlab.trace.events import CallRefused, ExecutionFinished, ExecutionStarted, ProtocolErrorEvent, own_text
from agentlab.trace.model import Trace
from agentlab.trace.several import several
from agentlab.trace.values import Evidence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["attempts_frame", "calls_frame", "events_frame", "write_tables"]

Row: TypeAlias = dict[str, object]
_Type: TypeAlias = Literal["string", "Int64", "float64", "boolean"]

_OF_START = (
    *("attempt", "run", "case", "condition", "condition_digest", "index", "agent", "loop_version", "prompt_version"),
    *("language", "provider", "model", "package_version", "seed", "format", "source"),
)
_OF_END = ("detail", "steps", "requests", "executions", "input_tokens", "output_tokens", "duration")
_OF_EVENT = (
    "type",
    "step",
    "time",
    "agent_name",
    "source",
    "completion",
    "call",
    "execution",
    "tool",
    "code",
    "status",
)
_OF_CALL = ("step", "tool", "by", "state", "delivered", "proposed_in", "executed_in", "observed_in", "result", "error")
_STATES: tuple[CallState, ...] = get_args(CallState)
_HOW = "read_traces reads them from files"
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


def attempts_frame(traces: Trace | Iterable[Trace]) -> pd.DataFrame:
    """One row an attempt, in the order given.

    Columns:
        attempt, run (string): ids.
        case, condition, condition_digest (string): what was attempted; the digest is the condition's SHA-256.
        index (Int64): which attempt of its condition, from 0; `frame["index"]`, since `frame.index` is pandas' own.
        agent, loop_version, prompt_version, language, provider, model, package_version (string).
        format, source (string): of the foreign file, and the attempt's identity in it; empty for our own journals.
        seed (Int64); temperature (float64), NaN where it was left to the server.
        started (float64): seconds since 1970-01-01 UTC.
        duration (float64): seconds; NaN where the end is not recorded.
        ended (string): termination reason; NA where the end is not recorded.
        detail (string): for a cap or a fault, how far it got.
        steps, requests, executions (Int64): as the end counts them; NA where the end is not recorded.
        input_tokens, output_tokens (Int64): NA where not recorded.
        answer (string): the last answer; NA where there is none.
        proposed (Int64): tool calls that the agent, or an agent it started, is seen to ask for.
        proposed_otherwise (Int64): those of simulated users and providers, and answers in the form of a call.
        unanswered, dropped, refused, answered, failed, succeeded (Int64): all calls by state, whoever asked for them;
            `refused` includes those of rejected replies.
        delivered (Int64): calls whose result a later request is seen to carry.
        protocol_errors, calls_refused (Int64): events of these types.
        evidence_proposals, evidence_executions, evidence_results, evidence_errors, evidence_times, evidence_usage,
            evidence_authorship (string): present, absent or not_recorded.
        defect (string): what is wrong with the record; empty where nothing is.
        path (string): the file it was read from; empty where none.
    """
    return _ATTEMPTS.frame(row for trace in several(traces, Trace, _HOW) for row in _ATTEMPTS.rows(trace))


def events_frame(traces: Trace | Iterable[Trace]) -> pd.DataFrame:
    """One row an event, in the order of recording.

    Columns:
        attempt, event (string): ids; an event id is unique within its attempt.
        position (Int64): place in the attempt, from 0.
        type (string): as in the journal, e.g. `observation`.
        step (Int64): round of the loop, from 1; NA outside the loop.
        time (float64): seconds since 1970-01-01 UTC; NaN where not recorded.
        agent_name (string): which agent it belongs to; empty for the main one.
        source (string): identity in the foreign file; empty for our own journals.
        completion, call, execution (string): ids of what the event is about; NA where it names none.
        tool (string): of an execution, and of an answer to a call that nothing else on record names.
        code (string): of a protocol error, a refusal or a notice.
        status (string): succeeded or failed, for the end of an execution.
        text (string): what the event shows in full; NA for a rejected reply, whose text lies in quarantine.
        json (string): the whole event, as its journal line.
    """
    return _EVENTS.frame(row for trace in several(traces, Trace, _HOW) for row in _EVENTS.rows(trace))


def calls_frame(traces: Trace | Iterable[Trace]) -> pd.DataFrame:
    """One row a tool call, proposed or executed, as in `Trace.calls`.

    Columns:
        attempt, call (string): ids; foreign traces may repeat a call id within an attempt.
        position (Int64): place in `Trace.calls`, from 0.
        step (Int64): round of the loop, from 1.
        agent_name (string): which agent it belongs to; empty for the main one.
        source (string): identity in the foreign file of the reply that proposed it, or else of its execution or its
            answer; empty for our own journals.
        tool (string).
        by (string): who asked for it: agent, subagent, user_simulator, provider, structured_output or not_recorded.
        arguments (string): JSON text (of a string where the model wrote no object); NA for a rejected reply.
        state (string): unanswered, dropped, refused, answered, failed or succeeded.
        delivered (boolean): whether a later request carried the result; NA where that is not recorded.
        proposed_in, executed_in, observed_in (string): event ids; NA where there is no such event.
        result (string): JSON text; NA unless it succeeded.
        error (string): NA unless it failed.
        started (float64): start of the execution in seconds since 1970-01-01 UTC; NaN where nothing ran.
        duration (float64): seconds; NaN where not recorded.
    """
    return _CALLS.frame(row for trace in several(traces, Trace, _HOW) for row in _CALLS.rows(trace))


def write_tables(folder: Path, traces: Iterable[Trace]) -> None:
    """Write `attempts.parquet`, `events.parquet` and `calls.parquet`; equal traces give equal bytes.

    Memory does not grow with the number of traces. Where these end in an error, tables already there stay as they were.

    Args:
        folder: made if it is not there; tables already in it are replaced.
        traces: read once, so a run's stream of them will do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drafts = {name: folder / f".{name}.parquet.part" for name in _TABLES}
    try:
        with ExitStack() as stack:
            files = {name: stack.enter_context(draft.open("wb")) for name, draft in drafts.items()}
            writers = {name: stack.enter_context(_Writer(table, files[name])) for name, table in _TABLES.items()}
            for trace in traces:
                for writer in writers.values():
                    writer.add(trace)
        for name, draft in drafts.items():
            draft.replace(folder / f"{name}.parquet")
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


_GROUP = 8_000_000
"""Characters of text after which a row group is written; a reader, too, needs memory for one at a time."""
_ROW = 200
"""Characters that a row counts beside its texts, so that groups of rows without any end as well."""


class _Writer:
    """A table on disk, written one row group after the other."""

    def __init__(self, table: _Table, file: IO[bytes]) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        self._table = table
        self._rows: list[Row] = []
        self._held = 0
        self._schema = pa.Schema.from_pandas(table.frame(()), preserve_index=False)
        self._file = ParquetWriter(file, self._schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._flush()
        self._file.close()

    def add(self, trace: Trace) -> None:
        for row in self._table.rows(trace):
            self._rows.append(row)
            self._held += _ROW + sum(len(value) for value in row.values() if isinstance(value, str))
            if self._held >= _GROUP:
                self._flush()

    def _flush(self) -> None:
        """Write the rows held; of a table without rows one group, which is empty."""
        import pyarrow as pa

        frame = self._table.frame(self._rows)
        self._file.write_table(pa.Table.from_pandas(frame, schema=self._schema, preserve_index=False))
        self._rows, self._held = [], 0


def _fitting(value: object) -> object:
    """The value as a column can hold it.

    None for an integer that none can; a foreign trace may have one. A file's name need not be UTF-8: bytes that are not
    stand as Python escapes them.
    """
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="backslashreplace").decode()
    return None if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _attempt_rows(trace: Trace) -> Iterator[Row]:
    start, end, calls = trace.started, trace.finished, trace.calls
    states = Counter(call.state for call in calls)
    callers = Counter(call.by for call in calls if call.proposed_in is not None)
    own = callers["agent"] + callers["subagent"]
    yield {
        **{name: getattr(start, name) for name in _OF_START},
        **{name: getattr(end, name, None) for name in _OF_END},
        **{f"evidence_{name}": getattr(trace.evidence, name) for name in _EVIDENCE},
        "temperature": start.sampling.temperature,
        "started": start.time,
        "ended": end.reason if end else None,
        "answer": trace.answer.text if trace.answer else None,
        "proposed": own,
        "proposed_otherwise": callers.total() - own,
        **{state: states[state] for state in _STATES},
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
        stated = trace.by_id[call.proposed_in or call.executed_in or call.observed_in or ""]
        yield {
            **{name: getattr(call, name) for name in _OF_CALL},
            "attempt": trace.id,
            "agent_name": stated.agent_name,
            "source": stated.source,
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
        **dict.fromkeys(("format", "source"), "string"),
        **dict.fromkeys(("temperature", "started", "duration"), "float64"),
        **dict.fromkeys(("ended", "detail"), "string"),
        **dict.fromkeys(("steps", "requests", "executions", "input_tokens", "output_tokens"), "Int64"),
        "answer": "string",
        **dict.fromkeys(("proposed", "proposed_otherwise", *_STATES, "delivered"), "Int64"),
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
        **dict.fromkeys(("agent_name", "source", "completion", "call", "execution", "tool", "code"), "string"),
        **dict.fromkeys(("status", "text", "json"), "string"),
    },
    rows=_event_rows,
)

_CALLS = _Table(
    columns={
        **dict.fromkeys(("attempt", "call"), "string"),
        **dict.fromkeys(("position", "step"), "Int64"),
        **dict.fromkeys(("agent_name", "source", "tool", "by", "arguments", "state"), "string"),
        "delivered": "boolean",
        **dict.fromkeys(("proposed_in", "executed_in", "observed_in", "result", "error"), "string"),
        **dict.fromkeys(("started", "duration"), "float64"),
    },
    rows=_call_rows,
)

_TABLES = {"attempts": _ATTEMPTS, "events": _EVENTS, "calls": _CALLS}
