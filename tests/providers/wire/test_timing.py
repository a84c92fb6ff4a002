from __future__ import annotations

import pytest

from agentlab.errors import UsageError
from agentlab.providers.wire.timing import Timeouts


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), 1e9])
@pytest.mark.parametrize("name", ["connect", "first_byte", "between_bytes", "total"])
def test_time_limits_that_cannot_be_kept(name: str, limit: float) -> None:
    with pytest.raises(UsageError, match=f"time limit {name} "):
        Timeouts(**{name: limit})
