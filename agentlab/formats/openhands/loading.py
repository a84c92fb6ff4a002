"""OpenHands (OpenDevin) attempts: a list of events, a folder with one event a file, or rows of results.

Written by OpenHands up to 1.x, https://docs.all-hands.dev/, events after openhands/events/serialization: the event
stream of a session (`events/0.json`, `events/1.json`, ...), its download as one list, and the `output.jsonl` of
evaluations and of the resolver, a row each with the events in `history`; in 2024 as pairs of an action and its
observation, or with all fields side by side.

Three things are on record: what the model wrote (`tool_call_metadata.model_response`, the provider's answer), what the
harness made of it (the action), and what running it gave (the observation whose `cause` is the action's id). So a call
is proposed by the response, executed where an observation answers its action, and refused where that observation is
`user_rejected`, or an `error` that says so. Without `model_response`, in the files of 2024, the action is the call and
its `thought` the text.

- `source: agent` stands on the observations of tools too; who wrote something never follows from it there.
- Several calls of one reply share one response, which is recorded once, as is its copy in each observation.
- An action that waited for a person is written again with the answer (`confirmation_state`); it stays one call.
- Rows without `id` and `cause` pair by order. An `error` of the agent that answers nothing tells the model that no
  action could be made of its reply: the call in its metadata is refused, and where it has none, so is the whole reply,
  of which nothing else is on record. Other such errors are messages of the harness.
- A command with exit code -1 was still running: its execution began and has no end.
- `finish` gets no observation, because it only carries the answer: its call is structured output.
- `recall`, state changes and empty observations are the machinery's; they stand in the attempt's `extra.events`.
- Between `delegate` and its observation another agent works; what it calls is a sub-agent's.
- `condensation` takes events out of the context; `Summary` holds the text that took their place.

Token counts are those of each response; sums and costs stay in `extra`. Times are local to the machine and without a
zone; they are read as UTC. The identity of an event is its id, else its index in the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import key_of, misfit
from agentlab.formats.openhands.reader import Reader
from agentlab.formats.openhands.shape import LISTS, is_event, is_row
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, mapping, rest, text
from agentlab.formats.shapes.problems import told
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, TerminationReason

__all__ = ["OPENHANDS"]

_FULL = Evidence(authorship="present", proposals="present", executions="present", results="present", errors="present")
_STATES: dict[str, TerminationReason] = {"finished": "answered", "stopped": "interrupted", "error": "other"}


def _sniff(head: Head) -> bool:
    first = head.first
    if isinstance(first, list):
        seen = first[:-1] or first  # the last may be cut off
        return bool(seen) and all(is_event(each) for each in seen)
    return isinstance(first, dict) and (is_row(first) or is_event(first))


def _folder(head: Head) -> bool:
    return bool(head.objects) and all(is_event(each) for each in head.objects)


def _load(source: Source) -> Iterator[Loaded]:
    events: list[JSONValue] = []
    digest = ""
    problems: list[str] = []
    for record in _records(source):
        if isinstance(record, LoadError):
            if not events and not source.parts:
                yield record
            problems.append(record.problem)
        elif isinstance(record.value, dict) and not any(name in record.value for name in LISTS):
            events.append(record.value)
            digest = key_of(record, digest)
        else:
            yield from _guarded(source, record)
    defect = f"an event is lost: {problems[0]}" if problems else ""
    if events:
        try:
            yield _trace(source.path, [digest], "", events, {}, defect)
        except ValueError as error:
            yield misfit(source, "", error, events[0])
    elif source.parts and defect:
        yield LoadError(source.path, defect)


def _records(source: Source) -> Iterator[Record | LoadError]:
    """The values of a file; of a folder those of its files, where errors name the file."""
    for part in source.parts or (source,):
        for record in records(part):
            if isinstance(record, LoadError) and source.parts:
                yield LoadError(source.path, f"{part.name}: {record.problem}")
            else:
                yield record


def _guarded(source: Source, record: Record) -> Iterator[Loaded]:
    value = record.value
    row: Object = value if isinstance(value, dict) else {"history": value}
    try:
        if not isinstance(value, dict | list):
            raise ShapeError(
                f"an event, a list of events or a row with history was expected and {kind_of(value)} found"
            )
        listed = next((found for name in LISTS if (found := listing(row, name))), [])
        yield _trace(source.path, [key_of(record)], record.place, listed, row, "")
    except ValueError as error:
        yield misfit(source, record.place, error, value)


def _trace(path: str, key: Sequence[str], place: str, listed: Sequence[JSONValue], row: Object, lost: str) -> Trace:
    builder = TraceBuilder("openhands", path=path, key=key, source=place, evidence=_FULL)
    reader = Reader(builder)
    reader.read(listed)
    extra = {**rest(row, LISTS), **reader.facts}
    if reader.plumbing:
        extra["events"] = reader.plumbing
    metadata = mapping(row, "metadata")
    setup = metadata.get("llm_config")
    builder.describe(
        agent=text(metadata, "agent_class") or text(reader.facts, "agent_class") or "openhands",
        model=(text(setup, "model") if isinstance(setup, dict) else "") or text(metadata, "model_name"),
        case=text(row, "instance_id") or text(row, "id"),
        extra=extra,
    )
    _finish(builder, reader, row)
    known = any(isinstance(each, dict) and is_event(each) for each in reader.plumbing)
    return builder.build(defect=told([*filter(None, [lost]), *reader.defects]), ours=known)


def _finish(builder: TraceBuilder, reader: Reader, row: Object) -> None:
    error = row.get("error")
    if isinstance(error, str) and error:
        builder.finish(_of_error(error), detail=error, source="error")
    elif reader.finished:
        builder.finish("answered" if reader.finished == "finish" else "other", detail=reader.finished, source="finish")
    elif reason := _STATES.get(reader.state):
        builder.finish(reason, detail=reader.state, source="agent_state")


def _of_error(error: str) -> TerminationReason:
    said = error.lower()
    if "maximum iteration" in said:
        return "step_limit"
    return "token_budget" if "budget" in said else "other"


OPENHANDS = Format(
    name="openhands",
    sentence="OpenHands events, as a list, a folder or rows of results; what the model, the harness and the tools did.",
    url="https://github.com/All-Hands-AI/OpenHands/tree/main/openhands/events/serialization",
    proofs=Proofs(
        proposals="present", executions="present", results="present", errors="present", times="depends", usage="depends"
    ),
    sniff=_sniff,
    load=_load,
    folder=_folder,
)
