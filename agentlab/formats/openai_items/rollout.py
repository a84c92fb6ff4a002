"""Reads the lines of a Codex rollout into a trace; see `codex` for what is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.openai_items.items import Items
from agentlab.formats.openai_items.outputs import ended, judge, seconds_of
from agentlab.formats.openai_items.responses import evidence_of, usage_of
from agentlab.formats.openai_items.script import Script, Where
from agentlab.formats.shapes.content import plain_text, written
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    boolean,
    integer,
    mapping,
    mappings,
    rest,
    text,
)
from agentlab.formats.shapes.outcomes import Outcome
from agentlab.formats.shapes.problems import told
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Author
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Summary
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, TerminationReason

__all__ = ["Line", "RolloutReading"]

_HARNESS: Final = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions instructions>"),
    *("<turn_aborted>", "<skill>", "<subagent_notification>", "<user_shell_command>", "<collaboration_mode>"),
)
"""How texts begin that stand in the user's seat and that Codex itself worded."""
_REJECTED: Final = ("user rejected MCP tool call", "user cancelled MCP tool call")
"""What Codex gives as the error of a call that it never passed on to an MCP server."""
_OWN: Final = {"session_meta", "turn_context", "event_msg", "compacted"}
"""Types of lines that no other format writes."""
_META: Final = {"id", "timestamp", "instructions", "base_instructions", "model_provider"}
_MIRRORS: Final = {"agent_message": "assistant", "user_message": "user"}
_SILENT: Final = {
    *("agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "task_started"),
    *("turn_started", "web_search_begin", "web_search_end", "context_compacted"),
}
"""Events that repeat items or say nothing that is not said elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line, of either generation."""

    kind: str
    payload: Object
    stamp: JSONValue
    """When it was written, as it stands there."""
    place: str


class RolloutReading:
    """The lines of one session, on their way into a trace.

    Args:
        lines: in their order.
        path: of the file.
        key: the digest of the file: a session that was copied and went on has the id of the first one.
    """

    def __init__(self, lines: list[Line], path: str, key: str) -> None:
        self._lines = lines
        meta = next((line.payload for line in lines if line.kind == "session_meta"), {})
        meta = inner if isinstance(inner := meta.get("meta"), dict) else meta
        self._meta = meta
        name = meta.get("id") if isinstance(meta.get("id"), str) else ""
        started = meta.get("source")
        spawned = isinstance(started, dict) and "subagent" in started
        self._builder = TraceBuilder(
            "codex", path=path, key=[name, key], source=str(name), evidence=Evidence(authorship="present")
        )
        self._script = Script(self._builder, "subagent" if spawned else "agent")
        self._items = Items(self._script, judge=judge, author=_author)
        self._said = _texts(lines)
        self._total: JSONValue = None
        self._others: list[JSONValue] = []
        self._turns: list[JSONValue] = []
        self._replies = 0
        self._opened = False
        self._end: tuple[TerminationReason, str, float | None] | None = None

    def trace(self, problems: list[str]) -> Trace:
        """What was read."""
        for line in self._lines:
            try:
                where = {"time": seconds(line.stamp), "source": line.place}
                self._TAKERS.get(line.kind, RolloutReading._other)(self, line.payload, where)
            except ShapeError as error:
                problems.append(f"{line.place} could not be read: {error}")
        builder, script = self._builder, self._script
        script.play()
        if (last := script.last) and last.text and not last.calls:
            builder.answer(last.text, completion=last.event)
        if self._end:
            builder.finish(self._end[0], detail=self._end[1], time=self._end[2])
        more = {"turns": self._turns, "items": self._items.others, "lines": self._others}
        meta = rest(self._meta, _META)
        builder.describe(
            provider=str(self._meta.get("model_provider") or ""),
            tools=tuple(self._items.tools),
            extra={**meta, **{name: value for name, value in more.items() if value}},
        )
        builder.evidence = evidence_of(script)
        return builder.build(defect=told(problems), ours=any(line.kind in _OWN for line in self._lines))

    # --- lines ---

    def _session(self, payload: Object, where: Where) -> None:
        if self._opened:
            self._others.append({"line": where["source"], **payload})  # of the session this one was forked from
            return
        self._opened = True
        base = payload.get("base_instructions")
        said = text(base, "text") if isinstance(base, dict) else text(payload, "instructions")
        if said:
            self._script.hear(Item(role="system", text=said, **where))

    def _turn(self, payload: Object, where: Where) -> None:
        self._script.model = text(payload, "model")
        known = self._turns[-1] if self._turns else None
        if not isinstance(known, dict) or {**payload} != {k: v for k, v in known.items() if k != "line"}:
            self._turns.append({"line": where["source"], **payload})

    def _item(self, payload: Object, where: Where) -> None:
        self._items.take(payload, where)
        if self._script.counted:
            self._end = None

    def _other(self, payload: Object, where: Where) -> None:
        self._others.append({"line": where["source"], **payload})

    def _compacted(self, payload: Object, where: Where) -> None:
        summary = text(payload, "message")
        kept = mappings(payload, "replacement_history")
        items = [
            Item(role=role, text=said, author=_author(said) if role == "user" else None, **where)
            for each in kept
            if (role := _ROLES.get(text(each, "role"))) and (said := plain_text(each.get("content")))
        ]

        def step() -> None:
            self._builder.add(Summary, replaces=(), text=summary, author="model", **where)
            self._builder.see(items or [Item(role="user", text=summary, author="model", **where)])

        self._script.then(step)

    # --- events ---

    def _event(self, payload: Object, where: Where) -> None:
        self._EVENTS.get(text(payload, "type"), RolloutReading._other)(self, payload, where)

    def _mirror(self, payload: Object, where: Where) -> None:
        said, role = text(payload, "message"), _MIRRORS[text(payload, "type")]
        if (role, said.strip()) in self._said or not said:
            return
        extra = rest(payload, {"type", "message"})
        if role == "assistant":
            self._script.say(said, where, extra)
        else:
            self._script.hear(Item(role="user", text=said, author=_author(said), extra=extra, **where))

    def _tokens(self, payload: Object, where: Where) -> None:
        info = mapping(payload, "info")
        total, reply = info.get("total_token_usage"), self._script.counted
        if not info or (total is not None and total == self._total) or reply is None or reply.usage is not None:
            return
        self._total = total
        reply.usage = usage_of(mapping(info, "last_token_usage"))
        reply.extra.update(whole_usage(mapping(info, "last_token_usage"), "last_token_usage"))

    def _begin(self, payload: Object, where: Where) -> None:
        self._script.executed = True
        tool, arguments = _ran(payload)
        self._script.begin(text(payload, "call_id"), where, tool=tool, arguments=arguments)

    def _exec_end(self, payload: Object, where: Where) -> None:
        code = integer(payload, "exit_code")
        outcome = ended(code, duration=_duration(payload))
        printed = text(payload, "aggregated_output") or text(payload, "stdout") or text(payload, "formatted_output")
        self._finished(payload, printed, outcome, where)

    def _patch_end(self, payload: Object, where: Where) -> None:
        problem = "" if boolean(payload, "success") else text(payload, "stderr") or "the patch was not applied"
        self._finished(payload, text(payload, "stdout"), ended(None, problem=problem), where)

    def _mcp_end(self, payload: Object, where: Where) -> None:
        result = mapping(payload, "result")
        good = result.get("Ok")
        problem = "" if good is not None else written(result.get("Err", "failed"))
        said = ""
        if isinstance(good, dict):
            said = plain_text(good.get("content"))
            wrong = boolean(good, "isError") or boolean(good, "is_error")
            problem = said or "failed" if wrong else ""
        self._finished(payload, said, ended(None, duration=_duration(payload), problem=problem), where)

    def _finished(self, payload: Object, said: str, outcome: Outcome, where: Where) -> None:
        call, reason = text(payload, "call_id"), said or outcome.error or "declined"
        if refusal := _refusal(payload, said, reason):
            self._script.refuse(call, refusal, reason, where)
            return
        self._script.executed = True
        tool, arguments = _ran(payload)
        self._script.begin(call, {**where, "time": None}, tool=tool, arguments=arguments)
        self._script.end(call, said, outcome, where, tool=tool)

    def _ended(self, payload: Object, where: Where) -> None:
        kind = text(payload, "type")
        error = mapping(payload, "error")
        if kind == "error" or error:
            self._end = "provider_error", text(payload, "message") or text(error, "message"), where["time"]
        elif kind == "turn_aborted":
            self._end = "interrupted", text(payload, "reason"), where["time"]
        else:
            self._end = "answered", kind, where["time"]

    # Plain functions: bound ones would make each reading refer to itself, and only a search for garbage free it.
    _TAKERS: ClassVar[Mapping[str, Callable[[RolloutReading, Object, Where], None]]] = {
        "session_meta": _session,
        "turn_context": _turn,
        "response_item": _item,
        "event_msg": _event,
        "compacted": _compacted,
    }
    _EVENTS: ClassVar[Mapping[str, Callable[[RolloutReading, Object, Where], None]]] = {
        "token_count": _tokens,
        "exec_command_begin": _begin,
        "exec_command_end": _exec_end,
        "patch_apply_begin": _begin,
        "patch_apply_end": _patch_end,
        "mcp_tool_call_begin": _begin,
        "mcp_tool_call_end": _mcp_end,
        "turn_aborted": _ended,
        "task_complete": _ended,
        "turn_complete": _ended,
        "error": _ended,
        **dict.fromkeys(_MIRRORS, _mirror),
        **dict.fromkeys(_SILENT, lambda reading, payload, where: None),
    }


_ROLES: Final[Mapping[str, Any]] = {"user": "user", "assistant": "assistant", "developer": "system", "system": "system"}


def _author(said: str) -> Author | None:
    return "harness" if said.lstrip().startswith(_HARNESS) else None


def _refusal(payload: Object, said: str, reason: str) -> Outcome | None:
    """Why a call never ran, though an event tells of its end; None where it ran."""
    if not said and reason in _REJECTED:
        return Outcome(refused="not_permitted", by="user")
    if text(payload, "status") != "declined":
        return None
    judged = judge("", payload, reason)
    return judged if judged.refused else Outcome(refused="not_permitted")


def _ran(payload: Object) -> tuple[str, dict[str, JSONValue] | None]:
    """Tool and arguments of an event of an execution, for where no item asked for it."""
    kind = text(payload, "type")
    if kind.startswith("mcp"):
        asked = mapping(payload, "invocation")
        return text(asked, "tool"), mapping(asked, "arguments")
    if kind.startswith("patch"):
        return "apply_patch", {"changes": payload.get("changes")}
    command = payload.get("command")
    return "exec_command", {"command": command} if command is not None else None


def _duration(payload: Object) -> float | None:
    value = payload.get("duration")
    return seconds_of(value) if isinstance(value, dict) else None


def _texts(lines: list[Line]) -> set[tuple[str, str]]:
    """Who said what in items, to know what an event only repeats."""
    found = set()
    for line in lines:
        payload = line.payload
        if line.kind != "response_item" or payload.get("type") != "message":
            continue
        try:
            said = plain_text(payload.get("content"))
        except ValueError:
            continue  # told when the line itself is read
        found.add((str(payload.get("role")), said.strip()))
    return found
