from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agentlab.audit.outputs.document import AuditDocument
from tests.cli.conftest import Call, Start
from tests.experiments.lighthouse import FORGED, RIGHT, scripted
from tests.toymodel import ToyModel


@pytest.mark.usefixtures("here")
def test_findings_exit_with_1(call: Call) -> None:
    called = call("audit", "forged")
    assert (called.code, called.err) == (1, "")
    assert "forged-observation" in called.out
    honest = call("audit", "honest")
    assert (honest.code, honest.out, honest.err) == (0, "0 findings in 2 traces\n", "")
    assert call("audit", "honest", "forged").code == 1


@pytest.mark.usefixtures("here")
def test_the_audit_ends_with_a_diagnosis(call: Call) -> None:
    out = call("audit", "forged", "honest").out
    head, _, told = out.partition("\nDiagnosis, in the order in which to look: context, loop, tool calls, model\n")
    assert "forged-observation" in head
    assert told.startswith("1. context: it believes what it wrote itself, in 2 of 4 traces\n")
    assert told.count("it believes what it wrote itself") == 1
    for word in ("Likeliest root cause: ", "Check first: ", "Example: attempt_"):
        assert word in told
    assert "Diagnosis" not in call("audit", "honest").out


def test_the_page(call: Call, here: Path) -> None:
    called = call("audit", "forged", "honest", "--html", "page.html", "--json")
    assert (called.code, called.err) == (1, "Wrote page.html.\n")
    assert len(json.loads(called.out)["traces"]) == 4
    page = (here / "page.html").read_text(encoding="utf-8")
    assert page.count('<section class="trace"') == 2
    refused = call("audit", "forged", "--html", "page.html").refusal
    assert "'page.html' exists, and --html writes over nothing; name a new file." in refused
    assert (here / "page.html").read_text(encoding="utf-8") == page
    refused = call("audit", "honest", "--json", "--html", "no/page.html").refusal
    assert "'no/page.html' cannot be written: there is no folder 'no'" in refused
    assert "--html writes a file, and '-' names none" in call("audit", "honest", "--html", "-").refusal


def test_a_folder_for_everything(call: Call, here: Path) -> None:
    called = call("audit", "forged", "honest", "--out", "left")
    assert (called.code, called.err) == (1, "Wrote left: audit.html, audit.json, findings.parquet.\n")
    document = (here / "left" / "audit.json").read_text(encoding="utf-8")
    assert document == call("audit", "forged", "honest", "--json").out
    assert "<h1>Audit: " in (here / "left" / "audit.html").read_text(encoding="utf-8")
    table = pd.read_parquet(here / "left" / "findings.parquet")
    assert len(table) == sum(len(trace["findings"]) for trace in json.loads(document)["traces"])
    assert "'left' exists, and --out writes over nothing" in call("audit", "honest", "--out", "left").refusal
    assert "there is no folder 'no'" in call("audit", "honest", "--out", "no/left").refusal
    assert call("audit", "honest", "--out", "clean").code == 0
    clean = pd.read_parquet(here / "clean" / "findings.parquet")
    assert (len(clean), list(clean.columns)) == (0, list(table.columns))


@pytest.mark.usefixtures("here")
def test_one_path_for_two_outputs_is_refused_before_anything_is_read(call: Call) -> None:
    assert "--html and --out are both 'same'" in call("audit", "forged", "--html", "same", "--out", "./same").refusal


@pytest.mark.usefixtures("here")
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no folder that takes no files")
def test_what_was_found_is_told_though_a_file_cannot_be_written(call: Call) -> None:
    called = call("audit", "forged", "--html", "/proc/page.html")
    assert called.code == 2
    assert "forged-observation" in called.out
    assert called.err.startswith("agentlab: '/proc/page.html' cannot be written: ")


def test_an_audit_of_nothing_is_no_clean_one(call: Call, here: Path) -> None:
    (here / "empty").mkdir()
    (here / "empty" / "notes.txt").write_text("Nothing here.")
    called = call("audit", "empty")
    assert called.code == 2
    assert called.err == "agentlab: There is no trace in what was named, so nothing was audited.\n"
    assert json.loads(call("audit", "empty", "--json").out)["traces"] == []


