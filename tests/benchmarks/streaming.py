"""Memory while a large file of traces streams, and how time grows with the length of one trace.

    python tests/benchmarks/streaming.py [--megabytes 1000] [--folder FOLDER]

The file is JSON lines of OpenAI chat messages, some 40 kB each; a process of its own reads it trace by trace and tells
the most memory it ever held. Then single traces of growing length are loaded, their calls paired, and both tables made:
the exponent is the slope of time over length, both as logarithms, and near 1 where twice the length takes twice the
time. Seconds are those of the processor, so that other programs count less.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import linear_regression
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentlab.formats.reading import read_traces
from agentlab.trace.frames import calls_frame, events_frame
from agentlab.trace.model import Trace

ROOT = Path(__file__).resolve().parents[2]
WORDS = ["ferry", "leaves", "pier", "four", "at", "noon", "when", "fog", "lifts", "and", "tide", "is", "high", "enough"]
LENGTHS = (12_500, 25_000, 50_000, 100_000)
"""Events of the single traces."""


def conversation(pick: random.Random, turns: int) -> dict[str, Any]:
    """A chat with so many calls, each answered; three events of a trace for each, and a few more."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": said(pick, 40)}]
    for turn in range(turns):
        function = {"name": "timetable", "arguments": json.dumps({"pier": said(pick, 2)})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": said(pick, 20), "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": said(pick, 60)})
    messages.append({"role": "assistant", "content": said(pick, 30)})
    return {"messages": messages}


def said(pick: random.Random, words: int) -> str:
    """Some words."""
    return " ".join(pick.choices(WORDS, k=words))


def write_lines(path: Path, megabytes: int) -> None:
    """A file of so many megabytes; the texts of a thousand chats take turns, each with a number of its own."""
    pick = random.Random(1)
    chats = [json.dumps(conversation(pick, 60))[1:] for _ in range(1000)]
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            file.writelines(f'{{"number": {number + place}, {chat}\n' for place, chat in enumerate(chats[:100]))
            number += 100
            chats = chats[100:] + chats[:100]
    part.rename(path)


CHILD = f"""
import resource, sys, time
sys.path.insert(0, {str(ROOT)!r})
from agentlab.formats.reading import read_traces
begun, traces, events = time.process_time(), 0, 0
for trace in read_traces(sys.argv[1]):
    traces += 1
    events += len(trace)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
print(traces, events, time.process_time() - begun, peak)
"""


def stream(path: Path) -> None:
    """Print how fast a file streams and the most memory that takes."""
    done = subprocess.run([sys.executable, "-c", CHILD, path], capture_output=True, text=True, check=True)
    traces, events, seconds, peak = map(float, done.stdout.split())
    size = path.stat().st_size / 1e6
    print(f"{size:.0f} MB, {traces:.0f} traces, {events:.0f} events: {seconds:.1f} s, {size / seconds:.0f} MB/s")
    print(f"peak memory {peak:.0f} MB (below 300 is wanted)")


def grow(folder: Path) -> None:
    """Print the time that single traces take, by length, and its exponent."""
    pick = random.Random(2)
    stages: dict[str, Callable[[Trace], object]] = {
        "calls": lambda trace: trace.calls,
        "events": lambda trace: events_frame([trace]),
        "table of calls": lambda trace: calls_frame([trace]),
    }
    taken: dict[str, list[float]] = {name: [] for name in ("load", *stages, "all")}
    print(f"{'events':>8} " + " ".join(f"{name:>15}" for name in taken))
    for length in (LENGTHS[0], *LENGTHS):  # the first round only imports what is imported late
        path = folder / f"one-{length}.json"
        path.write_text(json.dumps(conversation(pick, length // 3)), encoding="utf-8")
        gc.collect()
        begun = time.process_time()
        (trace,) = read_traces(path)
        row = {"load": time.process_time() - begun}
        for name, stage in stages.items():
            begun = time.process_time()
            stage(trace)
            row[name] = time.process_time() - begun
        row["all"] = sum(row.values())
        for name, seconds in row.items():
            taken[name].append(seconds)
        if len(taken["all"]) > 1:
            print(f"{len(trace):8} " + " ".join(f"{seconds:13.2f} s" for seconds in row.values()))
    logs = [math.log(length) for length in LENGTHS]
    slopes = [linear_regression(logs, [math.log(each) for each in times[1:]]).slope for times in taken.values()]
    print("exponent " + " ".join(f"{slope:15.2f}" for slope in slopes))


def main() -> None:
    """Print the figures."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--megabytes", type=int, default=1000, help="of the file that streams")
    cli.add_argument("--folder", type=Path, help="where the file is kept for the next run")
    wanted = cli.parse_args()
    with tempfile.TemporaryDirectory(prefix="streaming-") as own:
        folder = wanted.folder or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"chats-{wanted.megabytes}.jsonl"
        if not path.exists():
            write_lines(path, wanted.megabytes)
        stream(path)
        grow(Path(own))


if __name__ == "__main__":
    main()
