"""Which characters can be drawn, how wide they are, and where a line is broken.

DejaVu Sans comes with matplotlib and draws first. A Chinese font joins it glyph by glyph, and is looked for only where
a text needs one. What no font can draw becomes a visible placeholder, so that matplotlib has no glyph to miss.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from agentlab.messages import clean_text
from agentlab.trace.formatting import shorten

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

__all__ = ["HINT", "PLACEHOLDER", "chinese_family", "drawable", "text_width", "typeface", "wrap"]

PLACEHOLDER = "□"
"""Stands for a character that no installed font can draw."""

HINT = (
    "Chinese characters are drawn as □, because no Chinese font is installed. "
    'To see them, run: pip install "agentlab-forensics[cjk]"'
)

_SANS = "DejaVu Sans"
_CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "SimHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "STHeiti",
    "Noto Sans CJK JP",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
_LIKELY = re.compile(
    r"cjk|wqy|sourcehan|notosanssc|simhei|msyh|pingfang|hiragino|heiti|droidsansfallback", re.IGNORECASE
)
"""Names of font files that may hold one of these; only such a file is opened."""
_PACKAGE, _PACKAGED = "pylopdf_fonts_zh_cn", "NotoSansSC-Regular.otf"
_EAST_ASIAN = ((0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF))
_IDEOGRAPHS_BEYOND = range(0x20000, 0x40000)
_CLOSING = frozenset("，。、；：！？）】》」』”’,.;:!?)]}")
"""No line begins with one of these if it can be helped."""
_MOST_MARKS = 2
"""Combining marks on one letter; more would climb into the lines above."""
_MOST_CHARACTERS = 600
_SLACK = 1.02
"""How much wider a line may come out where a renderer puts its letters on whole pixels."""
_hinted = Lock()  # taken once and never given back, so that one process gives the hint once


@cache
def chinese_family() -> str | None:
    """The family name of the first Chinese font there is: of the machine, else of the package of the extra `cjk`."""
    return _installed_family() or _newly_installed_family() or _packaged_family()


def _installed_family() -> str | None:
    from matplotlib.font_manager import fontManager

    installed = {font.name: font.fname for font in fontManager.ttflist}
    return next((name for name in _CHINESE if name in installed and Path(installed[name]).is_file()), None)


def _newly_installed_family() -> str | None:
    """A font that came after matplotlib wrote its list of fonts, which it keeps across processes."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    listed = {font.fname for font in fontManager.ttflist}
    for path in findSystemFonts():
        if path not in listed and _LIKELY.search(Path(path).name):
            fontManager.addfont(path)
    return _installed_family()


def drawable(text: str, *, bold: bool = False) -> str:
    """The text, character by character, with `PLACEHOLDER` for each that cannot be drawn."""
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        known = _advance(char, bold=bold) is not None
        shown.append(char if known and marks <= _MOST_MARKS else PLACEHOLDER)
    return "".join(shown)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a drawable text is, in inches, at a size in points; kerning is left out."""
    return sum(_advance(char, bold=bold) or 0.0 for char in text) * size / 72


def typeface(text: str, size: float, *, bold: bool = False) -> FontProperties:
    """The font for a drawable text, with the Chinese fallback only where the text needs it."""
    from matplotlib.font_manager import FontProperties

    fallback = None if all(_in_family(char, _SANS, bold=bold) for char in text) else chinese_family()
    return FontProperties(
        family=[_SANS, fallback] if fallback else [_SANS],
        style="normal",
        variant="normal",
        stretch="normal",
        weight=_weight(fallback or _SANS, bold=bold),
        size=size,
    )


def wrap(text: str, width: float, size: float, *, lines: int = 1, bold: bool = False) -> list[str]:
    """Any text as drawable lines: whitespace folded, hidden characters visible, the end cut with `…`.

    Logs `HINT`, once a process, where a Chinese character of these lines cannot be drawn; what is cut off counts not.

    Args:
        text: may come from anywhere; only its first few thousand characters are looked at.
        width: of the widest line, in inches.
        size: of the font, in points.
        lines: at most so many.
        bold: whether it will be drawn so.
    """
    source = shorten(clean_text(text[: 8 * _MOST_CHARACTERS]), _MOST_CHARACTERS)
    rest = drawable(source, bold=bold)
    room = width * 72 / size / _SLACK
    broken: list[str] = []
    while rest and len(broken) < lines:
        count = _fitting(rest, room, bold=bold)
        if count < len(rest) and len(broken) == lines - 1:
            count = _fitting(rest, room - (_advance("…", bold=bold) or 0.0), bold=bold)
            broken.append(rest[:count].rstrip() + "…")
            rest = rest[count:]
            break
        count = _break(rest, count)
        broken.append(rest[:count].rstrip())
        rest = rest[count:].lstrip()
    _hint_about(source[: len(source) - len(rest)], bold=bold)
    return broken


def _hint_about(shown: str, *, bold: bool) -> None:
    missing = any(_is_east_asian(char) and _advance(char, bold=bold) is None for char in shown)
    if missing and _hinted.acquire(blocking=False):
        logging.getLogger("agentlab").warning(HINT)


def _fitting(text: str, room: float, *, bold: bool) -> int:
    """How many leading characters fit into so many em; at least one."""
    used = 0.0
    for count, char in enumerate(text):
        used += _advance(char, bold=bold) or 0.0
        if used > room:
            return max(count, 1)
    return len(text)


def _break(text: str, count: int) -> int:
    """Where to end a line of at most `count` characters: at a space, else after a sign, else there."""
    if count >= len(text):
        return count
    space = text.rfind(" ", count // 4, count + 1)
    if space > 0:
        return space
    sign = max(text.rfind(sign, count // 3, count) for sign in ",;/=([_-")
    if sign > 0:
        return sign + 1
    return count - 1 if count > 1 and text[count] in _CLOSING else count


def _families() -> Iterator[str]:
    yield _SANS
    if found := chinese_family():
        yield found


@lru_cache(maxsize=65_536)
def _advance(char: str, *, bold: bool) -> float | None:
    """The width of a character in em; None where no font has it."""
    return next((width for name in _families() if (width := _in_family(char, name, bold=bold)) is not None), None)


@lru_cache(maxsize=65_536)
def _in_family(char: str, family: str, *, bold: bool) -> float | None:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family=family, style="normal", weight=_weight(family, bold=bold))))
    if not font.get_char_index(ord(char)):
        return None
    font.set_size(100, 72)
    return font.load_char(ord(char)).linearHoriAdvance / 65536 / 100


@cache
def _weight(family: str, *, bold: bool) -> Literal["normal", "bold"]:
    """Bold where it is wanted and there is such a face: matplotlib would complain of each one that is missing."""
    from matplotlib.font_manager import fontManager

    weights = {font.weight for font in fontManager.ttflist if font.name == family}
    return "bold" if bold and weights & {700, "bold"} else "normal"


def _packaged_family() -> str | None:
    from matplotlib.font_manager import fontManager, get_font

    spec = find_spec(_PACKAGE)  # finds a package without importing it
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _PACKAGED
        if path.is_file():
            fontManager.addfont(str(path))
            return str(get_font(str(path)).family_name)
    return None


def _is_east_asian(char: str) -> bool:
    code = ord(char)
    return code in _IDEOGRAPHS_BEYOND or any(first <= code <= last for first, last in _EAST_ASIAN)
