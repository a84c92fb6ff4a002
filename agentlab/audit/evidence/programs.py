"""What the programs of a shell line do, by their names and first words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentlab.audit.evidence.lexicon import words
from agentlab.audit.evidence.shell import Command, split_line
from agentlab.audit.evidence.values import EffectKind

__all__ = ["ANSWERS_NO", "Deed", "deed_of", "deeds_of", "prints_texts", "real_argv"]

ANSWERS_NO = words(
    "grep egrep fgrep rg ag ack zgrep diff cmp colordiff test [ [[ which type pgrep pidof lsof expr fuser"
)
"""Programs whose exit code 1 is an answer (no match, a difference, not there), not a failure."""

_READ = words(
    "cat head tail less more bat nl tac ls dir tree find fd locate grep egrep fgrep rg ag ack zgrep zcat wc"
    " stat file du"
    " df diff cmp sort uniq cut awk gawk jq yq column comm strings xxd od hexdump md5sum sha1sum sha256sum cksum which"
    " type whereis man help pwd whoami id date uname hostname env printenv ps top pgrep pidof lsof netstat ss free"
    " uptime history basename dirname realpath readlink seq test [ [[ expr sleep wait cd pushd popd echo printf true"
    " false : set export unset source . read exit for case tr rev fold paste join nproc lscpu dig nslookup ping host"
    " whois alias ulimit local declare tput clear ldd nm objdump otool rpm dpkg apt-cache get-content select-string"
    " get-childitem findstr tasklist where"
)
_WRITE = words(
    "rm rmdir mkdir touch mv cp ln chmod chown chgrp tee dd truncate patch install unzip tar zip gzip gunzip bzip2 xz"
    " 7z sed perl kill killall pkill mkfifo mount umount systemctl service apt apt-get yum dnf brew apk pacman snap"
    " useradd crontab pip pip3 npm pnpm yarn bun conda gem bundle rsync git-lfs split csplit set-content"
    " out-file new-item remove-item copy-item move-item del copy move ren md rd sqlite3 psql mysql"
)
_SEND = words("mail mailx sendmail mutt scp sftp ftp aws gsutil rclone telnet nc ncat twine")
_CHECK = words(
    "pytest py.test tox nox nosetests unittest jest vitest mocha ava tap karma jasmine cypress rspec minitest phpunit"
    " pest ctest bats busted lein-test ruff flake8 pylint mypy pyright pyre eslint tslint stylelint biome rubocop"
    " shellcheck hadolint yamllint markdownlint golangci-lint staticcheck tsc clippy phpstan psalm checkstyle"
    " make gmake ninja cmake mvn mvnw gradle gradlew bazel sbt meson msbuild xcodebuild javac gcc g++ clang clang++"
    " rustc ghc cc trivy bandit black isort prettier gofmt pre-commit"
)
_WRAPPERS = words(
    "sudo env time nohup nice timeout stdbuf xargs exec command builtin npx pnpx bunx uvx poetry uv pipenv hatch rye"
    " pdm bundle coverage watch xvfb-run doas setsid unbuffer"
)
_INTERPRETERS = words("python python3 python2 py pypy pypy3 node deno ruby php perl bash sh zsh dash ksh")
_CHECK_WORDS = words(
    "test tests check checks lint build vet verify validate audit typecheck type-check clippy compile tsc bench spec"
    " e2e format-check precommit pre-commit nextest"
)
_CHECK_OPTIONS = words("--check -check --check-only --verify-no-changes --list-different")
"""Options by which a program that would change something only looks whether it had to."""
_CHANGES = words(
    "install i ci add a remove rm uninstall un update up upgrade init new create get mod require link unlink"
    " dedupe prune pack clean cache config set sync lock import format fmt fix generate gen g destroy migrate download"
    " fetch restore reset workload dump-autoload create-project self-update yank db patch vendor tidy"
)
"""What the packagers change by words of their own; any other word may be a task of the project's, which may do all."""
_WITH_SUBCOMMANDS: dict[str, dict[str, EffectKind]] = {
    "git": {
        **dict.fromkeys(
            words("status log diff show blame grep ls-files branch-list rev-parse describe reflog shortlog cat-file"),
            "read",
        ),
        **dict.fromkeys(
            words(
                "add commit checkout switch restore reset merge rebase rm mv stash apply am cherry-pick revert"
                " clean init"
                " clone pull fetch tag branch worktree config submodule"
            ),
            "write",
        ),
        "push": "send",
        "send-email": "send",
    },
    "gh": {**dict.fromkeys(words("view list status diff checks search api"), "read"), "create": "send"},
    "docker": {
        **dict.fromkeys(words("ps images logs inspect"), "read"),
        "push": "send",
        "run": "run",
        "build": "check",
    },
    "kubectl": {**dict.fromkeys(words("get describe logs top explain"), "read"), "apply": "write", "delete": "write"},
    "helm": {**dict.fromkeys(words("list get status search show"), "read"), "lint": "check"},
    "terraform": {
        **dict.fromkeys(words("plan show output state providers graph version"), "read"),
        **dict.fromkeys(words("validate test"), "check"),
        **dict.fromkeys(words("apply destroy import init fmt taint untaint refresh workspace"), "write"),
    },
}
_SENDING = words("-X --request -d --data --data-raw --data-binary -F --form -T --upload-file --json")
_OUTPUTS = words("-o -O --output --output-document --out")
_PACKAGERS = words("npm pnpm yarn bun cargo go dotnet deno mix swift rails rake just uv poetry pdm composer")
_PATTERN_FIRST = words("sed perl grep egrep fgrep rg ag ack awk gawk jq yq tr")
_VALUED = words("-u -n -C -g -k -s -I -P --user")
"""Options of the wrapping programs that take a word."""
_SPACE = re.compile(r"\s")
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "&1", "&2")


