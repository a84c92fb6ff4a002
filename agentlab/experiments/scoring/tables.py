"""The tables of a scorecard, as pandas frames. Rates come with the limits of their 95 % interval in `_low`, `_high`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlab.errors import unknown_name
from agentlab.experiments.scoring.cases import CaseSet, due_rules
from agentlab.experiments.scoring.measuring import Score, Tally, by_category, in_group, meets, of_rule, score, tally
from agentlab.experiments.scoring.values import GRAINS, Grain, Group, Label, LabelledSet, LabelledTrace, Sighting
from agentlab.stats import Rate, wilson

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "cases_frame",
    "categories_frame",
    "check_grain",
    "clean_frame",
    "closest_frame",
    "disagreements_frame",
    "groups_frame",
    "readable",
    "rules_frame",
    "verdicts_frame",
]

_PAIRS = "place and category"
_NOTHING = "nothing"
_MEASURED = (
    *("found", "right", "precision", "precision_low", "precision_high"),
    *("labelled", "met", "recall", "recall_low", "recall_high"),
    *("f1", "f1_low", "f1_high"),
)

_RATES = ("precision", "recall", "f1", "rate", "failure_rate", "loud_rate")
_TYPES: Mapping[str, str] = {
    **{f"{name}{end}": "float64" for name in _RATES for end in ("", "_low", "_high")},
    "per_trace": "float64",
}
"""Types that hold where a column is empty or has nothing but missing values."""


def groups_frame(sets: Iterable[LabelledSet], *, seed: int = 0) -> pd.DataFrame:
    """One row a set, group and grain.

    Columns:
        set, group (str): the row `place and category` counts pairs, one category a rule.
        grain (str): exact, step or trace: how close a finding must be to a label.
        found, right (int): places the audit points at, and those of them a label is close enough to.
        precision, precision_low, precision_high (float): right / found with Wilson's interval; NaN where found is 0.
        labelled, met (int): places a label points at, and those of them a finding is close enough to.
        recall, recall_low, recall_high (float): met / labelled with Wilson's interval; NaN where labelled is 0.
        f1, f1_low, f1_high (float): with an interval from traces drawn again; NaN where there is nothing.
        per_trace (float): found / number of traces.
    """
    columns = ["set", "group", "grain", *_MEASURED, "per_trace"]
    return _frame(columns, (row for labelled in sets for row in _group_rows(labelled, seed)))


def _group_rows(labelled: LabelledSet, seed: int) -> Iterator[dict[str, Any]]:
    for grain in labelled.grains:
        for group in labelled.groups:
            yield _measured(labelled, group.name, grain, _tallies(labelled, group, grain), seed)
        if labelled.category_of:
            pairs = [by_category(labelled, trace, grain) for trace in labelled.traces]
            yield _measured(labelled, _PAIRS, grain, pairs, seed)


def rules_frame(sets: Iterable[LabelledSet], *, seed: int = 0) -> pd.DataFrame:
    """One row a set, group, rule and grain, for rules that found something: how the group would fare with it alone.

    Columns: those of `groups_frame`, and rule (str). Of a rule that no group of a set asks for, `group` is empty, and
    there is nothing to be right or wrong about.
    """
    columns = ["set", "group", "rule", "grain", *_MEASURED, "per_trace"]
    return _frame(columns, (row for labelled in sets for row in _rule_rows(labelled, seed)))


def _rule_rows(labelled: LabelledSet, seed: int) -> Iterator[dict[str, Any]]:
    nowhere = Group(name="", words="no group asks for it", rules=frozenset())
    for rule in sorted({sighting.rule for trace in labelled.traces for sighting in trace.sightings}):
        for group in [group for group in labelled.groups if group.takes(rule)] or [nowhere]:
            for grain in labelled.grains:
                picked = of_rule(group, rule)
                counts = [tally(trace, grain, *picked(trace)) for trace in labelled.traces]
                row = {**_measured(labelled, group.name, grain, counts, seed), "rule": rule}
                if group is nowhere:
                    row |= {name: None for name in _MEASURED if name != "found"}
                yield row


def categories_frame(sets: Iterable[LabelledSet]) -> pd.DataFrame:
    """One row a set, category and grain: how many labels of each category a rule that looks for it found.

    Columns:
        set, category, grain (str).
        labelled, met (int): labels, each counted, two at one place too; and those a finding is close enough to.
        recall, recall_low, recall_high (float): met / labelled with Wilson's interval.
    """
    rows = (
        {"set": labelled.name, "category": category, "grain": grain, **_recall(labelled, category, grain)}
        for labelled in sets
        for category in sorted({label.category for trace in labelled.traces for label in trace.labels})
        for grain in labelled.grains
    )
    return _frame(["set", "category", "grain", "labelled", "met", "recall", "recall_low", "recall_high"], rows)


def _recall(labelled: LabelledSet, category: str, grain: Grain) -> dict[str, Any]:
    mine = [(trace, label) for trace in labelled.traces for label in trace.labels if label.category == category]
    met = sum(any(meets(trace, s, label, grain) for s in _seekers(labelled, trace, label)) for trace, label in mine)
    return {"labelled": len(mine), "met": met, **_rate("recall", wilson(met, len(mine)))}


def _seekers(labelled: LabelledSet, trace: LabelledTrace, label: Label) -> list[Sighting]:
    """The findings of a trace whose rules look for a label."""
    groups = [group for group in labelled.groups if group.name in label.groups]
    return [sighting for sighting in trace.sightings if any(group.takes(sighting.rule) for group in groups)]


def clean_frame(sets: Iterable[LabelledSet]) -> pd.DataFrame:
    """One row a set that has clean runs, where every finding of a rule in question is a false alarm.

    Columns:
        set (str).
        runs (int): clean ones.
        failures (int): clean runs with a finding of severity failure.
        failure_rate, failure_rate_low, failure_rate_high (float): failures / runs with Wilson's interval.
        loud (int): clean runs with a finding of severity failure or warning.
        loud_rate, loud_rate_low, loud_rate_high (float).
        rules (str): rules that accuse, with the number of runs.
    """
    columns = ["set", "runs", "failures", *_names("failure_rate"), "loud", *_names("loud_rate"), "rules"]
    return _frame(columns, (_clean_row(labelled) for labelled in sets if any(t.clean for t in labelled.traces)))


def _clean_row(labelled: LabelledSet) -> dict[str, Any]:
    runs = [[s for s in t.sightings if _speaks_of(labelled, s)] for t in labelled.traces if t.clean]
    failures = sum(any(sighting.severity == "failure" for sighting in run) for run in runs)
    loud = sum(bool(run) for run in runs)
    by_rule = Counter(rule for run in runs for rule in {sighting.rule for sighting in run})
    return {
        "set": labelled.name,
        "runs": len(runs),
        "failures": failures,
        **_rate("failure_rate", wilson(failures, len(runs))),
        "loud": loud,
        **_rate("loud_rate", wilson(loud, len(runs))),
        "rules": ", ".join(f"{rule} {by_rule[rule]}" for rule in sorted(by_rule)),
    }


def _speaks_of(labelled: LabelledSet, sighting: Sighting) -> bool:
    return labelled.scope is None or sighting.rule in labelled.scope


def disagreements_frame(sets: Iterable[LabelledSet]) -> pd.DataFrame:
    """One row a label that no finding stands at, and one a finding that no label stands at, to be looked at.

    Columns:
        set, trace (str): the trace's file or id, with the row in it.
        kind (str): miss or false alarm.
        place (str): identity in the original file; empty for the trace as a whole.
        group (str): the groups it is counted in.
        what (str): category of a miss, rule of a false alarm.
        severity (str): of the finding; empty for a miss.
        closest (str): step or trace, where the other side has something of one of the groups that near; else nothing.
        words (str): the labeller's note or the finding's message.
        text (str): the stretch the finding is about.
    """
    columns = ["set", "trace", "kind", "place", "group", "what", "severity", "closest", "words", "text"]
    rows = (
        {"set": labelled.name, "trace": trace.name, "group": group.name, **row}
        for labelled in sets
        for trace in labelled.traces
        for group in labelled.groups
        for row in _disagreements(labelled, trace, group)
    )
    return _frame(columns, _merged(rows))


def _merged(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Rows that differ in their group only, as one that names all of them."""
    merged: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        key = tuple(value for name, value in row.items() if name not in ("group", "closest"))
        first = merged.setdefault(key, row)
        if first is not row:
            nearer = min(first["closest"], row["closest"], key=[*GRAINS, _NOTHING].index)
            first |= {"group": f"{first['group']}, {row['group']}", "closest": nearer}
    yield from merged.values()


