"""The head of an Inspect log: what all its samples have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentlab.formats.shapes.fields import Object, integer, listing, mapping, mappings, number, rest, text
from agentlab.messages import Sampling
from agentlab.strictjson import JSONValue

__all__ = ["Log"]

_EVAL = {"run_id", "model", "model_generate_config"}


@dataclass(frozen=True, kw_only=True)
class Log:
    """A log, without its samples."""

    path: str
    header: Object = field(default_factory=dict)
    """`eval`, `plan`, `status` and what stands beside them; empty where it is lost."""

    @property
    def status(self) -> str:
        """How the evaluation ended, in Inspect's word."""
        return text(self.header, "status")

    def identity(self) -> list[str]:
        """What tells this log from others, as far as it says."""
        about = mapping(self.header, "eval")
        return [text(about, name) for name in ("run_id", "task_id", "task")]

    def case(self, sample: str) -> str:
        """The name of a sample among those of all tasks."""
        return "/".join(part for part in (text(mapping(self.header, "eval"), "task"), sample) if part)

    def facts(self) -> dict[str, object]:
        """Fields of `AttemptStarted` that the head gives.

        Raises:
            ShapeError: if a field of it is not what Inspect writes.
        """
        about, plan = mapping(self.header, "eval"), mapping(self.header, "plan")
        config = {**mapping(about, "model_generate_config"), **mapping(plan, "config")}
        model, seed, steps = text(about, "model"), integer(config, "seed"), mappings(plan, "steps")
        return {
            "run": text(about, "run_id"),
            "agent": text(about, "solver") or (text(steps[-1], "solver") if steps else ""),
            "model": model,
            "provider": model.partition("/")[0] if "/" in model else "",
            "seed": seed,
            "sampling": Sampling(
                temperature=number(config, "temperature"),
                max_tokens=integer(config, "max_tokens"),
                seed=seed,
                stop=tuple(each for each in listing(config, "stop_seqs") if isinstance(each, str)),
            ),
        }

    def extra(self) -> dict[str, JSONValue]:
        """What else it says of the conditions; scores and totals over all samples are not of one attempt."""
        about = rest(mapping(self.header, "eval"), _EVAL)
        if dataset := mapping(about, "dataset"):
            about["dataset"] = rest(dataset, {"sample_ids"})  # as long as the log, and every sample has its own id
        return {"eval": about} if about else {}
