"""agentlab: what an agent claimed beside what its harness executed.

The names below are imported when they are first used, so that `import agentlab` stays cheap and silent.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlab.audit.outputs.account import account as account
    from agentlab.audit.outputs.frames import findings_frame as findings_frame
    from agentlab.audit.report import AuditReport as AuditReport
    from agentlab.audit.report import audit_trace as audit_trace
    from agentlab.experiments.batch import run_notebook as run_notebook
    from agentlab.experiments.case import Case as Case
    from agentlab.experiments.case import case_names as case_names
    from agentlab.experiments.case import load_case as load_case
    from agentlab.experiments.conditions import Condition as Condition
    from agentlab.experiments.conditions import conditions_for as conditions_for
    from agentlab.experiments.results import StudyResult as StudyResult
    from agentlab.experiments.saving import results_folder as results_folder
    from agentlab.experiments.saving import save_results as save_results
    from agentlab.experiments.scorecard import save_scorecard as save_scorecard
    from agentlab.experiments.scorecard import score_audit as score_audit
    from agentlab.experiments.study import Study as Study
    from agentlab.experiments.study import run_study as run_study
    from agentlab.formats.reading import read_traces as read_traces
    from agentlab.trace.context import Context as Context
    from agentlab.trace.formatting import visible as visible
    from agentlab.trace.frames import attempts_frame as attempts_frame
    from agentlab.trace.frames import calls_frame as calls_frame
    from agentlab.trace.frames import events_frame as events_frame
    from agentlab.trace.model import Trace as Trace
    from agentlab.trace.store import RunStore as RunStore
    from agentlab.trace.store import read_journal as read_journal
    from agentlab.views.outcomes import study_figure as study_figure
    from agentlab.views.page.page import AuditPage as AuditPage
    from agentlab.views.style import picture as picture
    from agentlab.views.timeline import timeline as timeline

_EXPORTS = {
    "AuditPage": "agentlab.views.page.page",
    "AuditReport": "agentlab.audit.report",
    "Case": "agentlab.experiments.case",
    "Condition": "agentlab.experiments.conditions",
    "Context": "agentlab.trace.context",
    "RunStore": "agentlab.trace.store",
    "Study": "agentlab.experiments.study",
    "StudyResult": "agentlab.experiments.results",
    "Trace": "agentlab.trace.model",
    "account": "agentlab.audit.outputs.account",
    "attempts_frame": "agentlab.trace.frames",
    "audit_trace": "agentlab.audit.report",
    "calls_frame": "agentlab.trace.frames",
    "case_names": "agentlab.experiments.case",
    "conditions_for": "agentlab.experiments.conditions",
    "events_frame": "agentlab.trace.frames",
    "findings_frame": "agentlab.audit.outputs.frames",
    "load_case": "agentlab.experiments.case",
    "picture": "agentlab.views.style",
    "read_journal": "agentlab.trace.store",
    "read_traces": "agentlab.formats.reading",
    "results_folder": "agentlab.experiments.saving",
    "run_notebook": "agentlab.experiments.batch",
    "run_study": "agentlab.experiments.study",
    "save_results": "agentlab.experiments.saving",
    "save_scorecard": "agentlab.experiments.scorecard",
    "score_audit": "agentlab.experiments.scorecard",
    "study_figure": "agentlab.views.outcomes",
    "timeline": "agentlab.views.timeline",
    "visible": "agentlab.trace.formatting",
}
"""Public name to the module it lives in."""

__all__ = [
    "AuditPage",
    "AuditReport",
    "Case",
    "Condition",
    "Context",
    "RunStore",
    "Study",
    "StudyResult",
    "Trace",
    "__version__",
    "account",
    "attempts_frame",
    "audit_trace",
    "calls_frame",
    "case_names",
    "conditions_for",
    "events_frame",
    "findings_frame",
    "load_case",
    "picture",
    "read_journal",
    "read_traces",
    "results_folder",
    "run_notebook",
    "run_study",
    "save_results",
    "save_scorecard",
    "score_audit",
    "study_figure",
    "timeline",
    "visible",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("agentlab.version").VERSION
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"agentlab has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
