"""Python programs that an agent writes as its action: what they call, and what they only print, say or bring along."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

__all__ = ["Comment", "Program", "program"]

T = TypeVar("T", bound=ast.AST)

_LONGEST = 20_000
"""Characters of a program that is read; what a model writes in one reply is shorter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment in a program. Offsets are code points into the program, end exclusive, the `#` included."""

    start: int
    end: int
    text: str


class Program:
    """What one program does, as far as its text says.

    Args:
        source: the program; None of what it does is known where it is not Python.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._tree = _parsed(source)

    @property
    def is_python(self) -> bool:
        return self._tree is not None

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The names it calls, dotted where written so, in the order of the text; what a definition holds included."""
        return tuple(name for node in self._of(ast.Call) if (name := _dotted(node.func)))

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The modules it imports, dotted where written so, plain imports before those from."""
        named = (alias.name for node in self._of(ast.Import) for alias in node.names)
        return (*named, *(node.module for node in self._of(ast.ImportFrom) if node.module))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts that stand in it as literals, those of f-strings in their parts."""
        constants = (node.value for node in self._of(ast.Constant))
        return tuple(value for value in constants if isinstance(value, str))

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        return tuple(_comments(self.source)) if self.is_python and "#" in self.source else ()

    @cached_property
    def only_shows(self) -> bool:
        """Whether it does no more than put texts and numbers together and print them."""
        return self.is_python and set(self.calls) <= _SHOWING and not any(isinstance(n, _WORKING) for n in self._nodes)

    @cached_property
    def repeats(self) -> bool:
        """Whether it goes through something again and again, as what simulates a process does."""
        return any(isinstance(node, ast.For | ast.While | ast.comprehension) for node in self._nodes)

    def is_calling(self, name: str) -> bool:
        """Whether it calls something of this name, also as a method of something."""
        return any(called == name or called.endswith(f".{name}") for called in self.calls)

    def passed_to(self, name: str) -> str | None:
        """The text of what it first passes to a function; empty where nothing, None where it does not call it."""
        for node in self._of(ast.Call):
            if _dotted(node.func) == name:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                return self._written(given[0]) if given else ""
        return None

    def _written(self, node: ast.expr) -> str:
        """The text of an expression; the standard library cuts the whole source into lines for each."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = [line.encode() for line in self._lines[first : last + 1]]
        lines[-1] = lines[-1][: node.end_col_offset]  # offsets are bytes of a line
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode()

    @cached_property
    def _lines(self) -> Sequence[str]:
        """The lines as the parser counts them, with their ends."""
        return _LINE.findall(self.source)

    def _of(self, kind: type[T]) -> list[T]:
        """Its nodes of one kind, in the order of the text."""
        return sorted((node for node in self._nodes if isinstance(node, kind)), key=_place)

    @cached_property
    def _nodes(self) -> Sequence[ast.AST]:
        return _walked(self._tree) if self._tree is not None else ()


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SHOWING = frozenset({"print", "str", "repr", "format", "join", "dedent", "textwrap.dedent", "display"})
_WORKING = (ast.BinOp, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.With)
"""What computes, brings in or repeats something. Texts side by side are one literal, so no sum is needed for them."""


@lru_cache(maxsize=64)
def program(source: str) -> Program:
    """A program, read once."""
    return Program(source)


def _parsed(source: str) -> ast.Module | None:
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes, which are the model's business
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _walked(tree: ast.AST) -> list[ast.AST]:
    """Every node, level by level, as `ast.walk` gives them, but in half the time."""
    found = [tree]
    for node in found:
        for name in node._fields:
            inner = getattr(node, name, None)
            if isinstance(inner, ast.AST):
                found.append(inner)
            elif isinstance(inner, list):
                found += [each for each in inner if isinstance(each, ast.AST)]
    return found


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _dotted(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _comments(source: str) -> Iterator[Comment]:
    lines = source.splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                start = begins[token.start[0] - 1] + token.start[1]
                yield Comment(start=start, end=start + len(token.string), text=token.string)
    except (tokenize.TokenError, SyntaxError):
        return
