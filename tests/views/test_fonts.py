from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from hypothesis import given
from hypothesis import strategies as st

from agentlab.views.fonts import HINT, PLACEHOLDER, drawable, text_width, typeface, wrap
from tests.hanging import ends

ROOT = Path(__file__).parents[2]
LATIN = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=300)


def build_font(path: Path, family: str, characters: str) -> None:
    """A font file in which each of the characters is a black square."""
    pen = TTGlyphPen(None)
    for step, point in enumerate(((50, 0), (50, 800), (950, 800), (950, 0))):
        (pen.lineTo if step else pen.moveTo)(point)
    pen.closePath()
    square = pen.glyph()
    names = [".notdef", *(f"uni{ord(char):04X}" for char in characters)]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(char): f"uni{ord(char):04X}" for char in characters})
    builder.setupGlyf(dict.fromkeys(names, square))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (1000, 50)))
    builder.setupHorizontalHeader(ascent=900, descent=-200)
    builder.setupNameTable({"familyName": family, "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=900, sTypoDescender=-200, usWeightClass=400)
    builder.setupPost()
    builder.save(path)


PRELUDE = """
import logging, sys, warnings
warnings.simplefilter("error")
logging.basicConfig(format="%(name)s: %(message)s", level=logging.WARNING)
from matplotlib import font_manager
fonts = font_manager.fontManager
fonts.ttflist[:] = [font for font in fonts.ttflist if font.name.startswith("DejaVu")]
font_manager.findSystemFonts = lambda: []
from tests.views import audited
from agentlab.views.timeline import picture, timeline
from agentlab.views import fonts as own
"""


def run(code: str, *paths: Path) -> tuple[list[str], list[str]]:
    """Run code where DejaVu is the only installed font; returns the lines of its output and of its log."""
    folders = (*paths, ROOT)
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr.splitlines()


def test_without_a_chinese_font_there_is_one_hint_and_no_missing_glyph() -> None:
    code = """
sys.modules["pylopdf_fonts_zh_cn"] = None
for report in audited.chinese(), audited.hostile(), audited.chinese():
    for format in "png", "svg":
        picture(timeline(report), format)
texts = [text.get_text() for text in timeline(audited.chinese()).axes[0].texts]
print(any("\\u4e00" <= char <= "\\u9fff" for text in texts for char in text))
print(sum(own.PLACEHOLDER in text for text in texts) > 5)
print([text.get_text() for text in timeline(audited.chinese()).axes[0].texts if text.get_gid() == "footnote"][0])
"""
    out, log = run(code)
    assert out[:2] == ["False", "True"]
    assert out[2].startswith(PLACEHOLDER)
    assert 'pip install "agentlab-forensics[cjk]"' in out[2]
    assert log == [f"agentlab: {HINT}"]


def test_texts_that_need_no_chinese_font_give_no_hint() -> None:
    out, log = run("""
sys.modules["pylopdf_fonts_zh_cn"] = None
figure = timeline(audited.contaminated()); picture(figure)
print([text for text in figure.axes[0].texts if text.get_gid() == "footnote"])
""")
    assert out == ["[]"]
    assert log == []


def test_the_font_of_the_extra_is_found_and_its_package_is_not_imported(tmp_path: Path) -> None:
    package = tmp_path / "pylopdf_fonts_zh_cn"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    every = sorted(
        {char for char in (Path(__file__).parent / "audited.py").read_text() if "\u3000" <= char <= "\u9fff"}
    )
    build_font(package / "NotoSansSC-Regular.otf", "Square Sans SC", "".join(every))
    code = """
figure = timeline(audited.chinese()); picture(figure); picture(figure, "svg")
texts = figure.axes[0].texts
print(own.chinese_family(), any(own.PLACEHOLDER in text.get_text() for text in texts))
print([t.get_fontfamily() for t in texts if "attempt 1" in t.get_text()])
print([t.get_fontfamily() for t in texts if t.get_text() == "step 1"])
"""
    out, log = run(code, tmp_path)
    assert out == ["Square Sans SC False", "[['DejaVu Sans', 'Square Sans SC']]", "[['DejaVu Sans']]"]
    assert log == []  # no word about the bold face that this font does not have


def test_an_installed_font_comes_before_the_extra(tmp_path: Path) -> None:
    build_font(tmp_path / "hei.ttf", "SimHei", "潮汐")
    build_font(tmp_path / "micro.ttf", "WenQuanYi Micro Hei", "潮汐")
    out, log = run(f"""
for name in "hei", "micro": fonts.addfont({str(tmp_path)!r} + "/" + name + ".ttf")
print(own.chinese_family(), own.wrap("潮汐表", 3, 9, bold=True))
""")
    assert out == ["WenQuanYi Micro Hei ['潮汐□']"]
    assert log == [f"agentlab: {HINT}"]


def test_what_is_cut_off_needs_no_font_and_gives_no_hint() -> None:
    out, log = run("""
sys.modules["pylopdf_fonts_zh_cn"] = None
print(own.wrap("a tide table of the north basin 潮汐", 1, 9))
""")
    assert "□" not in out[0]
    assert log == []


def test_a_font_that_came_after_the_list_of_fonts_is_found(tmp_path: Path) -> None:
    build_font(tmp_path / "wqy-new.ttf", "WenQuanYi Micro Hei", "潮汐")
    build_font(tmp_path / "unlikely.ttf", "SimHei", "潮汐")
    out, _ = run(f"""
font_manager.findSystemFonts = lambda: [{str(tmp_path / "unlikely.ttf")!r}, {str(tmp_path / "wqy-new.ttf")!r}]
print(own.chinese_family(), own.drawable("潮"))
""")
    assert out == ["WenQuanYi Micro Hei 潮"]


def test_a_font_whose_file_is_gone_is_not_chosen(tmp_path: Path) -> None:
    build_font(tmp_path / "hei.ttf", "SimHei", "潮汐")
    out, _ = run(f"""
import os
from tests.hanging import ends
sys.modules["pylopdf_fonts_zh_cn"] = None
fonts.addfont({str(tmp_path / "hei.ttf")!r}); os.remove({str(tmp_path / "hei.ttf")!r})
print(own.chinese_family(), own.drawable("潮"))
""")
    assert out == ["None □"]


@given(LATIN, st.floats(0.3, 3), st.integers(1, 9), st.booleans())
def test_lines_fit_their_width_and_their_number(text: str, width: float, lines: int, bold: bool) -> None:
    broken = wrap(text, width, 8, lines=lines, bold=bold)
    assert len(broken) <= lines
    assert all(text_width(line, 8, bold=bold) <= width for line in broken)


@given(LATIN)
def test_nothing_is_lost_where_there_is_room(text: str) -> None:
    assert "".join(wrap(text, 1, 8, lines=500)).replace(" ", "") == text.replace(" ", "")


@given(st.text())
def test_every_text_becomes_drawable_lines(text: str) -> None:
    for line in wrap(text, 1, 8, lines=5):
        assert drawable(line) == line
        assert line.isprintable()


def test_lines_break_at_spaces_then_after_signs_and_end_in_an_ellipsis() -> None:
    assert wrap("read the tables of the harbour", 1, 8, lines=9) == ["read the tables", "of the harbour"]
    assert wrap('read_page(book="almanac")', 1.1, 8, lines=9) == ["read_page(book=", '"almanac")']
    assert wrap("read the tables of the harbour", 1, 8)[0].endswith("…")


def test_no_line_begins_with_a_closing_sign() -> None:
    signs = "x" * 40 + "."
    for width in (0.5, 0.75, 1.0, 1.5):
        assert not any(line.startswith(".") for line in wrap(signs, width, 8, lines=99))


def test_marks_do_not_pile_up() -> None:
    assert drawable("a" + "\u0301" * 50).count("\u0301") == 2


@pytest.mark.parametrize(
    "text", ["W" * 200_000, " " * 200_000, "x \u4e00" * 70_000, "\u0301" * 200_000, "\x00" * 200_000]
)
def test_a_long_text_comes_to_an_end(text: str) -> None:
    with ends():
        assert len(wrap(text, 1, 8, lines=5)) <= 5


def test_a_bold_text_is_bold_and_a_plain_one_is_not() -> None:
    assert typeface("tides", 8, bold=True).get_weight() == "bold"
    assert typeface("tides", 8).get_weight() == "normal"
    assert text_width("tides", 8, bold=True) > text_width("tides", 8)
