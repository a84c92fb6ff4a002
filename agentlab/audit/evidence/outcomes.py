"""What came of a call: the harness's word, what the result says, and whether the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agentlab.audit.evidence.effects import kind_of, kind_of_line, shell_line_of
from agentlab.audit.evidence.exits import answers_no
from agentlab.audit.evidence.fields import Said, object_in, said_by_fields, text_of_blocks
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.partial import Part, part_by_fields, part_in
from agentlab.audit.evidence.sentences import error_in, is_nothing, nothing_found, shell_error_in, success_in
from agentlab.audit.evidence.shell import Command, exit_owners, split_line
from agentlab.audit.evidence.shown import Shown, shown
from agentlab.audit.evidence.structured import has_code, said_by_machine
from agentlab.audit.evidence.values import EffectKind, Outcome, Status
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue
from agentlab.trace.calls import CallState

__all__ = ["outcome_of"]

_Word = Literal["ok", "failed", ""]

_FLAGS: dict[CallState, _Word] = {"succeeded": "ok", "failed": "failed", "refused": "failed"}
_CONTENT = words(
    "cat head tail less more bat nl tac sed awk grep egrep fgrep rg ag ack jq yq zcat strings git"
    " docker kubectl journalctl dmesg"
)
"""Programs that print what stands in files."""


def outcome_of(
    *, result: str | None, error: str | None, state: CallState, tool: str = "", arguments: Arguments | None = None
) -> Outcome:
    """What came of a call, and what may be relied on.

    A status that is meant for machines speaks first (an exit code, a success field, a runner's summary), then the
    harness's flag, then a plain sentence that is the whole result. Words within a longer text say nothing of the call.
    Where they disagree the status is unclear, with two exceptions: a harness that records no error of a call whose
    result states a failing status only says that the call came back; and the exit code 1 of `grep` and the like is
    their answer.

    Args:
        result: the text that came back; where only an observation is on record, its text.
        error: what the harness recorded as the call's error.
        state: what became of the call.
        tool: its name.
        arguments: its arguments; a shell line among them tells whose the exit code is.
    """
    flagged: _Word = "failed" if error else _FLAGS.get(state, "")
    if result is None and not error:
        return _unrecorded(state, flagged)
    text = result if result is not None else error or ""
    found = _judged(_reading(text, tool, arguments), flagged, error or "")
    inner = None if found.structured else text_of_blocks(text)
    return found if inner is None else _judged(_reading(inner, tool, arguments), flagged, error or "")


def _unrecorded(state: CallState, flagged: _Word) -> Outcome:
    """Of a call that no result is on record of."""
    status: Status = flagged or "unclear"
    recorded = {"refused": "the call was refused", "failed": "the harness recorded a failure"}
    return Outcome(status=status, flagged=flagged, said="", why=recorded.get(state, "no result is on record"))


@dataclass(kw_only=True, slots=True)
class _Reading:
    """One result on its way to an outcome."""

    text: str
    shown: Shown
    kind: EffectKind
    commands: tuple[Command, ...]
    """Of the shell line that the call ran, if any."""
    is_content: bool
    """Whether the text may be somebody's file, log or search hits, in which nothing speaks of the call."""


@dataclass(kw_only=True, slots=True)
class _Verdict:
    """What a result comes to."""

    status: Status
    why: str = ""
    said: _Word = ""
    source: Said | None = None
    """The status for machines that it rests on."""
    masked: bool = False
    empty: bool = False
    """Nothing came back, though the text is not empty."""


def _reading(text: str, tool: str, arguments: Arguments | None) -> _Reading:
    line = shell_line_of(tool, arguments)
    if line is None:
        kind = kind_of(tool, arguments)
        return _Reading(text=text, shown=shown(text), kind=kind, commands=(), is_content=kind == "read")
    commands = split_line(line)
    kind = kind_of_line(line)
    is_content = kind == "read" and any(command.program in _CONTENT for command in commands)
    return _Reading(text=text, shown=shown(text), kind=kind, commands=commands, is_content=is_content)


def _judged(reading: _Reading, flagged: _Word, error: str) -> Outcome:
    fields = object_in(reading.text, reading.shown)
    part = part_by_fields(fields) if fields is not None else part_in(reading.shown)
    part = part or Part()
    nothing = is_nothing(reading.text, reading.shown)
    verdict = _by_machine(reading, fields, flagged)
    if verdict is None:
        verdict = _of_nothing(flagged, reading.kind) if nothing else _by_sentence(reading, flagged, error)
    return Outcome(
        status=verdict.status,
        flagged=flagged,
        said=verdict.said,
        exit_code=verdict.source.exit_code if verdict.source else None,
        tests=verdict.source.tests if verdict.source else None,
        shown=part.shown,
        total=part.total,
        truncated=part.truncated,
        empty=nothing or verdict.empty or bool(nothing_found(reading.shown)),
        why=verdict.why,
        structured=verdict.source is not None,
        masked=verdict.masked,
    )


def _by_machine(reading: _Reading, fields: Mapping[str, JSONValue] | None, flagged: _Word) -> _Verdict | None:
    """By a status that is meant for machines; None where there is none."""
    said = said_by_fields(fields, kind=reading.kind) if fields is not None else None
    if said is not None:
        program = _answering(said, reading)
        if program:
            said = replace(said, said="ok", why=f"exit code 1 of {program} is an answer")
        return _weighed(said, reading, flagged, is_answer=bool(program))
    found = said_by_machine(reading.shown, reading.commands, kind=reading.kind, is_content=reading.is_content)
    if found is None:
        return None
    verdict = _weighed(found.source, reading, flagged, is_answer=found.is_answer)
    verdict.masked = found.masked
    if found.masked and verdict.status == "ok" and found.source.tests is None:
        verdict.status, verdict.said = "unclear", ""
        verdict.why = f"exit code 0 is that of {reading.commands[-1].program!r}, not of the command that did the work"
    return verdict


def _answering(said: Said, reading: _Reading) -> str:
    """The program whose exit code among a result's fields is an answer; empty where it is none."""
    if said.exit_code is None or not reading.commands:
        return ""
    return answers_no(said.exit_code, exit_owners(reading.commands, said.exit_code), silent=False)


def _weighed(source: Said, reading: _Reading, flagged: _Word, *, is_answer: bool = False) -> _Verdict:
    """A status for machines against the flag, and against an error that stands beside it."""
    if source.said == "unclear":
        return _Verdict(status="unclear", why=source.why, source=source)
    verdict = _Verdict(status=source.said, said=source.said, why=source.why, source=source)
    if is_answer:
        verdict.empty = not _without_code(reading.text).strip()
    elif source.said == "ok" and flagged == "failed":
        verdict.status, verdict.why = "unclear", f"{source.why}, but it is recorded as failed"
    elif source.said == "ok" and source.tests is None and (contrary := _contrary(reading)):
        verdict.status, verdict.why = "unclear", f"{source.why}, but it says {contrary!r}"
    return verdict


def _contrary(reading: _Reading) -> str:
    """The error that a short result states beside a good status."""
    if reading.is_content or not reading.shown.is_short or reading.shown.head[:1] in ("{", "["):
        return ""
    body = _without_code(reading.text)
    return error_in(shown(body)) if body else ""


def _without_code(text: str) -> str:
    """A short text without the lines that only give an exit code; a long one as it is."""
    if len(text) > 2000:
        return text
    return "\n".join(line for line in text.split("\n") if not has_code(line))


def _of_nothing(flagged: _Word, kind: EffectKind) -> _Verdict:
    if flagged == "failed":
        return _Verdict(status="failed", why="it is recorded as failed, and nothing came back")
    known = flagged == "ok" or kind in ("read", "finish")
    return _Verdict(status="ok" if known else "unclear", why="nothing came back")


def _by_sentence(reading: _Reading, flagged: _Word, error: str) -> _Verdict:
    """By a plain sentence that is the whole result, and the flag."""
    wrong = _error_of(reading, flagged)
    good = success_in(reading.shown) if reading.kind != "read" else ""
    nothing = "" if reading.kind in ("write", "send") else nothing_found(reading.shown)
    if error and error != reading.text and not nothing and reading.kind == "read":
        nothing = nothing_found(shown(error))
    if wrong and good and wrong != good:
        return _Verdict(status="unclear", why=f"it says {good!r}, and {wrong!r}")
    if nothing and (flagged == "failed" or wrong or reading.kind == "check"):
        why = f"it says {nothing!r}" + ", and is recorded as failed" * (flagged == "failed")
        return _Verdict(status="unclear", why=why, empty=True)
    if wrong:
        disputed = flagged == "ok"
        why = f"it says {wrong!r}" + ", but no failure is recorded" * disputed
        return _Verdict(status="unclear" if disputed else "failed", said="failed", why=why)
    if flagged == "failed" and good:
        return _Verdict(status="unclear", said="ok", why=f"it is recorded as failed, but says {good!r}")
    if flagged == "failed":
        first = error.strip().split("\n", 1)[0][:120]
        return _Verdict(status="failed", why="it is recorded as failed" + f": {first}" * bool(first))
    said = nothing or good
    return _Verdict(status="ok", said="ok" if good else "", why=f"it says {said!r}" if said else "")


def _error_of(reading: _Reading, flagged: _Word) -> str:
    """The error that the text states as its own, not as content."""
    seen = reading.shown
    if reading.commands:
        looks = reading.kind == "read"
        programs = [command.program.lower() for command in reading.commands] if looks else None
        complaint = shell_error_in(seen, programs) if not reading.is_content or seen.is_short else ""
        if complaint or (looks and flagged != "failed"):
            return complaint
    elif reading.is_content and not seen.is_short and flagged != "failed":
        return ""
    return error_in(seen, is_look=reading.kind == "read" and not reading.commands)
