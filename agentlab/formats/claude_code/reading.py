"""Reads the lines of one Claude Code session into a trace; see `session` for what is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from agentlab.formats.anthropic.blocks import Replies, finish_of, result_text
from agentlab.formats.anthropic.messages import blocks_of
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.claude_code.lines import Line, alone_in, is_line, session_of
from agentlab.formats.claude_code.merging import group, merge, preserved, proof
from agentlab.formats.claude_code.outcome import judge, returned_fields
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import Object, ShapeError, boolean, listing, mapping, number, rest, text
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.formats.shapes.problems import told
from agentlab.messages import Author
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval, Summary
from agentlab.trace.model import Trace
from agentlab.trace.values import Caller, Evidence, TerminationReason

__all__ = ["read_session"]

_CONSTANT: Final = ("cwd", "version", "gitBranch", "userType", "slug", "entrypoint")
"""Fields of every line, kept once and again where they change."""
_MESSAGE: Final = {"type", "role", "content", "model", "usage", "stop_reason", "stop_sequence"}
_RESULT: Final = {"type", "tool_use_id", "content"}
_HARNESS: Final = (
    "<local-command-",
    "<command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification",
    "[Request inter",
)
"""How texts begin that stand in the user's seat and that Claude Code itself worded."""
_ENDINGS: Final[Mapping[str, TerminationReason]] = {
    "success": "answered",
    "error_max_turns": "step_limit",
    "error_max_budget_usd": "token_budget",
}


@dataclass(slots=True)
class _Agent:
    """One agent of the session: the main one, or one that it started."""

    replies: Replies
    events: list[str] = field(default_factory=list)
    """Its replies since the history was last rewritten."""
    places: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """How long the context was before and after each line, and how many replies there were."""
    count: int = 0
    """Replies so far."""
    answered: tuple[str, str] | None = None
    """Reply and text, where the last thing said was an answer."""


def read_session(lines: list[Line], path: str, key: list[str], problems: list[str]) -> Trace:
    """The trace of a session, or of one agent's file.

    Args:
        lines: in their order, each once.
        path: of the file.
        key: what identifies the session.
        problems: what is wrong with lines that could not be read.

    Raises:
        ValueError: if the events cannot be one record.
    """
    reading = _Reading(lines, path, key)
    for line in lines:
        try:
            reading.take(line)
        except ShapeError as error:
            problems.append(f"{line.place} could not be read: {error}")
    return reading.trace(problems)


