"""ATIF, the Agent Trajectory Interchange Format of Harbor, all versions from v1.0 to v1.7.

A trajectory is `{schema_version, session_id, trajectory_id, agent, steps, final_metrics, ...}`; a step is of the user,
the system or the agent, and holds the agent's message, its calls and what came back. See
https://harborframework.com/docs/trajectory-format. A file holds one trajectory, a list of them, one a line, or an
object whose fields are trajectories.

**What it proves.** `tool_calls` are what the harness parsed from the agent, and `observation.results` what it answered:
an answer proves no execution, and there is no field for errors, so both are not recorded. A result names its call in
`source_call_id`, often it names none: then a step's calls that no result names are answered in their order. A result
too many answers no call; a call without one stays so. A reply that could not be parsed has no calls and an observation
in which Terminus says `Previous response had parsing errors`: it is recorded as a rejected reply, and what it was told
is the harness's. Any other observation without calls is a result of an action that stands in the message.

**Several trajectories.** Since v1.7 the sub-agents' are embedded in `subagent_trajectories`; each is a trace of its
own, which names the one it stands in (`within`, in `extra`). A reference to another file stays in `extra` of the result
or, where the trajectory goes on elsewhere (`continued_trajectory_ref`), of the trace; then no message is taken for the
final answer. A step marked `is_copied_context` happened in another trajectory: it joins the context, and its calls are
no calls of this one. A compaction that replaces the context (`context_management`) does so here. Where
`llm_call_count` is 0, code and no model made the step: it is no request and no reply, its message and calls join the
context as the harness's, and what came back answers calls that nobody proposed.

**Usage** is `prompt_tokens` (cached ones included) and `completion_tokens` (reasoning included) of `metrics`, or of
`usage` as some writers name it. A time is the step's; when a result came is not recorded. How it ended is not either.

A step's identity is its `step_id`, a result's `2.0`, `2.1`. A trajectory's is `trajectory_id`; without one, since
files that continue a session share its id, the digest of what it was read from and its place in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import Row, bad_row, each_row, no_object, rows_of
from agentlab.formats.said.tools import described_tools
from agentlab.formats.shapes.calls import beside_calls
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    integer,
    kind_of,
    listing,
    mapping,
    mappings,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Role, Usage
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Summary
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, ProposedCall

__all__ = ["ATIF"]

_NAME = "ATIF"
_TRAJECTORY = {"steps", "agent", "subagent_trajectories"}
_AGENT = {"name", "version", "model_name", "tool_definitions"}
_STEP = {
    *("step_id", "timestamp", "source", "message", "reasoning_content", "model_name"),
    *("tool_calls", "observation", "metrics", "usage"),
}
_SPEAKERS: Mapping[str, Role] = {"user": "user", "agent": "assistant", "system": "system"}
_CALL = {"tool_call_id", "function_name", "arguments"}
_RESULT = {"source_call_id", "content"}
_TOKENS = {"prompt_tokens", "completion_tokens"}
_UNPARSED: Final = "Previous response had parsing errors"
"""How Terminus begins what it tells a model whose reply it could not parse."""


# --- trajectories ---


def _is_trajectory(value: JSONValue) -> bool:
    if not isinstance(value, dict):
        return False
    version = value.get("schema_version")
    return isinstance(version, str) and version.startswith(_NAME)


def _sniff(head: Head) -> bool:
    return any(_is_trajectory(dict(row)) or any(map(_is_trajectory, row.values())) for row in head.objects[:1])


def _split(record: Record) -> Iterator[Row | ShapeError]:
    for value, place, key in rows_of(record):
        if not isinstance(value, dict):
            yield no_object(value, place)
        elif _is_trajectory(value):
            yield from _family(value, place, key)
        elif named := {name: each for name, each in value.items() if _is_trajectory(each)}:
            for name, each in named.items():
                yield from _family(each, f"{place}: {name}" if place else name, (*key, name))
        else:
            version = value.get("schema_version")
            found = "another one" if isinstance(version, str) else kind_of(version)
            yield bad_row(f"schema_version: a version of ATIF was expected and {found} found", place)


def _family(value: JSONValue, place: str, key: tuple[object, ...]) -> Iterator[Row | ShapeError]:
    """A trajectory and, behind it, those embedded in it, at any depth."""
    waiting: list[tuple[JSONValue, str, tuple[object, ...], str]] = [(value, place, key, "")]
    while waiting:
        each, where, identity, within = waiting.pop()
        if not isinstance(each, dict):
            yield no_object(each, where)
            continue
        yield Row(value=each, place=where, key=identity, within=within)
        name = _own_id(each) or within
        embedded = each.get("subagent_trajectories")
        inner = list(enumerate(embedded)) if isinstance(embedded, list) else []
        for number, child in reversed(inner):
            spot = f"subagent_trajectories[{number}]"
            waiting.append((child, f"{where}: {spot}" if where else spot, (*identity, number), name))


def _own_id(trajectory: Object) -> str:
    names = (trajectory.get("trajectory_id"), trajectory.get("session_id"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _read(row: Row, path: str) -> Trace:
    trajectory, agent = row.value, mapping(row.value, "agent")
    own = text(trajectory, "trajectory_id")
    builder = TraceBuilder(
        "atif",
        path=path,
        key=[text(trajectory, "session_id"), own] if own else row.key,
        source=_own_id(trajectory) or row.place or "trajectory 0",
        evidence=Evidence(proposals="present", results="present", authorship="present"),
    )
    extra = rest(trajectory, _TRAJECTORY)
    extra.update({"agent": more} if (more := rest(agent, _AGENT)) else {})
    extra.update({"within": row.within} if row.within else {})
    builder.describe(
        agent=text(agent, "name"),
        loop_version=text(agent, "version"),
        model=text(agent, "model_name"),
        tools=described_tools(listing(agent, "tool_definitions")),
        extra=extra,
    )
    steps = mappings(trajectory, "steps")
    reader = _Reader(builder)
    for index, step in enumerate(steps):
        with at(f"step {index + 1}"):
            reader.take(step, text(step, "step_id") or str(index + 1))
    if not trajectory.get("continued_trajectory_ref"):
        reader.close()
    return builder.build()


# --- steps ---


@dataclass
class _Reader:
    """Records the steps of a trajectory one by one."""

    builder: TraceBuilder
    _final: str | None = None
    """What the agent said in its last step, if that asked for nothing and got nothing back."""

    def take(self, step: Object, source: str) -> None:
        """Record a step.

        Raises:
            ShapeError: if it is not as ATIF writes it.
        """
        role = meaning_of(step, "source", _SPEAKERS)
        results = mappings(mapping(step, "observation"), "results")
        if role != "assistant":
            self._hear(role, step, results, source)
            return
        self._final = None
        if step.get("is_copied_context") is True:
            self._copy(step, results, source)
        elif integer(step, "llm_call_count") == 0:
            self._dispatch(step, results, source)
        else:
            self._act(step, results, source)

    def close(self) -> None:
        """There is nothing more: the last thing the agent said is its answer."""
        if self._final is not None:
            self.builder.answer(self._final)

    # --- the agent ---

    def _act(self, step: Object, results: Sequence[Object], source: str) -> None:
        message, time = plain_text(step.get("message")), seconds(step.get("timestamp"))
        records = mappings(step, "tool_calls")
        calls = [self._call(record) for record in records]
        metrics = mapping(step, "metrics") or mapping(step, "usage")
        extra = {**_extra(step), **beside_calls(records, _CALL)}
        extra.update({"metrics": more} if (more := rest(metrics, _TOKENS)) else {})
        reply = self.builder.reply(
            message,
            calls=calls,
            reasoning=text(step, "reasoning_content"),
            model=text(step, "model_name"),
            usage=Usage(
                input_tokens=integer(metrics, "prompt_tokens"), output_tokens=integer(metrics, "completion_tokens")
            ),
            source=source,
            time=time,
            extra=extra,
        )
        if not calls and results and plain_text(results[0].get("content")).startswith(_UNPARSED):
            told = plain_text(results[0].get("content"))
            self.builder.reject(reply, code="unparsed", reason=told, source=source, time=time)
            self._feed(results, source)
        else:
            self._answer(calls, results, source)
        self._final = None if calls or results else message

    def _dispatch(self, step: Object, results: Sequence[Object], source: str) -> None:
        """Code made a step: what it called stands in the step's message, and each answer names its tool."""
        records = mappings(step, "tool_calls")
        calls: list[JSONValue] = [dict(record) for record in records]
        more = {**_extra(step), **({"tool_calls": calls} if calls else {})}
        said = plain_text(step.get("message"))
        time = seconds(step.get("timestamp"))
        self.builder.hear(Item(role="assistant", author="harness", text=said, time=time, source=source, extra=more))
        tools = {text(record, "tool_call_id"): text(record, "function_name") for record in records}
        names = [text(result, "source_call_id") for result in results]
        unnamed = iter([call for call in tools if call not in names])
        for place, result in enumerate(results):
            call = names[place] or next(unnamed, "")
            told = _told(result, f"{source}.{place}")
            self.builder.hear(Item(role="tool", call=call, tool=tools.get(call, ""), **told))

    def _call(self, record: Object) -> ProposedCall:
        arguments = arguments_of(record.get("arguments"))
        return self.builder.propose(text(record, "function_name"), arguments, call=text(record, "tool_call_id"))

    def _answer(self, calls: Sequence[ProposedCall], results: Sequence[Object], source: str) -> None:
        """Record results as answers: each to the call it names, the others to the calls that none names, in order."""
        names = [text(result, "source_call_id") for result in results]
        named = set(names)
        open_calls = iter([call.call for call in calls if call.call not in named])
        items = [
            Item(role="tool", call=name or next(open_calls, ""), **_told(result, f"{source}.{place}"))
            for place, (name, result) in enumerate(zip(names, results, strict=True))
        ]
        # one that answers nothing comes last, since the builder would give it the next call that waits
        for item in sorted(items, key=lambda item: not item.call):
            self.builder.hear(item)

    # --- others ---

    def _hear(self, role: Role, step: Object, results: Sequence[Object], source: str) -> None:
        """A message of the user or the system joins the context; a compaction takes the place of it."""
        item = Item(role=role, text=plain_text(step.get("message")), source=source, extra=_extra(step))
        if not _replaces_context(step):
            self.builder.hear(item)
            self._feed(results, source)
            return
        for place, result in enumerate(results):
            told = _told(result, f"{source}.{place}")
            common = {"time": seconds(step.get("timestamp")), "source": told["source"], "extra": told["extra"]}
            self.builder.add(Summary, replaces=(), text=told["text"], author="harness", **common)
        self.builder.see([item, *self._fed(results, source)])

    def _copy(self, step: Object, results: Sequence[Object], source: str) -> None:
        """What another trajectory's agent did joins the context."""
        extra = {**rest(step, _STEP - {"tool_calls"}), **_extra(step)}
        self.builder.hear(Item(role="assistant", text=plain_text(step.get("message")), source=source, extra=extra))
        for item in self._fed(results, source, author="tool"):
            self.builder.hear(item)

    def _feed(self, results: Sequence[Object], source: str) -> None:
        for item in self._fed(results, source):
            self.builder.hear(item)

    def _fed(self, results: Sequence[Object], source: str, *, author: Any = "harness") -> Iterator[Item]:
        """Results that answer no call of this trajectory, as messages to the model."""
        for place, result in enumerate(results):
            yield Item(role="user", author=author, **_told(result, f"{source}.{place}"))


