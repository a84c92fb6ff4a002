"""The values of a call that make its deed this one deed: where it goes, what it passes on, what it is done to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from agentlab.audit.arguments import plain
from agentlab.audit.origins.folding import fold
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue

__all__ = ["Target", "targets_of"]

_USEFUL = 12
"""Folded characters from which a text is not the same by chance."""
_LONGEST = 2000
"""Code points of the longest value that is looked for as a whole."""
_LIST = 200
"""A longer text only mentions the addresses in it; a shorter one may be made of them."""
_MOST = 200
"""Values of one call."""
_WORDY = 3
"""Words of a text that are its author's own rather than a name."""
_DESTINATION = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
    r"|(?:https?://|ftp://|www\.)[^\s\"'<>()\[\]{}|\\^`，。；、]{3,300}"
    r"|\b[a-z0-9-]{2,63}(?:\.[a-z0-9-]{2,63}){0,4}\.[a-z]{2,10}(?:/[^\s\"'<>，。；、]{0,200})?(?![\w.])"
    r"|\b(?=[A-Za-z]*\d)[A-Za-z0-9]{10,64}\b"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b"
    r"|\+?\d[\d ()./-]{5,20}\d"
    r"|(?<!\w)@\w{2,40}",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:[ T]\d{1,2}:\d{2}.{0,12})?|\d{1,2}:\d{2}.{0,6}|[\d.,]{1,12}"
)
_FILE = re.compile(
    r"[\w.-]+\.(?:[a-z]?py[a-z]?|[jt]sx?|mdx?|rst|te?xt|json[lc]?|ya?ml|toml|x?html?|s?css|[ct]sv|xml|z?sh"
    r"|[ch](?:pp)?|hpp|java|"
    r"rs|go|rb|php|docx?|xlsx?|pptx?|pdf|png|jpe?g|gif|svg|log|lock|cfg|ini|conf|env|ipynb|zip|g?z|tar|db|sql|tex"
    r"|bak|old|tmp)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?:\w+://)?(?:www\.)?", re.IGNORECASE)
_HOST = re.compile(r"(?:\w+://|www\.)(?:www\.)?([^/?#:\s]{4,200})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A value to be traced."""

    kind: Literal["destination", "text", "id"]
    """destination: an address, an account, a number to call; text: words passed on whole; id: any other short value."""
    name: str
    """Of the argument; empty where the arguments are no object."""
    value: str
    """As the call gives it, or the part that matters."""
    folded: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", fold(self.value))


def targets_of(arguments: Arguments | None, *, mentioned: bool = False) -> tuple[Target, ...]:
    """The values of a call, each once, in its order.

    Args:
        arguments: of the call.
        mentioned: whether an address within a longer text is one that the deed goes to, as in a command line.
    """
    found: dict[tuple[str, str], Target] = {}
    for name, leaf in _leaves(plain(arguments)):
        for target in _targets(name, leaf, mentioned):
            found.setdefault((target.kind, target.value), target)
        if len(found) > _MOST:
            break
    return tuple(found.values())


def _targets(name: str, leaf: str, mentioned: bool) -> Iterator[Target]:
    if len(leaf) > _LONGEST or not leaf:
        return
    words = leaf.split()
    if (mentioned or len(leaf) <= _LIST) and not _DATE.fullmatch(leaf):
        for match in _DESTINATION.finditer(leaf):
            if mentioned or len(words) <= _WORDY or _covers(match[0], leaf):
                yield from _address(name, match[0])
    if len(fold(leaf)) >= _USEFUL and (len(words) > 1 or not leaf.isascii()):
        yield Target(kind="text", name=name, value=leaf)
    elif not _DATE.fullmatch(leaf) or leaf.isdigit():
        yield Target(kind="id", name=name, value=leaf)


def _covers(part: str, leaf: str) -> bool:
    """Whether a list of addresses is all that a text is."""
    return leaf.count("@") + leaf.count("://") >= leaf.count(",") + leaf.count(";") + 1 and " " not in part


def _address(name: str, value: str) -> Iterator[Target]:
    value = value.rstrip(".,;:!?)")
    if _FILE.fullmatch(value):
        return
    yield Target(kind="destination", name=name, value=_SCHEME.sub("", value, count=1))
    if host := _HOST.match(value):
        yield Target(kind="destination", name=name, value=host[1])


def _leaves(value: JSONValue, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts and numbers in arguments, with the name of the argument each belongs to."""
    waiting: list[tuple[str, JSONValue]] = [(name, value)]
    while waiting:
        name, found = waiting.pop()
        if isinstance(found, dict):
            waiting += reversed(found.items())
        elif isinstance(found, list):
            waiting += ((name, inner) for inner in reversed(found))
        elif isinstance(found, str):
            yield name, found.strip()
        elif isinstance(found, (int, float)) and not isinstance(found, bool):
            yield name, str(found)
