"""One raw reply of a model in a text file, e.g. `completion.txt`: what a harness would have had to parse.

Nothing in the bytes says so, therefore no file is taken for one by itself: a person names the file or the format, and
vouches for its author that way. Of the request nothing is known, and of what became of the reply neither. Calls in the
text are not proposals on record: the audit reads them as claims.

The one event's identity is `line 1`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from agentlab.errors import LoadError
from agentlab.formats.base import Format, Proofs
from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.files.head import Head
from agentlab.formats.files.jsontext import JSONError, parse
from agentlab.formats.files.layout import BLANK, BOM, no_text
from agentlab.formats.files.source import Source
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["COMPLETION", "is_recording", "may_be_reply"]


def may_be_reply(head: Head) -> bool:
    """Whether a file that no format claims may be a model's reply: text in UTF-8 that is neither JSON nor YAML.

    What only begins as JSON is broken JSON, and no reply; nor is a single JSON value, such as a string or a number.
    """
    if not head.data.strip() or head.members or no_text(head.data) or head.begins_as_json or _is_value(head):
        return False
    return _is_utf8(head) and not _YAML.match(head.text) and not is_recording(head)


def _is_value(head: Head) -> bool:
    """Whether it is one JSON value: whoever saved `"yes"`, `3` or `true` saved no reply of a model."""
    data = head.data.strip(BLANK)
    if not _VALUE.match(data):
        return False
    try:
        parse(data, non_finite=True)
    except JSONError as error:
        return error.trouble == "cut" and not head.whole
    return True


_VALUE = re.compile(rb'"|(?:-?[\d.]++(?:[eE][+-]?\d++)?|true|false|null|NaN|-?Infinity)\Z')


def is_recording(head: Head) -> bool:
    """Whether a file is a recording of HTTP requests as VCR and its relatives write it in YAML."""
    return _RECORDING.match(head.text) is not None


_YAML = re.compile(
    r"\s*+(?:%YAML|---[ \t]*\r?\n[ \t]*[\w-]+:|[a-z_][a-z\d_-]*:[ \t]*\r?\n[ \t]*(?:-[ \t]+)?[a-z_][a-z\d_-]*:)"
)
"""A document's start, or a key whose value is a list or a mapping on the next line. `Action: search` is neither."""
_RECORDING = re.compile(
    r"\s*+(?:---[ \t]*\r?\n)?(?:version:[^\n]*\n)?interactions:[ \t]*\r?\n[ \t]*-[ \t]+(?:request|response|id):"
)


def _is_utf8(head: Head) -> bool:
    try:
        head.data.decode()
    except UnicodeDecodeError as error:
        return not head.whole and error.end == len(head.data) and error.reason == "unexpected end of data"
    return True


def _never(head: Head) -> bool:
    return False


def _load(source: Source) -> Iterator[Trace]:
    content = source.read().removeprefix(BOM)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise LoadError(source.path, f"text in UTF-8 was expected, and byte {error.start + 1} is not") from None
    builder = TraceBuilder(
        "completion",
        path=source.path,
        key=[hashlib.sha256(content).hexdigest()],
        evidence=Evidence(authorship="present"),
        source="line 1",
    )
    builder.reply(text, source="line 1")
    yield builder.build()


COMPLETION = Format(
    name="completion",
    sentence="One raw reply of a model in a text file that a person names; nothing is known but the text.",
    url="https://platform.openai.com/docs/api-reference/completions",
    proofs=Proofs(
        proposals="absent", executions="absent", results="absent", errors="absent", times="absent", usage="absent"
    ),
    sniff=_never,
    load=_load,
)
