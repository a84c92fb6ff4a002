"""The door to the world: runs a permitted call and writes the only record that proves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agentlab.errors import ToolError
from agentlab.harness.contracts import ToolBox
from agentlab.harness.notices import tool_failure
from agentlab.strictjson import JSONValue, StrictJSONError, dumps
from agentlab.trace.events import ExecutionFinished, ExecutionStarted
from agentlab.trace.recorder import Recorder
from agentlab.trace.values import Language

__all__ = ["Execution", "Executor", "PermittedCall", "ToolExecutor"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PermittedCall:
    """A call whose tool and arguments have passed the contract."""

    id: str
    tool: str
    arguments: dict[str, JSONValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """What became of a call that ran."""

    id: str
    call: PermittedCall
    result: str | None
    """The result as JSON; None where the tool failed."""
    payload: str
    """What the model may be shown: the result as JSON, or one sentence about the failure."""


class Executor(Protocol):
    """Whoever runs calls. Nothing else may record an execution."""

    def execute(self, call: PermittedCall, recorder: Recorder) -> Execution:
        """Run the call, recording its start before it acts and its end after."""
        ...


class ToolExecutor:
    """Runs Python tools in this process.

    Args:
        tools: what may be run.
        language: of the sentence a failure is translated into.
    """

    def __init__(self, tools: ToolBox, *, language: Language = "en") -> None:
        self._tools = tools
        self._language: Language = language
        self._count = 0

    def execute(self, call: PermittedCall, recorder: Recorder) -> Execution:
        self._count += 1
        name = f"x{self._count}"
        recorder.record(ExecutionStarted(execution=name, call=call.id, tool=call.tool, arguments=call.arguments))
        begun = recorder.clock.elapsed()
        result, failure = self._run(call)
        duration = round(recorder.clock.elapsed() - begun, 6)
        if failure is None:
            recorder.record(ExecutionFinished(execution=name, status="succeeded", result=result, duration=duration))
            return Execution(id=name, call=call, result=result, payload=result or "")
        recorder.record(
            ExecutionFinished(
                execution=name, status="failed", error=str(failure), error_kind=failure.kind, duration=duration
            )
        )
        payload = tool_failure(self._language, failure.happened, failure.next_step)
        return Execution(id=name, call=call, result=None, payload=payload)

    def _run(self, call: PermittedCall) -> tuple[str | None, ToolError | None]:
        try:
            return dumps(self._tools[call.tool].function(**call.arguments)), None
        except ToolError as error:
            return None, error
        except StrictJSONError:
            return None, ToolError(
                "the tool returned something that is not JSON", "try another tool", kind="bad_result"
            )
        except Exception as error:  # a tool may fail in any way, and the attempt must live on to say so
            happened = f"the tool stopped with an internal error of kind {type(error).__name__}"
            return None, ToolError(happened, "try other arguments or another tool", kind="crash")
