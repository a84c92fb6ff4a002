"""The rule about calls that could not be made as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from agentlab.audit.arguments import plain
from agentlab.audit.evidence.faults import is_parse_error
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.schemas import misfit
from agentlab.audit.rules.seen import SeenCall, ran, reply_place, seen_calls, whole
from agentlab.audit.values import Severity, Where
from agentlab.strictjson import JSONValue, StrictJSONError, loads
from agentlab.trace.events import CallRefused, CompletionEvent, ProtocolErrorEvent, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["MALFORMED_CALL"]


def _malformed(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    calls = seen_calls(trace)
    schemas = {tool.name: tool.parameters for tool in trace.started.tools if tool.parameters}
    refused = {
        (e.completion, e.call): e.reason for e in trace.of(CallRefused) if e.code in ("invalid_arguments", "unparsed")
    }
    native = trace.started.format == "openai-chat"  # there arguments are an object or broken
    told: set[tuple[str, str]] = set()
    for seen in calls:
        why, severity = _why_malformed(seen, schemas, refused, native=native)
        reply = seen.reply.id if seen.reply else ""
        if not why or (reply, "call") in told:
            continue
        if seen.call.proposed_in is None:
            told.add((reply, "call"))  # what code calls fails once for the whole of it
        places = (seen.place,) if seen.outcome is None else (seen.place, seen.outcome)
        yield Crossing(
            message=f"The call of {tool_name(seen.tool)} {why}.",
            where=places,
            claimed={"tool": seen.tool, "arguments": plain(seen.call.arguments), "text": seen.place.text},
            executed=ran(seen) if seen.outcome is not None else None,
            severity=severity,
        )
    yield from _turned_away(calls)
    yield from _unreadable(trace)


def _turned_away(calls: Iterable[SeenCall]) -> Iterator[Crossing]:
    """Tools that failed and ask for another input; as long as a tool does so in a row it is told once."""
    rows: list[list[SeenCall]] = []
    latest: dict[tuple[str, str], list[SeenCall]] = {}
    for seen in calls:
        key = (seen.agent, seen.tool)
        if seen.fault is None or seen.fault.kind != "input" or seen.outcome is None or seen.runs_code:
            latest.pop(key, None)
        elif key in latest:
            latest[key].append(seen)
        else:
            rows.append(latest.setdefault(key, [seen]))
    for row in rows:
        first = row[0]
        times = f", {len(row)} times in a row," if len(row) > 1 else ""
        yield Crossing(
            message=f"The call of {tool_name(first.tool)} failed{times} and asks for another input: "
            f"{shorten(first.fault.words if first.fault else '', 80)!r}.",
            where=tuple(place for seen in row for place in (seen.place, seen.outcome) if place is not None),
            claimed={"tool": first.tool, "arguments": plain(first.call.arguments), "text": first.place.text},
            executed=ran(first),
        )


def _why_malformed(
    seen: SeenCall,
    schemas: Mapping[str, Mapping[str, JSONValue]],
    refused: Mapping[tuple[str, str], str],
    *,
    native: bool,
) -> tuple[str, Severity]:
    """What is wrong with a call's arguments, in words, and how much it weighs; nothing where nothing is known to be."""
    reason = refused.get((seen.reply.id, seen.call.id)) if seen.reply is not None else None
    if reason is not None:
        return f"was refused before it ran: {shorten(reason, 100)!r}", "warning"
    went_well = seen.outcome is not None and seen.fault is None
    if broken := _broken(seen, native=native):
        return broken, "warning" if seen.outcome is not None else "failure"
    fault = seen.fault
    if fault is not None and _is_refusal(seen):
        words = fault.words or shorten(seen.text, 80)
        return f"was refused because of what it passes: {shorten(words, 80)!r}", "warning"
    if not went_well and isinstance(seen.call.arguments, Mapping) and seen.tool in schemas:
        wrong = misfit(seen.call.arguments, schemas[seen.tool])
        if wrong:
            return f"does not fit the tool's schema: {wrong}", "warning" if seen.outcome is not None else "failure"
    return "", "warning"


_LOOKUP = re.compile(
    r"(?:^|[_.:/-])(?:get|find|search|list|read|look|lookup|fetch|view|check|query|show|describe|grep|glob|visit"
    r"|open|browse"
    r"|inspect|page|scroll|think|calculate|status)",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"\b(?:cannot|can not|can't|may not|must not|must|should|not allowed|not permitted|not eligible)\b"
    r"|\bnot found or\b|不能|不允许|必须",
    re.IGNORECASE,
)


