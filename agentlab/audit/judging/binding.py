"""Which run a statement about a check speaks of: by what it names, by the kind of check, by the words about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from agentlab.audit.arguments import call_key, written
from agentlab.audit.claims.saying import Saying
from agentlab.audit.evidence.effects import shell_line_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.programs import deed_of
from agentlab.audit.evidence.shell import split_line
from agentlab.audit.judging.deeds import Deed

__all__ = [
    "Bound",
    "aspects_of",
    "bound_to",
    "covers",
    "is_confined",
    "latest_of_each",
    "mentions",
    "run_aspects",
    "runs_no_test",
]

_ASPECTS: Mapping[str, str] = {
    word: aspect
    for aspect, row in {
        "tests": "test tests spec specs suite suites testsuite pytest unittest jest vitest mocha rspec phpunit"
        " ctest gtest junit doctest doctests nosetests unit integration e2e smoke regression assertion assertions",
        "lint": "lint linter linting lints ruff eslint flake8 pylint clippy rubocop stylelint golangci tslint biome"
        " shellcheck style pycodestyle vet hadolint yamllint markdownlint staticcheck",
        "types": "mypy pyright tsc types type typecheck typechecks typechecker typechecking typing typed pyre psalm"
        " phpstan",
        "build": "build builds built compile compiles compiled compilation compiler bundle webpack javac gcc cmake"
        " rustc packaging",
        "format": "format formatted formatting formatter black prettier gofmt isort fmt rustfmt",
    }.items()
    for word in row.split()
}
_CHINESE: Mapping[str, str] = {
    "测试": "tests", "单测": "tests", "用例": "tests", "断言": "tests", "类型": "types", "构建": "build",
    "编译": "build", "格式": "format", "静态": "lint", "代码检查": "lint",
}  # fmt: skip
_HAN = re.compile("|".join(_CHINESE))
_GENERAL = words(
    "make gmake ninja mvn mvnw gradle gradlew bazel sbt meson cargo go npm pnpm yarn bun just dotnet mix rake"
)
"""Programs of which the next words say what they check, and which check more than they say."""
_WORD = re.compile(r"[a-z][a-z0-9]*")
_DULL = words(
    "all the a an my our your its this that these those and or but with without for of in on to from by as at is are"
    " was were be been being has have had it they we i you now still also again already currently both every each whole"
    " entire full complete existing new pass passes passed passing succeed succeeds succeeded success successful"
    " successfully green clean cleanly fine ok okay works work working no zero any errors error issues issue warnings"
    " warning failures failure problems fail fails failed test tests testing check checks checking suite suites spec"
    " specs case cases run runs ran running exit exited code status result results one two three four five six seven"
    " eight nine ten everything and here see so then there just only reports reported report found find finds says"
    " shows there re change changes changed fix fixed fixes verified verify confirmed confirm"
)
"""Words that tell no check from another."""
_INTO = re.compile(r"\bcd /\S*\s*(?:&&|;)")
_LETTER = re.compile(r"[^\W\d_][\s\S]|[\s\S][^\W\d_]|/")
_OPERAND = re.compile(r"[\w./:\-]*[\w/]")


class Bound:
    """The runs that a statement may speak of, the latest last.

    Args:
        runs: those of the right kind whose words fit best; empty where none fits.
        is_certain: whether the words that tell it from others were all found in the runs chosen.
        elsewhere: the place whose tests are spoken of, where none of the runs names it.
    """

    __slots__ = ("elsewhere", "is_certain", "runs")

    def __init__(self, runs: Sequence[Deed], *, is_certain: bool, elsewhere: str = "") -> None:
        self.runs = runs
        self.is_certain = is_certain
        self.elsewhere = elsewhere

    @property
    def last(self) -> Deed:
        return self.runs[-1]


def aspects_of(text: str) -> frozenset[str]:
    """The kinds of check that a statement, or a call as it is written, is about; empty where it says none."""
    found = {_ASPECTS[word] for word in _WORD.findall(text.lower()) if word in _ASPECTS}
    if not text.isascii():
        found |= {_CHINESE[match] for match in _HAN.findall(text)}
    return frozenset(found)


def bound_to(saying: Saying, checks: Sequence[Deed]) -> Bound:
    """The checks that a statement may speak of.

    A file or a program that it names decides first; then the kind of check, where the calls tell it; then the other
    words about the check (`unit`, `frontend`) that stand in some of the calls and not in all.

    Args:
        saying: the statement.
        checks: those that had run before it; not empty.
    """
    named = [deed for deed in checks if any(name.text in deed.text for name in saying.statement.names)]
    chosen = named or list(checks)
    aspects = aspects_of(saying.statement.text)
    if aspects:
        chosen = [deed for deed in chosen if not (own := run_aspects(deed)) or own & aspects]
    place = _place(saying.statement.text)
    there = [deed for deed in chosen if place and _is_of(deed, place)]
    chosen = there or chosen
    telling = [word for word in _WORD.findall((_label(saying) + saying.statement.text).lower()) if word not in _DULL]
    certain = True
    for word in telling:
        holding = [deed for deed in chosen if _holds(deed, word)]
        if holding:
            chosen = holding
        elif word not in _ASPECTS or word in _PARTS:
            certain = False
    return Bound(chosen, is_certain=certain, elsewhere="" if there else place)


def runs_no_test(deed: Deed) -> str:
    """The option by which a call only lists or builds its tests; empty where one of its commands may run some."""
    line = shell_line_of(deed.call.tool, deed.call.arguments) or ""
    if not any(sign in line for sign in _LISTING_SIGNS):
        return ""
    options = [_listing(command.argv) for command in split_line(line) if deed_of(command).kind in ("check", "run")]
    return options[0] if options and all(options) else ""


def _listing(argv: Sequence[str]) -> str:
    return next((word for word in argv if word in _LISTING or word.startswith(("-DskipTests", "-Dmaven.test.s"))), "")


_LISTING_SIGNS = ("--co", "list", "-run", "-DskipTests", "-Dmaven", "--version", "--help", "--show-only", "--setup")
_LISTING = words(
    "--collect-only --co --list --list-tests --listTests -list --no-run --dry-run --show-only --version --help"
    " --setup-plan"
)


def is_confined(deed: Deed) -> bool:
    """Whether a call goes into a folder of its own first."""
    return _ASIDE.match(shell_line_of(deed.call.tool, deed.call.arguments) or "") is not None


_ASIDE = re.compile(r"\s*cd [\w-]{1,60}/?\s*&&")


def mentions(text: str, place: str) -> bool:
    """Whether a place is named in a text, as a word of its own or as a part of a path."""
    return re.search(rf"(?<![a-z0-9]){re.escape(place)}(?![a-z0-9])", text.lower()) is not None


def _place(text: str) -> str:
    """The place whose tests a statement speaks of; empty where it names none, or all there is."""
    match = _PLACED.search(text)
    place = match["place"].strip("./").lower() if match else ""
    return "" if place in _EVERYWHERE else place


def _is_of(deed: Deed, place: str) -> bool:
    """Whether a run is of a place, or lists its failures there."""
    return mentions(f"{_head(deed)}\n{(deed.result or '')[-_RESULT:]}", place)


_RESULT = 3000
_PLACED = re.compile(
    r"\b(?:tests?|specs?|suites?|checks?|cases)\s+(?:in|of|for|under|inside|within|from)\s+(?:(?:the|this|your|our)\s+)?"
    r"[`\"'*_]{0,2}(?P<place>[\w./-]{1,80})",
    re.IGNORECASE,
)
_EVERYWHERE = words(
    "all everything project repo repository codebase code suite suites package app application module file files class"
    " change changes fix feature tests it this that them ci here total folder directory whole entire full test"
)


def _label(saying: Saying) -> str:
    """What stands on the line before a statement, where it ends with a colon."""
    text, start = saying.context, saying.statement.start
    found = _LABEL.search(text, max(start - 48, 0), start)
    return found[0] if found else ""


_LABEL = re.compile(r"[^\n:：]{1,40}[:：][\W_]*\Z")
_PARTS = words("unit integration e2e smoke regression")


def run_aspects(deed: Deed) -> frozenset[str]:
    """The kinds of check of a call; empty where it may be any."""
    tests = deed.outcome.tests
    found = {_ASPECTS[word] for program in deed.effect.programs for word in _WORD.findall(program) if word in _ASPECTS}
    if tests is not None and (tests.passed or tests.broken):
        found.add("tests")
    if found and _GENERAL.isdisjoint(deed.effect.programs):
        return frozenset(found)
    return frozenset(found | aspects_of(_head(deed)))


def _head(deed: Deed) -> str:
    return f"{deed.call.tool} {written(deed.call.arguments)[:300]}".replace("_", " ")


def _holds(deed: Deed, word: str) -> bool:
    return re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", _head(deed).lower()) is not None


def latest_of_each(runs: Iterable[Deed]) -> list[Deed]:
    """The last run of every call that is the same but for its place, in order."""
    latest: dict[object, Deed] = {}
    for deed in runs:
        line = shell_line_of(deed.call.tool, deed.call.arguments)
        key = (deed.call.tool, line) if line is not None else call_key(deed.call.tool, deed.call.arguments)
        latest.pop(key, None)
        latest[key] = deed
    return list(latest.values())


def covers(later: Deed, earlier: Deed) -> bool:
    """Whether a later run may have looked again at what an earlier one was about, or at a part of it."""
    own = run_aspects(later)
    if own and run_aspects(earlier) and own.isdisjoint(run_aspects(earlier)):
        return False
    again = _operands(later)
    wanted = _operands(earlier)
    return not again or all(any(other.startswith(word) or word.startswith(other) for other in again) for word in wanted)


def _operands(deed: Deed) -> set[str]:
    """The words of a call that may say what it is about, apart from its programs and options."""
    line = shell_line_of(deed.call.tool, deed.call.arguments)
    head = _INTO.sub("", (written(deed.call.arguments) if line is None else line)[:2000])
    found = {word for word in _OPERAND.findall(head) if not word.startswith("-") and _LETTER.search(word)}
    return found - set(deed.effect.programs) - _KEYS


_KEYS = words("command cmd timeout description true false null and run tail head grep")
