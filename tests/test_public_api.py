from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import agentlab

ROOT = Path(__file__).parents[1]
MODULES = sorted(found.name for found in pkgutil.walk_packages(agentlab.__path__, "agentlab."))
HEAVY = ("pandas", "matplotlib", "ipywidgets", "papermill", "scipy", "numpy", "pyarrow", "pydantic", "httpx", "typer")


def fresh(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run some lines in an interpreter that has imported nothing yet."""
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def test_names_are_sorted_and_unique() -> None:
    assert agentlab.__all__ == sorted(set(agentlab.__all__), key=_kind_first)


def test_dir_lists_the_public_names() -> None:
    assert set(agentlab.__all__) <= set(dir(agentlab))


@pytest.mark.parametrize("name", agentlab.__all__)
def test_name_is_there_and_documented(name: str) -> None:
    value = getattr(agentlab, name)
    assert value is getattr(agentlab, name)
    if name != "__version__":
        assert not isinstance(value, ModuleType)
        assert value.__module__.startswith("agentlab.")
        assert inspect.getdoc(value)
        assert vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__


def test_no_name_is_hidden_by_a_folder() -> None:
    """Python puts an imported folder on its parent, so a function of the same name could not be reached any more."""
    below = {found.name for found in pkgutil.iter_modules(agentlab.__path__)}
    assert not below & set(agentlab.__all__)


def test_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(AttributeError, match="no_such_name") as refusal:
        _ = agentlab.no_such_name
    assert all(name in str(refusal.value) for name in agentlab.__all__)


@pytest.mark.parametrize("name", ["agentlab", *MODULES])
def test_every_module_says_truly_what_it_offers(name: str) -> None:
    module = import_module(name)
    if not Path(str(module.__file__)).read_text(encoding="utf-8").strip():
        return  # an empty package file
    offered = module.__all__
    assert list(offered) == sorted(set(offered), key=_kind_first)
    assert module.__doc__
    for public in offered:
        assert hasattr(module, public)


def _kind_first(name: str) -> tuple[int, str]:
    """The order that ruff keeps: CONSTANTS, then Classes, then functions, each by the alphabet."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)


def test_every_lazy_name_is_public() -> None:
    assert {*agentlab._EXPORTS, "__version__"} == set(agentlab.__all__)
    assert {"read_traces", "attempts_frame", "calls_frame", "events_frame"} <= set(dir(agentlab))


def test_import_is_cheap_and_silent(capsys: pytest.CaptureFixture[str]) -> None:
    code = f"""
import sys, time
seen = []
sys.addaudithook(lambda event, arguments: seen.append((event, str(arguments[:2]))))
begun = time.perf_counter()
import agentlab
took = time.perf_counter() - begun
files = [what for event, what in seen if event == "open" and ".py" not in what]
doors = [event for event, _ in seen if event.startswith(("os.", "socket.", "subprocess.", "urllib."))]
doors = [event for event in doors if event not in ("os.listdir", "os.scandir")]  # the import system looks about
heavy = [name for name in {HEAVY!r} if name in sys.modules]
print(repr((files, doors, heavy)), file=sys.stderr)
print(f"import agentlab: {{took * 1000:.1f}} ms, {{len(sys.modules)}} modules", file=sys.stderr)
"""
    run = fresh(code)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    facts, timing = run.stderr.splitlines()
    assert facts == "([], [], [])"
    with capsys.disabled():
        print(f"\n{timing}")


def test_names_work_in_any_order_in_a_fresh_process() -> None:
    code = """
import agentlab
for names in (agentlab.__all__, reversed(agentlab.__all__), agentlab.__all__):
    kinds = {name: type(getattr(agentlab, name)).__name__ for name in names}
    assert "module" not in kinds.values(), kinds
"""
    run = fresh(code)
    assert run.returncode == 0, run.stderr


def test_star_import_brings_exactly_the_public_names() -> None:
    code = """
before = set(globals()) | {"before"}
from agentlab import *
import agentlab
assert set(globals()) - before - {"agentlab"} == set(agentlab.__all__), set(globals()) ^ set(agentlab.__all__)
"""
    run = fresh(code)
    assert run.returncode == 0, run.stderr
