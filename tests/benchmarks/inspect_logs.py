"""Reading Inspect logs, beside Inspect's own data frames and beside `json.loads` of the same bytes, in one run.

    python tests/benchmarks/inspect_logs.py [--megabytes 200] [--venv FOLDER] [LOG ...]

Inspect is installed with pip into an environment of its own, which is kept in the folder for the next run. Two logs of
the same samples are generated: a `.json` in which each model event repeats its whole input, and an `.eval` in which it
names ranges of a pool. Logs named on the command line come after them. Every figure is the best of a few rounds, each
in a process of its own, in seconds of the processor, so that other programs count less; megabytes are those of the
JSON, after decompression.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentlab.errors import LoadError
from agentlab.formats.files.source import Source
from agentlab.formats.reading import read_traces

ROOT = Path(__file__).resolve().parents[2]
WORDS = [
    *("the", "gauge", "at", "north", "lock", "shows", "rising", "water", "so", "close", "the", "upper", "gate", "and"),
    *("wait", "until", "its", "level", "holds", "then", "report", "to", "keeper"),
]
WARM = ROOT / "data" / "samples" / "inspect.pooled.eval"
"""Read before the clock starts, so that what is imported late is there."""
GOALS = {"messages_df": 4.0, "events_df": 8.0}


# --- the generated logs


class Writer:
    """Writes samples of a lock keeper's day: a call, its result, a remark, again and again.

    Args:
        seed: of the text.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self._attachments: dict[str, str] = {}

    def text(self, words: int) -> str:
        return " ".join(self._random.choices(WORDS, k=words))

    def event(self, kind: str, span: str, **fields: Any) -> dict[str, Any]:
        self._count += 1
        seconds = self._count * 0.25
        stamp = (datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat(timespec="microseconds")
        common = {"uuid": f"Event{self._count:09}", "span_id": span, "timestamp": stamp, "working_start": seconds}
        return {**common, "event": kind, **fields}

    def sample(self, number: int, turns: int, *, pooled: bool) -> dict[str, Any]:
        """One sample with so many calls; events name their long texts, as Inspect writes them."""
        self._random.seed(number)
        self._attachments = {}
        asked = {"id": f"m{number}", "content": self.text(60), "source": "input", "role": "user"}
        messages, sent = [asked], [self.brief(asked)]
        events = [self.event("span_begin", "root", id="root", type="solver", name="keeper")]
        for turn in range(turns + 1):
            call = {"id": f"call_{number}_{turn}", "function": "read_gauge", "arguments": {"gauge": self.text(3)}}
            reply = {"id": f"m{number}a{turn}", "content": self.text(50), "source": "generate", "role": "assistant"}
            if turn < turns:
                reply["tool_calls"] = [{**call, "type": "function"}]
            events.append(self._model(sent, self.brief(reply), pooled=pooled))
            messages.append(reply)
            sent.append(self.brief(reply))
            if turn < turns:
                answer = {"id": f"m{number}t{turn}", "content": self.text(120), "role": "tool"}
                messages.append({**answer, "tool_call_id": call["id"], "function": "read_gauge"})
                sent.append(self.brief(messages[-1]))
                events += self._tool(call, sent[-1]["content"])
        events.append(self.event("span_end", "root", id="root"))
        output = {"model": "lock-1", "choices": [{"message": messages[-1], "stop_reason": "stop"}]}
        sample = {"id": number, "epoch": 1, "input": asked["content"], "target": "dry", "messages": messages}
        wire = [{"role": each["role"], "content": each["content"]} for each in sent]
        pool = {"events_data": {"messages": sent, "calls": wire}} if pooled else {}
        more = {"metadata": {}, "store": {}, "model_usage": {}, "uuid": f"Sample{number:06}"}
        more["attachments"] = self._attachments
        return {**sample, "output": output, "scores": {}, **more, "events": events, **pool}

    def brief(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message with its text among the attachments, where it is longer than 100 characters."""
        content = message["content"]
        if len(content) <= 100:
            return message
        name = hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()
        self._attachments[name] = content
        return {**message, "content": f"attachment://{name}"}

    def _model(self, messages: list[dict[str, Any]], reply: dict[str, Any], *, pooled: bool) -> dict[str, Any]:
        usage = {"input_tokens": 100 * len(messages), "output_tokens": 60, "total_tokens": 100 * len(messages) + 60}
        output = {
            "model": "lock-1",
            "choices": [{"message": reply, "stop_reason": "stop"}],
            "usage": usage,
            "time": 0.2,
        }
        sent = {"input": [], "input_refs": [[0, len(messages)]]} if pooled else {"input": list(messages)}
        schema = {"type": "object", "properties": {"gauge": {"type": "string", "description": "Its name."}}}
        tool = {"name": "read_gauge", "description": "Read a gauge of the lock.", "parameters": schema}
        call = self._call(messages, reply, tool, pooled=pooled)
        rest = {"call": call, "tools": [tool], "tool_choice": "auto", "config": {"temperature": 0.5}, "output": output}
        return self.event("model", "root", model="river/lock-1", **sent, **rest, working_time=0.2)

    def _call(
        self, messages: list[dict[str, Any]], reply: dict[str, Any], tool: dict[str, Any], *, pooled: bool
    ) -> dict[str, Any]:
        """The provider's own request and response, which logs keep beside Inspect's; of the request its last part."""
        request = {"model": "lock-1", "tools": [{"type": "function", "function": tool}], "temperature": 0.5}
        message = {"role": "assistant", "content": reply["content"], "refusal": None, "annotations": []}
        choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
        response = {"id": f"chatcmpl-{self._count:09}", "object": "chat.completion", "choices": [choice]}
        if pooled:
            return {"request": request, "call_refs": [[0, len(messages)]], "call_key": "messages", "response": response}
        last = [{"role": each["role"], "content": each["content"]} for each in messages[-2:]]
        return {"request": {**request, "messages": last}, "response": response, "time": 0.2}

    def _tool(self, call: dict[str, Any], result: str) -> Iterator[dict[str, Any]]:
        span = f"span-{call['id']}"
        yield self.event("span_begin", span, id=span, parent_id="root", type="tool", name="read_gauge")
        yield self.event("tool", span, type="function", **call, result=result, events=[], working_time=0.1)
        yield self.event("span_end", span, id=span)


HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "eval_id": "E",
        "run_id": "R",
        "created": "2026-03-01T00:00:00+00:00",
        "task": "lock",
        "task_id": "T",
        "dataset": {"name": "lock"},
        "model": "river/lock-1",
        "config": {},
    },
    "plan": {"name": "plan", "steps": [], "config": {}},
    "results": {"scores": []},
    "stats": {"started_at": "2026-03-01T00:00:00+00:00", "completed_at": "2026-03-01T01:00:00+00:00"},
}


def write_logs(folder: Path, megabytes: int) -> list[Path]:
    """A `.json` and an `.eval` of about so many megabytes each."""
    size, writer = megabytes * 1_000_000, Writer(1)
    full = folder / f"2026-03-01T00-00-00+00-00_repeated_{megabytes}MB.json"  # Inspect reads .json of such names only
    if not full.exists():
        with full.with_suffix(".part").open("w", encoding="utf-8") as file:
            file.write(json.dumps(HEADER)[:-1] + ', "samples": [')
            number = 0
            while file.tell() < size:
                file.write(", " * bool(number) + json.dumps(writer.sample(number, 12, pooled=False)))
                number += 1
            file.write("]}")
        full.with_suffix(".part").rename(full)
    pooled = folder / f"pooled-{megabytes}.eval"
    if not pooled.exists():
        with zipfile.ZipFile(pooled.with_suffix(".part"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(
                "_journal/start.json", json.dumps({name: HEADER[name] for name in ("version", "eval", "plan")})
            )
            number = written = 0
            while written < size:
                text = json.dumps(writer.sample(number, 300, pooled=True))
                archive.writestr(f"samples/{number}_epoch_1.json", text)
                number, written = number + 1, written + len(text)
            archive.writestr("summaries.json", "[]")
            archive.writestr("header.json", json.dumps(HEADER))
        pooled.with_suffix(".part").rename(pooled)
    return [full, pooled]


# --- measuring


def parts(path: Path) -> list[bytes]:
    """The JSON of a log: one document, or the samples of an archive."""
    source = Source.at(path)
    if not source.is_zip():
        return [source.read()]
    with source.archive() as archive:
        return [archive.read(name) for name in archive.names if name.startswith("samples/")]


def ours(path: Path) -> float:
    """Seconds of a full load, each trace dropped when the next one comes."""
    list(read_traces(WARM))
    begun = time.process_time()
    events = sum(len(trace) for trace in read_traces(path, on_error=_passed_over))
    assert events
    return time.process_time() - begun


def parsing(path: Path) -> float:
    """Seconds of `json.loads`, the bytes read and decompressed before."""
    texts = parts(path)
    begun = time.process_time()
    for text in texts:
        json.loads(text)
    return time.process_time() - begun


def _passed_over(error: LoadError) -> None:
    print(f"    {error}")


FRAME = """
import sys, time, warnings
warnings.simplefilter("ignore")
from inspect_ai.analysis import {name}
{name}(sys.argv[2], quiet=True)
begun = time.process_time()
frame = {name}(sys.argv[1], quiet=True)
assert len(frame)
print("seconds", time.process_time() - begun)
"""


def inspect_python(folder: Path) -> Path:
    """The interpreter of an environment that has Inspect, made where there is none."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    if subprocess.run([python, "-c", "import inspect_ai, pandas"], capture_output=True).returncode:
        packages = ["inspect-ai", "pandas", "pyarrow"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def frame_seconds(python: Path, name: str, path: Path) -> float:
    """Seconds that one of Inspect's frames takes, importing left out."""
    done = subprocess.run([python, "-c", FRAME.format(name=name), path, WARM], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} failed on {path}: {done.stderr[-2000:]}")
    return float(done.stdout.split("seconds")[-1])


def in_child(measure: Callable[[Path], float], path: Path) -> float:
    """Seconds that a measurement takes in a fresh interpreter, so that none inherits another's memory."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import inspect_logs; from pathlib import Path"
    )
    code += f"; print('seconds', inspect_logs.{measure.__name__}(Path(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    return float(done.stdout.split("seconds")[-1])


def compare(python: Path, path: Path, rounds: int) -> None:
    """Print the ratios for one log."""
    size = sum(map(len, parts(path))) / 1e6
    rounds = rounds if size < 50 else 1
    own = min(in_child(ours, path) for _ in range(max(rounds, 3)))
    bare = min(in_child(parsing, path) for _ in range(max(rounds, 3)))
    print(f"{path.name}: {size:.1f} MB; agentlab {own:.2f} s, {size / own:.0f} MB/s", flush=True)
    print(f"    json.loads   {bare:8.2f} s {size / bare:6.1f} MB/s: {bare / own:5.2f} of its speed (0.25 is wanted)")
    for name, goal in GOALS.items():
        taken = min(frame_seconds(python, name, path) for _ in range(rounds))
        ratio = f"{taken / own:5.1f} times as fast ({goal:.0f} is wanted)"
        print(f"    {name:12} {taken:8.2f} s {size / taken:6.1f} MB/s: {ratio}", flush=True)


def main() -> None:
    """Print the ratios."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--megabytes", type=int, default=200, help="of each generated log")
    cli.add_argument("--rounds", type=int, default=3, help="for logs below 50 MB")
    cli.add_argument("--venv", type=Path, help="folder of Inspect's environment and of the generated logs, kept")
    cli.add_argument("logs", type=Path, nargs="*", help="more logs")
    wanted = cli.parse_args()
    folder = wanted.venv or Path(tempfile.gettempdir()) / "agentlab-inspect"
    folder.mkdir(parents=True, exist_ok=True)
    python = inspect_python(folder / "venv")
    for path in [*write_logs(folder, wanted.megabytes), *wanted.logs]:
        compare(python, path, wanted.rounds)


if __name__ == "__main__":
    main()
