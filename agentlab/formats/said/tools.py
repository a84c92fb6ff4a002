"""The tools that a model was told of, from any provider's way to describe one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentlab.formats.said.model import decoded
from agentlab.formats.shapes.fields import Object, mapping
from agentlab.messages import ToolDescription
from agentlab.strictjson import JSONValue

__all__ = ["described_tools"]

_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parameters_json_schema", "parametersJsonSchema")


def described_tools(values: Iterable[JSONValue]) -> tuple[ToolDescription, ...]:
    """Every tool once, by its name; what describes none is passed over.

    Args:
        values: descriptions, each perhaps JSON in a text, as its schema too, or several in one of Google's objects.
    """
    found: dict[str, ToolDescription] = {}
    for value in values:
        for tool in _each(decoded(value)):
            if (described := _described(tool)) is not None:
                found.setdefault(described.name, described)
    return tuple(found.values())


def _each(tool: JSONValue) -> Iterator[Object]:
    if isinstance(tool, dict):
        several = tool.get("function_declarations") or tool.get("functionDeclarations")
        yield from (each for each in several if isinstance(each, dict)) if isinstance(several, list) else (tool,)


def _described(tool: Object) -> ToolDescription | None:
    body = mapping(tool, "function") if isinstance(tool.get("function"), dict) else tool
    name = _first_text(body, "name", "tool.name")
    schema = next((found for key in _SCHEMAS if isinstance(found := decoded(body.get(key)), dict)), {})
    about = _first_text(body, "description", "tool.description")
    return ToolDescription(name=name, description=about, parameters=schema) if name else None


def _first_text(body: Object, *names: str) -> str:
    return next((found for name in names if isinstance(found := body.get(name), str)), "")
