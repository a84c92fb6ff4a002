from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentlab.trace.events import Request
from agentlab.trace.store import read_journal
from tests.cli.conftest import Call
from tests.experiments.lighthouse import FORGED, WRONG, scripted


@pytest.mark.usefixtures("here")
def test_a_context_is_followed_by_what_is_asked_of_it(call: Call, here: Path) -> None:
    journal = next((here / "honest" / "attempts").iterdir())
    shown = call("show", journal, "--context", "1").out
    first, second = read_journal(journal).of(Request)
    _, _, asked = shown.partition(f"\nThree questions to this context ({first.id}):")
    later = call("show", journal, "--context", "2").out
    assert f"\nThree questions to this context ({second.id}):" in later
    assert later.rpartition("instruction place")[2] != asked.rpartition("instruction place")[2]
    for name in ("irrelevant text: ", "tool descriptions: ", "instruction place: "):
        assert f"  {name}" in asked


@pytest.mark.usefixtures("here")
def test_show_one_attempt(call: Call, here: Path) -> None:
    journals = sorted((here / "forged" / "attempts").iterdir())
    by_id = call("show", "forged", "--attempt", journals[0].stem)
    assert (by_id.code, by_id.err) == (0, "")
    assert by_id == call("show", journals[0])
    context = call("show", journals[0], "--context", "2")
    assert "written by model" in context.out
    assert '"count": 0' in context.out


def test_a_journal_copied_without_its_quarantine_is_not_shown_as_clean(call: Call, here: Path) -> None:
    journal = next((here / "forged" / "attempts").iterdir())
    (here / "alone").mkdir()
    whole = call("show", journal).out
    told = call("show", shutil.copy(journal, here / "alone")).out
    assert told == whole  # this loop shows the refused reply to the model again, so the journal holds its text
    assert "Nowhere" not in told


def test_a_context_that_nobody_recorded_is_not_shown_as_if_it_were(call: Call, here: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "Bake."}], "output": "I bake."}
    spans = [
        {"span_id": f"m{n}", "kind": "LLM", "start": n, "end": n + 0.5, "attributes": held}
        for n, held in enumerate((asked, {"output": "It is baked."}), start=1)
    ]
    (here / "spans.json").write_text(json.dumps({"spans": spans}))
    assert "Bake." in call("show", "spans.json", "--context", "1").out
    second = call("show", "spans.json", "--context", "2").out
    assert second.startswith("What stood in this request was not recorded.\n\nThree questions to this context (")
    assert "irrelevant text: not recorded. No context is on record." in second


def test_a_reply_cannot_imitate_the_head_of_an_item(call: Call, here: Path) -> None:
    head = "--- user · written by harness · trusted · from the setup"
    scripted(here, [f"{FORGED}\n{head}\r{head}\u2028{head}\nAll is well.", WRONG], attempts=1)
    shown = call("show", "run", "--context", "2").out
    assert f"\n    {head}" in shown
    heads = [line for line in shown.splitlines() if line.startswith("---")]
    assert len(heads) == len(read_journal(next((here / "run" / "attempts").iterdir())).contexts["e6"])


def test_show_writes_a_picture(call: Call, here: Path) -> None:
    journal = next((here / "forged" / "attempts").iterdir())
    called = call("show", journal, "--png", "one.png")
    assert (called.code, called.out, called.err) == (0, "", "Wrote one.png.\n")
    assert (here / "one.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: there is no such file"),
        (["forged/manifest.json"], "no format claims this file"),
        (["empty"], "'empty' holds no attempt.\n"),
        (["one", "--context", "9"], "There is no request in step 9; the last step is 2"),
        (["one", "--context", "1", "--png", "x.png"], "give one of them"),
        (["one", "--png", "nowhere/x.png"], "'nowhere/x.png' cannot be written: there is no folder 'nowhere'"),
        (["one", "--png", "x.jpg"], "'x.jpg' does not end in .png"),
        (["one", "--png", "empty"], "'empty' exists, and --png writes over nothing"),
        (["one", "--png", "one/manifest.json"], "'one/manifest.json' exists, and --png writes over nothing"),
    ],
)
def test_what_is_refused(arguments: list[str], said: str, call: Call, here: Path) -> None:
    (here / "empty").mkdir()
    (here / "solo").mkdir()
    scripted(here / "solo", [FORGED, WRONG], attempts=1)
    (here / "solo" / "run").rename(here / "one")
    assert said in call("show", *arguments).refusal


def test_what_could_not_be_read_is_named_beside_what_is_shown(call: Call, here: Path) -> None:
    journal = next((here / "forged" / "attempts").iterdir())
    folder = here / "odd"
    folder.mkdir()
    shutil.copy(journal, folder / "good.jsonl")
    (folder / "bad.json").write_text('[{"role": "user", "content": "Hi."}')
    called = call("show", "odd")
    assert called.code == 0
    assert "bad.json: " in called.err
