"""A real model over a real protocol: what it wrote and was refused never comes back to it, seen at the server.

`AGENTLAB_MODEL_PYTHON` names a Python that has a model (see `tests/localmodel.py`); without one, replies that a model
once gave come from a server in its place. Which it was is said. Requests pass a server of the test, which keeps their
bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.layertwo import check_attempt
from agentlab.experiments.resources import recorded_completions
from agentlab.experiments.study import Study, run_study
from agentlab.trace.events import CompletionEvent
from agentlab.trace.store import RunStore

ROOT = Path(__file__).parents[2]
Answer = Callable[[Any], None]


@pytest.fixture(scope="module")
def answering() -> Iterator[Answer]:
    """Answers a request as the model does."""
    python = os.environ.get("AGENTLAB_MODEL_PYTHON", "")
    if not python:
        print("replies that were recorded", file=sys.stderr)
        yield _recorded()
        return
    command = [python, str(ROOT / "tests" / "localmodel.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = next((line.strip() for line in process.stdout if line.startswith("http")), "")
        assert url, f"{python} serves no model"
        print("a model that answers now", file=sys.stderr)
        with httpx.Client(base_url=url, timeout=300, trust_env=False) as client:
            yield lambda handler: _relay(client, handler)
        process.terminate()


def _relay(client: httpx.Client, handler: Any) -> None:
    answer = client.post("/chat/completions", content=handler.seen.body, headers={"content-type": "application/json"})
    handler.send(answer.status_code, answer.content)


def _recorded() -> Answer:
    """Every reply that was recorded, one after the other, whatever is asked."""
    path = recorded_completions("smollm2-mcp-mentions")
    rows = [json.loads(line)["completion"] for line in _lines(path)]
    numbers = count()

    def answer(handler: Any) -> None:
        row = rows[next(numbers) % len(rows)]
        message = {"role": "assistant", "content": row["text"]}
        usage = {"prompt_tokens": row["usage"]["input_tokens"], "completion_tokens": row["usage"]["output_tokens"]}
        choice = {"message": message, "finish_reason": row["finish_reason"]}
        handler.send(200, {"model": row["model"], "choices": [choice], "usage": usage})

    return answer


def _lines(path: Path) -> list[str]:
    import gzip

    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(file)[1:]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("loop", ["react-v1", "react-v2", "react-v3"])
def test_what_was_refused_never_comes_back(
    loop: str, answering: Answer, serve: Callable[[Answer], Any], tmp_path: Path
) -> None:
    server = serve(answering)
    condition = Condition(name=loop, loop=loop, steps=4, max_tokens=120, temperature=0.8)
    study = Study(case=load_case("mcp-mentions"), conditions=[condition], attempts=3, provider=f"{server.url}#smollm2")
    result = run_study(study, out=tmp_path / "run", workers=1)
    traces = list(RunStore.open(tmp_path / "run").traces())
    assert [check for trace in traces for check in check_attempt(trace) if not check.passed] == []
    replies = [reply for trace in traces for reply in trace.of(CompletionEvent)]
    assert len(server.received) == len(replies) == sum(attempt.requests for attempt in result.attempts)
    assert all(reply.usage.output_tokens is not None and (reply.latency or 0) > 0 for reply in replies)
    assert {reply.model for reply in replies} == {"smollm2"}
    refused = [trace.completion_text(r) or "" for trace in traces for r in trace.of(CompletionEvent) if not r.accepted]
    sent = "\n".join(message["content"] for each in server.received for message in each.json["messages"])
    leaked = [text for text in refused if len(text) >= 24 and text in sent]
    if loop == "react-v1":
        assert leaked or not refused, "this is the fault that the policy keeps"
    else:
        assert leaked == []
