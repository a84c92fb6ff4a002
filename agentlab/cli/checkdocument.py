"""The document `agentlab.check/1`: whether a provider can be used, and what it can do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentlab.errors import ProviderFault
from agentlab.providers.capabilities import Verdict

__all__ = ["CapabilityPart", "CheckDocument", "CheckPart", "FaultPart"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, validate_by_name=True)


class FaultPart(_Part):
    """Why a provider did not answer."""

    fault: ProviderFault
    message: str
    server_said: str
    """The server's own words: untrusted."""


class CapabilityPart(_Part):
    """One thing that was asked of a server."""

    name: str
    verdict: Verdict
    detail: str


class CheckPart(_Part):
    """One thing that was asked of the trace of an attempt."""

    name: str
    passed: bool
    detail: str


class CheckDocument(_Part):
    """What `agentlab check` found."""

    schema_: Annotated[Literal["agentlab.check/1"], Field(alias="schema")] = "agentlab.check/1"
    provider: str
    fault: FaultPart | None
    """Null where it answered."""
    capabilities: list[CapabilityPart]
    """Empty for a provider without a server."""
    attempt: list[CheckPart]
    """Empty without `--probe`."""

    @property
    def passed(self) -> bool:
        """Whether it can be used, and the attempt's trace holds together."""
        return self.fault is None and all(check.passed for check in self.attempt)
