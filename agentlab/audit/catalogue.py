"""Every rule there is, by id."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.rules.answers import CONTAMINATION, CONTRADICTED_CLAIM, UNSUPPORTED_ANSWER
from agentlab.audit.rules.base import Rule
from agentlab.audit.rules.forgery import FORGED_OBSERVATION, FORGED_TURN, PHANTOM_CALL

__all__ = ["RULES"]

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        FORGED_OBSERVATION,
        FORGED_TURN,
        PHANTOM_CALL,
        CONTRADICTED_CLAIM,
        UNSUPPORTED_ANSWER,
        CONTAMINATION,
    )
}
