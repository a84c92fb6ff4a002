"""What the fields of a JSON result say about the call: success, error, status, exit code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import jiter

from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.sentences import error_in
from agentlab.audit.evidence.shown import Shown, has_any, shown
from agentlab.audit.evidence.values import EffectKind, TestCounts
from agentlab.strictjson import JSONValue

__all__ = ["Said", "object_in", "said_by_fields", "text_of_blocks", "whole_json"]

_LONG = 4500
"""Code points; of a longer object only the beginning and the end are searched for a field that matters."""
_LARGEST = 1_000_000
"""Code points of JSON that are read."""
_SIGNS = (
    "success",
    "error",
    "status",
    'ok"',
    "ok'",
    "exit",
    "code",
    "fail",
    "truncated",
    "total",
    "more",
    "exception",
    "passed",
    "message",
    "detail",
    "result",
    "isError",
    "valid",
    "next",
    "count",
)
_GOOD = words("ok success succeeded successful completed complete done passed true 成功 完成")
_BAD = words("error errored failed failure fail fatal exception timeout timed_out 失败 错误 异常")
_FLAGS = ("success", "ok", "succeeded", "is_success", "isSuccess", "successful", "Success")
_ERRORS = ("error", "errors", "err", "exception", "error_message", "errorMessage", "Error", "failure", "错误")
_ERROR_FLAGS = ("is_error", "isError", "has_error", "hasError", "failed", "timed_out", "timedOut")
_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "returnCode", "exit_status", "rc")
_HTTP = ("status_code", "statusCode", "http_status", "httpStatus", "status", "code", "http_code")
_ENVELOPE = frozenset(
    (
        *_FLAGS,
        *_ERRORS,
        *_ERROR_FLAGS,
        *_CODES,
        *_HTTP,
        *words(
            "message msg detail details data result results output content text reason hint type title stdout"
            " stderr traceback"
        ),
        *words(
            "request_id requestId timestamp time path tool id code_name error_code errorCode retry_after suggestion"
        ),
    )
)
_EMPTY_ERRORS = frozenset(("", "none", "null", "0", "no", "false", "ok", "no error", "no errors", "无", "success"))
_REMARK = frozenset(
    ("message", "detail", "msg", "type", "request_id", "requestId", "timestamp", "path", "documentation_url")
)
_FLAT = re.compile(
    r"'(?P<key>\w{1,30})': (?:(?P<bool>True|False|None)|'(?P<text>[^'\\]{0,400})'|(?P<number>-?[0-9]{1,9})(?=[,}]))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What a text says about the call it is the result of."""

    said: Literal["ok", "failed", "unclear"]
    """unclear where it says both, or that some of it failed."""
    why: str
    exit_code: int | None = None
    tests: TestCounts | None = None


def whole_json(text: str) -> JSONValue | None:
    """The value of a text that is one JSON object or list; None where it is neither, or too long."""
    stripped = text.strip() if text[:1].isspace() or text[-1:].isspace() else text
    if len(stripped) > _LARGEST or not (stripped[:1] in "{[" and stripped[-1:] in "}]" and stripped):
        return None
    try:
        value: JSONValue = jiter.from_json(stripped.encode())
    except (ValueError, RecursionError):
        return None
    return value


def object_in(text: str, seen: Shown) -> Mapping[str, JSONValue] | None:
    """The object that a result is, where one of its keys may speak of the call.

    Python's way of writing a flat dict is understood too.
    """
    if seen.head[:1] != "{":
        return None
    if seen.length > _LONG and not has_any(seen.head, _SIGNS) and not has_any(seen.tail, _SIGNS):
        return None
    value = whole_json(text)
    if isinstance(value, dict):
        return _unwrapped(value)
    if value is None and seen.head.startswith("{'") and seen.head.count("{") == 1 and seen.is_short:
        return {match["key"]: _flat(match) for match in _FLAT.finditer(seen.head)}
    return None


def text_of_blocks(text: str) -> str | None:
    """The text of a result that comes in content blocks, as MCP and some model APIs wrap it; None where it does not."""
    if text[:1] not in ("{", "[") or '"text"' not in text[:200] or '"type"' not in text[:200]:
        return None
    value = whole_json(text)
    blocks = value.get("content") if isinstance(value, dict) else value
    if not isinstance(blocks, list) or not blocks:
        return None
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(str(each) for each in texts) if len(texts) == len(blocks) else None


def _flat(match: re.Match[str]) -> JSONValue:
    if match["bool"]:
        return {"True": True, "False": False}.get(match["bool"])
    return int(match["number"]) if match["number"] else match["text"]


def _unwrapped(value: dict[str, JSONValue]) -> dict[str, JSONValue]:
    if len(value) == 1:
        key, inner = next(iter(value.items()))
        if key in {"result", "response", "data", "output"} and isinstance(inner, dict):
            return inner
    return value


def said_by_fields(fields: Mapping[str, JSONValue], *, kind: EffectKind) -> Said | None:
    """What the fields of a result say about the call.

    Args:
        fields: the result.
        kind: what the call does; where it looks something up, a status beside other fields is that of what it found.
    """
    is_look = kind == "read"
    found = [*_bools(fields), *_codes(fields), *_errors(fields), *_error_count(fields, kind), *_counts(fields)]
    if not is_look or _ENVELOPE.issuperset(fields):
        found += [*_words(fields), *_http(fields), *_parts(fields)]
    elif any(said.said == "failed" for said in found) and not any(key in fields for key in _FLAGS):
        return Said(said="unclear", why="an error is among the fields of what was looked up")
    if not found:
        return _remarked(fields, is_look=is_look)
    code = next((said.exit_code for said in found if said.exit_code is not None), None)
    tests = next((said.tests for said in found if said.tests is not None), None)
    bad = next((said for said in found if said.said == "failed"), None)
    good = next((said for said in found if said.said == "ok"), None)
    mixed = next((said for said in found if said.said == "unclear"), None)
    if bad and good:
        return Said(said="unclear", why=f"{bad.why}, but {good.why}", exit_code=code, tests=tests)
    chosen = bad or mixed or good or found[0]
    return Said(said=chosen.said, why=chosen.why, exit_code=code, tests=tests)


