from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentlab.experiments.document import StudyDocument
from agentlab.trace.store import RunStore
from tests.cli.conftest import Call, Start
from tests.experiments.lighthouse import OUTCOMES, write_case, write_script
from tests.toymodel import KEY, ToyModel


def test_the_table_and_the_next_step(call: Call, tmp_path: Path) -> None:
    called = call("study", "mcp-mentions", "--out", tmp_path / "a run")
    assert (called.code, called.err) == (0, "")
    for name in ("react-v1", "react-v2", "│ 5/10 (24–76 %)", "really called"):
        assert name in called.out
    heads = " ".join(line.replace("┃", " ") for line in called.out.splitlines() if line.startswith("┃"))
    assert {"wrong", "evidence"} <= set(heads.split())
    assert "finished" not in heads, "classes that nothing fell into are left out"
    command = called.out.splitlines()[-1].partition("agentlab show ")[2]
    assert command.startswith(f"'{tmp_path}/a run' --attempt attempt_")
    shown = call("show", tmp_path / "a run", "--attempt", command.split()[-1])
    assert shown.code == 0
    assert "0 times" in shown.out, "the attempt it names is one that went wrong"


def test_the_document(call: Call) -> None:
    called = call("study", "mcp-mentions", "--attempts", 2, "--json", "--out", "run")
    assert (called.code, called.err) == (0, "")
    document = StudyDocument.model_validate_json(called.out)
    assert [condition.name for condition in document.conditions] == ["react-v1", "react-v2"]
    assert [(x.a, x.b, x.measure) for x in document.comparisons] == [
        ("react-v1", "react-v2", "success"),
        ("react-v1", "react-v2", "forged"),
    ]


def test_the_same_command_prints_the_same(call: Call) -> None:
    first = call("study", "mcp-mentions", "--attempts", 3, "--json", "--out", "one")
    second = call("study", "mcp-mentions", "--attempts", 3, "--json", "--out", "two", "--workers", 4)
    assert first == second
    assert "already" not in call("study", "mcp-mentions", "--attempts", 3, "--seed", 1, "--out", "three").out


def test_conditions_come_from_loops_and_files(call: Call, tmp_path: Path) -> None:
    (tmp_path / "calm.toml").write_text('loop = "react-v1"\nknobs = { p_forge = 0.0 }\n')
    arguments = ["study", "mcp-mentions", "--attempts", 2, "--json", "--condition", "calm.toml"]
    alone = json.loads(call(*arguments, "--out", "alone").out)
    assert [condition["name"] for condition in alone["conditions"]] == ["calm"]
    both = json.loads(call(*arguments, "--loop", " drop , retry,", "--temperature", 0.3, "--out", "both").out)
    assert [condition["name"] for condition in both["conditions"]] == ["calm", "drop", "retry"]
    recorded = RunStore.open(tmp_path / "both").manifest.conditions
    assert [condition["temperature"] for condition in recorded] == [None, 0.3, 0.3]


def test_a_case_of_one_s_own_with_a_script(call: Call, tmp_path: Path) -> None:
    write_case(tmp_path / "lighthouse")
    spec = write_script(tmp_path / "script.jsonl", OUTCOMES["wrong_forged"])
    called = call("study", "lighthouse", "--loop", "react-v1", "--attempts", 1, "--provider", spec, "--json")
    (condition,) = json.loads(called.out)["conditions"]
    assert condition["outcomes"]["wrong_forged"] == 1


def test_attempts_that_do_not_count_are_told_on_stderr(call: Call, tmp_path: Path) -> None:
    spec = write_script(tmp_path / "script.jsonl", OUTCOMES["infrastructure"])
    called = call("study", "mcp-mentions", "--loop", "drop", "--attempts", 2, "--provider", spec, "--json")
    assert called.code == 1, "no attempt counts"
    (condition,) = json.loads(called.out)["conditions"]
    assert (condition["attempts"], condition["success"]["n"], condition["success"]["rate"]) == (2, 0, None)
    assert called.err.startswith("agentlab: 2 of 2 attempts do not count in n. The first: ")
    assert "add replies" in called.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--loop", "react-v9"], "no history policy 'react-v9'. Did you mean"),
        (["--loop", ","], "',' names none of "),
        (["--loop", "drop,drop"], "have the same name"),
        (["--condition", "none.toml", "--language", "zh"], "--language is for conditions made by --loop"),
        (["--condition", "none.toml", "--temperature", "0"], "write temperature into the file, or give --loop as well"),
        (["--attempts", "0"], "from 1 to 100000"),
        (["--attempts", "100001"], "from 1 to 100000"),
        (["--seed", "-1"], "The seed must be"),
        (["--temperature", "-1"], "temperature: Input should be greater than or equal to 0"),
        (["--temperature", "nan"], "temperature: Input should be a finite number"),
        (["--provider", "magic"], "no provider 'magic'"),
        (["--provider", "openai:m"], "OPENAI_API_KEY"),
        (["--provider", "scripted:none.jsonl"], "none.jsonl: the script cannot be read"),
        (["--provider", "http://127.0.0.1:1/v1"], "needs its model"),
        (["--condition", "none.toml"], "none.toml: a condition was expected"),
        (["--condition", "."], "Is a directory"),
        (["--out", "."], "is not empty"),
    ],
)
def test_what_is_refused(options: list[str], said: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "something").touch()
    assert said in call("study", "mcp-mentions", *options).refusal
    assert [path.name for path in tmp_path.iterdir()] == ["something"], "nothing has run"