def _disagreements(labelled: LabelledSet, trace: LabelledTrace, group: Group) -> Iterator[dict[str, str]]:
    found, labels = in_group(group)(trace)
    for label in labels:
        closest = _closest(labelled, [_near(labelled, trace, sighting, label) for sighting in found])
        if closest is not None:
            shown = {"what": label.category, "severity": "", "words": label.note, "text": ""}
            yield {"kind": "miss", "place": label.source, "closest": closest, **shown}
    for sighting in found:
        closest = _closest(labelled, [_near(labelled, trace, sighting, label) for label in labels])
        if closest is not None:
            shown = {"what": sighting.rule, "severity": sighting.severity}
            said = {"words": sighting.message, "text": sighting.text}
            yield {"kind": "false alarm", "place": ", ".join(sighting.places), "closest": closest, **shown, **said}


def _near(labelled: LabelledSet, trace: LabelledTrace, sighting: Sighting, label: Label) -> Grain:
    """How near they are; a label of the whole trace cannot be met any closer than that."""
    if not label.source:
        return labelled.grains[0]
    return next(grain for grain in GRAINS if meets(trace, sighting, label, grain))


def _closest(labelled: LabelledSet, grains: Sequence[Grain]) -> str | None:
    """The nearest of them in words; None where it is as near as can be in this set."""
    nearest = min(grains, key=GRAINS.index, default=None)
    if nearest == labelled.grains[0]:
        return None
    return nearest or _NOTHING


