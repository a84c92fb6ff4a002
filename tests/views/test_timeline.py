from __future__ import annotations

import hashlib
import json
import logging
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from agentlab.audit.report import audit_trace
from agentlab.audit.values import Claim, Contamination
from agentlab.trace.model import Trace
from agentlab.views.timeline import Audited, describe, picture, timeline, timeline_text
from tests.trace.samples import played
from tests.views import audited, foreign
from tests.views.audited import Attempt, Report

ROOT = Path(__file__).parents[2]

SITUATIONS: dict[str, Callable[[], Audited]] = {
    "clean": audited.clean,
    "contaminated": audited.contaminated,
    "repaired": audited.repaired,
    "unfinished": audited.unfinished,
    "long": lambda: audited.unfinished(100, forged_at=3),
    "chinese": audited.chinese,
    "hostile": audited.hostile,
    "unrecorded": audited.unrecorded,
    "crowded": audited.crowded,
    "foreign": lambda: audit_trace(foreign.harbour()),
    "talking": lambda: audit_trace(foreign.talk()),
}

situations = pytest.mark.parametrize("situation", SITUATIONS)


def artists(figure: Figure) -> list[Artist]:
    return figure.axes[0].get_children()


def names(figure: Figure) -> Counter[str]:
    return Counter(artist.get_gid() for artist in artists(figure) if artist.get_gid())


def said(figure: Figure, gid: str) -> list[str]:
    return [artist.get_text() for artist in artists(figure) if isinstance(artist, Text) and artist.get_gid() == gid]


def cells(figure: Figure, kind: str) -> list[int]:
    """Numbers of the requests whose cell is of a kind (`carrier`, `request`)."""
    found = [name.split("-") for name in names(figure) if name.startswith(f"{kind}-")]
    return sorted(n for _, first, last in found for n in range(int(first), int(last) + 1))


def boxes(figure: Figure, *gids: str, texts: bool) -> list[tuple[Artist, Bbox]]:
    """Where artists come to stand, in pixels, as `picture` draws them."""
    canvas = FigureCanvasAgg(figure)
    with mpl.rc_context({"text.hinting": "no_hinting"}):
        renderer = canvas.get_renderer()
        return [
            (artist, artist.get_window_extent(renderer))
            for artist in artists(figure)
            if isinstance(artist, Text) is texts and artist.get_gid() and (not gids or artist.get_gid() in gids)
        ]


def test_a_clean_attempt_has_every_call_joined_to_its_execution() -> None:
    figure = timeline(audited.clean())
    found = names(figure)
    assert (found["claim"], found["execution"], found["pair"]) == (3, 2, 2)
    assert (found["ghost"], found["way"], found["no-execution"]) == (0, 0, 0)
    assert cells(figure, "request") == [1, 2, 3]
    assert cells(figure, "carrier") == []
    assert "no result itself" in " ".join(said(figure, "title"))


def test_a_forged_result_is_marked_and_its_way_leads_to_requests_and_answer() -> None:
    figure = timeline(audited.contaminated())
    found = names(figure)
    assert (found["claim"], found["execution"], found["pair"]) == (5, 2, 2)
    assert said(figure, "no-execution") == ["no execution"]
    assert said(figure, "cross") == ["✕"]
    assert cells(figure, "carrier") == [3, 4]
    assert cells(figure, "request") == [1, 2]
    assert found["way"] == 2  # claim to request 3, request 4 to the answer
    assert found["link"] == 1  # request 3 to request 4
    assert " ".join(said(figure, "rests")) == "the answer rests on forged text"
    title = " ".join(said(figure, "title"))
    assert "2 of 4 requests carried forged text on" in title
    assert "loop react-v1 · prompt chat-v3" in title
    assert "Answered: High water at Norwick is at 05:55" in title


