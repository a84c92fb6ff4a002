"""Plain text of ReAct runs: `Thought:`, `Action:`, `Observation:` at the beginning of lines, numbered or not.

As printed by the scripts of ReAct (https://github.com/ysymyth/ReAct) and of Reflexion, and by whatever follows them;
one file, or one cell of a notebook, holds any number of runs. Of a notebook only the outputs count: what its cells
say is code and prompts.

By convention an Action is the model's and an Observation the harness's. The text proves neither: a model that ran on
past its stop sequence wrote its own Observation, and nothing marks that (and a file that holds one such reply and
nothing before it is not taken for a run: see the format `completion`). So authorship and executions are not recorded;
an Action is a proposal by its place, Finish too where a text has it, and the Observation behind it an answer. An answer
may say that the action was invalid, in words alone, so errors are not recorded either.

A reply is what stands between two observations, without the white space around it, which the writer of the file set;
line ends are made one. An action that calls nothing (`Action 2: I look around`) is a call without a name. A first
`Action: reset` was made by the loop and not by a model: its observation is the task. Examples in a prompt that say of
themselves that they are some belong to the prompt. Sections of a file (`BEGIN TRIAL 2`, `BEGIN HALTED AGENTS`) stand in
`extra` of each run as `trial` and `section`, and what follows a run without being a step as `behind`.

Identity is the line, in a notebook the line of the cell's output: `cell 7 line 12`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import Final

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import misfit
from agentlab.formats.react_text.steps import Episode, Mark, call_in, episodes, has_furniture, marks_of, resets
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError, kind_of, mapping, mappings, text
from agentlab.strictjson import JSONValue, digest
from agentlab.trace.model import Trace
from agentlab.trace.values import Caller, Evidence, ProposedCall

__all__ = ["REACT_TEXT"]

_SECTION: Final = re.compile(
    r"^[ \t]*-*[ \t]*BEGIN (?:TRIAL (?P<trial>\d{1,6})|(?P<section>[A-Z]{1,40}) AGENTS)\b", re.M
)
_LOOKED_AT: Final = 20
"""Actions that are looked at to see whether they call anything."""
_CALL: Final = 4000
"""Characters of each."""


# --- recognising


def _sniff(head: Head) -> bool:
    """Whether the text has what no single reply of a model has, and some action in it is answered."""
    return any(_shows_a_run(told) for told in _texts_of_head(head))


def _texts_of_head(head: Head) -> Iterator[str]:
    first = head.first
    if not head.is_json:
        yield head.text
    elif isinstance(first, dict) and isinstance(first.get("cells"), list):
        with suppress(ShapeError):
            yield from (told for _, told in _outputs(first) if isinstance(told, str))


def _shows_a_run(told: str) -> bool:
    """Whether a text is a log of runs.

    A reply in which a model ran on looks like a run too. So a log must show what comes before a model's first word: a
    question, examples, a rule or a header of the file, or the reset of an environment.
    """
    marks = marks_of(told)
    first = next((mark for mark in marks if mark.kind not in ("prompt", "task")), None)
    if first is None or not (first is not marks[0] or resets(told, first) or has_furniture(told, first.start)):
        return False
    answered = [one for one, other in pairwise(marks) if (one.kind, other.kind) == ("action", "observation")]
    return any(call_in(told, one.end, min(one.end + _CALL, len(told))).problem is None for one in answered[:_LOOKED_AT])


# --- reading


def _load(source: Source) -> Iterator[Loaded]:
    nothing = True
    for where, told in _texts(source):
        if isinstance(told, LoadError):
            nothing = False
            yield told
            continue
        for loaded in _runs(source, where, told):
            nothing = False
            yield loaded
    if nothing:
        yield LoadError(source.path, "lines that begin with Action: and Observation: were expected, and there are none")


def _texts(source: Source) -> Iterator[tuple[str, str | LoadError]]:
    """The texts of a file, each with the beginning of its places."""
    content = source.read()
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        for record in records(source):
            if isinstance(record, LoadError):
                yield "", record
                continue
            try:
                for where, told in _outputs(record.value):
                    yield where, told if isinstance(told, str) else misfit(source, where.strip(), told)
            except ShapeError as error:
                yield "", misfit(source, record.place, error)
        return
    try:
        yield "", content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        yield "", LoadError(source.path, f"text in UTF-8 was expected, and byte {error.start + 1} is not")


def _outputs(notebook: JSONValue) -> Iterator[tuple[str, str | ShapeError]]:
    """What each cell of a notebook printed, or why that cannot be read.

    The pieces of one cell are one text, cut where the kernel flushed.
    """
    if not isinstance(notebook, dict):
        raise ShapeError(f"a notebook was expected and {kind_of(notebook)} found")
    for number, cell in enumerate(mappings(notebook, "cells")):
        try:
            told = "".join(map(_output, mappings(cell, "outputs")))
        except ShapeError as error:
            yield f"cell {number} ", error
            continue
        if told.strip():
            yield f"cell {number} ", told.replace("\r\n", "\n")


def _output(output: Object) -> str:
    holder, name = (output, "text") if "text" in output else (mapping(output, "data"), "text/plain")
    pieces = holder.get(name)
    return "".join(plain_text(piece) for piece in pieces) if isinstance(pieces, list) else text(holder, name)


def _runs(source: Source, where: str, told: str) -> Iterator[Loaded]:
    key = digest(told)
    lines = list(accumulate((len(line) + 1 for line in told.split("\n")), initial=0))
    sections = deque(_SECTION.finditer(told))
    section: dict[str, str] = {}
    for number, episode in enumerate(episodes(told, marks_of(told))):
        while sections and sections[0].start() < episode.steps[0].start:
            found = sections.popleft()
            section = {"trial": found["trial"]} if found["trial"] else {**section, "section": found["section"]}
        reader = _Reader(source.path, told, episode, where, lines)
        try:
            yield reader.read([key, number], section)
        except ValueError as error:
            yield misfit(source, reader.place(episode.steps[0].start), error)


class _Reader:
    """Reads one run."""

    def __init__(self, path: str, told: str, episode: Episode, where: str, lines: Sequence[int]) -> None:
        self._path, self._text, self._episode = path, told, episode
        self._where, self._lines = where, lines

    def place(self, at: int) -> str:
        return f"{self._where}line {bisect_right(self._lines, at)}"

    def read(self, key: Sequence[object], section: Mapping[str, str]) -> Trace:
        """The trace of the run.

        Args:
            key: identifies it.
            section: in which trial and section of the file it stands.
        """
        steps, end = self._episode.steps, self._episode.end
        seen = Evidence(proposals="present", results="present")
        builder = TraceBuilder("react-text", path=self._path, key=key, source=self.place(steps[0].start), evidence=seen)
        self._begin(builder, section)
        said: list[Mark] = []
        for mark, stop in zip(steps, [*(mark.start for mark in steps[1:]), end], strict=True):
            if mark.kind != "observation":
                said.append(mark)
                continue
            self._reply(builder, said, mark.start)
            said = []
            builder.hear(Item(role="tool", text=self._text[mark.end : stop].strip(), source=self.place(mark.start)))
        self._reply(builder, said, end)
        if section.get("section") == "HALTED":
            builder.finish("other", detail="HALTED")
        return builder.build()

    def _begin(self, builder: TraceBuilder, section: Mapping[str, str]) -> None:
        episode, told = self._episode, self._text
        first = episode.steps[0]
        prompt = told[episode.prompt : first.start].strip()
        task = told[episode.task.end : first.start].strip() if episode.task else ""
        if not task and self._is_reset(first) and len(episode.steps) > 1:
            stop = episode.steps[2].start if len(episode.steps) > 2 else episode.end
            task = told[episode.steps[1].end : stop].strip()
        extra: dict[str, JSONValue] = {**section}
        heading, behind = told[episode.start : episode.prompt].strip(), told[episode.end : episode.behind].strip()
        extra |= {name: part for name, part in (("heading", heading), ("behind", behind)) if part}
        trial = section.get("trial", "")
        builder.describe(task=task, index=max(int(trial) - 1, 0) if trial else 0, extra=extra)
        if prompt:
            builder.hear(Item(role="user", text=prompt, source=self.place(episode.prompt)))

    def _is_reset(self, mark: Mark) -> bool:
        """Whether a step is the call by which a loop starts its environment."""
        return mark is self._episode.steps[0] and resets(self._text, mark)

    def _reply(self, builder: TraceBuilder, said: Sequence[Mark], end: int) -> None:
        """Record what stands between two observations; nothing where nothing does."""
        if not said:
            return
        calls: list[ProposedCall] = []
        answer: str | None = None
        for mark, stop in zip(said, [*(mark.start for mark in said[1:]), end], strict=True):
            if mark.kind == "final":
                answer = self._text[mark.end : stop].strip()
            elif mark.kind == "action":
                call = call_in(self._text, mark.end, stop)
                by: Caller = "not_recorded" if self._is_reset(mark) else "agent"
                named = call.problem != "not_a_call"
                arguments = call.arguments if named else self._text[mark.end : stop].strip()
                calls.append(builder.propose(call.name if named else "", arguments, by=by))
                if call.finish and isinstance(call.arguments, str):
                    answer = call.arguments
        start = said[0].start
        builder.reply(self._text[start:end].strip(), calls=calls, source=self.place(start))
        if answer is not None:
            builder.answer(answer)


REACT_TEXT = Format(
    name="react-text",
    sentence="Plain text of ReAct runs, also in notebooks; an Observation may be the model's own and proves no run.",
    url="https://github.com/ysymyth/ReAct",
    proofs=Proofs(
        proposals="present", executions="absent", results="present", errors="absent", times="absent", usage="absent"
    ),
    sniff=_sniff,
    load=_load,
    general=True,
)
