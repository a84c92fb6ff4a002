"""Lines by which builds, linters and test runners say without a count that they failed, held, or ran nothing."""

from __future__ import annotations

import re

__all__ = ["BUILD_FAILED", "BUILD_HELD", "COMPLAINT", "RAN_NOTHING"]

RAN_NOTHING = re.compile(
    r"^\W{0,20}(?:no tests ran|collected 0 items|NO TESTS RAN|Ran 0 tests|No tests (?:found|executed|were found|to run)"
    r"|no test files|0 tests? (?:found|collected|ran|run|executed|passed\b.{0,12}of 0)|running 0 tests|No specs found"
    r"|\S{1,200}[ \t]{1,4}\[no test files\]|No test suites? found|No tests were (?:run|executed)|found 0 tests?\b"
    r"|testing: warning: no tests to run|Nothing to (?:test|run)|0 specs\b|0 examples, 0 failures"
    r"|未找到测试|没有(?:找到|发现|运行)(?:任何)?测试|共 ?0 ?个测试)",
    re.MULTILINE | re.IGNORECASE,
)
BUILD_FAILED = re.compile(
    r"^\W{0,12}(?:\[ERROR\] )?(?:BUILD FAIL(?:ED|URE)(?: in .{1,20})?|Build failed|Build FAILED|Compilation failed"
    r"|make(?:\[\d+\])?: \*\*\* .{1,160}"
    r"|ninja: build stopped: .{1,80}|error: could not compile .{1,120}|npm ERR! .{1,80}|npm error .{1,80}"
    r"|error Command failed.{0,80}"
    r"|Found [1-9][0-9]{0,6} errors?\b(?!.{0,40}\b0 remaining).{0,60}"
    r"|✖ [0-9]{1,7} problems? \([1-9][0-9]{0,6} errors?.{0,60}"
    r"|ERROR: .{0,20}[Bb]uild.{0,60}"
    r"|[1-9][0-9]{0,6} errors? generated\.|[1-9][0-9]{0,6} files? would be reformatted.{0,60}"
    r"|\S{1,60}: FAIL(?: code [0-9]{1,4})?\b.{0,40}|evaluation failed :\("
    r"|Some tests failed.{0,40}|not ok [0-9]{1,6}\b.{0,160}|FAIL[ \t]{1,3}\S{1,160}\.\w{1,5}"
    r"|\w.{0,160} \.\.\. (?:FAILED|FAIL|ERROR)"
    r"|.{1,120}: error TS[0-9]{1,5}: .{1,160}|collect2: error: .{1,80})$",
    re.MULTILINE,
)
BUILD_HELD = re.compile(
    r"^\W{0,12}(?:\[INFO\] )?(?:BUILD SUCCESS(?:FUL)?\b.{0,30}|Build succeeded\.?"
    r"|Success: no issues found.{0,40}|All checks passed!"
    r"|All tests passed[.!]?|All specs passed!|0 errors?, 0 warnings.{0,40}|no issues found[.!]?|Found 0 errors.{0,40}"
    r"|Found [0-9]{1,6} errors? \(.{1,30}, 0 remaining\)\.?|Your code has been rated at 10.{0,40}"
    r"|[0-9]{1,7} files? (?:already formatted|left unchanged)\.?|所有测试(?:均"
    r"|都|已)?通过[。!！]?)$",
    re.MULTILINE | re.IGNORECASE,
)
COMPLAINT = re.compile(
    r"^\W{0,12}(?:[^\s:]{1,160}:[0-9]{1,6}(?::[0-9]{1,5})?:? (?:fatal )?error: .{1,160}"
    r"|[^\s:]{1,160}:[0-9]{1,6}:[0-9]{1,5}: [A-Z]{1,3}[0-9]{3,4}\b.{0,160}"
    r"|[1-9][0-9]{0,6} errors?(?:, [0-9]{1,6} (?:warnings?|informations?|notes?)){0,2}[.!]?"
    r"|error: aborting due to .{1,60}|error\[E[0-9]{1,5}\]: .{1,160}|Failed to compile\.?|error during build:.{0,120}"
    r"|ERROR in .{1,160}|.{0,60}\bcompiled with [1-9][0-9]{0,5} errors?.{0,40}|would reformat .{1,160}"
    r"|Code style issues found in .{1,60}|error: build failed.{0,60}|构建失败.{0,60}|编译失败.{0,60})$",
    re.MULTILINE,
)
"""Lines in which a checker complains. They may stand in the output of something that held all the same, and so count
only where no summary stands beside them.
"""
