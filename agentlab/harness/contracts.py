"""Tools with a contract: each argument is checked against the function's signature before anything runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from agentlab.errors import UsageError
from agentlab.messages import Arguments, ToolDescription
from agentlab.strictjson import JSONValue
from agentlab.trace.values import Language, RefusalCode

__all__ = ["Refusal", "Tool", "ToolBox", "ToolFunction"]

ToolFunction = Callable[..., Mapping[str, object]]
"""A tool acts and returns a JSON object, or raises `ToolError`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why a call is not run; worded by the harness from the contract, quoting nothing the model wrote."""

    code: RefusalCode
    texts: Mapping[Language, str]
    """The same sentences in each language."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A function a model may ask for."""

    name: str
    function: ToolFunction
    contract: type[BaseModel]
    description: ToolDescription

    @classmethod
    def of(cls, function: ToolFunction) -> Tool:
        """A tool from a typed function; its docstring's first line is what the model is told.

        Raises:
            UsageError: if a parameter has no type, is variadic, or the docstring is missing.
        """
        name = getattr(function, "__name__", repr(function))
        contract = create_model(name, __config__=ConfigDict(extra="forbid", strict=True), **_fields(function, name))
        doc = inspect.getdoc(function)
        if not doc:
            raise UsageError(f"The tool {name!r} has no docstring; its first line is what the model is told of it.")
        described = ToolDescription(name=name, description=doc.splitlines()[0], parameters=_schema(contract))
        return cls(name=name, function=function, contract=contract, description=described)

    def expectation(self) -> dict[Language, str]:
        """What the contract expects, in one sentence made of the contract alone."""
        properties: Any = self.description.parameters.get("properties", {})
        required: Any = self.description.parameters.get("required", [])
        words: dict[Language, list[str]] = {
            "en": [f"{k} ({_kind(v)}{', required' if k in required else ''})" for k, v in properties.items()],
            "zh": [f"{k}（{_kind(v)}{'，必填' if k in required else ''}）" for k, v in properties.items()],
        }
        return {
            "en": f"{self.name} takes a JSON object with {', '.join(words['en']) or 'no arguments'} and nothing else.",
            "zh": f"{self.name} 只接受一个 JSON 对象，参数为：{'、'.join(words['zh']) or '无'}。",
        }


class ToolBox:
    """The tools of one attempt, by name.

    Args:
        functions: typed, documented functions with distinct names.
    """

    def __init__(self, functions: Iterable[ToolFunction]) -> None:
        tools = [Tool.of(function) for function in functions]
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise UsageError(f"Two tools have the same name; the names are {sorted(tool.name for tool in tools)}.")
        self.names = tuple(self._tools)
        self.descriptions = tuple(tool.description for tool in tools)

    def __repr__(self) -> str:
        return f"<ToolBox {', '.join(self._tools)}>"

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def refusal(self, name: str, arguments: Arguments) -> Refusal | None:
        """Why this call may not run, or None where it may."""
        tool = self._tools.get(name)
        if tool is None:
            names = ", ".join(self._tools)
            texts: dict[Language, str] = {
                "en": f"There is no such tool. The tools are {names}.",
                "zh": f"没有这个工具。可用的工具：{names}。",
            }
            return Refusal(code="unknown_tool", texts=texts)
        if not isinstance(arguments, str):
            try:
                tool.contract.model_validate(arguments)
            except ValidationError as error:
                return _invalid(tool, _problem(error))
            return None
        return _invalid(tool, _NO_OBJECT)


_Problem = Mapping[Language, str]
_NO_OBJECT: _Problem = {"en": "The call has no JSON object.", "zh": "调用中没有 JSON 对象。"}


def _invalid(tool: Tool, problem: _Problem) -> Refusal:
    texts = {language: f"{sentence} {problem[language]}" for language, sentence in tool.expectation().items()}
    return Refusal(code="invalid_arguments", texts=texts)


def _fields(function: ToolFunction, name: str) -> dict[str, Any]:
    hints = get_type_hints(function)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name not in hints:
            raise UsageError(
                f"The parameter {parameter.name!r} of the tool {name!r} needs a name and a type of its own."
            )
        fields[parameter.name] = (
            hints[parameter.name],
            ... if parameter.default is parameter.empty else parameter.default,
        )
    return fields


def _schema(contract: type[BaseModel]) -> Mapping[str, JSONValue]:
    schema = contract.model_json_schema()
    schema.pop("title", None)
    for value in schema.get("properties", {}).values():
        value.pop("title", None)
    return schema


def _kind(schema: Mapping[str, Any]) -> str:
    options = schema.get("anyOf", [schema])
    return " or ".join(str(option.get("type", "any value")) for option in options if option.get("type") != "null")


def _problem(error: ValidationError) -> _Problem:
    """One sentence; an argument is named only where the contract knows it."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "extra_forbidden":
        return {"en": "The call has an argument that is not among these.", "zh": "调用中有不在其列的参数。"}
    argument = first["loc"][0]
    if first["type"] == "missing":
        return {"en": f"The argument {argument} is missing.", "zh": f"缺少参数 {argument}。"}
    return {"en": f"The argument {argument} is not of its type.", "zh": f"参数 {argument} 的类型不对。"}
