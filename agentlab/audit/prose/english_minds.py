"""What English clauses state about the writer: what is going to be done, what is assumed, on what it is based."""

from __future__ import annotations

from agentlab.audit.prose.english import ADVERBS, I
from agentlab.audit.prose.forms import Form, alternatives, form
from agentlab.audit.prose.masking import QUOTED

__all__ = ["MINDS"]

_ASK_WORDS = "ask call use query invoke delegate request send instruct consult"
_ASK = alternatives(_ASK_WORDS)
_DO = alternatives(
    "ask call use run query search invoke execute delegate fetch retrieve look_up"
    " look_into look_for look_at check inspect open request"
    " download read verify transcribe browse visit examine send instruct consult test"
    " locate review gather extract scan view submit"
    " apply install update delete cancel book cross-check double-check investigate process"
)
_NO_TOOL = (
    rf"(?!~(?:you|your~best)\b)(?:(?<!\buse)|(?=~[^,]{{0,80}}?(?:tool|function|agent"
    rf"|command|api|script|search|browser|interpreter|{QUOTED}|_)))"
)
_GOING = r"(?:'ll|~will|~shall|'m~going~to|~am~going~to|'re~going~to|~are~going~to|'m~about~to|~am~about~to)"
_KNOWN = (
    r"(?:knowledge|memory|recollection|understanding|experience|recall|expertise|training"
    r"(?:~data)?|general~knowledge|estimates?|familiarity)"
)
_SEARCHING_CUES = (
    "checking reviewing verifying searching inspecting researching examining reading"
    " analyzing analysing running testing investigating consulting querying browsing"
    " cross-checking cross-referencing double-checking looking scanning comparing"
)
_SEARCHING = alternatives(_SEARCHING_CUES)
_SEARCH_CUES = (
    "investigation investigations research search searches review analysis verification"
    " check checks examination lookup inspection cross-check cross-checking"
    " cross-reference cross-referencing cross-verification inquiry"
)
_SEARCH = alternatives(_SEARCH_CUES)
_SUBJECT = r"(?:[^\s,.;:]+~){0,14}?[^\s,.;:]+"
_YIELDED = r"(?:confirm\w*|show\w*|reveal\w*|indicate\w*|found|established)\b"