class _Reading:
    def __init__(self, lines: list[Line], path: str, key: list[str]) -> None:
        self._agents: dict[str, _Agent] = {}
        self._chains: dict[str, str] = {}
        self._alone = alone = alone_in(lines)
        self._known = any(is_line(line.record) for line in lines)
        source = session_of(lines[0].record) if lines else ""
        self._builder = TraceBuilder("claude-code", path=path, key=key, source=source, evidence=Evidence())
        if alone:
            self._builder.describe(agent=alone.agent or "sidechain")
        self._merged, self._broken = merge(lines)
        self._ran = {call for line in lines if (call := proof(line.record))}
        self._running: dict[str, str] = {}
        self._extra: dict[str, JSONValue] = {"lines": []}
        self._constant: dict[str, JSONValue] = {}
        self._boundary: dict[str, JSONValue] = {}
        self._executed = self._refused = False
        self._end: tuple[TerminationReason, str, Line] | None = None

    def take(self, line: Line) -> None:
        """Record a line."""
        name = self._seat_of(line)
        if line.started_by and name and "" in self._agents:
            self._builder.seat("")
            self._witness(line.started_by, line, self._agents[""])
        self._builder.seat(name)
        agent = self._agents.get(name)
        if agent is None:
            by: Caller = "subagent" if line.sidechain else "agent"
            agent = self._agents[name] = _Agent(Replies(self._builder, _caller(by)))
        before = len(agent.replies.items)
        self._TAKERS.get(line.kind, _Reading._note)(self, line, agent)
        if line.uuid:
            agent.places[line.uuid] = before, len(agent.replies.items), agent.count

    def trace(self, problems: list[str]) -> Trace:
        """What was read."""
        builder, main = self._builder, self._agents.get("")
        builder.seat("")
        if main and main.answered:
            builder.answer(main.answered[1], completion=main.answered[0])
        if self._end:
            reason, detail, line = self._end
            took = number(line.record, "duration_ms")
            builder.finish(reason, detail=detail, time=line.time, duration=None if took is None else took / 1000)
        extra = {name: value for name, value in self._extra.items() if value}
        builder.describe(extra={**self._constant, **extra})
        replies = [agent.replies for agent in self._agents.values()]
        failed = any(each.failed for each in replies)
        executed = self._executed or not any(each.own for each in replies)
        builder.evidence = Evidence(
            proposals="present",
            results="present",
            authorship="present",
            executions="present" if executed else "not_recorded",
            errors="present" if executed or self._refused or failed else "not_recorded",
        )
        return builder.build(defect=told(problems), ours=self._known)

    # --- whose line it is ---

    def _seat_of(self, line: Line) -> str:
        """The agent a line belongs to: by its id, else by the chain of parents, else a new one."""
        if self._alone or not line.sidechain:
            return ""
        name = line.agent or self._chains.get(line.parent) or f"sidechain {line.uuid or line.place}"
        self._chains[line.uuid] = name
        return name

    # --- messages ---

    def _assistant(self, line: Line, agent: _Agent) -> None:
        if line.place in self._broken:
            raise self._broken[line.place]
        merged = self._merged.pop(group(line), None)
        if merged is None:
            return  # a further line of a message that is recorded already
        message = merged.message
        agent.answered = self._end = None
        if line.record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            said = plain_text(list(merged.blocks))
            agent.replies.hear(self._item(line, said, author="harness", role="assistant"))
            if line.record.get("isApiErrorMessage"):
                self._end = "provider_error", said, line
            return
        extra = {**self._more(line), **rest(message, _MESSAGE), **whole_usage(mapping(message, "usage"))}
        if len(merged.lines) > 1:
            extra["lines"] = merged.lines
        finish = finish_of(message)
        reply, said_last = agent.replies.add(
            merged.blocks,
            finish=finish,
            usage=merged.usage,
            model=text(message, "model"),
            extra=extra,
            time=line.time,
            source=line.source,
        )
        agent.events.append(reply)
        agent.count += 1
        if said_last and finish != "length":
            agent.answered = reply, said_last

    def _user(self, line: Line, agent: _Agent) -> None:
        blocks = blocks_of(line.message.get("content"))
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if not results:
            self._go_back(line, agent)
        if line.record.get("isCompactSummary"):
            self._summarise(line, agent, plain_text(list(blocks)))
            return
        agent.answered = self._end = None
        for block in results:
            returned = line.result if len(results) == 1 else None
            self._answer(line, agent, block, returned)
        said: list[JSONValue] = [block for block in blocks if block.get("type") != "tool_result"]
        if said or not blocks:
            self._hear(line, agent, plain_text(said))

    def _hear(self, line: Line, agent: _Agent, said: str) -> None:
        if said.startswith("[Request interrupted by user"):
            self._end = "interrupted", said, line
        if said.startswith("<command-name>/clear</command-name>"):
            agent.replies.rewind(0)
        ours = bool(line.record.get("isMeta")) or said.startswith(_HARNESS)
        agent.replies.hear(self._item(line, said, author="harness" if ours else None))

    def _answer(self, line: Line, agent: _Agent, block: Object, returned: JSONValue) -> None:
        """The answer to a call: what it proves is recorded first."""
        call = text(block, "tool_use_id")
        tool, arguments = agent.replies.asked(call)
        said, wrong = result_text(block.get("content")), bool(boolean(block, "is_error"))
        denied = text(line.record, "toolDenialKind")
        outcome = judge(said, returned, wrong=wrong, witnessed=call in self._ran, denied=denied)
        common: dict[str, Any] = {"time": line.time, "source": line.source}
        if outcome.refused:
            self._refuse(call, outcome, said, common)
        elif outcome.ran and tool not in _STRUCTURED:
            self._executed = True
            execution = self._running.get(call)
            if execution is None:
                by: Caller = "subagent" if line.sidechain else "agent"
                execution = self._builder.begin(tool, arguments, call=call, by=by, source=line.source)
            self._builder.end(
                execution,
                result=said if outcome.error is None else None,
                error=outcome.error,
                duration=outcome.duration,
                extra=returned_fields(returned),
                **common,
            )
        more = {**rest(block, _RESULT), **self._more(line)}
        agent.replies.hear(Item(role="tool", text=said, call=call, extra=more, **common))

    def _refuse(self, call: str, outcome: Outcome, reason: str, common: Mapping[str, Any]) -> None:
        self._refused = True
        if outcome.by and call:
            self._builder.add(Approval, call=call, verdict="reject", by=outcome.by, reason=reason, **common)
        self._builder.refuse(call, code=outcome.refused or "not_permitted", reason=reason, **common)

    def _go_back(self, line: Line, agent: _Agent) -> None:
        """A prompt that follows an earlier line takes the conversation back to there."""
        _, length, replies = agent.places.get(line.parent, (0, 0, agent.count))
        if replies < agent.count and length < len(agent.replies.items):
            agent.replies.rewind(length)

    def _summarise(self, line: Line, agent: _Agent, summary: str) -> None:
        """The summary stands in place of what was said, but for the messages that the boundary says were kept."""
        common: dict[str, Any] = {"time": line.time, "source": line.source}
        replaced = tuple(agent.events)
        self._builder.add(
            Summary, replaces=replaced, text=summary, author="model", extra=self._boundary or None, **common
        )
        kept: list[Item] = []
        for uuid in preserved(self._boundary):
            start, end, _ = agent.places.get(uuid, (0, 0, 0))
            kept.extend(agent.replies.items[start:end])
        agent.replies.replace([self._item(line, summary, author="model"), *kept])
        agent.events, self._boundary = [], {}

    def _attachment(self, line: Line, agent: _Agent) -> None:
        attached = mapping(line.record, "attachment")
        said = written(attached.get("content", dict(attached)))
        item = self._item(line, said, author="harness")
        agent.replies.hear(replace(item, extra={**item.extra, "attachment": rest(attached, {"content"})}))

    def _item(self, line: Line, said: str, *, author: Author | None, role: Any = "user") -> Item:
        more = {**self._more(line), **rest(line.message, _MESSAGE)}
        return Item(role=role, text=said, author=author, time=line.time, source=line.source, extra=more)

    # --- notes ---

    def _progress(self, line: Line, agent: _Agent) -> None:
        if call := proof(line.record):
            self._witness(call, line, agent)
        self._note(line, agent)

    def _witness(self, call: str, line: Line, agent: _Agent) -> None:
        """A line shows that a call runs; the first one is when it begins."""
        tool, arguments = agent.replies.asked(call)
        if tool and call not in self._running:
            self._executed = True
            common: dict[str, Any] = {"time": line.time, "source": line.source}
            self._running[call] = self._builder.begin(tool, arguments, call=call, **common)

    def _system(self, line: Line, agent: _Agent) -> None:
        if line.record.get("subtype") == "compact_boundary":
            self._boundary = {"boundary": line.source, **line.more}
            return
        if line.record.get("subtype") == "init":
            names: list[JSONValue] = [{"name": name} for name in listing(line.record, "tools") if isinstance(name, str)]
            self._builder.describe(tools=described_tools(names), model=text(line.record, "model"))
        self._note(line, agent)

    def _result(self, line: Line, agent: _Agent) -> None:
        kind = text(line.record, "subtype")
        self._end = _ENDINGS.get(kind, "other"), kind, line
        self._note(line, agent)

    def _note(self, line: Line, agent: _Agent) -> None:
        kept = self._extra["lines"]
        if isinstance(kept, list):
            record = line.record
            if line.kind == "progress":  # its output is a copy of what the result holds
                record = {name: value for name, value in record.items() if name not in _CONSTANT and name != "data"}
                data = mapping(line.record, "data")
                record = {**record, "data": {k: v for k, v in data.items() if k not in ("output", "fullOutput")}}
            kept.append({"line": line.place, **record})

    def _more(self, line: Line) -> dict[str, JSONValue]:
        """A line's further fields; those that every line repeats only where they change."""
        more = line.more
        for name in _CONSTANT:
            value = more.pop(name, None)
            if value is None:
                continue
            if name not in self._constant:
                self._constant[name] = value
            elif self._constant[name] != value:
                more[name] = value
        return more

    # Plain functions: bound ones would make each reading refer to itself, and only a search for garbage free it.
    _TAKERS: ClassVar[Mapping[str, Callable[[_Reading, Line, _Agent], None]]] = {
        "user": _user,
        "assistant": _assistant,
        "attachment": _attachment,
        "progress": _progress,
        "system": _system,
        "result": _result,
    }


_STRUCTURED: Final = {"StructuredOutput"}


def _caller(by: Caller) -> Callable[[str], Caller]:
    return lambda name: "structured_output" if name in _STRUCTURED else by
