"""What Python itself says of a tool: errors of a call that cannot begin, told apart from those of a body that ran."""

from __future__ import annotations

__all__ = ["kind_of_error", "misfits_signature"]

_LABELS = ("TypeError: ", "Error: ")
_BINDING = (
    "got an unexpected keyword argument ",
    "got multiple values for ",
    "got some positional-only arguments ",
    "missing ",
    "takes ",
)
"""How the message of a TypeError goes on where a function's parameters cannot be bound, which is before its first
line runs; see `Python/ceval.c` in https://github.com/python/cpython."""


def misfits_signature(tool: str, error: str) -> bool:
    """Whether an error says that the arguments did not fit the parameters of the function that is the tool.

    Args:
        tool: name of the function.
        error: `TypeError: tool() missing 1 required ...`, without the class too, or with `Error:` before it; a method
            may be named with its class.
    """
    name, called, problem = error.partition("() ")
    for label in _LABELS:
        name = name.removeprefix(label)
    return bool(called) and name.rpartition(".")[2] == tool and problem.startswith(_BINDING)


def kind_of_error(error: str) -> str | None:
    """The class in `ValueError: ...`; None where the text begins with none."""
    name, colon, _ = error[:100].partition(":")
    return name if colon and name.replace(".", "_").isidentifier() else None
