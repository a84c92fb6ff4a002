"""Summaries of test runners, linters, compilers and builds, as they print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agentlab.audit.evidence.builds import BUILD_FAILED, BUILD_HELD, COMPLAINT, RAN_NOTHING
from agentlab.audit.evidence.shown import Shown, has_any
from agentlab.audit.evidence.values import TestCounts

__all__ = ["Summary", "summary_in"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """What a runner's own summary says."""

    counts: TestCounts
    failed: bool | None
    """None where it ran nothing, or does not say."""
    why: str


_SIGNS = (
    "err!",
    "pass",
    "fail",
    "test",
    "ran ",
    "error",
    "example",
    "problem",
    "build",
    "ok",
    "skipped",
    "compil",
    ": e",
    ": f",
    ": w",
    "issues",
    "通过",
    "reformat",
    "collected",
    "nothing",
    "specs",
    "测试",
)
_PYTEST_SIGNS = ("passed", "failed", " error", "skipped")
_N = r"[0-9]{1,9}"
_COUNTED = re.compile(
    rf"(?P<n>{_N}) (?P<what>passed|passing|pass|failed|failing|fail|failures?|errors?|skipped|skips|pending"
    rf"|xfailed|xpassed"
    rf"|ignored|deselected|todo|warnings?|subtests passed|flaky|did not run|total|selected|tests?|examples?"
    rf"|runs|assertions?"
    r"|expects?|omissions|notifications|pendings|cancelled|incomplete|risky)\b"
)
_PYTEST = re.compile(
    rf"^=*\s*(?:FAILED|PASSED)?\s*(?P<body>(?:{_N} (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected"
    rf"|warnings?"
    rf"|rerun|subtests passed)(?:, )?){{1,9}})(?: in [0-9.:]{{1,12}} ?(?:s|ms|seconds|sec|min)?\b.{{0,30}}|\s*=*)$",
    re.MULTILINE,
)
_UNITTEST = re.compile(
    rf"^Ran (?P<n>{_N}) tests? in [0-9.]{{1,12}}s\s{{1,4}}(?P<word>OK|FAILED"
    rf"|NO TESTS RAN)(?: \((?P<body>[a-z0-9 ,=]{{1,120}})\))?",
    re.MULTILINE,
)
_CARGO = re.compile(
    rf"^test result: (?P<word>ok|FAILED)\. (?P<passed>{_N}) passed; (?P<failed>{_N}) failed"
    rf"(?:; (?P<skipped>{_N}) ignored)?",
    re.MULTILINE,
)
_GO = re.compile(
    r"^(?:--- (?P<case>FAIL|PASS): (?P<name>\S{1,120})|(?P<line>FAIL|PASS|ok)(?:[ \t]+(?P<package>\S+).*)?)$",
    re.MULTILINE,
)
_GO_SIGN = re.compile(
    r"^(?:--- (?:FAIL|PASS): |ok  ?\s*\t|FAIL\t|\?   \t|FAIL$|PASS$|exit status [0-9]+$)", re.MULTILINE
)
_JS = re.compile(
    rf"^\s*(?:Tests?:?\s{{1,12}}|Summary (?:\[[^\]\n]{{1,24}}\] {{1,4}})?[\d/]{{1,14}} tests? run: )"
    rf"(?P<body>(?:{_N} (?:passed|failed|skipped|todo|pending|total)(?: \([^()\n]{{1,40}}\))?[,| ]{{0,4}}){{1,6}})",
    re.MULTILINE,
)
_MOCHA = re.compile(
    rf"^\s*(?:[✔✓✖×]\s*)?(?P<n>{_N}) (?P<what>passing|failing|pending)(?: \([0-9.]+ ?[a-z]+\))?\s*$", re.MULTILINE
)
_BUN = re.compile(rf"^\s*(?P<n>{_N}) (?P<what>pass|fail|skip|error|errors|todo)\s*$", re.MULTILINE)
_TAP = re.compile(rf"^\s*[#ℹ] (?P<what>tests|pass|fail|skipped|todo|cancelled) (?P<n>{_N})\s*$", re.MULTILINE)
_XUNIT = re.compile(
    rf"^\W{{0,12}}(?:\[\w+\] )?(?:Tests run|Tests): ?(?P<n>{_N})(?P<body>(?:, ?[A-Za-z]+: ?{_N}){{0,8}})", re.MULTILINE
)
_PAIR = re.compile(rf"([A-Za-z]+)\s?[:=]\s{{0,8}}({_N})")
_DOTNET = re.compile(
    rf"^\s*(?P<word>Passed|Failed)!\s+-\s+(?P<body>(?:[A-Z][a-z]+:\s{{1,8}}{_N},? ?){{2,6}})", re.MULTILINE
)
_RUBY = re.compile(
    rf"^(?P<n>{_N}) (?:examples?|runs|tests?|specs?|features?|scenarios?)(?P<body>, .{{0,120}})$", re.MULTILINE
)
_PHPUNIT_OK = re.compile(rf"^OK \((?P<n>{_N}) tests?, {_N} assertions?\)", re.MULTILINE)
_CTEST = re.compile(rf"^\s*{_N}% tests passed, (?P<failed>{_N}) tests? failed out of (?P<n>{_N})", re.MULTILINE)
_GTEST = re.compile(rf"^\[  (?P<word>PASSED|FAILED)  \] (?P<n>{_N}) tests?", re.MULTILINE)
_SWIFT = re.compile(rf"^\s*Executed (?P<n>{_N}) tests?, with (?P<failed>{_N}) failures?", re.MULTILINE)
_DENO = re.compile(
    rf"^\s*(?P<word>ok|FAILED) \| (?P<passed>{_N}) passed.{{0,40}}? \| (?P<failed>{_N}) failed", re.MULTILINE
)
_GRADLE = re.compile(rf"^(?P<n>{_N}) tests? completed, (?P<failed>{_N}) failed", re.MULTILINE)
_CHINESE = re.compile(
    rf"通过\s{{0,2}}[:：]?\s{{0,2}}(?P<passed>{_N})\s{{0,2}}[个项条例]?[^\n]{{0,12}}失败\s{{0,2}}[:：]?\s{{0,2}}(?P<failed>{_N})"
)
_PROSE = re.compile(
    rf"^\W{{0,6}}(?P<a>{_N})\s?(?:/|of|out of)\s?(?P<b>{_N}) (?:tests?|checks?|specs?|cases?"
    rf"|assertions?) (?P<word>passed|failed|pass|fail)",
    re.MULTILINE | re.IGNORECASE,
)
_LABELLED = re.compile(
    rf"\bpassed\s?[:=]\s{{0,3}}(?P<passed>{_N})[\s,;|]{{1,6}}(?:tests? )?failed\s?[:=]\s{{0,3}}(?P<failed>{_N})"
    rf"|\bfailed\s?[:=]\s{{0,3}}(?P<failed2>{_N})[\s,;|]{{1,6}}(?:tests? )?passed\s?[:=]\s{{0,3}}(?P<passed2>{_N})",
    re.IGNORECASE,
)
_SLOTS = {
    "passed": "passed",
    "passing": "passed",
    "pass": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "failing": "failed",
    "fail": "failed",
    "failure": "failed",
    "failures": "failed",
    "error": "errors",
    "errors": "errors",
    "skipped": "skipped",
    "skip": "skipped",
    "skips": "skipped",
    "pending": "skipped",
    "ignored": "skipped",
    "todo": "skipped",
    "total": "collected",
    "tests": "collected",
}


