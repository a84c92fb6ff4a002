"""Results of tau2-bench: simulated conversations in which an agent and a simulated user both have tools.

Three containers, see https://github.com/sierra-research/tau2-bench (`data_model/simulation.py`): a file of results
`{timestamp, info, tasks, simulations}`; a file of one simulation, as runs by voice are stored, whose `results.json`
then holds none; and one simulation a line.

**What it proves.** A tool message is written by the environment after it tried the call: `error` false means that the
tool returned, true that something was raised. What was raised before the tool began is told apart by its words and
recorded as a refusal: there is no such tool, or the arguments do not fit the function's parameters. Where a tool
message has no `error` field (other writers) it proves an answer only, and of that conversation executions and errors
are not recorded. A tool message's `id` is the id of its call.

**Who calls.** `requestor`, and the role of the message, say whether the agent or the simulated user asked. The user's
calls are by `user_simulator` and its results join its own context only; of that the file shows nothing else, neither
its prompt nor what it has been told. What the user then says to the agent is a message of the user and no reply. A
first message of the agent that cost nothing and has neither usage nor an answer of a provider is the harness's
greeting. The policy in `info` is not among the messages; it is kept in `extra`, like the task, the reward and the
expected actions, which are not calls.

**Usage** is that of the agent's replies: `prompt_tokens` (cached ones included) and `completion_tokens` (reasoning
included) of its provider; the user simulator's stands in `extra`. **Times** have no zone and are read as UTC.

**Voice.** Ticks hold chunks of what both sides say at once, and calls. Utterances are put together from their chunks;
sound, its effects and who held the turn are left out. A file whose ticks hold neither words nor calls is refused.

A simulation that ended before a message was stored, as `infrastructure_error` does, is a trace with its end alone.

A message's identity is its index in `messages` (its parts `4.0`, `4.1`), or the `tick_id`. A simulation has an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, bad_row, each_row, no_object, rows_of
from agentlab.formats.shapes.fields import Object, ShapeError, integer, mapping, mappings, number, rest, text
from agentlab.formats.shapes.times import seconds
from agentlab.formats.tau2.dialogue import Dialogue, is_marked
from agentlab.formats.tau2.voice import read_ticks, records_calls, results_of
from agentlab.messages import ToolDescription
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, EvidenceState, TerminationReason

__all__ = ["TAU2_BENCH"]

_SIMULATION = {"id", "task_id", "start_time", "end_time", "duration", "termination_reason", "trial", "seed"}
_CONVERSATION = {"messages", "ticks"}
_REASONS: Mapping[str, TerminationReason] = {
    "max_steps": "step_limit",
    "timeout": "deadline",
    "context_window_exceeded": "token_budget",
    "infrastructure_error": "provider_error",
}
_STOPS = {"user_stop", "agent_stop"}


def _sniff(head: Head) -> bool:
    return any(_is_results(row) or _is_simulation(row) for row in head.objects[:1])


def _is_results(row: Object) -> bool:
    """The list of simulations stands last, behind all tasks, where it may not be seen."""
    info, simulations = row.get("info"), row.get("simulations")
    if isinstance(simulations, list) and simulations:
        first = simulations[0]
        return isinstance(first, dict) and "task_id" in first and bool({"info", "tasks"} & row.keys())
    return isinstance(info, dict) and len({"agent_info", "user_info", "environment_info"} & info.keys()) > 1


def _is_simulation(row: Object) -> bool:
    return {"task_id", "termination_reason"} <= row.keys() and bool(_CONVERSATION & row.keys())


def _split(record: Record) -> Iterator[Row | ShapeError]:
    for value, place, key in rows_of(record):
        if not isinstance(value, dict):
            yield no_object(value, place)
        elif "simulations" in value or not _CONVERSATION & value.keys():
            try:
                yield from _simulations(value, place, key)
            except ShapeError as error:
                yield bad_row(str(error), place)
        else:
            yield Row(value={"simulation": value}, place=place, key=key)


def _simulations(results: Object, place: str, key: tuple[object, ...]) -> Iterator[Row | ShapeError]:
    """The simulations of a file of results, each with what the file says of all and of its task."""
    index = results.get("simulation_index")
    simulations = results.get("simulations")
    if not simulations and isinstance(index, list) and index:
        raise ShapeError(f"its {len(index)} simulations lie in files of their own, in the folder `simulations` by it")
    if not isinstance(simulations, list) or not simulations:
        raise ShapeError("simulations: a list of simulations was expected and there are none")
    info, tasks = mapping(results, "info"), {text(task, "id"): task for task in mappings(results, "tasks")}
    for number_, simulation in enumerate(simulations):
        where = f"{place}: simulation {number_}" if place else f"simulation {number_}"
        if not isinstance(simulation, dict):
            yield no_object(simulation, where)
            continue
        identity = simulation.get("task_id")
        task = tasks.get(str(identity)) if isinstance(identity, str | int) else None
        value: Object = {"simulation": simulation, "info": info, "task": task}
        yield Row(value=value, place=where, key=(*key, number_))


def _read(row: Row, path: str) -> Trace:
    simulation, info = mapping(row.value, "simulation"), mapping(row.value, "info")
    identity = text(simulation, "id")
    builder = TraceBuilder(
        "tau2-bench",
        path=path,
        key=[identity] if identity else row.key,
        source=identity or row.place or "simulation 0",
        evidence=Evidence(),
    )
    builder.describe(**_facts(simulation, info, mapping(row.value, "task")))
    messages, ticks = mappings(simulation, "messages"), mappings(simulation, "ticks")
    dialogue = Dialogue(builder, marked=is_marked(messages or list(results_of(ticks))))
    if messages:
        builder.evidence = _evidence(calls=True, marked=dialogue.marked)
        dialogue.read(messages)
    elif ticks:
        builder.evidence = _evidence(calls=records_calls(ticks), marked=dialogue.marked)
        read_ticks(dialogue, ticks)
    elif not text(simulation, "termination_reason"):
        raise ShapeError("messages or ticks: a list was expected and there is none with anything in it")
    _finish(builder, simulation, answered=dialogue.answered)
    return builder.build()


def _evidence(*, calls: bool, marked: bool) -> Evidence:
    if not calls:
        return Evidence(authorship="present")
    ran: EvidenceState = "present" if marked else "not_recorded"
    return Evidence(proposals="present", executions=ran, results="present", errors=ran, authorship="present")


def _facts(simulation: Object, info: Object, task: Object) -> dict[str, Any]:
    agent, environment = mapping(info, "agent_info"), mapping(info, "environment_info")
    extra = rest(simulation, _SIMULATION | _CONVERSATION)
    extra.update({name: dict(value) for name, value in (("info", info), ("task", task)) if value})
    return {
        "case": text(simulation, "task_id"),
        "index": integer(simulation, "trial"),
        "seed": integer(simulation, "seed"),
        "agent": text(agent, "implementation"),
        "model": text(agent, "llm"),
        "tools": tuple(_tools(mapping(environment, "tool_defs"))),
        "time": seconds(simulation.get("start_time")),
        "extra": extra,
    }


def _tools(described: Object) -> Iterator[ToolDescription]:
    for name, value in described.items():
        if isinstance(value, dict):
            described_as = text(value, "doc")
            yield ToolDescription(name=name, description=described_as, parameters=mapping(value, "params"))


def _finish(builder: TraceBuilder, simulation: Object, *, answered: bool) -> None:
    told = text(simulation, "termination_reason")
    if not told:
        return
    reason = "answered" if told in _STOPS and answered else _REASONS.get(told, "other")
    time, duration = seconds(simulation.get("end_time")), number(simulation, "duration")
    builder.finish(reason, detail=told, duration=duration, time=time)


TAU2_BENCH = Format(
    name="tau2-bench",
    sentence="Simulations of tau2-bench; the simulated user's own calls are told apart, and errors are marked.",
    url="https://github.com/sierra-research/tau2-bench",
    proofs=Proofs(
        proposals="depends",
        executions="depends",
        results="depends",
        errors="depends",
        times="present",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
)