def _replaces_context(step: Object) -> bool:
    extra = step.get("extra")
    managed = extra.get("context_management") if isinstance(extra, dict) else None
    return isinstance(managed, dict) and managed.get("type") == "compaction" and managed.get("boundary") == "replace"


def _told(result: Object, source: str) -> dict[str, Any]:
    """What a result says, for an item."""
    content = result.get("content")
    return {"text": plain_text(content), "source": source, "extra": {**rest(result, _RESULT), **_media(content)}}


def _extra(step: Object) -> dict[str, JSONValue]:
    """What a step holds beyond what is read, also in its observation."""
    observed = rest(mapping(step, "observation"), {"results"})
    more: dict[str, JSONValue] = {"observation": observed} if observed else {}
    return {**rest(step, _STEP), **_media(step.get("message")), **more}


def _media(content: JSONValue) -> dict[str, JSONValue]:
    """The parts of a content that are not text: ATIF holds no pictures, only where they lie."""
    parts = content if isinstance(content, list) else []
    media: list[JSONValue] = [part for part in parts if isinstance(part, dict) and part.get("type") != "text"]
    return {"media": media} if media else {}


ATIF = Format(
    name="atif",
    sentence="Trajectories of Harbor, ATIF v1.0 to v1.7; an answer proves no execution, and errors are not told apart.",
    url="https://harborframework.com/docs/trajectory-format",
    proofs=Proofs(
        proposals="depends", executions="absent", results="present", errors="absent", times="depends", usage="depends"
    ),
    sniff=_sniff,
    load=each_row(_split, _read),
)
