"""The timeline of one audited attempt: what the model claimed above what the harness executed.

The axis is the order of the steps and not time: simulated times are ticks, and waiting is not what goes wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentlab.errors import UsageError
from agentlab.trace.formatting import shorten
from agentlab.views.lanes.labels import call_text, claim_text, result_text
from agentlab.views.lanes.scene import Audited, Scene, Slot, entry_mark
from agentlab.views.lanes.words import capital, clauses, headline, outcome, verdict
from agentlab.views.style import FORGED, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Audited", "describe", "picture", "timeline", "timeline_text"]

_LINE = 110


def timeline(report: Audited) -> Figure:
    """The timeline as a figure 10 inches wide; it grows downwards with the attempt, to at most four lines of columns.

    Upper lane: the model's claims. Lower lane: the executions, joined to the calls that asked for them; a result or
    another party's turn that the model wrote itself has a cross and the words `no execution` there. Strip below: the
    requests, filled where they carried forged text, with the way of that text drawn to them and on to the answer that
    rests on it. A reply that is prose only is a light box with its first words. Of an attempt with more than 28 columns
    the least telling steps are folded, and empty steps always; the fold says what it holds. The figure shows itself at
    the end of a cell; `picture` makes an image file of it.

    Raises:
        UsageError: for anything but an audit.
    """
    if not hasattr(report, "trace"):
        raise UsageError(f"A value of type {type(report).__name__} is no audit; audit_trace makes one.")
    from agentlab.views.lanes.drawing import draw  # here, because the words do without matplotlib and its half second

    scene = Scene.of(report)
    return draw(
        scene,
        headline=headline(report.trace),
        outcome=capital(outcome(report.trace)),
        verdict=verdict(scene),
        label=describe(report),
    )


def timeline_text(report: Audited) -> str:
    """The timeline for a terminal: a line for each request, claim and execution, in order; `!` marks what is forged."""
    scene = Scene.of(report)
    head = (headline(report.trace), capital(outcome(report.trace)), verdict(scene), "")
    return "\n".join((*(shorten(line, 400) for line in head), *_lines(scene)))


def describe(report: Audited) -> str:
    """The timeline in one sentence, for an alternative text. It quotes the trace: escape it before it enters HTML."""
    said = "; ".join(clauses(Scene.of(report)))
    return shorten(f"Timeline of {headline(report.trace)}: {said}; {outcome(report.trace)}", 600)


def _lines(scene: Scene) -> Iterator[str]:
    carried = scene.carried()
    letters = {flow.claim: flow.letter for flow in scene.flows}
    number = 0
    for stage in scene.rounds:
        yield stage.title
        for request in stage.requests:
            number += 1
            forged = request in carried
            words = f"request {number}" + (f"  CARRIED FORGED TEXT {carried[request]}".rstrip() if forged else "")
            yield f"{'!' if forged else ' '} {words}"
        for slot in stage.slots:
            yield from _slot(slot, letters, scene)


def _slot(slot: Slot, letters: dict[str, str], scene: Scene) -> Iterator[str]:
    claim, entry = slot.claim, slot.entry
    if claim is not None:
        rests = any(flow.answer == claim.id for flow in scene.flows)
        forged = slot.mark is FORGED or rests
        fate = "rests on forged text" if rests else ": ".join(part for part in (slot.fate, slot.reason) if part)
        letter = letters.get(claim.id, "")
        said = f"claimed   {claim.kind:<11} {shorten(claim_text(claim), _LINE - 50)}"
        fate = f"[{fate.upper() if forged else fate}{f' {letter}' if letter else ''}]" if fate else ""
        yield f"{'!' if forged else ' '} {said}  {fate}".rstrip()
    elif slot.said is not None:
        fate = ": ".join(part for part in (slot.fate, slot.reason) if part)
        yield f"  said      {shorten(slot.said, _LINE - 38)}{f'  [{fate}]' if fate else ''}"
    elif entry is None:
        yield f"  called    {shorten(slot.fate, _LINE - 38)}  [{slot.reason}]"
    if entry is not None:
        called = f"{call_text(entry.tool, entry.arguments)} -> {result_text(entry)}"
        yield f"  executed  {entry_mark(entry).name:<11} {shorten(called, _LINE - 24)}"
