from __future__ import annotations

import pytest

from agentlab.formats.mini_swe_agent.text import fenced_commands, is_bare_run, shown_output

FENCE = "```"


def test_commands_are_what_stands_in_closed_blocks() -> None:
    assert fenced_commands(f"I look.\n\n{FENCE}bash\nls -a\n{FENCE}") == ["ls -a"]
    assert fenced_commands(f"{FENCE}mswea_bash_command \nls\npwd\n{FENCE} and {FENCE}bash\nid\n{FENCE}") == [
        "ls\npwd",
        "id",
    ]
    assert fenced_commands(f"{FENCE}python\nls\n{FENCE}") == []
    assert fenced_commands(f"{FENCE}bash\nls") == []
    assert fenced_commands(f"{FENCE}bash\n{FENCE}") == []


@pytest.mark.timeout(60)
def test_blocks_without_an_end_cost_their_length_only() -> None:
    assert fenced_commands(f"{FENCE}bash\n" * 300_000) == [f"{FENCE}bash"] * 100_000
    assert fenced_commands(f"{FENCE}bash" + " " * 2_000_000) == []


def test_output_is_what_stands_between_the_tags() -> None:
    assert shown_output("\n<output>\na\nb\n</output>") == "a\nb"
    assert shown_output("\nplain") == "plain"


def test_a_bare_run_is_a_command_and_its_return_code() -> None:
    reply = {"role": "assistant", "content": f"I look.\n{FENCE}bash\nls\n{FENCE}"}
    answer = {"role": "user", "content": "<returncode>0</returncode>\n<output>\nx\n</output>"}
    assert is_bare_run([{"role": "system", "content": "s"}, reply, answer])
    assert not is_bare_run([reply, {"role": "user", "content": "Thanks for the command."}])
    assert not is_bare_run([{"role": "assistant", "content": "I look."}, answer])
    assert not is_bare_run([answer, reply])
    assert not is_bare_run([1, None, {"role": "assistant", "content": 4}, answer])
