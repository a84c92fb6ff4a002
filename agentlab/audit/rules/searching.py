"""Searches that ask for nearly the same over and over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentlab.audit.arguments import plain, written
from agentlab.audit.rules.base import Crossing, tool_name
from agentlab.audit.rules.seen import SeenCall, ran
from agentlab.strictjson import JSONValue
from agentlab.trace.formatting import shorten

__all__ = ["overlap", "same_searches"]

_FIRM = 3
"""How many searches are called a series, and how many words free text has at least."""
_NEAR = 3
"""How many calls apart two searches may be to belong together."""
_WORD = re.compile(r"\w+")
_LINK = re.compile(r"https?://[^\s)\]\"'>]+")
_SEARCH = re.compile(r"search|query|lookup|look_up|retrieve|搜索|检索", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """A search that was made: its words and what it led to."""

    seen: SeenCall
    words: tuple[str, ...]
    """Of the longest value, in order."""
    others: Mapping[str, JSONValue]
    """The other values."""
    barren: bool
    """Whether it failed or brought nothing."""
    place: int
    """Among all calls of its agent."""


def same_searches(calls: Sequence[SeenCall]) -> Iterator[Crossing]:
    """Searches that ask for the same in other words: one after the other, or hardly changed."""
    asked: dict[str, list[_Asked]] = {}
    for place, seen in enumerate(calls):
        if _SEARCH.search(seen.tool) and not seen.runs_code and (search := _asked(seen, place)) is not None:
            asked.setdefault(seen.tool, []).append(search)
    for found in asked.values():
        for run in _chains(found):
            last = run[-1].seen
            yield Crossing(
                message=f"{tool_name(last.tool)} was asked {len(run)} times for nearly the same: "
                f"{shorten(written(last.call.arguments), 100)!r}.",
                where=(last.place, *(each.seen.place for each in run[:-1])),
                executed=ran(last, times=len(run)),
                severity="warning",
            )


def _asked(seen: SeenCall, place: int) -> _Asked | None:
    """A search in free words; None where it fills in a form, such as a place and a date."""
    value = plain(seen.call.arguments)
    given: Mapping[str, JSONValue] = value if isinstance(value, dict) else {"": value or ""}
    texts = {name: each for name, each in given.items() if isinstance(each, str)}
    longest = max(texts, key=lambda name: len(texts[name]), default=None)
    words = tuple(_WORD.findall(texts[longest][:1000].casefold())) if longest is not None else ()
    if len(words) < _FIRM:
        return None
    return _Asked(
        seen=seen,
        words=words,
        others={name: each for name, each in given.items() if name != longest},
        barren=seen.fault is not None or not seen.text.strip(),
        place=place,
    )


def _chains(asked: Sequence[_Asked]) -> Iterator[list[_Asked]]:
    """Searches that hang together, each nearly the same as another one shortly before or after it."""
    root = list(range(len(asked)))
    for number, each in enumerate(asked):
        for place in range(max(0, number - _NEAR), number):
            if _is_same_search(asked[place], each):
                root[_top(root, number)] = _top(root, place)
    chains: dict[int, list[_Asked]] = {}
    for number, each in enumerate(asked):
        chains.setdefault(_top(root, number), []).append(each)
    yield from (chain for chain in chains.values() if len(chain) >= _FIRM)


def _top(root: list[int], number: int) -> int:
    while root[number] != number:
        root[number] = root[root[number]]
        number = root[number]
    return number


def _is_same_search(one: _Asked, other: _Asked) -> bool:
    """Half of the words will do right after each other, or where they bring nothing or the same; else three of four."""
    apart = other.place - one.place
    if apart > _NEAR or _fills_in(one.words, other.words):
        return False
    if any(one.others[name] != other.others[name] for name in one.others.keys() & other.others.keys()):
        return False
    alike = overlap(frozenset(one.words), frozenset(other.words))
    if alike >= 0.75 or alike < 0.5:
        return alike >= 0.75
    return apart == 1 or one.barren or other.barren or overlap(_links(one.seen), _links(other.seen)) >= 0.5


def _links(seen: SeenCall) -> frozenset[str]:
    return frozenset(_LINK.findall(seen.text[:20_000]))


def _fills_in(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one stretch of at most three words was exchanged for another: the next of a series is asked for."""
    shorter = min(len(one), len(other))
    head = next((k for k in range(shorter) if one[k] != other[k]), shorter)
    rest = shorter - head
    tail = next((k for k in range(rest) if one[-1 - k] != other[-1 - k]), rest)
    return all(1 <= len(words) - head - tail <= 3 for words in (one, other))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of all words that both have; 0 where one has none."""
    return len(one & other) / len(one | other) if one and other else 0.0
