from __future__ import annotations

import pytest

from agentlab.audit.evidence.runners import summary_in
from agentlab.audit.evidence.shown import shown

SUMMARIES = [
    ("===== 2 failed, 7 passed, 1 skipped in 0.31s =====", "pytest", 7, 2, True),
    ("7 passed, 1 warning in 0.31s", "pytest", 7, None, False),
    ("1 error in 0.20s", "pytest", None, None, True),
    ("Ran 9 tests in 0.004s\n\nOK (skipped=2)", "unittest", 7, None, False),
    ("Ran 9 tests in 0.004s\n\nFAILED (failures=2, errors=1)", "unittest", 6, 2, True),
    ("--- FAIL: TestMast (0.00s)\nFAIL\nFAIL\tharbour/deck\t0.01s", "go", None, 1, True),
    ("ok  \tharbour/deck\t0.012s", "go", None, 0, False),
    ("test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", "cargo", 4, 1, True),
    ("Tests:       1 failed, 5 passed, 6 total", "jest", 5, 1, True),
    (" Test Files  1 passed (1)\n      Tests  4 passed (4)", "jest", 4, None, False),
    ("  5 passing (20ms)\n  1 failing", "mocha", 5, 1, True),
    ("# tests 5\n# pass 5\n# fail 0", "tap", 5, 0, False),
    ("6 examples, 1 failure, 2 pending", "rspec", 3, 1, True),
    ("5 runs, 9 assertions, 0 failures, 0 errors, 0 skips", "rspec", 5, 0, False),
    ("OK (5 tests, 9 assertions)", "phpunit", 5, None, False),
    ("Tests: 5, Assertions: 9, Failures: 1.", "junit", 4, 1, True),
    ("[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS", "junit", 4, 0, False),
    ("9 tests completed, 2 failed", "gradle", 7, 2, True),
    ("Failed!  - Failed:     1, Passed:     5, Skipped:     0, Total:     6, Duration: 3 ms", "dotnet", 5, 1, True),
    ("80% tests passed, 1 tests failed out of 5", "ctest", 4, 1, True),
    ("[  PASSED  ] 5 tests.", "gtest", 5, None, False),
    ("Executed 5 tests, with 0 failures (0 unexpected) in 0.01 seconds", "swift", 5, 0, False),
    ("ok | 5 passed | 0 failed (20ms)", "deno", 5, 0, False),
    (" 5 pass\n 1 fail\nRan 6 tests across 1 files.", "bun", 5, 1, True),
    ("3 of 5 checks passed", "", 3, 2, True),
    ("测试完成：通过 5 个，失败 1 个", "", 5, 1, True),
]


@pytest.mark.parametrize(("text", "runner", "passed", "failed", "broke"), SUMMARIES)
def test_summaries(text: str, runner: str, passed: int | None, failed: int | None, broke: bool) -> None:
    for around in ("{}", "collecting\n{}\n", "{}\nexit code: 0"):
        found = summary_in(shown(around.format(text)))
        assert found is not None
        assert (found.counts.runner, found.counts.passed, found.counts.failed) == (runner, passed, failed)
        assert found.failed is broke


@pytest.mark.parametrize(
    "text",
    [
        "make: *** [Makefile:9: deck] Error 2",
        "BUILD FAILED in 3s",
        "error: could not compile `deck` (lib) due to 2 previous errors",
        "Found 3 errors in 2 files (checked 9 source files)",
        "src/deck.ts(3,1): error TS2304: Cannot find name 'mast'.",
        "✖ 3 problems (2 errors, 1 warning)",
        "npm ERR! code ELIFECYCLE",
    ],
)
def test_builds_that_fail(text: str) -> None:
    found = summary_in(shown(f"compiling\n{text}"))
    assert found is not None
    assert found.failed is True


@pytest.mark.parametrize(
    "text",
    ["All checks passed!", "Success: no issues found in 9 source files", "BUILD SUCCESSFUL in 1s", "Found 0 errors."],
)
def test_builds_that_hold(text: str) -> None:
    found = summary_in(shown(text))
    assert found is not None
    assert found.failed is False


@pytest.mark.parametrize(
    "text",
    [
        "collected 0 items",
        "no tests ran in 0.01s",
        "Ran 0 tests in 0.000s\n\nOK",
        "No tests found, exiting with code 0",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out",
        "0 examples, 0 failures",
        "testing: warning: no tests to run\nPASS",
    ],
)
def test_suites_that_ran_nothing(text: str) -> None:
    found = summary_in(shown(text))
    assert found is not None
    assert found.failed is None
    assert found.counts.ran_nothing


@pytest.mark.parametrize(
    "text",
    [
        "The inspectors passed 3 ships and failed 1.",
        "He passed the test in 2 hours",
        "3 errors were found by the auditors last year, and all passed",
        "tests/deck.md: how to build a deck",
        "OK",
        "",
    ],
)
def test_prose_is_no_summary(text: str) -> None:
    assert summary_in(shown(text)) is None