@dataclass(frozen=True, kw_only=True, slots=True)
class Deed:
    """What one command of a shell line does."""

    kind: EffectKind
    names: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    program: str = ""


def deed_of(command: Command) -> Deed:
    """What a command does, and to which files and urls."""
    argv = real_argv(command.argv)
    program = _name(argv[0]) if argv else ""
    kind = _kind(program, argv[1:])
    written = {path for path in command.writes if path not in _SINKS and not path.startswith("/dev/")}
    operands = _operands(program, argv[1:])
    if kind == "write":
        written |= _targets(program, operands)
    elif program in {"curl", "wget"}:
        written |= set(_after(argv, _OUTPUTS))
    elif written and kind in {"read", "unknown"}:
        kind = "write"
    names = {*operands, *written, *command.reads}
    if kind == "read" and program in {"curl", "wget"} and written:
        kind = "write"
    return Deed(kind=kind, names=frozenset(names), written=frozenset(written), program=program)


@lru_cache(maxsize=512)
def deeds_of(line: str) -> tuple[Deed, ...]:
    """What the commands of a shell line do, in order."""
    return tuple(deed_of(command) for command in split_line(line))


def prints_texts(program: str) -> bool:
    """Whether a program shows what stands in files or in its own words, and asks nobody else."""
    return program in _READ or program in {"git", "sed", "perl"}


def real_argv(argv: Sequence[str]) -> list[str]:
    """The words of a command without what only wraps it: `sudo -u x`, `timeout 60`, `poetry run`, `npx`."""
    words = list(argv)
    while words and _name(words[0]) in _WRAPPERS:
        wrapper = _name(words[0])
        rest = words[1:]
        while rest and (rest[0].startswith("-") or "=" in rest[0] or rest[0].rstrip("smh").isdigit()):
            rest = rest[2 if rest[0] in _VALUED and wrapper != "time" else 1 :]
        if rest and rest[0] in {"run", "exec"}:
            rest = rest[1:]
        elif wrapper in {"poetry", "uv", "pipenv", "pdm", "hatch", "rye", "bundle"}:
            return words
        if not rest:
            return words
        words = rest
    return words


def _name(word: str) -> str:
    name = word.rsplit("/", 1)[-1].lower()
    return name.removesuffix(".exe").removesuffix(".cmd")


