"""What a model says that a tool cannot read, held against the tool's own description."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from agentlab.audit.claims.saying import is_its_own, texts_of
from agentlab.audit.reading import Reading
from agentlab.audit.rules.base import Crossing
from agentlab.audit.tooling import described_tools
from agentlab.audit.values import Where
from agentlab.trace.events import CompletionEvent
from agentlab.trace.formatting import shorten
from agentlab.trace.model import Trace

__all__ = ["denied_abilities"]

_TYPES: Mapping[str, str] = {
    "audio": "mp3 wav m4a flac ogg aac opus wma 音频 录音",
    "video": "mp4 mov avi mkv webm mpeg 视频",
    "image": "png jpg jpeg gif bmp webp tiff svg 图片 图像",
    "pdf": "",
    "spreadsheet": "xlsx xls ods csv tsv 表格",
    "word": "docx doc odt",
    "powerpoint": "pptx ppt odp",
    "html": "htm",
    "archive": "zip tar gz rar 7z",
    "json": "jsonld jsonl",
    "xml": "",
    "csv": "",
    "yaml": "yml",
    "markdown": "md",
}
"""Kinds of content, each with endings of files and other words that name one of the kind."""
_KIND_OF = {word: kind for kind, words in _TYPES.items() for word in (*words.split(), kind)} | {
    "photo": "image",
    "excel": "spreadsheet",
}
_WORDS = "|".join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True))
_CONTENT = re.compile(rf"(?<![a-z\d])\.?(?P<word>{_WORDS})(?:s|es)?(?![a-z\d])", re.IGNORECASE)
_CANNOT = (
    r"(?:(?:does[ ]not|doesn['’]t|do[ ]not|cannot|can['’]t|can[ ]not|(?:is|are)[ ](?:not[ ]able|unable)[ ]to)[ ]"
    r"(?:[a-z]+ly[ ])?(?:support|handle|read|process|open|accept|take|parse|transcribe|convert|load)\b"
    r"|不支持|(?:无法|不能)(?:处理|读取|打开|解析))"
)
_DENIED = re.compile(
    rf"[`'\"”]{{0,2}}(?:[ ](?:tool|function|agent)|[ ]?工具)?[ ]?{_CANNOT}"
    r"(?P<what>(?:[^.;,。；，\n]|\.(?=\w)){1,80})",
    re.IGNORECASE,
)
"""What stands behind a tool's name where it is said not to read something."""
_DENIES = re.compile(_CANNOT)
_DENYING = ("not ", "'t ", "’t ", "unable to ", "不支持", "无法", "不能")
"""Signs of which one stands in every denial, in small letters."""
_REFUSED = re.compile(
    r"unsupported|(?:not|n['’]t) (?:be )?(?:support|recogni[sz]e|implement|allow)"
    r"|unknown (?:file )?(?:type|format)|不支持",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|cannot|never|no|except|without|unless|other than)\b|n['’]t\b|不|除", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[\n。；;]|,(?=\s+(?:but|except|and not)\b)")


def denied_abilities(reading: Reading) -> Iterator[Crossing]:
    """The first place where a tool is said not to read what its description says that it reads.

    Silent where a result had said so before: then it is the description that is wrong.
    """
    denying = list(_denying(reading.trace, reading.tools))
    described = described_tools(reading.trace) if denying else {}
    told: set[tuple[str, str]] = set()
    for reply, field, text in denying:
        for where, tool, kind in _denials(reply, field, text, described):
            affirmed = _affirmed(described[tool], kind)
            if affirmed is not None and (tool, kind) not in told and not _was_refused(reading, reply, tool):
                told.add((tool, kind))
                says = shorten(" ".join(affirmed.text.split()), 120)
                yield Crossing(
                    message=f"{shorten(where.text, 80)!r} is said, and the description of {shorten(tool, 60)} says "
                    f"otherwise: {says!r}.",
                    where=(where, affirmed),
                    claimed={"tool": tool, "arguments": None, "text": where.text},
                )


def _denying(trace: Trace, tools: Collection[str]) -> Iterator[tuple[CompletionEvent, str, str]]:
    """The texts, each with its reply and field, that name a tool and say that something does not read something."""
    for reply in filter(is_its_own, trace.of(CompletionEvent)):
        for field, text in texts_of(trace, reply):
            small = text.lower()
            denies = any(sign in small for sign in _DENYING) and any(tool in text for tool in tools)
            if denies and _DENIES.search(small):
                yield reply, field, text


def _denials(reply: CompletionEvent, field: str, text: str, tools: Collection[str]) -> Iterator[tuple[Where, str, str]]:
    """Each tool that a text says cannot read something, with the place and the kind of content."""
    for tool in tools:
        for named in re.finditer(re.escape(tool), text) if tool in text else ():
            denied = _DENIED.match(text, named.end())
            content = _CONTENT.search(denied["what"]) if denied else None
            if denied is not None and content is not None:
                start, end = named.start(), denied.end()
                place = Where(event=reply.id, field=field, start=start, end=end, text=text[start:end])
                yield place, tool, content["word"].casefold()


def _affirmed(description: Where, word: str) -> Where | None:
    """The sentence of a description that names the content, or its kind, and denies nothing."""
    kind, text = _KIND_OF[word], description.text
    ends = [*(match.start() for match in _SENTENCE.finditer(text)), len(text)]
    begins = [0, *(match.end() for match in _SENTENCE.finditer(text))]
    for start, end in zip(begins, ends, strict=True):
        sentence = text[start:end]
        named = {each["word"].casefold() for each in _CONTENT.finditer(sentence)}
        same = word in named or (word == kind and any(_KIND_OF[each] == kind for each in named))
        if same and _NOT.search(sentence) is None:
            return replace(description, start=description.start + start, end=description.start + end, text=sentence)
    return None


def _was_refused(reading: Reading, reply: CompletionEvent, tool: str) -> bool:
    """Whether a call of the tool had failed before in words that speak of what it takes."""
    before = reading.deeds.before(reading.trace.positions[reply.id])
    return any(
        deed.call.tool == tool
        and deed.outcome.status == "failed"
        and _REFUSED.search(deed.call.error or deed.result or "")
        for deed in before
    )
