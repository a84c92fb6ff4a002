"""What English clauses state about checks, about the state of things, and that all is done."""

from __future__ import annotations

from agentlab.audit.prose.english import ADVERBS, HAVE, NAME, I
from agentlab.audit.prose.forms import Form, alternatives, form
from agentlab.audit.prose.masking import QUOTED

__all__ = ["CHECKS", "STATES"]

_WE = frozenset({"i", "we"})
_END = r"[ \n.!]*$"
_STILL = r"(?:(?:now|all|still|also|then|both|again|already|currently|indeed|successfully)~)*"
_TESTS = (
    r"(?:tests?|suites?|specs?|checks?|test~cases?|builds?|lint(?:er|ing)?|type-?check(?:s"
    r"|er|ing)?|ci|pipelines?|assertions?"
    r"|compilation|validations?|pytest|mypy|tsc|eslint|ruff|pyright|flake8|pylint|clippy|jest|vitest|tox|test~runs?)"
)
_PLACE = (
    rf"(?:~(?:in|of|for|under|inside|within|from)~(?:the~|this~|your~|our~)?(?:[\w./-]+|{QUOTED}+)"
    r"(?:~(?:module|folder|director(?:y|ies)|package|suite|file|crate|project|service|component))?)?"
)
"""Where tests stand, or what they are of."""
_TEST_CUES = (
    "pass passes passed passing succeed succeeds succeeded fail fails failed failing green red clean successful broken"
    " happy fine through"
)
_GOOD = (
    rf"(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are|was|were|came~back|come~back|comes~back)~{_STILL}(?:green"
    rf"|passing|successful|clean|happy|fine)|went~through(?=,|{_END})|(?:runs?|ran)~(?:clean|green|cleanly)"
    rf"|have~{_STILL}passed|has~{_STILL}passed)"
)
_BAD = (
    rf"(?P<no>fail(?:s|ed)?|(?:is|are|was|were)~{_STILL}(?:red|failing|broken)|(?:do|does"
    r"|did)(?:n't|~not)~(?:pass|succeed))"
)
_TRY_WORDS = (
    "patch edit update write upload push commit deployment install installation migration"
    " download booking payment transfer"
    " cancellation refund build_step import export merge request operation change restart rollback"
    " backup deploy release rollout launch"
)
_TRIES = alternatives(_TRY_WORDS)
_LOOKS = alternatives("search query command script call lookup run execution attempt tool_call function_call")

