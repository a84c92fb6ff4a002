"""Which sources a path stands for: a file, a folder's files, a pattern's, a url's, a zip archive's members."""

from __future__ import annotations

import fnmatch
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from agentlab.errors import LoadError
from agentlab.formats.files.opening import check_links, not_opened
from agentlab.formats.files.paths import as_local, is_url
from agentlab.formats.files.source import Source
from agentlab.trace.lost import belongs_to_run, lost_attempts

__all__ = ["Walked", "walk"]

Walked: TypeAlias = Source | LoadError
_PATTERN = frozenset("*?[")


def walk(path: str) -> Iterator[Walked]:
    """The files that a path stands for, sorted by name; what lies in hidden folders is passed over.

    Of a run's folder the journals are given, and an error for each attempt that its manifest names and that has none.
    A link to a folder is followed, unless that folder holds the path itself; each folder is read once. What is no file
    is given as well, so that whoever opens it is told.

    Args:
        path: a file, a folder, a pattern such as `logs/*.jsonl`, or a url of either that fsspec understands; a
            `file://` url is the local path that it names.
    """
    given, path = path, as_local(path)
    if not path:
        what = "this url names none" if given else "this name is empty"
        yield LoadError(given, f"the name of a file or folder was expected, and {what}")
    elif is_url(path):
        yield from _walk_url(path)
    elif os.path.isdir(path):  # noqa: PTH112  a Path raises where a name is too long
        yield from _walk_folder(path)
    elif not _PATTERN & {*path} or os.path.lexists(path):
        yield Source.at(path)
    else:
        yield from _walk_pattern(path)


# --- folders


def _walk_folder(folder: str) -> Iterator[Walked]:
    whole = Path(os.path.abspath(folder))  # noqa: PTH100  `resolve` raises where links lead in a circle
    if whole.name == "attempts":
        yield from _lost(whole.parent)
    for found in _below(folder):
        if isinstance(found, LoadError):
            yield found
            continue
        file = Path(found)
        if file.name == "manifest.json":
            yield from _lost(file.parent)
        if not belongs_to_run(file):
            yield Source.at(found)


def _lost(run: Path) -> Iterator[LoadError]:
    if os.path.isfile(run / "manifest.json"):  # noqa: PTH113  a Path raises where the folder is closed
        yield from lost_attempts(run)


def _below(folder: str) -> Iterator[str | LoadError]:
    """Whatever lies below a folder and is none, sorted; then what its links to folders lead to."""
    known: set[str] = set()  # real names of folders
    links: list[str] = [folder]
    root = os.path.realpath(folder)
    for link in links:  # grows
        real = os.path.realpath(link)
        if _holds(real, root):
            continue
        waiting = [(link, real, True)]
        while waiting:
            path, name, is_folder = waiting.pop()
            if not is_folder:
                yield path
            elif name not in known:
                known.add(name)
                try:
                    entries = [each for each in _entries(path) if not each.name.startswith(".")]
                except OSError as error:
                    yield _closed(path, error)
                    continue
                links += (each.path for each in entries if each.is_symlink() and _is_folder(each))
                waiting += (
                    (each.path, f"{name.rstrip(os.sep)}{os.sep}{each.name}", _is_folder(each))
                    for each in reversed(entries)
                    if not (each.is_symlink() and _is_folder(each))
                )


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # such as a link in a circle; whoever opens it is told
        return False


def _holds(folder: str, other: str) -> bool:
    """Whether a folder is above another; both are real names."""
    return folder != other and other.startswith(f"{folder.rstrip(os.sep)}{os.sep}")


def _closed(folder: str, error: OSError) -> LoadError:
    return LoadError(folder, f"the folder cannot be looked into: {not_opened(error)}")


# --- patterns


def _walk_pattern(pattern: str) -> Iterator[Walked]:
    parts = Path(pattern).parts
    begin = next(index for index, part in enumerate(parts) if _PATTERN & {*part})
    base = os.path.join(*parts[:begin]) if begin else os.curdir  # noqa: PTH118
    fitting = sorted(_fitting(base, parts[begin:]), key=str) if os.path.isdir(base) else []  # noqa: PTH112
    if not fitting:
        yield LoadError(pattern, "no file fits this pattern")
    for found in fitting:
        yield from [found] if isinstance(found, LoadError) else walk(found)


