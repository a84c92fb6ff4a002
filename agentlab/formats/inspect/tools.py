"""The tools that an Inspect log describes."""

from __future__ import annotations

from collections.abc import Sequence

from agentlab.formats.inspect.messages import Attachments
from agentlab.formats.shapes.fields import Object, mapping, text
from agentlab.messages import ToolDescription

__all__ = ["described_tools"]


def described_tools(tools: Sequence[Object], attachments: Attachments) -> list[ToolDescription]:
    """The tools of a model event, long texts looked up."""
    return [
        ToolDescription(
            name=text(tool, "name"),
            description=attachments.text(text(tool, "description")),
            parameters=attachments.object(mapping(tool, "parameters")),
        )
        for tool in tools
        if text(tool, "name")
    ]
