"""A study: N attempts under each of several conditions, recorded, audited and counted."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from threading import Event

from agentlab.clock import derived_id, derived_seed, random_id
from agentlab.errors import UsageError
from agentlab.experiments.case import Case
from agentlab.experiments.conditions import Condition, check_distinct
from agentlab.experiments.results import StudyResult, judge
from agentlab.experiments.resuming import check_same_study, done_attempts, set_aside
from agentlab.experiments.runner import PlannedAttempt, run_attempt
from agentlab.experiments.threads import Progress, run_all
from agentlab.providers.base import Provider
from agentlab.providers.cassette import CassetteRecorder, CassetteWriter
from agentlab.providers.server import ServerOptions
from agentlab.providers.specs import open_provider, recorded_spec
from agentlab.trace.store import AttemptEntry, Manifest, RunStore
from agentlab.version import VERSION

__all__ = ["Study", "run_study"]

_SIMULATED = {"simulated", "scripted"}
"""Providers that answer without a world behind them."""

_CONCURRENT = 8
"""Attempts under way at once where a server answers; what is simulated is faster one by one."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be run."""

    case: Case
    conditions: Sequence[Condition]
    attempts: int = 10
    """Attempts per condition."""
    provider: str = "simulated"
    """Provider spec."""
    seed: int = 0
    server: ServerOptions = field(default_factory=ServerOptions)
    """How a server is asked: streaming, limits, retries, rate. No part of what is compared."""

    def __post_init__(self) -> None:
        if not isinstance(self.case, Case):
            raise UsageError(f"A study takes a case as load_case({self.case!r}) gives it, and not its name or folder.")
        # Before anything is compared: saying what the case says anyway does not make another condition.
        file = self.case.file
        conditions = tuple(each.in_case(file.prompt_version, file.simulated) for each in self.conditions)
        object.__setattr__(self, "conditions", conditions)
        check_distinct(conditions)
        if not 1 <= self.attempts <= 100_000:
            raise UsageError(f"The number of attempts must be from 1 to 100000; it is {self.attempts!r}.")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"The seed must be a whole number from 0 to 2**63 - 1; it is {self.seed!r}.")

    @cached_property
    def answering(self) -> str:
        """The spec of whoever answered first: of a cassette the one recorded, so that the same requests come again."""
        return recorded_spec(self.provider)


def run_study(
    study: Study,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    record: str | Path | None = None,
    resume: bool = False,
) -> StudyResult:
    """Run a study into a folder and count its outcomes.

    Args:
        study: what to run.
        out: the run's folder; `runs/<run id>` below the current one by default.
        workers: attempts under way at once.
        progress: told after each attempt, in this thread, how many are done, and of how many.
        record: a new cassette for every reply; None for none.
        resume: whether the folder holds a run of this study that was stopped. Only attempts that do not count run
            then: those that are missing, were stopped or killed, or were lost to the provider.

    Raises:
        UsageError: if something asked for does not exist, the folder is not empty, or holds another study. Nothing
            has run then.
        LoadError: if the case's documents, a cassette or the run to resume cannot be read. Nothing has run then.
        KeyboardInterrupt: if a person stops it. What was recorded is kept, and a note names the folder.
    """
    providers: list[Provider] = [_provider(study, condition) for condition in study.conditions]
    simulated = providers[0].name in _SIMULATED
    for condition in study.conditions:
        study.case.task(condition.language)
    _ = study.case.toolbox  # a tool or document that is missing is found before anything runs
    store, done = _store(study, out, simulated=simulated, resume=resume)
    if record is not None:
        tape = CassetteWriter(record, provider=providers[0], spec=study.provider)
        providers = [CassetteRecorder(provider, tape) for provider in providers]
    planned = [each for each in _plan(study, store.manifest.run, providers, simulated=simulated) if each.id not in done]
    for attempt in planned if resume else ():
        set_aside(store, attempt.id)
    begun = time.monotonic()
    stop = Event()
    tasks = [partial(run_attempt, attempt, study.case, store, stop) for attempt in planned]
    try:
        run_all(tasks, workers=workers or (1 if simulated else _CONCURRENT), stop=stop, progress=progress)
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"The run is in {store.folder}.")
        raise
    finally:
        store.note_not_begun()
        store.write_environment(_environment(study, providers[0], time.monotonic() - begun))
    return judge(store, study.case, [condition.name for condition in study.conditions])


def _provider(study: Study, condition: Condition) -> Provider:
    return open_provider(
        study.provider, behaviour=study.case.file.simulated, knobs=condition.knobs, options=study.server
    )


def _store(study: Study, out: str | Path | None, *, simulated: bool, resume: bool) -> tuple[RunStore, Collection[str]]:
    """The run's folder, new or found again, and the attempts in it that need not run."""
    if not resume:
        run = _run_id(study, simulated=simulated)
        folder = Path(out) if out else Path("runs") / run
        return RunStore.create(folder, _manifest(study, run, simulated=simulated)), ()
    if out is None:
        raise UsageError("Which run to go on with is not said; name its folder with --out.")
    store = RunStore.open(out)
    check_same_study(store, _manifest(study, store.manifest.run, simulated=simulated))
    return store, done_attempts(store)


def _run_id(study: Study, *, simulated: bool) -> str:
    if not simulated:
        return random_id("run")
    contents = sorted(condition.digest for condition in study.conditions)
    return derived_id("run", study.seed, study.case.digest, study.provider, study.attempts, *contents)


def _plan(study: Study, run: str, providers: Sequence[Provider], *, simulated: bool) -> Iterator[PlannedAttempt]:
    for condition, provider in zip(study.conditions, providers, strict=True):
        for index in range(study.attempts):
            yield PlannedAttempt(
                id=_attempt_id(study, run, condition, index, simulated=simulated),
                condition=condition,
                index=index,
                seed=derived_seed(*_parts(study, condition, index)),
                provider=provider,
                simulated=simulated,
            )


def _parts(study: Study, condition: Condition, index: int) -> tuple[object, ...]:
    """What an attempt's seed depends on."""
    return study.seed, study.case.digest, study.answering, condition.digest, index


def _attempt_id(study: Study, run: str, condition: Condition, index: int, *, simulated: bool) -> str:
    parts = _parts(study, condition, index)
    return derived_id("attempt", *parts) if simulated else derived_id("attempt", run, *parts)


def _manifest(study: Study, run: str, *, simulated: bool) -> Manifest:
    planned = (
        AttemptEntry(id=_attempt_id(study, run, each, index, simulated=simulated), condition=each.name, index=index)
        for each in study.conditions
        for index in range(study.attempts)
    )
    return Manifest(
        run=run,
        case=study.case.name,
        case_digest=study.case.digest,
        conditions=tuple(condition.model_dump(mode="json") for condition in study.conditions),
        attempts_per_condition=study.attempts,
        provider=study.provider,
        seed=study.seed,
        package_version=VERSION,
        attempts=tuple(planned),
    )


def _environment(study: Study, provider: Provider, seconds: float) -> dict[str, object]:
    return {
        "package_version": VERSION,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "pydantic": version("pydantic"),
        "httpx": version("httpx"),
        "provider": provider.name,
        "model": provider.model,
        "attempts": study.attempts * len(study.conditions),
        "seconds": round(seconds, 3),
    }