@pytest.mark.parametrize("case", ["nothing", "./nothing", "", "/etc/passwd"])
def test_a_case_that_does_not_exist(case: str, call: Call) -> None:
    assert "What there is: mcp-mentions" in call("study", case).refusal


def test_a_hostile_case(call: Call, tmp_path: Path) -> None:
    write_case(tmp_path / "case", ('documents = "papers"', 'documents = "../../../etc"'))
    assert "leads out of it" in call("study", "case").refusal


def test_studies_without_a_place_choose_each_its_own(start: Start, tmp_path: Path) -> None:
    running = [start("study", "mcp-mentions", "--attempts", "2") for _ in range(3)]
    for process in running:
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [f"mcp-mentions-{n}" for n in (1, 2, 3)]
    assert all(len(list(RunStore.open(run).traces())) == 4 for run in (tmp_path / "runs").iterdir())


# --- Ctrl-C. ---


class _Silent(BaseHTTPRequestHandler):
    """Takes a request and never answers it."""

    asked: threading.Event
    end: threading.Event

    def do_POST(self) -> None:
        self.asked.set()
        self.end.wait(60)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def silent_server() -> Iterator[tuple[str, threading.Event]]:
    """A provider spec, and an event that is set when the first request has come in."""
    handler = type("Silent", (_Silent,), {"asked": threading.Event(), "end": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1#silent", handler.asked  # type: ignore[attr-defined]
    handler.end.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


def test_ctrl_c_waits_for_no_server_and_leaves_a_run_that_can_be_read(
    silent_server: tuple[str, threading.Event], start: Start, call: Call, tmp_path: Path
) -> None:
    spec, asked = silent_server
    process = start("study", "mcp-mentions", "--provider", spec, "--out", "run")
    assert asked.wait(30)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().strip() == "agentlab: stopped. What had been recorded is kept. The run is in run."
    assert (tmp_path / "run" / "environment.json").is_file()
    traces = list(RunStore.open(tmp_path / "run").traces())
    assert traces
    audit = call("audit", "run", "--json")
    assert audit.code == 0, "attempts that had not begun are not lost"
    assert len(json.loads(audit.out)["traces"]) == len(traces)


# --- Formal evaluation, servers, recordings, going on. ---


def test_k_of_n_decides_the_exit_code_and_tells_build_servers(call: Call, tmp_path: Path) -> None:
    base = ("study", "mcp-mentions", "--attempts", 10)
    met = call(*base, "--loop", "react-v2", "--require", 8, "--out", "met", "--junit", "met.xml")
    assert met.code == 0
    assert "react-v2: 10 of 10, 8 required: met" in met.out
    assert "To see a difference of 20 points, " in met.out
    missed = call(*base, "--require", 8, "--out", "missed", "--junit", "missed.xml", "--json", "--difference", 0.5)
    assert missed.code == 1
    requirement = StudyDocument.model_validate_json(missed.out).requirement
    assert requirement is not None
    assert (requirement.k, requirement.difference) == (8, 0.5)
    assert [(each.name, each.passed) for each in requirement.conditions] == [("react-v1", False), ("react-v2", True)]
    assert len(requirement.conditions[0].refused) == 10 - requirement.conditions[0].succeeded
    assert 'failures="1"' in (tmp_path / "missed.xml").read_text(encoding="utf-8")
    dear = call(*base, "--loop", "react-v2", "--require", 8, "--most-calls", 1, "--most-steps", 2, "--out", "dear")
    assert dear.code == 1
    assert "steps where 2 are allowed" in dear.out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--most-steps", 3), "belong to --require K"),
        (("--junit", "x.xml"), "belong to --require K"),
        (("--require", 11), "11 successes are required of 10 attempts"),
        (("--require", 0), "At least one attempt"),
        (("--require", 2, "--most-tokens", 0), "--most-tokens takes a number above 0"),
        (("--require", 2, "--difference", 2), "above 0 and at most 1"),
        (("--require", 2, "--junit", "there.xml"), "writes over nothing"),
        (("--requests-per-minute", 0), "A rate of 0.0 a minute cannot be kept"),
        (("--resume",), "is of another study"),
    ],
)
def test_options_that_do_not_fit(options: tuple[object, ...], problem: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "there.xml").write_text("")
    folder = "run"
    if "--resume" in options:
        call("study", "mcp-mentions", "--attempts", 1, "--out", folder)
    refused = call("study", "mcp-mentions", *options, "--out", folder)
    assert (refused.code, refused.out) == (2, "")
    assert problem in refused.err


