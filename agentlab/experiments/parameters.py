"""The parameters of a notebook: read from its tagged cell; given values are checked before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentlab.errors import LoadError, UsageError, unknown_name
from agentlab.experiments.notebookfile import Notebook
from agentlab.strictjson import StrictJSONError, dumps, loads

__all__ = ["Parameter", "check_values", "parameters_of"]

_TRUTH = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One assignment of the cell tagged `parameters`."""

    name: str
    default: Any
    """What JSON can hold: only such values reach a kernel as they are."""
    path: bool = False
    """Whether the cell says so, as in `labels = ""  # path`; the notebook runs elsewhere, so the path is made whole."""

    def read(self, value: Any) -> Any:
        """The value as this parameter's type, from text of a command line or from a value of that type.

        Raises:
            UsageError: if it is not one.
        """
        wanted = type(self.default)
        if isinstance(value, str) and wanted is not str:
            value = self._from_text(value)
        elif wanted is float and type(value) is int:
            value = float(value)
        if (self.default is not None and type(value) is not wanted) or not _is_plain(value):
            raise self._refused(value)
        return str(Path(value).absolute()) if self.path and value and "://" not in value else value

    def _from_text(self, text: str) -> Any:
        kind = type(self.default)
        try:
            if kind is bool:
                return _TRUTH[text.strip().lower()]
            if kind in (int, float):
                return kind(text)
            if kind in (list, dict):
                return loads(text)
        except (KeyError, ValueError):
            raise self._refused(text) from None
        return text

    def _refused(self, value: Any) -> UsageError:
        return UsageError(
            f"The parameter {self.name!r} takes a value of type {type(self.default).__name__}, such as "
            f"{dumps(self.default)}; {value!r} is not one."
        )


def parameters_of(notebook: Notebook, path: object) -> dict[str, Parameter]:
    """The parameters of a notebook, by name.

    Args:
        notebook: the notebook.
        path: for the error.

    Raises:
        LoadError: if no cell is tagged `parameters`, or it holds anything but assignments of plain values.
    """
    for cell in notebook["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            return {p.name: p for p in _assignments(cell["source"], path)}
    raise LoadError(path, "a notebook to be run has a cell tagged `parameters`; this one has none")


def check_values(parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, each read as its parameter's type.

    Raises:
        UsageError: for a parameter that does not exist, listing those that do, or a value of another type.
    """
    for name in given:
        if name not in parameters:
            raise unknown_name("parameter", name, parameters)
    return {name: parameters[name].read(value) for name, value in given.items()}


def _assignments(source: str, path: object) -> list[Parameter]:
    found = []
    try:
        for statement in ast.parse(source).body:
            target, value = _assignment(statement)
            default = _plain(ast.literal_eval(value))
            is_path = isinstance(default, str) and _remark(source, value).startswith("path")
            found.append(Parameter(name=target, default=default, path=is_path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        problem = (
            "the cell tagged `parameters` should hold assignments of plain values (numbers, strings, True, False, "
            "None, lists, and dictionaries with strings as keys) and nothing else"
        )
        raise LoadError(path, problem) from None
    return found


def _assignment(statement: ast.stmt) -> tuple[str, ast.expr]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
        return statement.target.id, statement.value
    raise ValueError("not an assignment")


def _remark(source: str, value: ast.expr) -> str:
    """The comment behind a value, without its sign."""
    line = source.splitlines()[value.end_lineno - 1 if value.end_lineno else -1].encode()
    return line[value.end_col_offset :].decode().lstrip("# \t")


def _plain(value: object) -> object:
    if not _is_plain(value):
        raise ValueError("not a value that JSON can hold")
    return value


def _is_plain(value: object) -> bool:
    try:
        return loads(dumps(value)) == value
    except StrictJSONError:
        return False
