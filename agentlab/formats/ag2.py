"""Conversations of several agents as AutoGen, AG2 and Magentic-One log them, in the shape of the Who&When data set.

One object a conversation: `question`, `history` (a list of turns) and labels; or the bare list of turns. See
https://github.com/ag2ai/Agents_Failure_Attribution. There are no ids, times, tokens and models in it.

**AG2** (turns have a `name`): one chat that all agents share, so they share one context here; `role` says only from
whose side it was logged, and goes to `extra` of what is heard. A code block asks the terminal to run it. The terminal's
turn with an exit code proves that the blocks of the turn before ran, all together: they are one call, since nothing
tells which of them printed or failed. Its turn without an exit code says that nothing ran. Executions are on record
only where the terminal speaks at all. A page that a browsing agent shows is written by its browser: it is recorded
as a result without a call. The message with which AG2's captain starts a chat of experts is logged under the name of
one of them, and none of them wrote it: it is heard as the harness's, and no reply asked to run the code in it.

**Magentic-One** (turns have the agent in `role`): lines of a log, in which templates of the harness and words of the
models are mixed, so nobody's authorship is on record. What an agent did stands in prose, which proves no execution and
proposes no call; a delegation (`-> WebSurfer`) is a message. An orchestrator's thought joins no context. What the
scripts around the run print behind the last turn (`SCENARIO.PY COMPLETE`) stands in its `extra`.

A turn's identity is its index in `history`, from 0, as labels (`mistake_step`) have it; labels are kept in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, each_object, each_row, key_of
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError, mapping, mappings, rest, text
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, ProposedCall

__all__ = ["AG2"]

_MAGENTIC = re.compile(r"(?P<agent>[^()]{1,100}) \((?P<way>thought|termination condition|-> ?[^()]{0,100})\)\Z")
_EXIT = re.compile(r"exitcode: (?P<code>-?\d{1,12}) \([^()\n]{0,80}\)[ \t]*\n(?:Code output:[ ]?)?")
_NOTHING_RAN = "There is no code from the last"
_TERMINALS = {"computerterminal", "terminal", "codeexecutor", "codeexecutoragent", "executor", "userproxy"}
_PAGE = re.compile(r"Address: [^\n]*\n(?:Title: [^\n]*\n)?Viewport position: ")
_SET_UP: Final = "You are given: (1) a task and advises from your manager"
"""How AG2's captain begins the message with which it starts a chat of the experts it hired."""
_PRINTED = re.compile(r"[A-Z][A-Z_]{0,40}\.(?:PY|SH) COMPLETE !#!#\s*\Z")
"""What the scripts around a run print at its end, into the log of the last turn."""
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?P<language>[\w+#.-]*)[^\n`]*$", re.MULTILINE)
_RUNNABLE = {"python", "py", "sh", "bash", "shell", "pwsh", "powershell", "ps1"}
"""Languages that the executors of AutoGen run; a block of another one is shown, not asked to be run."""
_FINAL: Final = re.compile(r"^FINAL ANSWER: ?(?P<answer>[^\n]*)$", re.MULTILINE)
_STOP: Final = "TERMINATE"
_ROW = {"history", "question", "question_ID"}
_TURN = {"content", "name"}


def _turns(value: JSONValue | Object) -> Sequence[Object]:
    """The turns of a conversation as far as they are objects; the last may be cut off in a head."""
    history = value.get("history") if isinstance(value, Mapping) else value
    found = [turn for turn in history if isinstance(turn, dict)] if isinstance(history, list) else []
    return found[:-1] or found


def _is_conversation(value: JSONValue | Object) -> bool:
    if isinstance(value, Mapping) and "trajectory" in value:
        return False  # SWE-agent's
    turns = _turns(value)
    if not turns or not all(isinstance(turn.get("role"), str) and "content" in turn for turn in turns):
        return False
    if any(_is_magentic(turn) for turn in turns):
        return True
    named = all(isinstance(turn.get("name"), str) for turn in turns)
    return named and (isinstance(value, Mapping) or any(_reports(str(turn.get("content"))) for turn in turns))


def _is_magentic(turn: Object) -> bool:
    role = turn.get("role")
    return isinstance(role, str) and "name" not in turn and _MAGENTIC.match(role) is not None


def _reports(content: str) -> bool:
    """Whether a text is what a terminal says: how a run ended, or that nothing ran."""
    return content.startswith(_NOTHING_RAN) or _EXIT.match(content) is not None


def _sniff(head: Head) -> bool:
    return _is_conversation(head.first) or any(_is_conversation(row) for row in head.objects[:1])


def _split(record: Record) -> Iterator[Row | ShapeError]:
    value = record.value
    if isinstance(value, list) and not any(isinstance(row, dict) and "history" in row for row in value):
        yield Row(value={"history": value}, place=record.place, key=(key_of(record),))
        return
    yield from each_object(record)


def _read(row: Row, path: str) -> Trace:
    value = row.value
    turns = mappings(value, "history")
    if not turns:
        raise ShapeError("history: a list of turns was expected and there are none")
    magentic = any(_is_magentic(turn) for turn in turns)
    if not magentic and not any("name" in turn for turn in turns):
        raise ShapeError(
            "history: turns with a name, or with an agent and its way in role, were expected; none has them"
        )
    builder = TraceBuilder("ag2", path=path, key=row.key, source=row.place, evidence=Evidence())
    builder.describe(task=text(value, "question"), case=text(value, "question_ID"), extra=rest(value, _ROW))
    if magentic:
        _magentic(builder, turns)
    else:
        _group_chat(builder, turns, mapping(value, "system_prompt"))
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
        _Turn(name=text(turn, "name"), content=_content(turn, index), source=str(index), extra=rest(turn, _TURN))
        for index, turn in enumerate(history)
    ]
    terminals = _terminals(turns, prompts)
    builder.evidence = _evidence(turns, terminals)
    spoken: list[tuple[str, str]] = []
    asked: ProposedCall | None = None
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        builder.seat(turn.name, place="chat")
        common: dict[str, Any] = {"source": turn.source, "extra": turn.extra}
        if turn.name in terminals and _reports(turn.content):
            _terminal(builder, turn, asked)
            asked = None
        elif _PAGE.match(turn.content):
            builder.hear(Item(role="tool", text=turn.content, call=f"page-{turn.source}", **common))
        elif turn.source == "0" and turn.content.lstrip().startswith(_SET_UP):
            asked = _asked(builder, turn.content, ran=_runs(following, terminals))
            heard = {**common, "extra": {**turn.extra, "name": turn.name}}
            builder.hear(Item(role="user", author="harness", text=turn.content, **heard))
        elif turn.name:
            asked = _asked(builder, turn.content, ran=_runs(following, terminals))
            reply = builder.reply(turn.content, calls=[asked] if asked else [], **common)
            spoken.append((reply, turn.content))
        else:
            builder.hear(Item(role="user", text=turn.content, **common))
    if turns[-1].content.rstrip().endswith(_STOP) and not _reports(turns[-1].content):
        _stopped(builder, spoken)


