"""The keys of model servers: they stand in the environment, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pydantic import SecretStr

__all__ = ["KEY_VARIABLES", "key_in", "without_keys"]

KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "AGENTLAB_API_KEY")
_SHORTEST = 6
"""Characters below which a value is no key, and stands in many a text by chance."""


def key_in(variable: str) -> SecretStr | None:
    """The key in a variable of the environment; None where it is missing or empty."""
    value = os.environ.get(variable)
    return SecretStr(value) if value else None


def without_keys(text: str) -> str:
    """A text with every key that the environment holds replaced."""
    for key in _keys():
        text = text.replace(key, "[key]")
    return text


def _keys() -> Iterator[str]:
    for variable in KEY_VARIABLES:
        value = os.environ.get(variable, "")
        if len(value) >= _SHORTEST:
            yield value
