"""Attempts at once against a server that takes its time, beside the ideal: every reply after 50 ms and nothing else.

    python tests/benchmarks/concurrent_attempts.py [--attempts 400] [--workers 32] [--latency 0.05] [--rounds 3]

The server is a process of its own on this machine; it counts what it is asked. Each attempt asks three times: two calls
and an answer. The ideal is that all requests of the attempts, so many at once, take their latency and nothing more. The
ratio is the time of the attempts over the ideal; it should be 1.3 at most. Reading the traces again, auditing and
counting them come after it and are printed apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import conditions_for
from agentlab.experiments.study import Study, run_study

WANTED = 1.3
REPLIES = (
    "Thought: which documents are there?\nAction: list_documents[{}]",
    'Thought: I count\nAction: scan_term[{"term": "MCP", "document": "containing-the-assistant.md"}]',
    "Thought: the tool counted 3\nAction: Finish[The document mentions MCP 3 times.]",
)


async def serve(latency: float) -> None:
    """Answer each request after a while: by how many replies of the model it holds."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                body = await reader.readexactly(int(length.split(b":")[1]))
                turns = body.count(b'"role": "assistant"')
                await asyncio.sleep(latency)
                message = {"role": "assistant", "content": REPLIES[min(turns, len(REPLIES) - 1)]}
                usage = {"prompt_tokens": 400, "completion_tokens": 30}
                reply = json.dumps(
                    {"model": "toy", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
                ).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(reply)
                )
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server_of(latency: float) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def measure(attempts: int, workers: int, latency: float) -> tuple[float, float, int]:
    """Seconds until the last attempt was done, seconds of all, and how many requests were sent."""
    study_of = conditions_for("react-v2")
    done = [0.0]
    with server_of(latency) as url, tempfile.TemporaryDirectory() as folder:
        study = Study(case=load_case("mcp-mentions"), conditions=study_of, attempts=attempts, provider=f"{url}#toy")
        begun = time.perf_counter()
        result = run_study(
            study,
            out=Path(folder) / "run",
            workers=workers,
            progress=lambda number, of: done.append(time.perf_counter() - begun),
        )
        whole = time.perf_counter() - begun
    assert result.conditions[0].success.count == attempts, "every attempt ends with the right answer"
    return done[-1], whole, sum(attempt.requests for attempt in result.attempts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=400)
    parser.add_argument("--workers", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        asyncio.run(serve(chosen.serve))
        return
    for number in range(1, chosen.rounds + 1):
        took, whole, requests = measure(chosen.attempts, chosen.workers, chosen.latency)
        ideal = requests * chosen.latency / chosen.workers
        print(
            f"round {number}: {requests} requests in {took:.2f} s, ideal {ideal:.2f} s, ratio {took / ideal:.2f} "
            f"(at most {WANTED} wanted); audited and counted after {whole:.2f} s"
        )


if __name__ == "__main__":
    main()
