"""Reading the traces of a command's paths: with progress, and with a list of what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agentlab.cli.console import progress_bar, say
from agentlab.errors import LoadError
from agentlab.formats.catalogue import FORMATS
from agentlab.formats.finding import survey
from agentlab.trace.model import Trace

__all__ = ["Loading"]

_MANY = 3
"""More complaints of one kind about one folder make one line."""
_LINES = 20
"""Of complaints; what goes beyond them is counted."""


class Loading:
    """What paths hold: traces, read one at a time, since there may be gigabytes of them; and what is none.

    Args:
        paths: files, folders, patterns, urls.
        form: what the files are taken for; empty where their first bytes decide.

    Raises:
        UsageError: if there is no such format.
    """

    def __init__(self, paths: Sequence[str], form: str = "") -> None:
        self.unreadable: list[tuple[str, str]] = []
        """Paths with the reason; whole once `traces` is through."""
        self.damaged: list[tuple[str, str]] = []
        """Paths of records that could be read in spite of a defect, with the defect."""
        self.skipped: tuple[str, ...] = ()
        """Files in folders that no format claims."""
        self._paths, self._format = paths, FORMATS.get(form) if form else None

    def traces(self) -> Iterator[Trace]:
        """Every trace; what cannot be read joins the unreadable, and what stands behind it is still read."""
        with progress_bar("looking at files") as looking:
            files = survey(self._paths, format=self._format, progress=lambda number: looking(number, None))
        self.skipped = files.skipped
        self.unreadable += ((error.path, error.problem) for error in files.unreadable)
        with progress_bar("reading files") as reading:
            for number, found in enumerate(files.found):
                reading(number, len(files.found))
                for loaded in found.load():
                    if isinstance(loaded, LoadError):
                        self.unreadable.append((loaded.path, loaded.problem))
                    else:
                        if loaded.defect:
                            self.damaged.append((loaded.path, loaded.defect))
                        yield loaded
                    reading(number, len(files.found))

    def complain(self, *, listed: bool = False) -> None:
        """Say on stderr what could not be read, in at most 20 lines and one that counts the rest.

        Many in one folder with the same reason make one line.

        Args:
            listed: whether a document on stdout lists all of them.
        """
        where = "the document lists" if listed else "agentlab audit --json lists"
        _complain(self.unreadable, f"more could not be read; {where} all of them with the reason")

    def complain_of_damage(self) -> None:
        """Say on stderr which records are damaged, in the same way."""
        reasons = [(path, f"the record is damaged: {defect}") for path, defect in self.damaged]
        _complain(reasons, "more are damaged; agentlab audit --json lists them as findings of trace-defect")


def _complain(reasons: Iterable[tuple[str, str]], more_words: str) -> None:
    groups: dict[tuple[Path, str], list[str]] = {}
    for path, reason in reasons:
        groups.setdefault((Path(path).parent, reason), []).append(path)
    lines = [line for (folder, reason), paths in groups.items() for line in _complaints(folder, reason, paths)]
    for words, _ in lines[:_LINES]:
        say(f"agentlab: {words}")
    if more := sum(number for _, number in lines[_LINES:]):
        say(f"agentlab: {more} {more_words}.")


def _complaints(folder: Path, reason: str, paths: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Lines about files of one folder, and about how many each is."""
    if len(paths) > _MANY:
        first, last = Path(paths[0]).name, Path(paths[-1]).name
        yield f"{folder}: {len(paths)} files, {first} to {last}, of each: {reason}", len(paths)
    else:
        yield from ((f"{path}: {reason}", 1) for path in paths)
