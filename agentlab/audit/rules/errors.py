"""Rules about errors: those nobody's claim is about, and those dressed as observations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentlab.audit.arguments import written
from agentlab.audit.evidence.faults import FaultKind, is_parse_error, template
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule, tool_name
from agentlab.audit.rules.seen import SeenCall, ran, seen_calls, whole
from agentlab.audit.values import Where
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Observation, Request
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["INFRASTRUCTURE", "RAW_ERROR_FED_BACK"]

# --- infrastructure ---

_ELSEWHERE: dict[FaultKind, str] = {
    "service": "a service, the network, a quota or a deadline",
    "sandbox": "the sandbox",
    "absent": "a file that the task names and that is not there",
    "crash": "the tool's own code",
}
_SHORT = 300
"""Longest output, in code points, of a program that is taken for a word about its surroundings."""
_PATH = re.compile(r"[\w./\\~-]{5,300}")


def _infrastructure(reading: Reading) -> Iterator[Crossing]:
    yield from _provider(reading.trace)
    for kind, group in _outside(reading.trace):
        first = group[0]
        words = first.fault.words if first.fault is not None else ""
        again = f", {len(group)} times" if len(group) > 1 else ""
        yield Crossing(
            message=f"{tool_name(first.tool)} failed{again} because of {_ELSEWHERE[kind]}: {shorten(words, 80)!r}.",
            where=tuple(each.outcome for each in group if each.outcome is not None),
            executed=ran(first),
        )


def _outside(trace: Trace) -> list[tuple[FaultKind, list[SeenCall]]]:
    """Calls that failed for reasons outside; the same at neighbouring steps together, a tool's defect from all."""
    groups: list[tuple[FaultKind, list[SeenCall]]] = []
    latest: dict[tuple[str, str, str], list[SeenCall]] = {}
    task = _Task(trace)
    for seen in seen_calls(trace):
        if seen.fault is None or not _is_outside(seen, task):
            continue
        key = (seen.agent, seen.tool, template(seen.text))
        group = latest.get(key)
        if group is None or (seen.step - group[-1].step > 1 and seen.fault.kind != "crash"):
            group = latest[key] = []
            groups.append((seen.fault.kind, group))
        group.append(seen)
    return groups


def _is_outside(seen: SeenCall, task: _Task) -> bool:
    """Whether the call failed for a reason outside of what the model wrote."""
    fault = seen.fault
    if fault is None or fault.kind not in _ELSEWHERE:
        return False
    if seen.runs_code:
        return fault.kind == "sandbox" or (fault.kind == "service" and len(seen.text) <= _SHORT)
    return fault.kind != "absent" or task.names(seen)


class _Task:
    """What the user's own messages name."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._text: str | None = None

    def names(self, seen: SeenCall) -> bool:
        """Whether a path that the call passes stands in a message of the user."""
        if self._text is None:
            requests = self._trace.of(Request)
            said = (i.text for r in requests for i in r.items if i.author == "user" and i.text)
            self._text = "\n".join((self._trace.started.task, *said))
        paths = _PATH.findall(written(seen.call.arguments)[:2000])
        return any(path in self._text for path in paths[:20] if "/" in path or "." in path)


def _provider(trace: Trace) -> Iterator[Crossing]:
    end = trace.finished
    if end is not None and end.reason == "provider_error":
        yield Crossing(
            message=f"The model's provider failed: {shorten(end.detail or 'no reason is recorded', 120)!r}. "
            "No text was generated for that request.",
            where=(
                whole(end.id, "detail", end.detail),
                *([whole(end.id, "server_said", end.server_said)] if end.server_said else []),
            ),
        )
    elif failed := trace.started.extra.get("model_errors"):
        words = next((each.get("error") for each in _objects(failed)), None)
        said = f": {shorten(words, 120)!r}" if isinstance(words, str) else ""
        times = f" {len(failed)} times" if isinstance(failed, list) and len(failed) > 1 else ""
        yield Crossing(
            message=f"The model's provider failed{times}{said}. No text was generated for that request; the attempt "
            "went on.",
            where=(whole(trace.started.id, "type", trace.started.type),),
        )


def _objects(value: JSONValue) -> Iterator[Mapping[str, JSONValue]]:
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


# --- raw-error-fed-back ---

_DRESS = re.compile(
    r"\s*(?:\*\*|__)?(?:observation|tool (?:result|output|response)|result|观察|观测|工具结果)\s*[:：]", re.IGNORECASE
)


def _fed_back(reading: Reading) -> Iterator[Crossing]:
    places: dict[str, list[Where]] = {}
    for where in _dressed(reading.trace):
        places.setdefault(where.text, []).append(where)
    for text, found in places.items():
        again = f" ({len(found)} times)" if len(found) > 1 else ""
        yield Crossing(
            message=f"A format error was given to the model as an observation{again}, though no tool ran: "
            f"{shorten(text, 80)!r}.",
            where=tuple(found),
        )


def _dressed(trace: Trace) -> Iterator[Where]:
    for event in trace.events:
        if isinstance(event, Observation) and not event.execution and not event.call and _is_dressed(event.text):
            yield whole(event.id, "text", event.text)
        elif isinstance(event, Request):
            kept = event.kept
            for place, item in enumerate(event.items, kept):
                text = item.text if item.text is not None else trace.texts.get(item.digest, "")
                if item.role in ("user", "tool") and item.origin is None and _is_dressed(text):
                    yield whole(event.id, f"context[{place}].text", text)


def _is_dressed(text: str) -> bool:
    return len(text) < 4000 and (marker := _DRESS.match(text)) is not None and is_parse_error(text[marker.end() :])


INFRASTRUCTURE = Rule(
    id="infrastructure",
    severity="warning",
    meaning=(
        "A call or a request failed for a reason outside of what the model wrote: the provider, the network, a "
        "quota, a "
        "deadline, the sandbox, a file that the task names and that is not there, or the tool's own code. It is "
        "nobody's "
        "claim. The same fault at neighbouring steps is one finding. What a program that an agent wrote raises is the "
        "program's own affair and not meant; nor is a page that is not found."
    ),
    cause="The surroundings of the attempt were not what the task supposes.",
    check="Run the call by hand in the same place; leave the attempt out of rates of success if it fails again.",
    find=_infrastructure,
)

RAW_ERROR_FED_BACK = Rule(
    id="raw-error-fed-back",
    severity="warning",
    meaning=(
        "A parser's or a harness's error text stands in the model's context as if a tool had returned it. It is not "
        "the "
        "result of anything. An error that a tool itself returned is not meant."
    ),
    cause="The harness hands over whatever went wrong through the one door it has for results.",
    check="Give format errors a wording and a seat of their own, that no tool's result can have.",
    find=_fed_back,
)