def test_the_way_ends_at_the_first_carrier_and_begins_at_the_forged_claim() -> None:
    figure = timeline(audited.contaminated())
    into, out = (artist for artist in artists(figure) if artist.get_gid() == "way")
    found = {artist.get_gid(): artist for artist in artists(figure)}
    carrier, claim = found["carrier-3-3"].get_bbox(), [a for a in artists(figure) if a.get_gid() == "claim"]
    xs, ys = into.get_data()
    assert carrier.x0 < xs[-1] < carrier.x1
    assert ys[-1] == pytest.approx(carrier.y0)
    assert xs[0] == pytest.approx(claim[2].get_bbox().x1)
    xs, ys = out.get_data()
    assert ys[0] == pytest.approx(found["carrier-4-4"].get_bbox().y0)
    assert ys[-1] == pytest.approx(claim[4].get_bbox().y1)


def test_what_was_refused_is_said_quietly_and_carried_by_nothing() -> None:
    figure = timeline(audited.repaired())
    assert said(figure, "fate") == ["refused", "forged_observation", "refused", "unknown_tool"]
    assert cells(figure, "carrier") == []
    assert names(figure)["way"] == 0
    assert "None of 5 requests carried forged text on" in " ".join(said(figure, "title"))
    assert any(text.startswith("failed") for text in said(figure, "execution-text"))


def test_an_attempt_without_an_answer_says_why() -> None:
    assert "No answer: step_limit (12 of 12 steps were used)" in " ".join(said(timeline(audited.unfinished()), "title"))
    killed = Attempt()
    killed.call("read_page", {"page": 1})
    figure = timeline(killed.finish(None))
    assert "the end was not recorded" in " ".join(said(figure, "title"))
    assert "no result recorded" in " ".join(said(figure, "execution-text"))


@pytest.mark.parametrize("forged_at", [0, 3, 50])
def test_a_hundred_steps_fold_and_nothing_is_lost(forged_at: int) -> None:
    figure = timeline(audited.unfinished(100, forged_at=forged_at))
    assert figure.get_size_inches()[1] <= 17
    assert cells(figure, "carrier") == (list(range(forged_at + 1, 101)) if forged_at else [])
    assert sorted(cells(figure, "carrier") + cells(figure, "request")) == list(range(1, 101))
    folded = [int(text.split()[0]) for text in said(figure, "folded-text") if text.endswith("steps folded")]
    shown = {text for text in said(figure, "step") if text.startswith("step ")}
    assert sum(folded) + len(shown) == 100
    assert names(figure)["no-execution"] == bool(forged_at)


def test_a_fold_that_hides_forged_results_says_so() -> None:
    attempt = Attempt("react-v1")
    for step in range(60):
        claim = attempt.forged("read_page", {"page": step}, f"page {step} holds the tides of the year")
        attempt.spread(claim[0], step + 1)
    attempt.answer("none")
    figure = timeline(attempt.finish())
    hidden = " ".join(said(figure, "folded-text"))
    shown = len([text for text in said(figure, "cross") if text == "✕"])
    assert f"✕ {60 - shown} written by the model: no execution" in hidden
    assert figure.get_size_inches()[1] <= 17


def test_executions_that_were_not_recorded_are_unknown_and_not_absent() -> None:
    figure = timeline(audited.unrecorded())
    assert said(figure, "unknown") == ["not recorded"]
    assert "no call is proved and none is disproved" in " ".join(said(figure, "title"))
    assert said(figure, "fate")[0] == "no answer recorded"


def test_a_retried_step_has_two_requests_and_an_unclaimed_execution_stands_alone() -> None:
    attempt = Attempt()
    attempt.ask()
    attempt.ask(again=True)
    attempt.execution("read_page", {"page": 1}, '"text"')
    figure = timeline(attempt.finish("interrupted"))
    assert cells(figure, "request") == [1, 2]
    assert said(figure, "step") == ["step 1"]
    found = names(figure)
    assert (found["claim"], found["execution"], found["pair"]) == (0, 1, 0)
    assert "1 execution without a recorded claim" in " ".join(said(figure, "title"))


