"""Calls that are only announced: a program puts together what a tool is to be asked, prints it, and calls nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentlab.audit.code.runs import CodeRun
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, tool_name
from agentlab.audit.values import Where

__all__ = ["only_announced"]


def only_announced(reading: Reading) -> Iterator[Crossing]:
    """Each reply that says it asks a tool, and whose program only shows what it would ask."""
    for run in reading.runs:
        if not run.program.only_shows or run.inner:
            continue
        named = {**_in_comments(reading, run), **_in_prose(reading, run)}
        for tool, where in list(named.items())[:1]:
            yield Crossing(
                message=f"{tool_name(tool)} is said to be asked here; the program only prints what it would be asked, "
                "and nothing was called.",
                where=(where, Where(event=run.reply.id, field="text", start=run.start, end=run.end, text=_code(run))),
                claimed={"tool": tool, "arguments": None, "text": where.text},
            )


def _in_prose(reading: Reading, run: CodeRun) -> Mapping[str, Where]:
    """The tools that the reply speaks of beside its program: the sentence, or the name where none could be read."""
    found: dict[str, Where] = {}
    for tool in sorted(reading.asked_tools):
        start = run.text.find(tool)
        if start >= 0 and not run.start <= start < run.end:
            found[tool] = Where(event=run.reply.id, field="text", start=start, end=start + len(tool), text=tool)
    for saying in reversed(reading.said_in.get(run.reply.id, ())):
        found.update((name.text, saying.where) for name in saying.statement.names if name.text in found)
    return found


def _in_comments(reading: Reading, run: CodeRun) -> Mapping[str, Where]:
    """The tools that a comment of the program names."""
    found: dict[str, Where] = {}
    for comment in run.program.comments:
        for tool in sorted(reading.asked_tools):
            if tool in comment.text:
                start, end = run.start + comment.start, run.start + comment.end
                found[tool] = Where(event=run.reply.id, field="text", start=start, end=end, text=comment.text)
    return found


def _code(run: CodeRun) -> str:
    return run.text[run.start : run.end]
