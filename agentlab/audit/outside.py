"""Claims proposed from outside, by a judge model or a person, held against the ledger.

A proposal says where something is claimed and of what kind; it carries the words themselves. Words that the trace does
not hold are discarded, and what is held of the others comes from the ledger alone: a proposal has no field for a
verdict. What is read from the quotation itself (names, numbers, whom it is attributed to, whether it is denied)
outweighs what the proposal says of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from agentlab.audit.claims.answering import passed_texts
from agentlab.audit.claims.saying import Saying
from agentlab.audit.judging.judge import judged
from agentlab.audit.judging.values import Verdict
from agentlab.audit.prose.masking import masked
from agentlab.audit.prose.names import names_in
from agentlab.audit.prose.reading import statements
from agentlab.audit.prose.values import Statement
from agentlab.audit.prose.verbs import DOING
from agentlab.audit.reading import Reading, read
from agentlab.audit.stated import plain_numbers
from agentlab.audit.values import Where
from agentlab.errors import UsageError
from agentlab.markers.segments import SegmentKind, segment
from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.events import Answer, CompletionEvent, Request
from agentlab.trace.model import Trace

__all__ = ["Assessment", "Proposal", "assess", "proposals_from", "proposals_schema"]

ProposedKind = Literal["check", "change", "lookup", "report", "completion", "state"]
"""Kinds of statement that the ledger can be asked about; see `agentlab.audit.prose.values.StatementKind`."""

_MOST = 1000
"""Proposals of one trace; more is no reading of it."""
_TAKEN_BACK = re.compile(
    r"\?|？|\b(?:if|unless|whether|once|should|would|could|may|might|must|will|shall|can|cannot|please|probably|likely"
    r"|perhaps|maybe|plan\w*|next|going to|let me|need\w*|want\w*|try\w*|not|never|no|none|neither|fail\w*|unable"
    r"|assum\w*|suppose\w*|expect\w*|example|e\.g)\b|n['’]t\b|['’]ll\b"
    r"|\b(?:sa(?:y|ys|id)|tells?|told|claim\w*|wr(?:ote|ites)|accord\w*|heard|rumou?r\w*|mention\w*|announce\w*"
    r"|(?:report|state|confirm|insist)(?:s|ed|d) that)\b"
    r"|如果|是否|可能|应该|将|请|计划|打算|需要|没有|未|不|无|失败|假设|例如|说|声称|据|听|表示",
    re.IGNORECASE,
)
"""Words that may make a sentence something else than a plain statement; then nothing is held of it."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|went|came|comes?|goes|got|gone|works?|holds?|lies|stands?|pass(?:es)?|green|clean"
    r"|done|complete|ready|all set|succe\w+|[a-z]{2,}ed|[a-z]{3,}ing)\b|['’](?:s|ve|re)\b|[了已在是完过成]",
    re.IGNORECASE,
)
"""What a statement has, and a name, a title or a piece of markup has not."""
_MARKUP = re.compile(r"</?[A-Za-z!][^<>\n]{0,200}>")
_SPOKEN: tuple[SegmentKind, ...] = ("prose", "thought", "finish", "reasoning", "label")


class Proposal(BaseModel):
    """A claim that somebody outside says a trace makes. It holds no verdict."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    kind: ProposedKind
    quote: str = Field(min_length=2, max_length=4000)
    """The words that claim it, character for character as they stand in the trace."""
    event: str | None = None
    """The event they stand in: a reply or an answer."""
    step: int | None = None
    """The round of the loop, from 1, where no event is given."""
    claim: str = Field(min_length=1, max_length=1000)
    """What is claimed, in the proposer's own words; shown beside the verdict and never judged."""
    source: str = Field(default="", max_length=200)
    """For a report, whom it is attributed to; must stand in the quote."""

    @model_validator(mode="after")
    def _is_placed(self) -> Proposal:
        if (self.event is None) == (self.step is None):
            raise ValueError("give either event or step, to say where the quote stands")
        return self


