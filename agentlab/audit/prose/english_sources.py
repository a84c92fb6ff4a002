"""What English clauses attribute: to a tool, a run, a source or another agent, and to the user."""

from __future__ import annotations

from agentlab.audit.prose.english import NAME
from agentlab.audit.prose.forms import Form, alternatives, form
from agentlab.audit.prose.masking import QUOTED
from agentlab.audit.prose.verbs import CHANGES

__all__ = ["REPORTS", "REQUESTS"]

_DET = r"(?:the|this|that|our|your|my|its|both|each)"
_AGENT_WORDS = (
    "tool tools script command query agent api server harness system job hook pipeline"
    " compiler interpreter linter shell terminal"
    " endpoint service request call function_call search subagent sub-agent worker"
    " program process run test_run runner"
    " team_member reviewer researcher"
)
_AGENTS = alternatives(_AGENT_WORDS)


def _last(*words: str) -> frozenset[str]:
    """The last word of each name, by which a clause is known to have it."""
    return frozenset(name.rpartition("_")[2] for name in " ".join(words).split())


_PROGRAM_WORDS = (
    "grep git gh npm pip pytest curl docker kubectl cargo bash ripgrep rg gcc node mypy"
    " ruff terraform helm wikipedia google glab jq aws gcloud make cmake go yarn pnpm bun poetry uv psql sqlite3 rsync"
)
_PROGRAMS = alternatives(_PROGRAM_WORDS)
_ACTOR = (
    rf"(?P<src>{_DET}~(?:(?!the\b|is\b|you\b)[\w-]+~){{0,2}}?{_AGENTS}s?|\b{_PROGRAMS}"
    rf"|{QUOTED}+|\b[a-z][a-z\d]*_\w+)"
)
_WORKERS = _last(_AGENT_WORDS, _PROGRAM_WORDS)
_WORKER = (
    rf"(?P<src>{_DET}~(?:(?!the\b|is\b|you\b)[\w-]+~){{0,2}}?{_AGENTS}s?|\b{_PROGRAMS}"
    r"|\b[a-z][a-z\d]*_(?:agent|tool|search))"
)
_RESULT_WORDS = (
    "observation observations result results output outputs log logs response responses search searches findings"
    " investigation investigations analysis"
    " traceback stderr stdout report query lookup web_page webpage article document page"
    " website screenshot evidence file diff"
    " error_message database system transcript spreadsheet tool tools sub-agent subagent"
    " research review data_source records sources"
)
_RESULTS = alternatives(_RESULT_WORDS)
_SOURCE_WORDS = "sources records reports references evidence data databases"
_RESULT = (
    rf"(?P<src>(?:{_DET}|these|those|their|all)~(?:[\w'-]+~){{0,3}}?(?:{_RESULTS}"
    r"|[\w-]*_agent)|search~results|\b(?:multiple|several|various|official|available"
    r"|reliable|all~available|independent)~"
    rf"{alternatives(_SOURCE_WORDS)}|cross-?~?references|wikipedia(?:'s)?|\b[a-z][a-z\d]*_(?:agent|tool"
    r"|search)\b)"
)
_RESULT_ENDS = _last(
    _RESULT_WORDS, _SOURCE_WORDS, "results references cross-references crossreferences wikipedia agent tool search"
)
_APART = (
    r"(?!(?:you|i|we|they|he|she|it|that|which|who|to|is|are|was|were|be|been|being|and|or"
    r"|but|will|can|should|would|could|may|might|must|if|not|box|bar|field|button|engine"
    r"|menu)\b)"
)
_SHOWED = (
    "returned printed showed said reported confirmed indicated gave found produced"
    " raised responded replied answered stated"
    " listed revealed displayed yielded noted mentioned quoted told provided threw"
    " complained logged detected established"
)
_SHOWS = (
    "shows show says say confirms confirm indicates indicate states state mentions"
    " mention reveals reveal reports lists reads"
)
_GAVE = alternatives(
    "return print show find produce confirm report provide yield give contain include"
    " mention list respond reveal indicate specify"
)
_PLAIN = (
    r"(?:(?:now|also|then|already|just|only|again|clearly|directly|successfully|explicitly"
    r"|correctly|further)~)*"
)
_ERROR = r"\b(?P<src>(?:(?:error|error~message|message|output|result|response|log|stderr|traceback|failure)s?))"

