"""Quarantine, write side: the texts of rejected replies, put away under their digest.

The read side is `agentlab.trace.quarantine_reader`, which neither the harness nor an agent may import: what was
refused can be audited and replayed, and can never find its way back into a context.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Protocol

from agentlab.strictjson import digest

__all__ = ["FolderQuarantine", "MemoryQuarantine", "QuarantineWriter"]


class QuarantineWriter(Protocol):
    """Where the texts of rejected replies go."""

    def put(self, text: str) -> str:
        """Store a text and return its SHA-256 in hex; storing it again changes nothing."""
        ...


class MemoryQuarantine:
    """Keeps the texts in this process, for traces that are never written to disk."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, text: str) -> str:
        name = digest(text)
        self._texts[name] = text
        return name

    def snapshot(self) -> dict[str, str]:
        """All texts by digest; the read side alone calls this."""
        return dict(self._texts)


class FolderQuarantine:
    """Keeps each text in a file named by its digest.

    Args:
        folder: made with the first text.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, text: str) -> str:
        name = digest(text)
        final = self._folder / name
        if not final.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            # Written beside and renamed, so that a kill or a second thread never leaves half a text under its digest.
            draft = self._folder / f".{name}.{os.getpid()}.{threading.get_ident():x}"
            draft.write_bytes(text.encode())
            draft.replace(final)
        return name
