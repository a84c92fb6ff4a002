"""Claude Code sessions: JSON lines as the command line tool keeps them, or prints them with `stream-json`.

There is no official schema; the product is described at https://docs.anthropic.com/en/docs/claude-code. A line is a
message or a note about the session. What this reader relies on:

- One API message stands on several lines, one a content block, each repeating `message.id` and the usage so far. It is
  one reply, at the place of its first line, with the tokens of the line that counts most.
- `tool_use` is a proposal. The line of its `tool_result` carries `toolUseResult`, what the tool itself returned: an
  object where it succeeded, a text where it failed. That, or a progress line (output of a running command, a hook
  after the call), proves the execution. Rejected, forbidden and invalid calls are told apart by `toolDenialKind`, which
  newer versions write, and by their wording, see `outcome`. A result without any of this is an answer only, as in files
  of agents written by old versions; where a file has no proof at all, executions are not recorded.
- A hook before a call proves nothing: it runs before permission is asked. It stays in the attempt's `lines`.
- `isSidechain`, and messages inside progress lines, are of an agent that the session started. Inside a session it is
  another agent of the same trace, its calls by `subagent`, told apart by agent id or by the chain of parents, which may
  have holes. A file with nothing else is a trace of its own, whose calls are still by `subagent`.
- `compact_boundary` and the summary behind it replace the history, but for messages that the boundary lists as kept. A
  `summary` line with `leafUuid` is a title that lists of sessions show, and replaces nothing. A prompt whose parent is
  an earlier line takes the conversation back to there, and `/clear` to its beginning.
- `<synthetic>` messages, and user messages that are meta or wrap a command, were written by Claude Code itself.
- A file may hold several sessions, one behind the other; a resumed one goes on with the parents of the one before.
- The system prompt is not in the file, so contexts begin with the first message; what attachments became in the
  context is given in the words of the record.

Left out as copies: `stdout` and `stderr` of `toolUseResult`, which the result repeats, and the output so far of running
commands. Identity is a line's `uuid`, else `line 12`; the attempt's is the session's id with the digest of its lines,
since copies of a session are resumed and forked under its id. So a session that has grown is another record, and its
id stands in `source`. Times are when a line was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.claude_code.lines import Line, alone_in, is_line, line_of, session_of
from agentlab.formats.claude_code.reading import read_session
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record, records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import key_of, misfit
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, text
from agentlab.strictjson import JSONValue

__all__ = ["CLAUDE_CODE"]


def _sniff(head: Head) -> bool:
    return any(is_line(record) for record in head.objects)


@dataclass(kw_only=True, slots=True)
class _Session:
    """The lines of one session as they come in."""

    name: str = ""
    lines: list[Line] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    digest: str = ""
    """Of the records that its lines stand in."""

    def goes_on(self, record: Object) -> bool:
        """Whether a record belongs to this session, or to one that resumed it."""
        name = session_of(record)
        return not name or not self.name or name == self.name or text(record, "parentUuid") in self.known

    def add(self, record: Object, place: str) -> None:
        """Take a line in, once."""
        try:
            line = line_of(record, place)
            self.name = self.name or session_of(record)
        except ShapeError as error:
            self.problems.append(f"{place} could not be read: {error}")
            return
        if line.uuid and line.uuid in self.known:
            return
        if line.uuid:
            self.known.add(line.uuid)
        self.lines.append(line)


def _load(source: Source) -> Iterator[Loaded]:
    session, seen = _Session(), dict[str, int]()
    for record in records(source):
        if isinstance(record, LoadError):
            if not session.lines:
                yield record
            else:
                session.problems.append(record.problem)
            continue
        digest = key_of(record)
        session.digest = key_of(record, session.digest)
        for place, value in _values(record):
            if not isinstance(value, dict):
                session.problems.append(f"{place} could not be read: an object was expected and {kind_of(value)} found")
                continue
            if not _continues(session, value):
                yield _finished(source, session, seen)
                session = _Session()
                session.digest = digest
            session.add(value, place)
    if session.lines or session.problems:
        yield _finished(source, session, seen)


def _continues(session: _Session, record: Object) -> bool:
    try:
        return session.goes_on(record)
    except ShapeError:  # the line itself will be refused
        return True


def _finished(source: Source, session: _Session, seen: dict[str, int]) -> Loaded:
    """The trace of a session, known by its name and the digest of its lines."""
    if not session.lines:
        return LoadError(source.path, session.problems[0])
    alone = alone_in(session.lines)
    agent = (alone.agent or alone.uuid) if alone else ""
    name = f"{session.name}/{session.digest}/{agent}"
    seen[name] = seen.get(name, 0) + 1
    key = [name] if seen[name] == 1 else [name, str(seen[name])]
    try:
        return read_session(session.lines, source.path, key, session.problems)
    except ValueError as error:
        return misfit(source, session.lines[0].place, error, session.lines[0].record)


def _values(record: Record) -> Iterator[tuple[str, JSONValue]]:
    if isinstance(record.value, list):
        yield from ((f"row {number}", value) for number, value in enumerate(record.value))
    else:
        yield f"line {record.line}", record.value


CLAUDE_CODE = Format(
    name="claude-code",
    sentence="Claude Code sessions; what a tool returned beside its answer proves that it ran.",
    url="https://docs.anthropic.com/en/docs/claude-code",
    proofs=Proofs(
        proposals="present",
        executions="depends",
        results="present",
        errors="depends",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=_load,
)
