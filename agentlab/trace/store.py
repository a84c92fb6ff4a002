"""A run's folder on disk: written while attempts run, read back as traces.

manifest.json       what was run: enough to run it again
environment.json    where it ran: machine, versions, durations; the only file two equal runs may differ in
not-begun.json      of a run that was stopped: the attempts that had not begun
attempts/<id>.jsonl one journal an attempt
quarantine/<sha256> texts of rejected replies
tables/             Parquet, on demand
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentlab.clock import Clock
from agentlab.errors import LoadError, UsageError
from agentlab.strictjson import StrictJSONError, loads
from agentlab.trace.codec import JOURNAL_SCHEMA, decode
from agentlab.trace.events import Event
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import FolderQuarantine
from agentlab.trace.quarantine_reader import FolderTexts
from agentlab.trace.recorder import JournalFile, Recorder

__all__ = ["AttemptEntry", "Manifest", "RunStore", "read_journal"]

_NOT_BEGUN = "not-begun.json"


class AttemptEntry(BaseModel):
    """One planned attempt of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
    """Also the journal's file name, so it can name no other folder."""
    condition: str
    index: int


class Manifest(BaseModel):
    """What was run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_name: Literal["agentlab.run/1"] = "agentlab.run/1"
    run: str
    case: str
    case_digest: str
    """SHA-256 of the case file and its documents."""
    conditions: tuple[dict[str, Any], ...]
    attempts_per_condition: int
    provider: str
    """Provider spec; never holds a key."""
    seed: int
    package_version: str
    attempts: tuple[AttemptEntry, ...]


class RunStore:
    """A run's folder. Make one with `create` or open one with `open`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    def __repr__(self) -> str:
        run, case = shorten(self.manifest.run, 40), shorten(self.manifest.case, 40)
        return f"<RunStore {run} case={case!r} attempts={len(self.manifest.attempts)}>"

    @classmethod
    def create(cls, folder: Path, manifest: Manifest) -> RunStore:
        """Make the folder of a new run.

        Raises:
            UsageError: if there is a file of that name, or a folder that is not empty.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{str(folder)!r} is not empty or not a folder, and a run is never written over another. "
                "Name a new folder with --out."
            )
        (folder / "attempts").mkdir(parents=True, exist_ok=True)
        _write_json(folder / "manifest.json", manifest.model_dump(mode="json"))
        return cls(folder, manifest)

    @classmethod
    def open(cls, folder: str | Path) -> RunStore:
        """Open the folder of a run.

        Raises:
            LoadError: if there is no manifest, or it is not one.
        """
        folder = Path(folder)
        path = folder / "manifest.json"
        try:
            text = path.read_text(encoding="utf-8")
            loads(text)
            return cls(folder, Manifest.model_validate_json(text, strict=True))
        except OSError as error:
            raise LoadError(folder, f"a run folder holds manifest.json; it cannot be read ({error.strerror})") from None
        except (StrictJSONError, UnicodeDecodeError) as error:
            raise LoadError(path, f"a manifest is one JSON object; this one is not: {error}") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = shorten(".".join(map(str, first["loc"]))) or "the document"
            raise LoadError(path, f"not a run's manifest: {place}: {first['msg']}") from None

    def write_environment(self, facts: Mapping[str, object]) -> None:
        """Write down where and how long it ran; the file two equal runs may differ in."""
        _write_json(self.folder / "environment.json", facts)

    def note_not_begun(self) -> None:
        """Write down which attempts have no journal, so that nobody takes them for lost; nothing where all have one."""
        waiting = [entry.id for entry in self.manifest.attempts if not self.journal_path(entry.id).exists()]
        path = self.folder / _NOT_BEGUN
        if waiting:
            _write_json(path, {"attempts": waiting})
        else:
            path.unlink(missing_ok=True)

    @property
    def not_begun(self) -> frozenset[str]:
        """The attempts that had not begun when the run was stopped; none where nobody wrote that down."""
        try:
            noted = loads((self.folder / _NOT_BEGUN).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, StrictJSONError):
            return frozenset()
        names = noted.get("attempts") if isinstance(noted, dict) else None
        return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()

    def journal_path(self, attempt: str) -> Path:
        return self.folder / "attempts" / f"{attempt}.jsonl"

    def recorder(self, attempt: str, *, clock: Clock) -> tuple[Recorder, JournalFile]:
        """A recorder that writes this attempt's journal, and the journal, to be closed at the end."""
        journal = JournalFile(self.journal_path(attempt))
        return Recorder(journal, quarantine=FolderQuarantine(self.folder / "quarantine"), clock=clock), journal

    def trace(self, attempt: str) -> Trace:
        """Read one attempt.

        Raises:
            LoadError: if its journal cannot be read.
        """
        return read_journal(self.journal_path(attempt), quarantine_folder=self.folder / "quarantine")

    def traces(self) -> Iterator[Trace]:
        """The attempts that were recorded, one at a time, in the order of the manifest.

        An attempt that was killed before its first event was whole is not among them.

        Raises:
            LoadError: if a journal cannot be read.
        """
        for entry in self.manifest.attempts:
            if _is_begun(self.journal_path(entry.id)):
                yield self.trace(entry.id)


def read_journal(path: str | Path, *, quarantine_folder: str | Path | None = None) -> Trace:
    """Read one attempt's journal.

    A last line without its newline was cut short by a kill: it was never acknowledged, so it is left out and the
    trace says so in `defect`.

    Args:
        path: the journal.
        quarantine_folder: where rejected texts lie; by default the folder `quarantine` of the run.

    Raises:
        LoadError: naming the line that is not an event.
    """
    path = Path(path)
    folder = Path(quarantine_folder) if quarantine_folder else path.parent.parent / "quarantine"
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise LoadError(path, f"a journal was expected; it cannot be read ({error.strerror})") from None
    events: list[Event] = []
    for number, line in enumerate(lines, 1):
        try:
            events.append(decode(line))
        except ValueError as error:
            raise LoadError(path, f"line {number} {error}") from None
    defect = f"the last line was cut short after {len(rest)} bytes" if rest else ""
    try:
        trace = Trace(events=tuple(events), quarantine=FolderTexts(folder), path=str(path), damage=defect)
    except ValueError as error:
        raise LoadError(path, f"not a journal of an attempt: {error}") from None
    if trace.started.schema != JOURNAL_SCHEMA:
        raise LoadError(path, f"line 1 schema: only {JOURNAL_SCHEMA!r} can be read")
    return trace


def _is_begun(journal: Path) -> bool:
    try:
        with journal.open("rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False


def _write_json(path: Path, value: Mapping[str, object]) -> None:
    draft = path.with_name(f".{path.name}")  # renamed when whole, so that a kill leaves no half of it
    draft.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    draft.replace(path)
