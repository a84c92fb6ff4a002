"""Writing traces in other forms: OTLP JSON for viewers of spans, journals for agentlab, tables for pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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

        Raises:
            UsageError: if there is something in that place already.
        """
        if out.exists():
            raise UsageError(f"{str(out)!r} exists, and nothing is written over. Name a new file or folder.")
        out.parent.mkdir(parents=True, exist_ok=True)
        count = 0

        def counted() -> Iterator[Trace]:
            nonlocal count
            for trace in traces:
                count += 1
                yield trace.telling_its_defect()

        self.write(counted(), out)
        return count


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
    quarantine = FolderQuarantine(out.with_name(f"{out.name}.quarantine"))
    for reply in trace.of(CompletionEvent):
        if reply.text is None and (text := trace.quarantine.get(reply.digest)) is not None:
            quarantine.put(text)
    return b"".join(map(encode, trace))


def _write_lines(lines: Iterable[bytes], out: Path) -> None:
    """Write beside and rename, so that a kill leaves no half of a file under its name."""
    draft = out.with_name(f".{out.name}.part")
    try:
        with draft.open("wb") as file:
            file.writelines(lines)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


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
