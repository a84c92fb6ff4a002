"""Where in a text something stands that may be a marker: its kind and its place, not what it means there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from agentlab.markers.lexicon import LABELS, TAGS, TOKENS, Folded, Kind, by_word, fold, pattern, squeeze
from agentlab.markers.odd import odd

__all__ = ["MESSAGE", "PAYLOAD", "TOKEN", "Mark", "Place", "scan"]

Place = Literal["line", "item", "inline"]
"""At the start of a line, decoration and other markers aside; at the start of a list item; or within a line."""

TOKEN = "<|"  # noqa: S105 (a sign in the grammar, no password)
"""The `tag` of a chat template's token."""


MESSAGE = '{"role"'
"""The `tag` of a message written as an object."""


PAYLOAD = re.compile(r"\s*+(?:\[\s*+)?\{\s*+[\"'}]")
"""How an object, or an array of them, begins that stands behind a marker."""


class Mark(NamedTuple):
    """Something that may be a marker. Offsets are code points of the original text."""

    kind: Kind
    start: int
    """Where its decoration begins: `##`, `**`, a bullet."""
    end: int
    """Behind its colon and the blanks that follow on its line."""
    place: Place
    bare: bool = False
    """Whether it is a label without a colon."""
    tag: str = ""
    """Name of the tag, in lower case; `TOKEN` for a chat template's token; empty for a label. What begins without a
    marker has its first sign here: `{` for an object, three backticks for a command's fence."""
    closing: bool = False
    """Whether it is a closing tag, or a token that closes what another opened."""


def scan(text: str, tools: Collection[str] = ()) -> list[Mark]:
    """Find what may be a marker, in order, none overlapping; the cost is linear in the text.

    Args:
        text: any text.
        tools: registered tool names; a tag of such a name announces an action.
    """
    folded = fold(text)
    found = list(_labels(folded.text))
    if "<" in folded.text or _BRACKET_TOKEN.search(folded.text):
        own_tags = {fold(name).text for name in tools}
        found += _tags(folded.text, own_tags)
        found += _tokens(folded.text)
        found.sort()
    marks: list[Mark] = []
    leads = _Leads(folded.text)
    behind = 0  # in the folded text
    for start, end, kind, bare, tag, closing in found:
        if start < behind:
            continue
        continues = bool(marks) and (marks[-1].place == "line" or marks[-1].kind == "end")
        adjoins = continues and not bare and not folded.text[behind:start].strip(" \t")
        if adjoins or (tag == TOKEN and folded.text[end : end + 1] == "\n"):
            placed: tuple[Place, int] | None = ("line", start)
        else:
            written = kind == "observation" and PAYLOAD.match(folded.text, end) is not None
            placed = _place(text, folded, leads, start, bare=bare, label=not tag, written=written)
        if placed is not None:
            behind = end
            place, begin = placed
            marks.append(Mark(kind, folded.origin[begin], folded.origin[end], place, bare, tag, closing))
    return marks


_Found = tuple[int, int, Kind, bool, str, bool]
"""Start and end in the folded text, then kind, bare, tag and closing as in `Mark`."""


def _labels(folded: str) -> Iterator[_Found]:
    labels = _LABEL if _SCRIPT.search(odd(folded)) else _LATIN_LABEL
    for match in labels.finditer(folded):
        kind = _KINDS[squeeze(match["word"])]
        if match["of"] and kind not in ("observation", "result"):
            continue
        yield match.start(), match.end(), kind, match["colon"] is None, "", False


def _tags(folded: str, tools: Collection[str]) -> Iterator[_Found]:
    for match in _TAG.finditer(folded):
        name = match["name"]
        kind: Kind | None = "action" if name in tools else _TAG_KINDS.get(name)
        closing = bool(match["close"])
        if kind is None or match[0].endswith("/>") or (closing and kind == "result"):
            continue
        yield match.start(), match.end(), "end" if closing and kind != "observation" else kind, False, name, closing


def _tokens(folded: str) -> Iterator[_Found]:
    for match in _TOKEN.finditer(folded):
        name = next((name for name in match.groups() if name), "end")
        yield match.start(), match.end(), _TOKEN_KINDS.get(name, "end"), False, TOKEN, match[0].startswith("[/")


