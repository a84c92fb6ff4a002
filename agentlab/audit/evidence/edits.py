"""The program files that a call changes: what makes a check that ran before it tell of an earlier state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from agentlab.audit.evidence.code import deeds_in
from agentlab.audit.evidence.effects import code_of, kind_of, shell_line_of, words_of
from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.names import leaves
from agentlab.audit.evidence.programs import deed_of, real_argv
from agentlab.audit.evidence.shell import Command, split_line
from agentlab.messages import Arguments

__all__ = ["languages_read", "program_files", "takes_back", "touched_files"]

_LANGUAGES: Mapping[str, str] = {
    extension: language
    for language, extensions in {
        "python": "py pyi pyx",
        "web": "js jsx mjs cjs ts tsx mts cts vue svelte",
        "go": "go",
        "rust": "rs",
        "jvm": "java kt kts scala groovy clj",
        "native": "c h cc cpp cxx hh hpp hxx m mm zig swift cu",
        "dotnet": "cs fs vb",
        "ruby": "rb",
        "php": "php",
        "beam": "ex exs erl",
        "other": "hs ml lua r jl pl pm dart nim sh bash sql",
    }.items()
    for extension in extensions.split()
}
"""Of every extension of a program, the language whose runners read it."""
_RUNNERS: Mapping[str, str] = {
    program: language
    for language, programs in {
        "python": "pytest py.test tox nox nosetests unittest flake8 pylint mypy pyright ruff black isort bandit",
        "web": "jest vitest mocha ava karma jasmine eslint tsc npm pnpm yarn prettier stylelint deno",
        "go": "go gofmt golangci-lint staticcheck",
        "rust": "cargo rustc clippy",
        "jvm": "mvn mvnw gradle gradlew javac sbt",
        "dotnet": "dotnet",
        "ruby": "rspec rubocop rake",
        "php": "phpunit phpstan psalm pest",
        "beam": "mix",
    }.items()
    for program in programs.split()
}
_ASIDE = words(
    "tmp temp scratch sandbox cache .cache __pycache__ .pytest_cache .mypy_cache .ruff_cache node_modules dist out"
    " htmlcov coverage logs log backup backups bak .git .venv venv site-packages docs doc examples notebooks target"
)
"""Folders of which no check reads the files."""
_SCRATCH = re.compile(
    r"(?:^|[_\-.])(?:tmp|temp|scratch|debug|repro|reproduce|try|demo|backup|bak|old|orig|copy|probe|playground)"
    r"(?:[_\-.0-9]|$)",
    re.IGNORECASE,
)
_PATH_WORDS = words(
    "path paths file files filename filepath filenames uri notebook document target dest destination location 文件 路径"
)
"""Words of the names of arguments that hold a path."""
_PATCHED = re.compile(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)([^\s*][^\s]{0,300})", re.MULTILINE)
_LONGEST = 200_000
_REWRITING = words("sed perl tee patch dd truncate set-content out-file split")
"""Programs that change what stands in the files they are given."""
_EDITING = words(
    "edit editor write replace patch insert modify rewrite append overwrite multiedit undo refactor rename"
    " 写入 写文 修改 替换"
)
_MAKING = words("create update add make change save apply set put new delete remove 创建 更新 保存 删除")
_MADE = words("file files code source patch diff edit content contents line lines function text 文件 代码")
_MOVING = words("mv move ren cp copy rsync ln")
_BACK = words("checkout restore reset stash revert")


def touched_files(tool: str, arguments: Arguments | None) -> tuple[str, ...]:
    """The files whose content a call changes, as written: only what names a file counts, no text that is put in."""
    line = shell_line_of(tool, arguments)
    if line is not None:
        return tuple(path for command in split_line(line) for path in _of_command(command))
    code = code_of(tool, arguments)
    if code is not None:
        return tuple(sorted(deeds_in(code)[1]))
    if not arguments or not _edits(tool) or kind_of(tool, arguments) not in ("write", "unknown"):
        return ()
    return tuple(_of_arguments(arguments))


def program_files(paths: Sequence[str]) -> tuple[str, ...]:
    """Those of some files that a check of a program may read: sources, no scratch files, caches, documents or data."""
    return tuple(path for path in paths if _language(path) and not _is_aside(path))


def languages_read(programs: Sequence[str], paths: Sequence[str]) -> tuple[str, ...]:
    """Those of some program files that are in a language which some programs read; all where no language is known."""
    known = {_RUNNERS.get(program, "") for program in programs if program in _RUNNERS}
    return tuple(path for path in paths if not known or _language(path) in known)


def takes_back(tool: str, arguments: Arguments | None) -> bool:
    """Whether a call brings an earlier state back, so that a change before it may be none any more."""
    if "undo" in words_of(tool) or "revert" in words_of(tool):
        return True
    if isinstance(arguments, Mapping) and str(arguments.get("command", "")).startswith("undo"):
        return True
    line = shell_line_of(tool, arguments)
    if line is None or "git" not in line:
        return False
    return any(argv[:1] == ["git"] and not _BACK.isdisjoint(argv[1:3]) for argv in map(_argv, split_line(line)))


def _edits(tool: str) -> bool:
    """Whether a tool is called like one that puts text into files, not like one that sends or records them."""
    said = words_of(tool)
    return not _EDITING.isdisjoint(said) or (not _MAKING.isdisjoint(said) and not _MADE.isdisjoint(said))


def _argv(command: Command) -> list[str]:
    return real_argv(command.argv)


def _language(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return _LANGUAGES.get(name.rpartition(".")[2].lower(), "") if "." in name[1:] else ""


def _is_aside(path: str) -> bool:
    *folders, name = path.lower().split("/")
    stem = name.rpartition(".")[0]
    return not _ASIDE.isdisjoint(folders) or _SCRATCH.search(stem) is not None


def _of_command(command: Command) -> Iterator[str]:
    deed = deed_of(command)
    yield from (path for path in command.writes if not path.startswith("/dev/"))
    if deed.program in _MOVING:
        operands = [word for word in _argv(command)[1:] if not word.startswith("-")]
        ends = operands[-1:] if deed.program not in ("mv", "move", "ren") else operands
        # what a copy under another kind of name leaves behind is a backup
        yield from ends if program_files(operands[-1:]) or len(operands) > 2 else ()
    elif deed.program in _REWRITING and deed.kind == "write":
        yield from sorted(deed.written)


def _of_arguments(arguments: Arguments) -> Iterator[str]:
    if isinstance(arguments, str):
        yield from _PATCHED.findall(arguments[:_LONGEST])
        return
    for key, value in arguments.items():
        if not _PATH_WORDS.isdisjoint(words_of(key)):
            yield from (leaf.strip() for leaf in leaves(value) if isinstance(leaf, str) and len(leaf) < 300)
        elif isinstance(value, str):
            yield from _PATCHED.findall(value[:_LONGEST])
