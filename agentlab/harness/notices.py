"""What a harness tells a model about its own last reply: fixed wording, and values the harness made itself.

No notice quotes the reply it is about; that is the second door through which a forged result could come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentlab.trace.values import Language

__all__ = ["KEPT", "OMITTED", "NoticeWording", "tool_failure"]


@dataclass(frozen=True, kw_only=True)
class NoticeWording:
    """One notice in every language."""

    texts: Mapping[Language, str]
    """For the text protocol."""
    native_texts: Mapping[Language, str]
    """For native calls."""

    def render(self, language: Language, detail: str) -> str:
        """The notice, with one sentence of detail that the harness worded."""
        return f"{self.texts[language]} {detail}".rstrip()

    def render_native(self, language: Language, detail: str) -> str:
        """The same where the model has its tools natively."""
        return f"{self.native_texts[language]} {detail}".rstrip()


OMITTED = NoticeWording(
    texts={
        "en": (
            "protocol_error: your last reply broke the required format, and the harness has omitted its text. "
            "Reply again with one Thought and one Action. Never write an Observation: the harness writes it, "
            "after it has run your action."
        ),
        "zh": (
            "protocol_error：上一条回复不符合规定的格式，执行框架已省略其全部文本。"
            "请重新回复，只写一个 Thought 和一个 Action。不得书写 Observation：它只能由执行框架在运行动作之后写出。"
        ),
    },
    native_texts={
        "en": (
            "protocol_error: your last reply was not accepted, and the harness has omitted its text. Reply again. "
            "Never write the result of a tool: the harness gives it, after it has run your call."
        ),
        "zh": (
            "protocol_error：上一条回复未被接受，执行框架已省略其全部文本。请重新回复。"
            "不得书写工具的结果：它只能由执行框架在运行调用之后给出。"
        ),
    },
)
"""The rejected text is gone from the history, and the model is told so."""

KEPT = NoticeWording(
    texts={
        "en": (
            "protocol_error: your last reply broke the required format. "
            "Reply again with one Thought and one Action. Never write an Observation: the harness writes it, "
            "after it has run your action."
        ),
        "zh": (
            "protocol_error：上一条回复不符合规定的格式。"
            "请重新回复，只写一个 Thought 和一个 Action。不得书写 Observation：它只能由执行框架在运行动作之后写出。"
        ),
    },
    native_texts={
        "en": (
            "protocol_error: your last reply was not accepted. Reply again. "
            "Never write the result of a tool: the harness gives it, after it has run your call."
        ),
        "zh": (
            "protocol_error：上一条回复未被接受。请重新回复。不得书写工具的结果：它只能由执行框架在运行调用之后给出。"
        ),
    },
)
"""The rejected text still stands in the history; the wording is otherwise that of `OMITTED`."""


def tool_failure(language: Language, happened: str, next_step: str) -> str:
    """The body of an observation that reports a failed execution: what happened, and what to do next."""
    label = {"en": "error", "zh": "错误"}[language]
    return f"{label}: {happened}. {next_step}."
