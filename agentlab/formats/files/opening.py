"""Opening what somebody named, a local file or a url, and saying in one clause why that cannot be done."""

from __future__ import annotations

import errno
import os
import stat
from typing import Any, BinaryIO, Final, cast

from agentlab.errors import LoadError
from agentlab.formats.files.compressed import told
from agentlab.formats.files.paths import as_local, printable

__all__ = ["check_links", "not_opened", "open_local", "open_url"]


def open_local(path: str) -> BinaryIO:
    """A local file's bytes.

    Raises:
        LoadError: where it cannot be opened, or could block for ever.
    """
    try:
        if _is_device(path):  # a pipe could block for ever, and can be read once only
            raise LoadError(printable(path), "a file is expected, and this is a pipe or a device")
        return cast("BinaryIO", open(path, "rb", buffering=0))  # noqa: PTH123
    except (OSError, ValueError) as error:
        aim = "" if "\0" in path or not os.path.islink(path) else os.readlink(path)  # noqa: PTH114, PTH115
        where = f" at {printable(aim)!r}, to which it is a link" if aim else ""
        raise LoadError(printable(path), not_opened(error, where)) from error


def open_url(url: str) -> BinaryIO:
    """The bytes behind a url that fsspec understands.

    Raises:
        LoadError: where it cannot be opened.
    """
    import fsspec  # slow to import, and most files are local

    check_links(url)
    try:
        return cast("BinaryIO", _Held(fsspec.open(url, "rb")))
    except Exception as error:  # remote file systems raise what their client libraries raise
        raise LoadError(printable(url), not_opened(error)) from error


def check_links(url: str) -> None:
    """Refuse a chain of urls, such as `zip://a.json::file:///b.zip`, that leads to a local pipe or device.

    Raises:
        LoadError: where it does.
    """
    for link in url.split("::"):
        path = as_local(link)
        try:
            blocks = "://" not in path and _is_device(path)
        except (OSError, ValueError):  # whoever opens it is told
            continue
        if blocks:
            raise LoadError(printable(url), f"a file is expected at {printable(path)!r}, and it is a pipe or a device")


def _is_device(path: str) -> bool:
    kind = stat.S_IFMT(os.stat(path).st_mode)  # noqa: PTH116  a Path takes no name for this folder's
    return kind not in (stat.S_IFREG, stat.S_IFDIR)


class _Held:
    """An open file of fsspec with what it was opened from: an archive in a chained url is closed once nobody has it."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self._file = opened.open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def close(self) -> None:
        self._opened.close()


def not_opened(error: Exception, where: str = "") -> str:
    """Why a file, folder or url could not be opened, as a clause; `where` is added where nothing is there."""
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "it is a link that leads back to itself"
    problem = next(problem for kind, problem in _PROBLEMS.items() if isinstance(error, kind))
    return problem.format(told(error)) + (where if isinstance(error, FileNotFoundError) else "")


_PROBLEMS: Final[dict[type[Exception], str]] = {
    FileNotFoundError: "there is no such file",
    PermissionError: "there is no permission to read it",
    NotADirectoryError: "there is no such file",
    IsADirectoryError: "a file is expected, and this is a folder",
    ImportError: "this kind of url needs packages that are not installed; install them with pip ({})",
    Exception: "it cannot be opened ({})",
}