def test_forged_texts_are_told_apart_by_letters() -> None:
    figure = timeline(audited.hostile())
    assert "forged text A B" in said(figure, "cell")
    assert said(figure, "letter") == ["A", "B"]
    badges = [artist.get_bbox() for artist in artists(figure) if artist.get_gid() == "badge"]
    claims = [artist.get_bbox() for artist in artists(figure) if artist.get_gid() == "claim"]
    assert [[claim.fully_contains(*badge.min) for claim in claims].index(True) for badge in badges] == [2, 3]


def test_the_legend_names_what_occurs_and_nothing_else() -> None:
    words = said(timeline(audited.clean()), "legend")
    assert words == ["call, joined to its execution", "answer", "execution, succeeded"]
    assert "request that carried forged text" in said(timeline(audited.contaminated()), "legend")


@situations
def test_no_text_is_cut_off_and_no_two_overlap(situation: str) -> None:
    figure = timeline(SITUATIONS[situation]())
    page = figure.bbox
    texts = boxes(figure, texts=True)
    assert texts
    for text, box in texts:
        assert page.x0 <= box.x0, text
        assert box.x1 <= page.x1, text
        assert page.y0 <= box.y0, text
        assert box.y1 <= page.y1, text
    for (one, a), (other, b) in combinations(texts, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 1 or high <= 3, (one, other)  # pixels; the boxes of two lines may touch, their letters do not


@situations
def test_texts_stay_inside_their_boxes(situation: str) -> None:
    figure = timeline(SITUATIONS[situation]())
    for gid in ("claim", "execution", "folded"):
        around = [box for _, box in boxes(figure, gid, texts=False)]
        for text, box in boxes(figure, f"{gid}-text", texts=True):
            assert any(a.x0 <= box.x0 and box.x1 <= a.x1 and a.y0 <= box.y0 and box.y1 <= a.y1 for a in around), text


@situations
def test_pictures_are_drawn_without_a_word_from_matplotlib(situation: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "matplotlib"):
        picture(timeline(SITUATIONS[situation]()))
    assert caplog.messages == []


@situations
def test_two_drawings_give_the_same_bytes(situation: str) -> None:
    for format in ("png", "svg"):
        first, second = (picture(timeline(SITUATIONS[situation]()), format, dpi=60) for _ in range(2))
        assert first == second


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from tests.views import audited; from agentlab.views.timeline import picture, timeline\n"
        "for f in 'png', 'svg': print(hashlib.sha256(picture(timeline(audited.contaminated()), f)).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": "7",
            "PATH": "",
            "HOME": str(Path.home()),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    figure = timeline(audited.contaminated())
    here = [hashlib.sha256(picture(figure, format)).hexdigest() for format in ("png", "svg")]
    assert done.stdout.split() == here
    assert done.stderr == ""


@pytest.mark.parametrize(
    "style",
    [
        {"text.usetex": True, "font.family": "serif", "font.size": 30, "text.color": "red", "font.style": "italic"},
        {"figure.facecolor": "black", "axes.facecolor": "black", "savefig.facecolor": "black", "lines.linewidth": 9},
        {"savefig.bbox": "tight", "savefig.transparent": True, "figure.autolayout": True, "svg.fonttype": "none"},
        {"text.parse_math": True, "text.hinting": "force_autohint", "svg.hashsalt": "other", "lines.marker": "x"},
    ],
)
def test_the_style_of_the_session_changes_nothing(style: dict[str, object]) -> None:
    plain = [picture(timeline(audited.hostile()), format, dpi=50) for format in ("png", "svg")]
    with mpl.rc_context(style):
        before = dict(mpl.rcParams)
        styled = [picture(timeline(audited.hostile()), format, dpi=50) for format in ("png", "svg")]
        assert dict(mpl.rcParams) == before
    assert styled == plain


def test_the_page_is_opaque_and_white_at_its_edges() -> None:
    image = Image.open(BytesIO(picture(timeline(audited.contaminated()), dpi=40)))
    assert image.getchannel("A").getextrema() == (255, 255)
    right, bottom = image.width - 1, image.height - 1
    assert {image.getpixel(at) for at in ((0, 0), (right, 0), (0, bottom), (right, bottom))} == {(255,) * 4}


def test_a_carrier_is_dark_and_a_clean_request_light_in_greyscale() -> None:
    figure = timeline(audited.contaminated())
    grey = Image.open(BytesIO(picture(figure, dpi=100))).convert("L")
    found = {artist.get_gid(): artist.get_bbox() for artist in artists(figure) if isinstance(artist, Rectangle)}

    def tone(gid: str) -> object:
        box = found[gid]
        return grey.getpixel((int(100 * box.x0) + 6, int(100 * box.y0) + 6))

    assert tone("carrier-3-3") < 110 < 250 < tone("request-1-1")


def test_texts_are_literal_and_hidden_characters_are_seen() -> None:
    figure = timeline(audited.hostile())
    texts = [artist for artist in artists(figure) if isinstance(artist, Text) and artist.get_gid()]
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts)
    shown = "".join(text.get_text() for text in texts)
    assert "$\\frac{1}{0}$" in shown
    assert "\\u{202e}" in shown
    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs"}]


