"""How the observations of a Langfuse trace stand in each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentlab.formats.langfuse.observation import Observation

__all__ = ["Above", "above", "model_calls"]


@dataclass(frozen=True, slots=True)
class Above:
    """What stands around an observation; empty ids where nothing does. A parent that is not in the file is nothing."""

    tool: str = ""
    """The nearest execution of a tool: what happens in it, an agent does that the tool started."""
    generation: str = ""
    """The nearest model call, if no execution of a tool stands between."""
    start: float = 0.0
    """When the nearest one that has a time began."""


_OUTSIDE = Above()


def above(observations: Mapping[str, Observation]) -> Mapping[str, Above]:
    """What stands around each observation, by id. Parents in a circle count as none."""
    found: dict[str, Above] = {}
    for name in observations:
        path: list[str] = []
        seen: set[str] = set()
        here = name
        while here not in found and here not in seen:
            seen.add(here)
            path.append(here)
            parent = observations[here].parent
            if parent not in observations:
                found[here] = _OUTSIDE
                break
            here = parent
        if here in seen and here not in found:
            found[here] = _OUTSIDE
        for child in reversed(path):
            if child not in found:
                found[child] = _below(observations[observations[child].parent], found)
    return found


def model_calls(observations: Mapping[str, Observation], around: Mapping[str, Above]) -> Mapping[str, str]:
    """The generations that are model calls, each with the generation that has its content.

    A framework and the client library below it may each record the same call, one in the other, and one record of a
    whole loop may hold those of its calls. The innermost is the call. Where it stands alone in another and holds no
    more than a text, while the other one holds the provider's response, the content is the other's.
    """
    inside: dict[str, list[str]] = {}
    for each in observations.values():
        if each.calls_model and (outer := around[each.id].generation):
            inside.setdefault(outer, []).append(each.id)
    calls = {each.id: each.id for each in observations.values() if each.calls_model and each.id not in inside}
    for outer, inner in inside.items():
        alone = inner[0] if len(inner) == 1 else ""
        if alone in calls and _structured(observations[outer]) and not _structured(observations[alone]):
            calls[alone] = outer
    return calls


def _structured(observation: Observation) -> bool:
    return isinstance(observation.returned, dict | list)


def _below(parent: Observation, found: Mapping[str, Above]) -> Above:
    outer = found[parent.id]
    start = outer.start if parent.start is None else parent.start
    if parent.tool:
        return Above(tool=parent.id, generation="", start=start)
    return Above(tool=outer.tool, generation=parent.id if parent.calls_model else outer.generation, start=start)