def _runs(turn: _Turn | None, terminals: set[str]) -> bool:
    """Whether a turn is the terminal's and says how a run ended."""
    return turn is not None and turn.name in terminals and bool(_EXIT.match(turn.content))


def _terminals(turns: Sequence[_Turn], prompts: Object) -> set[str]:
    """The names whose turns a terminal writes: known ones, and those who say nothing else and have no prompt."""
    found = {turn.name for turn in turns if turn.name and _reports(turn.content)}
    speakers = {turn.name for turn in turns if not _reports(turn.content)}
    return {
        name
        for name in found
        if re.sub(r"[\W_]", "", name.lower()) in _TERMINALS or (name not in speakers and not prompts.get(name))
    }


def _evidence(turns: Sequence[_Turn], terminals: set[str]) -> Evidence:
    if any(turn.name in terminals for turn in turns):
        return Evidence(
            authorship="present", proposals="present", executions="present", results="present", errors="present"
        )
    return Evidence(authorship="present", proposals="present")


def _asked(builder: TraceBuilder, content: str, *, ran: bool) -> ProposedCall | None:
    """The one call that the code blocks of a turn are; None where it has none.

    Args:
        builder: names it.
        content: the turn.
        ran: whether the terminal ran something right after it: then blocks in any language were meant to be run.
    """
    every = list(_blocks(content))
    blocks = [block for block in every if block[0].lower() in _RUNNABLE] or (every if ran else [])
    if not blocks:
        return None
    languages = "+".join(dict.fromkeys(language for language, _ in blocks)) or "code"
    if len(blocks) == 1:
        return builder.propose(languages, {"code": blocks[0][1]})
    listed: list[JSONValue] = [{"language": language, "code": code} for language, code in blocks]
    return builder.propose(languages, {"blocks": listed})


