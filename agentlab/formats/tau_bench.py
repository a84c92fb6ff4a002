"""Runs of tau-bench: rows of OpenAI chat messages between an agent, its tools and a simulated user, with a reward.

A row is `{task_id, reward, info, traj, trial}`; a file is a list of rows, one row, or one row a line. Written by
https://github.com/sierra-research/tau-bench (`run.py`), and with fields added by those who label its runs.

What it cannot tell: the agents of tau-bench keep only the first call of a reply before they store it, so calls beside
it are not in the file. A tool message is the text that the environment gave: a result, or `Error: ...` for whatever
was raised, or that there is no such action. None of the three says that anything ran, so executions and errors are
not recorded. The agents that write their action as text (`act`, `react`) make no native calls; of their rows proposals
and results are not recorded either. How a run ended is not in the file (`###STOP###` is a word of the simulated user),
but for one in which something was raised: its row has no messages and `info.error`. There are no times, and the only
cost is that of the user simulator. `info.task.actions` are the actions that were expected; they stand in `extra` and
are not calls.

A message's identity is its index in `traj`, from 0; an `index` that others added, from 1, stays in `extra`. A row has
no id that is its own in all files, so an attempt is known by the digest of what it was read from and its place in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.loading import Row, each_object, each_row
from agentlab.formats.openai_chat import is_chat, read_messages
from agentlab.formats.shapes.fields import Object, ShapeError, integer, mappings, rest, text
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["TAU_BENCH"]

_ROW = {"task_id", "trial", "traj"}


def _sniff(head: Head) -> bool:
    return any({"task_id", "reward"} <= row.keys() and _is_conversation(row) for row in head.objects[:1])


def _is_conversation(row: Object) -> bool:
    return is_chat(row.get("traj")) or (row.get("traj") == [] and bool(_error(row)))


def _error(row: Object) -> str:
    """Why there are no messages: what was raised, which took them with it."""
    info = row.get("info")
    error = info.get("error") if isinstance(info, dict) else None
    return error if isinstance(error, str) else ""


def _read(row: Row, path: str) -> Trace:
    record = row.value
    if not _is_conversation(record):
        raise ShapeError("traj: a list of chat messages was expected")
    messages = mappings(record, "traj")
    builder = TraceBuilder(
        "tau-bench", path=path, key=row.key, source=row.place or "row 0", evidence=_evidence(messages)
    )
    builder.describe(case=text(record, "task_id"), index=integer(record, "trial"), extra=rest(record, _ROW))
    if messages:
        read_messages(builder, messages)
    else:
        builder.finish("other", detail=_error(record))
    return builder.build()


def _evidence(messages: Sequence[Object]) -> Evidence:
    if not messages:
        return Evidence()
    if any(map(_is_action, messages)) and not any(message.get("tool_calls") for message in messages):
        return Evidence(authorship="present")
    return Evidence(authorship="present", proposals="present", results="present")


def _is_action(message: Object) -> bool:
    """Whether the agent wrote its action as text, as `act` and `react` do in every reply."""
    content = message.get("content")
    return message.get("role") == "assistant" and isinstance(content, str) and "Action:\n" in content


TAU_BENCH = Format(
    name="tau-bench",
    sentence="Rows of tau-bench runs; it keeps the first call of a reply only, and an answer proves no execution.",
    url="https://github.com/sierra-research/tau-bench",
    proofs=Proofs(
        proposals="depends", executions="absent", results="depends", errors="absent", times="absent", usage="absent"
    ),
    sniff=_sniff,
    load=each_row(each_object, _read),
)
