"""What results give a number for: a field, a line `key: number`, a counted noun, or the result as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from agentlab.audit.evidence.effects import shell_line_of
from agentlab.audit.evidence.fields import whole_json
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.records import leaves_in, stem, stems
from agentlab.audit.judging.deeds import Deed
from agentlab.audit.judging.numerals import numerals
from agentlab.strictjson import JSONValue

__all__ = ["Given", "givens"]

_FLAT = re.compile(r"['\"](\w{1,40})['\"]: ?(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)(?=[,} \n])")
_LINE = re.compile(
    r"\n(?=[^\n:=：]{3,38}+[:=：])[ \t*-]{0,4}(?P<key>[^\W\d][\w ]{1,30}?)\*{0,2} ?[:=：]\*{0,2} ?[$€£¥]?"
    r"(?P<number>-?[0-9][0-9.,']{0,20})"
    r"(?P<unit> ?[^\s\d.,;:|/-]{1,12})?[.;,]?[ \t]*$",
    re.MULTILINE,
)
"""A line that gives one number for something, behind a line's end; most have no colon so near their beginning."""
_NOUN = re.compile(
    r"(?<![\w.,:/#-])(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9}) (?P<noun>[a-z]{3,20})\b", re.IGNORECASE
)
_WHOLE = re.compile(r"\s*(?P<number>-?[0-9]{1,15}(?:\.[0-9]{1,9})?)(?: +(?P<name>\S{1,200}))?\s*")
_UNITS = words(
    "c f k s ms sec m cm mm km kg g mb gb kb usd eur gbp cny pct percent celsius fahrenheit min h hour minute second"
    " kmh mph in byte"
)
"""Last words of a key that give the unit."""
_DULL = words(
    "id code status page line year month day date time timestamp version index offset limit port zip phone pid uid"
    " lat lon lng latitude longitude size type key seed epoch created updated ok success error max min width height x y"
    " the a an and or to of in on for with per this that from by at step http"
)
"""Words of keys that are said of other things, too."""
_AT_LARGE = words("count total value result number amount n num sum answer output quantity length len")
"""Keys that name nothing but that there is a number."""
_LINES = frozenset({"line", "row", "record", "entry", "行"})
_WC_LINES = re.compile(r"^[^|]*\bwc (?:-\w+ )*-l\b")
_CHECKED = words("test passed failed skipped error warning failure failing passing item issue")
"""What checks count, which is judged with them."""
_SHORT = 300
"""Characters of a text in which a number before a noun counts it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """A number that a result gives for something."""

    words: frozenset[str]
    """Stems by which it is called; empty where it is the whole result, or a field that only says `count`."""
    value: Decimal
    deed: Deed
    name: str
    """As a message gives it."""
    stale: bool = False
    """Whether something was changed since."""


def givens(deed: Deed) -> Iterator[Given]:
    """Every number that the result of a call gives for something."""
    text = deed.result or ""
    value = whole_json(text)
    if isinstance(value, dict | list):
        yield from _of_json(value, deed)
    elif text.lstrip()[:1] == "{":
        yield from (_field(match[1], Decimal(match[2]), deed) for match in _FLAT.finditer(text[:5000]))
    else:
        yield from _of_text(text, deed)


def _of_json(value: JSONValue, deed: Deed) -> Iterator[Given]:
    for leaf in leaves_in(value):
        number = _number(leaf.value)
        if number is not None and leaf.keys:
            yield _field(leaf.keys[-1], number, deed)


def _field(key: str, value: Decimal, deed: Deed) -> Given:
    parts = list(stems(key))
    while len(parts) > 1 and parts[-1] in _UNITS:
        parts.pop()
    named = frozenset(word for word in parts if word not in _AT_LARGE)
    dull = bool(named) and named <= _DULL
    return Given(words=frozenset({""}) if dull else named, value=value, deed=deed, name=key)


def _number(value: JSONValue) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        try:
            return Decimal(repr(value))
        except InvalidOperation:
            return None
    if isinstance(value, str) and len(value) < 30 and (match := _MONEY.fullmatch(value)):
        return Decimal(match[1].replace(",", ""))
    return None


_MONEY = re.compile(
    r"[$€£¥]? ?(-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{1,4})?|-?[0-9]{1,9}(?:\.[0-9]{1,4})?) ?[^\s\d.,;:/-]{0,6}"
)


def _of_text(text: str, deed: Deed) -> Iterator[Given]:
    whole = _WHOLE.fullmatch(text) if len(text) < _SHORT else None
    if whole is not None:
        line = shell_line_of(deed.call.tool, deed.call.arguments) or ""
        value = Decimal(whole["number"])
        nouns = _LINES if _WC_LINES.search(line) else frozenset[str]()
        for called in (frozenset[str](), *(frozenset({noun}) for noun in nouns)):
            yield Given(words=called, value=value, deed=deed, name=max(called, default=""))
        return
    for match in _LINE.finditer("\n" + text[:5000]):
        number = next(iter(numerals(match["number"])), None)
        if number is not None and len(number.values) == 1:
            yield _field(match["key"], min(number.values), deed)
    if len(text) < _SHORT:
        for match in _NOUN.finditer(text):
            noun = stem(match["noun"])
            if noun not in _DULL - {"line", "page"} and noun not in _UNITS and noun not in _CHECKED:
                yield Given(
                    words=frozenset({noun}),
                    value=Decimal(match["number"].replace(",", "")),
                    deed=deed,
                    name=match["noun"],
                )
