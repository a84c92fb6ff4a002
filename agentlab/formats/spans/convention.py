"""One trace of spans, from neutral values to events: what it proves, and what is wrong with its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agentlab.formats.building.builder import TraceBuilder
from agentlab.formats.shapes.places import at
from agentlab.formats.shapes.problems import told
from agentlab.formats.spans.acts import Act, AgentAct, ModelAct, ToolAct
from agentlab.formats.spans.plan import Plan
from agentlab.formats.spans.telling import Story
from agentlab.formats.spans.tree import SpanRecord, Tree, forward
from agentlab.strictjson import JSONValue
from agentlab.trace.model import Trace
from agentlab.trace.values import Evidence

__all__ = ["Convention", "trace_of"]


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How the spans of a format are read."""

    form: str
    """Name of the format."""
    reader: Callable[[Tree], Callable[[SpanRecord], Act | None]]
    """What a span tells, for a tree whose other spans it may look at. It may raise `ShapeError`."""
    records_executions: Callable[[Tree, Plan], bool]
    """Whether a tool that ran would have a span, though none has."""


def trace_of(
    convention: Convention,
    spans: Mapping[str, SpanRecord],
    *,
    path: str,
    key: Sequence[object] = (),
    defects: Sequence[str] = (),
    extra: Mapping[str, JSONValue] | None = None,
) -> Trace | None:
    """The trace that the spans of one trace id tell.

    Args:
        convention: how they are read.
        spans: by id, in the order of the file.
        path: the file.
        key: what identifies the trace wherever the file lies; by default its id.
        defects: what is known to be wrong with the record.
        extra: what the file says of the trace beyond its spans.

    Returns:
        The trace; None where no span is of a model, a tool or an agent.

    Raises:
        ShapeError: if a span cannot be read; it names the span.
        ValueError: if the events cannot be one record.
    """
    tree = Tree(forward(spans))
    read = convention.reader(tree)

    def named(span: SpanRecord) -> Act | None:
        with at(f"span {span.id}"):
            return read(span)

    plan = Plan(tree, named)
    if not plan.units:
        return None
    trace = tree.spans[0].trace
    executions = convention.records_executions(tree, plan)
    evidence = _evidence(plan, executions)
    builder = TraceBuilder(convention.form, path=path, key=key or [trace], source=trace, evidence=evidence)
    story = Story(builder, plan, orderly=evidence.proposals == "not_recorded")
    for moment in plan.moments():
        story.tell(moment)
    story.close({**(extra or {})})
    found = [*defects, told(_backwards(plan)), told(_orphaned(plan)), told(_ambiguous(plan)), told(_early(plan))]
    found += [told([f"span {span.id} stands below itself" for span in tree.circles]), told(_open(plan))]
    return builder.build(defect="; ".join(filter(None, found)))


def _evidence(plan: Plan, executions: bool) -> Evidence:
    """What this trace proves.

    Calls are recorded where one is, or where every reply would show one. A trace has results where a tool's span or a
    request holds one, or where there was no tool to give one.
    """
    models = [unit.act for unit in plan.units if isinstance(unit.act, ModelAct)]
    tools = [unit.act for unit in plan.units if isinstance(unit.act, ToolAct)]
    agents = [unit.act for unit in plan.units if isinstance(unit.act, AgentAct)]
    asked = any(act.reply and act.reply.calls for act in models)
    shown = bool(models) and all(act.shows_calls or act.span.error is not None for act in models)
    executed = bool(tools) or executions or any(unit.delegates for unit in plan.units)
    results = any(act.result is not None or act.error is not None for act in tools)
    results = results or any(said.role == "tool" for act in models for said in act.context or ())
    results = results or any(
        unit.delegates and isinstance(unit.act, AgentAct) and unit.act.output is not None for unit in plan.units
    )
    written = any(act.reply for act in models) or any(act.output for act in agents)
    return Evidence(
        proposals="present" if asked or shown else "not_recorded",
        executions="present" if executed else "not_recorded",
        results="present" if results or (executed and not tools) else "not_recorded",
        errors="present" if executed or any(act.refusal for act in models) else "not_recorded",
        authorship="present" if written else "not_recorded",
    )


def _orphaned(plan: Plan) -> list[str]:
    acts = {unit.act.span.id for unit in plan.units}
    if plan.tree.orphans == plan.tree.roots and len(plan.tree.roots) == 1:
        return []  # the caller's span is in another program's record
    lost = (span for span in plan.tree.orphans if span.id in acts)
    return [f"span {span.id} names a parent {span.parent} that is not in this trace" for span in lost]


def _backwards(plan: Plan) -> list[str]:
    """Where times cannot be true; the end as the file gives it stands here alone."""
    turned = (unit.act.span for unit in plan.units if unit.act.span.backwards is not None)
    return [f"span {span.id} ends at {span.backwards!r}, before it starts at {span.start!r}" for span in turned]


def _ambiguous(plan: Plan) -> list[str]:
    problem = "begin at the same instant, and which came first is known by the call only"
    return [f"spans {tool} and {model} {problem}" for tool, model in plan.ambiguous]


def _early(plan: Plan) -> list[str]:
    """Where clocks disagree: what was asked for cannot have run before."""
    return [f"span {tool} is over before span {model} begins, which asked for it" for tool, model in plan.early]


def _open(plan: Plan) -> list[str]:
    """Spans that never ended though what they are part of did."""
    spans = [unit.act.span for unit in plan.units if unit.act.span.end is None and unit.act.span.start is not None]
    above = ((span, plan.tree.parent(span)) for span in spans)
    return [f"span {span.id} never ended, and span {up.id} around it did" for span, up in above if up and up.end]