def _blocks(content: str) -> Iterator[tuple[str, str]]:
    """Language and code of each fenced block that is closed; a fence with a language does not close one."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(content):
        if opened is None:
            opened = fence
        elif not fence["language"]:
            yield opened["language"], content[opened.end() + 1 : max(fence.start() - 1, opened.end() + 1)]
            opened = None


def _terminal(builder: TraceBuilder, turn: _Turn, asked: ProposedCall | None) -> None:
    """What the terminal says to the turn before."""
    exit_code = _EXIT.match(turn.content)
    if exit_code is None:
        builder.hear(Item(role="user", author="harness", text=turn.content, source=turn.source, extra=turn.extra))
        return
    call = asked.call if asked else f"run-{turn.source}"
    tool, arguments = (asked.tool, asked.arguments) if asked else ("code", None)
    execution = builder.begin(tool, arguments, call=call, source=turn.source)
    output = turn.content[exit_code.end() :]
    if exit_code["code"] == "0":
        builder.end(execution, result=output, source=turn.source)
    else:
        builder.end(execution, error=output, error_kind=f"exitcode {exit_code['code']}", source=turn.source)
    builder.hear(Item(role="tool", text=turn.content, call=call, source=turn.source, extra=turn.extra))


def _stopped(builder: TraceBuilder, spoken: Sequence[tuple[str, str]]) -> None:
    """The agents ended the chat; the answer is what was said last beside the word that ends it."""
    for reply, content in reversed(spoken):
        said = content.rstrip().removesuffix(_STOP)
        if said.strip():
            builder.answer(said, completion=reply)
            break
    builder.finish("answered", detail=_STOP)


# --- Magentic-One


def _magentic(builder: TraceBuilder, history: Sequence[Object]) -> None:
    way = ""
    for index, turn in enumerate(history):
        role = text(turn, "role")
        content = _content(turn, index)
        common: dict[str, Any] = {"source": str(index), "extra": rest(turn, {"content", "role"})}
        if index == len(history) - 1:
            content, printed = _without_printed(content)
            common["extra"].update({"printed": printed} if printed else {})
        named = _MAGENTIC.match(role)
        agent, way = (named["agent"], named["way"]) if named else (role, "")
        builder.seat(agent, place="chat")
        if role in ("human", "user"):
            builder.hear(Item(role="user", text=content, **common))
        elif re.sub(r"[\W_]", "", role.lower()) in _TERMINALS:
            builder.hear(Item(role="tool", text=content, call=f"run-{index}", **common))
        else:
            if way:
                common["extra"]["way"] = way
            builder.reply(content, remembered=way != "thought", **common)
    last = _content(history[-1], len(history) - 1)
    if found := _FINAL.findall(last):
        builder.answer(found[-1])
    if way == "termination condition":
        builder.finish("other", detail=last.partition("\n")[0])


def _without_printed(content: str) -> tuple[str, str]:
    """The last turn, and what the scripts around the run printed behind it."""
    lines = content.split("\n")
    count = sum(1 for _ in takewhile(lambda line: not line.strip() or _PRINTED.match(line), reversed(lines)))
    kept, printed = lines[: len(lines) - count], "\n".join(lines[len(lines) - count :])
    return ("\n".join(kept), printed) if "COMPLETE" in printed else (content, "")


AG2 = Format(
    name="ag2",
    sentence="Conversations of AG2 and Magentic-One in the Who&When shape; only what a terminal ran is proved.",
    url="https://github.com/ag2ai/Agents_Failure_Attribution",
    proofs=Proofs(
        proposals="depends", executions="depends", results="depends", errors="depends", times="absent", usage="absent"
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
)
