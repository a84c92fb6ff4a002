"""Goes on with a run that was stopped: the same study in its own folder, and only what does not count yet."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.outcomes import is_infrastructure
from agentlab.trace.store import Manifest, RunStore

__all__ = ["check_same_study", "done_attempts", "set_aside"]

_ASIDE = ".abandoned"
"""Hidden, so that nobody who reads the run takes it for a part of it."""


def check_same_study(store: RunStore, wanted: Manifest) -> None:
    """Refuse to mix two studies in one folder.

    Args:
        store: the run that is there.
        wanted: what the study to go on with would have written.

    Raises:
        UsageError: if they differ; the message names the field.
    """
    found = store.manifest
    for name in Manifest.model_fields:
        if getattr(found, name) != getattr(wanted, name):
            raise UsageError(
                f"The run in {str(store.folder)!r} is of another study: its {name.replace('_', ' ')} differs. "
                "Give the same case, conditions, attempts, provider and seed, or name a new folder with --out."
            )


def done_attempts(store: RunStore) -> Collection[str]:
    """The attempts that need not run again: those that ended, and not for want of a provider or by a stop."""
    done = set()
    for entry in store.manifest.attempts:
        try:
            trace = store.trace(entry.id)
        except LoadError:
            continue  # not begun, or cut short within its first line
        if not is_infrastructure(trace):
            done.add(entry.id)
    return done


def set_aside(store: RunStore, attempt: str) -> None:
    """Move the journal of an attempt that is to run again where it can still be read, and is no part of the run."""
    journal = store.journal_path(attempt)
    if journal.exists():
        folder = store.folder / _ASIDE
        folder.mkdir(exist_ok=True)
        journal.rename(_free(folder / journal.name))


def _free(path: Path) -> Path:
    """A name that is not taken: the same, numbered."""
    number = 1
    while (found := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return found
