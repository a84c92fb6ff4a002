"""The rule about a task that stands in the context no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentlab.audit.provenance.carrying import Carrying
from agentlab.audit.provenance.standing import Conversation, Moment, acted, moments
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing, Rule
from agentlab.audit.values import Where
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["GOAL_LOST", "place_in", "step_of"]

_SHOWN = 80
_QUOTED = 200


_STATES = re.compile(
    r"\b(?:tasks?|goals?|objectives?|aim|assignment|requests?|questions?|instructions?)(?: now)?"
    r"(?: is| was| were| are|\s?:|,? which|,? to| of the user)(?!\w)"
    r"|\b(?:original|initial|main|overall|this|our|my|user'?s) (?:task|goal|objective|request|question|query)\b"
    r"|\buser (?:wants?|wanted|asked|asks|needs|needed|requested|requests|would like|wishes)\b|\basked (?:me|us) to\b"
    r"|(?:目标|任务|需求|请求|问题|要求)[：:是为]|用户(?:要|想|让|请|需要|希望|的)",
    re.IGNORECASE,
)
"""How a text speaks that states what is to be done, perhaps in other words."""


@dataclass(eq=False, slots=True)
class _Task:
    """What the user said in one conversation, and whether it still stands."""

    said: dict[str, str] = field(default_factory=dict)
    """Texts by digest."""
    last: Where | None = None
    """Where it was last seen: in the user's own message, or in the request that carried it."""
    lost: Moment | None = None
    place: Where | None = None
    carrying: Carrying | None = None
    is_over: bool = False
    """Whether the user spoke again after it was lost: what holds from then on is another task."""


def _lost_goals(reading: Reading) -> Iterator[Crossing]:
    trace = reading.trace
    if not reading.loses:
        return
    done = acted(trace)
    tasks: dict[Conversation, _Task] = {}
    for moment in moments(trace):
        task = tasks.setdefault(moment.conversation, _Task())
        if task.is_over:
            continue
        if moment.chain.spoken:
            _hear(task, moment)
        elif task.said and moment.proves:
            _miss(task, moment, trace, acts=moment.request.id in done)
    for conversation, task in tasks.items():
        if task.lost is not None and task.last is not None and task.place is not None:
            whose = f" of {shorten(conversation.agent, 40)}" if conversation.agent else ""
            first = next(iter(task.said.values()))
            yield Crossing(
                message=f"From {step_of(task.lost)} on, the task{whose} stands in no context: neither the message "
                f"{shorten(first, _SHOWN)!r} nor a text that says the same; it went on without it.",
                where=(task.place, task.last),
            )


def _hear(task: _Task, moment: Moment) -> None:
    """The user's words stand in a context."""
    chain = moment.chain
    if task.lost is not None:
        if any(chain.held[place].item.digest in task.said for place in chain.spoken):
            task.lost = None  # it is kept elsewhere, and comes back
        else:
            task.is_over = True
            return
    for place in reversed(chain.spoken):
        if place < chain.cut and task.said:
            break
        held = chain.held[place]
        if held.item.digest not in task.said:
            task.said[held.item.digest] = held.text
            task.carrying = None
    task.last = place_in(moment, chain.spoken[0])


def _miss(task: _Task, moment: Moment, trace: Trace, *, acts: bool) -> None:
    """None of the user's messages stands in a context."""
    if task.carrying is None:
        task.carrying = Carrying(trace, list(task.said.values()), aside=_STATES)
    if task.carrying.stands(moment.chain):
        task.lost = None
    elif acts and task.lost is None:
        task.lost, task.place = moment, place_in(moment, 0)


def place_in(moment: Moment, place: int) -> Where:
    """An item of a context, as a place in its request."""
    text = moment.chain.held[place].text[:_QUOTED] if place < len(moment.chain.held) else ""
    return Where(event=moment.request.id, field=f"context[{place}].text", start=0, end=len(text), text=text)


def step_of(moment: Moment) -> str:
    """How a message names a request."""
    return f"step {moment.request.step}" if moment.request.step else f"request {moment.request.id}"


GOAL_LOST = Rule(
    id="goal-lost",
    severity="warning",
    meaning=(
        "A later request of the same agent holds neither what the user had asked for nor a text that carries its "
        "words, and the agent went on to act or to answer. A summary, a plan or a reply that keeps some of the words "
        "carries the task. Nothing is said where the user spoke again, where the task comes back, where another "
        "system prompt shows that the request had another purpose, or where the record does not hold whole contexts."
    ),
    cause="The harness cut the beginning of the context, or summed it up without the goal.",
    check="Print the request named first: pin the task to every context, or have the summary repeat it.",
    find=_lost_goals,
)
