"""What the messages and steps of SWE-agent's files are: replies, results, examples, complaints, runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlab.formats.shapes.content import plain_text
from agentlab.formats.shapes.fields import Object, boolean, integer, mapping, mappings, number, text
from agentlab.formats.shapes.words import meaning_of
from agentlab.messages import Role, Usage
from agentlab.strictjson import JSONValue

__all__ = [
    "Sent",
    "complaint_of",
    "is_demo",
    "is_reply",
    "is_result",
    "is_run",
    "other_thought",
    "role_of",
    "sent_messages",
    "spent_by",
    "thinking_of",
    "was_run",
]

_MARKS = {"response", "thought", "state", "execution_time"}
_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def is_run(record: Object) -> bool:
    """Whether an object is a run, or holds the tries of one, as far as it can be seen."""
    steps, history, tries = (record.get(name) for name in ("trajectory", "history", "attempts"))
    if isinstance(tries, list) and tries and isinstance(tries[0], dict) and is_run(tries[0]):
        return True
    if isinstance(steps, list) and steps:
        first = steps[0]
        return isinstance(first, dict) and {"action", "observation"} <= first.keys() and bool(first.keys() & _MARKS)
    if isinstance(history, list) and history:
        first = history[0]
        return isinstance(first, dict) and "role" in first and bool(first.keys() & {"message_type", "agent"})
    return steps == [] and history == [] and "info" in record


def role_of(message: Object) -> Role:
    """The seat of a message.

    Raises:
        ShapeError: if it is none of the four.
    """
    return meaning_of(message, "role", _ROLES)


def is_demo(message: Object) -> bool:
    """Whether a message belongs to an example that the harness shows the model."""
    return boolean(message, "is_demo") is True


def is_reply(message: Object) -> bool:
    """Whether a message is the model's and stayed in the history; a reply that was complained of did not."""
    kind = message.get("message_type")
    return message.get("role") == "assistant" and not is_demo(message) and kind != "assistant"


def is_result(message: Object) -> bool:
    """Whether a message is of the kind in which results come; the task before the first reply is so too."""
    return role_of(message) in ("tool", "user") and message.get("message_type") in ("observation", None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """What a step sent."""

    path: str = ""
    """Of the list in the file."""
    messages: Sequence[Object] = ()
    """Empty where they are not recorded."""

    @property
    def last_reply(self) -> int:
        """The place of the last reply; behind everything where there is none, because then nothing is a result."""
        length = len(self.messages)
        return next((place for place in reversed(range(length)) if is_reply(self.messages[place])), length)

    def shared_with(self, other: Sent) -> int:
        """How many messages, from the first on, both have."""
        differ = (
            place for place, (one, two) in enumerate(zip(self.messages, other.messages, strict=False)) if one != two
        )
        return next(differ, min(len(self.messages), len(other.messages)))


def sent_messages(steps: Sequence[Object]) -> list[Sent]:
    """What each step sent.

    `query` is just that. `messages`, which older files have, is what there was after the step: what the next one sent.
    Of the first step the reply and what came after it are left out.
    """
    if any("query" in step for step in steps):
        queries = ([message for message in mappings(step, "query") if message] for step in steps)
        return [Sent(path=f"trajectory[{place}].query", messages=query) for place, query in enumerate(queries)]
    after = [mappings(step, "messages") for step in steps]
    first = after[0] if after else []
    own = next((place for place, message in enumerate(first) if is_reply(message)), len(first))
    lists = [first[:own], *after[:-1]] if after else []
    return [Sent(path=f"trajectory[{max(0, n - 1)}].messages", messages=each) for n, each in enumerate(lists)]


def complaint_of(following: Sequence[Object]) -> str:
    """What the harness said of a step that it refused, from what was sent next; empty where it said nothing."""
    last = following[-1] if following else {}
    return plain_text(last.get("content")) if last.get("message_type") == "user" else ""


def was_run(step: Object) -> bool:
    """Whether the harness ran the action: there is a time, a state, or an answer."""
    done = number(step, "execution_time") or step.get("state") or text(step, "observation")
    return bool(done) and text(step, "action").strip() not in ("", "exit")


def thinking_of(message: Object) -> str:
    """What a provider returned as thinking beside the reply."""
    return "\n".join(text(block, "thinking") for block in mappings(message, "thinking_blocks"))


def other_thought(step: Object, response: str) -> dict[str, JSONValue]:
    """What was taken for the thought, where it is no part of the reply."""
    thought = text(step, "thought")
    return {} if thought in response else {"thought": thought}


def spent_by(run: Object) -> Usage | None:
    """The tokens of a whole run; None where they were not counted, as of replayed runs, whose counts are 0."""
    stats = mapping(mapping(run, "info"), "model_stats")
    sent, received = integer(stats, "tokens_sent"), integer(stats, "tokens_received")
    return Usage(input_tokens=sent, output_tokens=received) if sent or received else None
