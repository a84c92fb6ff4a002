"""The system prompts of the ReAct agent. A prompt moves a probability; the harness sets the boundary.

`chat-v3` and `chat-v2` are the same but for one rule: only chat-v3 forbids the model to write an Observation.
`native-v1` is for models that have the tools natively, and says nothing of a form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agentlab.messages import ToolDescription
from agentlab.registry import Registry
from agentlab.strictjson import dumps
from agentlab.trace.values import Language

__all__ = ["CHAT_V2", "CHAT_V3", "NATIVE_V1", "PROMPTS", "PromptVersion"]


@dataclass(frozen=True, kw_only=True)
class PromptVersion:
    """A wording of the system prompt."""

    name: str
    forbids_observation: bool
    """Whether it holds the rule that the model must never write an Observation."""
    protocol: Literal["text", "native"] = "text"
    """The tool protocol that it is written for."""

    def render(self, language: Language, tools: Sequence[ToolDescription]) -> str:
        """The system prompt for these tools."""
        if self.protocol == "native":
            return _NATIVE[language]
        wording = _WORDING[language]
        rules = (*wording.rules, *([wording.prohibition] if self.forbids_observation else []))
        return "\n".join(
            (
                wording.opening,
                "",
                wording.tools,
                *(f"- {tool.name}[{_arguments(tool)}]: {tool.description}" for tool in tools),
                "",
                wording.form,
                "",
                wording.rule_heading,
                *(f"- {rule}" for rule in rules),
                "",
                wording.example,
            )
        )

    def question(self, language: Language, task: str) -> str:
        """The user's message, labelled as in the example of a session."""
        return task if self.protocol == "native" else f"{_WORDING[language].question}{task}"


@dataclass(frozen=True, kw_only=True)
class _Wording:
    opening: str
    question: str
    tools: str
    form: str
    rule_heading: str
    rules: tuple[str, ...]
    prohibition: str
    example: str


_WORDING: Mapping[Language, _Wording] = {
    "en": _Wording(
        opening="You answer questions about a small library of documents by using tools.",
        question="Question: ",
        tools="Tools:",
        form=(
            "Reply in exactly this form, with one Thought and one Action in each reply:\n"
            "Thought: what you need to do next\n"
            'Action: tool_name[{"argument": "value"}]'
        ),
        rule_heading="Rules:",
        rules=(
            "Stop after your Action. The system then runs the tool and shows you what it returned.",
            "When you have what you need, reply with Action: Finish[your answer].",
            "Let your answer rest on what the tools returned.",
        ),
        prohibition="Never write an Observation yourself: only the system writes it, after it has run your Action.",
        example=(
            "Here is an example of a complete session.\n"
            "User: Question: How many times does the library mention tape drives?\n"
            "Assistant:\n"
            "Thought: I need to count the term tape drive in the library.\n"
            'Action: scan_term[{"term": "tape drive"}]\n'
            "System:\n"
            'Observation: {"tool": "scan_term", "term": "tape drive", "count": 7}\n'
            "Assistant:\n"
            "Thought: The Observation says that the count is 7.\n"
            "Action: Finish[The library mentions tape drives 7 times.]"
        ),
    ),
    "zh": _Wording(
        opening="你借助工具回答关于一个小型文档库的问题。",
        question="问题：",
        tools="工具：",
        form=(
            "每次回复严格采用以下格式，只含一个 Thought 和一个 Action：\n"
            "Thought: 接下来要做什么\n"
            'Action: 工具名[{"参数": "值"}]'
        ),
        rule_heading="规则：",
        rules=(
            "写完 Action 就停下。系统随后运行工具，并把返回的结果给你看。",
            "信息足够时，回复 Action: Finish[你的回答]。",
            "回答要以工具返回的结果为依据。",
        ),
        prohibition="不得自己书写 Observation：它只能由系统在运行 Action 之后写出。",
        example=(
            "下面是一段完整的会话示例。\n"
            "用户：问题：文档库中磁带机出现了几次？\n"
            "助手：\n"
            "Thought: 需要统计“磁带机”在文档库中的出现次数。\n"
            'Action: scan_term[{"term": "磁带机"}]\n'
            "系统：\n"
            'Observation: {"tool": "scan_term", "term": "磁带机", "count": 7}\n'
            "助手：\n"
            "Thought: Observation 给出的次数是 7。\n"
            "Action: Finish[文档库中磁带机出现了 7 次。]"
        ),
    ),
}

_NATIVE: Mapping[Language, str] = {
    "en": (
        "You answer questions about a small library of documents by using tools. Call a tool whenever you need to know "
        "what the library holds; the system runs it and gives you its result. When you have what you need, answer in "
        "plain words. Let your answer rest on what the tools returned, and never write the result of a tool yourself."
    ),
    "zh": (
        "你借助工具回答关于一个小型文档库的问题。需要了解文档库的内容时就调用工具；系统会运行它并给出结果。"
        "信息足够时，用文字直接回答。回答要以工具返回的结果为依据，不得自己书写工具的结果。"
    ),
}

CHAT_V2 = PromptVersion(name="chat-v2", forbids_observation=False)
CHAT_V3 = PromptVersion(name="chat-v3", forbids_observation=True)
NATIVE_V1 = PromptVersion(name="native-v1", forbids_observation=True, protocol="native")

PROMPTS: Registry[PromptVersion] = Registry(
    kind="prompt version",
    builtin={
        "chat-v2": f"{__name__}:CHAT_V2",
        "chat-v3": f"{__name__}:CHAT_V3",
        "native-v1": f"{__name__}:NATIVE_V1",
    },
)
"""The prompt versions by name."""


def _arguments(tool: ToolDescription) -> str:
    properties = tool.parameters.get("properties", {})
    names = list(properties) if isinstance(properties, Mapping) else []
    return dumps(dict.fromkeys(names, "...")) if names else "{}"
