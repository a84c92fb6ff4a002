"""The English verbs that can state what a tool would have to do, with their forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["CHANGES", "DOING", "LOOKUPS", "Verb", "verb_of"]

_CHANGES = """
save write:wrote:written create generate update modify edit change rename move copy:copied delete remove add insert
append replace fix patch implement refactor send:sent email message post publish upload commit:committed push merge
deploy install uninstall configure reconfigure enable disable start restart stop:stopped launch schedule reschedule
book cancel:cancelled cancel:canceled reserve refund submit:submitted register assign reassign transfer:transferred
pay:paid invite share reopen archive restore reset:reset revert apply:applied export import convert migrate build:built
store download refresh issue unsubscribe subscribe notify:notified forward mark adjust correct resolve attach
drop:dropped
rebuild:rebuilt redeploy escalate label tag:tagged clone extend include populate process shut:shut turn set:set
make:made put:put fill record rewrite:rewrote:rewritten undo:undid:undone clean clear trigger fire switch exchange
return remind upgrade downgrade bump format initialize initialise provision seed rotate sync unlock lock ban block
complete finish finalize finalise close draft prepare stage compile bundle package release purge empty:emptied
"""
_LOOKUPS = """
read:read search check recheck verify:verified confirm review run:ran:run rerun:reran:rerun execute test retest compare
inspect examine analyze analyse look query:queried scan:scanned fetch retrieve consult cross-check cross-reference
crosscheck investigate validate find:found locate open visit browse count calculate compute recalculate measure
debug:debugged reproduce use call invoke ask gather collect transcribe watch extract parse list view see:saw:seen
explore research audit double-check evaluate probe trace study:studied observe obtain grep:grepped go:went:gone
pull load try:tried benchmark profile delegate crawl identify:identified determine spot-check walk discover
"""


_REPORTS = """
return print output show:showed:shown say:said report confirm indicate give:gave:given find:found produce raise respond
reply answer state list reveal display yield note mention quote tell:told provide throw:threw log detect establish
suggest
supply complain fail crash exit read:read verify demonstrate request instruct specify direct order approve authorize
assume simulate pretend presume hypothesize estimate guess recall remember contain exist run pass
match affect get:got receive encounter hit:hit agree discuss
"""
_NOUNS = {
    "investigation": "investigate", "investigations": "investigate", "research": "research", "searches": "search",
    "analysis": "analyze", "verification": "verify", "examination": "examine", "lookup": "look up",
    "inspection": "inspect",
    "checks": "check", "inquiry": "investigate", "cross-checking": "cross-check",
    "cross-referencing": "cross-reference",
    "cross-verification": "verify", "script": "run", "command": "run", "tool call": "call", "function call": "call",
    "execution": "run", "attempt": "try", "deployment": "deploy", "installation": "install", "migration": "migrate",
    "booking": "book", "payment": "pay", "cancellation": "cancel", "restart": "restart", "requests": "request",
    "instructions": "instruct", "instruction": "instruct", "hypothetically": "assume", "has": "have", "holds": "hold",
    "contains": "contain", "is": "be", "was": "be",
    "complete": "complete", "analysing": "analyze", "asked": "ask", "wanted": "want",
}  # fmt: skip


class Verb(NamedTuple):
    """A verb of the lexicon."""

    base: str
    past: str
    participle: str


def _verbs(table: str) -> tuple[Verb, ...]:
    return tuple(_verb(entry) for entry in table.split())


def _verb(entry: str) -> Verb:
    base, *forms = entry.split(":")
    if base.endswith("y") and base[-2] not in "aeo":
        regular = base[:-1] + "ied"
    else:
        regular = base + ("d" if base.endswith("e") else "ed")
    past = forms[0] if forms else regular
    return Verb(base, past, forms[-1] if forms else past)


def _forms(verbs: tuple[Verb, ...]) -> Mapping[str, str]:
    return {form: verb.base for verb in verbs for form in (verb.past, verb.participle)}


CHANGES = _forms(_verbs(_CHANGES))
"""Past and participle of the verbs for changes, with their bases."""
LOOKUPS = _forms(_verbs(_LOOKUPS))

DOING: Mapping[str, str] = {**LOOKUPS, **CHANGES}
_SAID = _forms(_verbs(_REPORTS))
_BASES = frozenset((*DOING.values(), *_SAID.values()))


def verb_of(written: str) -> str:
    """The base of a past, a participle, a gerund, a third person or a noun; the word itself where there is none."""
    for table in (_NOUNS, DOING, _SAID):
        if written in table:
            return table[written]
    if written.endswith("ing"):
        stem = written[:-3]
        return next((base for base in (stem, stem + "e", stem[:-1]) if base in _BASES), written)
    return written[:-1] if written.endswith("s") and written[:-1] in _BASES else written
