"""A condition: everything that is held fixed while attempts are repeated. Two conditions differ in what they vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.tomlfile import problems_of, read_toml
from agentlab.harness.history import POLICIES
from agentlab.harness.limits import Limits
from agentlab.harness.prompts import NATIVE_V1, PROMPTS
from agentlab.messages import Sampling
from agentlab.providers.behaviour import Knobs
from agentlab.strictjson import digest
from agentlab.trace.values import Language

__all__ = ["Condition", "check_distinct", "condition_of", "conditions_for", "load_condition"]


_JOINED_LATER = ("tool_calling", "require_execution")


class Condition(BaseModel):
    """One condition of a study."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    name: Annotated[str, Field(min_length=1, max_length=80)]
    """Shown in tables; nothing else depends on it."""
    loop: str = "react-v2"
    """History policy."""
    tool_calling: Literal["text", "native"] = "text"
    """How the model asks for tools: in the text of its reply, or by native calls, which a server must support."""
    prompt_version: str = ""
    """Wording of the system prompt; where it is empty the case's own, or `native-v1` with native calls."""
    require_execution: bool = False
    """Whether an answer is accepted only when the executions that the case requires are on record."""
    language: Language = "en"
    """Language of the prompt, the task and the harness's notices."""
    steps: Annotated[int, Field(ge=1, le=1000)] = 8
    """Rounds of one attempt, a reply and what becomes of it each, before it ends unfinished."""
    seconds: Annotated[float, Field(gt=0)] = 300.0
    """Wall clock of one attempt."""
    tokens: Annotated[int, Field(ge=1)] = 50_000
    """Tokens of one attempt, read and written, before it ends unfinished."""
    temperature: Annotated[float, Field(ge=0)] | None = None
    """Sampling temperature; the server's own where it is left out."""
    max_tokens: Annotated[int, Field(ge=1)] | None = 512
    """Tokens one reply may have."""
    stop: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(strict=False)] = ()
    """Texts at which the server ends a reply, e.g. `Observation:`."""
    knobs: Mapping[str, float] = {}
    """Settings of the simulated model, over those of the case, e.g. `p_forge`."""

    def model_post_init(self, context: Any, /) -> None:
        """Refuse names that do not exist before anything runs."""
        POLICIES.get(self.loop)
        written = PROMPTS.get(self.prompt_version).protocol if self.prompt_version else self.tool_calling
        if written != self.tool_calling:
            raise UsageError(
                f"The prompt {self.prompt_version!r} is written for tool_calling {written!r}, and the condition "
                f"{self.name!r} has {self.tool_calling!r}; change one of them."
            )

    def in_case(self, prompt_version: str, behaviour: Knobs) -> Condition:
        """The condition as a case means it: what it does not name is the case's, what only repeats it is left out."""
        own = {name: value for name, value in self.knobs.items() if getattr(behaviour, name, None) != value}
        usual = NATIVE_V1.name if self.tool_calling == "native" else prompt_version
        return self.model_copy(update={"prompt_version": self.prompt_version or usual, "knobs": own})

    @property
    def limits(self) -> Limits:
        return Limits(steps=self.steps, seconds=self.seconds, tokens=self.tokens)

    def sampling(self, seed: int | None) -> Sampling:
        """How the provider is asked to sample; the seed is the attempt's."""
        return Sampling(temperature=self.temperature, max_tokens=self.max_tokens, stop=self.stop, seed=seed)

    @property
    def digest(self) -> str:
        """SHA-256 of the condition without its name, so that renaming changes nothing.

        Seeds are derived from it: a field that joined later counts only where it is set, so that old runs come again.
        """
        fields = self.model_dump(mode="json", exclude={"name"})
        later = {name for name in _JOINED_LATER if fields[name] == Condition.model_fields[name].default}
        return digest({name: value for name, value in fields.items() if name not in later})


def condition_of(values: Mapping[str, object]) -> Condition:
    """A condition from its fields by name.

    Raises:
        UsageError: if they do not make one; the message names the field.
    """
    try:
        return Condition.model_validate(values)
    except ValidationError as error:
        known = ", ".join(Condition.model_fields)
        raise UsageError(f"Not a condition: {problems_of(error)}. The fields are {known}.") from None


def conditions_for(loops: str, **fields: object) -> list[Condition]:
    """A condition for each of several history policies, alike in everything else and named after its policy.

    Args:
        loops: names of history policies, separated by commas; blanks and empty names are left out.
        fields: other fields of `Condition`, the same for all.

    Raises:
        UsageError: for a policy that does not exist, no policy at all, or fields that do not make a condition.
    """
    names = [name.strip() for name in loops.split(",") if name.strip()]
    if not names:
        known = ", ".join(POLICIES.names())
        raise UsageError(f"History policies are named with commas between them; {loops!r} names none of {known}.")
    if own := {"name", "loop"} & fields.keys():
        raise UsageError(f"{min(own)!r} follows from the history policy and cannot be given for all conditions.")
    return [condition_of({**fields, "name": name, "loop": name}) for name in names]


def load_condition(path: Path) -> Condition:
    """Read a condition from a TOML file; its name is the file's unless it says another.

    Raises:
        LoadError: if it is not one; the message names the field.
    """
    try:
        return condition_of({"name": path.stem, **read_toml(path, "a condition")})
    except UsageError as error:
        raise LoadError(path, str(error)) from None


def check_distinct(conditions: Sequence[Condition]) -> None:
    """Refuse a study that could not tell its conditions apart.

    Raises:
        UsageError: if there is none, or two share a name or all their content.
    """
    if not conditions:
        raise UsageError("A study needs at least one condition.")
    for what, keys in (("name", [c.name for c in conditions]), ("content", [c.digest for c in conditions])):
        doubled = [c.name for c, key in zip(conditions, keys, strict=True) if keys.count(key) > 1]
        if doubled:
            raise UsageError(f"The conditions {' and '.join(map(repr, doubled))} have the same {what}; leave one out.")
