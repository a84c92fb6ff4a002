"""What one attempt may cost, where it is to count as a success."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Bounds"]


class Bounds(BaseModel):
    """What one attempt may cost at most; None for no bound."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    tokens: int | None = Field(default=None, ge=1)
    """Read and written, as the server counts them."""
    calls: int | None = Field(default=None, ge=0)
    """Executions of tools."""
    steps: int | None = Field(default=None, ge=1)
    """Rounds of the loop."""
    seconds: float | None = Field(default=None, gt=0)
    """Wall clock."""

    def over(self, other: Bounds) -> Bounds:
        """These bounds, and the other's where these have none."""
        return other.model_copy(update={name: value for name, value in self if value is not None})

    def exceeded(self, *, tokens: int | None, calls: int, steps: int, seconds: float) -> Iterator[str]:
        """What an attempt went beyond, each as a clause.

        Args:
            tokens: None where no server counted them: then nothing shows that a bound on them was kept.
            calls: executions of tools.
            steps: rounds of the loop.
            seconds: wall clock.
        """
        if self.tokens is not None and tokens is None:
            yield f"no server counted its tokens, of which {self.tokens} are allowed"
        used = {"tokens": tokens, "calls": calls, "steps": steps, "seconds": seconds}
        for name, allowed in self:
            spent = used[name]
            if allowed is not None and spent is not None and spent > allowed:
                yield f"{spent:g} {name} where {allowed:g} are allowed"
