"""Runs of AgentDojo, an agent at work while its tools return planted instructions.

Four containers, see https://github.com/ethz-spylab/agentdojo: its own log of a run, `{suite_name, pipeline_name,
user_task_id, injection_task_id, attack_type, messages, error, utility, security, ...}`; a file of lines of which the
first is `{metadata}` of the benchmark and the others are `{index, messages, metadata, annotations}`; either as a list;
and the bare list of messages.

**What it proves.** A tool's message holds the harness's own copy of the call it dispatched, and `error`. Without an
error the function returned: the call was executed. With one, the text says which of two things happened. Nothing ran
where there is no such tool (`ToolNotFoundError`, `Invalid tool ... provided.`), where the arguments did not fit the
tool's own schema (pydantic's ValidationError for `Input schema for ...`), or where Python could not bind them to the
function's parameters (a TypeError that names the function): these are refused. Any other error was raised by the
function while it ran, also a ValidationError of one of the suite's own models, which its functions fill: failed. What
the model was shown is the error, where there is one, else the content. Of a run in which a tool's message lacks the
copy or the error, as other writers may leave them out, executions and errors are not recorded.

**Calls** are written in two ways, `{id, type, function: {name, arguments}}` and `{id, function, args}`. Ids may be
empty or null on both sides (Cohere, Gemini, local models); then a reply's calls are answered in their order. What a
model writes as `<function...>` in its text stays text: no call was parsed from it.

**What it cannot tell**: times, tokens, how a run ended (a log's `error` apart), and the tools it had. Whether the
attack succeeded stands in `extra` (`security`).

A message's identity is its index in its list, from 0. A run has no id of its own: it is known by the digest of what it
was read from and its place in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import Row, key_of, misfit, no_object, rows_of
from agentlab.formats.openai_chat import ROLES, is_chat
from agentlab.formats.shapes.calls import beside_calls
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, ShapeError, arguments_of, kind_of, mapping, mappings, rest, text
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.python_errors import kind_of_error, misfits_signature
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, RefusalCode

__all__ = ["AGENTDOJO"]

_EVIDENCE = Evidence(
    proposals="present", executions="present", results="present", errors="present", authorship="present"
)
_ANSWERS = Evidence(proposals="present", results="present", authorship="present")
_MESSAGE = {"role", "content", "tool_calls", "tool_call_id", "tool_call", "error"}
_CALL = {"id", "type", "function", "args", "arguments"}
_LOG = {"suite_name", "pipeline_name", "user_task_id", "injection_task_id", "messages"}
"""Fields of AgentDojo's own log that have a place elsewhere."""


# --- recognising ---


def _sniff(head: Head) -> bool:
    if _is_message_list(head.first):
        return True
    row = next(iter(head.objects), {})
    if set(row) == {"metadata"}:
        benchmark = row["metadata"]
        return isinstance(benchmark, dict) and benchmark.get("benchmark") == "agent-dojo"
    return is_chat(row.get("messages")) and _names_a_task(row)


def _names_a_task(row: Object) -> bool:
    metadata = row.get("metadata")
    facts = metadata if isinstance(metadata, dict) else row
    if {"suite_name", "user_task_id"} <= facts.keys():
        return True
    return {"index", "messages"} <= row.keys() and _is_message_list(row["messages"])  # the metadata may be cut off


def _is_message_list(value: JSONValue) -> bool:
    """Whether messages are AgentDojo's, known by a tool's message that holds a call and an error of its own."""
    if not isinstance(value, list) or not is_chat(value):
        return False
    tools = (message for message in value if isinstance(message, dict) and message.get("role") == "tool")
    message = next(tools, {})
    return {"tool_call", "content"} <= message.keys() and isinstance(message["tool_call"], dict)


# --- containers ---


def _load(source: Source) -> Iterator[Loaded]:
    """The runs of a file; what its line of metadata says goes to each of them."""
    benchmark: Object = {}
    runs = 0
    for record in records(source):
        if isinstance(record, LoadError):
            yield record
            continue
        if isinstance(record.value, list) and is_chat(record.value):
            runs += 1
            yield _loaded(Row(value={"messages": record.value}, place=record.place, key=(key_of(record),)), {}, source)
            continue
        for value, place, key in rows_of(record):
            if not isinstance(value, dict):
                yield misfit(source, "", no_object(value, place))
            elif set(value) == {"metadata"} and isinstance(value["metadata"], dict):
                benchmark = value["metadata"]
            else:
                runs += 1
                yield _loaded(Row(value=value, place=place, key=key), benchmark, source)
    if benchmark and not runs:
        yield LoadError(source.path, "it holds the metadata of a benchmark and no run")


def _loaded(row: Row, benchmark: Object, source: Source) -> Loaded:
    try:
        return _trace(row, benchmark, source.path)
    except ValueError as error:
        return misfit(source, row.place, error)