REPORTS: tuple[Form, ...] = (
    form(
        "report",
        r"^(?P<src>it)~(?:then~|also~|only~)?(?P<verb>returned|printed|showed|said|reported"
        r"|answered|responded|confirmed|found)\b",
        "returned printed showed said reported answered responded confirmed found",
        needs=frozenset({"it"}),
        leading=True,
    ),
    form(
        "report",
        r"(?<![\w'-])(?:i|we)(?:'ve|~have)?~(?:also~|still~|again~)?(?P<verb>got|received|encountered|hit)"
        r"~(?:an?|the|this|another)~(?:[\w-]+~){0,3}?(?P<src>error|exception|message|response"
        r"|traceback|reply)\b",
        "error exception message response traceback reply",
        needs=frozenset({"i", "we"}),
    ),
    form(
        "report",
        r"^(?P<verb>got|received|encountered|hit)~(?:an?|the|this|another)~(?:[\w-]+~){0,3}?"
        rf"(?P<src>error|exception|message|response|traceback|reply)[^{QUOTED}.;]{{0,40}}{QUOTED}",
        "error exception message response traceback reply",
        needs=frozenset({"got", "received", "encountered", "hit"}),
    ),
    form(
        "report",
        rf"{_ACTOR}~(?P<verb>says|reports|shows|complains|answers):?~(?:{QUOTED}|no\b|\d|zero\b|(?<=says\s)(?:it|all)\b)",
        "says reports shows complains answers",
        generic=True,
    ),
    form(
        "state",
        rf"{_ACTOR}~(?:has|have)~(?:now~|already~|all~|both~)?(?P<no>not~)?(?:yet~)?"
        r"(?P<verb>finished|completed|started|stopped|exited|crashed)\b(?!~(?:the|a|an)\b)",
        "finished completed started stopped exited crashed",
    ),
    form(
        "report",
        r"(?P<src>\bthe~(?:[\w-]+~)?(?:information|data|details|evidence|figures?|values?"
        r"|answers?|content)~(?:provided|returned|gathered|obtained|collected|found|retrieved"
        r"|supplied)~(?:by|from|in|via)~[^,;]{1,60}?)~(?:[a-z]+ly~|also~)?(?P<verb>confirms?"
        r"|confirmed|shows?|showed|indicates?|indicated|states?|stated|says|verifies|verified"
        r"|suggests?)\b",
        "provided returned gathered obtained collected found retrieved supplied",
    ),
    form(
        "report",
        rf"{_ACTOR}(?:~has|~have)?~{_PLAIN}(?P<verb>{alternatives(_SHOWED)})\b(?!~(?:by|in~"
        r"(?:the~)?\d))",
        _SHOWED,
    ),
    form(
        "report",
        r"^(?:\d+|(?P<no>no))~(?:[\w-]+~){1,3}(?:were~|was~)?(?P<verb>found|returned|matched"
        r"|affected)[ \n.!]*$",
        "found returned matched affected",
    ),
    form("report", rf"{_ACTOR}~(?P<no>did(?:n't|~not))~{_PLAIN}(?P<verb>{_GAVE})\b", "did didn"),
    form(
        "report",
        r"\b(?P<verb>returned|reported|provided|printed|shown|confirmed|indicated|supplied"
        rf"|produced|stated)~(?:to~(?:me|us)~)?(?:by|from)~(?!{QUOTED}){_ACTOR}",
        "returned reported provided printed shown confirmed indicated supplied produced stated",
    ),
    form(
        "report",
        rf"{_RESULT}(?:~{_APART}(?:[a-z'-]+|{NAME})){{0,4}}?~{_PLAIN}"
        rf"(?P<verb>{alternatives(_SHOWED + ' ' + _SHOWS)})\b(?!~by\b)",
        _SHOWED + " " + _SHOWS,
        needs=_RESULT_ENDS,
        generic=True,
    ),
    form(
        "report",
        rf"{_RESULT}(?:~{_APART}[a-z'-]+){{0,4}}?~(?P<no>(?:do|does|did)(?:n't|~not))~{_PLAIN}"
        rf"(?P<verb>{_GAVE})\b",
        "do does did don doesn didn",
        needs=_RESULT_ENDS,
    ),
    form(
        "report",
        r"(?P<odd>\bnot~)?\baccording~to~(?!(?:you|your|me|my|us|plan|schedule|size|how|what"
        r"|whether)\b)(?P<src>[^,;]{2,60}?)(?=,|[ \n.]*$|~(?:is|are|was|were|has|have|there|it"
        r"|he|she|they)\b)",
        "according",
        verb="state",
        back=True,
    ),
    form(
        "report",
        r"(?:\bbased~on|^from|\bas~(?:shown|reported|returned|indicated|stated|confirmed)~(?:in"
        rf"|by))~(?P<src>(?:{_DET}~|these~|those~|all~)?(?:[\w'-]+~){{0,3}}?(?:results?"
        r"|outputs?|logs?|responses?|search~results|observations?|tool~calls?))\b(?!~(?:in|to)"
        r"~(?:a|an)\b)",
        "based from shown reported returned indicated stated confirmed",
        verb="show",
    ),
    form(
        "report",
        r"(?:\bbased~on|^from)~(?P<src>(?:(?:the|all|most|available|reliable|official|published"
        r"|gathered|verified|trusted)~){1,4}(?:figures|sources|records|references|statistics"
        r"|databases))\b",
        "figures sources records references statistics databases",
        verb="show",
    ),
    form(
        "report",
        rf"(?:\bthe~|\bits~|\ban~|^){_ERROR}~(?:[a-z]+~){{0,3}}?(?P<verb>is|was|reads?|says?"
        rf"|said|read|states?)\b[^{QUOTED}.;]{{0,40}}{QUOTED}",
        "error message output result response log stderr traceback failure errors",
    ),
    form("report", r"^(?P<src>(?:the~)?(?:error|error~message|exact~error)):?~?" + QUOTED, "error"),
    form(
        "report",
        r"(?P<src>(?P<verb>failed|crashed|aborted)):~?" + QUOTED,
        "failed crashed aborted",
    ),
    form(
        "report",
        r"(?P<verb>failed|fails|crashed|returned|exited|stopped)~with:?~(?:(?:the|an|a|this)~)?"
        rf"(?:[\w-]+~){{0,4}}?{QUOTED}",
        "failed fails crashed returned exited stopped",
    ),
    form(
        "report",
        r"^(?:as~)?per~(?!your\b|our\b|my\b|the~(?:policy|instructions?|task|plan|user)\b)"
        r"(?P<src>(?:the~)?(?:[\w'-]+~){0,3}?(?:check|report|search|results?|logs?|tool|agent"
        r"|output|review|documentation|record|records|database))\b",
        "per",
        verb="state",
        back=True,
    ),
    form(
        "change",
        rf"{_WORKER}(?:~has|~have)?~{_PLAIN}@(?!~by\b)(?=~(?:the|a|an|all|both|every|it|your"
        rf"|its|\d+|{NAME})\b)",
        verbs={k: v for k, v in CHANGES.items() if v not in {"set", "put", "make", "process", "return"}},
        needs=_WORKERS,
    ),
)

