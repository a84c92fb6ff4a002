"""Providers by name, as they stand on a command line; the one place that reads keys from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from agentlab.errors import UsageError, unknown_name
from agentlab.providers.base import Provider
from agentlab.providers.openai_compat import OpenAICompatProvider
from agentlab.providers.scripted import ScriptedProvider
from agentlab.providers.simulated import Behaviour, SimulatedProvider

__all__ = ["open_provider"]


def open_provider(spec: str, *, behaviour: Behaviour | None, knobs: Mapping[str, float] | None = None) -> Provider:
    """Open the provider that a spec names.

    Args:
        spec: `simulated`, `scripted:FILE`, `openai:MODEL` (key in OPENAI_API_KEY), `deepseek:MODEL` (DEEPSEEK_API_KEY),
            `ollama:MODEL`, or the address of an OpenAI-compatible server and its model, `http://host:port/v1#MODEL`
            (AGENTLAB_API_KEY if set).
        behaviour: how the simulated model behaves, from a case; the others do not need it.
        knobs: values in place of the behaviour's own; only the simulated model has any.

    Raises:
        UsageError: for an unknown or incomplete spec, a missing key or behaviour, and knobs for a provider without.
        LoadError: for a script that cannot be read.
    """
    kind, _, rest = spec.partition(":")
    opener = _OPENERS.get(kind.lower())
    if opener is None:
        raise unknown_name("provider", kind, _OPENERS)  # not the rest: it may hold a password
    return opener.open(rest, behaviour, knobs or {})


class _Opener(Protocol):
    def open(self, rest: str, behaviour: Behaviour | None, knobs: Mapping[str, float]) -> Provider: ...


@dataclass(frozen=True, slots=True)
class _Simulated:
    def open(self, rest: str, behaviour: Behaviour | None, knobs: Mapping[str, float]) -> Provider:
        if rest:
            raise UsageError("The simulated provider takes nothing after its name; write simulated.")
        if behaviour is None:
            raise UsageError("The simulated provider needs the behaviour of a case; run it on a case.")
        return SimulatedProvider(behaviour.tuned(knobs))


@dataclass(frozen=True, slots=True)
class _Scripted:
    def open(self, rest: str, behaviour: Behaviour | None, knobs: Mapping[str, float]) -> Provider:
        _refuse_knobs(knobs)
        if not rest:
            raise UsageError("The scripted provider needs a file of replies; write scripted:FILE.")
        return ScriptedProvider.from_file(rest)


@dataclass(frozen=True, slots=True)
class _Service:
    """A server at a known address."""

    name: str
    base_url: str
    key_variable: str | None
    """None for a server that wants no key."""

    def open(self, rest: str, behaviour: Behaviour | None, knobs: Mapping[str, float]) -> Provider:
        _refuse_knobs(knobs)
        if not rest:
            raise UsageError(f"The provider {self.name!r} needs a model; write {self.name}:MODEL.")
        key = os.environ.get(self.key_variable) if self.key_variable else None
        if self.key_variable and not key:
            raise UsageError(
                f"The provider {self.name!r} needs a key; set the environment variable {self.key_variable}."
            )
        return OpenAICompatProvider(self.base_url, rest, api_key=key, proxy=not _is_loopback(self.base_url))


@dataclass(frozen=True, slots=True)
class _Address:
    """A server whose address is the spec."""

    scheme: str

    def open(self, rest: str, behaviour: Behaviour | None, knobs: Mapping[str, float]) -> Provider:
        _refuse_knobs(knobs)
        address, _, model = rest.partition("#")
        if not model:
            raise UsageError(f"The address of a server needs its model; write {self.scheme}://host:port/v1#MODEL.")
        url = f"{self.scheme}:{address}"
        key = os.environ.get("AGENTLAB_API_KEY") or None
        return OpenAICompatProvider(url, model, api_key=key, proxy=not _is_loopback(url))


_OPENERS: Mapping[str, _Opener] = {
    "simulated": _Simulated(),
    "scripted": _Scripted(),
    "openai": _Service("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "deepseek": _Service("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "ollama": _Service("ollama", "http://127.0.0.1:11434/v1", None),
    "http": _Address("http"),
    "https": _Address("https"),
}


def _refuse_knobs(knobs: Mapping[str, float]) -> None:
    if knobs:
        raise UsageError(f"Only the simulated provider has knobs; leave out {', '.join(map(repr, knobs))}.")


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
