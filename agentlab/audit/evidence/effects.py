"""What a call does: from its tool's name, its arguments, and the shell line or program they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from agentlab.audit.evidence.code import deeds_in, names_in
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.names import artefacts
from agentlab.audit.evidence.programs import deeds_of
from agentlab.audit.evidence.values import Effect, EffectKind
from agentlab.messages import Arguments
from agentlab.strictjson import JSONValue

__all__ = ["code_of", "effect_of", "kind_of", "kind_of_line", "shell_line_of", "words_of"]

_WEIGHT: tuple[EffectKind, ...] = ("finish", "check", "send", "write", "run", "read", "unknown")
"""The weightiest first."""

_VERBS: dict[EffectKind, str] = {
    "read": "read navigate goto hover tail head get list search find look lookup view show fetch query browse"
    " retrieve describe"
    " inspect open cat"
    " load count glob grep ls scan visit page scroll status info peek extract parse recall select lookups"
    " calculate calculator compute convert translate summarize think classify compare preview history help weather"
    " wikipedia screenshot poll wait monitor watch download crawl scrape detect analyze analyse ask"
    " 读取 读文 查询 搜索 获取"
    " 查看 列出 打开 检索 计算",
    "write": "write create make add update edit set delete remove insert append save patch modify replace rename"
    " move copy put mkdir touch change cancel book reserve order schedule reschedule register assign enable disable"
    " apply commit install start stop restart close merge upload store record log mark reset exchange return revert"
    " undo purchase buy pay transfer refund issue grant revoke clear drop generate render draw transcribe export"
    " import build remember type fill click press drag checkout sign lock unlock"
    " 写入 写文 创建 保存 修改 更新 删除 添加"
    " 取消 预订 设置 追加",
    "run": "run execute exec shell bash terminal command python ipython interpreter code eval script sandbox"
    " powershell cmd console agent task delegate invoke call handoff spawn dispatch jupyter cell repl 执行 运行",
    "check": "test tests pytest check lint linter typecheck verify validate spec specs suite ci compile unittest"
    " 测试 检查"
    " 校验 验证",
    "send": "send post email mail message notify reply publish share invite push submit forward tweet dm deploy"
    " release broadcast respond comment announce 发送 发邮 发布 通知 邮件 分享",
    "finish": "finish done terminate exit final answer complete stop quit end attempt_completion 完成 结束",
}
_WORDS: dict[str, EffectKind] = {word: kind for kind, words in _VERBS.items() for word in words.split()}
_FINISHERS = words(
    "finish done final_answer finalanswer terminate exit quit end answer complete finalize attempt_completion"
    " task_complete complete_task task_done finish_task submit_answer submit_final_answer end_conversation"
    " final 完成 结束"
)
_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[\u4e00-\u9fff]{2}")
_SHELLS = words("bash shell sh terminal command cmd powershell console run exec execute zsh")
_CODERS = words("python ipython interpreter code jupyter cell repl javascript node notebook py script")
_SHELL_KEYS = ("command", "cmd", "commands", "bash", "shell", "shell_command", "bash_command", "line")
_CODE_KEYS = ("code", "source", "python", "script", "program", "code_str", "python_code", "snippet")
_EDITOR_VERBS: dict[str, EffectKind] = {
    "view": "read",
    "create": "write",
    "str_replace": "write",
    "insert": "write",
    "undo_edit": "write",
    "rename": "write",
    "delete": "write",
}
_AGENTS = words("agent assistant subagent worker")
_LOOKS = words("check verify validate")
_BUILT = words("build project app package image all solution code site frontend backend target workspace")
_CHECKED = words("test tests lint lints type types code build syntax style suite spec specs format compile ci")
_OPENINGS: dict[str, EffectKind] = {
    **dict.fromkeys(("INSERT", "UPDATE", "DELETE", "DROP", "ALTER", "TRUNCATE", "MERGE", "REPLACE"), "write"),
    **dict.fromkeys(("SELECT", "GET", "HEAD", "OPTIONS"), "read"),
    **dict.fromkeys(("POST", "PUT", "PATCH"), "send"),
}
"""What SQL and HTTP begin with."""
_STATES = words("status state info list history details progress log logs result results")
_NOUNS_TOO = words(
    "build order release commit transfer import export deploy test tests run task schedule record book message"
    " mail email"
    " code comment log command script python cell check notify type cmd console set history status info page type suite"
    " spec specs ci"
)
"""Verbs that name a thing where a state of it follows: `build_status`."""


@lru_cache(maxsize=4096)
def words_of(tool: str) -> tuple[str, ...]:
    """The words of a tool's name, in small letters: `mcp__mail__sendMessage` gives mcp, mail, send, message."""
    return tuple(match[0].lower() for match in _SPLIT.finditer(tool[:200]))


@lru_cache(maxsize=4096)
def _kind_of_name(tool: str) -> EffectKind:
    """What a tool's name says: its first verb decides, but a noun of state last makes it a look."""
    bare = tool.rsplit(".", 1)[-1].rsplit("__", 1)[-1]
    if bare.lower() in _FINISHERS:
        return "finish"
    words = words_of(bare) or words_of(tool)
    if words and words[-1] in _STATES and (words[0] in _NOUNS_TOO or _WORDS.get(words[0]) not in ("write", "send")):
        return "read"
    if len(words) > 1 and words[-1] in _AGENTS:
        return "run"
    if words[:2] in (("check", "in"), ("check", "out")):
        return "write"
    if len(words) > 1 and words[0] in _LOOKS and _CHECKED.isdisjoint(words[1:]):
        return "read"
    kinds = [(word, kind) for word in words if (kind := _WORDS.get(word) or _WORDS.get(word.removesuffix("s")))]
    if kinds and kinds[0][1] == "run" and any(kind == "check" for _, kind in kinds):
        return "check"
    if words[:1] == ("build",) and not _BUILT.isdisjoint((*words[1:], *(() if words[1:] else ("build",)))):
        return "check"
    verbs = [kind for word, kind in kinds if word not in _NOUNS_TOO and not (kind == "finish" and len(words) > 1)]
    if verbs and verbs[0] != "check":
        return verbs[0]
    return next((kind for _, kind in kinds if not (kind == "finish" and len(words) > 1)), "unknown")


