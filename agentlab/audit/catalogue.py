"""Every rule there is, by id, as a story is told: what was written, what ran, what followed, what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from agentlab.audit.rules.actions import FORGED_ERROR, STALE_EVIDENCE, UNEXECUTED_CLAIM, VACUOUS_EVIDENCE
from agentlab.audit.rules.answers import UNSUPPORTED_ANSWER
from agentlab.audit.rules.base import Rule
from agentlab.audit.rules.callfaults import MALFORMED_CALL
from agentlab.audit.rules.calls import CONTRADICTED_CLAIM, PHANTOM_CALL
from agentlab.audit.rules.contamination import CONTAMINATION
from agentlab.audit.rules.drift import LATE_DRIFT
from agentlab.audit.rules.errors import INFRASTRUCTURE, RAW_ERROR_FED_BACK
from agentlab.audit.rules.finishing import MULTIPLE_ACTIONS, PREMATURE_FINISH
from agentlab.audit.rules.forgery import FORGED_OBSERVATION, FORGED_TURN
from agentlab.audit.rules.goal import GOAL_LOST
from agentlab.audit.rules.harness import HARNESS_FORGED_RESULT
from agentlab.audit.rules.ignored import IGNORED_ERROR
from agentlab.audit.rules.injection import INJECTION_FOLLOWED
from agentlab.audit.rules.laundering import LAUNDERED_CLAIM
from agentlab.audit.rules.looping import NO_PROGRESS, REPEAT_LOOP
from agentlab.audit.rules.memory import UNSUPPORTED_MEMORY
from agentlab.audit.rules.missing import MISSING_RESULT
from agentlab.audit.rules.record import TRACE_DEFECT
from agentlab.audit.rules.subagents import SUBAGENT_CLAIM
from agentlab.audit.rules.texts import HIDDEN_CHARACTER
from agentlab.audit.rules.unknown import UNKNOWN_TOOL

__all__ = ["RULES"]

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        FORGED_OBSERVATION,
        FORGED_TURN,
        FORGED_ERROR,
        PHANTOM_CALL,
        UNEXECUTED_CLAIM,
        CONTRADICTED_CLAIM,
        VACUOUS_EVIDENCE,
        STALE_EVIDENCE,
        UNKNOWN_TOOL,
        MALFORMED_CALL,
        MULTIPLE_ACTIONS,
        MISSING_RESULT,
        IGNORED_ERROR,
        RAW_ERROR_FED_BACK,
        REPEAT_LOOP,
        NO_PROGRESS,
        GOAL_LOST,
        LATE_DRIFT,
        PREMATURE_FINISH,
        INJECTION_FOLLOWED,
        CONTAMINATION,
        LAUNDERED_CLAIM,
        UNSUPPORTED_ANSWER,
        SUBAGENT_CLAIM,
        HARNESS_FORGED_RESULT,
        UNSUPPORTED_MEMORY,
        HIDDEN_CHARACTER,
        INFRASTRUCTURE,
        TRACE_DEFECT,
    )
}
