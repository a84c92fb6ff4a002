"""What passes between a harness and a model: values without identity, equal when their content is equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from agentlab.strictjson import JSONValue

__all__ = [
    "Arguments",
    "Author",
    "Completion",
    "FinishReason",
    "Message",
    "Remark",
    "Role",
    "Sampling",
    "ToolCall",
    "ToolDescription",
    "Trust",
    "Usage",
    "clean_text",
]

Role = Literal["system", "user", "assistant", "tool"]
"""The seat a message takes in a request."""
Author = Literal["system", "user", "harness", "tool", "model"]
"""Who really wrote the text, whatever seat it takes."""
Trust = Literal["trusted", "untrusted"]
Remark = Literal["stop_reapplied", "empty_reply"]
"""What is odd about a reply. `stop_reapplied`: the server wrote on behind a stop string, and it was cut off here.
`empty_reply`: it ended with the reason `stop` and holds nothing; a stop string may have hidden what it began with."""
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "unknown"]
Arguments: TypeAlias = Mapping[str, JSONValue] | str
"""A call's arguments: an object, or the raw text where it is not a JSON object."""


def clean_text(text: str) -> str:
    """The text with halves of surrogate pairs replaced by U+FFFD, so that it can be stored as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolDescription:
    """A tool as the model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, JSONValue]
    """JSON Schema of the arguments object."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A call as a model proposed it; proposing is not executing."""

    id: str
    tool: str
    arguments: Arguments


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One item of a context, with its provenance."""

    role: Role
    text: str
    author: Author
    trust: Trust = "untrusted"
    """Trusted is only what the system prompt, the user or the harness itself worded."""
    origin: str | None = None
    """Id of the event the text came from; None for the prompt and the task."""
    calls: tuple[ToolCall, ...] = ()
    """Native tool calls that an assistant's message holds."""
    call: str | None = None
    """Of a tool's message: the id of the call that it answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of one completion; None where the server does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampling:
    """How a provider is asked to sample; None leaves it to the server."""

    temperature: float | None = None
    max_tokens: int | None = 512
    """Longest reply, in tokens."""
    seed: int | None = None
    stop: tuple[str, ...] = ()
    """Strings that end a reply. Empty by default: a stop string can hide a forgery instead of curing it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """One reply of a model."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    """Native tool calls; empty under a text protocol."""
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """The model as the server named it."""
    latency: float | None = None
    """Seconds from sending the request to the whole reply, tries and waits included; None where nobody measured."""
    reasoning: str = ""
    """What the server gave as reasoning, apart from the text."""
    first_byte: float | None = None
    """Seconds from sending the last try to the first byte of the reply; None where nobody measured."""
    tries: int = 1
    """How often the request was sent until it was answered."""
    streamed: bool = False
    """Whether it came piece by piece."""
    remarks: tuple[Remark, ...] = ()
