"""JSON Schema of the span lists that a person can write by hand; `agentlab.formats.spans.loading` says it in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["KINDS", "SPANS_SCHEMA"]

KINDS = ("AGENT", "LLM", "TOOL")
"""What a span may be of."""
_TEXT: Mapping[str, Any] = {"type": "string"}
_TIME: Mapping[str, Any] = {"type": ["number", "string", "null"], "description": "seconds from any zero, or ISO 8601"}
_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}
_CALLS: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": _TEXT, "name": _TEXT, "arguments": {"type": ["object", "string"]}},
        "required": ["name"],
    },
}
SPANS_SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A list of spans",
    "type": "object",
    "required": ["spans"],
    "properties": {
        "page": {"type": "object", "properties": {"returned": _COUNT, "total": _COUNT}},
        "spans": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["span_id", "kind"],
                "properties": {
                    "trace_id": {**_TEXT, "description": "which attempt it belongs to"},
                    "span_id": {**_TEXT, "description": "unique within its trace"},
                    "parent_id": {"type": ["string", "null"], "description": "the span that it is part of"},
                    "kind": {"enum": [*KINDS]},
                    "name": {**_TEXT, "description": "of the agent or the tool"},
                    "start": _TIME,
                    "end": {**_TIME, "description": "as start; null where it never ended"},
                    "attributes": {
                        "type": "object",
                        "properties": {
                            "error": {"type": ["string", "object", "null"]},
                            "seq": {"type": "number", "description": "what came first at the same time"},
                            "session": _TEXT,
                            "input": {**_TEXT, "description": "of AGENT: its task"},
                            "output": {"description": "of AGENT and LLM a text, of TOOL any value"},
                            "tools": {"type": "array", "items": {"type": ["string", "object"]}},
                            "messages": {"type": "array", "items": {"type": "object"}},
                            "tool_calls": _CALLS,
                            "reasoning": _TEXT,
                            "model": _TEXT,
                            "finish_reason": _TEXT,
                            "input_tokens": _COUNT,
                            "output_tokens": _COUNT,
                            "cache_read_tokens": _COUNT,
                            "cache_write_tokens": _COUNT,
                            "request": {"type": "object"},
                            "arguments": {"type": ["object", "string"]},
                            "tool_call_id": {**_TEXT, "description": "of TOOL: the call that it is a run of"},
                        },
                    },
                },
            },
        },
    },
}
"""JSON Schema of such a file; what it does not name may stand anywhere and is kept."""
