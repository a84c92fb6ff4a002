"""Fences that a reply means to be run: in a shell's language, as code that calls tools, or as bare command blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agentlab.markers.calls import Toolset
from agentlab.markers.quotation import Fence
from agentlab.markers.scan import Mark

__all__ = ["FENCED", "command_in", "run_by_shell"]

FENCED = "```"
"""The `tag` of what a fence begins or ends."""


def command_in(text: str, fences: Mapping[int, Fence], tools: Toolset) -> dict[Fence, list[Mark]]:
    """The first fence that is a command, and the one that claims to be its output, each with its markers.

    Args:
        text: that holds them.
        fences: by the place of their opening bar.
        tools: that are registered.

    Returns:
        An empty mapping where no fence is a command. A fence without a language is one only where the reply ends in
        such blocks, one of them calls a registered tool that is no shell, and the writer speaks of its own doing and
        to nobody: an explanation of commands has words between them and says who is to type them.
    """
    found = list(fences.values())
    for place, fence in enumerate(found):
        output = _output(text, found[place : place + 2])
        begins = bool(output) and not text[: fence.start].strip()
        if tools.shell(fence.info) or (fence.info == _TOOL_CODE and (begins or _calls(text, fence, tools))):
            return {fence: [Mark("action", fence.start, fence.start, "line", tag=FENCED)], **output}
    if found and _are_commands(text, found, tools):
        first = found[0]
        return {first: [Mark("action", first.start, first.start, "line", tag=FENCED)]}
    return {}


def run_by_shell(text: str, fence: Fence, tools: Toolset) -> Fence:
    """The fence, said to be in a shell's language if it says none and calls no registered tool."""
    return fence if fence.info or _calls(text, fence, tools) else fence._replace(info=_SHELL)


def _output(text: str, pair: Sequence[Fence]) -> dict[Fence, list[Mark]]:
    """The second of two fences with its markers, where it stands directly below and is called an output."""
    if len(pair) < 2 or pair[1].info not in _OUTPUTS or text[pair[0].end : pair[1].start].strip():
        return {}
    output = pair[1]
    closing = Mark("end", output.body_end, output.end, "line", tag=FENCED, closing=True)
    return {output: [Mark("observation", output.start, output.body_start, "line", tag=FENCED), closing]}


def _are_commands(text: str, fences: Sequence[Fence], tools: Toolset) -> bool:
    edges = [*(fence.start for fence in fences[1:]), len(text)]
    if any(fence.info or not fence.closed for fence in fences):
        return False
    if any(text[fence.end : edge].strip() for fence, edge in zip(fences, edges, strict=True)):
        return False
    if not any(_calls(text, fence, tools) for fence in fences):
        return False
    if not _calls(text, fences[0], tools) and not tools.shell(_SHELL):
        return False
    said = text[: fences[0].start]
    if not said.strip():
        return True
    shows = said.rstrip(" \t\r\n*_").endswith((":", "："))  # what stands behind a colon may be any text
    return not shows and _ADDRESSED.search(said) is None and _OWN.search(said) is not None


def _calls(text: str, fence: Fence, tools: Toolset) -> bool:
    """Whether a fence begins with the name of a registered tool that is no shell, alone or as a command has it."""
    word = _WORD.match(text, fence.body_start, fence.body_end)
    name = tools.find(word["name"]) if word else None
    return name is not None and name != tools.shell(_SHELL)


_SHELL = "bash"
_TOOL_CODE = "tool_code"
_OUTPUTS = frozenset({"output", "outputs", "stdout", "result", "results", "tool_output", "tool_outputs", "observation"})
_WORD = re.compile(r"\s*+(?P<name>[^\s\[({]{1,64})(?:[ \t]*+(?=\n|\Z)|[ \t]*+(?=[^\n]*[-./\d'\"=_\[({]))")
_OWN = re.compile(r"(?<![\w'])(?:i|i'll|i'm|let me|let's|we|my)(?!\w)|我|让我|咱", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"(?<!\w)(?:you|your|users?|one can|try|type|enter|example|would|could|run (?:this|these|the following))(?!\w)"
    r"|[你您]|请|用户|例如|示例|输入以下",
    re.IGNORECASE,
)