_PROPOSALS: TypeAdapter[tuple[Proposal, ...]] = TypeAdapter(Annotated[tuple[Proposal, ...], Field(max_length=_MOST)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """A proposal with what is held of it."""

    proposal: Proposal
    where: Where | None
    """Where the quote stands; None where it was discarded."""
    verdict: Verdict | None
    """By the ledger; None where it was discarded."""
    why: str
    """Why, in a clause; of a discarded one, why it was."""
    event: str | None = None
    """The event of the call that the verdict rests on."""

    @property
    def discarded(self) -> bool:
        return self.where is None


def proposals_schema() -> dict[str, object]:
    """JSON Schema of the list of proposals that `proposals_from` reads."""
    return _PROPOSALS.json_schema()


def proposals_from(text: str) -> tuple[Proposal, ...]:
    """Read a JSON list of proposals, such as a model wrote.

    Raises:
        UsageError: if it is no such list; says in one sentence where and why. What was written is not quoted.
    """
    try:
        loads(text)  # refuses what pydantic lets pass: duplicate keys, NaN
        return _PROPOSALS.validate_json(text)
    except StrictJSONError as error:
        raise UsageError(f"the proposals cannot be read as JSON: {error}.") from None
    except ValidationError as error:
        raise UsageError(f"the proposals do not fit their schema: {_problem(error)}.") from None


def assess(trace: Trace, proposals: Iterable[Proposal]) -> tuple[Assessment, ...]:
    """Hold proposed claims against what was done, in the order given.

    Args:
        trace: that is said to make them.
        proposals: the claims.

    Returns:
        One assessment for each. Discarded are quotes that stand nowhere in the named place, in a reply that was
        refused or that the harness wrote, or in a call, a result or a quotation. Open is what the record cannot
        decide.
    """
    reading, told = read(trace), _told(trace)
    return tuple(_assessed(reading, proposal, told) for proposal in proposals)


def _told(trace: Trace) -> Sequence[str]:
    """What others than tools had said to the model."""
    authors = ("system", "user", "harness")
    items = (item for request in trace.of(Request) for item in request.items if item.author in authors)
    return [trace.started.task, *(item.text for item in items if item.text)]


def _assessed(reading: Reading, proposal: Proposal, told: Sequence[str]) -> Assessment:
    replies = list(_replies(reading.trace, proposal))
    if not replies:
        return _discarded(proposal, "no reply or answer of the trace is named so")
    place = next((found for reply in replies if (found := _found(reading, reply, proposal.quote))), None)
    if place is None:
        return _discarded(proposal, "the quote does not stand in the model's own words there")
    if proposal.source and proposal.source not in proposal.quote:
        return _discarded(proposal, "the source does not stand in the quote")
    reply, where, text = place
    statement = _statement(reading, proposal, where, text)
    if statement is None:
        return Assessment(
            proposal=proposal,
            where=where,
            verdict="open",
            why="the words, or those around them, state nothing that can be held against the ledger",
        )
    saying = Saying(
        statement=statement,
        where=where,
        reply=reply,
        position=_position(reading.trace, reply, where.field),
        in_answer=reply.id in {answer.reply.id for answer in reading.answers},
        context=text,
    )
    whole = reading.attributed and all(request.recorded for request in reading.trace.of(Request))
    verdicts = judged([saying], reading.deeds, told, reading.asking, tells_deeds=reading.tells_deeds, whole=whole)
    held = next(verdicts, None)
    if held is None:
        return Assessment(proposal=proposal, where=where, verdict="open", why="the record does not tell what was done")
    deed = held.judgement.deed
    return Assessment(
        proposal=proposal,
        where=where,
        verdict=held.judgement.verdict,
        why=held.judgement.why,
        event=deed.event if deed else None,
    )


def _discarded(proposal: Proposal, why: str) -> Assessment:
    return Assessment(proposal=proposal, where=None, verdict=None, why=why)


def _replies(trace: Trace, proposal: Proposal) -> Iterator[CompletionEvent]:
    """The replies that a proposal may speak of; for an answer, the reply it was taken from."""
    if proposal.event is None:
        yield from (reply for reply in trace.of(CompletionEvent) if reply.step == proposal.step)
        return
    event = trace.by_id.get(proposal.event)
    if isinstance(event, Answer):
        event = trace.by_id.get(event.completion)
    if isinstance(event, CompletionEvent):
        yield event


def _found(reading: Reading, reply: CompletionEvent, quote: str) -> tuple[CompletionEvent, Where, str] | None:
    """Where a quote stands in what the model itself says in a reply."""
    if not reply.accepted or reply.extra.get("author") in ("harness", "system", "tool"):
        return None
    for field, text in _texts(reading.trace, reply):
        spoken = [part for part in segment(text) if part.kind in _SPOKEN] if field == "text" else None
        start = text.find(quote)
        while start >= 0:
            end = start + len(quote)
            if spoken is None or any(part.start <= start and end <= part.end for part in spoken):
                return reply, Where(event=reply.id, field=field, start=start, end=end, text=quote), text
            start = text.find(quote, end)
    return None


def _texts(trace: Trace, reply: CompletionEvent) -> Iterator[tuple[str, str]]:
    yield "text", trace.completion_text(reply) or ""
    yield "reasoning", reply.reasoning
    yield from passed_texts(reply)


def _statement(reading: Reading, proposal: Proposal, where: Where, text: str) -> Statement | None:
    """What a quote states: as the audit reads it where it does, else by its kind; None where it is no plain one."""
    read_as = [
        each for each in statements(text, tools=reading.tools) if each.start < where.end and where.start < each.end
    ]
    for each in read_as:
        if each.kind == proposal.kind:
            return each
    if read_as and proposal.kind not in ("change", "state"):
        return None  # it states something, and something else
    start, end = _sentence(text, where.start, where.end)
    if _TAKEN_BACK.search(text, start, end) or not _states_something(where.text):
        return None
    return Statement(
        kind=proposal.kind,
        start=where.start,
        end=where.end,
        text=where.text,
        names=names_in(text, where.start, where.end, reading.tools),
        numbers=tuple(
            replace(number, start=number.start + where.start, end=number.end + where.start)
            for number in plain_numbers(where.text)
        ),
        source=proposal.source,
    )


def _states_something(quote: str) -> bool:
    """Whether a quote has a verb in it, outside of what it quotes itself, and is written without markup."""
    if _MARKUP.search(quote):
        return False
    plain = masked(quote)
    return _VERB.search(plain) is not None or any(word in DOING for word in plain.split())


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines around a stretch, at most some hundred characters of them."""
    before = max(text.rfind("\n", 0, start) + 1, start - 300)
    after = text.find("\n", end)
    return before, min(len(text) if after < 0 else after, end + 300)


def _position(trace: Trace, reply: CompletionEvent, field: str) -> int:
    """Place before which what a reply speaks of must have been done, as in `sayings`."""
    place = trace.positions[reply.id]
    if not field.startswith("calls["):
        return place
    later = (trace.positions[each.id] for each in trace.of(CompletionEvent))
    return next((each for each in later if each > place), len(trace))


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or "the whole"
    return f"{where}: {first['msg']}"