def test_a_stopped_study_goes_on(call: Call, tmp_path: Path) -> None:
    first = call("study", "mcp-mentions", "--attempts", 3, "--json", "--out", "run")
    journals = sorted((tmp_path / "run" / "attempts").iterdir())
    journals[0].unlink()
    again = call("study", "mcp-mentions", "--attempts", 3, "--json", "--out", "run", "--resume")
    assert again.out == first.out
    assert len(list((tmp_path / "run" / "attempts").iterdir())) == len(journals)
    assert "manifest.json" in call("study", "mcp-mentions", "--attempts", 3, "--resume", "--out", "nowhere").err


def test_what_a_server_said_can_be_played_again(call: Call, serve: Any, tmp_path: Path) -> None:
    toy = ToyModel(write=lambda asked: "Thought: easy\nAction: Finish[It mentions MCP 3 times.]")
    spec = f"{serve(toy).url}#toy"
    options = ("--attempts", 2, "--temperature", 0.8, "--stop", "Observation:", "--json")
    asked = call("study", "mcp-mentions", *options, "--provider", spec, "--record", "tape.jsonl", "--out", "asked")
    assert asked.code == 0
    assert toy.asked[0]["stop"] == ["Observation:"]
    number = len(toy.asked)
    played = call("study", "mcp-mentions", *options, "--provider", "cassette:tape.jsonl", "--out", "played")
    assert len(toy.asked) == number
    first, second = (json.loads(each.out)["conditions"] for each in (asked, played))
    assert [condition["outcomes"] for condition in first] == [condition["outcomes"] for condition in second]
    missed = call("study", "mcp-mentions", "--attempts", 2, "--provider", "cassette:tape.jsonl", "--out", "missed")
    assert missed.code == 1
    assert "this request was not recorded; the nearest, number 1, differs in" in missed.err
    assert "is recorded once" in call("study", "mcp-mentions", "--record", "tape.jsonl", "--out", "twice").refusal


def test_native_calls_and_answers_that_rest_on_something(call: Call, tmp_path: Path) -> None:
    options = ("--loop", "react-v2", "--native", "--require-execution", "--out", "run", "--json")
    called = call("study", "mcp-mentions", *options)
    assert called.code == 0
    (condition,) = RunStore.open(tmp_path / "run").manifest.conditions
    assert (condition["tool_calling"], condition["require_execution"]) == ("native", True)
    assert json.loads(called.out)["conditions"][0]["outcomes"]["correct_without_evidence"] == 0


def test_a_stream_is_asked_for(call: Call, serve: Any) -> None:
    toy = ToyModel(write=lambda asked: "Action: Finish[3 times]")
    call("study", "mcp-mentions", "--attempts", 1, "--provider", f"{serve(toy).url}#toy", "--stream", "--out", "run")
    assert all(asked["stream"] for asked in toy.asked)


def test_a_key_is_in_no_file_and_no_word(
    call: Call, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted in the environment, repeated by the server in replies, headers and errors, and asked for by the model."""
    monkeypatch.setenv("AGENTLAB_API_KEY", KEY)
    number = iter(range(1_000))

    def leaking(handler: Any) -> None:
        if next(number) % 3 == 2:
            handler.send(400, {"error": f"the key {KEY} is odd"}, x_key=KEY)
        else:
            message = {"content": f"Thought: my key is {KEY}\nObservation: {KEY}", "reasoning": KEY}
            handler.send(200, {"model": KEY, "choices": [{"message": message}]}, x_key=KEY)

    spec = f"{serve(leaking).url}#toy"
    options = ("--provider", spec, "--attempts", 3, "--record", "tape.jsonl", "--out", "run")
    said = [call("study", "mcp-mentions", *options), call("audit", "run", "--out", "audit"), call("check", spec)]
    said += [call("show", "run", "--attempt", 1), call("study", "mcp-mentions", *options[:2], "--out", "again")]
    assert all(KEY not in each.out + each.err for each in said)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 12
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
