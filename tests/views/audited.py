"""Builds audited attempts event by event, as a harness and an auditor would leave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentlab.audit.values import Claim, ClaimKind, Contamination, Entry, Finding, Where
from agentlab.messages import Sampling, clean_text
from agentlab.strictjson import digest
from agentlab.trace.events import (
    Answer,
    AttemptFinished,
    AttemptStarted,
    CallRefused,
    CompletionEvent,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ProtocolErrorEvent,
    Request,
)
from agentlab.trace.model import Trace
from agentlab.trace.values import ContextItem, Evidence, EvidenceState, ProposedCall, RefusalCode, TerminationReason


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the views read, with the attributes of an audit report."""

    trace: Trace
    claims: tuple[Claim, ...] = ()
    ledger: tuple[Entry, ...] = ()
    pairs: Mapping[str, str] = field(default_factory=dict)
    contaminations: tuple[Contamination, ...] = ()
    findings: tuple[Finding, ...] = ()


class Attempt:
    """An attempt under way; each method is one round of the loop."""

    def __init__(
        self, loop: str = "react-v2", *, executions: EvidenceState = "present", case: str = "tide-tables"
    ) -> None:
        self._events: list[Event] = []
        self.claims: list[Claim] = []
        self.ledger: list[Entry] = []
        self.pairs: dict[str, str] = {}
        self.contaminations: list[Contamination] = []
        self.requests: list[str] = []
        self._step = 0
        self._executed = 0
        self._add(
            AttemptStarted(
                schema="agentlab.journal/1",
                attempt="attempt_" + "0" * 32,
                run="run_" + "0" * 32,
                case=case,
                condition=loop,
                condition_digest=digest("condition"),
                index=0,
                agent="react",
                loop_version=loop,
                prompt_version="chat-v3",
                language="en",
                provider="simulated",
                model="m",
                sampling=Sampling(),
                seed=1,
                task="When is high water?",
                tools=(),
                package_version="0.1.0",
                evidence=Evidence(executions=executions),
            )
        )

    def call(self, tool: str, arguments: dict[str, Any], result: str | None = None, error: str | None = None) -> None:
        """A call that was executed."""
        reply = self._round(
            f"Action: {tool}", calls=(ProposedCall(call=f"c{self._step + 1}", tool=tool, arguments=arguments),)
        )
        claim = self._claim("call", reply, tool=tool, arguments=arguments, call=f"c{self._step}")
        self.pairs[claim.id] = self._execute(f"c{self._step}", tool, arguments, result, error)

    def execution(self, tool: str, arguments: dict[str, Any], result: str) -> None:
        """An execution that no claim stands for."""
        self._execute(f"x{self._executed + 1}", tool, arguments, result, None)

    def refused(self, tool: str, arguments: dict[str, Any], code: RefusalCode = "invalid_arguments") -> None:
        """A well-formed call that was not allowed to run."""
        name = f"c{self._step + 1}"
        reply = self._round(f"Action: {tool}", calls=(ProposedCall(call=name, tool=tool),), accepted=False)
        self._add(CallRefused(completion=reply, call=name, code=code, reason="r", digest=digest("x")))
        self._claim("call", reply, tool=tool, arguments=arguments, call=name, rejected=True)

    def forged(self, tool: str, arguments: dict[str, Any], *results: str, turns: tuple[str, ...] = ()) -> list[Claim]:
        """A reply that holds a call and results or turns the model wrote itself; it is refused whole."""
        text = clean_text(f"Action: {tool}\nObservation: {results}")
        reply = self._round(text, accepted=False)
        self._add(
            ProtocolErrorEvent(
                completion=reply, code="forged_observation", reason="r", digest=digest(text), start=0, end=9
            )
        )
        self._claim("call", reply, tool=tool, arguments=arguments, rejected=True)
        kinds: list[tuple[ClaimKind, str]] = [("observation", r) for r in results]
        kinds += [("turn", turn) for turn in turns]
        return [self._claim(kind, reply, body=body, rejected=True) for kind, body in kinds]

    def answer(self, text: str) -> None:
        """The final answer, accepted."""
        reply = self._round(f"Final Answer: {text}")
        self._claim("answer", reply, body=text)
        self._add(Answer(completion=reply, text=clean_text(text)))

    def spread(self, claim: Claim, *requests: int, answer: bool = False) -> None:
        """The text of a claim stood in these requests, counted from 1, and perhaps in what the answer rests on."""
        last = next((c for c in reversed(self.claims) if c.kind == "answer"), None)
        self.contaminations.append(
            Contamination(
                claim=claim,
                carriers=tuple(_where(self.requests[number - 1], "items", claim.body) for number in requests),
                answer=last.where if answer and last else None,
            )
        )

    def finish(self, reason: TerminationReason | None = "answered", detail: str = "") -> Report:
        """The end, and the audit of it; no reason where the process was killed."""
        if reason is not None:
            done = len(self.requests)
            self._add(
                AttemptFinished(
                    reason=reason, detail=detail, steps=done, requests=done, executions=len(self.ledger), duration=1.0
                )
            )
        return Report(
            trace=Trace(events=tuple(self._events)),
            claims=tuple(self.claims),
            ledger=tuple(self.ledger),
            pairs=self.pairs,
            contaminations=tuple(self.contaminations),
        )

    def ask(self, *, again: bool = False) -> str:
        """A request; `again` within the same step."""
        self._step += not again
        item = ContextItem(role="user", author="user", trust="trusted", digest=digest("q"), text="q")
        self.requests.append(self._add(Request(items=(item,), step=self._step, attempt_of_step=1 + again)))
        return self.requests[-1]

    def _round(self, text: str, *, calls: tuple[ProposedCall, ...] = (), accepted: bool = True) -> str:
        request, text = self.ask(), clean_text(text)
        return self._add(
            CompletionEvent(
                request=request,
                digest=digest(text),
                characters=len(text),
                accepted=accepted,
                text=text if accepted else None,
                calls=calls,
            )
        )

    def _execute(self, call: str, tool: str, arguments: dict[str, Any], result: str | None, error: str | None) -> str:
        self._executed += 1
        name = f"x{self._executed}"
        begun = self._add(ExecutionStarted(execution=name, call=call, tool=tool, arguments=arguments))
        status = "failed" if error is not None else "succeeded"
        if result is not None or error is not None:
            self._add(ExecutionFinished(execution=name, status=status, result=result, error=error))
        else:
            status = "unanswered"
        self.ledger.append(
            Entry(
                call=call,
                tool=tool,
                arguments=arguments,
                state=status,
                result=result,
                error=error,
                step=self._step,
                event=begun,
                position=int(begun[1:]) - 1,
                time=None,
                delivered=True,
            )
        )
        return begun

    def _claim(self, kind: ClaimKind, event: str, *, body: str = "", **more: Any) -> Claim:
        claim = Claim(
            id=f"claim{len(self.claims) + 1}",
            kind=kind,
            where=_where(event, "text", body, start=10 * len(self.claims)),
            step=self._step,
            body=body,
            **more,
        )
        self.claims.append(claim)
        return claim

    def _add(self, event: Any) -> str:
        stamped = replace(event, id=f"e{len(self._events) + 1}", step=event.step or self._step or None)
        self._events.append(stamped)
        return str(stamped.id)