@pytest.mark.usefixtures("here")
def test_the_page_is_written_though_nobody_reads_the_table_to_its_end(start: Start, here: Path) -> None:
    program = start("audit", "forged", "--html", "page.html")
    program.stdout.close()  # type: ignore[union-attr]
    program.stderr.read()  # type: ignore[union-attr]
    program.stderr.close()  # type: ignore[union-attr]
    assert program.wait(60) == 141
    assert (here / "page.html").read_text(encoding="utf-8").endswith("</html>\n")


@pytest.mark.usefixtures("here")
def test_what_counts_as_a_failure_can_be_chosen(call: Call) -> None:
    assert call("audit", "forged", "--fail-on", "never").code == 0
    assert call("audit", "forged", "--fail-on", "warning").code == 1


def test_the_document(call: Call, here: Path) -> None:
    (here / "notes.txt").write_text("no format claims this file")
    called = call("audit", ".", "--json")
    assert (called.code, called.err) == (1, "")
    document = AuditDocument.model_validate_json(called.out)
    assert len(document.traces) == 4
    assert document.unreadable == []
    assert [Path(path).name for path in document.skipped] == ["notes.txt"]


def test_what_cannot_be_read_outranks_findings_and_hides_none(call: Call, here: Path) -> None:
    journal = next((here / "honest" / "attempts").iterdir())
    journal.write_bytes(journal.read_bytes().replace(b'"type":"answer"', b'"type":"Answer"'))
    called = call("audit", "forged", "nowhere", "honest/manifest.json", "honest", "--json")
    assert called.code == 2
    document = json.loads(called.out)
    assert len(document["traces"]) == 3
    assert [Path(each["path"]).name for each in document["unreadable"]] == ["nowhere", "manifest.json", journal.name]
    assert called.err.count("agentlab: ") == 3
    assert "Traceback" not in called.err


def test_lost_journals_are_never_clean(call: Call, here: Path) -> None:
    for journal in (here / "honest" / "attempts").iterdir():
        journal.unlink()
    called = call("audit", "honest", "honest")
    assert (called.code, called.out) == (2, "0 findings in 0 traces; 2 unreadable\n")
    assert called.err.count("the manifest names this attempt and there is no journal of it") == 2
    assert len(json.loads(call("audit", "honest", "--json").out)["unreadable"]) == 2


def test_many_of_one_kind_make_one_line(call: Call, here: Path) -> None:
    manifest = json.loads((here / "honest" / "manifest.json").read_text())
    manifest["attempts"] = [{"id": f"a{number}", "condition": "c", "index": 0} for number in range(9)]
    (here / "honest" / "manifest.json").write_text(json.dumps(manifest))
    called = call("audit", "honest")
    assert called.code == 2
    assert "honest/attempts: 9 files, a0.jsonl to a8.jsonl, of each: the manifest names this attempt" in called.err
    assert called.err.count("\n") == 1


def test_a_cut_journal_is_still_read_and_said_to_be_cut(call: Call, here: Path) -> None:
    journal = next((here / "honest" / "attempts").iterdir())
    journal.write_bytes(journal.read_bytes()[:-20])
    called = call("audit", journal)
    assert called.code == 0
    assert "trace-defect" in called.out
    assert call("audit", journal, "--fail-on", "warning").code == 1
    (trace,) = json.loads(call("audit", journal, "--json").out)["traces"]
    (finding,) = trace["findings"]
    assert (finding["rule"], finding["severity"]) == ("trace-defect", "warning")
    assert "the last line was cut short after" in finding["message"]
    assert call("show", journal).out.startswith("The record is not whole: the last line was cut short after")


def test_binary_files_are_skipped(call: Call, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "binary").write_bytes(bytes(range(256)) * 100)
    called = call("audit", "folder")
    assert called.code == 2
    assert "Skipped, because no format claims them: 1\n  folder/binary\n" in called.out


def test_equal_findings_of_one_trace_make_one_row(call: Call, here: Path) -> None:
    reply = FORGED + "\nObservation: {}" * 3
    scripted(here, [reply, RIGHT], attempts=1)
    called = call("audit", "run")
    words = " ".join(called.out.replace("│", " ").split())
    assert "times)" in words
    total = len(json.loads(call("audit", "run", "--json").out)["traces"][0]["findings"])
    assert called.out.splitlines()[0].rstrip() == f"{total} findings in 1 trace"


