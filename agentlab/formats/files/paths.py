"""Names of files as text that can be printed and stored, and one name for each file."""

from __future__ import annotations

import os
import re
from typing import Final

from agentlab.errors import LoadError

__all__ = ["kept", "printable", "resolved"]

_UNPRINTED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
"""What moves a cursor, breaks a line or turns the direction of writing."""


def printable(path: str) -> str:
    r"""A name of a file, with an escape for each byte that is not UTF-8 and each character that prints nothing.

    A name on disk is bytes, which Python reads as lone surrogates where they are not UTF-8; no document can hold those.
    """
    try:
        name = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        name = path.encode(errors="backslashreplace").decode()
    return _UNPRINTED.sub(lambda found: ascii(found[0])[1:-1], name)


def resolved(path: str) -> str:
    """The printable name of a local file that is the same whichever links lead to it."""
    return printable(path if "\0" in path else os.path.realpath(path))


def kept(error: LoadError) -> LoadError:
    """An error that can be kept and printed: its traceback would keep everything that its readers held."""
    return LoadError(printable(error.path), error.problem)
