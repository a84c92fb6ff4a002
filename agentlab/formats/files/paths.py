"""Names of files as text that can be printed and stored, and one name for each file."""

from __future__ import annotations

import os
import re
from typing import Final

from agentlab.errors import LoadError

__all__ = ["SEPARATOR", "as_local", "is_url", "kept", "masked", "printable", "resolved"]

SEPARATOR: Final = re.compile("[/!]" if os.sep == "/" else r"[/!]|\\(?!x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
"""What stands between the parts of a printable path; a backslash may be part of a name, or begin an escape in one."""
_UNPRINTED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
"""What moves a cursor, breaks a line or turns the direction of writing."""
_LOCAL: Final = re.compile(r"(?:file|local)://", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"(?<=://)([^/?#\s:@]*+):[^/?#\s]*@")
_SECRET: Final = re.compile(
    r"([?&][\w.-]*?(?:password|passwd|secret|token|signature|sig)=)[^&#\s'\"]+", re.IGNORECASE | re.ASCII
)
"""What signs a url; other parameters may say which file is meant."""


def is_url(path: str) -> bool:
    """Whether a path is one that fsspec opens, and no local file."""
    return "://" in as_local(path)


def as_local(path: str) -> str:
    """A `file://` or `local://` url as the local path that it is, empty where it names none; else the path itself.

    What stands behind the slashes is the path as it is, as fsspec takes it: `%20` is no space. A chain of urls is none.
    """
    found = _LOCAL.match(path)
    return path if found is None or "::" in path else path[found.end() :]


def printable(path: str) -> str:
    r"""A name of a file, with an escape for each byte that is not UTF-8 and each character that prints nothing.

    A name on disk is bytes, which Python reads as lone surrogates where they are not UTF-8; no document can hold those.
    In a url, what must not be seen is masked.
    """
    try:
        name = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        name = path.encode(errors="backslashreplace").decode()
    return masked(_UNPRINTED.sub(lambda found: ascii(found[0])[1:-1], name))


def masked(text: str) -> str:
    """A text with `***` for the passwords, tokens and signatures of the urls in it."""
    if "://" not in text:
        return text
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))


def resolved(path: str) -> str:
    """The printable name of a local file that is the same whichever links lead to it."""
    return printable(path if "\0" in path else os.path.realpath(path))


def kept(error: LoadError) -> LoadError:
    """An error that can be kept and printed: its traceback would keep everything that its readers held."""
    return LoadError(printable(error.path), masked(error.problem))
