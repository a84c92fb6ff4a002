"""What stands in the contexts of one agent's conversation, request by request, and when it stands there no more.

A conversation is told by what it shows again: a request that holds a reply or a result of an earlier one goes on with
it, whatever was cut out. A request with another system prompt has another purpose, such as to plan, to check or to
find a title, and one that shows nothing again may have left out what its server remembers; neither proves a loss.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from agentlab.audit.evidence.faults import is_error_text, is_parse_error
from agentlab.trace.events import Answer, CompletionEvent, ExecutionStarted, Observation, Request, Summary
from agentlab.trace.model import Trace
from agentlab.trace.values import ContextItem

__all__ = ["Chain", "Conversation", "Held", "Kind", "Moment", "acted", "loses", "moments", "tells_contexts"]

Kind: TypeAlias = str
"""`system`, `speech` of the user, `summary`, `model`, `tool`, or `other`: what a harness says, or who knows whom."""

_INFERRED = frozenset({"claude-code", "codex", "opencode"})
"""Formats that record what was said and not what was sent: what a compaction left standing is not on record."""
_HEAD = 300
"""Characters at the head of a text in which it says that it is a summary."""
_OPENING = 120
_ROLE = 64
"""Characters by which a system prompt is known, though it counts or dates something further down."""
_LONG = 40
"""Characters from which a text without a recorded origin is known again by its digest."""
_SUMMARY = re.compile(
    r"\b(?:summar(?:y|ies|ised|ized)|compact(?:ed|ion)|condensed|so far|(?:earlier|previous) (?:conversation|turns)"
    r"|recap|continued from)\b|摘要|总结|小结|前文|概要|进度",
    re.IGNORECASE,
)
_SUMMARY_WORDS = (
    *("summar", "compact", "condensed", "so far", "earlier", "previous", "recap", "continued"),
    *("摘要", "总结", "小结", "前文", "概要", "进度"),
)
_TOLD = re.compile(
    r"[\W_]{0,9}(?:this session is being continued|(?:here (?:is|'s) |below is )?(?:a |an |the )?(?:[\w-]+ ){0,3}"
    r"(?:summary|recap|progress)(?: [\w-]+){0,8}\s{0,3}[:：*\]>\n]|[^。！？?\n：:]{0,12}(?:摘要|总结|小结|概要|进度)"
    r"[^。！？?\n：:]{0,6}[：:\]】\n])",
    re.IGNORECASE,
)
"""How a text in the user's seat begins that stands in the place of earlier messages, ..."""
_OF_WHAT = re.compile(
    r"conversation|session|dialog|so far|previous|earlier|history|context|progress|steps|done|work|messages|turns"
    r"|对话|会话|之前|此前|先前|已完成|前文|进度|历史|步骤",
    re.IGNORECASE,
)
"""... and names what it is a summary of; a user may hand over another one."""
_ON = re.compile(
    r"\s*(?:(?:please )?(?:continue|go on|proceed|keep going|carry on)\b|请?继续)[^\n]{0,20}\s*", re.IGNORECASE
)
_RESULT = re.compile(
    r"\s*(?:\*\*)?(?:observation|tool (?:result|output)|result|output|观察|观测|工具结果|结果)\s*[:：]", re.IGNORECASE
)
"""How a text protocol hands over a result in the user's seat."""


class Held(NamedTuple):
    """One item of a context as it stands there."""

    item: ContextItem
    kind: Kind
    text: str


@dataclass(eq=False, slots=True)
class Conversation:
    """Requests of one agent for one purpose that show again what the earlier ones held."""

    first: Request
    agent: str
    role: frozenset[str]
    """How its system prompts begin; empty where it has none."""
    shown: set[str] = field(default_factory=set)
    """What stood in it: the origins of replies and results, or the digests of long ones that have none."""


