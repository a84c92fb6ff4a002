"""Whether a file of spans says of itself that it is a part: a page of more, cut short, or with spans dropped."""

from __future__ import annotations

from collections.abc import Iterator

from agentlab.formats.shapes.fields import Object

__all__ = ["lacking"]

_PAGES = ("page", "pagination", "paging", "meta", "metadata")
_TOTALS = ("total", "total_count", "total_spans", "totalCount", "totalSpans")
_RETURNED = ("returned", "returned_count", "count", "returned_spans")
_FLAGS = ("truncated", "partial", "incomplete", "has_more", "hasMore", "has_next", "hasNext")
_FOLLOWING = ("next_page_token", "nextPageToken", "next_page", "next_cursor", "nextCursor", "continuation_token")
_DROPPED = ("dropped_spans", "dropped_spans_count", "droppedSpansCount")


def lacking(body: Object, held: int) -> str:
    """What the fields beside the list of spans say is missing, in words; empty where they say nothing.

    Args:
        body: the object that holds the list.
        held: how many spans the list has.
    """
    return next(_lacks(body, held), "")


def _lacks(body: Object, held: int) -> Iterator[str]:
    pages = [page for name in _PAGES if isinstance(page := body.get(name), dict)]
    for page in pages:
        returned = _count(page, _RETURNED)
        total, shown = _count(page, _TOTALS), held if returned is None else returned
        if total is not None and total > shown:
            yield f"only {shown} of {total} spans are in it"
    total = _count(body, ("total_spans", "totalSpans"))
    if total is not None and total > held:
        yield f"only {held} of {total} spans are in it"
    for each in (body, *pages):
        if dropped := _count(each, _DROPPED):
            yield f"{dropped} spans were dropped"
        if name := next((name for name in _FLAGS if each.get(name) is True), ""):
            yield f"it is a part, says its field {name}"
        if name := next((name for name in _FOLLOWING if each.get(name)), ""):
            yield f"more spans follow, says its field {name}"
        number, last = _count(each, ("page", "number")), _count(each, ("pages", "total_pages", "totalPages"))
        if last is not None and last > 1:
            yield f"it is page {number} of {last}" if number is not None else f"it is one page of {last}"


def _count(fields: Object, names: tuple[str, ...]) -> int | None:
    found = (fields[name] for name in names if name in fields)
    return next((each for each in found if isinstance(each, int) and not isinstance(each, bool)), None)
