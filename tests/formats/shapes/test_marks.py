from __future__ import annotations

from agentlab.formats.shapes.marks import mark
from agentlab.strictjson import digest, dumps


def test_a_mark_names_kind_size_and_digest() -> None:
    assert mark("seal", "wax") == f"[seal, 3 characters, sha256 {digest('wax')[:12]}]"
    assert mark("seal", {"a": 1}) == mark("seal", dumps({"a": 1}))