def _bools(fields: Mapping[str, JSONValue]) -> list[Said]:
    found = [
        Said(said="ok" if value else "failed", why=f"{key} is {str(value).lower()}")
        for key in _FLAGS
        if isinstance(value := fields.get(key), bool)
    ]
    found += [Said(said="failed", why=f"{key} is true") for key in _ERROR_FLAGS if fields.get(key) is True]
    return found


def _codes(fields: Mapping[str, JSONValue]) -> list[Said]:
    return [
        Said(said="failed" if value else "ok", why=f"exit code {value}", exit_code=value)
        for key in _CODES
        if isinstance(value := fields.get(key), int) and not isinstance(value, bool)
    ]


def _errors(fields: Mapping[str, JSONValue]) -> list[Said]:
    for key in _ERRORS:
        value = fields.get(key)
        if not value or (isinstance(value, str) and value.strip().lower() in _EMPTY_ERRORS):
            continue
        if isinstance(value, (str, list, Mapping)) or value is True:
            return [Said(said="failed", why=f"{key}: {_brief(value)}" if value is not True else f"{key} is true")]
    return []


def _error_count(fields: Mapping[str, JSONValue], kind: EffectKind) -> list[Said]:
    """A number of errors is a failure of a check; of other calls it may be of a part, and of a look that of a thing."""
    number = _count(fields.get("errors")) or _count(fields.get("error_count"))
    if not number or kind == "read":
        return []
    return [Said(said="failed" if kind == "check" else "unclear", why=f"{number} error{'s' * (number > 1)}")]


def _remarked(fields: Mapping[str, JSONValue], *, is_look: bool) -> Said | None:
    """What an object says that holds nothing but a remark."""
    if not fields or not _REMARK.issuperset(fields):
        return None
    remark = next((value for key in ("message", "detail", "msg") if isinstance(value := fields.get(key), str)), "")
    wrong = error_in(shown(remark), is_look=is_look)
    return Said(said="failed", why=f"it says {wrong!r}") if wrong else None


def _brief(value: JSONValue | Mapping[str, JSONValue]) -> str:
    if isinstance(value, list) and value:
        return _brief(value[0])
    if isinstance(value, Mapping):
        inner = value.get("message") or value.get("type") or value.get("code") or value.get("error")
        return _brief(inner) if isinstance(inner, str) else "an object"
    text = str(value).strip()
    line = text.splitlines()[0] if text else ""
    return line[:80]


def _counts(fields: Mapping[str, JSONValue]) -> list[Said]:
    """A runner's report as JSON gives both numbers."""
    passed, failed, total = (_count(fields.get(key)) for key in ("passed", "failed", "total"))
    if passed is None or failed is None:
        return []
    errors, skipped = _count(fields.get("errors")), _count(fields.get("skipped"))
    counts = TestCounts(passed=passed, failed=failed, errors=errors, skipped=skipped, collected=total)
    if counts.broken:
        return [Said(said="failed", why=f"{counts.broken} failed", tests=counts)]
    if counts.ran_nothing:
        return [Said(said="unclear", why="no check was executed", tests=counts)]
    return [Said(said="ok", why=f"{counts.passed} passed", tests=counts)]


def _count(value: JSONValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _words(fields: Mapping[str, JSONValue]) -> list[Said]:
    for key in ("status", "outcome", "result"):
        value = fields.get(key)
        word = value.strip().lower() if isinstance(value, str) and len(value) < 20 else ""
        if word in _BAD:
            return [Said(said="failed", why=f"{key} is {word}")]
        if word in _GOOD:
            return [Said(said="ok", why=f"{key} is {word}")]
    return []


def _http(fields: Mapping[str, JSONValue]) -> list[Said]:
    return [
        Said(said="failed", why=f"HTTP status {value}")
        for key in _HTTP
        if isinstance(value := fields.get(key), int) and not isinstance(value, bool) and 400 <= value <= 599
    ]


def _parts(fields: Mapping[str, JSONValue]) -> list[Said]:
    """Of a batch: how many of its entries failed."""
    for key in ("results", "items", "responses", "operations"):
        value = fields.get(key)
        entries = [entry for entry in value[:1000] if isinstance(entry, dict)] if isinstance(value, list) else []
        verdicts = [verdict for entry in entries if (verdict := _entry(entry)) is not None]
        bad = verdicts.count(False)
        if bad:
            said: Literal["failed", "unclear"] = "failed" if bad == len(entries) else "unclear"
            return [Said(said=said, why=f"{bad} of {len(entries)} entries failed")]
    return []


def _entry(entry: Mapping[str, JSONValue]) -> bool | None:
    flag = next((entry[key] for key in _FLAGS if isinstance(entry.get(key), bool)), None)
    if isinstance(flag, bool):
        return flag
    if _errors(entry):
        return False
    status = entry.get("status")
    return None if not isinstance(status, str) else False if status.lower() in _BAD else None
