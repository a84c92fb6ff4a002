"""Every rule there is, by id, as a story is told: what was written, what ran, what followed, what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.rules.answers import UNSUPPORTED_ANSWER
from agentlab.audit.rules.base import Rule
from agentlab.audit.rules.calls import CONTRADICTED_CLAIM, PHANTOM_CALL
from agentlab.audit.rules.contamination import CONTAMINATION
from agentlab.audit.rules.forgery import FORGED_OBSERVATION, FORGED_TURN
from agentlab.audit.rules.record import TRACE_DEFECT

__all__ = ["RULES"]

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        FORGED_OBSERVATION,
        FORGED_TURN,
        PHANTOM_CALL,
        CONTRADICTED_CLAIM,
        CONTAMINATION,
        UNSUPPORTED_ANSWER,
        TRACE_DEFECT,
    )
}
