"""What a server can do, asked of it one thing after the other, and what it ignores: written down instead of assumed.

A server that ignores something mostly says so nowhere: the answer is HTTP 200 and looks like any other. So each
question is put in such a way that the reply shows whether it was heard, whatever the model is worth:

| asked           | heard where                                                                                      |
|-----------------|--------------------------------------------------------------------------------------------------|
| `stop`          | a blank ends the reply, so that it is one word                                                   |
| `max_tokens`    | the reply has no more tokens than wanted, by the server's own count, or says that it was cut     |
| `seed`          | the same seed gives the same reply twice, at a temperature at which another one gives another    |
| `tools`         | a call comes back; else whether the prompt has grown by their descriptions, in the server's count |
| `reply_schema`  | the reply is JSON that has the wanted field                                                      |
| `stream`        | the reply comes as a stream                                                                      |
| `usage`         | tokens are counted                                                                               |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from agentlab.errors import ProviderError
from agentlab.messages import Completion, Message, Sampling, ToolDescription
from agentlab.providers.base import ProviderRequest
from agentlab.providers.server import ModelServer
from agentlab.strictjson import JSONValue, StrictJSONError, loads

__all__ = ["QUESTIONS", "Capability", "Verdict", "capabilities"]

Verdict: TypeAlias = Literal["yes", "no", "unclear"]

_TOKENS = 24
_FEW = 8
_SECONDS = 120.0
"""Longest wait for one reply."""
_TOOL = ToolDescription(
    name="read_gauge",
    description="Reads the pressure at a valve, in millibar. Call it whenever a pressure is asked for.",
    parameters={
        "type": "object",
        "properties": {"valve": {"type": "integer", "description": "Number of the valve."}},
        "required": ["valve"],
        "additionalProperties": False,
    },
)
_SCHEMA: Mapping[str, JSONValue] = {
    "type": "object",
    "properties": {"river": {"type": "string"}},
    "required": ["river"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Capability:
    """One thing that was asked of a server."""

    name: str
    verdict: Verdict
    detail: str
    """What was seen, and what follows for a study."""


def capabilities(server: ModelServer) -> Iterator[Capability]:
    """Ask a server what it can do, one request after the other; about ten in all, each of a few tokens.

    Raises:
        ProviderError: if it does not answer a plain request, which is the first.
    """
    plain = server.complete(_asking("Say hello.", max_tokens=_TOKENS))
    yield Capability(name="answers", verdict="yes", detail=_answered(plain))
    yield _model(server, plain)
    yield _usage(plain)
    for name, question in _QUESTIONS.items():
        yield _put(server, name, question)


def _asking(text: str, *, max_tokens: int, **sampling: object) -> ProviderRequest:
    return ProviderRequest(
        messages=(Message(role="user", text=text, author="user", trust="trusted"),),
        sampling=replace(Sampling(max_tokens=max_tokens), **sampling),  # type: ignore[arg-type]
        time_left=_SECONDS,
    )


def _answered(plain: Completion) -> str:
    seconds = f"{plain.latency:.2f} s" if plain.latency is not None else "an unknown time"
    kept = "; reasoning comes apart from the text" if plain.reasoning else ""
    return f"a reply in {seconds}{kept}"


def _model(server: ModelServer, plain: Completion) -> Capability:
    """Whether the server has a model of this name; many answer to any name."""
    try:
        listed = server.models()
    except ProviderError:
        listed = ()
    if server.model in listed:
        return Capability(name="model", verdict="yes", detail=f"it lists {server.model!r}")
    if listed:
        names = ", ".join(map(repr, listed[:5])) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
        detail = f"it answers to {server.model!r} and lists {names}: the name may mean nothing to it"
        return Capability(name="model", verdict="no", detail=detail)
    named = f"it calls itself {plain.model!r}" if plain.model else "it does not name its model"
    return Capability(name="model", verdict="unclear", detail=f"it lists no models; {named}")


def _usage(plain: Completion) -> Capability:
    counted = plain.usage.input_tokens is not None and plain.usage.output_tokens is not None
    detail = "it counts tokens" if counted else "it counts no tokens: budgets rest on an estimate of 4 characters each"
    return Capability(name="usage", verdict="yes" if counted else "no", detail=detail)


def _put(server: ModelServer, name: str, question: _Question) -> Capability:
    """Ask one thing; a server that refuses the request cannot do it."""
    try:
        verdict, detail = question(server)
    except ProviderError as error:
        said = f"; it says {error.server_said[:200]!r}" if error.server_said else ""
        verdict, detail = ("no" if error.fault == "refused" else "unclear"), f"{error.message}{said}"
    return Capability(name=name, verdict=verdict, detail=detail)


_Question: TypeAlias = Callable[[ModelServer], tuple[Verdict, str]]


def _stop(server: ModelServer) -> tuple[Verdict, str]:
    reply = server.complete(_asking("Write a sentence about a river.", max_tokens=_TOKENS, stop=(" ",)))
    if "stop_reapplied" in reply.remarks:
        return "no", "it writes on behind a stop string; the reply is cut here, and its tokens are paid for"
    if reply.finish_reason == "length":
        return "unclear", f"{_TOKENS} tokens came without a blank"
    return "yes", "a stop string ends the reply"


def _max_tokens(server: ModelServer) -> tuple[Verdict, str]:
    reply = server.complete(_asking("Write a long story about a river.", max_tokens=_FEW))
    written = reply.usage.output_tokens
    if reply.finish_reason == "length" or (written is not None and written <= _FEW):
        return "yes", "a reply has no more tokens than are wanted"
    if written is not None:
        return "no", f"{written} tokens came where {_FEW} were wanted: one reply may cost much"
    return "unclear", "it does not say how many tokens came, nor that it was cut"


def _seed(server: ModelServer) -> tuple[Verdict, str]:
    request = _asking("Invent a name for a river and say why.", max_tokens=_TOKENS, temperature=1.0, seed=1)
    first, again = server.complete(request).text, server.complete(request).text
    other = server.complete(replace(request, sampling=replace(request.sampling, seed=2))).text
    if first != again:
        return "no", "the same seed gave two replies: a run cannot be repeated here, only recorded"
    if first == other:
        return "unclear", "two seeds gave the same reply; it may answer alike whatever the seed"
    return "yes", "the same seed gave the same reply, another one another"


def _tools(server: ModelServer) -> tuple[Verdict, str]:
    plain = _asking("What is the pressure at valve 7?", max_tokens=4 * _TOKENS)
    reply = server.complete(replace(plain, tools=(_TOOL,)))
    if reply.calls:
        fits = reply.calls[0].tool == _TOOL.name and reply.calls[0].arguments == {"valve": 7}
        return "yes", "a native call came back" + ("" if fits else ", though not the one that was asked for")
    offered, alone = reply.usage.input_tokens, server.complete(plain).usage.input_tokens
    if offered is None or alone is None:
        return "unclear", "no call came back, and it counts no tokens that would show whether it passed the tools on"
    if offered <= alone:
        return "no", "tools are dropped without a word: the prompt is as long with them as without"
    return "unclear", "it passes the tools on, and the model called none"


def _reply_schema(server: ModelServer) -> tuple[Verdict, str]:
    plain = _asking('Name a river, as JSON: {"river": "..."}', max_tokens=4 * _TOKENS)
    reply = server.complete(replace(plain, reply_schema=_SCHEMA))
    try:
        value = loads(reply.text)
    except StrictJSONError:
        return "no", "the reply is no JSON"
    if isinstance(value, dict) and isinstance(value.get("river"), str) and len(value) == 1:
        return "yes", "a reply matches the schema that is asked for"
    return "no", "the reply is JSON that does not match the schema"


def _stream(server: ModelServer) -> tuple[Verdict, str]:
    reply = server.streaming().complete(_asking("Say hello.", max_tokens=_TOKENS))
    if reply.first_byte is None or reply.latency is None or not reply.streamed:
        return "no", "the reply came whole"
    counted = "with" if reply.usage.output_tokens is not None else "without"
    return "yes", f"the first byte after {reply.first_byte:.2f} s of {reply.latency:.2f}, {counted} tokens counted"


_QUESTIONS: Mapping[str, _Question] = {
    "stop": _stop,
    "max_tokens": _max_tokens,
    "seed": _seed,
    "tools": _tools,
    "reply_schema": _reply_schema,
    "stream": _stream,
}
QUESTIONS = 3 + len(_QUESTIONS)
"""How many things are asked; the first three by one request."""
