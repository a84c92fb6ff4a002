"""What all tests share: no network beyond this machine, no skip where everything must be there, the shared folder."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import settings

from tests.loopback import closed_port, serve

__all__ = ["closed_port", "serve"]  # fixtures for all tests

ROOT = Path(__file__).parents[1]

NO_SKIP = os.environ.get("AGENTLAB_NO_SKIP") == "1"
"""Set where everything must be installed: a test that would skip for a missing thing then fails."""

# A busy machine is slow by chance, so no single example has a deadline; pytest-timeout ends what hangs.
settings.register_profile("agentlab", deadline=None)
settings.load_profile("agentlab")


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test that runs, or fail it where `AGENTLAB_NO_SKIP=1` says that nothing may be missing."""
    if NO_SKIP:
        pytest.fail(f"AGENTLAB_NO_SKIP=1, but {reason}", pytrace=False)
    pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whatever asks for the shared folder, so that `-m "not shared"` leaves it out where there is none."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Turn any other skip into a failure too, so that none can be forgotten."""
    return _strict((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    return _strict((yield))


def _strict(report: Any) -> Any:
    if NO_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"AGENTLAB_NO_SKIP=1, but this was skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of other people's traces and cases: `AGENTLAB_SHARED`, else `../shared` beside the checkout."""
    folder = Path(os.environ.get("AGENTLAB_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        skip_or_fail(f"there is no folder {str(folder)!r}; AGENTLAB_SHARED names it")
    return folder


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections to other machines, and hide keys that a test could send to one."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not _is_local(address[0]):
            raise AssertionError(f"a test connects to {address[0]!r}; tests reach this machine only")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
