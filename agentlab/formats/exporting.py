"""Writing traces in other forms: OTLP JSON for viewers of spans, journals for agentlab, tables for pandas."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agentlab.errors import UsageError
from agentlab.formats.otel.export import otlp_lines
from agentlab.formats.otel.inputs import Messages
from agentlab.trace.codec import encode
from agentlab.trace.events import CompletionEvent
from agentlab.trace.frames import write_tables
from agentlab.trace.model import Trace
from agentlab.trace.quarantine import FolderQuarantine

__all__ = ["EXPORTERS", "Exporter", "otlp_exporter"]


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """A form in which traces can be written."""

    name: str
    sentence: str
    """What is written, in words that continue `writes`."""
    write: Callable[[Iterable[Trace], Path], None]
    """Write the traces, read once, to a new file or folder."""

    def export(self, traces: Iterable[Trace], out: Path) -> int:
        """Write the traces, and give their number.

        They are written beside that place and put there when they are whole, so a stop leaves nothing behind.

        Raises:
            UsageError: if there is something in that place already, or nothing can be written there.
        """
        count = 0

        def counted() -> Iterator[Trace]:
            nonlocal count
            for trace in traces:
                count += 1
                yield trace.telling_its_defect()

        try:
            if os.path.lexists(out):
                raise _taken(out)
            with _parents(out), _draft(out) as draft:
                self.write(counted(), draft)
                _publish(draft, out)
        except OSError as error:  # it may name the draft, of which the person knows nothing
            above = isinstance(error, FileExistsError)  # a file stands where a folder was to be made
            reason = os.strerror(errno.ENOTDIR) if above else error.strerror or error
            raise UsageError(f"{str(out)!r} cannot be written: {reason}.") from error
        return count


@contextmanager
def _parents(out: Path) -> Iterator[None]:
    """The folders above a place, which are there afterwards where they were before or all went well."""
    missing = [folder for folder in out.parents if not os.path.lexists(folder)]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):  # somebody else may have put something there
                folder.rmdir()
        raise


@contextmanager
def _draft(out: Path) -> Iterator[Path]:
    """A place for a file or folder of this name, in a hidden folder beside it that is removed afterwards."""
    folder = out.parent / f".{secrets.token_hex(8)}.part"
    folder.mkdir()
    try:
        yield folder / out.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _publish(draft: Path, out: Path) -> None:
    """Put what is whole in its place, and never over what somebody else has put there meanwhile."""
    beside = draft.parent / _quarantine(draft).name
    try:
        if draft.is_dir():
            draft.rename(out)
        else:
            _link(draft, out)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR) and os.path.lexists(out):
            raise _taken(out) from None
        raise
    if beside.is_dir():
        _quarantine(out).mkdir(exist_ok=True)
        for text in beside.iterdir():
            text.replace(_quarantine(out) / text.name)


def _link(draft: Path, out: Path) -> None:
    try:
        os.link(draft, out)  # a rename would replace what is there
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        if os.path.lexists(out):
            raise _taken(out) from None
        draft.rename(out)


def _taken(out: Path) -> UsageError:
    return UsageError(f"{str(out)!r} exists, and nothing is written over. Name a new file or folder.")


def otlp_exporter(messages: Messages) -> Exporter:
    """The exporter of OTLP JSON that writes these messages of a context into the span of its request."""

    def write(traces: Iterable[Trace], out: Path) -> None:
        _write_lines(otlp_lines(traces, messages=messages), out)

    return Exporter(
        name="otlp",
        sentence="OTLP JSON by OpenTelemetry's GenAI conventions, one trace a line; opens in viewers of spans",
        write=write,
    )


def _write_journals(traces: Iterable[Trace], out: Path) -> None:
    _write_lines((_journal(trace, out) for trace in traces), out)


def _journal(trace: Trace, out: Path) -> bytes:
    """The lines of a journal; the texts of rejected replies go to the quarantine that is read back with it."""
    quarantine = FolderQuarantine(_quarantine(out))
    for reply in trace.of(CompletionEvent):
        if reply.text is None and (text := trace.quarantine.get(reply.digest)) is not None:
            quarantine.put(text)
    return b"".join(map(encode, trace))


def _quarantine(out: Path) -> Path:
    """Where the texts of rejected replies lie, beside a journal."""
    return out.with_name(f"{out.name}.quarantine")


def _write_lines(lines: Iterable[bytes], out: Path) -> None:
    with out.open("wb") as file:
        file.writelines(lines)


def _write_parquet(traces: Iterable[Trace], out: Path) -> None:
    write_tables(out, traces)


EXPORTERS: Mapping[str, Exporter] = {
    each.name: each
    for each in (
        otlp_exporter("auto"),
        Exporter(
            name="jsonl",
            sentence="journals of agentlab, one behind the other, and the texts of rejected replies beside the file",
            write=_write_journals,
        ),
        Exporter(
            name="parquet",
            sentence="a folder of Parquet tables: attempts, events, calls",
            write=_write_parquet,
        ),
    )
}
