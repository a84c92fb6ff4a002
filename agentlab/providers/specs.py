"""Providers by name, as they stand on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from agentlab.errors import UsageError, unknown_name
from agentlab.providers.anthropic import AnthropicProvider
from agentlab.providers.base import Provider
from agentlab.providers.behaviour import Behaviour
from agentlab.providers.cassette import CassettePlayer, read_header
from agentlab.providers.keys import key_in
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.scripted import ScriptedProvider
from agentlab.providers.server import ModelServer, ServerOptions
from agentlab.providers.simulated import SimulatedProvider

__all__ = ["open_provider", "recorded_spec"]


def open_provider(
    spec: str,
    *,
    behaviour: Behaviour | None,
    knobs: Mapping[str, float] | None = None,
    options: ServerOptions | None = None,
) -> Provider:
    """Open the provider that a spec names.

    Args:
        spec: `simulated`, `scripted:FILE`, `openai:MODEL` (key in OPENAI_API_KEY), `deepseek:MODEL` (DEEPSEEK_API_KEY),
            `ollama:MODEL`, `anthropic:MODEL` (ANTHROPIC_API_KEY), `cassette:FILE`, or the address of an
            OpenAI-compatible server and its model, `http://host:port/v1#MODEL` (AGENTLAB_API_KEY if set).
        behaviour: how the simulated model behaves, from a case; the others do not need it.
        knobs: values in place of the behaviour's own; only the simulated model has any.
        options: how servers are asked; the others do not need it.

    Raises:
        UsageError: for an unknown or incomplete spec, a missing key or behaviour, and knobs for a provider without.
        LoadError: for a script or a cassette that cannot be read.
    """
    kind, _, rest = spec.partition(":")
    opener = _OPENERS.get(kind.lower())
    if opener is None:
        raise unknown_name("provider", kind, _OPENERS)  # not the rest: it may hold a password
    return opener.open(rest, _Needs(behaviour=behaviour, knobs=knobs or {}, options=options or ServerOptions()))


def recorded_spec(spec: str) -> str:
    """The spec of the provider whose replies a spec gives: of a cassette the one that was recorded, else itself.

    Raises:
        LoadError: for a cassette that cannot be read.
    """
    kind, _, rest = spec.partition(":")
    return read_header(rest).spec if kind.lower() == "cassette" and rest else spec


@dataclass(frozen=True, kw_only=True, slots=True)
class _Needs:
    """What some kinds of providers need besides their spec."""

    behaviour: Behaviour | None
    knobs: Mapping[str, float]
    options: ServerOptions

    def refuse_knobs(self) -> None:
        if self.knobs:
            raise UsageError(f"Only the simulated provider has knobs; leave out {', '.join(map(repr, self.knobs))}.")


class _Opener(Protocol):
    def open(self, rest: str, needs: _Needs) -> Provider: ...


@dataclass(frozen=True, slots=True)
class _Simulated:
    def open(self, rest: str, needs: _Needs) -> Provider:
        if rest:
            raise UsageError("The simulated provider takes nothing after its name; write simulated.")
        if needs.behaviour is None:
            raise UsageError("The simulated provider needs the behaviour of a case; run it on a case.")
        return SimulatedProvider(needs.behaviour.tuned(needs.knobs))


@dataclass(frozen=True, slots=True)
class _Scripted:
    def open(self, rest: str, needs: _Needs) -> Provider:
        needs.refuse_knobs()
        if not rest:
            raise UsageError("The scripted provider needs a file of replies; write scripted:FILE.")
        return ScriptedProvider.from_file(rest)


@dataclass(frozen=True, slots=True)
class _Cassette:
    def open(self, rest: str, needs: _Needs) -> Provider:
        needs.refuse_knobs()
        if not rest:
            raise UsageError("The cassette provider needs a file of recorded replies; write cassette:FILE.")
        return CassettePlayer(rest)


@dataclass(frozen=True, slots=True)
class _Service:
    """A server at a known address."""

    name: str
    base_url: str
    key_variable: str | None
    """None for a server that wants no key."""
    protocol: type[ModelServer] = OpenAICompatProvider

    def open(self, rest: str, needs: _Needs) -> Provider:
        needs.refuse_knobs()
        if not rest:
            raise UsageError(f"The provider {self.name!r} needs a model; write {self.name}:MODEL.")
        key = key_in(self.key_variable) if self.key_variable else None
        if self.key_variable and not key:
            raise UsageError(
                f"The provider {self.name!r} needs a key; set the environment variable {self.key_variable}."
            )
        proxy = not _is_loopback(self.base_url)
        return self.protocol(self.base_url, rest, api_key=key, proxy=proxy, options=needs.options)


@dataclass(frozen=True, slots=True)
class _Address:
    """A server whose address is the spec."""

    scheme: str

    def open(self, rest: str, needs: _Needs) -> Provider:
        needs.refuse_knobs()
        address, _, model = rest.partition("#")
        if not model:
            raise UsageError(f"The address of a server needs its model; write {self.scheme}://host:port/v1#MODEL.")
        url = f"{self.scheme}:{address}"
        key = key_in("AGENTLAB_API_KEY")
        return OpenAICompatProvider(url, model, api_key=key, proxy=not _is_loopback(url), options=needs.options)


_OPENERS: Mapping[str, _Opener] = {
    "simulated": _Simulated(),
    "scripted": _Scripted(),
    "openai": _Service("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": _Service("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", protocol=AnthropicProvider),
    "cassette": _Cassette(),
    "deepseek": _Service("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "ollama": _Service("ollama", "http://127.0.0.1:11434/v1", None),
    "http": _Address("http"),
    "https": _Address("https"),
}


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