def _is_refusal(seen: SeenCall) -> bool:
    """Whether the error says that the arguments were wrong, or a tool that changes something forbids what they ask."""
    assert seen.fault is not None
    if seen.runs_code:
        return False
    if seen.fault.kind in ("arguments", "unparsed"):
        return True
    text = seen.text
    return (
        seen.fault.kind == "other"
        and len(text) <= 200
        and not _LOOKUP.search(seen.tool)
        and _RULES.search(text) is not None
    )


def _broken(seen: SeenCall, *, native: bool) -> str:
    """What is wrong with arguments that are no object, in words; empty where the tool is given plain text."""
    said = seen.call.arguments
    if not isinstance(said, str) or not said.strip():
        return ""
    if seen.outcome and seen.fault is None:
        return "has arguments that are cut off, and was carried out" if native and _is_cut(said) else ""
    if not native and not said.lstrip().startswith(("{", "[")):
        return ""
    try:
        value = loads(said)
    except StrictJSONError as error:
        if said.count("{") > said.count("}") or said.count("[") > said.count("]") or said.count('"') % 2:
            return "has arguments that are cut off"
        return f"has arguments that are not JSON: {shorten(str(error), 80)}"
    return "" if isinstance(value, dict) else "has arguments that are not an object"


_TALK = 400
_CALLING = re.compile(
    r"[{}<>`\[\]]|\w\(|^\W*[\w ]{1,30}[:：]|\b(?:tools?|functions?|actions?|calls?)\b", re.MULTILINE | re.IGNORECASE
)
"""What a reply has that tries to call something; a short one without it only talks."""


def _only_talks(text: str) -> bool:
    return len(text) <= _TALK and not _CALLING.search(text)


def _is_cut(said: str) -> bool:
    """Whether an object stops before its end."""
    if not said.lstrip().startswith("{") or said.rstrip().endswith("}"):
        return False
    return said.count("{") > said.count("}") or said.count('"') % 2 == 1


def _unreadable(trace: Trace) -> Iterator[Crossing]:
    """Replies in which the harness could not read a call; the same reply again is told once."""
    groups: dict[tuple[str, str], list[tuple[Where, Where | None]]] = {}
    for reply, text, reason, told in _complaints(trace):
        groups.setdefault((text, reason), []).append((reply_place(trace, reply, 200), told))
    for (text, reason), places in groups.items():
        again = f" ({len(places)} times the same)" if len(places) > 1 else ""
        yield Crossing(
            message=f"The harness could not read a call in the reply{again}: {shorten(reason, 100)!r}.",
            where=tuple(place for pair in places for place in pair if place is not None),
            severity="note" if len(places) == 1 and _only_talks(text) else "warning",
        )


def _complaints(trace: Trace) -> Iterator[tuple[CompletionEvent, str, str, Where | None]]:
    """Replies that were refused for their form, with their text, the reason and the place where the model was told."""
    last: dict[str, CompletionEvent] = {}
    for event in trace.events:
        if isinstance(event, CompletionEvent):
            last[event.agent_name] = event
        elif isinstance(event, ProtocolErrorEvent) and event.code in ("malformed_call", "ambiguous_call"):
            reply = trace.by_id.get(event.completion)
            if isinstance(reply, CompletionEvent):
                yield reply, trace.completion_text(reply) or "", event.reason, None
        elif isinstance(event, Request) and (reply := last.get(event.agent_name)) is not None and not reply.calls:
            for place, item in enumerate(event.items, event.kept):
                said = item.text if item.text is not None else trace.texts.get(item.digest, "")
                if item.author != "model" and item.role != "system" and item.origin is None and _is_complaint(said):
                    text = trace.completion_text(reply) or ""
                    yield reply, text, said, whole(event.id, f"context[{place}].text", said, 400)
                    break


def _is_complaint(text: str) -> bool:
    return len(text) <= 4000 and is_parse_error(text)


MALFORMED_CALL = Rule(
    id="malformed-call",
    severity="warning",
    meaning=(
        "A call's arguments are no object, are cut off, have wrong names or types, or were refused by the tool for "
        "what they say; or the tool failed and asks for another input, told once as long as it goes on; or the harness "
        "could not read a call in the reply. A failure where the call was never answered. Arguments that the tool took "
        "are not held against the schema, nor is an error that a program raised which the agent wrote."
    ),
    cause="The output was cut off, or the tool's description does not say what it takes.",
    check="Read the arguments beside the schema that was sent, and the finish reason of the reply.",
    find=_malformed,
)
