"""Hypothesis strategies for whatever an event can hold."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from agentlab.strictjson import JSONValue
from agentlab.trace.events import EVENT_TYPES

FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | FINITE | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {JSONValue: JSON, float: FINITE, str: st.text(max_size=12)}
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type: all that a journal can carry, so no NaN, infinity or half of a surrogate pair."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of([values(argument) for argument in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is Mapping:
        return OBJECTS
    if dataclasses.is_dataclass(hint):
        return instances(hint)
    return PLAIN[hint] if hint in PLAIN else st.from_type(hint)


@cache
def instances(kind: Any) -> st.SearchStrategy[Any]:
    """Instances of a dataclass with every field drawn, those with a default too."""
    return st.builds(kind, **{name: values(hint) for name, hint in get_type_hints(kind).items()})


EVENTS = st.one_of([instances(kind) for kind in EVENT_TYPES])