@situations
def test_an_svg_is_well_formed_whatever_the_texts_hold(situation: str) -> None:
    report = SITUATIONS[situation]()
    root = ET.fromstring(picture(timeline(report), "svg"))
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == describe(report)


def test_the_sentence_and_the_text_say_what_the_picture_shows() -> None:
    report = audited.contaminated()
    sentence = describe(report)
    assert "loop react-v1" in sentence
    assert "2 of 4 requests carried forged text on; the answer rests on it" in sentence
    lines = timeline_text(report).splitlines()
    assert "! request 3  CARRIED FORGED TEXT" in lines
    assert "! request 4  CARRIED FORGED TEXT" in lines
    forged = [line for line in lines if "NO EXECUTION" in line]
    assert len(forged) == 1
    assert forged[0].startswith("! claimed   observation")
    assert sum(line.startswith("  executed  succeeded") for line in lines) == 2
    assert next(line for line in lines if "RESTS ON FORGED TEXT" in line).startswith("! claimed   answer")
    assert any("[refused: forged_observation]" in line for line in lines)


@situations
def test_texts_hold_no_hidden_characters_and_one_line_each(situation: str) -> None:
    report = SITUATIONS[situation]()
    for text in (describe(report), *timeline_text(report).split("\n")):
        assert len(text) <= 620
        assert not [char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Cs"}]
    assert len(describe(report)) > 40


def test_a_figure_shows_itself_in_a_notebook_with_an_escaped_text() -> None:
    bundle = timeline(audited.hostile())._repr_mimebundle_()
    assert bundle["text/plain"] == describe(audited.hostile())
    image = ET.fromstring(bundle["text/html"].removesuffix(">") + "/>")
    assert image.get("alt") == bundle["text/plain"]
    assert image.get("src", "").startswith("data:image/png;base64,")


def test_the_words_need_no_matplotlib_and_no_picture_needs_pyplot() -> None:
    code = (
        "import sys; from tests.views import audited\n"
        "from agentlab.views.timeline import Audited, describe, picture, timeline, timeline_text\n"
        "report = audited.contaminated(); describe(report); timeline_text(report)\n"
        "print('matplotlib' in sys.modules)\n"
        "picture(timeline(report)); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]


def test_a_recorded_attempt_is_drawn_from_the_real_audit() -> None:
    figure = timeline(audit_trace(played()))
    found = names(figure)
    assert (found["claim"], found["execution"], found["pair"], found["cross"]) == (4, 1, 1, 1)
    assert cells(figure, "request") == [1, 2, 3]
    assert "Answered: 3 herons" in " ".join(said(figure, "title"))


texts = st.one_of(st.text(max_size=30), st.sampled_from([audited.HOSTILE, "", "潮汐" * 40, "W" * 300]))
storable = texts.map(lambda text: text.encode("utf-8", "replace").decode())


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Attempts of any rounds, with pairs and ways that may point to nothing."""
    attempt = Attempt(draw(texts), executions=draw(st.sampled_from(["present", "absent", "not_recorded"])))
    for kind in draw(
        st.lists(st.sampled_from(["call", "fail", "refused", "forged", "answer", "alone", "ask"]), max_size=9)
    ):
        tool, arguments, text = draw(texts), {draw(texts): draw(texts)}, draw(storable)
        steps: dict[str, Callable[[], object]] = {
            "call": lambda t=tool, a=arguments, x=text: attempt.call(t, a, x),
            "fail": lambda t=tool, a=arguments, x=text: attempt.call(t, a, error=x),
            "refused": lambda t=tool, a=arguments: attempt.refused(t, a),
            "forged": lambda t=tool, a=arguments, x=text: attempt.forged(t, a, x, x, turns=(x,)),
            "answer": lambda x=text: attempt.answer(x),
            "alone": lambda t=tool, a=arguments, x=text: attempt.execution(t, a, x),
            "ask": lambda: attempt.ask(again=draw(st.booleans())),
        }
        steps[kind]()
    report = attempt.finish(draw(st.sampled_from([None, "answered", "deadline"])))
    places = [claim.where for claim in report.claims] + [
        replace(claim.where, event=draw(st.sampled_from(["e2", "nowhere", *attempt.requests])))
        for claim in report.claims
    ]
    ways = [
        Contamination(
            claim=claim,
            carriers=tuple(draw(st.lists(st.sampled_from(places), max_size=4))),
            answer=draw(st.sampled_from([None, *places])),
        )
        for claim in report.claims
        if draw(st.booleans())
    ]
    pairs = {
        claim.id: draw(st.sampled_from([*(entry.event for entry in report.ledger), "nothing"]))
        for claim in report.claims
    }
    return replace(report, pairs=draw(st.sampled_from([report.pairs, pairs])), contaminations=tuple(ways))


@settings(max_examples=30)
@given(reports())
def test_any_report_can_be_drawn_and_told(report: Report) -> None:
    figure = timeline(report)
    assert picture(figure, dpi=30).startswith(b"\x89PNG")
    assert timeline_text(report)
    assert describe(report)
    requests = [event.id for event in report.trace if event.type == "request"]
    carriers = {where.event for way in report.contaminations for where in way.carriers}
    assert cells(figure, "carrier") == [n for n, request in enumerate(requests, 1) if request in carriers]
    assert cells(figure, "request") == [n for n, request in enumerate(requests, 1) if request not in carriers]
    found = names(figure)
    forged = sum(claim.kind in ("observation", "turn") for claim in report.claims)
    if not found["folded"]:
        assert (found["claim"], found["execution"]) == (len(report.claims), len(report.ledger))
        assert found["cross"] == found["ghost"] == forged


def test_a_trace_of_one_event_and_one_of_ten_thousand_can_be_drawn() -> None:
    start = audited.clean().trace.events[0]
    assert picture(timeline(Report(trace=Trace(events=(start,)))), dpi=30)
    long = audited.unfinished(3000, forged_at=2)
    figure = timeline(long)
    assert cells(figure, "carrier") == list(range(3, 3001))
    assert figure.get_size_inches()[1] <= 17


def test_json_arguments_are_shown_as_json_and_raw_ones_as_they_are() -> None:
    report = audited.clean()
    raw: Claim = replace(report.claims[0], arguments='{"harbour": Norwick', tool="search_tables")
    text = timeline_text(replace(report, claims=(raw, *report.claims[1:])))
    assert 'search_tables({"harbour": Norwick)' in text
    assert json.dumps("norwick-may") in text


def test_the_agent_stands_at_each_step_and_prose_can_be_read() -> None:
    figure = timeline(audit_trace(foreign.harbour()))
    assert said(figure, "step") == ["step 1 · captain", "step 2 · scout", "step 3 · scout", "step 4 · captain"]
    assert "I see three boats" in " ".join(said(figure, "claim-text"))
    assert "reply in prose: no call, no answer" in said(figure, "legend")


def test_a_name_that_is_too_long_for_its_column_has_a_line_of_its_own() -> None:
    lines = said(timeline(audit_trace(foreign.talk())), "step")
    assert "step 1" in lines
    assert any(line.startswith("Lighthouse") for line in lines)