class _Leads:
    """What stands before the first word of a line, found once a line; places must be asked for in order."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self._asked = 0
        self._lead: re.Match[str] | None = None

    def before(self, start: int) -> re.Match[str] | None:
        """The lead of the line of a place, if that place ends it; a bracket at the end may be the marker's own."""
        line = self._folded.rfind("\n", self._asked, start) + 1
        self._asked = start
        if line or self._lead is None:
            self._lead = _LEAD.match(self._folded, line)
            assert self._lead is not None, "every part of the pattern may be missing"
        return self._lead if start in (self._lead.end(), self._lead.end("signs")) else None


def _place(
    text: str, folded: Folded, leads: _Leads, start: int, *, bare: bool, label: bool, written: bool
) -> tuple[Place, int] | None:
    """The place of what was found and where its decoration begins; None where it is only a word in a sentence.

    A label within a line is written large, or has a result written behind it.
    """
    lead = leads.before(start)
    if lead is not None:
        return ("item" if lead["item"] else "line"), lead.end("blanks")
    before = folded.text[start - 1]
    first = text[folded.origin[start]]
    written = written or first.isupper() or first.lower() == first.upper()
    if bare or before in _QUOTES or (label and (before.isalnum() or before == "_" or not written)):
        return None
    return "inline", start


_WORDS = by_word(LABELS)
_KINDS = {squeeze(word): kind for word, kind in _WORDS.items()}
_TAG_KINDS = by_word(TAGS)
_TOKEN_KINDS = by_word(TOKENS)
_BEHIND_WORD = (
    r"(?![^\W\d])"
    r"(?>(?:[ \t]*+(?:(?:\#|no\.|nr\.)?[ \t]*+\d{1,4}(?:\.\d{1,3})?|[(\[][^()\[\]\n]{0,40}[)\]]"  # number, remark
    r"|(?<=[ \t])(?P<of>from|of)[ \t](?:the[ \t])?[\[`'\"]?[\w.-]{1,40}[\]`'\"]?))?)"  # whose result
    r"[ \t*_~]*+"
    r"(?:(?P<colon>[\]】]?[*_~]*+[ \t]*+:|[\]】](?!\())[*_~]*+[ \t]*+"
    r"|(?:->|=>|→|[-–—=])[ \t]+"
    r"|(?=[ \t*_~=\#\u2500\u2501\u2550\u2014-]{0,24}(?:\n|\Z)))"
)
_LABEL = re.compile(f"(?P<word>{pattern(_WORDS)}){_BEHIND_WORD}")
_LATIN_LABEL = re.compile(f"(?P<word>{pattern(filter(str.isascii, _WORDS))}){_BEHIND_WORD}")
"""The same with Latin words only: three times as fast, and enough for most texts."""
_SCRIPT = re.compile(f"[{''.join(sorted({char for word in _WORDS for char in word if not char.isascii()}))}]")
"""The letters of the other words."""
_TAG = re.compile(r"<(?P<close>/?)(?:\w{1,20}:)?(?P<name>[^\W\d][\w-]{0,60})(?P<rest>(?:[ \t=][^<>\n]{0,200})?)/?>")
_TOKEN = re.compile(
    r"<\|(?:im_start|start_header_id|start)\|>[ \t]*([a-z_]{1,20})(?:<\|end_header_id\|>)?"
    r"|<\|(user|human|system|tool|assistant|model|observation|ipython|python_tag)\|>"
    r"|<\|(tool)▁outputs?▁begin\|>"
    r"|<start_of_turn>(user|model)"
    r"|\[(inst|tool_calls|tool_results?|tool_content|available_tools|system_prompt)\]|<<(sys)>>"
    r"|\[/(?:inst|tool_results?|tool_content|available_tools|system_prompt)\]"
    r"|</(?:think|thinking|reasoning|scratchpad)>"
    r"|(?:<\|(?:im_end|eot_id|eom_id|endoftext|end|call|return|end▁of▁sentence)\|>|</s>|<end_(?:of_turn|action|code)>)"
    r"(?=[ \t]*(?:\n|\Z|<|\[))"
)
_BRACKET_TOKEN = re.compile(r"\[/?(?:inst|tool_|available_tools|system_prompt)")
_QUOTES = "\"'`“‘「『«"
_LEAD = re.compile(
    r"(?P<blanks>[ \t]*+)(?P<item>(?:[-*+•‣◦▪●·–—]|\(?\d{1,3}[.)、]|[a-z][.)])[ \t]+)?"
    r"(?:step[ \t]*\d{1,3}[^\w\n\"'`<>]{0,4})?"
    r"(?P<signs>(?>(?:[^\w\n\"'`<>|\[\](){}“”‘’«»「」『』]|_)*))[\[【]?"
)
