"""Conversations of several agents as AutoGen, AG2 and Magentic-One log them, in the shape of the Who&When data set.

One object a conversation: `question`, `history` (a list of turns) and labels; or the bare list of turns. See
https://github.com/ag2ai/Agents_Failure_Attribution. There are no ids, times, tokens and models in it.

**AG2** (turns have a `name`): one chat that all agents share, so they share one context here; `role` says only from
whose side it was logged, and goes to `extra` of what is heard. A code block asks the terminal to run it. The terminal's
turn with an exit code proves that the blocks of the turn before ran, all together: they are one call, since nothing
tells which of them printed or failed. Its turn without an exit code says that nothing ran. Executions are on record
only where the terminal speaks at all. A page that a browsing agent shows is written by its browser: it is recorded
as a result without a call.

**Magentic-One** (turns have the agent in `role`): lines of a log, in which templates of the harness and words of the
models are mixed, so nobody's authorship is on record. What an agent did stands in prose, which proves no execution and
proposes no call; a delegation (`-> WebSurfer`) is a message. An orchestrator's thought joins no context.

A turn's identity is its index in `history`, from 0, as labels (`mistake_step`) have it; labels are kept in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentlab.formats.base import Format, Proofs, each_record, key_of
from agentlab.formats.builder import TraceBuilder
from agentlab.formats.content import plain_text
from agentlab.formats.fields import Object, ShapeError, mapping, mappings, objects, rest, text
from agentlab.formats.head import Head
from agentlab.formats.records import Record
from agentlab.formats.seat import Item
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["AG2"]

_MAGENTIC = re.compile(r"(?P<agent>[^()]{1,100}) \((?P<way>thought|termination condition|-> ?[^()]{0,100})\)\Z")
_EXIT = re.compile(r"exitcode: (?P<code>-?\d{1,12}) \([^()\n]{0,80}\)[ \t]*\n(?:Code output:[ ]?)?")
_NOTHING_RAN = "There is no code from the last"
_TERMINALS = {"computerterminal", "terminal", "codeexecutor", "codeexecutoragent", "executor", "userproxy"}
_PAGE = re.compile(r"Address: [^\n]*\n(?:Title: [^\n]*\n)?Viewport position: ")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?P<language>[\w+#.-]*)[^\n`]*\n(?P<code>.*?)\n?^[ \t]*```[ \t]*$", re.M | re.S)
_RUNNABLE = {"python", "py", "sh", "bash", "shell", "pwsh", "powershell", "ps1"}
"""Languages that the executors of AutoGen run; a block of another one is shown, not asked to be run."""
_FINAL: Final = re.compile(r"^FINAL ANSWER: ?(?P<answer>[^\n]*)$", re.MULTILINE)
_STOP: Final = "TERMINATE"
_ROW = {"history", "question"}
_TURN = {"content", "name"}


def _turns(value: JSONValue) -> list[Object]:
    """The turns of a conversation as far as they are objects; the last may be cut off in a head."""
    history = value.get("history") if isinstance(value, dict) else value
    found = [turn for turn in history if isinstance(turn, dict)] if isinstance(history, list) else []
    return found[:-1] or found


def _is_conversation(value: JSONValue) -> bool:
    if isinstance(value, dict) and "trajectory" in value:
        return False  # SWE-agent's
    turns = _turns(value)
    if not turns or not all(isinstance(turn.get("role"), str) and "content" in turn for turn in turns):
        return False
    if any(_is_magentic(turn) for turn in turns):
        return True
    named = all(isinstance(turn.get("name"), str) for turn in turns)
    return named and (isinstance(value, dict) or any(_reports(str(turn.get("content"))) for turn in turns))


def _is_magentic(turn: Object) -> bool:
    role = turn.get("role")
    return isinstance(role, str) and "name" not in turn and _MAGENTIC.match(role) is not None


def _reports(content: str) -> bool:
    """Whether a text is what a terminal says: how a run ended, or that nothing ran."""
    return content.startswith(_NOTHING_RAN) or _EXIT.match(content) is not None


def _sniff(head: Head) -> bool:
    return _is_conversation(head.first) or any(_is_conversation(row) for row in head.objects[:1])


def _read(record: Record, path: str) -> Iterator[Trace]:
    value = record.value
    if isinstance(value, list) and not any(isinstance(row, dict) and "history" in row for row in value[:1]):
        yield _trace({"history": value}, path, key_of(record), record.place)
        return
    for number, row in enumerate(objects(value if isinstance(value, list) else [value], "the list")):
        place = f"row {number}" if isinstance(value, list) else record.place
        yield _trace(row, path, f"{key_of(record)}/{number}", place)


def _trace(row: Object, path: str, key: str, place: str) -> Trace:
    turns = mappings(row, "history")
    if not turns:
        raise ShapeError("history: a list of turns was expected and there are none")
    builder = TraceBuilder("ag2", path=path, key=[key], source=place, evidence=Evidence())
    builder.describe(task=text(row, "question"), case=text(row, "question_ID"), extra=rest(row, _ROW))
    read = _magentic if any(_is_magentic(turn) for turn in turns) else _group_chat
    read(builder, turns, mapping(row, "system_prompt"))
    return builder.build()


def _content(turn: Object, index: int) -> str:
    try:
        return plain_text(turn.get("content"))
    except ShapeError as error:
        raise ShapeError(f"history[{index}]: {error}") from None


# --- AG2


@dataclass(frozen=True, kw_only=True, slots=True)
class _Turn:
    name: str
    content: str
    source: str
    extra: Mapping[str, JSONValue]


def _group_chat(builder: TraceBuilder, history: Sequence[Object], prompts: Object) -> None:
    turns = [
        _Turn(name=_name(turn, index), content=_content(turn, index), source=str(index), extra=rest(turn, _TURN))
        for index, turn in enumerate(history)
    ]
    terminals = _terminals(turns, prompts)
    state = "present" if terminals else "not_recorded"
    builder.evidence = Evidence(
        authorship="present",
        proposals="present",
        executions="present" if terminals else "not_recorded",
        results="present" if terminals else "not_recorded",
        errors="present" if terminals else "not_recorded",
    )
    del state
    asked = ""
    spoken: list[tuple[str, str]] = []
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        builder.seat(turn.name, place="chat")
        if turn.name in terminals:
            _terminal(builder, turn, asked)
            asked = ""
        elif _PAGE.match(turn.content):
            builder.hear(Item(role="tool", text=turn.content, call=f"page-{turn.source}", source=turn.source, extra=turn.extra))
        elif turn.name:
            ran = following is not None and following.name in terminals and _EXIT.match(following.content) is not None
            calls = [builder.propose(*call) for call in _asked(turn.content, ran=ran)]
            reply = builder.reply(turn.content, calls=calls, source=turn.source, extra=turn.extra)
            asked = calls[0].tool if calls else ""
            spoken.append((reply, turn.content))
        else:
            builder.hear(Item(role="user", text=turn.content, source=turn.source, extra=turn.extra))
    _end(builder, turns, spoken)
