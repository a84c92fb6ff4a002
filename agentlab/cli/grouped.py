"""Options that several commands share or that make one value together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from agentlab.cli.console import PATH, check_new
from agentlab.errors import UsageError
from agentlab.experiments.bounds import Bounds
from agentlab.experiments.conditions import Condition, conditions_for, load_condition
from agentlab.experiments.formal import Requirement
from agentlab.providers.server import ServerOptions
from agentlab.providers.wire.pacing import Rate

__all__ = ["Formally", "condition_options", "formal_options", "server_options"]

_Command = Callable[..., None]
_OPTIONS = {"tool_calling": "native"}
"""Options that are called otherwise than the field of a condition they set."""

_DEFAULT_LOOPS = "react-v1,react-v2"
_LOOPS = f"History policies, separated by commas; one condition each. [default: {_DEFAULT_LOOPS}, without --condition]"
_CONDITIONS = (
    click.option("--loop", default="", help=_LOOPS),
    click.option("--condition", type=PATH, multiple=True, help="A TOML file describing a condition; may be repeated."),
    click.option("--language", type=click.Choice(["en", "zh"]), help="For conditions made by --loop. [default: en]"),
    click.option("--temperature", type=float, help="Sampling temperature, for conditions made by --loop."),
    click.option("--stop", multiple=True, help="A text that ends a reply, for those by --loop; may be repeated."),
    click.option("--native", is_flag=True, help="Native tool calls, for conditions made by --loop."),
    click.option("--require-execution", is_flag=True, help="Accept an answer only after what the case requires ran."),
)
_SERVER = (
    click.option("--stream", is_flag=True, help="Ask servers for replies piece by piece."),
    click.option("--requests-per-minute", type=float, help="Requests sent to a server in a minute at most."),
    click.option("--tokens-per-minute", type=float, help="Tokens read and written in a minute at most."),
)
_FORMAL = (
    click.option("--require", type=int, help="Attempts of each condition that must succeed; else exits with 1."),
    click.option("--most-tokens", type=int, help="With --require: tokens of one attempt. [default: the case's]"),
    click.option("--most-calls", type=int, help="With --require: executions of tools. [default: the case's]"),
    click.option("--most-steps", type=int, help="With --require: rounds of the loop. [default: the case's]"),
    click.option("--most-seconds", type=float, help="With --require: its wall clock. [default: the case's]"),
    click.option("--difference", type=float, help="With --require: a difference of rates to see. [default: 0.2]"),
    click.option("--junit", type=PATH, help="With --require: a new file for the verdicts, as JUnit XML."),
)


@dataclass(frozen=True, kw_only=True)
class Formally:
    """What a formal evaluation was asked for; nothing where `require` is None."""

    require: int | None
    bounds: Bounds
    difference: float | None
    junit: Path | None

    def requirement(self, case: Bounds, attempts: int) -> Requirement | None:
        """What is required of so many attempts, with the case's bounds where none are given.

        Raises:
            UsageError: for options that mean nothing without `--require`, and for more successes than attempts.
        """
        if self.require is None:
            given = self.bounds != Bounds() or self.difference is not None or self.junit is not None
            if given:
                raise UsageError("Bounds, --difference and --junit belong to --require K, which is not given; add it.")
            return None
        bounds = self.bounds.over(case)
        usual = Requirement(k=self.require, bounds=bounds)
        wanted = usual if self.difference is None else replace(usual, difference=self.difference)
        wanted.check(attempts)
        return wanted


def condition_options(command: _Command) -> _Command:
    """Adds the options that describe conditions; the command gets them as `conditions`."""

    @wraps(command)
    def grouped(
        *args: Any,
        loop: str,
        condition: tuple[Path, ...],
        language: str | None,
        temperature: float | None,
        stop: tuple[str, ...],
        native: bool,
        require_execution: bool,
        **rest: Any,
    ) -> None:
        given = {
            "language": language,
            "temperature": temperature,
            "stop": stop or None,
            "tool_calling": "native" if native else None,
            "require_execution": require_execution or None,
        }
        command(*args, conditions=_conditions(condition, loop, given), **rest)

    return _with(_CONDITIONS, grouped)


def server_options(command: _Command) -> _Command:
    """Adds the options that say how a server is asked; the command gets them as `server`."""

    @wraps(command)
    def grouped(
        *args: Any, stream: bool, requests_per_minute: float | None, tokens_per_minute: float | None, **rest: Any
    ) -> None:
        rate = Rate(requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute)
        command(*args, server=ServerOptions(stream=stream, rate=rate), **rest)

    return _with(_SERVER, grouped)


def formal_options(command: _Command) -> _Command:
    """Adds the options of a formal evaluation; the command gets them as `formally`."""

    @wraps(command)
    def grouped(
        *args: Any,
        require: int | None,
        most_tokens: int | None,
        most_calls: int | None,
        most_steps: int | None,
        most_seconds: float | None,
        difference: float | None,
        junit: Path | None,
        **rest: Any,
    ) -> None:
        if junit is not None:
            check_new(junit, "--junit")
        bounds = _bounds(tokens=most_tokens, calls=most_calls, steps=most_steps, seconds=most_seconds)
        formally = Formally(require=require, bounds=bounds, difference=difference, junit=junit)
        command(*args, formally=formally, **rest)

    return _with(_FORMAL, grouped)


def _with(options: tuple[Callable[[_Command], _Command], ...], command: _Command) -> _Command:
    for option in reversed(options):
        command = option(command)
    return command


def _bounds(**given: float | None) -> Bounds:
    for name, most in given.items():
        if most is not None and not 0 < most < float("inf") and not (name == "calls" and most == 0):
            raise UsageError(f"--most-{name} takes a number above 0; it is {most!r}.")
    return Bounds.model_validate(given)


def _conditions(paths: Sequence[Path], loops: str, given: Mapping[str, object]) -> list[Condition]:
    """The conditions of files, then those made from names of history policies."""
    fields = {name: value for name, value in given.items() if value is not None}
    if paths and not loops:
        if fields:
            option = _OPTIONS.get(min(fields), min(fields).replace("_", "-"))
            raise UsageError(
                f"--{option} is for conditions made by --loop, and there is none beside --condition; "
                f"write {min(fields)} into the file, or give --loop as well."
            )
        return [load_condition(path) for path in paths]
    return [*(load_condition(path) for path in paths), *conditions_for(loops or _DEFAULT_LOOPS, **fields)]
