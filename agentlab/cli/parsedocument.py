"""The document that `agentlab parse --json` prints, as a model: its JSON Schema is for those who read it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from agentlab.harness.intents import ForgedKind

__all__ = ["ParseDocument"]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, serialize_by_alias=True, use_attribute_docstrings=True
    )


class ProposedPart(_Part):
    """A call that a refused reply asked for."""

    tool: str
    arguments: dict[str, JsonValue] | str
    """An object, or the raw text where it is not a JSON object."""


class DiscardedPart(_Part):
    """A stretch that stood behind the action or the answer and was not read; in code points, end exclusive."""

    start: int
    end: int
    text: str


class ForgedPart(DiscardedPart):
    """A stretch that only somebody else may write; in code points, end exclusive."""

    kind: ForgedKind


class ParseDocument(_Part):
    """What the harness makes of one raw reply; what does not apply to the intent is null."""

    schema_: Annotated[Literal["agentlab.parse/1"], Field(alias="schema")]
    intent: Literal["call", "finish", "reply", "clarify", "protocol_error"]
    tool: str | None
    arguments: dict[str, JsonValue] | str | None
    """An object, or the raw text where it is not a JSON object."""
    answer: str | None
    """The answer of a finish, or the text of a reply without action."""
    reason: str | None
    """Why the reply is refused."""
    proposed: ProposedPart | None
    """The call a refused reply asked for."""
    forged: list[ForgedPart]
    discarded: list[DiscardedPart]
