from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.shapes.nesting import Above, above, outermost_first


@dataclass(frozen=True, kw_only=True)
class Box:
    id: str
    parent: str = ""
    start: float | None = None
    tool: str = ""
    calls_model: bool = False


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh-")))
def test_every_id_comes_once_and_after_its_parent_but_in_circles(parents: dict[str, str]) -> None:
    order = list(outermost_first(parents))
    assert sorted(order) == sorted(parents)
    for name, parent in parents.items():
        here, path = parent, {name}
        while here in parents and here not in path:
            path.add(here)
            here = parents[here]
        if here not in parents and parent in parents:
            assert order.index(parent) < order.index(name)


def test_what_stands_around_a_record() -> None:
    boxes = [
        Box(id="leaf", parent="inner"),
        Box(id="inner", parent="dig", calls_model=True),
        Box(id="dig", parent="model", tool="dig"),
        Box(id="model", parent="top", start=4.0, calls_model=True),
        Box(id="top", parent="nowhere", start=1.0),
    ]
    found = above({box.id: box for box in boxes})
    assert found["top"] == Above()
    assert found["model"] == Above(start=1.0)
    assert found["dig"] == Above(generation="model", start=4.0)
    assert found["inner"] == Above(tool="dig", start=4.0)
    assert found["leaf"] == Above(tool="dig", generation="inner", start=4.0)


@pytest.mark.timeout(20)
def test_deep_ones_in_linear_time() -> None:
    boxes = {f"b{depth}": Box(id=f"b{depth}", parent=f"b{depth - 1}", tool="dig") for depth in range(100_000)}
    assert above(boxes)["b99999"].tool == "b99998"