def summary_in(shown: Shown) -> Summary | None:
    """What a runner says of itself at the end of a result, else at its beginning; None where none speaks."""
    if not has_any(shown.tail.lower(), _SIGNS):
        return None
    found = _counted(shown.tail)
    if found is None and shown.head is not shown.tail:
        found = _counted(shown.head)
    broken = BUILD_FAILED.search(shown.tail)
    if found is not None and not (broken and not found.broken):
        return _judged(found)
    if broken:
        return Summary(counts=found or TestCounts(), failed=True, why=broken[0].strip()[:80])
    if match := RAN_NOTHING.search(shown.tail):
        return Summary(counts=TestCounts(collected=0), failed=None, why=f"no check was executed ({match[0].strip()})")
    held, complaint = BUILD_HELD.search(shown.tail), COMPLAINT.search(shown.tail)
    if complaint and not held:
        return Summary(counts=TestCounts(), failed=True, why=complaint[0].strip()[:80])
    return Summary(counts=TestCounts(), failed=False, why=held[0].strip()[:80]) if held else None


def _judged(counts: TestCounts) -> Summary:
    if counts.broken:
        parts = [f"{counts.failed} failed"] if counts.failed else []
        parts += [f"{counts.errors} error{'s' * (counts.errors > 1)}"] if counts.errors else []
        return Summary(counts=counts, failed=True, why=", ".join(parts))
    if counts.passed:
        return Summary(counts=counts, failed=False, why=f"{counts.passed} passed")
    if counts.passed is None and counts.collected is None and not counts.skipped:
        return Summary(counts=counts, failed=False, why="no test failed")
    if counts.ran_nothing:
        if counts.skipped:
            return Summary(counts=counts, failed=None, why=f"{counts.skipped} skipped and none passed")
        return Summary(counts=counts, failed=None, why="no check was executed")
    return Summary(counts=counts, failed=None, why="the summary gives no count of passes")


