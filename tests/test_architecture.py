"""The import graph and the sizes of `agentlab/`, read from its source; each rule is also shown to catch an offender."""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

LAYERS = (
    {"errors", "messages", "strictjson", "markers", "registry", "stats", "clock", "quantities", "version"},
    {"trace", "providers"},
    {"harness", "audit", "formats"},
    {"agents", "tools"},
    {"replay"},
    {"views"},
    {"experiments", "probe"},
    {"cli"},
)
"""What stands on which line, lowest first. The modules of the lowest line may import each other; folders may not."""

HEAVY = {
    "pandas",
    "numpy",
    "scipy",
    "pyarrow",
    "matplotlib",
    "ipywidgets",
    "IPython",
    "papermill",
    "nbformat",
    "nbconvert",
}
LONGEST_MODULE = 350
LONGEST_FUNCTION = 50
MEDIAN_MODULE = 140

# What may be longer; these lists may only shrink.
LONG_MODULES: frozenset[str] = frozenset()
LONG_FUNCTIONS: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Import:
    """One imported module of ours or of others."""

    target: str
    line: int
    relative: bool
    runs_at_import: bool
    """Whether importing the module executes it: not inside a function, not for type checkers only."""


@dataclass(frozen=True)
class Module:
    name: str
    is_package: bool
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def unit(self) -> str:
        """The folder or file directly below `agentlab` it belongs to; empty for `agentlab` itself."""
        return self.name.partition(".")[2].partition(".")[0]

    @property
    def length(self) -> int:
        return len(self.text.splitlines())

    def is_below(self, *units: str) -> bool:
        return self.unit in units


@dataclass(frozen=True)
class Package:
    modules: Mapping[str, Module]

    @classmethod
    def read(cls, folder: Path) -> Package:
        modules = {}
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            modules[name] = Module(name, is_package, path.read_text(encoding="utf-8"))
        return cls(modules)

    def imports(self, module: Module) -> Iterator[Import]:
        """Every import of the module, wherever it stands."""
        early = {id(node) for node in _executed(module.tree)}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [self._resolve(f"{node.module or ''}.{alias.name}") for alias in node.names]
            else:
                continue
            relative = isinstance(node, ast.ImportFrom) and node.level > 0
            for name in names:
                yield Import(name, node.lineno, relative, id(node) in early)

    def _resolve(self, name: str) -> str:
        return name if name in self.modules else name.rpartition(".")[0]

    @cached_property
    def graph(self) -> dict[str, list[str]]:
        """Our own modules that each module imports."""
        return {
            name: sorted({found.target for found in self.imports(module) if found.target in self.modules})
            for name, module in self.modules.items()
        }


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        children = node.orelse
    for child in children:
        yield from _executed(child)


# --- The rules: each gives one line an offence. ---


def imports_point_down(package: Package) -> Iterator[str]:
    line_of = {unit: line for line, units in enumerate(LAYERS) for unit in units}
    for module in package.modules.values():
        if module.name == "agentlab":  # the public names, from everywhere
            continue
        if module.unit not in line_of:
            yield f"{module.name}: {module.unit!r} stands on no line of the table"
            continue
        for target in package.graph[module.name]:
            other = package.modules[target].unit
            above = line_of.get(other, 0) - line_of[module.unit]
            if above > 0 or (above == 0 and line_of[module.unit] > 0 and other != module.unit):
                yield f"{module.name} imports {target}, which does not stand below it"


def audit_judges_alone(package: Package) -> Iterator[str]:
    allowed = LAYERS[0] | LAYERS[1] | {"audit"}
    for module in package.modules.values():
        for target in package.graph[module.name] if module.is_below("audit") else ():
            if package.modules[target].unit not in allowed:
                yield f"{module.name} imports {target}"


def no_cycles(package: Package) -> Iterator[str]:
    try:
        TopologicalSorter(package.graph).prepare()
    except CycleError as error:
        yield " imports ".join(reversed(error.args[1]))


def no_own_init(package: Package) -> Iterator[str]:
    for module in package.modules.values():
        for found in package.imports(module):
            if f"{module.name}.".startswith(f"{found.target}.") and found.target != module.name:
                yield f"{module.name}:{found.line} imports its own package {found.target}"


def empty_inits(package: Package) -> Iterator[str]:
    for module in package.modules.values():
        if module.is_package and module.name != "agentlab" and module.text.strip():
            yield f"{module.name}/__init__.py is not empty"


def no_relative_imports(package: Package) -> Iterator[str]:
    for module in package.modules.values():
        yield from (f"{module.name}:{found.line}" for found in package.imports(module) if found.relative)


def no_utils(package: Package) -> Iterator[str]:
    yield from (name for name in package.modules if {"utils", "util"} & set(name.split(".")))


def quarantine_stays_out_of_contexts(package: Package) -> Iterator[str]:
    reader = "agentlab.trace.quarantine_reader"
    for module in package.modules.values():
        if not module.is_below("harness", "agents"):
            continue
        path = _path(package.graph, module.name, reader)
        if path:
            yield " imports ".join(path)
        if "quarantine_reader" in module.text:
            yield f"{module.name} names quarantine_reader"


