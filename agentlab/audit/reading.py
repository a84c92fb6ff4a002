"""One reading of a trace: what was claimed, what was executed, what belongs together, what travelled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agentlab.audit.arguments import CallKey, call_key
from agentlab.audit.claims.answering import GivenAnswer, given_answers
from agentlab.audit.claims.claims import Parts, claims_of, parts_of
from agentlab.audit.claims.illustrating import Illustrations
from agentlab.audit.claims.saying import Saying, sayings
from agentlab.audit.code.runs import CodeRun, code_runs
from agentlab.audit.evidence.effects import effect_of
from agentlab.audit.judging.asking import Asking
from agentlab.audit.judging.deeds import Deeds
from agentlab.audit.judging.judge import Judged, judged
from agentlab.audit.judging.known import Shelf
from agentlab.audit.ledger import ledger
from agentlab.audit.matching import executed_as
from agentlab.audit.origins.index import Origins
from agentlab.audit.prose.masking import masked
from agentlab.audit.provenance.paths import Provenance
from agentlab.audit.provenance.standing import loses, tells_contexts
from agentlab.audit.support import Support
from agentlab.audit.tooling import known_tools
from agentlab.audit.values import FORGED, Claim, Contamination, Entry
from agentlab.trace.events import Request
from agentlab.trace.model import Trace

__all__ = ["Reading", "read"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the rules judge."""

    trace: Trace
    parts: Parts
    claims: tuple[Claim, ...]
    recalled: tuple[Claim, ...]
    """Results and turns that repeat word for word what the model had been shown; they are not among the claims."""
    ledger: tuple[Entry, ...]
    executed: Mapping[str, Entry]
    """What each claim of kind call was executed as, by claim id; matched by event, never by value."""
    contaminations: tuple[Contamination, ...]
    """None are looked for where the record does not say who wrote what."""
    support: Support
    asking: Asking
    """What the user alone said."""
    illustrations: Illustrations
    """What replies only show or describe; it is not among the claims."""
    attributed: bool
    """Whether the record says who wrote what; where it does not, text in a reply may be anybody's."""

    @property
    def forged(self) -> tuple[Claim, ...]:
        """Results and turns that the model wrote itself."""
        return tuple(claim for claim in self.claims if claim.kind in FORGED)

    @property
    def executions_recorded(self) -> bool:
        return self.trace.evidence.executions != "not_recorded"

    def call_of(self, claim: Claim) -> Claim | None:
        """The call that a claimed result stands under."""
        return self._by_id[claim.about] if claim.about else None

    def executions_of(self, call: Claim) -> tuple[Entry, ...]:
        """The execution a call was run as; where there is none, those of the same tool with the same arguments."""
        own = self.executed.get(call.id)
        return (own,) if own else self._same.get(call_key(call.tool, call.arguments), ())

    def nearest(self, claim: Claim, entries: Sequence[Entry]) -> Entry | None:
        """The execution that began next after a claim, else the last before it."""
        born = self.trace.positions[claim.where.event]
        return next((entry for entry in entries if entry.position > born), entries[-1] if entries else None)

    def executions_with(self, tool: str | None) -> tuple[Entry, ...]:
        """The executions of a tool, whatever its arguments were."""
        return tuple(entry for entry in self.ledger if entry.tool == tool)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools and agents that were known."""
        return known_tools(self.trace)

    @cached_property
    def asked_tools(self) -> frozenset[str]:
        """Those that are asked for something: neither one that only runs programs, nor one that ends the attempt."""
        runners = {run.execution.tool for run in self.runs}
        return frozenset(tool for tool in self.tools - runners if effect_of(tool, None).kind != "finish")

    @cached_property
    def deeds(self) -> Deeds:
        """Every call that ran or was answered, with its effect and its outcome."""
        return Deeds(self.trace)

    @cached_property
    def shelf(self) -> Shelf:
        """What was known at each place; each text is read once for all rules that ask."""
        return Shelf(self.deeds, self.told)

    @cached_property
    def origins(self) -> Origins:
        """Who wrote which text first."""
        return Origins(self.trace)

    @cached_property
    def runs(self) -> tuple[CodeRun, ...]:
        """Programs that replies hold and that were run."""
        return code_runs(self.trace)

    @cached_property
    def answers(self) -> tuple[GivenAnswer, ...]:
        """Every answer that an agent gave."""
        return given_answers(self.trace, self.claims, self.runs)

    @cached_property
    def sayings(self) -> tuple[Saying, ...]:
        """What was stated, sentence by sentence."""
        done = (deed.done for deed in self.deeds.all if deed.done is not None)
        return sayings(
            self.trace,
            self.parts,
            self.answers,
            self.tools,
            self.plain,
            since=min(done, default=len(self.trace)),
            also={run.reply.id for run in self.runs},
        )

    def plain(self, text: str) -> str:
        """A reply, or a part of one, masked for reading; each once for all rules."""
        known = self._plain.get(text)
        if known is None:
            known = self._plain[text] = masked(text)
        return known

    @cached_property
    def said_in(self) -> Mapping[str, Sequence[Saying]]:
        """The same by reply."""
        found: dict[str, list[Saying]] = defaultdict(list)
        for saying in self.sayings:
            found[saying.reply.id].append(saying)
        return found

    @property
    def tells_deeds(self) -> bool:
        """Whether what is no deed was not done: not where calls stand in texts only, whose results nothing marks."""
        unbound = any(claim.kind == "call" and claim.call is None and not claim.rejected for claim in self.claims)
        return self.attributed and self.deeds.recorded and not unbound

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """What is held of each statement; nothing where the record cannot tell what was done."""
        whole = self.attributed and all(request.recorded for request in self.trace.of(Request))
        tells = self.tells_deeds
        return tuple(judged(self.sayings, self.deeds, self.told, self.asking, tells_deeds=tells, whole=whole))

    @cached_property
    def loses(self) -> bool:
        """Whether a context may leave out what an earlier one held; not where nobody recorded what they held."""
        return tells_contexts(self.trace) and loses(self.trace)

    @cached_property
    def told(self) -> Sequence[str]:
        """What the system, the user and the harness said to the model, each text once."""
        return self._texts_of("system", "user", "harness")

    def _texts_of(self, *authors: str) -> Sequence[str]:
        items = (item for request in self.trace.of(Request) for item in request.items if item.author in authors)
        return [self.trace.started.task, *(item.text for item in items if item.text)]

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {}

    @cached_property
    def _by_id(self) -> Mapping[str, Claim]:
        return {claim.id: claim for claim in self.claims}

    @cached_property
    def _same(self) -> Mapping[CallKey, tuple[Entry, ...]]:
        found: dict[CallKey, list[Entry]] = defaultdict(list)
        for entry in self.ledger:
            found[call_key(entry.tool, entry.arguments)].append(entry)
        return {key: tuple(entries) for key, entries in found.items()}


def read(trace: Trace) -> Reading:
    """Read a trace once, for all rules."""
    entries = ledger(trace)
    provenance = Provenance(trace, entries)
    support = Support(trace, entries)
    parts = parts_of(trace)
    said = claims_of(trace, parts)
    recalled = {claim.id: claim for claim in said if provenance.is_recalled(claim)}
    asking = Asking(trace)
    illustrations = Illustrations(trace, parts, said, asking)
    none = illustrations.found.union(recalled)
    claims = tuple(claim for claim in said if claim.id not in none)
    attributed = trace.evidence.authorship != "not_recorded"
    return Reading(
        trace=trace,
        parts=parts,
        claims=claims,
        recalled=tuple(recalled.values()),
        ledger=entries,
        executed=executed_as(trace, claims, entries),
        contaminations=tuple(provenance.contaminations(claims, support)) if attributed else (),
        support=support,
        asking=asking,
        illustrations=illustrations,
        attributed=attributed,
    )