def _counted(text: str) -> TestCounts | None:
    for read in _READERS:
        counts = read(text)
        if counts is not None:
            return counts
    return None


def _slots(pairs: Iterator[tuple[str, str]], runner: str, **known: int) -> TestCounts:
    """Add up counts by the word that stands with each."""
    found: dict[str, int] = dict(known)
    for what, number in pairs:
        slot = _SLOTS.get(what.lower())
        if slot:
            found[slot] = found.get(slot, 0) + int(number)
    broken = found.get("failed", 0) + found.get("errors", 0)
    if "passed" not in found and "collected" in found:
        found["passed"] = max(0, found["collected"] - broken - found.get("skipped", 0))
    return TestCounts(runner=runner, **found)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    match = None
    for match in pattern.finditer(text):  # noqa: B007
        pass
    return match


def _pytest(text: str) -> TestCounts | None:
    match = _last(_PYTEST, text) if has_any(text, _PYTEST_SIGNS) else None
    if match is None or not re.search(r"passed|failed|error|skipped", match["body"]):
        return None
    return _slots(((m["what"], m["n"]) for m in _COUNTED.finditer(match["body"])), "pytest")


def _unittest(text: str) -> TestCounts | None:
    match = _last(_UNITTEST, text) if "Ran " in text else None
    if match is None:
        return None
    pairs = ((m[1], m[2]) for m in _PAIR.finditer(match["body"] or ""))
    return _slots(pairs, "unittest", collected=int(match["n"]))


def _cargo(text: str) -> TestCounts | None:
    found = [*_CARGO.finditer(text)] if "test result:" in text else []
    if not found:
        return None
    add = {slot: sum(int(match[slot] or 0) for match in found) for slot in ("passed", "failed", "skipped")}
    return TestCounts(runner="cargo", collected=sum(add.values()), **add)


def _go(text: str) -> TestCounts | None:
    if not ("FAIL" in text or "PASS" in text or "ok  " in text or "ok\t" in text) or not _GO_SIGN.search(text):
        return None
    failed = {m["name"] for m in _GO.finditer(text) if m["case"] == "FAIL"}
    lines = [m["line"] for m in _GO.finditer(text) if m["line"]]
    if not lines and not failed:
        return None
    if not failed and "FAIL" not in lines:
        if "no tests to run" in text:
            return TestCounts(runner="go", passed=0, collected=0)
        return TestCounts(runner="go", failed=0)  # its lines stand for packages, not for tests
    return TestCounts(runner="go", failed=max(1, len(failed)))