def _path(graph: Mapping[str, list[str]], start: str, end: str) -> list[str]:
    """The modules from start to end along the fewest imports; empty where there is no way."""
    before: dict[str, str] = {start: ""}
    queue = [start]
    for name in queue:
        for target in graph[name]:
            if target not in before:
                before[target] = name
                queue.append(target)
    path = [end] if end in before else []
    while path and path[0] != start:
        path.insert(0, before[path[0]])
    return path


def heavy_libraries_late(package: Package) -> Iterator[str]:
    low = set().union(*LAYERS[:4])
    for module in package.modules.values():
        for found in package.imports(module):
            library = found.target.partition(".")[0]
            if library == "typer" and not module.is_below("cli"):
                yield f"{module.name}:{found.line} imports typer outside cli"
            if library in HEAVY and found.runs_at_import and (module.unit in low or module.name == "agentlab"):
                yield f"{module.name}:{found.line} imports {library} at import"


def short_modules(package: Package, exceptions: frozenset[str] = LONG_MODULES) -> Iterator[str]:
    long = {name: module.length for name, module in package.modules.items() if module.length > LONGEST_MODULE}
    yield from (f"{name} has {lines} lines" for name, lines in long.items() if name not in exceptions)
    yield from (f"{name} is no exception any more" for name in exceptions - long.keys())


def short_functions(package: Package, exceptions: frozenset[str] = LONG_FUNCTIONS) -> Iterator[str]:
    long = {}
    for module in package.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                lines = (node.end_lineno or first) - first + 1
                if lines > LONGEST_FUNCTION:
                    long[f"{module.name}.{node.name}"] = lines
    yield from (f"{name} has {lines} lines" for name, lines in long.items() if name not in exceptions)
    yield from (f"{name} is no exception any more" for name in exceptions - long.keys())


def short_in_the_middle(package: Package) -> Iterator[str]:
    lengths = [module.length for module in package.modules.values() if module.text.strip()]
    median = statistics.median(lengths)
    print(f"{len(lengths)} modules, {sum(lengths)} lines, median {median:.0f}, longest {max(lengths)}")
    if median > MEDIAN_MODULE:
        yield f"the median module has {median} lines"


# --- The package keeps them. ---


@pytest.fixture(scope="module")
def agentlab() -> Package:
    return Package.read(Path(__file__).parents[1] / "agentlab")