def _fitting(base: str, wanted: Sequence[str]) -> Iterator[str | LoadError]:
    """The files and folders below a folder that fit the parts of a pattern, where `**` is any number of folders.

    Of a folder that fits, what lies in it is not given beside it. A folder is looked into once for each state of the
    pattern, so links that lead in a circle come to an end; the standard library follows them as deep as the system
    does, and two of them double the work at each level.
    """
    root = os.path.realpath(base)
    waiting = deque([(base, root, _passed({0}, wanted))])
    known: set[tuple[str, frozenset[int]]] = set()
    if len(wanted) in waiting[0][2]:
        yield base
        return
    while waiting:
        path, real, places = waiting.pop()
        if (real, places) in known:
            continue
        known.add((real, places))
        try:
            entries = _entries(path)
        except OSError as error:
            yield _closed(path, error)
            continue
        for each in entries:
            after = _step(places, wanted, each.name)
            name = each.path.removeprefix(os.path.join(os.curdir, ""))  # noqa: PTH118
            if len(wanted) in after:
                yield name
            elif after and _is_folder(each) and each.is_symlink():
                aim = os.path.realpath(name)
                if not _holds(aim, root):
                    waiting.appendleft((name, aim, after))  # after what is no link
            elif after and _is_folder(each):
                waiting.append((name, os.path.join(real, each.name), after))  # noqa: PTH118


def _step(places: frozenset[int], wanted: Sequence[str], name: str) -> frozenset[int]:
    """Where in a pattern one is after a name, being at one of some places before it."""
    after = set()
    for place in places - {len(wanted)}:
        part = wanted[place]
        hidden = name.startswith(".") and not part.startswith(".")
        if not hidden and fnmatch.fnmatch(name, part):  # `**` fits every name, as `*` does
            after.add(place if part == "**" else place + 1)
    return _passed(after, wanted)


def _passed(places: set[int], wanted: Sequence[str]) -> frozenset[int]:
    """Some places in a pattern, and those behind each `**`, which may stand for no folder."""
    found = set(places)
    for place, part in enumerate(wanted):
        if place in found and part == "**":
            found.add(place + 1)
    return frozenset(found)


# --- urls


def _walk_url(url: str) -> Iterator[Walked]:
    import fsspec  # slow to import, and most files are local

    try:
        check_links(url)
        files, root = fsspec.core.url_to_fs(url)
        is_pattern = bool(_PATTERN & {*root}) and not files.isfile(root)
        found = _matched(files, root) if is_pattern else _inside(files, root) if files.isdir(root) else None
        first, chained, rest = url.partition("::")
        within = f"{chained}{rest}" if "://" in first else ""  # e.g. the archive behind `zip://*.json::s3://a/b.zip`
        names = [url] if found is None else [f"{files.unstrip_protocol(name)}{within}" for name in found]
    except LoadError as error:
        yield error
        return
    except Exception as error:
        yield LoadError(url, not_opened(error))
        return
    if is_pattern and not names:
        yield LoadError(url, "no file fits this pattern")
    for name in names:
        yield Source.at(name)


def _matched(files: Any, pattern: str) -> list[str]:
    """The files that a pattern fits, and those in the folders that it fits, each once; sorted."""
    start = next(index for index, char in enumerate(pattern) if char in _PATTERN)
    base = pattern[: pattern.rfind("/", 0, start) + 1]
    found: set[str] = set()
    for name, facts in files.glob(pattern, detail=True).items():
        if "/." in pattern or not _is_hidden(name, base):
            found.update(_inside(files, name) if _is_url_folder(facts) else [name])
    return sorted(found)


def _inside(files: Any, folder: str) -> list[str]:
    """The files below a folder, sorted; what lies in hidden folders is passed over, and so is a folder among them."""
    found = files.find(folder, detail=True)
    return sorted(name for name, facts in found.items() if not _is_url_folder(facts) and not _is_hidden(name, folder))


def _is_hidden(name: str, base: str) -> bool:
    return "/." in f"/{name.removeprefix(base)}"


def _is_url_folder(facts: Mapping[str, object]) -> bool:
    return facts.get("type") == "directory"