@dataclass(eq=False, slots=True)
class Chain:
    """The items of a context, and of those that are built on it by keeping its beginning."""

    held: list[Held] = field(default_factory=list)
    systems: list[int] = field(default_factory=list)
    """Places of the system prompts."""
    spoken: list[int] = field(default_factory=list)
    """Places of what the user said."""
    own: list[int] = field(default_factory=list)
    """Places of what the model and the tools wrote and can be known again."""
    conversation: Conversation | None = None
    cut: int = 0
    """How many items were kept for the latest request."""

    def keep(self, kept: int) -> None:
        del self.held[kept:]
        for places in (self.systems, self.spoken, self.own):
            while places and places[-1] >= kept:
                places.pop()
        self.cut = kept

    def add(self, held: Held) -> None:
        if held.kind == "system":
            self.systems.append(len(self.held))
        elif held.kind == "speech":
            self.spoken.append(len(self.held))
        elif _key(held):
            self.own.append(len(self.held))
        self.held.append(held)

    @property
    def new(self) -> Sequence[Held]:
        """What the latest request added."""
        return self.held[self.cut :]

    @property
    def role(self) -> frozenset[str]:
        return frozenset(self.held[place].text[:_ROLE] for place in self.systems)


class Moment(NamedTuple):
    """A request with what stands in it; the chain changes with the next one."""

    request: Request
    chain: Chain
    conversation: Conversation
    proves: bool
    """Whether what is not in it was not sent, and was not left to another purpose."""


def tells_contexts(trace: Trace) -> bool:
    """Whether a record says what stood in every context, and who wrote it."""
    requests = trace.of(Request)
    recorded = all(request.recorded for request in requests) and trace.started.format not in _INFERRED
    return len(requests) > 1 and recorded and trace.evidence.authorship != "not_recorded"


def loses(trace: Trace) -> bool:
    """Whether any context may leave out what an earlier one of the same purpose held; a first look, much cheaper.

    One that begins anew proves a loss only if it shows something again, or stands on a summary alone.
    """
    stacks: dict[str, list[ContextItem]] = {}
    latest: dict[tuple[str, str], list[ContextItem]] = {}
    shown: set[str] = set()
    last = ""
    for request in trace.of(Request):
        stack = stacks.pop(request.base or last, []) if request.kept else []
        if request.kept < len(stack):
            return True
        own = {item.origin or item.digest for item in request.items if item.author in ("model", "tool")}
        if not request.kept and (not trace.started.format or not own.isdisjoint(shown) or _is_on_summary(request, own)):
            before = latest.get((request.agent_name, _role(trace, request.items)))
            if before is None:
                before = next((held for (agent, _), held in latest.items() if agent == request.agent_name), [])
                before = before if not _role(trace, request.items) else []
            now = {item.digest for item in request.items}
            if any(item.digest not in now for item in before):
                return True
        shown |= own
        stack += request.items
        last = request.id
        stacks[last] = latest[request.agent_name, _role(trace, stack)] = stack
    return False


def _role(trace: Trace, items: Sequence[ContextItem]) -> str:
    """How the system prompt of a context begins."""
    system = next((item for item in items[:1] if item.role == "system"), None)
    return "" if system is None else (system.text or trace.texts.get(system.digest, ""))[:_ROLE]


def _is_on_summary(request: Request, own: Collection[str]) -> bool:
    return not own and any(_speaks_of_summary(item.text or "") for item in request.items)


def _speaks_of_summary(text: str) -> bool:
    head = text[:_HEAD]
    lowered = head.casefold()
    return any(word in lowered for word in _SUMMARY_WORDS) and _SUMMARY.search(head) is not None


def acted(trace: Trace) -> frozenset[str]:
    """The requests upon which something was done: a call was asked for, something ran, or the answer was given."""
    found: set[str] = set()
    replies: dict[str, str] = {}
    last: dict[str, str] = {}
    for event in trace.events:
        if isinstance(event, CompletionEvent):
            replies[event.id] = last[event.agent_name] = event.request
            if any(call.by != "structured_output" for call in event.calls):
                found.add(event.request)
        elif isinstance(event, ExecutionStarted) and event.agent_name in last:
            found.add(last[event.agent_name])
        elif isinstance(event, Answer) and event.completion in replies:
            found.add(replies[event.completion])
    return frozenset(found)


def moments(trace: Trace) -> Iterator[Moment]:
    """The requests in order, each with its conversation. Linear in what is recorded of them."""
    return _Walk(trace).run()


