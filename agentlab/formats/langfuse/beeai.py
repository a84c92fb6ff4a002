"""BeeAI's traces in Langfuse: every event of its emitter is a span, and no span holds a whole reply.

A model call is `backend.<provider>.chat.start-14`, an execution `tool.<name>.start-12` with `.success-12` or
`.error-12` and `.finish-12`. The model streams text of the ReAct kind. The harness takes it apart and says in
`agent.react.update` spans what it has understood: the thought, then the tool, then its arguments, at last the final
answer. The reply is put together from the last of them, so its text is the thought alone. The tail of a streamed reply
that a `chat.success` span may hold is kept in `extra` as `tail`.

In the next request the harness writes the tool's output into the assistant's message. There it is cut off again and
told as what it is, a tool's answer; what stands before it is the harness's wording of a reply that is on record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentlab.formats.building.seat import Item
from agentlab.formats.langfuse.observation import Observation
from agentlab.formats.said.acting import Telling
from agentlab.formats.said.memory import Memory
from agentlab.formats.said.model import Asked, Said, decoded
from agentlab.formats.said.requests import requested
from agentlab.formats.said.telling import tell_reply
from agentlab.formats.shapes.durations import between
from agentlab.formats.shapes.fields import Object, ShapeError, text
from agentlab.strictjson import JSONValue

__all__ = ["BeeTelling", "is_beeai"]

_EVENT = re.compile(
    r"(?P<what>tool|backend|agent)\.(?P<name>[\w.-]{1,200})\.(?P<event>\w{1,40})-(?P<number>\d{1,12})\Z"
)
_OUTPUT = "Function Output: "


def is_beeai(observations: Mapping[str, Observation]) -> bool:
    """Whether BeeAI's instrumentation wrote the spans."""
    return any(each.scope == "openinference.instrumentation.beeai" for each in observations.values())