CHECKS: tuple[Form, ...] = (
    form(
        "check",
        r"^(?:everything|all(?:~of~them)?|all~\d+)~(?:now~|still~)?(?:(?:pass(?:es|ed)?|succeeded)"
        r"(?:~(?:now|again|fine|cleanly|too|as~well))*|(?:(?:is|are|was|were|came~(?:back|out)|looks|comes~back)~(?:now~|all~|still~)*)?(?:green|passing)"
        r"(?:~(?:now|again|across~the~board))?)[ \n.!]*$",
        "pass passes passed succeeded green passing",
        verb="pass",
    ),
    form(
        "check",
        r"\b(?:pass(?:es|ed)?|(?:is|are)~(?:now~)?passing)~(?:all|every|each|the|both|its|our|your)~(?:\d+~)?"
        r"(?:of~(?:the|our|its)~)?(?:[a-z-]+~){0,2}?(?:tests?|checks?|suites?|specs?|test~cases|linters?|ci|builds?)\b",
        "pass passes passed passing",
        subject=True,
        generic=True,
        verb="pass",
    ),
    form(
        "check",
        r"(?:type-?~?checks|typechecks|lints|(?:compiles|compiled|builds|built|ran|executed|went)(?=~(?:now~|all~)*"
        r"(?:cleanly|fine|ok|okay|successfully)\b))(?:~(?:now|all|fully|again))*"
        r"(?:~(?:cleanly|fine|ok|okay|successfully))?(?=,|[ \n.!]*$)",
        "type type-checks typechecks lints compiles compiled builds built ran executed went",
        subject=True,
        generic=True,
        verb="pass",
    ),
    form(
        "check",
        r"^(?:(?P<no>[1-9]\d*)|0|zero)~(?:[a-z]+~)?(?:errors?|failures?)[ \n.!]*$",
        "error errors failure failures",
        verb="pass",
    ),
    form(
        "check",
        r"\b(?:ran|compiled|built|executed|(?:build|compilation|suite|pipeline|test~run)~"
        r"(?:completed|finished|ran))"
        r"~successfully\b",
        "successfully",
        needs=frozenset(["ran", "compiled", "built", "executed", "completed", "finished"]),
        verb="pass",
    ),
    form(
        "check",
        r"\b(?:linter|compiler|ci|type~checker|suite|pipeline|test~runner|mypy|pyright|ruff|eslint|tsc|flake8|pylint"
        r"|shellcheck|clippy|pytest)~(?:now~)?(?:reports"
        r"|shows|finds|says|reported|showed|found)~(?:no|zero|0)~(?:[a-z]+~)?(?:issues|errors|failures|warnings"
        r"|problems)",
        "issues errors failures warnings problems",
        verb="pass",
    ),
    form(
        "check",
        r"(?P<odd>\b(?:a|an|any|make|let|get|help|have|makes|lets|gets|helps|making|getting"
        rf"|letting)~(?:[\w-]+~){{0,3}})?\b{_TESTS}{_PLACE}~{_STILL}(?:{_GOOD}|{_BAD})\b(?!~(?:to|in"
        r"|into|by|through|via|over|from|if|when|only|unless|an?|the|its|this|control|data"
        r"|arguments?|parameters?|values?)\b)",
        _TEST_CUES,
        verb="pass",
        generic=True,
    ),
    form(
        "check",
        rf"^(?:and~)?(?:it|they)~{_STILL}(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are|was|were)~{_STILL}(?:green|passing))"
        rf"(?=,|{_END})",
        "pass passes passed succeed succeeds succeeded green passing",
        verb="pass",
    ),
    form(
        "check",
        rf"(?:^|,~)(?:all~(?:\d+~)?)?(?:[a-z-]+~)?{_TESTS}:?~(?:now~|all~)*(?:passing|green|passed|clean|ok)[ \n.!]*$",
        "passing green passed clean ok",
        verb="pass",
    ),
    form(
        "check",
        rf"(?<![\da-f])(?!0~){NAME}~{_STILL}(?:passes|passed|(?P<no>fails|failed))(?=~(?:with|all|now|cleanly"
        rf"|without)\b|{_END})",
        "passes passed fails failed",
        verb="pass",
    ),
    form(
        "check",
        r"(?:ran|compiled|compiles|built|builds|completed|executed|exited|finished|passes"
        r"|passed|runs|loads|loaded|works|type-?~?checks|typechecks|lints)~(?:[\w-]+~){0,3}?(?:(?:without|with~no|with~zero"
        r"|with~0)~(?:any~|further~)?(?:errors?|issues?|failures?|warnings?|problems?)"
        r"|cleanly)\b",
        "errors error issues issue failures warnings problems cleanly",
        verb="pass",
        subject=True,
        generic=True,
    ),
    form(
        "check",
        r"(?:there~(?:are|were)~(?:now~|currently~)?|^|that~)no~(?:[a-z-]+~){0,2}?(?:errors?"
        r"|failures?|warnings?|issues|problems|regressions)(?:~(?:were~|was~|are~|have~been~)?"
        r"(?:found|reported|detected|remain\w*|occurred|left|anymore)|(?=[ \n.!]*$))",
        "errors error failures failure warnings issues problems regressions",
        verb="pass",
    ),
    form(
        "check",
        r"\b(?:100~?%~pass(?:~rate)?|(?:pass|success)~rate~(?:is|of|was|at|=)~(?:now~)?100~?%"
        r"|(?:100~?%|all)~of~(?:the~|our~|its~)?(?:tests|checks|specs)~(?:now~)?(?:pass(?:ed)?|are~(?:green|passing)))",
        "pass passed rate green passing",
        needs=frozenset(["rate", "pass", "tests", "checks", "specs"]),
        verb="pass",
    ),
    form(
        "check",
        r"(?P<odd>\b(?:an?|any|non-?zero|the|returns?|whose|its)~)?\bexit(?:ed|s)?(?:~with)?"
        r"(?:~status|~code)+(?:~(?:of|was|is)|:)*~(?P<no>-?[1-9]\d*)?(?:0\b)?",
        "exit exited",
        verb="exit",
    ),
    form(
        "check",
        r"\b\d+(?:~?/~?\d+|~of~\d+|~out~of~\d+)?~(?:(?:[a-z-]+~)?(?:tests?|specs?|checks?"
        r"|assertions?|cases)~)?(?:have~|all~|are~)?(?:passed|passing|pass|(?P<no>failed"
        r"|failing))\b(?!~(?:to|in|into|by|as|through|via|from)\b)",
        "passed passing pass failed failing",
        verb="pass",
    ),
    form(
        "check",
        rf"(?:everything|(?:the|your|this)~(?:[\w-]+~){{1,3}}?|it|{NAME}~)(?<=[ \ng t])~?"
        r"(?:now~works|works~now|works~correctly~now|is~working~(?:now|again|as~expected"
        r"|correctly))\b",
        "works working",
        verb="work",
    ),
    form(
        "change",
        rf"(?:^|\b(?:the|this|that|my|your)~(?:[\w-]+~)?)(?P<verb>{_TRIES})(?:~has|~have)?~(?:"
        r"(?P<no>failed|was~unsuccessful|did~not~(?:work|succeed|go~through)|didn't~(?:work"
        r"|succeed|go~through))|succeeded|was~successful|went~through|is~complete|was~"
        r"completed)\b(?!~(?:if|when|to~the)\b)",
        "failed unsuccessful work succeed through succeeded successful complete completed",
        needs=frozenset(word.rpartition("_")[2] for word in _TRY_WORDS.split()),
    ),
    form(
        "lookup",
        rf"\b(?:the|this|that|my|our|all~our|all)~(?:[\w-]+~){{0,2}}?(?P<verb>{_LOOKS})(?:s|es)"
        r"?(?:~has|~have)?~(?:(?P<no>failed|was~unsuccessful|did~not~(?:work|succeed|yield)"
        r"|didn't~(?:work|succeed|yield))|succeeded|was~successful)\b(?!~(?:if|when)\b)",
        "failed unsuccessful work succeed succeeded successful yield",
    ),
)

