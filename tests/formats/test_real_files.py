"""Every file of the shared sample loads, or is refused or passed over for a reason that is written down here.

How many calls each holds is counted in the tests of its format.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentlab.audit.outputs.document import trace_part
from agentlab.audit.report import audit_trace
from agentlab.formats.finding import Survey, survey
from agentlab.trace.model import Trace
from agentlab.views.timeline import timeline_text

REFUSED = {
    "01_inspect_ai/long_log_131bytes.eval": "a Git LFS pointer stands in place of the content of 514557 bytes",
    "01_inspect_ai/no_samples.json": "the log has no samples (its status is 'cancelled')",
    "07_tau_bench/tau2_voice_49b22f0c-4a56-41c5-922f-bc2a56e53a23.json": "973 ticks hold neither",
}
"""What a format claims and what holds no trace, with the beginning or the heart of the reason."""

RECORDING = "this is a recording of HTTP requests in YAML"
OTHER = "no format claims this file; it holds JSON"
PASSED_OVER = {
    "01_inspect_ai/skeleton_empty.json": OTHER,
    "04_openai/agents_sdk_vcr/test_openai_agents_test_ls_agent_type_metadata.yaml": RECORDING,
    "04_openai/agents_sdk_vcr/test_openai_agents_test_ls_agent_type_metadata_for_handoffs.yaml": RECORDING,
    "04_openai/chat_vcr/test_multiple_agent_tool_calls.yaml": RECORDING,
    "04_openai/responses_vcr/test_openai_responses_model_mcp_server_tool.yaml": RECORDING,
    "04_openai/responses_vcr/test_openai_responses_thinking_with_code_execution_tool.yaml": RECORDING,
    "05_anthropic/messages_vcr/test_anthropic_code_execution_tool.yaml": RECORDING,
    "05_anthropic/messages_vcr/test_anthropic_mcp_servers.yaml": RECORDING,
    "05_anthropic/messages_vcr/test_anthropic_web_search_tool.yaml": RECORDING,
    "05_anthropic/messages_vcr/test_multiple_parallel_tool_calls.yaml": RECORDING,
    "08_openhands/event_stream_63b43159/metadata.json": OTHER,  # about a conversation whose events lie beside it
    "12_agentdojo_webarena_atif/mirage/webarena_808_tiny.json": OTHER,  # a row without its messages
    "14_other/openclaw/crux1-sample-telemetry.jsonl": OTHER,  # telemetry of a harness, no format of ours
    "INDEX.json": OTHER,  # the list of the sample itself
}
"""What no format claims: passed over in a folder, and refused where a person names it, for this reason."""


@pytest.fixture(scope="module")
def found(shared: Path) -> Survey:
    return survey([str(shared / "traces")])


@pytest.fixture(scope="module")
def traces(found: Survey) -> list[Trace]:
    return [each for each in found.load() if isinstance(each, Trace)]


def test_every_file_is_accounted_for(found: Survey, shared: Path) -> None:
    root = shared / "traces"
    claimed = {Path(each.source.path).relative_to(root).as_posix() for each in found.found}
    passed_over = {Path(path).relative_to(root).as_posix() for path in found.skipped}
    every = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    in_folder = {name for name in every if "/events/" in name}
    assert passed_over == set(PASSED_OVER)
    assert claimed - {"08_openhands/event_stream_63b43159/events"} | passed_over | in_folder | set(REFUSED) == every


def test_what_is_refused_is_refused_for_the_reason_in_the_table(found: Survey, shared: Path) -> None:
    errors = {
        Path(e.path).relative_to(shared / "traces").as_posix(): e for e in found.load() if not isinstance(e, Trace)
    }
    assert errors.keys() == REFUSED.keys()
    for name, reason in REFUSED.items():
        assert reason in errors[name].problem


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_no_format_claims_says_so_where_it_is_named(name: str, shared: Path) -> None:
    (error,) = survey([str(shared / "traces" / name)]).unreadable
    assert PASSED_OVER[name] in error.problem


def test_every_file_that_is_claimed_gives_a_trace_or_a_reason(found: Survey) -> None:
    for each in found.found:
        loaded = list(each.load())
        assert loaded, each.source.path


def test_every_trace_can_be_audited_and_shown(traces: list[Trace]) -> None:
    for trace in traces:
        report = audit_trace(trace)
        assert trace_part(report).format == trace.started.format
        assert timeline_text(report)


REPETITION = ("repeat-loop", "no-progress")
"""Rules that state what anybody can count."""
LOOKED_AT = {
    ("trail_gaia_0242ca2533fac5b8b604a9060b3e15d6.json", "phantom-call"),
    ("trail_gaia_0242ca2533fac5b8b604a9060b3e15d6.json", "unsupported-answer"),
    ("chat_messages_taubench_agentrx_misinterpretation_tool_output.json", "contradicted-claim"),
}
"""Failures that were read in the file and are right.

A program that prints what it would ask, an answer from memory, and 11 told where a tool returned 12, 10 of them free.
"""


def test_nobody_is_accused(traces: list[Trace]) -> None:
    """A failure in these files that nobody has looked at is taken for a false accusation."""
    accused = {
        (Path(trace.path).name, finding.rule)
        for trace in traces
        for finding in audit_trace(trace).findings
        if finding.severity == "failure" and finding.rule not in REPETITION
    }
    assert accused == LOOKED_AT
