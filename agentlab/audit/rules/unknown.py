"""The rule about names that are no tool's, and about what a program uses that its interpreter offers to none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from agentlab.audit.arguments import plain
from agentlab.audit.evidence.faults import Fault
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.seen import SeenCall, ran, seen_calls
from agentlab.audit.values import Where
from agentlab.trace.events import CallRefused
from agentlab.trace.model import Trace

__all__ = ["UNKNOWN_TOOL"]

_SEPARATED = re.compile(r"[^\w-]+")
_NAME = re.compile(r"[\w-]{1,128}(?:[.:/][\w-]{1,128}){0,3}")
_COMPARED = 20
"""Unknown names for which the nearest known one is looked for; it is dear."""
_WORDS = re.compile(r"[\w:./-]{2,64}")
_MISSED = re.compile(r"\b(?:tool|function|action|command) [`'\"](?P<name>[^`'\"\n]{0,128})[`'\"]", re.IGNORECASE)
_LOOKED_UP = re.compile(r"(?:\bKeyError: |\bhas no attribute )['\"](?P<name>[^'\"\n]{1,128})['\"]\s*\Z")
"""How a harness fails that looks a tool up by its name and does not find it."""
_LAST = 600
"""Characters at the end of an error in which it says what it forbids."""


def _unknown(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    calls = seen_calls(trace)
    known = _Known(trace, calls)
    groups: dict[tuple[str, str], list[SeenCall]] = {}
    for seen in calls:
        if not seen.inner and not seen.is_finish and known.why_not(seen):
            groups.setdefault((seen.agent, seen.tool), []).append(seen)
    for number, group in enumerate(groups.values()):
        first, last = group[0], group[-1]
        near = _near_miss(first.tool, known.names | set(_offered(first))) if number < _COMPARED else ""
        yield Crossing(
            message=f"{_quoted(first.tool)} {known.why_not(first)}{near}.",
            where=tuple(place for each in group for place in (each.place, each.outcome) if place is not None),
            claimed={"tool": first.tool, "arguments": plain(first.call.arguments), "text": first.tool},
            severity="warning" if known.came_back.get(last.agent, -1) > last.position else "failure",
        )
    yield from _forbidden(reading)


def _forbidden(reading: Reading) -> Iterator[Crossing]:
    """What a program calls or imports that its interpreter offers to none, as the answer names it."""
    runs = {run.execution.id: run for run in reading.runs}
    for seen in seen_calls(reading.trace):
        run = runs.get(seen.call.executed_in or "")
        if run is None or seen.outcome is None or seen.fault is None or seen.fault.kind != "forbidden":
            continue
        said = set(_WORDS.findall(seen.text[-_LAST:]))
        name = next((name for name in (*run.program.calls, *run.program.imports) if name in said), None)
        at = run.text.find(name, run.start) if name else -1
        if name and at >= 0:
            place = Where(event=run.reply.id, field="text", start=at, end=at + len(name), text=name)
            yield Crossing(
                message=f"The program uses {name!r}, which the interpreter offers to no program, says the answer.",
                where=(place, seen.outcome),
                claimed={"tool": name, "arguments": None, "text": name},
                executed=ran(seen),
                severity="warning",
            )


class _Known:
    """The names that are known to be tools of a trace, and why another one is known to be none."""

    def __init__(self, trace: Trace, calls: Collection[SeenCall]) -> None:
        well = [each for each in calls if each.outcome is not None and each.fault is None]
        self._registered = {tool.name for tool in trace.started.tools}
        self._answered = {each.tool for each in well}
        self._prefixes = {_SEPARATED.split(name)[0] for name in self._answered}
        self._refused = {(e.completion, e.call) for e in trace.of(CallRefused) if e.code == "unknown_tool"}
        results = trace.evidence.results != "not_recorded"
        self._silence_tells = results and (len(calls) == 1 or any(each.outcome is not None for each in calls))
        self.names = self._registered | self._answered
        self.came_back = {each.agent: each.position for each in well}
        """By agent: place of its last call that came back well."""

    def why_not(self, seen: SeenCall) -> str:
        """Why a call's name is known to be nobody's, in words; empty where it is not known to be."""
        if seen.reply is not None and (seen.reply.id, seen.call.id) in self._refused:
            return "was refused as the name of no tool"
        if seen.fault is not None and not seen.runs_code and _says_unknown(seen.fault, seen):
            return "is the name of no tool, says the answer"
        if seen.call.executed_in is not None or seen.tool in self.names or seen.call.proposed_in is None:
            return ""
        if seen.outcome is not None:
            return "is not among the registered tools" if self._registered and seen.fault is not None else ""
        why = self._why_silent(seen.tool) if self._silence_tells else ""
        return f"{why}, and the call was never answered" if why else ""

    def _why_silent(self, name: str) -> str:
        if self._registered:
            return "is not among the registered tools"
        if not _NAME.fullmatch(name):
            return "cannot be the name of a tool"
        parts = _SEPARATED.split(name)
        return "carries a prefix that no answered call has" if len(parts) > 1 and parts[0] not in self._prefixes else ""


def _says_unknown(fault: Fault, seen: SeenCall) -> bool:
    """Whether a failed call's answer says that its own name is no tool's; a tool may miss one of its own things."""
    if fault.kind == "unknown_tool":
        missed = _MISSED.search(seen.text, fault.start)
        return missed is None or missed.start() > fault.start + len(fault.words) or missed["name"] in (seen.tool, "")
    looked_up = _LOOKED_UP.search(seen.text[-_LAST:])
    return looked_up is not None and looked_up["name"] == seen.tool


def _quoted(name: str) -> str:
    return repr(tool_name(name)) if name else "A call without a name"


def _offered(seen: SeenCall) -> list[str]:
    """Words of the answer that may be names of tools."""
    return [word for word in _WORDS.findall(seen.text[:2000]) if word != seen.tool] if seen.fault is not None else []


def _near_miss(name: str, known: Collection[str]) -> str:
    """The tool that was probably meant, in words."""
    parts = [part for part in _SEPARATED.split(name) if part]
    if len(parts) > 1 and parts[-1] in known:
        return f"; without what stands before it, it would be {parts[-1]!r}"
    folded = {_folded(each): each for each in sorted(known)}
    if same := folded.get(_folded(name)):
        return f"; written as {same!r} it would be one"
    near = get_close_matches(
        name, [each for each in sorted(known) if "_" in each or each.isalpha()][:200], n=1, cutoff=0.7
    )
    if near:
        return f"; the nearest name is {near[0]!r}"
    return f"; without what stands before it, it reads {parts[-1]!r}" if len(parts) > 1 else ""


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


UNKNOWN_TOOL = Rule(
    id="unknown-tool",
    severity="failure",
    meaning=(
        "A call names a tool that the registered list or the harness's own answer rejects, or a program uses what its "
        "interpreter offers to none. Where the record has no list, a name that cannot be one, or has a prefix nothing "
        "else has, counts if it was never answered. A warning where the agent went on to a call that came back, and of "
        "a program. A name is compared as it is written; the nearest known one is named."
    ),
    cause="The model made the name up on the pattern of others, or put a namespace before it.",
    check="Compare the name with the list of tools that was sent with this very request.",
    find=_unknown,
)
