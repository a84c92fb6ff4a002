"""mini-swe-agent trajectories: the messages of an agent whose only tool is a shell.

Written by mini-swe-agent, https://mini-swe-agent.com/latest/usage/output_files/, in three generations:

- `trajectory_format` mini-swe-agent-1.1 (mini 2): `extra.actions` of a reply is what the harness parsed, `extra` of the
  message after it (`returncode`, `raw_output`, `exception_info`) what running it gave. So proposals and executions are
  both on record.
- mini-swe-agent-1 (mini 1): the same object with bare messages, or
- the bare list of messages. There the command is read again from the only fenced block of a reply, as the harness did,
  and the user message that begins with `<returncode>` proves that it ran. Such a list is told from plain chat by this
  pair of messages.

A message's identity is its index in the list, from 0.

- The call that submits has no tool message: the run ends in a message with the role `exit` (in mini 1 a last user
  message that is the output). Exit status `Submitted` proves that its command ran and returned 0. Where several calls
  of one reply wait, nobody can say which of them ran.
- A reply that could not be parsed is followed by a user message with `extra.interrupt_type` FormatError; versions
  before 2.1 keep that message only, and the reply is lost. UserRejection is a refusal by the person at the keyboard.
- Calls that an earlier interruption kept from running are answered with `action was not executed`.
- Commands that a person typed (a user message with `extra.actions`) are executions that no reply proposed.
- The submission is a patch out of the environment and no statement of the model, so it stands in `extra` of the end.
- `extra.response` is the provider's answer in full; its message is a copy of the message around it and is left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import Record
from agentlab.formats.loading import each_record, key_of
from agentlab.formats.mini_swe_agent.text import RETURNED, fenced_commands, is_bare_run, shown_output, text_or_nothing
from agentlab.formats.shapes.chat_response import finish_reason_of, usage_of
from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.counts import whole_usage
from agentlab.formats.shapes.fields import (
    Object,
    ShapeError,
    arguments_of,
    integer,
    kind_of,
    listing,
    mapping,
    mappings,
    objects,
    rest,
    text,
)
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.times import seconds
from agentlab.messages import Author, Role
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, ProposedCall, TerminationReason

__all__ = ["MINI_SWE_AGENT"]

_MESSAGE = {"role", "content", "tool_calls", "tool_call_id", "extra", "reasoning_content", "object", "output", "type"}
_EXTRA = {"actions", "response", "timestamp", "raw_output", "returncode", "exception_info"}
_RESPONSE = {"choices", "usage", "model", "output"}
_NOT_EXECUTED = "action was not executed"
_REJECTED = "Command not executed"
_PROVIDER = ("apierror", "ratelimiterror", "authenticationerror", "apiconnectionerror", "internalservererror")
_ENDINGS: Mapping[str, TerminationReason] = {
    "submitted": "answered",
    "limitsexceeded": "step_limit",
    "timeexceeded": "deadline",
    "contextwindowexceedederror": "token_budget",
    "userinterruption": "interrupted",
    "keyboardinterrupt": "interrupted",
}
_MARKERS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_TIMED_OUT = "The last command <command>"
_FULL = Evidence(authorship="present", proposals="present", executions="present", results="present", errors="present")


def _sniff(head: Head) -> bool:
    first = head.first
    if isinstance(first, dict):
        return _is_own(first)
    return isinstance(first, list) and is_bare_run(first)


def _is_own(record: Object) -> bool:
    return text_or_nothing(record, "trajectory_format").startswith("mini-swe-agent") or _is_run(record)


def _is_run(record: Object) -> bool:
    """Whether an object is a run, also where its head ends before `trajectory_format`."""
    info = record.get("info")
    known = isinstance(info, dict) and bool(info.keys() & {"mini_version", "config"}) and "model_stats" in info
    return known and isinstance(record.get("messages"), list) and "trajectory" not in record


def _read(record: Record, path: str) -> Iterator[Trace]:
    value = record.value
    if isinstance(value, list):
        run: Object = {"messages": value}
        identity = ""
    elif isinstance(value, dict):
        run, identity = value, text(value, "instance_id")
    else:
        raise ShapeError(f"a run or a list of messages was expected and {kind_of(value)} found")
    builder = TraceBuilder(
        "mini-swe-agent", path=path, key=[key_of(record)], evidence=_FULL, source=record.place or identity
    )
    known = _is_own(run)
    if not known and not run.get("messages"):
        raise ShapeError("messages: a list of messages was expected, and there are none")
    _Run(builder, run).read()
    yield builder.build(ours=known)


@dataclass
class _Run:
    """One run while it is read."""

    builder: TraceBuilder
    run: Object
    waiting: dict[str, ProposedCall] = field(default_factory=dict)
    """Calls of the last reply of which nothing was heard, by id."""
    reply: str = ""
    """The last reply, until its actions were run or refused."""
    parsed: bool = True
    """Whether the harness read an action in it."""
    typed: deque[JSONValue] = field(default_factory=deque)
    """Commands of a person that wait."""
    status: str = ""

    def read(self) -> None:
        """Record everything."""
        info = mapping(self.run, "info")
        self.status = text(info, "exit_status")
        model = mapping(mapping(info, "config"), "model")
        self.builder.describe(
            agent="mini-swe-agent",
            case=text(self.run, "instance_id"),
            model=text(model, "model_name"),
            extra=rest(self.run, {"messages", "instance_id"}),
        )
        messages = mappings(self.run, "messages")
        for index, message in enumerate(messages):
            with at(f"message {index}"):
                self._read_message(message, str(index), last=index == len(messages) - 1)
        self._finish(messages, text(info, "submission"))

    def _read_message(self, message: Object, source: str, *, last: bool) -> None:
        role = text(message, "role")
        if role == "assistant" or message.get("object") == "response":
            self._reply(message, source)
        elif role == "exit":
            self._exit(message, source)
        elif role in ("tool", "user") or message.get("type") == "function_call_output":
            self._answer(message, source, last=last)
        elif role in ("system", "developer"):
            self._hear(message, "system", source)
        else:
            raise ShapeError(f"role: one of system, user, assistant, tool, exit was expected and {role[:40]!r} found")

    # --- replies ---

    def _reply(self, message: Object, source: str) -> None:
        extra = mapping(message, "extra")
        response = mapping(extra, "response") or message
        calls = tuple(self._calls(message, extra))
        self.waiting, self.typed = {call.call: call for call in calls}, deque()
        known, native = "actions" in extra, bool(mappings(message, "tool_calls"))
        self.parsed = bool(listing(extra, "actions")) if known else native or len(calls) == 1
        self.reply = self.builder.reply(
            _said(message),
            calls=calls,
            reasoning=text(message, "reasoning_content"),
            model=text(response, "model"),
            usage=usage_of(response),
            finish_reason=finish_reason_of(response),
            time=seconds(extra.get("timestamp")),
            source=source,
            extra=_more(message),
        )

    def _calls(self, message: Object, extra: Object) -> Iterator[ProposedCall]:
        propose = self.builder.propose
        native = mappings(message, "tool_calls")
        items = [each for each in _output(message) if each.get("type") == "function_call"]
        if native or items:
            for call in native:
                function = mapping(call, "function")
                yield propose(text(function, "name"), arguments_of(function.get("arguments")), call=text(call, "id"))
            for item in items:
                yield propose(text(item, "name"), arguments_of(item.get("arguments")), call=text(item, "call_id"))
            return
        if "actions" in extra:
            commands: Sequence[JSONValue] = [action.get("command") for action in mappings(extra, "actions")]
        else:
            commands = list(fenced_commands(_said(message)))
        for command in commands:
            yield propose("bash", {"command": command})

    # --- what came back ---

    def _answer(self, message: Object, source: str, *, last: bool) -> None:
        """A message of the harness or a person: what running a call gave, why it was not run, or something else."""
        extra = mapping(message, "extra")
        content = _said(message)
        returned = RETURNED.match(content)
        if "returncode" in extra:
            self._executed(message, extra, source)
        elif (kind := text(extra, "interrupt_type")) or content.startswith(_REJECTED):
            self._interrupted(message, kind or "UserRejection", source)
        elif self.waiting and self.parsed and (returned or content.startswith(_TIMED_OUT)):
            code = int(returned[1]) if returned else None
            self._ran(message, source, code, shown_output(content[returned.end() :]) if returned else content)
        elif last and self.waiting and self.parsed and self._submits():
            self._ran(message, source, 0, content)
        else:
            if not self.parsed and self.reply and message.get("role") == "user":
                self.builder.reject(self.reply, code="unparsed", reason=content, source=source)
                self.reply = ""
            actions = [action.get("command") for action in mappings(extra, "actions")]
            self.typed = deque(actions)
            self._hear(message, "user", source, author="harness" if not self.parsed else None)

    def _executed(self, message: Object, extra: Object, source: str) -> None:
        """What running a call gave, by the fields of mini 2."""
        self.reply = ""
        code, trouble = integer(extra, "returncode"), text(extra, "exception_info")
        if trouble == _NOT_EXECUTED:
            call = self._take(message)
            self.builder.refuse(call.call, code="not_permitted", reason=trouble, source=source)
            self._hear(message, "tool", source, call=call.call)
        else:
            self._ran(message, source, code, text(extra, "raw_output"), trouble)

    def _ran(self, message: Object, source: str, code: int | None, output: str, trouble: str = "") -> None:
        time = seconds(mapping(message, "extra").get("timestamp"))
        call = self._take(message)
        execution = self.builder.begin(call.tool, call.arguments, call=call.call, source=source)
        if code == 0 and not trouble:
            self.builder.end(execution, result=output, time=time, source=source)
        else:
            kind = text(mapping(message, "extra"), "exception_type") or ("timeout" if code is None else "returncode")
            told = trouble or output or f"returncode {code}"
            self.builder.end(execution, error=told, error_kind=kind, time=time, source=source)
        self._hear(message, "tool", source, call=call.call)

    def _take(self, message: Object) -> ProposedCall:
        """The call that a message answers: one that a person typed, the one it names, or the first that waits."""
        if self.typed:
            return self.builder.propose("bash", {"command": self.typed.popleft()})
        name = text(message, "tool_call_id") or text(message, "call_id") or next(iter(self.waiting), "")
        return self.waiting.pop(name, None) or self.builder.propose("bash", call=name)

    def _interrupted(self, message: Object, kind: str, source: str) -> None:
        content = _said(message)
        if kind == "FormatError" and self.reply:
            self.builder.reject(self.reply, code="unparsed", reason=content, source=source)
        elif kind == "UserRejection":
            for call in self.waiting:
                self.builder.refuse(call, code="not_permitted", reason=content, source=source)
        self.waiting, self.reply = {}, ""
        self._hear(message, "user", source, author="harness" if kind == "FormatError" else None)

    def _hear(self, message: Object, role: Role, source: str, *, call: str = "", author: Author | None = None) -> None:
        time = seconds(mapping(message, "extra").get("timestamp"))
        extra = _more(message)
        if role == "tool" and message.get("role") == "user":
            extra["role"] = "user"
        item = Item(role=role, text=_said(message), call=call, author=author, time=time, source=source, extra=extra)
        self.builder.hear(item)

    # --- the end ---

    def _submits(self) -> bool:
        """Whether the call that waits is the one that ends a run."""
        arguments = next(iter(self.waiting.values())).arguments
        command = arguments.get("command") if isinstance(arguments, Mapping) else None
        return isinstance(command, str) and any(marker in command for marker in _MARKERS)

    def _exit(self, message: Object, source: str) -> None:
        extra = mapping(message, "extra")
        self.status = text(extra, "exit_status") or self.status
        if self.status == "Submitted" and len(self.waiting) == 1 and self.parsed:
            _, call = self.waiting.popitem()
            execution = self.builder.begin(call.tool, call.arguments, call=call.call, source=source)
            self.builder.end(execution, result=_said(message), time=seconds(extra.get("timestamp")), source=source)

    def _finish(self, messages: Sequence[Object], submission: str) -> None:
        if not self.status:
            return
        word = self.status.lower()
        reason = _ENDINGS.get(word) or ("provider_error" if word.endswith(_PROVIDER) else "other")
        last: Object = messages[-1] if messages and messages[-1].get("role") == "exit" else {}
        extra = {**_more(last), "content": _said(last)} if last and _said(last) != submission else {}
        time = seconds(mapping(last, "extra").get("timestamp"))
        source = str(len(messages) - 1) if last else "info"
        self.builder.finish(reason, detail=self.status, time=time, source=source, extra=extra)


def _said(message: Object) -> str:
    """The text of a message, also of a response or an output of the Responses API."""
    if message.get("type") == "function_call_output":
        return plain_text(message.get("output"))
    texts = [plain_text(item.get("content")) for item in _output(message) if item.get("type") == "message"]
    return "\n".join(texts) or plain_text(message.get("content"))


def _output(message: Object) -> Sequence[Object]:
    return objects(listing(message, "output"), "output") if message.get("object") == "response" else []


def _more(message: Object) -> dict[str, JSONValue]:
    """What a message holds beyond what is recorded, its own `extra` included."""
    inner = mapping(message, "extra")
    answered = mapping(inner, "response")
    response = {**rest(answered, _RESPONSE), **whole_usage(mapping(answered, "usage"))}
    more = {**rest(message, _MESSAGE), **rest(inner, _EXTRA)}
    return {**more, "response": response} if response else more


MINI_SWE_AGENT = Format(
    name="mini-swe-agent",
    sentence="mini-swe-agent runs, and bare lists of its messages, of which commands and return codes are read again.",
    url="https://mini-swe-agent.com/latest/usage/output_files/",
    proofs=Proofs(
        proposals="present",
        executions="present",
        results="present",
        errors="present",
        times="depends",
        usage="depends",
    ),
    sniff=_sniff,
    load=each_record(_read),
)
