"""Replies recorded once and played back: the same requests get the same replies, without a server.

A cassette is JSON lines, written plain and read plain or gzipped. The first line says what was recorded; each further
one holds a request, its reply and the day. A request is known again by the SHA-256 of its canonical JSON: the messages
as they are sent, tools, schema and sampling, and the attempt's seed. Keys are no part of a request, and where a text
holds one that the environment names, it is replaced.
"""

from __future__ import annotations

import copy
import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from agentlab.clock import Clock, RealClock
from agentlab.errors import LoadError, ProviderError, UsageError
from agentlab.messages import Completion, Message, clean_text
from agentlab.providers.base import Provider, ProviderRequest
from agentlab.providers.differences import difference
from agentlab.providers.keys import without_keys
from agentlab.strictjson import JSONValue, StrictJSONError, digest, dumps, loads

__all__ = ["CassettePlayer", "CassetteRecorder", "CassetteWriter", "Header", "read_header"]


class Header(BaseModel):
    """What a cassette holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_name: Literal["agentlab.cassette/1"] = "agentlab.cassette/1"
    provider: str
    """The provider's kind."""
    model: str
    spec: str
    """The spec of the provider that was recorded. Seeds of attempts are derived from it, so that they come again."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    request: dict[str, object]
    completion: Completion
    date: str
    """Day of the recording, UTC."""


@dataclass
class _Tape:
    """The rows of a cassette, each to be played once."""

    header: Header
    rows: Mapping[str, Sequence[_Row]]
    played: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    lock: Lock = field(default_factory=Lock)

    def next(self, key: str) -> _Row | None:
        """The next reply to a request; the same request was perhaps recorded several times."""
        with self.lock:
            found = self.rows.get(key, ())
            place = self.played[key]
            self.played[key] += 1
            return found[place] if place < len(found) else None


class CassettePlayer:
    """Answers from a cassette.

    Args:
        path: the file.

    Raises:
        LoadError: if it is no cassette.
    """

    name = "cassette"

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._tape = _read(self._path)
        self.seed: int | None = None

    def __repr__(self) -> str:
        return f"CassettePlayer({str(self._path)!r})"

    @property
    def model(self) -> str:
        return self._tape.header.model

    def for_attempt(self, seed: int) -> CassettePlayer:
        """The same tape, asked with a seed."""
        player = copy.copy(self)
        player.seed = seed
        return player

    def complete(self, request: ProviderRequest) -> Completion:
        asked = _canonical(request, self.seed)
        key = digest(asked)
        row = self._tape.next(key)
        if row is not None:
            return row.completion
        recorded = self._tape.rows.get(key)
        if recorded:
            problem = f"the request was recorded {len(recorded)} times, and is asked once more"
        else:
            every = [row.request for rows in self._tape.rows.values() for row in rows]
            problem = f"this request was not recorded; {difference(asked, every)}"
        raise ProviderError("not_recorded", f"{self._path}: {problem}. Record it, or ask as it was recorded.")


class CassetteWriter:
    """A new cassette, to which whole lines are added from many threads.

    Args:
        path: the file; must not exist.
        provider: who is recorded.
        spec: of the provider.
        clock: gives the day.

    Raises:
        UsageError: if the file exists or cannot be made.
    """

    def __init__(self, path: str | Path, *, provider: Provider, spec: str, clock: Clock | None = None) -> None:
        self.path = Path(path)
        self._clock = clock or RealClock()
        self._lock = Lock()
        try:
            self.path.open("x").close()
        except FileExistsError:
            raise UsageError(f"The cassette {str(path)!r} exists, and is recorded once; name a new file.") from None
        except OSError as error:
            raise UsageError(f"The cassette {str(path)!r} cannot be written ({error.strerror}).") from None
        self._write(Header(provider=provider.name, model=provider.model, spec=spec))

    def add(self, asked: dict[str, JSONValue], completion: Completion) -> None:
        """Write down a request and its reply."""
        day = datetime.fromtimestamp(self._clock.now(), UTC).date().isoformat()
        self._write(_Row(key=digest(asked), request=asked, completion=completion, date=day))

    def _write(self, row: BaseModel) -> None:
        line = without_keys(row.model_dump_json()) + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line)


class CassetteRecorder:
    """Answers as another provider does, and has every reply written down.

    Args:
        provider: who answers.
        writer: of the cassette.
        seed: of the attempt.
    """

    def __init__(self, provider: Provider, writer: CassetteWriter, *, seed: int | None = None) -> None:
        self._provider = provider
        self._writer = writer
        self._seed = seed

    def __repr__(self) -> str:
        return f"CassetteRecorder({self._provider!r}, {str(self._writer.path)!r})"

    @property
    def name(self) -> str:
        return self._provider.name

    @property
    def model(self) -> str:
        return self._provider.model

    def for_attempt(self, seed: int) -> CassetteRecorder:
        return CassetteRecorder(self._provider.for_attempt(seed), self._writer, seed=seed)

    def complete(self, request: ProviderRequest) -> Completion:
        completion = self._provider.complete(request)
        self._writer.add(_canonical(request, self._seed), completion)
        return completion


def read_header(path: str | Path) -> Header:
    """The first line of a cassette.

    Raises:
        LoadError: if it is none.
    """
    with _opened(Path(path)) as lines:
        return _header(path, next(lines, ""))


def _read(path: Path) -> _Tape:
    rows: dict[str, list[_Row]] = defaultdict(list)
    with _opened(path) as lines:
        header = _header(path, next(lines, ""))
        for number, line in enumerate(lines, start=2):
            row = _row(path, number, line)
            rows[row.key].append(row)
    return _Tape(header=header, rows=rows)


@contextmanager
def _opened(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a file."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            with io.TextIOWrapper(gzip.GzipFile(fileobj=raw) if packed else raw, encoding="utf-8") as lines:
                yield lines
    except OSError as error:
        raise LoadError(path, f"cannot be read ({error.strerror or error})") from None
    except (UnicodeDecodeError, EOFError, zlib.error):
        raise LoadError(path, "is no cassette: it is neither text in UTF-8 nor a whole gzip file") from None


def _header(path: str | Path, line: str) -> Header:
    try:
        return Header.model_validate(loads(line))
    except (StrictJSONError, ValidationError):
        raise LoadError(path, "is no cassette: its first line is not the head of agentlab.cassette/1") from None


def _row(path: Path, number: int, line: str) -> _Row:
    try:
        return _Row.model_validate(loads(line))
    except (StrictJSONError, ValidationError) as error:
        problem = str(error) if isinstance(error, StrictJSONError) else f"field {_place(error)} does not fit"
        raise LoadError(path, f"line {number} is no recorded reply: {problem}") from None


def _place(error: ValidationError) -> str:
    return ".".join(map(str, error.errors(include_input=False)[0]["loc"]))


def _canonical(request: ProviderRequest, seed: int | None) -> dict[str, JSONValue]:
    """A request as it is known again, without keys."""
    sampling = asdict(request.sampling)
    sampling["seed"] = seed if request.sampling.seed is None else request.sampling.seed
    asked: dict[str, object] = {
        "messages": [_message(message) for message in request.messages],
        "sampling": sampling,
        "tools": [asdict(tool) for tool in request.tools],
        "reply_schema": request.reply_schema,
    }
    found = loads(without_keys(dumps({name: value for name, value in asked.items() if value})))
    assert isinstance(found, dict)
    return found


def _message(message: Message) -> dict[str, object]:
    wanted = {
        "role": message.role,
        "text": clean_text(message.text),
        "calls": [asdict(call) for call in message.calls],
        "call": message.call,
    }
    return {name: value for name, value in wanted.items() if value not in (None, [])}