def effect_of(tool: str, arguments: Arguments | None) -> Effect:
    """What a call does.

    Args:
        tool: the tool's name, in any style.
        arguments: the call's arguments; a text is taken for a shell line or a program where the tool runs one.
    """
    line = shell_line_of(tool, arguments)
    if line is not None:
        return _of_shell(line, arguments)
    code = code_of(tool, arguments)
    if code is not None:
        return _of_code(code, arguments)
    kind = _named_kind(tool, arguments)
    names = frozenset(artefacts(arguments)) if arguments else frozenset()
    written = names if kind in ("write", "send") else frozenset()
    return Effect(kind=kind, names=names, kinds=frozenset({kind}), written=written)


def kind_of(tool: str, arguments: Arguments | None) -> EffectKind:
    """The kind of `effect_of` alone, of a call that runs no shell line; `run` for every program."""
    return "run" if code_of(tool, arguments) is not None else _named_kind(tool, arguments)


def kind_of_line(line: str) -> EffectKind:
    """The kind of `effect_of` alone, of a call that runs a shell line."""
    return _weightiest({deed.kind for deed in deeds_of(line)} or {"read" if not line.strip() else "run"})


def _named_kind(tool: str, arguments: Arguments | None) -> EffectKind:
    kind = _kind_of_name(tool)
    if not isinstance(arguments, Mapping):
        return kind
    keys = ("sql", "statement", "query") if kind in ("run", "unknown") else ()
    for key in (*keys, "method", "http_method"):
        word = arguments.get(key) if key in arguments else None
        if isinstance(word, str) and (stated := _OPENINGS.get(word[:60].strip().split(" ", 1)[0].upper())):
            return stated
    verb = arguments.get("command") or arguments.get("action") or arguments.get("operation")
    return _by_verb(verb.strip().lower(), kind) if isinstance(verb, str) and len(verb) < 40 else kind


def _by_verb(verb: str, otherwise: EffectKind) -> EffectKind:
    if verb in _EDITOR_VERBS:
        return _EDITOR_VERBS[verb]
    if otherwise != "unknown":
        return otherwise
    return _kind_of_name(verb)


@lru_cache(maxsize=4096)
def _is_shell(tool: str) -> bool:
    words = words_of(tool)
    return not _SHELLS.isdisjoint(words) and _CODERS.isdisjoint(words)


def shell_line_of(tool: str, arguments: Arguments | None) -> str | None:
    """The shell line that a call runs; None where it runs none."""
    if not arguments:
        return None
    shelled = _is_shell(tool)
    if isinstance(arguments, str):
        return arguments if shelled else None
    for key in _SHELL_KEYS:
        if key not in arguments:
            continue
        line = _line(arguments[key])
        if line is not None and (shelled or (key != "line" and _looks_like_line(tool, line))):
            return line
    return None


def _line(value: JSONValue) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        words = [str(word) for word in value]
        # ["bash", "-lc", "..."] holds the line itself
        return words[2] if len(words) == 3 and words[1].startswith("-") and "c" in words[1] else " ".join(words)
    return None


def _looks_like_line(tool: str, line: str) -> bool:
    """An editor takes a `command` too, which is one of its own verbs."""
    return line.strip().lower() not in _EDITOR_VERBS and " " in line.strip() and "edit" not in tool.lower()


@lru_cache(maxsize=4096)
def _is_coder(tool: str) -> bool:
    return not _CODERS.isdisjoint(words_of(tool))


def code_of(tool: str, arguments: Arguments | None) -> str | None:
    """The program that a call runs; None where it runs none."""
    if not arguments:
        return None
    coded = _is_coder(tool)
    if isinstance(arguments, str):
        return arguments if coded else None
    code = next((value for key in _CODE_KEYS if key in arguments and isinstance(value := arguments[key], str)), None)
    if code is not None and (coded or _kind_of_name(tool) in ("run", "check", "unknown")):
        return code
    return None


def _of_shell(line: str, arguments: Arguments | None) -> Effect:
    deeds = deeds_of(line)
    kinds: set[EffectKind] = {deed.kind for deed in deeds} or {"read" if not line.strip() else "run"}
    names = {name for deed in deeds for name in deed.names}
    if isinstance(arguments, Mapping):
        names |= {name for key, value in arguments.items() if key not in _SHELL_KEYS for name in artefacts(value)}
    return Effect(
        kind=_weightiest(kinds),
        names=frozenset(names),
        kinds=frozenset(kinds),
        written=frozenset(name for deed in deeds for name in deed.written),
        programs=tuple(deed.program for deed in deeds if deed.program),
    )


def _of_code(code: str, arguments: Arguments | None) -> Effect:
    kinds, written = deeds_in(code)
    names = names_in(code)
    if isinstance(arguments, Mapping):
        names |= {name for key, value in arguments.items() if key not in _CODE_KEYS for name in artefacts(value)}
    all_kinds: frozenset[EffectKind] = kinds | {"run"}
    return Effect(kind=_weightiest(set(all_kinds)), names=names | written, kinds=all_kinds, written=written)


def _weightiest(kinds: set[EffectKind]) -> EffectKind:
    return next(kind for kind in _WEIGHT if kind in kinds)
