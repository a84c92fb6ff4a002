"""The executor: runs a permitted call, records start and end, and turns every failure into one sentence."""

from __future__ import annotations

import pytest

from agentlab.clock import TickClock
from agentlab.errors import ToolError
from agentlab.harness.contracts import ToolBox
from agentlab.harness.executor import PermittedCall, ToolExecutor
from agentlab.trace.events import Event, ExecutionFinished, ExecutionStarted
from agentlab.trace.quarantine import MemoryQuarantine
from agentlab.trace.recorder import Recorder


def weigh(item: str) -> dict[str, object]:
    """Weigh an item."""
    if item == "ghost":
        raise ToolError("The scales show nothing", "Name an item with a body")
    if item == "bomb":
        raise RuntimeError("secret detail")
    return {"item": item, "grams": float("nan") if item == "void" else 12}


def run(item: str, language: str = "en") -> tuple[str, list[Event]]:
    events: list[Event] = []
    recorder = Recorder(events.append, quarantine=MemoryQuarantine(), clock=TickClock())
    executor = ToolExecutor(ToolBox([weigh]), language=language)  # type: ignore[arg-type]
    execution = executor.execute(PermittedCall(id="c1", tool="weigh", arguments={"item": item}), recorder)
    return execution.payload, events


def test_a_success_is_recorded_from_start_to_end() -> None:
    payload, events = run("plum")
    start, end = events
    assert isinstance(start, ExecutionStarted)
    assert isinstance(end, ExecutionFinished)
    assert payload == end.result == '{"item":"plum","grams":12}'
    assert (start.call, start.tool, start.arguments) == ("c1", "weigh", {"item": "plum"})
    assert (end.execution, end.status, end.error) == (start.execution, "succeeded", None)
    assert end.duration is not None
    assert end.duration > 0


@pytest.mark.parametrize(
    ("item", "kind", "payload"),
    [
        ("ghost", "refused_by_tool", "error: The scales show nothing. Name an item with a body."),
        (
            "bomb",
            "crash",
            "error: the tool stopped with an internal error of kind RuntimeError. try other arguments or another tool.",
        ),
        ("void", "bad_result", "error: the tool returned something that is not JSON. try another tool."),
    ],
)
def test_a_failure_is_one_sentence_of_what_happened_and_what_to_do(item: str, kind: str, payload: str) -> None:
    shown, events = run(item)
    end = events[-1]
    assert isinstance(end, ExecutionFinished)
    assert (shown, end.status, end.result, end.error_kind) == (payload, "failed", None, kind)
    assert "secret detail" not in str(events)


def test_a_failure_is_labelled_in_the_language_of_the_attempt() -> None:
    assert run("ghost", "zh")[0].startswith("错误: ")
