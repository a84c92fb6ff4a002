"""Texts made comparable: the same words, whatever blanks, quotes, escapes and forms of a letter they are written with.

A folded text is its words in small letters with one blank around each. Scripts without blanks are cut into their
characters, so that a name is found within a sentence. Two texts share a value where the one folded holds the other
folded.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from agentlab.markers.odd import odd

__all__ = ["Plain", "fold", "normalized", "small_letters", "unescaped"]

_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED_ONE = re.compile(rf"[{_UNSPACED}]")
_WORD = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|[\u0300-\u036f])+")
_GAP = re.compile(r"\W+")
_MARKS = re.compile(r"([^\w\s\0-\x7f]{30})")
"""A long run of combining marks, or of other signs that are no letters."""
_ASCII = "".join(char.lower() if char.isalnum() or char == "_" else " " for char in map(chr, range(128)))
_SMALL = _ASCII.encode() + bytes(range(128, 256))
"""What each byte of UTF-8 becomes: small letters, digits and `_` stay, other ASCII is a blank."""
# A run of backslashes counts as one: a text may be a JSON string within a JSON string.
_ESCAPE = re.compile(
    r"\\+(?:u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|([bfnrt])|\r?\n[ \t]*\\?|(.))"
)


def unescaped(text: str) -> str:
    """The text with the escapes of JSON, YAML and Python strings read, those of strings within strings too."""
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def fold(text: str) -> str:
    """The words of a text in one form; empty where it has none."""
    words = _words(unescaped(text))
    return f" {' '.join(words)} " if words else ""


def normalized(text: str) -> str:
    """The text in form NFKC, in time linear in it.

    The standard library sorts a run of combining marks in time quadratic in its length; nobody writes more than a few
    on a letter, so a long run is cut (UAX 15, section 13, does the same at thirty).
    """
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKC", part) for part in _MARKS.split(text) if part)


def small_letters(text: str) -> str | None:
    """The text with its escapes read, in small letters: every word of the folded text stands in it.

    None where a letter has several forms, so that only folding tells.
    """
    text = unescaped(text)
    return text.casefold() if _is_normal(text) else None


class Plain:
    """A text as a reader means it, with the way back to how it is recorded.

    Args:
        text: as it is recorded.
    """

    def __init__(self, text: str) -> None:
        self._here, self._there = [0], [0]
        self.text = self._read(text) if "\\" in text else text

    def recorded(self, place: int) -> int:
        """Where a place in `text` lies in the text as it is recorded."""
        near = bisect_right(self._here, place) - 1
        return self._there[near] + place - self._here[near]

    def find(self, folded: str) -> Iterator[tuple[int, int]]:
        """Every place in `text` of a value, given folded; none of them overlap."""
        if not folded:
            return
        is_found = False
        spans = _spans(self._small, folded.split()) if folded.isascii() else _spans_of_forms(self._small, folded)
        for start, end in spans:
            if not _is_within_word(self._small, start, end):
                is_found = True
                yield start, end
        if not is_found and not self.text.isascii():
            yield from self._find_forms(folded)

    def _find_forms(self, folded: str) -> Iterator[tuple[int, int]]:
        """The same where letters are written in another form."""
        places = self.words
        whole = f" {' '.join(self.forms)} "
        width = folded.count(" ") - 1
        count = read = 0
        at = whole.find(folded)
        while at >= 0:
            count += whole.count(" ", read, at)
            read = at
            yield places[count][0], places[count + width - 1][1]
            at = whole.find(folded, at + len(folded) - 1)

    @cached_property
    def words(self) -> Sequence[tuple[int, int]]:
        """Where each word stands in `text`."""
        return [match.span() for match in _WORD.finditer(self.text)]

    @cached_property
    def forms(self) -> Sequence[str]:
        """Each word folded."""
        return [_form(self.text[start:end]) for start, end in self.words]

    @cached_property
    def _small(self) -> str:
        small = self.text.casefold()
        return small if len(small) == len(self.text) else self.text  # places must not move

    def _read(self, text: str) -> str:
        pieces: list[str] = []
        read = length = 0
        for match in _ESCAPE.finditer(text):
            meant = _meant(match)
            length += match.start() - read + len(meant)
            pieces += (text[read : match.start()], meant)
            read = match.end()
            self._here += (length - len(meant), length)
            self._there += (match.start(), read)
        pieces.append(text[read:])
        return "".join(pieces)


def _spans(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where plain words follow each other with what is no word between them, in small letters.

    Most values are asked for in one text: a pattern takes ten times as long to make as the text to be searched.
    """
    first, *others = words
    at = text.find(first)
    while at >= 0:
        end = at + len(first)
        for word in others:
            gap = _GAP.match(text, end)
            if gap is None or not text.startswith(word, gap.end()):
                end = 0
                break
            end = gap.end() + len(word)
        if end:
            yield at, end
        at = text.find(first, end or at + 1)


def _spans_of_forms(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """The same of words in any script."""
    return (match.span() for match in _finder(folded).finditer(text))


@lru_cache(maxsize=1024)
def _finder(folded: str) -> re.Pattern[str]:
    """What a folded value looks like in small letters: its words, with anything that is no word between them."""
    words = folded.split()
    parts = [re.escape(words[0])]
    for before, word in pairwise(words):
        gap = r"\W*" if _UNSPACED_ONE.match(before) or _UNSPACED_ONE.match(word) else r"\W+"
        parts += (gap, re.escape(word))
    return re.compile("".join(parts))


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether a stretch begins or ends in the middle of a word of a script with blanks."""
    return (start > 0 and _joins(text[start - 1], text[start])) or (
        end < len(text) and _joins(text[end - 1], text[end])
    )


def _joins(before: str, behind: str) -> bool:
    pair = before + behind
    return _WORD.fullmatch(pair) is not None


def _meant(escape: re.Match[str]) -> str:
    high, low, code, control, char = escape.groups()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if code is not None:
        point = int(code, 16)
        return " " if 0xD800 <= point < 0xE000 else chr(point)
    return "\n" if control else char or ""


def _words(text: str) -> list[str]:
    words = text.encode("utf-8", "replace").translate(_SMALL).decode().split()
    if text.isascii():
        return words
    return [form for word in words for form in ((word,) if word.isascii() else map(_form, _WORD.findall(word)))]


def _form(word: str) -> str:
    """One word in one form; letters that stand for a phrase stay one word."""
    return word.casefold() if word.isascii() else normalized(word).casefold().replace(" ", "")


def _is_normal(text: str) -> bool:
    """Whether a text is its own form NFKC; of one with a long run of combining marks nothing is said."""
    if text.isascii():
        return True
    is_run = _MARKS.search(odd(text)) is not None and _MARKS.search(text) is not None
    return not is_run and unicodedata.is_normalized("NFKC", text)
