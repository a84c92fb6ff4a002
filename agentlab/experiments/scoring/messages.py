"""Audits message lists that stand inside files of another shape, each as if it were a file of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agentlab.audit.report import AuditReport
from agentlab.experiments.scoring.auditing import audited

__all__ = ["audited_messages"]


def audited_messages(lists: Mapping[str, Any]) -> Iterator[tuple[str, AuditReport]]:
    """Audit message lists, by key, in their order.

    Raises:
        LoadError: if one of them is none.
    """
    if not lists:
        return
    with TemporaryDirectory() as folder:
        keys = {}
        for number, (key, messages) in enumerate(lists.items()):
            name = f"{number:06d}.json"  # keys need not be names of files
            keys[name] = key
            (Path(folder) / name).write_text(json.dumps(messages), encoding="utf-8")
        for report in audited(Path(folder)):
            yield keys[Path(report.trace.path).name], report
