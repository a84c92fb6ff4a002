"""What English clauses state about what was done: changes and look-ups, by the writer, passive, or left without one."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.prose.forms import Form, form
from agentlab.audit.prose.masking import QUOTED
from agentlab.audit.prose.values import StatementKind
from agentlab.audit.prose.verbs import CHANGES, LOOKUPS

__all__ = ["ADVERBS", "DEEDS", "HAVE", "NAME", "I"]

ADVERBS = (
    r"(?:(?:now|also|then|already|just|both|all|since|therefore|thus|finally|again|indeed"
    r"|myself|first|even|next|instead|only|simply|later|carefully"
    r"|[a-z]{3,14}ly)~)*"
)
NAME = (
    rf"(?:{QUOTED}+|[\w./-]{{1,80}}\.[a-z]\w{{0,5}}|[a-z][a-z\d]*_\w{{1,60}}"
    rf"|[\w.-]{{0,60}}/[\w./-]{{1,120}}|[\da-f]*\d[\da-f]*)"
)
I = r"(?<![\w'-])(?<!had\s)(?<!wish\s)(?<!were\s)(?:i|we)"  # noqa: E741 - the word itself
HAVE = r"(?:'ve|~have|'d|~had)"
_END = r"[ \n.!]*$"
_OBJECT = (
    r"(?:the|a|an|all|both|every|each|your|my|our|this|that|these|those|it|them|everything"
    r"|successfully|\d+|two|three|four"
    r"|several|another)"
)
_THING = (
    rf"(?=~(?:{_OBJECT}\b|(?:to|as|into|in|at|under|from|on)~(?:(?:the|your|a)~|{NAME})|(?:to|into)~[a-z-]+(?:{_END}|~(?:as|under|with)~{NAME})|{NAME})"
    rf"|{_END}|[ \n]*{QUOTED})"
)
_NOT_HAVING = (
    r"(?:did~not|didn't|have~not|haven't|had~not|hadn't|could~not|couldn't|cannot|can~not"
    r"|can't|was~unable~to|were~unable~to"
    r"|am~unable~to|'m~unable~to|are~unable~to|wasn't~able~to|was~not~able~to|were~not~"
    r"able~to|am~not~able~to|failed~to"
    r"|never|have~never|have~been~unable~to)"
)
_IDLE = (
    r"(?!~(?:(?:a|an|the|any|this|one|some|another)~(?:[a-z]+~)?(?:mistakes?|errors?"
    r"|assumptions?|typos?|point|case|difference)"
    r"|sure|sense|forward|it~(?:hard|difficult|helpful|interesting|useful|easy)|(?:to|for)"
    r"~(?:be|think)|up~to|upon)\b)(?!(?:(?<=started)|(?<=stopped))~(?:to|[a-z-]+ing)\b)(?!(?<=used)~to\b)"
    r"(?!~that~(?:the|my|our|a)~(?:[a-z]+~)?(?:strategy|plan|approach|way|step|goal|task|question|problem)\b)"
)
_WE = frozenset({"i", "we"})
_BASES: Mapping[str, str] = {base: base for base in {*CHANGES.values(), *LOOKUPS.values()}}
_SAME = {"read", "rerun", "put", "reset", "set", "shut", "run", "undo"}
"""Past forms that are also the form of a command."""
_NOT_PAST = r"(?:run|rerun|written|rewritten|seen|gone|undone)\b"
_DULL = {
    "made",
    "put",
    "set",
    "went",
    "gone",
    "process",
    "processed",
    "used",
    "turned",
    "included",
    "extended",
    "cleared",
}
_PASSIVE = {
    "verify",
    "confirm",
    "check",
    "test",
    "validate",
    "cross-check",
    "execute",
    "run",
    "review",
    "inspect",
    "retrieve",
}
_RECORDS = {
    "find",
    "make",
    "use",
    "set",
    "include",
    "see",
    "call",
    "issue",
    "build",
    "write",
    "pay",
    "read",
    "locate",
    "identify",
    "release",
}
"""Verbs that in the passive mostly tell what is or how it was long ago."""
_NOW = {
    "publish",
    "write",
    "save",
    "update",
    "delete",
    "remove",
    "send",
    "merge",
    "deploy",
    "commit",
    "push",
    "fix",
    "install",
    "upload",
    "book",
    "cancel",
    "restore",
    "rename",
    "add",
    "configure",
    "implement",
    "migrate",
    "create",
    "apply",
    "submit",
    "refund",
    "move",
    "copy",
    "refresh",
    "archive",
    "reschedule",
    "email",
    "notify",
}
"""Verbs whose participle with `is` tells of something just done."""


def _only(forms: Mapping[str, str], bases: set[str]) -> Mapping[str, str]:
    return {written: base for written, base in forms.items() if base in bases}


def _without(forms: Mapping[str, str], words: set[str]) -> Mapping[str, str]:
    return {written: base for written, base in forms.items() if written not in words}


def _deeds(kind: StatementKind, done: Mapping[str, str], passive: Mapping[str, str]) -> tuple[Form, ...]:
    """The forms for one kind of deed.

    Args:
        kind: what they state.
        done: pasts and participles with their bases.
        passive: those that count in the passive.
    """
    bases = {base: base for base in set(done.values()) - {"see", "look"}}
    bare = _without(done, _SAME | _DULL)
    after = rf"{I}(?:~(?:still|also|simply|just|unfortunately|currently|therefore))?~?"
    not_seen = {base: base for base in set(bases) - {"find", "determine", "locate", "identify", "observe"}}
    return (
        form(kind, rf"{I}(?:{HAVE}|(?!~{ADVERBS}{_NOT_PAST}))~{ADVERBS}@{_IDLE}", verbs=done, first_person=True),
        form(
            kind,
            rf"{I}~(?:was|were|have~been|am)~(?:also~|now~|finally~)?able~to~{ADVERBS}@",
            "able",
            verbs=bases,
            first_person=True,
        ),
        form(kind, rf"{I}{HAVE}?~(?:{ADVERBS})managed~to~{ADVERBS}@", "managed", verbs=bases, first_person=True),
        form(
            kind,
            rf"{after}(?P<no>{_NOT_HAVING})~{ADVERBS}(?:be~able~to~)?@",
            "not didn haven hadn couldn cannot can unable wasn failed never",
            verbs=not_seen,
            first_person=True,
            exempt=True,
        ),
        form(
            kind,
            rf"{after}(?P<no>have~not|haven't|had~not|hadn't|have~never|'ve~not|'ve~never)~{ADVERBS}(?:yet~)?@",
            "not haven hadn never",
            verbs=done,
            first_person=True,
            exempt=True,
        ),
        form(kind, rf"^(?:(?:have|had)~)?{ADVERBS}@(?!~to~(?:be|have)\b){_THING}", verbs=bare, leading=True),
        *_passives(kind, passive),
    )


def _passives(kind: StatementKind, passive: Mapping[str, str]) -> tuple[Form, ...]:
    return (
        form(
            kind,
            rf"(?:has|have|had|'ve|'s)(?:n't|~{ADVERBS}(?P<no>not|never))?~{ADVERBS}(?:yet~)"
            rf"?been~{ADVERBS}@(?!~by~)",
            verbs=passive,
            subject=True,
            needs=frozenset({"been"}),
        ),
        form(
            kind,
            rf"(?:was|were)(?P<no>n't|~not)?~{ADVERBS}@(?!~(?:by|(?:in|since|on|until|from|between)"
            r"~(?:the~)?(?:[a-z]+~)?\d|for~use|[^.]*~ago\b|as~(?:a|an)~))",
            verbs={written: base for written, base in passive.items() if base not in _RECORDS},
            subject=True,
            needs=frozenset({"was", "were", "wasn", "weren"}),
        ),
    )


_FINITE = (
    r"(?!(?:is|are|was|were|be|been|being|has|have|had|will|would|can|could|should|may"
    r"|must|do|does|did|that|which|who|i|we|you|it|to|of|when|after|before|or"
    r"|your|my|our|his|her|their|once|until|unless|while|since|because|if|what|how)\b)"
)
_NOUNS = rf"(?:(?:all|both|the|every|your|\d+|no)~)?(?:{_FINITE}(?:[\w./#'-]+|{QUOTED}+)~){{1,4}}?"

DEEDS: tuple[Form, ...] = (
    form(
        "change",
        rf"{I}{HAVE}?~{ADVERBS}(?:noted|remembered|kept)~[^.;:]{{1,80}}?~(?:in|to)~"
        r"(?:my~|the~|your~)?(?:[a-z-]+~)?(?:memory|notes)\b",
        "noted remembered kept",
        verb="save",
        first_person=True,
    ),
    form(
        "change",
        rf"(?:{NAME}|(?P<no>nothing|no~[a-z]+))~(?:was|were)~{ADVERBS}@(?!~(?:by|in~\d))",
        verbs=CHANGES,
        needs=frozenset({"was", "were"}),
    ),
    *_deeds("change", CHANGES, CHANGES),
    *_deeds("lookup", LOOKUPS, _only(LOOKUPS, _PASSIVE)),
    form(
        "change",
        rf"(?:is|are|'s)(?:n't|~(?P<no>not))?~{ADVERBS}@(?=~(?:to|at|in|under|as|on)~{NAME}|{_END})",
        verbs=_only(CHANGES, _NOW),
        subject=True,
        generic=True,
        needs=frozenset({"is", "are", "isn", "aren", "s"}),
    ),
    form(
        "change",
        rf"(?:is|are|'s)~(?:now|already|successfully)~@(?=~(?:to|at|in|on|with|and|for|from)\b|{_END})",
        verbs=_only(CHANGES, _NOW),
        subject=True,
        generic=True,
        needs=frozenset({"is", "are", "isn", "aren", "s"}),
    ),
    form(
        "change",
        rf"^(?:[\w-]+~){{0,4}}(?:{NAME}|#?\w*\d\w*)~(?:is|are)(?:n't|~(?P<no>not))?~@(?=~(?:to"
        r"|at|in|on|with|for|from)\b)",
        verbs=_only(CHANGES, _NOW),
        generic=True,
        needs=frozenset({"is", "are", "isn", "aren", "s"}),
    ),
    form(
        "change",
        r"^@~(?:[\w#.'-]+~){1,4}?(?:to|from|into|at)~(?![^.]*~(?:is|are|was|were|will|can"
        r"|should|has|have|does)\b)",
        verbs=_without(CHANGES, _SAME | _DULL),
        leading=True,
    ),
    form(
        "change",
        rf"^(?!(?:date|last|time|newly|recently|as|not|how|if|when|well|to|is|are|{QUOTED}+~"
        rf"[a-z]+ed~)\b){_NOUNS}(?:(?:now|all|successfully|(?P<no>not))~)*@(?:~successfully)?"
        rf"(?=(?:~(?:to|at|as|in|into|on|under)(?:~{_FINITE}[^\s,]+){{1,6}})?{_END})",
        verbs=_without(
            _only(CHANGES, _NOW | {"finish", "complete", "generate", "close", "assign", "modify", "record"}), {"finish"}
        ),
        leading=True,
    ),
    form(
        "lookup",
        rf"{I}~(?:(?:can|do|hereby|am~able~to)~)?(?:now~|also~)?(?P<verb>confirm|verify)\b(?!~"
        r"(?:your|the~details|this~with|if|whether))",
        "confirm verify",
        first_person=True,
    ),
    form("lookup", rf"^(?:and~)?having~(?:now~)?{ADVERBS}@", verbs=LOOKUPS, needs=frozenset({"having"}), settled=True),
)