_DURABLE = (
    r"(?:up~and~running|running|live|deployed|done|complete|finished|(?:un(?:changed"
    r"|touched))|intact|in~place|up~to~date|online|offline|reachable|back~up|active"
    r"|enabled|disabled|stopped|down|clean|ready)"
)
_HOLDS = alternatives(
    "log table database file folder directory repository repo queue inbox calendar index cache bucket branch list"
)

STATES: tuple[Form, ...] = (
    form(
        "state",
        r"(?:is|are|'s|remains?|was~left|were~left)(?:n't)?~(?:(?:now|already|currently|fully"
        rf"|still|all|both|(?P<no>not)|also|completely)~)*(?P<verb>{_DURABLE})(?=~(?:in|on|at"
        rf"|under|and|with|now|again|here|as~of)\b|{_END})(?!~(?:in~(?:the~)?(?:way|order"
        r"|general|practice|terms|progress|\d|one|two|three|four|several|steps|stages|parts)"
        r"|and~(?:can|will)|on~the~(?:list|menu)|with~the~help))",
        "running live deployed done complete finished unchanged untouched intact place date"
        " online offline reachable up active enabled disabled stopped down clean ready",
        subject=True,
        generic=True,
    ),
    form(
        "state",
        rf"\b(?:the|your|this)~(?:[\w-]+~){{0,2}}?{_HOLDS}~(?:now~|also~|still~|only~)*"
        r"(?P<verb>has|contains|holds)~(?:an?(?=~(?:[a-z]+~)?(?:entry|row|line|record|mention"
        r"|match|error|warning)\b)|(?P<no>no)|\d+|one|two|three|four|five|six"
        r"|exactly|only)\b(?!~(?:to|been))",
        "has contains holds",
        generic=True,
    ),
    form(
        "state",
        rf"(?:(?:the|that|this|your)~(?:[\w.-]+~){{0,3}}?(?:{_HOLDS}|path|account|order|user"
        rf"|record|page|url)|no~(?:[\w.-]+~){{0,3}}?(?:{_HOLDS})s?|{NAME})~{_STILL}(?:"
        r"(?P<verb>exists?)|(?P<no>does(?:~not|n't)~exist))\b(?!~to)",
        "exist exists",
        verb="exist",
        generic=True,
    ),
    form("state", rf"{NAME},?~(?:on~)?line~\d+~(?P<verb>[a-z]+s)\b", "line", needs=frozenset({"line"})),
    form(
        "completion",
        r"^(?:(?:ok|okay|great|alright|perfect|yes),?~)?(?:all~)?(?P<verb>done|set|finished"
        r"|completed?)(?:~(?:now|successfully|here|as~requested))?[ \n.!]*$",
        "done set finished complete completed",
        leading=True,
        verb="complete",
    ),
    form(
        "completion",
        r"^(?:the~|your~|this~|all~|both~)?(?:entire~)?(?:task|job|work|request|steps|tasks|it"
        r"|that|everything|mission)(?:'s|~is|~are|~has~been|~have~been|~was|~were)?~"
        r"(?P<no>not~)?(?:now~|all~|fully~|successfully~|both~)*(?:done|complete|completed"
        r"|finished|accomplished|taken~care~of|all~set|set)(?:~(?:now|successfully|as~"
        r"requested))?[ \n.!]*$",
        "done complete completed finished accomplished taken set",
        verb="complete",
        generic=True,
    ),
    form(
        "completion",
        rf"{I}{HAVE}?~{ADVERBS}(?P<verb>completed|finished)~(?:with~)?(?:the|your|all|this"
        rf"|every|both)~(?:[\w-]+~){{0,3}}?(?:tasks?|requests?|work|steps|job|assignment"
        r"|actions)\b",
        "completed finished",
        first_person=True,
    ),
    form("completion", rf"^finished~with~{NAME}", "finished", leading=True, verb="finish"),
    form("completion", r"^(?:you're|you~are|we're)~(?:now~)?all~set\b", "set", verb="complete"),
)
