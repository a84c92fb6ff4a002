from __future__ import annotations

from typing import Any

import pytest

from agentlab.formats.spans.extent import lacking


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ({"page": {"returned": 2, "total": 9}}, "only 2 of 9 spans are in it"),
        ({"pagination": {"total_count": 9}}, "only 2 of 9 spans are in it"),
        ({"totalSpans": 9}, "only 2 of 9 spans are in it"),
        ({"has_more": True}, "it is a part, says its field has_more"),
        ({"meta": {"truncated": True}}, "it is a part, says its field truncated"),
        ({"next_cursor": "abc"}, "more spans follow, says its field next_cursor"),
        ({"droppedSpansCount": 3}, "3 spans were dropped"),
        ({"paging": {"page": 2, "pages": 7}}, "it is page 2 of 7"),
        ({"meta": {"total_pages": 7}}, "it is one page of 7"),
    ],
)
def test_a_part_says_so(beside: dict[str, Any], said: str) -> None:
    assert lacking({"spans": [{}, {}], **beside}, 2) == said


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"page": {"returned": 2, "total": 2}},
        {"page": "first"},
        {"total": 90, "count": 4},
        {"meta": {"total": True}},
        {"has_more": False, "next_cursor": None, "dropped_spans": 0, "truncated": "no"},
        {"paging": {"page": 1, "pages": 1}},
    ],
)
def test_a_whole_says_nothing(beside: dict[str, Any]) -> None:
    assert lacking({"spans": [{}, {}], **beside}, 2) == ""
