from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentlab.errors import UsageError
from agentlab.registry import Registry

BUILTIN = {"root": "math:sqrt", "floor": "math:floor"}


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed distribution of somebody else's, with two entry points; gives the name of the group."""
    metadata = tmp_path / "somebody_else-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody-else\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[agentlab.roots]\ncube = math:cbrt\nroot = math:exp\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return "agentlab.roots"


def test_a_built_in_name_is_imported_when_asked_for() -> None:
    registry: Registry[object] = Registry(kind="function", builtin=BUILTIN | {"broken": "no_such_module:name"})
    assert registry.names() == ("broken", "floor", "root")
    assert registry.get("root")(9) == 3  # type: ignore[operator]
    with pytest.raises(ModuleNotFoundError):
        registry.get("broken")


def test_an_unknown_name_lists_what_there_is() -> None:
    registry: Registry[object] = Registry(kind="function", builtin=BUILTIN)
    with pytest.raises(UsageError) as refusal:
        registry.get("flor")
    assert str(refusal.value) == "There is no function 'flor'. Did you mean 'floor'? What there is: floor, root."


def test_other_people_s_names_join(foreign: str) -> None:
    registry: Registry[object] = Registry(kind="function", builtin=BUILTIN, group=foreign)
    assert registry.names() == ("cube", "floor", "root")
    assert registry.get("cube")(27) == pytest.approx(3)  # type: ignore[operator]
    with pytest.raises(UsageError, match="What there is: cube, floor, root"):
        registry.get("square")


def test_a_built_in_name_keeps_its_meaning(foreign: str) -> None:
    registry: Registry[object] = Registry(kind="function", builtin=BUILTIN, group=foreign)
    assert registry.get("root")(9) == 3  # type: ignore[operator]


@pytest.mark.usefixtures("foreign")
def test_a_registry_without_a_group_is_closed() -> None:
    registry: Registry[object] = Registry(kind="function", builtin=BUILTIN)
    assert registry.names() == ("floor", "root")
