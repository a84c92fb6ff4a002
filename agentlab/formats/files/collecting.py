"""Reading without searching for garbage.

What is read from JSON holds no cycles, yet each few hundred of its lists and objects make Python's collector search all
that are young, and each quarter more all that there are: a fifth to a third of the time that reading takes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["settled", "uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles meanwhile; what is no longer referred to is freed at once all the same.

    The collector is the whole process's, so this is for stretches that end, such as the reading of one trace.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def settled() -> Iterator[None]:
    """Whatever there is now is not searched meanwhile, such as a document of which part after part is given on.

    Cycles that were made before wait until the end. Where the program has set objects apart itself, nothing is done,
    because the two could not be told apart afterwards.
    """
    ours = not gc.get_freeze_count()
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()