def _trace(row: Row, benchmark: Object, path: str) -> Trace:
    record = row.value
    if not is_chat(record.get("messages")):
        raise ShapeError("messages: a list of chat messages was expected")
    messages = mappings(record, "messages")
    marked = all(map(_is_marked, messages))
    builder = TraceBuilder(
        "agentdojo", path=path, key=row.key, source=row.place or "row 0", evidence=_EVIDENCE if marked else _ANSWERS
    )
    builder.describe(**_facts(record, benchmark))
    _Reader(builder, marked).read(messages)
    if error := record.get("error"):
        builder.finish("other", detail=error if isinstance(error, str) else kind_of(error))
    return builder.build()


def _facts(record: Object, benchmark: Object) -> dict[str, Any]:
    """What is known of a run, from its own fields or its `metadata`, which hold the same."""
    metadata = mapping(record, "metadata")
    named = {**record, **metadata}
    tasks = [text(named, name) for name in ("suite_name", "user_task_id", "injection_task_id")]
    extra = rest(record, {"messages"} if metadata else _LOG)
    if benchmark:
        extra["benchmark"] = dict(benchmark)
    return {
        "case": "/".join(task for task in tasks if task),
        "agent": text(named, "pipeline_name") or text(benchmark, "name"),
        "model": text(metadata, "model"),
        "extra": extra,
    }


# --- messages ---


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """A call, in whichever of the two ways it is written."""

    id: str
    tool: str
    arguments: Arguments


def _call(record: Object) -> _Call:
    if isinstance(record.get("function"), dict):
        body = mapping(record, "function")
        tool, arguments = text(body, "name"), arguments_of(body.get("arguments"))
    else:
        tool = text(record, "function")
        arguments = arguments_of(record.get("args", record.get("arguments")))
    return _Call(id=text(record, "id"), tool=tool, arguments=arguments)


@dataclass(frozen=True)
class _Reader:
    """Records messages one by one."""

    builder: TraceBuilder
    marked: bool
    """Whether every answer of a tool has the copy of the call and says if it is an error."""

    def read(self, messages: Sequence[Object]) -> None:
        """Record a list of messages.

        Raises:
            ShapeError: if one is not as AgentDojo writes it; it names the index.
        """
        for index, message in enumerate(messages):
            with at(f"message {index}"):
                self._take(message, str(index))
        final = messages[-1]
        if final.get("role") == "assistant" and not final.get("tool_calls"):
            self.builder.answer(plain_text(final.get("content")))

    def _take(self, message: Object, source: str) -> None:
        role = meaning_of(message, "role", ROLES)
        content, extra = plain_text(message.get("content")), rest(message, _MESSAGE)
        if role == "assistant":
            self._reply(message, content, source, extra)
            return
        call = ""
        if role == "tool":
            call, content = self._dispatched(message, content, source, extra)
        self.builder.hear(Item(role=role, text=content, call=call, source=source, extra=extra))

    def _reply(self, message: Object, content: str, source: str, extra: dict[str, JSONValue]) -> None:
        records = mappings(message, "tool_calls")
        calls = [self.builder.propose(call.tool, call.arguments, call=call.id) for call in map(_call, records)]
        self.builder.reply(content, calls=calls, source=source, extra={**extra, **beside_calls(records, _CALL)})

    def _dispatched(self, message: Object, content: str, source: str, extra: dict[str, JSONValue]) -> tuple[str, str]:
        """Record what became of a call; gives its id and what the model was shown of it."""
        copy = _call(mapping(message, "tool_call"))
        name = text(message, "tool_call_id") or copy.id
        error = message.get("error")
        if error is not None and not isinstance(error, str):
            raise ShapeError(f"error: a text was expected and {kind_of(error)} found")
        if not self.marked:
            return name, error or content
        if error and (code := _refusal(copy.tool, error)):
            self.builder.refuse(name, code=code, reason=error, source=source)
        else:
            execution = self.builder.begin(copy.tool, copy.arguments, call=name, source=source)
            kind = kind_of_error(error) if error else None
            result = None if error else content
            self.builder.end(execution, result=result, error=error or None, error_kind=kind, source=source)
        if not error:
            return name, content
        if content:
            extra["content"] = content
        return name, error


def _is_marked(message: Object) -> bool:
    return message.get("role") != "tool" or ("error" in message and isinstance(message.get("tool_call"), dict))


def _refusal(tool: str, error: str) -> RefusalCode | None:
    """Why a call was not run; None where the error was raised by a function that ran."""
    if error.startswith("ToolNotFoundError:") or error == f"Invalid tool {tool} provided.":
        return "unknown_tool"
    schema = error.startswith("ValidationError:") and " for Input schema for `" in error[:200]
    return "invalid_arguments" if schema or misfits_signature(tool, error) else None


AGENTDOJO = Format(
    name="agentdojo",
    sentence="Runs of AgentDojo; a tool's message tells a result, an error of the running tool and a refusal apart.",
    url="https://github.com/ethz-spylab/agentdojo",
    proofs=Proofs(
        proposals="present",
        executions="present",
        results="present",
        errors="present",
        times="absent",
        usage="absent",
    ),
    sniff=_sniff,
    load=_load,
)
