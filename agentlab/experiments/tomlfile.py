"""TOML files that people write, read into checked values: what does not fit is refused with the file and the field."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentlab.errors import LoadError

__all__ = ["problems_of", "read_toml"]

_SHOWN = 3
"""How many problems one message names."""


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: the file.
        what: what it should be, for the error, e.g. `a condition`.

    Raises:
        LoadError: if it cannot be read, or is not TOML in UTF-8.
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise LoadError(path, f"{what} was expected; the file cannot be read ({error.strerror})") from None
    except RecursionError:
        raise LoadError(path, f"{what} is a TOML file; this one is nested too deep") from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise LoadError(path, f"{what} is a TOML file in UTF-8; {error}") from None


def problems_of(error: ValidationError) -> str:
    """The first problems, each with the field it is about; no value is quoted."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    shown = [_told(".".join(map(str, each["loc"])), each["msg"]) for each in found[:_SHOWN]]
    return "; ".join(shown) + (f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")


def _told(place: str, message: str) -> str:
    message = message.removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
