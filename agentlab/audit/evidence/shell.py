"""A shell line taken apart: its commands, how they are joined, and whose exit code the line returns.

Only the POSIX grammar that people write in one line is read: quotes, escapes, pipes, lists, redirections, here
documents, comments, command substitution. What stands inside a substitution is part of the word that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agentlab.audit.evidence.lexicon import words

__all__ = ["Command", "exit_owners", "split_line"]

_LONGEST = 20_000
"""Code points that are read; what a longer line holds besides is nearly always a here document."""

_TOKEN = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\r?\n)+)"
    r"|(?P<comment>(?<![^\s;&|()])#[^\n]*)"
    r"|(?P<here><<-?[ \t]*(?P<quote>['\"]?)(?P<tag>\w+)(?P=quote))"
    r"|(?P<redirect>(?:&|[0-9]{1,2})?(?:>>|>\||>&|>|<<<|<)(?:[ \t]*(?:[0-9](?![\w.])|-(?=\s|$)))?)"
    r"|(?P<join>\|\||&&|;;|\|&|[|;&\n()])"
    r"|(?P<word>(?:[^\s\\'\"`$|&;()<>]|\\[\s\S]|'[^']*'?|\"(?:[^\"\\]|\\[\s\S])*\"?|`[^`]*`?"
    r"|\$\((?:[^()'\"]|'[^']*'?|\"[^\"]*\"?|\([^()]*\))*\)?|\$)+)",
)
_QUOTES = re.compile(r"'([^']*)'?|\"((?:[^\"\\]|\\[\s\S])*)\"?|\\([\s\S])|([^'\"\\]+)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_KEYWORDS = words("then do else elif if while until { } ! time")
_CLOSING = words("fi done esac")


@dataclass(slots=True)
class Command:
    """One simple command of a shell line."""

    argv: list[str] = field(default_factory=list)
    """Words without quotes; assignments before the program are left out."""
    joined: str = ""
    """What stands before it: `|`, `&&`, `||`, `;`, `&`, or nothing."""
    writes: list[str] = field(default_factory=list)
    """Files its output goes to."""
    reads: list[str] = field(default_factory=list)
    body: str = ""
    """The here document it is given."""

    @property
    def program(self) -> str:
        """The program's name without its folder; empty where the command is an assignment."""
        return self.argv[0].rsplit("/", 1)[-1] if self.argv else ""


@lru_cache(maxsize=512)
def split_line(line: str) -> tuple[Command, ...]:
    """The commands of a shell line in order, those of its pipes and lists alike. Anything is read; nothing is run."""
    reader = _Reader(line[:_LONGEST])
    reader.read()
    return tuple(command for command in reader.commands if command.argv or command.writes)


def exit_owners(commands: Sequence[Command], code: int) -> tuple[Command, ...]:
    """The commands an exit code may tell of.

    The last of a pipe speaks for the pipe, unless `pipefail` is set. A line returns the code of its last command: with
    `&&` before it, success is that of the whole chain and failure that of any one of it; after `|| true` none speaks.
    """
    strict = any(command.program == "set" and "pipefail" in command.argv for command in commands)
    chain: list[Command] = []
    for command in commands:
        if command.joined in {"", ";", "&", "\n"}:
            chain = [command]
        elif command.joined == "|" and not strict:
            chain[-1:] = [command]
        elif command.joined == "||":
            # On success either side may be the one that succeeded.
            chain = [*chain, command] if code or command.program not in {"true", ":", "echo", "exit"} else [command]
        else:
            chain.append(command)
    return tuple(chain)


class _Reader:
    """Reads one line from left to right."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.commands: list[Command] = [Command()]
        self._target: list[str] | None = None
        """Where the next word goes, if it is a redirection's."""
        self._here: list[tuple[str, Command]] = []

    def read(self) -> None:
        """Take the whole line apart."""
        at, end = 0, len(self.line)
        while at < end:
            match = _TOKEN.match(self.line, at)
            if match is None:  # cannot happen but for a lone backslash at the end
                at += 1
                continue
            at = match.end()
            kind = match.lastgroup
            if match["word"] is not None:
                self._word(match[0])
            elif match["here"] is not None:
                self._here.append((match["tag"], self.commands[-1]))
            elif match["redirect"] is not None:
                self._redirect(match[0])
            elif kind == "join":
                at = self._join(match[0], at)

    def _word(self, written: str) -> None:
        word = _plain(written)
        if self._target is not None:
            self._target.append(word)
            self._target = None
            return
        argv = self.commands[-1].argv
        if argv or not (written in _KEYWORDS or written in _CLOSING or _ASSIGNMENT.match(written)):
            argv.append(word)

    def _redirect(self, sign: str) -> None:
        bare = sign.rstrip()
        if bare[-1] in "-0123456789" or bare.endswith("<<<"):
            return  # to another descriptor, or a word as input
        command = self.commands[-1]
        self._target = command.reads if bare.endswith("<") else command.writes

    def _join(self, sign: str, at: int) -> int:
        if sign == "\n" and self._here:
            at = self._documents(at)
        self._target = None
        joined = {"|&": "|", "\n": ";", ";;": ";", "(": "", ")": ";"}.get(sign, sign)
        last = self.commands[-1]
        if last.argv or last.writes:
            self.commands.append(Command(joined=joined or ";"))
        elif sign not in "()\n":
            last.joined = joined
        return at

    def _documents(self, at: int) -> int:
        """Pass over the here documents that begin on this line."""
        for tag, command in self._here:
            closing = re.compile(rf"^[ \t]*{tag}[ \t]*$", re.MULTILINE).search(self.line, at)
            command.body = self.line[at : closing.start() if closing else len(self.line)]
            at = closing.end() if closing else len(self.line)
        self._here.clear()
        return at


def _plain(word: str) -> str:
    if not any(sign in word for sign in "'\"\\"):
        return word
    return "".join(
        match[1] or (match[2] or "").replace('\\"', '"') or match[3] or match[4] or ""
        for match in _QUOTES.finditer(word)
    )
