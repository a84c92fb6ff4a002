"""Files as the tests of sources store them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentlab.formats.files.source import Limits, Source


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Source]:
    def store(data: bytes, **limits: int) -> Source:
        path = tmp_path / "log.bin"
        path.write_bytes(data)
        return Source.at(path, limits=Limits(**limits))

    return store