MINDS: tuple[Form, ...] = (
    form("assumption", r"\bfrom~(?:my~)?memory\b", "memory", verb="recall", exempt=True),
    form(
        "announcement",
        rf"{I}(?:'m|~am|'re|~are)~(?:now~)?(?P<verb>asking|calling|querying|invoking|delegating|requesting|searching)\b",
        "asking calling querying invoking delegating requesting searching",
        needs=frozenset({"i", "we"}),
    ),
    form(
        "announcement",
        rf"{I}{_GOING}~(?:(?P<no>not)~)?{ADVERBS}(?:(?:proceed|start|begin|continue|try|go~"
        rf"ahead~and|need)~(?:to~|by~)?)?(?P<verb>{_DO})\b{_NO_TOOL}",
        "i we",
        needs=frozenset({"will", "ll", "going", "about", "shall"}),
    ),
    form(
        "announcement",
        rf"{I}~(?:(?:now|also|then|first|next|still)~)*(?:need|have|want|plan)~to~{ADVERBS}"
        rf"(?P<verb>{_ASK})\b{_NO_TOOL}",
        "i we",
        needs=frozenset(_ASK_WORDS.split()),
    ),
    form(
        "announcement",
        rf"(?<![\w'-])(?:let~me|let's|let~us)~{ADVERBS}(?:try~(?:to~)?)?"
        rf"(?P<verb>{_DO})\b{_NO_TOOL}",
        "let",
        needs=frozenset({"me", "s", "us"}),
    ),
    form(
        "announcement",
        r"^(?:now~)?(?P<verb>calling|asking|querying|invoking|searching|running|fetching"
        r"|retrieving)~(?:the|our|for|search|web|[\w-]+_\w+)\b(?![^.]*~(?:is|are|was|can|will"
        r"|would|should|may)\b)",
        "calling asking querying invoking searching running fetching retrieving",
        leading=True,
    ),
    form(
        "assumption",
        rf"{I}{_GOING}?~{ADVERBS}(?:need~to~|have~to~|can~|must~|had~to~)?(?P<verb>assume"
        r"|assumed|assuming|simulate|simulated|pretend|pretended|presume|presumed|hypothesize"
        r"|hypothesise|estimate|estimated|guess|guessed)\b(?!~you\b)",
        "assume assumed simulate simulated pretend pretended presume presumed hypothesize"
        " estimate estimated guess guessed",
        exempt=True,
    ),
    form(
        "assumption",
        r"(?:let~us|let's|let~me)~(?:[a-z]+~)?(?P<verb>assume|simulate|pretend|suppose|say~"
        r"that|imagine)\b",
        "assume simulate pretend suppose say imagine",
        exempt=True,
    ),
    form(
        "assumption",
        r"\b(?:for~(?:the~(?:purposes?|sake)~of~)?(?:this|our|the|illustrat\w+|demonstration)~"
        r"?(?:demonstration|simulation|illustration|illustrative|exercise|example)?(?:~"
        r"purposes)?,?~[^,]{0,40}?)(?P<verb>assume|simulate|suppose|use)\b",
        "demonstration simulation illustration illustrative exercise example purposes purpose sake demonstrative",
        exempt=True,
    ),
    form(
        "assumption",
        r"\b(?:is|are|was|were|be|been)~(?:here~)?(?P<verb>assumed|simulated|presumed)\b(?!~"
        r"by)",
        "assumed simulated presumed",
        exempt=True,
        verb="assume",
    ),
    form(
        "assumption",
        r"(?:\b|^)(?P<verb>hypothetically|simulating|assuming)\b(?!~(?:you|the~worst"
        r"|everything|all~goes|no~one|responsibility|that~you))",
        "hypothetically simulating assuming",
        exempt=True,
    ),
    form(
        "assumption",
        r"\b(?:(?:based~(?:up)?on|from|using|relying~on|recalling~from|to|drawing~on)~(?:my"
        r"|our|the~best~of~my|general|common|prior|internal|background|what~(?:i|we)~know"
        rf"|what~is~(?:typically|commonly|generally))(?:~[\w-]+){{0,2}}?~?(?:{_KNOWN})?)(?<="
        r"(?:edge|mory|tion|ding|ence|call|tise|ning|data|know|ates|mate|ally|only|rity))\b",
        "knowledge memory recollection understanding experience recall expertise training"
        " estimates familiarity know typically commonly generally",
        exempt=True,
        verb="recall",
    ),
    form(
        "assumption",
        r"\b(?:based~(?:up)?on|rely~on|relying~on|go~by|going~by|follow|following)~(?:the|a|an|what~is)~"
        r"(?:[\w-]+,?~){0,2}?(?:typical|usual|well-known|commonly~known|widely~known)\b",
        "typical usual known",
        exempt=True,
        verb="recall",
    ),
    form(
        "assumption",
        rf"{I}(?:~do)?~{ADVERBS}(?P<verb>recall|recalled|remember|remembered)\b(?!~(?:you|your)"
        r")",
        "recall recalled remember remembered",
        exempt=True,
    ),
    form(
        "assumption",
        r"\bi~(?:already~|also~)?know~(?:that|from)\b",
        "i we",
        needs=frozenset({"know"}),
        exempt=True,
        verb="recall",
    ),
    form(
        "assumption",
        r"\b(?:in~(?:19|20)\d\d|last~(?:year|time|month|quarter)|in~the~past|back~then),?~(?:i"
        r"|we)~(?!will|would|should|can|have)(?:[a-z]+(?:ed|ought|ost|ook|ade|old|ent|ept|eft|aw|ame|ote|ell|ave)|did|let)\b",
        "i we",
        needs=frozenset({"in", "last", "back"}),
        verb="recall",
    ),
    form(
        "lookup",
        r"\bbased~(?:up)?on~(?:our|my|the|a|this|these|further|extensive|careful|thorough"
        rf"|detailed|all|initial)~(?:[\w-]+~){{0,3}}?(?P<verb>{_SEARCH})\b(?!~(?:results?|plan"
        r"|task|query|terms?|question|above|below|engine)\b)",
        _SEARCH_CUES,
    ),
    form(
        "lookup",
        r"^(?:and~)?(?:on|upon|after|following|through|from|by)~(?:further~|carefully~"
        rf"|closely~)?(?P<verb>{_SEARCHING})\b",
        _SEARCHING_CUES,
        settled=True,
    ),
    form(
        "lookup",
        r"^(?:and~)?(?:on|upon|after|following|through|from)~(?:a|an|my|our|the|careful"
        r"|further|thorough|detailed|extensive|close|closer|some|multiple|several|additional)~"
        rf"(?:[\w-]+~){{0,4}}?(?P<verb>{_SEARCH})\b(?!~(?:results?|engine|tool|agent|button|box"
        r"|bar|page|term|query|process|phase|step|period))",
        _SEARCH_CUES,
        settled=True,
    ),
    form(
        "lookup",
        r"\b(?:from|based~on)~(?:the~|all~)?(?:[\w-]+~)?(?P<verb>gathered|collected|retrieved"
        r"|obtained|compiled)~(?!by)[\w-]+",
        "gathered collected retrieved obtained compiled",
        settled=True,
    ),
    form(
        "lookup",
        r"\b(?:(?:a|the|my|our)~)?(?:careful|thorough|detailed|close|closer|manual|quick|full"
        rf"|extensive)~(?:[\w-]+~){{0,3}}?(?P<verb>{_SEARCH})~(?:(?:of|into|on)~{_SUBJECT}~)?"
        rf"{_YIELDED}",
        _SEARCH_CUES,
    ),
    form(
        "lookup",
        rf"^(?:and~)?(?:after|upon|on|by)~(?:conducting|performing|completing|carrying~out"
        rf"|undertaking)~(?:[\w-]+~){{0,4}}?(?P<verb>{_SEARCH})\b",
        "conducting performing completing carrying undertaking",
        settled=True,
    ),
)