RULES: list[Callable[[Package], Iterator[str]]] = [
    imports_point_down,
    audit_judges_alone,
    no_cycles,
    no_own_init,
    empty_inits,
    no_relative_imports,
    no_utils,
    quarantine_stays_out_of_contexts,
    heavy_libraries_late,
    short_modules,
    short_functions,
    short_in_the_middle,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_agentlab_keeps_the_rule(rule: Callable[[Package], Iterator[str]], agentlab: Package) -> None:
    offences = list(rule(agentlab))
    assert not offences, "\n".join(["", *offences])


def test_the_whole_package_is_read(agentlab: Package) -> None:
    assert {"agentlab", "agentlab.strictjson", "agentlab.trace", "agentlab.trace.model"} <= agentlab.modules.keys()
    assert "agentlab.strictjson" in agentlab.graph["agentlab.trace.model"]
    assert {module.unit for module in agentlab.modules.values()} > {"trace", "clock"}


# --- Each rule catches an offender. ---


def written(folder: Path, files: Mapping[str, str]) -> Package:
    """A package named agentlab with these files."""
    for name, text in ({"__init__.py": ""} | dict(files)).items():
        path = folder / "agentlab" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for parent in path.parents[: len(Path(name).parts) - 1]:
            (parent / "__init__.py").touch()
    return Package.read(folder / "agentlab")


LONG = "x = 1\n" * 351
LATE = "def f():\n    from agentlab.cli.main import run\n"
CHECKED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agentlab.cli.main import run\n"
READER = {
    "trace/quarantine_reader.py": "",
    "trace/model.py": "import agentlab.trace.quarantine_reader\n",
    "cli/main.py": "",
}


@pytest.mark.parametrize(
    ("rule", "files", "offence"),
    [
        (imports_point_down, {"trace/a.py": "import agentlab.harness.b", "harness/b.py": ""}, "trace.a imports"),
        (imports_point_down, {"trace/a.py": "from agentlab.harness import b", "harness/b.py": ""}, "harness.b,"),
        (imports_point_down, {"clock.py": LATE, "cli/main.py": ""}, "agentlab.clock imports agentlab.cli.main"),
        (imports_point_down, {"clock.py": CHECKED, "cli/main.py": ""}, "agentlab.clock imports agentlab.cli.main"),
        (imports_point_down, {"audit/a.py": "import agentlab.harness.b", "harness/b.py": ""}, "audit.a imports"),
        (imports_point_down, {"new/a.py": ""}, "agentlab.new.a: 'new' stands on no line"),
        (audit_judges_alone, {"audit/a.py": "import agentlab.formats.b", "formats/b.py": ""}, "audit.a imports"),
        (no_cycles, {"trace/a.py": "import agentlab.trace.b", "trace/b.py": "import agentlab.trace.a"}, "b imports"),
        (no_cycles, {"a.py": "def f():\n    import agentlab.b", "b.py": "import agentlab.a"}, "agentlab.a imports"),
        (no_own_init, {"trace/a.py": "import agentlab.trace"}, "trace.a:1 imports its own package agentlab.trace"),
        (no_own_init, {"trace/a.py": "from agentlab.trace import Event"}, "imports its own package agentlab.trace"),
        (no_own_init, {"cli/a.py": "def f():\n    from agentlab import audit"}, "cli.a:2 imports its own package"),
        (empty_inits, {"trace/__init__.py": "x = 1"}, "agentlab.trace/__init__.py is not empty"),
        (no_relative_imports, {"trace/a.py": "from . import b", "trace/b.py": ""}, "agentlab.trace.a:1"),
        (no_utils, {"trace/utils.py": ""}, "agentlab.trace.utils"),
        (no_utils, {"utils/a.py": ""}, "agentlab.utils"),
        (
            quarantine_stays_out_of_contexts,
            READER | {"harness/a.py": "def f():\n    from agentlab.trace import quarantine_reader"},
            "agentlab.harness.a imports agentlab.trace.quarantine_reader",
        ),
        (
            quarantine_stays_out_of_contexts,
            READER | {"harness/b.py": "import agentlab.trace.model", "agents/c.py": "import agentlab.harness.b"},
            "agentlab.agents.c imports agentlab.harness.b imports agentlab.trace.model imports",
        ),
        (
            quarantine_stays_out_of_contexts,
            READER | {"agents/c.py": "import_module('agentlab.trace.quarantine_reader')"},
            "agentlab.agents.c names quarantine_reader",
        ),
        (heavy_libraries_late, {"trace/a.py": "import pandas as pd"}, "agentlab.trace.a:1 imports pandas at import"),
        (heavy_libraries_late, {"stats.py": "class A:\n    from scipy import stats"}, "agentlab.stats:2 imports scipy"),
        (heavy_libraries_late, {"tools/a.py": "try:\n    import numpy\nfinally:\n    pass"}, "imports numpy"),
        (heavy_libraries_late, {"__init__.py": "import papermill"}, "agentlab:1 imports papermill at import"),
        (heavy_libraries_late, {"views/a.py": "def f():\n    import typer"}, "views.a:2 imports typer outside"),
        (short_modules, {"clock.py": LONG}, "agentlab.clock has 351 lines"),
        (short_functions, {"clock.py": "@a\ndef f():\n" + "    x = 1\n" * 49}, "agentlab.clock.f has 51 lines"),
        (short_in_the_middle, {f"trace/{n}.py": "x = 1\n" * 141 for n in "ab"}, "the median module has 141"),
    ],
)  # fmt: skip
def test_the_rule_catches_an_offender(
    rule: Callable[[Package], Iterator[str]], files: Mapping[str, str], offence: str, tmp_path: Path
) -> None:
    assert any(offence in found for found in rule(written(tmp_path, files)))


INNOCENT = {
    "__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agentlab.cli.main import run\n",
    "strictjson.py": "import json\n",
    "messages.py": "import agentlab.strictjson\n" + "x = 1\n" * 139,
    "trace/events.py": "from agentlab.messages import Message\n",
    "trace/frames.py": "from agentlab.trace import events\nif TYPE_CHECKING:\n    import pandas\n",
    "harness/loop.py": "from agentlab.trace.events import Event\ndef f():\n    import numpy\n" + "    x = 1\n" * 48,
    "cli/main.py": "import typer\nimport pandas\nimport agentlab.harness.loop\n",
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_rule_lets_an_innocent_package_pass(rule: Callable[[Package], Iterator[str]], tmp_path: Path) -> None:
    assert list(rule(written(tmp_path, INNOCENT))) == []


def test_exceptions_excuse_while_they_are_needed_and_no_longer(tmp_path: Path) -> None:
    package = written(tmp_path, {"clock.py": LONG + "def f():\n" + "    x = 1\n" * 50})
    assert list(short_modules(package, frozenset({"agentlab.clock"}))) == []
    assert list(short_functions(package, frozenset({"agentlab.clock.f"}))) == []
    assert list(short_modules(package, frozenset({"agentlab.clock", "agentlab.errors"}))) == [
        "agentlab.errors is no exception any more"
    ]
    assert list(short_functions(package, frozenset({"agentlab.clock.f", "agentlab.clock.g"}))) == [
        "agentlab.clock.g is no exception any more"
    ]


def test_no_group_of_a_pattern_is_possessive() -> None:
    """Python before 3.11.5 matches them wrongly (CPython issue 106052); `(?>(?:...)*)` is right everywhere."""
    possessive = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
    found = [
        f"{path.name}:{number}"
        for path in sorted((Path(__file__).parents[1] / "agentlab").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if possessive.search(line)
    ]
    assert not found
