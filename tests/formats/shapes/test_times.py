from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.formats.shapes.fields import ShapeError
from agentlab.formats.shapes.times import seconds

moments = st.datetimes(min_value=datetime(1980, 1, 1), max_value=datetime(2200, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    "value", [None, "", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01T00:00:00+00:00"]
)
def test_no_time(value: str | None) -> None:
    assert seconds(value) is None


@given(moments, st.sampled_from([1, 1_000, 1_000_000, 1_000_000_000]), st.booleans())
def test_a_count_in_any_unit_is_the_same_time(moment: datetime, unit: int, as_text: bool) -> None:
    known = int(moment.replace(tzinfo=UTC).timestamp())
    count = known * unit
    assert seconds(str(count) if as_text else count) == pytest.approx(known, abs=1e-3)


@given(moments, st.integers(-14 * 60, 14 * 60))
def test_iso_text_in_any_zone(moment: datetime, minutes: int) -> None:
    known = moment.replace(tzinfo=UTC)
    zone = timezone(timedelta(minutes=minutes))
    assert seconds(known.astimezone(zone).isoformat()) == pytest.approx(known.timestamp(), abs=1e-5)


@given(moments)
def test_a_text_without_a_zone_is_utc(moment: datetime) -> None:
    known = moment.replace(tzinfo=UTC).timestamp()
    for written in (moment.isoformat(), moment.isoformat(" "), moment.isoformat() + "Z"):
        assert seconds(written) == pytest.approx(known, abs=1e-5)


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, [], {}, "yesterday", "nan", "inf", "-inf", "1e999", "9" * 400, 10**400, 1e301),
        *(float("nan"), float("inf"), "2026-13-01", "2026-02-30T00:00:00Z", "T", "\x00", "２０２６-99-01"),
    ],
)
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(ShapeError, match="a time was expected and"):
        seconds(value)  # type: ignore[arg-type]


@given(st.text() | st.integers() | st.floats() | st.booleans() | st.from_regex(r"\d{4}-\d\d-\d\d[T ]?[\d:.+Z-]{0,20}"))
def test_anything_else_is_a_time_or_a_shape_error(value: object) -> None:
    try:
        found = seconds(value)  # type: ignore[arg-type]
    except ShapeError:
        return
    assert found is None or abs(found) < 1e300