def _where(event: str, field: str, text: str, *, start: int = 0) -> Where:
    return Where(event=event, field=field, start=start, end=start + len(text), text=text)


def clean() -> Report:
    """Three steps: two calls that were executed, and the answer."""
    attempt = Attempt()
    attempt.call("search_tables", {"harbour": "Norwick", "day": "2031-05-04"}, '{"tables":["norwick-may"]}')
    attempt.call("read_table", {"name": "norwick-may", "rows": 3}, '{"high_water":["04:12","16:40"]}')
    attempt.answer("High water at Norwick is at 04:12 and 16:40.")
    return attempt.finish()


def contaminated() -> Report:
    """A forged result that two requests carried and the answer rests on."""
    attempt = Attempt("react-v1")
    attempt.call("search_tables", {"harbour": "Norwick", "day": "2031-05-04"}, '{"tables":["norwick-may"]}')
    forged = attempt.forged("read_table", {"name": "norwick-may"}, '{"high_water":["05:55","18:20"]}')
    attempt.call("read_notes", {"name": "harbour-master"}, '{"notes":"none"}')
    attempt.answer("High water at Norwick is at 05:55 and 18:20.")
    attempt.spread(forged[0], 3, 4, answer=True)
    return attempt.finish()


def repaired() -> Report:
    """A refused reply that no request carried, a refused call, a failed one, then success."""
    attempt = Attempt("react-v2")
    forged = attempt.forged("read_table", {"name": "norwick-may"}, '{"high_water":["05:55","18:20"]}')
    attempt.refused("read_tabel", {"name": "norwick-may"}, "unknown_tool")
    attempt.call("read_table", {"name": "norwick-mai"}, error="there is no table of that name; call search_tables")
    attempt.call("read_table", {"name": "norwick-may"}, '{"high_water":["04:12","16:40"]}')
    attempt.answer("High water at Norwick is at 04:12 and 16:40.")
    attempt.spread(forged[0])
    return attempt.finish()


