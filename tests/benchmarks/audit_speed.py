"""Loading and auditing traces, beside `json.loads` of the same bytes, and how the audit grows with one trace.

    python tests/benchmarks/audit_speed.py [--megabytes 100] [--rounds 5] [--folder FOLDER] [FILE ...]

Sets of traces are measured one by one: the labelled TRAIL traces, where the shared folder is there (`AGENTLAB_SHARED`,
else `../shared` beside the checkout), two generated Inspect logs (a `.json` that repeats its messages, an `.eval` that
names them in a pool), and the files named on the command line. Compressed files are decompressed before. Each trace is
loaded, audited and dropped; every figure is the best of a few rounds, each in a process of its own, in seconds of the
processor, so that other programs count less. The ratio is the time of `json.loads` over ours: `both` should reach 0.10.

Then single traces of growing length are audited: the exponent is the slope of time over length, both as logarithms,
and near 1 where twice the length takes twice the time.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import linear_regression
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inspect_logs import parts, write_logs

from agentlab.audit.report import audit_trace
from agentlab.formats.reading import read_traces

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "samples" / "agentdojo.messages.json"
"""Read and audited before the clock starts, so that what is imported late is there."""
WANTED = 0.10
LENGTHS = (12_500, 25_000, 50_000, 100_000)
"""Events of the single traces."""


def bare(paths: Sequence[Path]) -> dict[str, float]:
    """Seconds of `json.loads`, the bytes read before."""
    texts = [text for path in paths for text in parts(path)]
    begun = time.process_time()
    for text in texts:
        json.loads(text)
    return {"json.loads": time.process_time() - begun, "megabytes": sum(map(len, texts)) / 1e6}


def ours(paths: Sequence[Path]) -> dict[str, float]:
    """Seconds of loading and of the audit, each trace dropped when the next one comes."""
    for trace in read_traces(SAMPLE):
        audit_trace(trace)
    found = {"traces": 0.0, "events": 0.0, "load": 0.0, "audit": 0.0}
    begun = time.process_time()
    for trace in read_traces(*paths):
        loaded = time.process_time()
        audit_trace(trace)
        audited = time.process_time()
        found["traces"] += 1
        found["events"] += len(trace)
        found["load"] += loaded - begun
        found["audit"] += audited - loaded
        begun = audited
    return found


def in_child(measure: str, paths: Sequence[Path]) -> dict[str, float]:
    """The figures of one round, taken in a fresh interpreter, so that none inherits another's memory."""
    code = f"import sys, json; sys.path.insert(0, {str(Path(__file__).parent)!r}); import audit_speed as speed"
    code += f"; from pathlib import Path; print(json.dumps(speed.{measure}([Path(name) for name in sys.argv[1:]])))"
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def compare(name: str, paths: Sequence[Path], rounds: int) -> None:
    """Print the seconds and the ratios for one set of traces."""
    theirs = [in_child("bare", paths) for _ in range(rounds)]
    found = [in_child("ours", paths) for _ in range(rounds)]
    parsing = min(each["json.loads"] for each in theirs)
    row = {kind: min(each[kind] for each in found) for kind in ("load", "audit")}
    row["both"] = min(each["load"] + each["audit"] for each in found)
    size = f"{theirs[0]['megabytes']:.1f} MB, {found[0]['traces']:.0f} traces, {found[0]['events']:.0f} events"
    print(f"{name}: {size}; json.loads {parsing:.3f} s")
    for kind, seconds in row.items():
        ratio = f"{parsing / seconds:5.2f} of the speed of json.loads"
        print(f"    {kind:6} {seconds:8.3f} s {ratio}{f' ({WANTED:.2f} is wanted)' * (kind == 'both')}", flush=True)


def trail(folder: Path) -> list[Path]:
    """The TRAIL traces, decompressed into a folder; none where the shared folder is not there."""
    shared = Path(os.environ.get("AGENTLAB_SHARED") or ROOT.parent / "shared")
    found: list[Path] = []
    for packed in sorted((shared / "labelled" / "trail" / "traces").glob("*.json.xz")):
        path = folder / packed.stem
        path.write_bytes(lzma.decompress(packed.read_bytes()))
        found.append(path)
    return found


def conversation(turns: int) -> dict[str, Any]:
    """A chat with so many calls, each announced and answered; three events of a trace for each."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read every gauge and keep the log."}]
    for turn in range(turns):
        function = {"name": "read_gauge", "arguments": json.dumps({"gauge": f"north {turn}"})}
        said = f"I have updated log{turn % 7}.txt. Now I will read gauge {turn}."
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": said, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"level {turn} m, all well"})
    messages.append({"role": "assistant", "content": "All gauges are read. I saved the report to report.md."})
    return {"messages": messages}


def grown(folder: Path) -> Iterator[tuple[int, float]]:
    """Events and seconds of the audit of single traces; the first of them is audited twice and counts once."""
    for place, length in enumerate((LENGTHS[0], *LENGTHS)):
        path = folder / f"one-{length}.json"
        path.write_text(json.dumps(conversation(length // 3)), encoding="utf-8")
        (trace,) = read_traces(path)
        gc.collect()
        begun = time.process_time()
        audit_trace(trace)
        if place:
            yield len(trace), time.process_time() - begun


def grow(folder: Path) -> None:
    """Print the time that single traces take, by length, and its exponent."""
    rows = []
    for events, seconds in grown(folder):
        rows.append((math.log(events), math.log(seconds)))
        print(f"{events:8} events in one trace: audit {seconds:6.2f} s, {seconds / events * 1e6:5.1f} us an event")
    print(f"exponent {linear_regression(*zip(*rows, strict=True)).slope:.2f}")


def main() -> None:
    """Print the figures."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--megabytes", type=int, default=100, help="of each generated Inspect log")
    cli.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    cli.add_argument("--folder", type=Path, help="where the generated logs are kept for the next run")
    cli.add_argument("files", type=Path, nargs="*", metavar="FILE", help="more traces, each file a set of its own")
    wanted = cli.parse_args()
    with tempfile.TemporaryDirectory(prefix="audit-speed-") as own:
        folder = wanted.folder or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        labelled = trail(Path(own))
        sets = [("TRAIL", labelled)] if labelled else []
        sets += [(path.name, [path]) for path in (*write_logs(folder, wanted.megabytes), *wanted.files)]
        for name, paths in sets:
            compare(name, paths, wanted.rounds)
        grow(Path(own))


if __name__ == "__main__":
    main()
