"""Attempts per second with the journal on disk, beside the bare writing of the same lines, in one run.

    python tests/benchmarks/attempts.py [--attempts 300] [--rounds 9]

Two-step attempts (one call, one answer) of the ReAct agent with the scripted provider, one after the other on one
core. It prints the ratio of both rates, and the rate per attempt at 100 and at 10,000 attempts in one folder.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentlab.agents.react import AttemptIdentity, ReActAgent
from agentlab.clock import RealClock
from agentlab.harness.contracts import ToolBox
from agentlab.harness.executor import ToolExecutor
from agentlab.harness.history import REACT_V2
from agentlab.harness.prompts import CHAT_V3
from agentlab.providers.scripted import ScriptedProvider
from agentlab.trace.quarantine import FolderQuarantine
from agentlab.trace.recorder import JournalFile, Recorder

REPLIES = [
    'Thought: I need the height of the tower.\nAction: height_of[{"tower": "north"}]',
    "Thought: The tool says 41.\nAction: Finish[The north tower is 41 metres high.]",
]


def height_of(tower: str) -> dict[str, object]:
    """The height of a tower in metres."""
    return {"tool": "height_of", "tower": tower, "metres": 41}


def run_attempts(folder: Path, count: int) -> float:
    """Seconds that so many recorded attempts take."""
    tools, provider = ToolBox([height_of]), ScriptedProvider(REPLIES)
    quarantine = FolderQuarantine(folder / "quarantine")
    (folder / "attempts").mkdir()
    begun = time.perf_counter()
    for index in range(count):
        name = f"attempt_{index:032x}"
        journal = JournalFile(folder / "attempts" / f"{name}.jsonl")
        agent = ReActAgent(
            provider=provider.for_attempt(index),
            tools=tools,
            executor=ToolExecutor(tools),
            policy=REACT_V2,
            prompt=CHAT_V3,
            recorder=Recorder(journal, quarantine=quarantine, clock=RealClock()),
        )
        identity = AttemptIdentity(
            attempt=name, run="run_0", case="none", condition="only", condition_digest="", index=index, seed=index
        )
        finished = agent.run("How high is the north tower?", identity)
        journal.close()
        assert finished.reason == "answered"
    return time.perf_counter() - begun


def write_lines(source: Path, target: Path, *, buffering: int) -> float:
    """Seconds that the bare writing of the same lines takes: one file an attempt, flushed line by line.

    Args:
        source: the recorded run.
        target: a new folder.
        buffering: -1 for an ordinary file that is flushed after each line, 0 for one without a buffer.
    """
    journals = [path.read_bytes().splitlines(keepends=True) for path in sorted((source / "attempts").iterdir())]
    target.mkdir()
    begun = time.perf_counter()
    for number, lines in enumerate(journals):
        with (target / f"{number}.jsonl").open("xb", buffering=buffering) as file:
            for line in lines:
                file.write(line)
                file.flush()
    return time.perf_counter() - begun


def measure(count: int) -> tuple[float, float, float]:
    """Attempts a second: recorded, bare with a flushed buffer, bare without a buffer."""
    folder = Path(tempfile.mkdtemp(prefix="attempts-"))
    try:
        gc.collect()
        recorded = run_attempts(folder, count)
        flushed = write_lines(folder, folder / "flushed", buffering=-1)
        unbuffered = write_lines(folder, folder / "unbuffered", buffering=0)
        return count / recorded, count / flushed, count / unbuffered
    finally:
        shutil.rmtree(folder)


def processor_time(count: int) -> float:
    """Microseconds of processor time, user and system, that one of so many attempts in one folder takes."""
    folder = Path(tempfile.mkdtemp(prefix="attempts-"))
    try:
        gc.collect()
        begun = time.process_time()
        run_attempts(folder, count)
        return (time.process_time() - begun) / count * 1e6
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Print the ratios."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--attempts", type=int, default=300, help="attempts in each of the rounds")
    cli.add_argument(
        "--rounds", type=int, default=9, help="recorded and bare in turn, so that both meet the same noise"
    )
    wanted = cli.parse_args()
    measure(wanted.attempts)
    rounds = [measure(wanted.attempts) for _ in range(wanted.rounds)]
    print("attempts a second: recorded, bare writing flushed line by line, bare writing without a buffer")
    for recorded, flushed, unbuffered in rounds:
        ratios = f"ratios {recorded / flushed:.3f} {recorded / unbuffered:.3f}"
        print(f"{recorded:8.0f} {flushed:8.0f} {unbuffered:8.0f}  {ratios}")
    print(f"median ratio to flushed lines {median(r / f for r, f, _ in rounds):.3f} (at least 0.12 is wanted)")
    print(f"median ratio to unbuffered lines {median(r / u for r, _, u in rounds):.3f}")
    few, many = median(processor_time(100) for _ in range(wanted.rounds)), processor_time(10_000)
    print(f"processor time an attempt: {few:.0f} us at 100, {many:.0f} us at 10,000: ratio {many / few:.2f}")


if __name__ == "__main__":
    main()
