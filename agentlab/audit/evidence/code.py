"""What a piece of program text does to the world, and what it prints of itself. It is read, never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeGuard

from agentlab.audit.evidence.values import EffectKind
from agentlab.strictjson import StrictJSONError, dumps

__all__ = ["deeds_in", "names_in", "printed_literals"]

_LONGEST = 20_000
_WRITES = re.compile(
    r"""\bopen\(\s*(?:f|r)?['"](?P<file>[^'"\n]{1,300})['"]\s*,\s*(?:mode\s*=\s*)?['"][rb+t]*[wax]"""
    r"""|\.(?:to_(?:csv|excel|json|parquet|html|pickle|markdown|latex)|savefig|save|write_(?:csv|json|parquet"
    r"|image|html)|dump)"""
    r"""\(\s*(?:f|r)?['"](?P<saved>[^'"\n]{1,300})['"]"""
    r"""|\bPath\(\s*(?:f|r)?['"](?P<path>[^'"\n]{1,300})['"]\)\.(?:write_text|write_bytes|mkdir|unlink|touch|rename)"""
    r"""|\b(?:os|shutil)\.(?:remove|unlink|rename|replace|makedirs|mkdir|rmdir|rmtree|copy\w{0,8}|move)"""
    r"""\(\s*(?:f|r)?['"](?P<os>[^'"\n]{1,300})['"]"""
    r"""|\b(?:fs\.)?(?:writeFile|appendFile|unlink|mkdir|rename)(?:Sync)?\(\s*['"`](?P<js>[^'"`\n]{1,300})['"`]"""
)
_SENDS = re.compile(
    r"\b(?:requests|httpx|session|client|axios)\.(?:post|put|patch|delete)\(|\bsmtplib\b|\.send_message\("
)
_CHECKS = re.compile(r"\b(?:pytest\.main|unittest\.main|doctest\.testmod)\(|^\s*%?!?\s*pytest\b", re.MULTILINE)
_WRITING = (
    *("open(", ".to_", ".save", ".write_", ".dump", "Path(", "os.", "shutil.", "writeFile", "appendFile", "unlink"),
    *("mkdir", "rename"),
)
_SENDING = (".post(", ".put(", ".patch(", ".delete(", "smtplib", ".send_message(")
_CHECKING = ("main(", "pytest", "testmod")
"""Signs of which one stands in all that the patterns find: much cheaper to look for."""
_LITERAL = re.compile(r"'([^'\\\n]{1,300})'|\"([^\"\\\n]{1,300})\"")
_NAME_LIKE = re.compile(r"[\w./~:@+\-?=&%#]{2,300}")


def deeds_in(code: str) -> tuple[frozenset[EffectKind], frozenset[str]]:
    """What a program's text shows that it does beside running, and the files it is seen to write."""
    text = code[:_LONGEST]
    kinds: set[EffectKind] = set()
    files: set[str] = set()
    if "open(" in text or "." in text:
        if any(sign in text for sign in _WRITING):
            files = {match[match.lastgroup] for match in _WRITES.finditer(text) if match.lastgroup}
        if files:
            kinds.add("write")
        if any(sign in text for sign in _SENDING) and _SENDS.search(text):
            kinds.add("send")
        if any(sign in text for sign in _CHECKING) and _CHECKS.search(text):
            kinds.add("check")
    return frozenset(kinds), frozenset(files)


def names_in(code: str) -> frozenset[str]:
    """The short literals of a program's text without spaces, which may name what it acts on."""
    literals = (match[1] or match[2] for match in _LITERAL.finditer(code[:_LONGEST]))
    return frozenset(literal for literal in literals if _NAME_LIKE.fullmatch(literal))


@lru_cache(maxsize=64)
def printed_literals(code: str) -> tuple[str, ...] | None:
    """What a Python program prints that was written into it: constants, and names bound to nothing else.

    Returns:
        One text for each `print` and for a last expression; None where the text is no Python, or prints anything that
        it works out.
    """
    if len(code) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the parser thinks of somebody's program is not ours to print
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    try:
        return tuple(_printed(tree))
    except (_WorkedOutError, RecursionError, StrictJSONError, ValueError, TypeError):
        return None


class _WorkedOutError(Exception):
    """The program computes or asks for what it prints."""


def _printed(tree: ast.Module) -> Iterator[str]:
    known: dict[str, object] = {}
    for position, statement in enumerate(tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)) or _is_text(statement):
            continue
        if isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets):
            value = _constant(statement.value, known)
            known.update((target.id, value) for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.Expr):
            is_last = position == len(tree.body) - 1
            yield _shown(statement.value, known, is_last=is_last)
        else:
            raise _WorkedOutError


def _is_text(statement: ast.stmt) -> bool:
    """A docstring shows nothing."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        and statement.col_offset == 0
        and statement.lineno == 1
        and statement.end_lineno != statement.lineno
    )


def _shown(node: ast.expr, known: dict[str, object], *, is_last: bool) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "print" or (is_last and node.func.id in {"final_answer", "display", "repr", "str"}):
            values = [
                *node.args,
                *(word.value for word in node.keywords if word.arg not in {"sep", "end", "flush", "file"}),
            ]
            return " ".join(str(_constant(value, known)) for value in values)
        raise _WorkedOutError
    if is_last:
        return str(_constant(node, known))
    raise _WorkedOutError


def _constant(node: ast.expr, known: dict[str, object]) -> object:
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.JoinedStr):
        return "".join(str(_constant(part, known)) for part in node.values)
    if isinstance(node, ast.FormattedValue) and node.format_spec is None:
        return _constant(node.value, known)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _member(_constant(node.value, known), node.slice.value)
    if _is_dumps(node):
        return dumps(_constant(node.args[0], known))
    return ast.literal_eval(node)


def _is_dumps(node: ast.expr) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "dumps"
        and len(node.args) == 1
    )


def _member(whole: object, key: object) -> object:
    if isinstance(whole, dict) and key in whole:
        return whole[key]
    if isinstance(whole, (list, tuple)) and isinstance(key, int) and -len(whole) <= key < len(whole):
        return whole[key]
    raise _WorkedOutError
