"""The words by which a text is known again in another one, and how much of them another one holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["Wording", "is_unspaced", "stems"]

_SCRIPTS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_SCRIPTS}]+|\d+|[A-Z]?[^\W\d_A-Z{_SCRIPTS}]+|[A-Z]+(?![a-z])")
"""Words, also those that a name is made of; a run of characters of a script without blanks; digits."""
_UNSPACED = re.compile(rf"[{_SCRIPTS}]")
_LETTERS = re.compile(r"[^\W\d_]+")
_STEM = 5
"""Letters by which a word is known in its other forms."""
_SHORTEST = 4
_READ = 20_000
"""Code points of a text from which its wording is taken."""
_COMMON = (
    "about above after again agent also answer anything because been before being below between both cannot could does"
    " doing done down each ensure every everything first following from further give given goal have having help here"
    " into itself just keep know last like list look make many more most much must need next only other please provide"
    " question really same shall should show some something step steps such sure take task tasks tell than that their"
    " them then there these they thing this those through time tool tools under until upon user using very want well"
    " were what when where whether which while will with without work would write your yours"
)
_COMMON_CHINESE = (
    "一个 这个 那个 我们 你们 他们 可以 需要 请你 帮我 然后 以及 或者 并且"
    " 如果 因为 所以 但是 什么 怎么 进行 使用 任务 问题 用户 目标 要求 所有 一下"
)
_DULL = frozenset(word[:_STEM] for word in _COMMON.split()) | frozenset(_COMMON_CHINESE.split())


class Wording:
    """What a text is known by: its words, numbers and names, each by its stem, and the script it is in.

    Args:
        text: of it, a long one's beginning is read.
    """

    def __init__(self, text: str) -> None:
        self.stems = frozenset(stems(text[:_READ]))
        self.is_unspaced = is_unspaced(text[:_READ])

    def share(self, found: frozenset[str]) -> float:
        """How much of it is among some stems, from 0 to 1; 0 where it has none."""
        return len(self.stems & found) / len(self.stems) if self.stems else 0.0


def stems(text: str) -> Iterator[str]:
    """The telling words of a text by stem, with repetitions; of scripts without blanks every two characters in a row.

    Linear in the text.
    """
    for token in _TOKEN.findall(text):
        if _UNSPACED.match(token):
            pairs = (token[place : place + 2] for place in range(len(token) - 1))
            yield from (pair for pair in pairs if pair not in _DULL)
        elif token[0].isdigit():
            if len(token) > 1:
                yield token
        elif len(token) >= _SHORTEST and (stem := token[:_STEM].casefold()) not in _DULL:
            yield stem


def is_unspaced(text: str) -> bool:
    """Whether a text is in a script without blanks, for the greater part of its words."""
    return 2 * len(_UNSPACED.findall(text)) > len(_LETTERS.findall(text))
