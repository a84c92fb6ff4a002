"""OpenCode event streams: what a plugin is told, one line each, as a list of the hook's name and what it was given.

Written by a plugin that records its hooks, https://opencode.ai/docs/plugins/; the events and parts are those of
OpenCode's SDK. Lines that begin with `event` hold an event; others are hooks (`chat.message`, `tool.definition`,
`experimental.chat.system.transform`), which stand between the events and say what a request was made of.

An event repeats the whole of what it updates, and text is streamed in pieces before that; so of each part the last
state counts. A tool part goes from `pending` (the model asks) to `running` (it began) to `completed` or `error`, which
makes proposal, execution and result three facts. A tool that a permission was denied for is said to run while it
asks; then nothing had run, and the call is refused. So is a call of the tool `invalid`, which stands for one that the
harness could not make out.

- One message of the model is one request and its reply, in older versions several, each begun by `step-start`.
- Sessions with a `parentID` are sub-agents of a task call: they belong to the trace of the session that began it, with
  a context of their own. Their first message was written by the agent that started them.
- The request for a title has no message and only a system prompt; it is left out. Repeated states (`session.status`,
  `session.updated`), earlier updates and `raw` input are copies and are left out too. The schemas of tools are dumps of
  the validator's objects and no JSON Schema; they stand in `extra`.
- The context of a request is not recorded; it is taken to be everything before it, since the last compaction.

`tokens.input` leaves out what was cached and `output` may leave out reasoning; both are added. Times are in
milliseconds. The identity of an event is the id of its message or part; that of an attempt its session with the digest
of the file, since a session may go on in another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Loaded, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.building.seat import Item
from agentlab.formats.files.head import Head
from agentlab.formats.files.records import records
from agentlab.formats.files.source import Source
from agentlab.formats.loading import key_of, misfit
from agentlab.formats.opencode.acts import Act, Call, Reply, Step, acts_of
from agentlab.formats.opencode.state import Session, Stream
from agentlab.formats.shapes.durations import between
from agentlab.formats.shapes.fields import Object, ShapeError, mapping, rest, text
from agentlab.formats.shapes.problems import told
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue
from agentlab.trace.events import Approval, Summary
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence, TerminationReason

__all__ = ["OPENCODE"]

_HOOKS = {"event", "chat.message", "tool.definition", "experimental.chat.system.transform", "chat.params"}
_FULL = Evidence(authorship="present", proposals="present", executions="present", results="present", errors="present")
_FAULTS: dict[str, TerminationReason] = {
    "MessageAbortedError": "interrupted",
    "ContextOverflowError": "token_budget",
    "APIError": "provider_error",
    "ProviderAuthError": "provider_error",
}


def _sniff(head: Head) -> bool:
    values = head.values
    return bool(values) and all(_is_line(value) for value in values) and any(_is_known(value) for value in values)


def _is_line(value: JSONValue) -> bool:
    return isinstance(value, list) and len(value) > 1 and isinstance(value[0], str) and isinstance(value[1], dict)


def _is_known(value: JSONValue) -> bool:
    if not isinstance(value, list) or not isinstance(value[1], dict) or value[0] not in _HOOKS:
        return False
    event = value[1].get("event")
    return value[0] != "event" or (isinstance(event, dict) and isinstance(event.get("type"), str))


def _load(source: Source) -> Iterator[Loaded]:
    stream, defect, digest = Stream(), "", ""
    for record in records(source):
        if isinstance(record, LoadError):
            defect = defect or record.problem
            continue
        digest = key_of(record, digest)
        try:
            stream.add(record.line, record.value)
        except ShapeError as error:
            defect = defect or f"{record.place or 'line 1'}: {error}"
    children, roots = _families(stream)
    if not roots:
        what = f"; {defect}" if defect else ""
        yield LoadError(source.path, f"events of a session were expected and none found{what}")
    for root in roots:
        try:
            run = _Run(stream, [root, digest], children, source.path, first=root == roots[0])
            yield run.read(f"a line is lost: {defect}" if defect else "")
        except ValueError as error:
            yield misfit(source, f"session {root}", error)


def _families(stream: Stream) -> tuple[dict[str, list[str]], list[str]]:
    """The sessions that each one started, and those that none did; of a ring of sessions the first one counts so."""
    children: dict[str, list[str]] = {}
    parents = {name: session.parent for name, session in stream.sessions.items() if name}
    for name, parent in parents.items():
        children.setdefault(parent, []).append(name)
    reached: set[str] = set()
    roots = []
    for name in [*(name for name, parent in parents.items() if parent not in parents), *parents]:
        if name not in reached:
            roots.append(name)
            reached.update(_family(name, children))
    return children, roots


def _family(root: str, children: dict[str, list[str]]) -> dict[str, None]:
    found = {root: None}
    queue = [root]
    while queue:
        for child in children.get(queue.pop(), []):
            if child not in found:
                found[child] = None
                queue.append(child)
    return found


class _Run:
    """One session and the sessions that it started.

    Args:
        stream: what the file says.
        key: what identifies it: the session, and the digest of the file, since a session goes on in other files.
        children: sessions by the one that started them.
        path: the file.
        first: whether what belongs to no session is kept with this one.
    """

    def __init__(
        self, stream: Stream, key: Sequence[str], children: dict[str, list[str]], path: str, *, first: bool
    ) -> None:
        self._stream, self._root, self._first = stream, key[0], first
        root = self._root
        self._sessions = {name: stream.sessions[name] for name in _family(root, children)}
        self._builder = TraceBuilder("opencode", path=path, key=key, evidence=_FULL, source=root)
        self._executions: dict[str, str] = {}
        self._last: tuple[str, Reply] | None = None

    def read(self, lost: str) -> Trace:
        """Record everything.

        Args:
            lost: what is wrong with the file.

        Raises:
            ShapeError: if a session is not what it should be, or no message of any can be read.
        """
        self._describe()
        defects: list[str] = []
        acts = sorted(self._acts(defects), key=lambda act: act[0])
        if defects and not acts:
            raise ShapeError(defects[0])
        for _, seat, act in acts:
            self._builder.seat(seat)
            if isinstance(act, Item):
                self._builder.hear(act)
            elif isinstance(act, Reply):
                self._reply(act, seat)
            elif isinstance(act, Step):
                self._step(act)
            else:
                self._builder.add(Approval, call=act.call, verdict=act.verdict, by="user", source=act.source)
        self._builder.seat("")
        self._finish()
        return self._builder.build(defect=told([*filter(None, [lost]), *defects]))

    def _acts(self, defects: list[str]) -> Iterator[tuple[int, str, Act]]:
        names: dict[str, int] = {}
        for name, session in self._sessions.items():
            main = name == self._root
            agent = "" if main else _agent_of(session)
            count = names[agent] = names.get(agent, 0) + 1
            seat = agent if count == 1 else f"{agent} {count}"
            for line, act in acts_of(session, defects, main=main):
                yield line, seat, act

    # --- acts ---

    def _reply(self, act: Reply, seat: str) -> None:
        if act.sums_up:
            where = {"time": act.time, "source": act.source}
            self._builder.add(Summary, replaces=(), text=act.text, author="model", extra=act.extra, **where)
            self._builder.see([Item(role="user", text=act.text, author="model", source=act.source)])
            return
        propose = self._builder.propose
        calls = [propose(call.tool, call.arguments, call=call.id, by=call.by) for call in act.calls]
        self._builder.request(time=act.asked, source=act.source)
        reply = self._builder.reply(
            act.text,
            calls=calls,
            reasoning=act.reasoning,
            model=act.model,
            usage=act.usage,
            finish_reason=act.reason,
            time=act.time,
            source=act.source,
            extra=act.extra,
        )
        if not seat:
            self._last = reply, act

    def _step(self, act: Step) -> None:
        call = act.call
        if not act.ends:
            self._executions[call.source] = self._builder.begin(
                call.tool, call.arguments, call=call.id, by=call.by, time=call.start, source=call.source
            )
            return
        execution = self._executions.get(call.source)
        item = Item(role="tool", text=call.output, call=call.id, time=call.end, source=call.source)
        if execution is not None:
            self._end(call, execution)
        elif call.refused:
            self._builder.refuse(
                call.id, code=call.refused, reason=call.reason, time=call.end, source=call.source, extra=call.extra
            )
        else:
            item.extra = call.extra
        self._builder.hear(item)

    def _end(self, call: Call, execution: str) -> None:
        failed = call.status == "error"
        self._builder.end(
            execution,
            result=None if failed else call.output,
            error=call.output if failed else None,
            time=call.end,
            duration=between(call.start, call.end),
            source=call.source,
            extra=call.extra,
        )

    # --- the attempt ---

    def _describe(self) -> None:
        stream, info = self._stream, self._sessions[self._root].info
        extra: dict[str, JSONValue] = {"session": rest(info, ())}
        if len(self._sessions) > 1:
            started = {name: each.info for name, each in self._sessions.items() if name != self._root}
            extra["sessions"] = {name: rest(info, ()) for name, info in started.items()}
        if diff := self._sessions[self._root].diff:
            extra["diff"] = diff
        schemas: dict[str, JSONValue] = {name: each for name, (_, each) in stream.tools.items() if each is not None}
        if schemas:
            extra["tool_definitions"] = schemas
        if self._first and (rest_of := [*stream.other, *({**asked.body} for asked in stream.asked.values())]):
            extra["events"] = rest_of
        tools = (
            ToolDescription(name=name, description=told, parameters={}) for name, (told, _) in stream.tools.items()
        )
        messages = self._sessions[self._root].messages.values()
        provider = next((found for each in messages if (found := text(each.info, "providerID"))), "")
        self._builder.describe(
            agent=_agent_of(self._sessions[self._root]), provider=provider, tools=tuple(tools), extra=extra
        )

    def _finish(self) -> None:
        session = self._sessions[self._root]
        last: Object = next(reversed(session.messages.values())).info if session.messages else {}
        if text(last, "role") == "user":
            self._last = None  # what it asks is not answered
        fault = mapping(last, "error") or (session.error if not text(last, "finish") else {})
        finish = self._last[1].finish if self._last else ""
        if self._last and finish == "stop" and not self._last[1].calls:
            self._builder.answer(self._last[1].text, completion=self._last[0])
        if fault:
            name = text(fault, "name")
            said = text(mapping(fault, "data"), "message")
            detail = f"{name}: {said}" if said else name
            self._builder.finish(_FAULTS.get(name, "other"), detail=detail, source=self._root)
        elif session.idle and finish:
            self._builder.finish("answered" if finish == "stop" else "other", detail=finish, source=self._root)


def _agent_of(session: Session) -> str:
    return next((name for each in session.messages.values() if (name := text(each.info, "agent"))), "opencode")


OPENCODE = Format(
    name="opencode",
    sentence="OpenCode events as a plugin records them; calls pass from pending to running to completed or error.",
    url="https://opencode.ai/docs/plugins/",
    proofs=Proofs(
        proposals="present", executions="present", results="present", errors="present", times="present", usage="depends"
    ),
    sniff=_sniff,
    load=_load,
)