def cases_frame(cases: CaseSet) -> pd.DataFrame:
    """One row a case.

    Columns:
        id, kind, verdict, severity (str): kind is completion or trace.
        innocent (bool): whether nothing is wrong in it, or nobody can tell.
        right (bool).
        accused (bool): whether it is wrong because something innocent was accused.
        problem (str): why it is not right.
        path (str): the input.
    """
    columns = ["id", "kind", "verdict", "severity", "innocent", "right", "accused", "problem", "path"]
    rows = ({name: getattr(case, name) for name in columns} for case in cases.cases)
    return _frame(columns, rows).astype(dict.fromkeys(("innocent", "right", "accused"), "bool"))


def verdicts_frame(cases: CaseSet) -> pd.DataFrame:
    """One row a kind of case and verdict, and one a kind for all its verdicts.

    Columns:
        kind, verdict (str): completion or trace; verdict `all` for the sum.
        cases, right (int).
        rate, rate_low, rate_high (float): right / cases with Wilson's interval.
        accused (int): false accusations.
        rules (str): the rules one of which is due, for traces.
    """
    columns = ["kind", "verdict", "cases", "right", *_names("rate"), "accused", "rules"]
    return _frame(columns, _verdict_rows(cases))


def _verdict_rows(cases: CaseSet) -> Iterator[dict[str, Any]]:
    for kind in ("completion", "trace"):
        of_kind = [case for case in cases.cases if case.kind == kind]
        for verdict in ("all", *sorted({case.verdict for case in of_kind})):
            chosen = [case for case in of_kind if verdict in ("all", case.verdict)]
            right = sum(case.right for case in chosen)
            has_due = kind == "trace" and verdict != "all" and not chosen[0].innocent
            yield {
                "kind": kind,
                "verdict": verdict,
                "cases": len(chosen),
                "right": right,
                **_rate("rate", wilson(right, len(chosen))),
                "accused": sum(case.accused for case in chosen),
                "rules": ", ".join(sorted(due_rules(verdict))) if has_due else "",
            }


def _tallies(labelled: LabelledSet, group: Group, grain: Grain) -> list[Tally]:
    picked = in_group(group)
    return [tally(trace, grain, *picked(trace)) for trace in labelled.traces]


def _measured(labelled: LabelledSet, group: str, grain: Grain, tallies: list[Tally], seed: int) -> dict[str, Any]:
    result: Score = score(tallies, seed=seed)
    counts = result.counts
    return {
        "set": labelled.name,
        "group": group,
        "grain": grain,
        "found": counts.found,
        "right": counts.right,
        **_rate("precision", result.precision),
        "labelled": counts.labelled,
        "met": counts.met,
        **_rate("recall", result.recall),
        "f1": result.f1,
        "f1_low": result.f1_low,
        "f1_high": result.f1_high,
        "per_trace": counts.found / len(labelled.traces) if labelled.traces else None,
    }


def check_grain(grain: str) -> None:
    """See that there is such a grain, before anything dear is done for it.

    Raises:
        UsageError: if there is none.
    """
    if grain not in GRAINS:
        raise unknown_name("grain", grain, GRAINS)


def closest_frame(frame: pd.DataFrame, grain: Grain) -> pd.DataFrame:
    """The rows of one grain; of a set that has none of it, those of the grain `trace`.

    Args:
        frame: from `groups_frame`, `rules_frame` or `categories_frame`.
        grain: exact, step or trace.

    Raises:
        UsageError: for another grain.
    """
    check_grain(grain)
    has = set(frame["set"][frame["grain"] == grain])
    wanted = frame["set"].map(lambda name: grain if name in has else "trace")
    return frame[frame["grain"] == wanted].reset_index(drop=True)


def readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with each rate and its limits in one column of text, such as `0.72 (0.58–0.83)`; empty where none."""
    shown = frame.copy()
    for name in [name for name in frame.columns if f"{name}_low" in frame.columns]:
        limits = frame[list(_names(name))].itertuples(index=False)
        shown[name] = ["" if v != v else f"{v:.2f} ({low:.2f}–{high:.2f})" for v, low, high in limits]
        shown = shown.drop(columns=[f"{name}_low", f"{name}_high"])
    return shown


def _names(measure: str) -> tuple[str, str, str]:
    return measure, f"{measure}_low", f"{measure}_high"


def _rate(measure: str, rate: Rate) -> dict[str, float | None]:
    limits = (rate.rate, rate.low, rate.high) if rate.n else (None, None, None)
    return dict(zip(_names(measure), limits, strict=True))


def _frame(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    types = {name: kind for name, kind in _TYPES.items() if name in columns}
    return pd.DataFrame(list(rows), columns=list(columns)).astype(types)
