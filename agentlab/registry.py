"""Names to things, imported when asked for: built-ins by dotted path, other people's by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from agentlab.errors import unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Registry"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Registry(Generic[T]):
    """A closed list that other packages may add to.

    A built-in name always wins over an entry point of the same name, so that installing a package never changes what
    a name already meant.
    """

    kind: str
    """What is registered, in the words of an error, e.g. `history policy`."""
    builtin: Mapping[str, str]
    """Name to `module:attribute`."""
    group: str = ""
    """Entry point group for other people's; empty for none."""

    def names(self) -> tuple[str, ...]:
        """Every name there is, sorted."""
        return tuple(sorted({*self.builtin, *self._foreign()}))

    def get(self, name: str) -> T:
        """The thing with this name.

        Raises:
            UsageError: if there is none; it lists what there is.
        """
        if name in self.builtin:
            module, _, attribute = self.builtin[name].partition(":")
            return cast("T", getattr(import_module(module), attribute))
        foreign = self._foreign()
        if name not in foreign:
            raise unknown_name(self.kind, name, self.names())
        return cast("T", foreign[name].load())

    def _foreign(self) -> dict[str, EntryPoint]:
        if not self.group:
            return {}
        from importlib.metadata import entry_points  # slow to import, and most registries have no group

        return {point.name: point for point in entry_points(group=self.group)}