_ASKED = (
    "asked told requested instructed said wanted specified mentioned directed approved authorised authorized confirmed"
)
_ASKING = frozenset({"you", "user", "customer", "client"})

REQUESTS: tuple[Form, ...] = (
    form(
        "request",
        r"\bas~(?:(?P<src>we|you)(?:'ve|~have|~had)?~(?:both~|already~)?)?(?P<verb>agreed|discussed)\b",
        "agreed discussed",
    ),
    form(
        "request",
        r"(?P<odd>\b(?:if|once|what|when|whatever|anything|unless|until|before)~)?\b"
        r"(?P<src>you|the~(?:user|customer|client))(?:'ve|~have|~had|~also|~just|~specifically"
        r"|~explicitly|~originally|~initially|~previously|~earlier|~already)*~"
        rf"(?P<verb>{alternatives(_ASKED)})\b(?!~(?:by|an?~(?:[a-z]+~)?question)\b)",
        _ASKED,
        needs=_ASKING,
    ),
    form(
        "request",
        r"\b(?P<src>you|the~(?:user|customer|client))~(?P<no>(?:did|have|had)(?:n't|~not)"
        r"|never)~(?:[a-z]+ly~)?(?P<verb>asked|told|requested|instructed|said|specified"
        r"|mentioned|ask|tell|request|say|specify|mention|approve|authorize|confirm)\b",
        "ask tell request say specify mention asked told requested said specified mentioned approve authorize confirm",
        needs=_ASKING,
    ),
    form(
        "request",
        r"\b(?:as~per|per|at|following|upon|on|under)~(?P<src>your|the~user's|the~customer's)~"
        r"(?:earlier~|latest~|explicit~|previous~|last~)?(?P<verb>requests?|instructions?"
        r"|order|wish|asking|directions?)\b",
        "request requests instruction instructions order wish asking directions direction",
        needs=frozenset({"your", "user", "customer"}),
    ),
    form("request", r"\bas~(?P<verb>requested|instructed)\b(?!~(?:by|in)~(?:the|a)~(?!user))", "requested instructed"),
)
