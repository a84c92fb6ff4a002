"""A provider that answers from a script, so that the harness around it can be tested to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from agentlab.errors import LoadError, ProviderError, UsageError
from agentlab.messages import Completion, Usage
from agentlab.providers.base import ProviderRequest
from agentlab.strictjson import StrictJSONError, loads

__all__ = ["Reply", "ScriptedProvider", "crude_tokens", "crude_usage"]

Reply: TypeAlias = str | Completion
"""One scripted reply: its text, or the whole completion where more than the text matters."""

_SEPARATOR = "---"


def crude_tokens(text: str) -> int:
    """Tokens of a text by a rule of thumb: one for every four bytes of its UTF-8, rounded up.

    English has about four letters to a token and Chinese a little over one character, which is three bytes.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + 3) // 4


def crude_usage(request: ProviderRequest, text: str) -> Usage:
    """The usage of a reply, each message and the reply counted by `crude_tokens`."""
    asked = sum(crude_tokens(message.text) for message in request.messages)
    return Usage(input_tokens=asked, output_tokens=crude_tokens(text))


class ScriptedProvider:
    """Answers from a list of replies, one a request, or by a function of the request.

    A text becomes a completion with the usage of `crude_usage` and a latency of 0 seconds; a `Completion` is given
    as it is.

    Args:
        replies: the replies in order, or a function from the request to a reply.

    Raises:
        UsageError: for a single text in place of a list.
    """

    __slots__ = ("_answer", "_replies", "requests")

    name = "scripted"
    model = "scripted"

    requests: list[ProviderRequest]
    """What was asked, in order; the messages as they were at that moment."""

    def __init__(self, replies: Iterable[Reply] | Callable[[ProviderRequest], Reply]) -> None:
        if isinstance(replies, str):
            raise UsageError("A script is a list of replies and not one text; write [text] for a single reply.")
        self._answer = replies if callable(replies) else None
        self._replies: tuple[Reply, ...] = () if callable(replies) else tuple(replies)
        self.requests = []

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedProvider:
        """Read a script in UTF-8.

        In a `.jsonl` file every line that is not blank is a JSON string or an object with a `text` and nothing else.
        In any other file a reply ends at a line that holds only `---`, and at the end of the file if anything stands
        after the last such line; the line break before either end does not belong to the reply.

        Raises:
            LoadError: for a file that cannot be read, holds another thing, or holds no reply.
        """
        lines = _lines(path)
        replies = list(_json_replies(path, lines) if Path(path).suffix == ".jsonl" else _text_replies(lines))
        if not replies:
            raise LoadError(path, "at least one reply was expected and the file holds none.")
        return cls(replies)

    def __repr__(self) -> str:
        script = "a function" if self._answer else f"{len(self._replies)} replies"
        return f"ScriptedProvider({script}, asked {len(self.requests)} times)"

    def for_attempt(self, seed: int) -> ScriptedProvider:
        """A copy that starts at the first reply; the seed changes nothing."""
        return ScriptedProvider(self._answer or self._replies)

    def complete(self, request: ProviderRequest) -> Completion:
        """The next reply.

        Raises:
            ProviderError: `exhausted`, if there is none left.
        """
        if not isinstance(request.messages, tuple):
            request = replace(request, messages=tuple(request.messages))
        self.requests.append(request)
        reply = self._answer(request) if self._answer else self._next()
        if isinstance(reply, Completion):
            return reply
        return Completion(text=reply, usage=crude_usage(request, reply), model=self.model, latency=0.0)

    def _next(self) -> Reply:
        asked = len(self.requests)
        if asked > len(self._replies):
            raise ProviderError(
                "exhausted",
                f"The script holds {len(self._replies)} replies and was asked for reply {asked}; "
                "add replies, or let the attempt end earlier.",
            )
        return self._replies[asked - 1]


def _lines(path: str | Path) -> list[str]:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise LoadError(path, f"the script cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise LoadError(path, f"UTF-8 was expected; byte {error.start} is something else ({error.reason}).") from None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _text_replies(lines: list[str]) -> Iterator[str]:
    start = 0
    for number, line in enumerate(lines):
        if line.strip() == _SEPARATOR:
            yield "\n".join(lines[start:number])
            start = number + 1
    if start < len(lines):
        yield "\n".join(lines[start:])


def _json_replies(path: str | Path, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except StrictJSONError as error:
            raise LoadError(path, f"line {number} is not strict JSON ({error}).") from None
        text = value["text"] if isinstance(value, dict) and set(value) == {"text"} else value
        if not isinstance(text, str):
            raise LoadError(path, f"line {number} should hold a JSON string, or an object with a text and no more.")
        yield text
