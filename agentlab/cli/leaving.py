"""What an audit leaves behind in files: a page to read, or a folder with the page, the document and a table."""

from __future__ import annotations

from pathlib import Path

from agentlab.audit.outputs.document import AuditDocument, TracePart
from agentlab.audit.outputs.frames import finding_rows, frame_of
from agentlab.audit.report import AuditReport
from agentlab.cli.console import check_new, json_text, say
from agentlab.cli.loading import Loading
from agentlab.errors import UsageError
from agentlab.views.page.page import AuditPage

__all__ = ["Leaving"]


class Leaving:
    """Takes in one audited trace after the other; each is forgotten, what is to be written of it is kept.

    Args:
        html: the page, a new file; None for none.
        out: a new folder for everything; None for none.

    Raises:
        UsageError: if one of them is there, or cannot be.
    """

    def __init__(self, html: Path | None, out: Path | None) -> None:
        for path, option in ((html, "--html"), (out, "--out")):
            if path is not None:
                check_new(path, option)
        if html is not None and out is not None and html.resolve() == out.resolve():
            raise UsageError(f"--html and --out are both {str(out)!r}; one is a file and one a folder. Name two.")
        self._html = html
        self._out = out
        self._page = AuditPage() if html or out else None
        self._rows: list[dict[str, object]] = []

    def add(self, report: AuditReport, part: TracePart) -> None:
        """Take in one trace and what the document says of it."""
        if self._page is not None:
            self._page.add(report, part)
        if self._out is not None and report.findings:
            self._rows += finding_rows(report)

    def write(self, document: AuditDocument, loading: Loading) -> None:
        """Write what was asked for, and say so.

        Raises:
            UsageError: if a file cannot be written.
        """
        if self._page is None:
            return
        page = self._page.html(unreadable=loading.unreadable, skipped=loading.skipped)
        try:
            if self._html is not None:
                _write_new(self._html, page)
                say(f"Wrote {self._html}.")
            if self._out is not None:
                self._out.mkdir()
                _write_new(self._out / "audit.html", page)
                _write_new(self._out / "audit.json", json_text(document))
                frame_of(self._rows).to_parquet(self._out / "findings.parquet", index=False)
                say(f"Wrote {self._out}: audit.html, audit.json, findings.parquet.")
        except OSError as error:
            raise UsageError(
                f"{str(error.filename)!r} cannot be written: {error.strerror}; name a new place."
            ) from error


def _write_new(path: Path, text: str) -> None:
    """Write a file that was not there."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