def test_files_are_named_so_that_they_can_be_told_apart(call: Call, here: Path) -> None:
    journal = next((here / "forged" / "attempts").iterdir())
    for name in ("monday", "tuesday"):
        (here / "days" / name).mkdir(parents=True)
        shutil.copy(journal, here / "days" / name / "trace.jsonl")
    shown = call("audit", "days", "--fail-on", "never").out
    assert "monday/trace.jsonl" in shown
    assert "tuesday/trace.jsonl" in shown


def test_a_name_with_line_ends_forges_no_line(call: Call, here: Path) -> None:
    (here / "notes\n0 findings\x1b[2J").write_text("no format claims this file")
    (here / "lost\nagentlab: all is well.jsonl").symlink_to("nowhere")
    called = call("audit", ".", "lost\nagentlab: all is well.jsonl", "--fail-on", "never")
    assert "0 findings" in called.out
    assert "\x1b" not in called.out
    assert not any(line.startswith(("0 findings", "agentlab: all")) for line in (called.out + called.err).splitlines())


def test_complaints_end_where_nobody_reads_on(call: Call, here: Path) -> None:
    for number in range(50):
        (here / "bad" / str(number)).mkdir(parents=True)
        (here / "bad" / str(number) / "x.json").write_text("[")
    called = call("audit", "bad", "--format", "openai-chat")
    lines = called.err.splitlines()
    assert called.code == 2
    assert len(lines) == 21
    assert lines[-1] == "agentlab: 30 more could not be read; agentlab audit --json lists all of them with the reason."
    assert len(json.loads(call("audit", "bad", "--format", "openai-chat", "--json").out)["unreadable"]) == 50
    with_document = call("audit", "bad", "--format", "openai-chat", "--json")
    said = with_document.err.splitlines()[-1]
    assert said == "agentlab: 30 more could not be read; the document lists all of them with the reason."
    assert len(json.loads(with_document.out)["unreadable"]) == 50


def test_a_pipe_that_is_reached_by_a_url_blocks_nobody(call: Call, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.json")
    for command in ("audit", "show"):
        for url in (f"file://{tmp_path}/p.json", f"file://{tmp_path}/p*"):
            called = call(command, url)
            assert called.code == 2
            assert called.err == f"agentlab: {tmp_path}/p.json: a file is expected, and this is a pipe or a device\n"


def test_a_judge_adds_what_the_ledger_bears_out(call: Call, serve: Any, tmp_path: Path) -> None:
    said = "The list of nets is in nets.md now."
    messages = [
        {"role": "user", "content": "Save the nets"},
        {"role": "assistant", "content": "", "tool_calls": [_asked("count_nets", {"quay": "Malt"})]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"nets": 12}'},
        {"role": "assistant", "content": said},
    ]
    (tmp_path / "nets.json").write_text(json.dumps(messages))
    claims = json.dumps({"claims": [{"kind": "change", "quote": said, "claim": "a list was written"}]})
    toy = ToyModel(write=lambda asked: claims, schemas=False, limits=False)
    spec = f"{serve(toy).url}#toy"
    alone = call("audit", "nets.json", "--json")
    assert (alone.code, json.loads(alone.out)["traces"][0]["findings"]) == (0, [])
    judged = call("audit", "nets.json", "--json", "--judge", spec, "--fail-on", "warning")
    (finding,) = json.loads(judged.out)["traces"][0]["findings"]
    assert judged.code == 1
    assert (finding["rule"], finding["severity"]) == ("unexecuted-claim", "warning")
    assert finding["claimed"]["proposed_by"] == "openai:toy"
    assert "the judge proposed 1 claim, of which 1 stand there; 1 finding added" in judged.err
    assert len(toy.asked) == 1


def test_a_judge_that_is_not_there(call: Call, closed_port: int, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps([{"role": "assistant", "content": "Done."}]))
    refused = call("audit", "one.json", "--judge", f"http://127.0.0.1:{closed_port}/v1#toy")
    assert (refused.code, refused.out) == (2, "")
    assert "Nothing can be reached" in refused.err


def _asked(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