def _js(text: str) -> TestCounts | None:
    match = _last(_JS, text) if "Test" in text or "run: " in text else None
    if match is None:
        return None
    return _slots(((m["what"], m["n"]) for m in _COUNTED.finditer(match["body"])), "jest")


def _lines_of(pattern: re.Pattern[str], runner: str, *signs: str) -> Callable[[str], TestCounts | None]:
    """Runners that give each count a line of its own."""

    def read(text: str) -> TestCounts | None:
        found = [*pattern.finditer(text)] if has_any(text, signs) else []
        if not found or not {m["what"] for m in found} & {"pass", "fail", "passing", "failing", "tests"}:
            return None
        latest = {match["what"]: match["n"] for match in found}
        return _slots(iter(latest.items()), runner)

    return read


def _xunit(text: str) -> TestCounts | None:
    match = _last(_XUNIT, text) if "Tests" in text else None
    if match is None:
        return None
    return _slots(((m[1], m[2]) for m in _PAIR.finditer(match["body"])), "junit", collected=int(match["n"]))


def _dotnet(text: str) -> TestCounts | None:
    match = _last(_DOTNET, text) if "! " in text else None
    return _slots(((m[1], m[2]) for m in _PAIR.finditer(match["body"])), "dotnet") if match else None


def _ruby(text: str) -> TestCounts | None:
    match = (
        _last(_RUBY, text) if "failure" in text or "failed" in text or "errors" in text or "passed" in text else None
    )
    if match is None or not re.search(r"fail|error|passed", match["body"]):
        return None
    pairs = ((m["what"], m["n"]) for m in _COUNTED.finditer(match["body"]) if m["what"] != "assertions")
    return _slots(pairs, "rspec", collected=int(match["n"]))


def _single(text: str) -> TestCounts | None:
    """Runners whose summary is one line with the words in a fixed order."""
    for sign, pattern, runner in _SINGLE:
        match = _last(pattern, text) if sign in text else None
        if match:
            groups = match.groupdict()
            known = {slot: int(groups[name]) for slot, name in _GROUPS if groups.get(name)}
            return _slots(iter(()), runner, **known)
    return None


def _gtest(text: str) -> TestCounts | None:
    found = {m["word"]: int(m["n"]) for m in _GTEST.finditer(text)} if "[  " in text else {}
    return TestCounts(runner="gtest", passed=found.get("PASSED"), failed=found.get("FAILED")) if found else None


def _prose(text: str) -> TestCounts | None:
    match = _last(_PROSE, text) if "pass" in text or "fail" in text else None
    if match is None:
        return None
    part, whole = int(match["a"]), int(match["b"])
    good = part if match["word"].lower().startswith("pass") else whole - part
    return TestCounts(passed=good, failed=max(0, whole - good), collected=whole)


def _labelled(text: str) -> TestCounts | None:
    """Numbers behind their words, in either order, and nothing said of whose they are."""
    match = _last(_LABELLED, text)
    if match is None:
        return None
    passed, failed = match["passed"] or match["passed2"], match["failed"] or match["failed2"]
    return TestCounts(passed=int(passed), failed=int(failed))


_GROUPS = (("passed", "passed"), ("failed", "failed"), ("collected", "n"))
_SINGLE = (
    ("OK (", _PHPUNIT_OK, "phpunit"),
    ("% tests passed", _CTEST, "ctest"),
    ("Executed ", _SWIFT, "swift"),
    (" | ", _DENO, "deno"),
    ("tests completed", _GRADLE, "gradle"),
    ("通过", _CHINESE, ""),
)
_READERS: tuple[Callable[[str], TestCounts | None], ...] = (
    _pytest,
    _unittest,
    _cargo,
    _js,
    _xunit,
    _dotnet,
    _ruby,
    _single,
    _gtest,
    _lines_of(_MOCHA, "mocha", "passing", "failing"),
    _lines_of(_TAP, "tap", "# pass", "# fail", "ℹ pass", "ℹ fail"),
    _lines_of(_BUN, "bun", " pass", " fail"),
    _go,
    _prose,
    _labelled,
)
