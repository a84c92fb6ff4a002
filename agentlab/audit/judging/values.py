"""What is held of a statement once it has been compared with what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from agentlab.audit.judging.deeds import Deed

__all__ = ["OPEN", "Judgement", "Verdict"]

Verdict: TypeAlias = Literal["supported", "contradicted", "unexecuted", "unshown", "vacuous", "stale", "open"]
"""What is held of a statement.

- supported: a result bears it out
- contradicted: a result says otherwise
- unexecuted: nothing that could have brought it about was done
- unshown: what it quotes was shown to nobody
- vacuous: what was done checked nothing
- stale: it was true before something was changed
- open: the record does not decide it
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A verdict, the deed it rests on, and why, in a clause."""

    verdict: Verdict
    why: str = ""
    deed: Deed | None = None
    figure: str = ""
    """The number that is wrong, where nothing else is."""
    in_part: bool = False
    """Whether the verdict is about a part of what is stated alone, so that it weighs less."""


OPEN = Judgement(verdict="open")
