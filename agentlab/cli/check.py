"""`agentlab check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from agentlab.cli.checkdocument import CapabilityPart, CheckDocument, CheckPart, FaultPart
from agentlab.cli.console import PATH, example, print_json, print_table, print_text, progress_bar, say
from agentlab.cli.grouped import server_options
from agentlab.errors import ProviderError, UsageError
from agentlab.experiments.case import load_case
from agentlab.experiments.conditions import conditions_for
from agentlab.experiments.layertwo import check_attempt
from agentlab.experiments.study import Study, run_study
from agentlab.providers.capabilities import QUESTIONS, capabilities
from agentlab.providers.server import ModelServer, ServerOptions
from agentlab.providers.specs import open_provider
from agentlab.trace.events import CompletionEvent
from agentlab.trace.formatting import visible
from agentlab.trace.model import Trace
from agentlab.trace.quarantine_reader import MemoryTexts

__all__ = ["check_command"]

_EXAMPLE = example("agentlab check simulated --probe mcp-mentions")


@click.command("check", epilog=_EXAMPLE)
@click.argument("provider")
@click.option("--probe", default="", metavar="CASE", help="Run one attempt of this case, and check its trace.")
@click.option("--loop", default="react-v2", show_default=True, help="With --probe: the history policy.")
@click.option("--native", is_flag=True, help="With --probe: offer the tools for native calls.")
@click.option("--out", type=PATH, help="With --probe: keep the attempt in this new folder.")
@server_options
@click.option("--json", "as_json", is_flag=True, help="Print the document agentlab.check/1 and nothing else.")
@click.pass_context
def check_command(
    context: click.Context,
    provider: str,
    probe: str,
    loop: str,
    native: bool,
    out: Path | None,
    server: ServerOptions,
    as_json: bool,
) -> None:
    """Ask whether a PROVIDER can be used, what it can do, and what it ignores without a word.

    PROVIDER is written as for `agentlab study`, e.g. http://127.0.0.1:8090/v1#MODEL or openai:MODEL. About ten short
    requests are sent to a server. Exits with 1 where it does not answer, or where the attempt of
    --probe leaves a trace that does not hold together.
    """
    if out is not None and not probe:
        raise UsageError("--out keeps the attempt of --probe CASE, which is not given; add it.")
    found, fault = _asked(provider, server)
    checks = []
    if probe and fault is None:
        trace = _attempted(provider, probe, loop=loop, native=native, out=out, server=server)
        checks = [CheckPart(name=c.name, passed=c.passed, detail=c.problem or c.seen) for c in check_attempt(trace)]
    document = CheckDocument(provider=provider, fault=fault, capabilities=found, attempt=checks)
    if as_json:
        print_json(document)
    else:
        _print(document)
    if not document.passed:
        context.exit(1)


def _asked(spec: str, options: ServerOptions) -> tuple[list[CapabilityPart], FaultPart | None]:
    """What a server can do, as far as it answers; nothing of a provider without a server."""
    kind = spec.partition(":")[0].lower()
    if kind == "simulated":  # it needs a case, and there is nothing to ask
        return [], None
    provider = open_provider(spec, behaviour=None, options=options)
    found: list[CapabilityPart] = []
    if not isinstance(provider, ModelServer):
        return found, None
    try:
        with progress_bar("questions") as progress:
            for number, each in enumerate(capabilities(provider), start=1):
                found.append(CapabilityPart(name=each.name, verdict=each.verdict, detail=each.detail))
                progress(number, QUESTIONS)
    except ProviderError as error:
        return found, FaultPart(fault=error.fault, message=error.message, server_said=error.server_said)
    return found, None


def _attempted(spec: str, case: str, *, loop: str, native: bool, out: Path | None, server: ServerOptions) -> Trace:
    """The trace of one attempt, read back from what was written."""
    (condition,) = conditions_for(loop, tool_calling="native" if native else "text")
    study = Study(case=load_case(case), conditions=[condition], attempts=1, provider=spec, server=server)
    with TemporaryDirectory() as folder:
        result = run_study(study, out=out or Path(folder) / "run")
        trace = result.trace(result.attempts[0].attempt)
        kept = MemoryTexts(
            {name: text for name in _rejected(trace) if (text := trace.quarantine.get(name)) is not None}
        )
        return replace(trace, quarantine=kept)


def _rejected(trace: Trace) -> Iterator[str]:
    return (reply.digest for reply in trace.of(CompletionEvent) if not reply.accepted)


def _print(document: CheckDocument) -> None:
    for fault in filter(None, [document.fault]):
        say(f"agentlab: {fault.message}")
        if fault.server_said:
            say(f"The server's own words: {visible(fault.server_said)}")
    if document.capabilities:
        rows = [[each.name, each.verdict, each.detail] for each in document.capabilities]
        print_table(f"What {document.provider} can do", ["asked", "can", "seen"], rows)
    elif document.fault is None:
        print_text(f"{document.provider} answers without a server: there is nothing to ask of it.")
    if document.attempt:
        rows = [[each.name, "holds" if each.passed else "fails", each.detail] for each in document.attempt]
        print_table("The trace of one attempt", ["check", "", "seen"], rows)
