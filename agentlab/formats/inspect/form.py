"""Inspect AI logs: `.eval` archives and `.json` documents of every generation, and samples that were cut out of them.

Written by https://inspect.aisi.org.uk/eval-logs.html. A sample in one epoch is a trace; an archive is read sample by
sample, and a sample that cannot be read costs only itself.

A `tool` event proves that a call was taken up, and its error says whether it ran: one of kind `parsing` or `approval`
means that it did not. Tool messages alone prove answers. Where an agent's own program runs its tools, there are no tool
events, and executions are declared as not recorded; likewise in logs that hold messages only. Where a log has an answer
and not the message that asked for it, the proposal is not recorded; the error of any answer stands in its `extra`.

Identity: an event's `uuid`, else its index (`event 12`); a message's id, else its index, in a sample without events
always its index; a sample's id and epoch. A trace's id comes from the sample's `uuid`, else from the ids of run and
task, sample and epoch.

Left out, because it stands elsewhere: `state` and `sample_init` events (messages over again), `call` of model events
(the provider's own words for input and output), `view` (arguments as Markdown), sums over all samples. Other events
that say nothing of who said or did what stand in the trace's `extra` as `events`. A reply that a scorer asked a model
for belongs to an agent with the scorer's name, and its prompt is the harness's; the attempt ends before scorers begin,
so its steps and tokens are the agent's own, but its duration is what Inspect took for the whole sample. NaN, legal in
Inspect's JSON, is written as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.inspect.archive import HEADER, START, header_of, samples_of
from agentlab.formats.inspect.log import Log
from agentlab.formats.inspect.sample import read_sample
from agentlab.formats.loading import key_of, misfit
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, listing, text
from agentlab.strictjson import JSONValue

__all__ = ["INSPECT"]

Key = Callable[[], Sequence[object]]

_BESIDE = ("samples/", "summaries.json", "reductions.json")
_EVENTS = ("sample_init", "span_begin", "step", "model", "tool", "state", "info")
_SAMPLE = {"id", "epoch", "input", "target"}


def _sniff(head: Head) -> bool:
    if head.members:
        return START in head.members or (HEADER in head.members and any(n.startswith(_BESIDE) for n in head.members))
    first = head.first
    return isinstance(first, dict) and (_is_log(first) or _is_sample(first))


def _is_log(value: Object) -> bool:
    about = value.get("eval")
    return isinstance(about, dict) and "task" in about and bool({"status", "version"} & value.keys())


def _is_sample(value: Object) -> bool:
    """Whether it is one sample, or a list of events with what somebody noted beside it."""
    if value.keys() >= _SAMPLE and value.keys() & {"messages", "events", "output"}:
        return True
    events = value.get("events")
    first = events[0] if isinstance(events, list) and events else None
    return isinstance(first, dict) and first.get("event") in _EVENTS and "working_start" in first


def _load(source: Source) -> Iterator[Loaded]:
    if source.is_zip():
        yield from _load_archive(source)
        return
    for record in records(source, non_finite=True):
        if isinstance(record, LoadError):
            yield record
        else:
            yield from _of_document(source, record)


# --- one document ---


def _of_document(source: Source, record: Record) -> Iterator[Loaded]:
    value = record.value
    if not isinstance(value, dict):
        wrong = ShapeError(f"an Inspect log was expected and {kind_of(value)} found")
        yield misfit(source, record.place, wrong)
        return
    if not isinstance(value.get("eval"), dict):
        yield _one(
            source,
            Log(path=source.path),
            value,
            record.place or "sample",
            partial(_numbered, partial(key_of, record), 0),
        )
        return
    log = Log(path=source.path, header={name: part for name, part in value.items() if name != "samples"})
    try:
        samples = listing(value, "samples")
    except ShapeError as error:
        yield misfit(source, record.place, error)
        return
    if not samples:
        yield _without_samples(log)
    digest = cache(partial(key_of, record))
    samples.reverse()  # so that each can be let go of once it is read
    for number in range(len(samples)):
        yield _one(source, log, samples.pop(), f"sample {number}", partial(_numbered, digest, number))


def _numbered(digest: Callable[[], str], number: int) -> list[object]:
    return [digest(), number]


def _one(source: Source, log: Log, sample: JSONValue, place: str, key: Key) -> Loaded:
    try:
        if not isinstance(sample, dict):
            raise ShapeError(f"a sample was expected and {kind_of(sample)} found")
        return read_sample(log, sample, place=_identity(sample) or place, key=key)
    except ValueError as error:
        return misfit(source, place, error)


def _identity(sample: Object) -> str:
    """A sample's own id and epoch; empty where it has none."""
    name = text(sample, "id")
    return f"sample {name} epoch {text(sample, 'epoch', '1')}" if name else ""


def _without_samples(log: Log) -> LoadError:
    try:
        status = f" (its status is {log.status[:40]!r})" if log.status else ""
    except ShapeError:
        status = ""
    return LoadError(log.path, f"the log has no samples{status}")


# --- an archive ---


def _load_archive(source: Source) -> Iterator[Loaded]:
    with source.archive() as archive:
        header = header_of(archive, source.path)
        if isinstance(header, LoadError):
            yield header
        log = Log(path=source.path, header={} if isinstance(header, LoadError) else header)
        count = 0
        for place, read in samples_of(archive, source.path):
            count += 1
            yield _of_member(source, log, place, read)
        if not count:
            yield _without_samples(log)


def _of_member(source: Source, log: Log, place: str, read: Callable[[], tuple[JSONValue, bytes]]) -> Loaded:
    try:
        sample, raw = read()
    except LoadError as error:
        return error
    return _one(source, log, sample, place, partial(_digested, raw))


def _digested(raw: bytes) -> list[object]:
    return [sha256(raw).hexdigest()]


INSPECT = Format(
    name="inspect",
    sentence="Inspect AI logs, .eval or .json; without events they prove answers to calls and no executions.",
    url="https://inspect.aisi.org.uk/eval-logs.html",
    proofs=Proofs(
        proposals="depends",
        executions="depends",
        results="present",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=_load,
)