class _Walk:
    """One pass over a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._exact = not trace.started.format
        """Whether the record is our own, which holds every context whole."""
        self._summaries = {event.id for event in trace.of(Summary)}
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._chains: dict[str, Chain] = {}
        self._owners: dict[tuple[str, str], list[Conversation]] = {}
        """By agent and reply or result: the conversations that showed it, or that made it."""
        self._latest: dict[str, Conversation] = {}
        self._of: dict[str, Conversation] = {}
        """By request."""

    def run(self) -> Iterator[Moment]:
        last = ""
        asking: dict[str, Conversation] = {}
        for event in self._trace.events:
            if isinstance(event, CompletionEvent):
                made_in = self._of.get(event.request)
                if made_in is not None:
                    self._owners.setdefault((made_in.agent, event.id), []).append(made_in)
                    asking[event.agent_name] = made_in
            elif isinstance(event, Observation) and event.agent_name in asking:
                asked_in = asking[event.agent_name]
                self._owners.setdefault((asked_in.agent, event.id), []).append(asked_in)
            elif isinstance(event, Request):
                yield self._moment(event, event.base or last)
                last = event.id

    def _moment(self, request: Request, base: str) -> Moment:
        chain = self._chains.pop(base, None) if request.kept else None
        chain = self._chains[request.id] = chain or Chain()
        chain.keep(request.kept)
        resent = bool(chain.own)
        if not resent:
            chain.conversation = None
        # an agent that was started begins anew each time, and what it is handed may be a summary
        is_first = bool(request.agent_name) or "" not in self._latest
        for item in request.items:
            held = self._held(item, is_first=is_first)
            if held.kind == "system" and chain.systems and not is_first:
                held = held._replace(kind="summary")  # what a harness adds to its prompt on the way
            chain.add(held)
        new = chain.new
        keys = [_key(each) for each in new]
        before = chain.conversation if chain.conversation is not None else self._find(request, chain, keys)
        now = before or Conversation(first=request, agent=request.agent_name, role=chain.role)
        chain.conversation = self._of[request.id] = self._latest[request.agent_name] = now
        resent = resent or not now.shown.isdisjoint(keys)
        of_summary = not chain.own and any(each.kind == "summary" for each in new)
        for key in keys:
            if key and key not in now.shown:
                now.shown.add(key)
                self._owners.setdefault((request.agent_name, key), []).append(now)
        same_role = not chain.systems or not now.role.isdisjoint(chain.role)
        return Moment(request, chain, now, same_role and (self._exact or resent or of_summary))

    def _find(self, request: Request, chain: Chain, keys: Sequence[str]) -> Conversation | None:
        """The conversation that a context which begins anew goes on with."""
        role = chain.role
        for key in keys:
            for known in self._owners.get((request.agent_name, key), ()):
                if _is_same_purpose(known, role):
                    return known
        latest = self._latest.get(request.agent_name)
        if latest is not None and any(each.kind == "summary" for each in chain.new) and _is_same_purpose(latest, role):
            return latest
        return None

    def _held(self, item: ContextItem, *, is_first: bool) -> Held:
        text = item.text if item.text is not None else self._trace.texts[item.digest]
        if item.origin in self._summaries:
            return Held(item, "summary", text)
        if item.author in ("model", "tool") and item.role != "user":
            told = item.origin is None and not is_first and _speaks_of_summary(text)
            return Held(item, "summary" if told else item.author, text)
        key = (f"{item.author} {item.role}", item.digest)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = self._kind(item, text, is_first=is_first)
        return Held(item, kind, text)

    def _kind(self, item: ContextItem, text: str, *, is_first: bool) -> Kind:
        if item.author == "user":
            if is_first:
                return "speech"
            if _TOLD.match(text) and _OF_WHAT.search(text[:_OPENING]):
                return "summary"
            passed_on = _RESULT.match(text) or is_parse_error(text) or is_error_text(text) or _ON.fullmatch(text)
            return "other" if passed_on else "speech"
        if not is_first and item.author != "tool" and _speaks_of_summary(text):
            return "summary"
        return "other" if item.author == "harness" else item.author


def _is_same_purpose(known: Conversation, role: frozenset[str]) -> bool:
    return not role or not known.role.isdisjoint(role)


def _key(held: Held) -> str:
    """By what a reply or a result is known again; empty for what is none, or could be anything.

    A reply that only calls has no text, and foreign records tell such replies from each other by their place at best.
    """
    if held.kind not in ("model", "tool") or not held.text or held.text.isspace():
        return ""
    return held.item.origin or (held.item.digest if len(held.text) >= _LONG else "")
