"""Quarantine, read side: for `audit` and `replay` alone; a test holds that no harness or agent imports it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentlab.errors import LoadError
from agentlab.strictjson import digest
from agentlab.trace.quarantine import MemoryQuarantine

__all__ = ["EMPTY", "FolderTexts", "MemoryTexts", "QuarantineReader", "read_side"]

_DIGEST = re.compile(r"[0-9a-f]{64}")


class QuarantineReader(Protocol):
    """Finds the text of a rejected reply again."""

    def get(self, name: str) -> str | None:
        """The text with this SHA-256, or None where it was not kept."""
        ...


@dataclass(frozen=True)
class MemoryTexts:
    """Texts already in this process."""

    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    def get(self, name: str) -> str | None:
        return self.texts.get(name)


@dataclass(frozen=True)
class FolderTexts:
    """Texts in a run's quarantine folder."""

    folder: Path

    def get(self, name: str) -> str | None:
        """The text with this SHA-256, or None where it was not kept.

        Raises:
            LoadError: if the file's content does not have the digest it is named by.
        """
        path = self.folder / name
        if not _DIGEST.fullmatch(name) or not path.is_file():
            return None
        text = path.read_bytes().decode("utf-8", "replace")
        if digest(text) != name:
            raise LoadError(path, "a quarantined text must have the SHA-256 it is named by; this one was changed")
        return text


EMPTY = MemoryTexts()


def read_side(writer: MemoryQuarantine) -> MemoryTexts:
    """The texts a quarantine in memory holds now."""
    return MemoryTexts(writer.snapshot())
