"""A small library of texts and the three tools with which an agent reads it.

Every count is taken from the whole text and never from a selection, so that a result of 0 has been earned by reading.
No failure quotes what the model wrote: it would carry the model's own words back into the next context.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentlab.errors import LoadError, ToolError
from agentlab.messages import clean_text

__all__ = ["MAX_BYTES", "MAX_FILES", "Document", "DocumentLibrary"]

MAX_FILES = 1_000
"""Most files of one library."""
MAX_BYTES = 10_000_000
"""Largest size of one library, in bytes over all its files."""

_MAX_TERM = 200
_MAX_HITS = 20
_MAX_BLOCKS = 20
_SNIPPET_MARGIN = 40

_UNSPACED = r"\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
_WORD = rf"[^\W{_UNSPACED}]"
"""One character of a word in a script that puts spaces between words, which Chinese, Japanese and Korean may not do."""
_VISIBLE_TEXT = re.compile(r"[^.].*\.(?:md|txt)", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One text of a library, in Unicode normal form C."""

    name: str
    """The file's name with its ending."""
    text: str
    blocks: tuple[str, ...]
    """Paragraphs and headings in order; the first one is block 1 for the tools."""

    @classmethod
    def from_text(cls, name: str, text: str) -> Document:
        """Normalise a text and cut it into blocks, at blank lines and around headings (`# ` to `###### `)."""
        text = _normal(text.replace("\r\n", "\n").replace("\r", "\n"))
        return cls(name=_normal(name), text=text, blocks=tuple(_blocks(text)))

    @property
    def title(self) -> str:
        """The text of the first heading; without one, the file's name."""
        headings = (block.strip().lstrip("#").strip() for block in self.blocks if _HEADING.match(block))
        return next(filter(None, headings), self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentLibrary:
    """Texts that an agent may list, count in and read, but not change."""

    documents: tuple[Document, ...]
    """In the order of their names, which are unique."""

    @classmethod
    def load(cls, folder: str | Path) -> DocumentLibrary:
        """Read the `.md` and `.txt` files that lie directly in a folder; hidden and other files are left out.

        Raises:
            LoadError: for a folder that cannot be read or holds no such file, for more than `MAX_FILES` files or
                `MAX_BYTES` bytes, for a text that is not UTF-8, and for two names that are the same in normal form C.
        """
        documents = tuple(Document.from_text(path.name, _read(path)) for path in _text_files(Path(folder)))
        if len({document.name for document in documents}) < len(documents):
            raise LoadError(folder, "two file names are the same in Unicode normal form C; rename one of them.")
        return cls(documents=documents)

    def tools(self) -> tuple[Callable[..., dict[str, object]], ...]:
        """The functions to offer to an agent."""
        return self.list_documents, self.scan_term, self.list_blocks

    def list_documents(self) -> dict[str, object]:
        """List the documents of the library with their titles and sizes."""
        listed = [
            {"document": each.name, "title": each.title, "blocks": len(each.blocks), "characters": len(each.text)}
            for each in self.documents
        ]
        return {"tool": "list_documents", "count": len(listed), "documents": listed}

    def scan_term(self, term: str, document: str | None = None) -> dict[str, object]:
        """Count every occurrence of an exact term and show where it stands.

        Upper and lower case differ. In scripts with spaces between words only whole words count. Occurrences do not
        overlap, and any white space in the term stands for any white space in the text. The count covers every
        occurrence; the first 20 are listed, with `start` in code points from the start of the block.

        Args:
            term: The word or phrase to count, at most 200 characters.
            document: Name of the only document to scan; all are scanned without it.

        Raises:
            ToolError: for a term that is empty or too long, and for an unknown document.
        """
        pattern, searched = _pattern(term)
        count = 0
        hits: list[dict[str, object]] = []
        for each in self.documents if document is None else (self._find(document),):
            for number, block in enumerate(each.blocks, start=1):
                for match in pattern.finditer(block):
                    count += 1
                    if count <= _MAX_HITS:
                        hits.append({"document": each.name, "block": number, **_place(match)})
        return {"tool": "scan_term", "term": searched, "count": count, "hits": hits}

    def list_blocks(self, document: str, first: int = 1, limit: int = 5) -> dict[str, object]:
        """Read consecutive blocks (paragraphs and headings) of one document.

        Args:
            document: Name of the document.
            first: Number of the first block to read, counted from 1.
            limit: Most blocks to read, from 1 to 20.

        Raises:
            ToolError: for an unknown document, and for a number out of its range.
        """
        found = self._find(document)
        total = len(found.blocks)
        if not 1 <= first <= max(total, 1):
            raise ToolError("The first block is out of range", f"Ask for a first from 1 to {max(total, 1)}")
        if not 1 <= limit <= _MAX_BLOCKS:
            raise ToolError("The limit is out of range", f"Ask for a limit from 1 to {_MAX_BLOCKS}")
        chosen = found.blocks[first - 1 : first - 1 + limit]
        blocks = [{"block": number, "text": text} for number, text in enumerate(chosen, start=first)]
        return {"tool": "list_blocks", "document": found.name, "total": total, "blocks": blocks}

    def _find(self, name: str) -> Document:
        wanted = _normal(name)
        for document in self.documents:
            if document.name == wanted:
                return document
        raise ToolError("No document of the library has that name", "Call list_documents to see the names")


def _pattern(term: str) -> tuple[re.Pattern[str], str]:
    if len(term) > _MAX_TERM:
        raise ToolError(f"The term is longer than {_MAX_TERM} characters", "Give a shorter word or phrase")
    words = _normal(term).split()
    if not words:
        raise ToolError("The term is empty", "Give the exact word or phrase to count")
    before = rf"(?<!{_WORD})" if re.match(_WORD, words[0]) else ""
    after = rf"(?!{_WORD})" if re.match(_WORD, words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(map(re.escape, words)) + after), " ".join(words)


def _place(match: re.Match[str]) -> dict[str, object]:
    start, end = match.span()
    around = match.string[max(0, start - _SNIPPET_MARGIN) : end + _SNIPPET_MARGIN]
    return {"start": start, "snippet": " ".join(around.split())}


def _blocks(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        heading = _HEADING.match(line) is not None
        if lines and (heading or not line.strip()):
            yield "\n".join(lines)
            lines = []
        if heading:
            yield line
        elif line.strip():
            lines.append(line)


def _text_files(folder: Path) -> list[Path]:
    try:
        files = [path for path in folder.iterdir() if _VISIBLE_TEXT.fullmatch(path.name) and path.is_file()]
        size = sum(path.stat().st_size for path in files)
    except OSError as error:
        raise LoadError(folder, f"a folder of documents was expected ({error.strerror}).") from None
    if not 1 <= len(files) <= MAX_FILES:
        raise LoadError(folder, f"1 to {MAX_FILES} files ending in .md or .txt were expected, found {len(files)}.")
    if size > MAX_BYTES:
        raise LoadError(folder, f"its texts hold {size} bytes and at most {MAX_BYTES} are read; use a smaller library.")
    return sorted(files, key=lambda path: _normal(path.name))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise LoadError(path, f"the file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise LoadError(path, f"UTF-8 was expected; byte {error.start} is something else ({error.reason}).") from None


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", clean_text(text))
