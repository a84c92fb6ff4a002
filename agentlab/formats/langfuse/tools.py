"""Where the frameworks in a Langfuse trace write down the tools that the model was told of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentlab.formats.langfuse.observation import Observation
from agentlab.formats.said.model import decoded
from agentlab.formats.said.tools import described_tools
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue

__all__ = ["tools_of"]


def tools_of(observations: Mapping[str, Observation]) -> tuple[ToolDescription, ...]:
    """Every tool once, by its name."""
    return described_tools(tool for each in observations.values() for tools in _places(each) for tool in _listed(tools))


def _places(each: Observation) -> Iterator[JSONValue]:
    for name in ("gen_ai.tool.definitions", "ai.prompt.tools", "llm.tools"):
        yield each.attributes.get(name)
    yield each.metadata.get("tools")
    if not each.calls_model:
        return
    for value in (each.given, each.returned):
        if isinstance(value, dict):
            yield value.get("tools")
            config = value.get("config")
            yield config.get("tools") if isinstance(config, dict) else None
    request = decoded(each.attributes.get("model_request_parameters"))
    if isinstance(request, dict):
        yield request.get("function_tools")
        yield request.get("output_tools")


def _listed(value: JSONValue) -> list[JSONValue]:
    opened = decoded(value)
    return opened if isinstance(opened, list) else []