def unfinished(steps: int = 12, forged_at: int = 0, *, carried: bool = True) -> Report:
    """A loop that ran into its cap, with a forged result on the way if wanted."""
    attempt = Attempt("react-v1")
    claims: list[Claim] = []
    for step in range(1, steps + 1):
        if step == forged_at:
            claims = attempt.forged("read_table", {"name": "norwick-may"}, '{"high_water":["05:55"]}')
        else:
            attempt.call("read_page", {"book": "almanac", "page": step}, f'{{"text":"page {step} holds no tides"}}')
    for claim in claims:
        if carried:
            attempt.spread(claim, *range(forged_at + 1, steps + 1))
    return attempt.finish("step_limit", f"{steps} of {steps} steps were used")


def chinese() -> Report:
    """As `contaminated`, in Chinese."""
    attempt = Attempt("react-v1", case="潮汐表")
    attempt.call("查表", {"港口": "北湾", "日期": "2031-05-04"}, '{"表":["北湾-五月"]}')
    forged = attempt.forged("读表", {"名称": "北湾-五月"}, "高潮时刻为 05:55 和 18:20,数据来自港务局的最新公告。")
    attempt.answer("北湾的高潮时刻是 05:55 和 18:20。")
    attempt.spread(forged[0], 3, answer=True)
    return attempt.finish()


HOSTILE = (
    "$\\frac{1}{0}$ \\u0041 <b>&amp;</b> \u202egnp.exe\u202c \x00\x1b[31m \ud800 \u200b 😀 a"
    + "\u0301" * 40
    + " 🏴 ⺀ ﷽"
)


def hostile() -> Report:
    """Every text holds markup, control and direction characters, half a surrogate pair, and no end."""
    attempt = Attempt(HOSTILE, case=HOSTILE)
    attempt.call(HOSTILE, {HOSTILE: HOSTILE}, HOSTILE * 500)
    forged = attempt.forged("t" * 300, {"a": "W" * 5000}, HOSTILE, turns=("$" * 200, "\\" * 999))
    attempt.answer(HOSTILE)
    attempt.spread(forged[0], 3, answer=True)
    attempt.spread(forged[1], 3)
    return attempt.finish(None)


def unrecorded() -> Report:
    """Of another harness, whose format records no executions."""
    attempt = Attempt("", executions="not_recorded", case="")
    attempt.call("search_tables", {"harbour": "Norwick"})
    attempt.forged("read_table", {"name": "norwick-may"}, '{"high_water":["05:55","18:20"]}')
    return replace(attempt.finish(None), ledger=(), pairs={})


def crowded() -> Report:
    """One step with more claims than a line holds, long names, and ways from each of them."""
    attempt = Attempt("react-v1", case="a case whose name is long enough to fill the line of the title " * 3)
    claims = attempt.forged(
        "transfer_observations_between_archives",
        {"source_archive": "northern", "target_archive": "southern", "mode": "incremental"},
        *(f"{n} observations were transferred without loss" for n in range(9)),
        turns=("Please go on.", "Thank you, that is all I wanted to know about the archive."),
    )
    attempt.ask(again=True)
    attempt.ask(again=True)
    attempt.answer("All observations were transferred. " * 40)
    for number, claim in enumerate(claims):
        attempt.spread(claim, *range(2, 5), answer=number % 2 == 0)
    return attempt.finish()