def _kind(program: str, rest: Sequence[str]) -> EffectKind:
    if program in _INTERPRETERS:
        return _interpreted(rest)
    if program in {"curl", "wget", "http", "https"}:
        return _web(rest)
    if not _CHECK_OPTIONS.isdisjoint(rest) and program not in _READ:
        return "check"
    words = [word for word in rest if not word.startswith("-")]
    if program in _WITH_SUBCOMMANDS:
        known = _WITH_SUBCOMMANDS[program]
        return next((known[word] for word in words[:2] if word in known), "run")
    if program in _PACKAGERS:
        return _package(words)
    if program == "sed" or program == "perl":
        return "write" if any(word.startswith("-i") or word == "--in-place" for word in rest) else "read"
    if program == "find":
        return "write" if "-delete" in rest or "rm" in rest else "read"
    if program == "make" or program == "gmake":
        return "write" if set(words) & {"clean", "install"} else "check"
    return _plain_kind(program, rest)


def _plain_kind(program: str, rest: Sequence[str]) -> EffectKind:
    if program in _CHECK or _is_check_script(program):
        return "check"
    if program in _SEND:
        return "send"
    if program in _WRITE:
        return "read" if rest[:1] in (["list"], ["show"], ["status"], ["freeze"]) or "-t" in rest[:1] else "write"
    return "read" if program in _READ else "run"


def _interpreted(rest: Sequence[str]) -> EffectKind:
    """Of `python`, `node` and the like: what is run decides."""
    for position, word in enumerate(rest):
        if word == "-m":
            module = rest[position + 1 : position + 2]
            name = module[0].split(".")[0] if module else ""
            return "check" if name in _CHECK or name in {"compileall", "py_compile", "doctest"} else _module(name)
        if word in {"--version", "-V", "--help"}:
            return "read"
        if word == "--test":
            return "check"
        if not word.startswith("-"):
            return "check" if _is_check_script(_name(word)) else "run"
    return "run"


def _module(name: str) -> EffectKind:
    return "write" if name in {"pip", "venv", "ensurepip", "zipfile", "tarfile"} else "run"


def _is_check_script(name: str) -> bool:
    stem = name.split(".")[0].replace("_", "-")
    parts = stem.split("-")
    return (
        len(parts) > 0
        and ("." in name or len(parts) > 1)
        and not {"test", "tests", "check", "lint", "spec"}.isdisjoint(parts)
    )


def _web(rest: Sequence[str]) -> EffectKind:
    for position, word in enumerate(rest):
        if word in {"-X", "--request"}:
            method = rest[position + 1 : position + 2]
            return "read" if method and method[0].upper() in {"GET", "HEAD", "OPTIONS"} else "send"
        if word in _SENDING or word.startswith(("-d", "--data", "--post-data", "--form")):
            return "send"
    return "read"


def _package(words: Sequence[str]) -> EffectKind:
    """Of package managers and build tools with a word of their own for each task."""
    first = [word.split(":")[0] for word in words[:2]]
    changes = bool(first) and not _CHANGES.isdisjoint((words[0], *first[first[0] in {"mod", "work"} :][:1]))
    if not changes and not _CHECK_WORDS.isdisjoint(first) and "fix" not in words:
        return "check"
    if first and first[0] == "pip":
        return _plain_kind("pip", words[1:])
    if first and first[0] in {"publish", "push", "deploy"}:
        return "send"
    if first and first[0] in {"ls", "list", "info", "view", "show", "outdated", "why", "version", "env", "doc", "tree"}:
        return "read"
    return "write" if changes or "fix" in words else "run"


def _targets(program: str, operands: Sequence[str]) -> set[str]:
    """The files that a writing program writes: the last one of a copy, all of the others'."""
    if program in {"cp", "ln", "rsync", "install", "scp"}:
        return set(operands[-1:])
    return set(operands)


def _after(argv: Sequence[str], options: frozenset[str]) -> Iterator[str]:
    for position, word in enumerate(argv[:-1]):
        if word in options and not argv[position + 1].startswith("-"):
            yield argv[position + 1]


def _operands(program: str, rest: Sequence[str]) -> list[str]:
    """The words that may name what a program acts on: no options, no pattern, no subcommand."""
    words = [word for word in rest if len(word) > 1 and not word.startswith("-") and not _SPACE.search(word)]
    scripted = program in _PATTERN_FIRST and "-e" not in rest and "-f" not in rest
    return words[1:] if scripted or program in _WITH_SUBCOMMANDS or program in _PACKAGERS else words