@dataclass(kw_only=True)
class BeeTelling(Telling):
    """One trace while it is told."""

    records: Mapping[str, Observation]
    shaped: int = 0
    """Replies of which something was understood."""
    _asked: Observation | None = None
    """The model call that has no reply yet."""
    _understood: Object = field(default_factory=dict)
    """Attributes of the last update."""
    _tail: str = ""
    _understood_at: float | None = None
    _begun: dict[tuple[str, str], tuple[str, str, float | None]] = field(default_factory=dict)
    """Execution, call and time of the start, by name and number of the event."""
    _results: dict[str, list[str]] = field(default_factory=dict)
    """Calls by the text of their result, in their order."""
    _call: str = ""

    def tell(self) -> None:
        """Record everything that can be read."""
        for each in sorted(self.records.values(), key=lambda one: one.start or 0.0):
            event = _EVENT.match(each.name)
            try:
                if event is not None:
                    self._event(each, event)
            except ShapeError as error:
                self.defects.append(f"observation {each.id}: {error}")
        self._reply()

    def _event(self, each: Observation, event: re.Match[str]) -> None:
        self.told.add(each.id)
        kind = event["event"]
        if event["what"] == "tool":
            key = (event["name"], event["number"])
            if kind == "start":
                self._begin(each, event["name"], key)
            elif kind in ("success", "error"):
                self._end(each, key, failed=kind == "error")
        elif event["what"] == "backend":
            if kind == "start":
                self._request(each)
            elif kind == "success":
                self._tail = _streamed(each.attributes)
            elif kind == "error":
                self._asked = None
                self.failure = text(each.raw, "statusMessage") or each.result or "the model call failed"
        elif kind in ("update", "partial_update"):
            self._update(each)

    def _update(self, each: Observation) -> None:
        """What the harness has understood of the reply, then what the tool gave it, or else the final answer."""
        output = text(each.raw, "output")
        if self._asked is not None:
            self._understood, self._understood_at = each.attributes, each.start
            reply = self._reply() if output else ""
            self.last = (reply, output) if reply and not self._call else None
        if output and self._call:
            self._gave(output, self._call)  # the tool's own events may be missing

    def _request(self, each: Observation) -> None:
        self._reply()
        said = requested(each.raw.get("input"))
        told, seen = Memory().items(said or [], source=each.id, time=each.start), Counter[str]()
        self.builder.see([item for one in told for item in self._parted(one, seen)])
        self.builder.request(recorded=said is not None, time=each.start, source=each.id)
        self._asked, self._understood, self._tail, self._understood_at = each, {}, "", None
        self.failure = ""

    def _gave(self, result: str, call: str) -> None:
        calls = self._results.setdefault(result, [])
        if call not in calls[-1:]:
            calls.append(call)

    def _parted(self, item: Item, seen: Counter[str]) -> list[Item]:
        """An assistant's message in which the output of a call stands as two: the harness's wording, and the output.

        Args:
            item: the message.
            seen: how often each output stood in the messages before it.
        """
        wording, found, output = item.text.partition(_OUTPUT)
        result = output.removesuffix("\n")
        calls = self._results.get(result)
        if item.role != "assistant" or not found or calls is None:
            return [item]
        call = calls[min(seen[result], len(calls) - 1)]
        seen[result] += 1
        own = Item(role="assistant", author="harness", text=wording + found, source=item.source, time=item.time)
        return [own, Item(role="tool", call=call, text=output, source=item.source, time=item.time)]

    def _reply(self) -> str:
        """The reply to the last model call, as far as it was understood."""
        call, self._asked = self._asked, None
        if call is None:
            return ""
        about = self._understood
        tool, arguments = text(about, "tool.name"), decoded(about.get("tool.parameters"))
        asked = (Asked(tool=tool, arguments=arguments),) if tool and isinstance(arguments, dict) else ()
        extra: dict[str, JSONValue] = {**call.more, **({"tail": self._tail} if self._tail else {})}
        if not about:
            extra["output"] = "missing"
        self.replies += 1
        self.shaped += bool(about)
        self.asked += len(asked)
        said = Said(role="assistant", text=text(about, "thought"), calls=asked)
        reply, calls = tell_reply(
            self.builder,
            said,
            source=call.id,
            usage=call.usage,
            model=text(call.raw, "model"),
            extra=extra,
            time=self._understood_at,
            remembered=False,
        )
        self._call = calls[0].call if calls else ""
        return reply

    def _begin(self, each: Observation, name: str, key: tuple[str, str]) -> None:
        update = self.records.get(each.parent)
        self._understood = update.attributes if update and update.attributes.get("tool.name") else self._understood
        tool = text(self._understood, "tool.name") or name
        self._reply()
        call, self._call = self._call, ""
        arguments = decoded(each.attributes.get("tool.parameters"))
        self.executions += 1
        begun = self.builder.begin(
            tool,
            arguments if isinstance(arguments, dict) else None,
            call=call or each.id,
            execution=each.id,
            time=each.start,
            source=each.id,
            extra={"target": name},
        )
        self._begun[key] = (begun, call or each.id, each.start)

    def _end(self, each: Observation, key: tuple[str, str], *, failed: bool) -> None:
        if key not in self._begun:
            self.told.discard(each.id)
            return
        begun, call, start = self._begun[key]
        result = each.result or ""
        error = (text(each.raw, "statusMessage") or result or "failed") if failed else None
        self.builder.end(
            begun,
            result=None if failed else result,
            error=error,
            duration=between(start, each.start),
            time=each.start,
            source=each.id,
        )
        if result:
            self._gave(result, call)


def _streamed(attributes: Object) -> str:
    """The pieces of a streamed reply that a span holds, put together in their order."""
    pieces = []
    for name, value in attributes.items():
        _, _, place = name.partition("llm.output_messages.")
        number, _, what = place.partition(".")
        if what == "message.content" and number.isdecimal() and len(number) < 12 and isinstance(value, str):
            pieces.append((int(number), value))
    return "".join(piece for _, piece in sorted(pieces))
