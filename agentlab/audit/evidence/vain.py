"""Failures that change nothing: what was to be brought about is so already."""

from __future__ import annotations

import re

from agentlab.audit.arguments import written
from agentlab.messages import Arguments

__all__ = ["is_so_already"]

_HEAD = 400
_IS_SO = re.compile(
    r"\balready\b(?! (?:been )?(?:taken|occupied|shipped|sold|used|in use|expired|booked|reserved)\b)"
    r"(?![^\n]{0,60}\b(?:cannot|can't|could not|unable)\b)|(?<!not )(?<!n't )\bexists\b"
    r"|\bnothing to (?:commit|do|change|update|push)\b|\bno changes\b"
    r"|\bup[- ]to[- ]date\b|已经|已存在|无需|没有(?:变化|改动)",
    re.IGNORECASE,
)
_IS_GONE = re.compile(
    r"\bno such\b|\bnot (?:found|running|loaded|installed|mounted|exist|active)\b|n[o']t exist\b"
    r"|\bno (?:process|session)\b|不存在|未运行|未找到|找不到|没有找到",
    re.IGNORECASE,
)
_TAKES_AWAY = re.compile(
    r"(?:^|[^a-z])(?:rm|rmdir|unlink|del|delete|remove|drop|kill|pkill|killall|stop|uninstall|clear|clean|purge|close|umount"
    r"|unmount|logout|branch -d)(?:[^a-z]|$)|删除|移除|停止|清理|卸载",
    re.IGNORECASE,
)


def is_so_already(text: str, tool: str, arguments: Arguments | None) -> bool:
    """Whether an error says that there is nothing to do: the folder exists, what is to be removed is not there.

    Args:
        text: of the error.
        tool: that failed.
        arguments: that were passed to it.
    """
    said = text[:_HEAD]
    if _IS_SO.search(said):
        return True
    return bool(_IS_GONE.search(said) and _TAKES_AWAY.search(f"{tool} {written(arguments)[:_HEAD]}"))
