"""Each kernel that is started takes a second, so a notebook that runs through answers several questions at once."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.batch import BatchResult, find_notebook, run_notebook
from tests.experiments.notebooks import write_notebook

ROOT = Path(__file__).parents[2]


def printed(result: BatchResult) -> str:
    cells = nbformat.read(result.notebook, as_version=4).cells
    return "".join(
        output.text for cell in cells for output in cell.get("outputs", ()) if output.get("name") == "stdout"
    )


def failed(result: BatchResult) -> str:
    """The failure, once it is sure that the partial notebook and its report are there."""
    assert "before" in printed(result)
    assert "never" not in printed(result)
    assert "before" in result.report.read_text(encoding="utf-8")
    assert result.failed is not None
    return str(result.failed)


def run(folder: Path, *cells: str, **options: object) -> BatchResult:
    return run_notebook(write_notebook(folder / "small.ipynb", *cells), out=folder / "out", **options)  # type: ignore[arg-type]


# --- A notebook that runs through. ---


def test_a_notebook_with_parameters(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also: an awkward path, values that keep their types, streams in one piece, a very long line."""
    notebook = write_notebook(
        tmp_path / "some where" / "a {b} 字.ipynb",
        "print(repr((count, name, share, loud, items, anything)))\nprint(__import__('os').getcwd() == out)",
        "for n in range(200):\n    print(f'\\r{n}', end='', flush=True)\nprint()",
        "print('x' * 400_000 + '\\rshort')",
        "print('still here')",
        parameters="# what may be set\ncount: int = 1\n" + 'name = "sun"\nshare = 0.5\nloud = True\n'
        'items = ["a"]\nanything = None\nout = ""',
    )
    name = 'new\nline "quoted" \\ {count}'
    result = run_notebook(
        notebook,
        {"count": "7", "name": name, "share": "2", "loud": "no", "items": '["x", {"y": 1}]', "anything": "null"},
        out=tmp_path / "out {1} of 2",
    )
    assert result.failed is None
    assert result.folder == result.notebook.parent == result.report.parent == tmp_path / "out {1} of 2"
    assert result.notebook.name == notebook.name
    assert result.results is None
    lines = printed(result).splitlines()
    assert lines == [repr((7, name, 2.0, False, ["x", {"y": 1}], "null")), "True", "199", "short", "still here"]
    assert capfd.readouterr() == ("", "")


def test_an_empty_parameters_cell_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also: the default folder is the next free one below `runs`, and a report loads nothing from anywhere."""
    write_notebook(tmp_path / "bare.ipynb", "import matplotlib.pyplot as plt\nplt.plot([1, 2]);", parameters="")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "bare-1").mkdir(parents=True)
    result = run_notebook("bare.ipynb")
    assert result.failed is None
    assert result.folder == tmp_path / "runs" / "bare-2"
    report = result.report.read_text(encoding="utf-8")
    assert "data:image/png;base64" in report
    assert "cdn" not in report


# --- Notebooks that do not. ---


def test_a_failing_cell(tmp_path: Path) -> None:
    result = run(tmp_path, "print('before')", "\n# look it up\n{}['lost']", "print('never')")
    assert failed(result) == "Cell 4 ('# look it up') failed: KeyError: 'lost'"


def test_a_cell_that_leaves(tmp_path: Path) -> None:
    result = run(tmp_path, "print('before')", "import sys; sys.exit(0)", "print('never')")
    assert failed(result) == "Cell 4 ('import sys; sys.exit(0)') failed: SystemExit: 0"


def test_a_killed_kernel(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    result = run(tmp_path, "print('before', flush=True)", "import os; os.kill(os.getpid(), 9)", "print('never')")
    assert failed(result).startswith("Cell 4 ('import os; os.kill(os.getpid(), 9)') failed: the kernel ended")
    assert capfd.readouterr() == ("", "")


def test_a_kernel_that_ends_in_the_last_cell(tmp_path: Path) -> None:
    assert failed(run(tmp_path, "print('before', flush=True)", "import os; os._exit(0)")).startswith("Cell 4 ")


def test_a_cell_that_takes_too_long(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    result = run(tmp_path, "print('before')", "import time; time.sleep(60)", "print('never')", timeout=1)
    assert "Cell 4 ('import time; time.sleep(60)') failed: it ran longer than 1 s," in failed(result)
    assert capfd.readouterr() == ("", "")


# --- Refused before a kernel starts. ---


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a kernel would be started."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a kernel was started")

    monkeypatch.setattr("papermill.execute_notebook", refuse)


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"colour": "red"}, "no parameter 'colour'.*: anything, count, items, loud, name, out, share"),
        ({"cuont": 2}, "Did you mean 'count'"),
        ({"count": "two"}, "'count' takes a value of type int, such as 1; 'two' is not one"),
        ({"count": 2.5}, "'count' takes a value of type int"),
        ({"count": True}, "'count' takes a value of type int"),
        ({"loud": "loudly"}, "'loud' takes a value of type bool, such as true"),
        ({"items": "a,b"}, r"'items' takes a value of type list, such as \[\"a\"\]"),
        ({"items": '{"a": 1}'}, "'items' takes a value of type list"),
        ({"items": [Path("a")]}, "'items' takes a value of type list"),
        ({"share": "nan"}, "'share' takes a value of type float"),
        ({"name": 3}, "'name' takes a value of type str"),
        ({"anything": Path("a")}, "'anything' takes a value"),
    ],
)
def test_a_parameter_that_does_not_fit(given: dict[str, object], said: str, tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path / "small.ipynb")
    with pytest.raises(UsageError, match=said):
        run_notebook(notebook, given, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("no_kernel")
def test_a_folder_or_timeout_that_does_not_fit(tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path / "small.ipynb")
    for out in (tmp_path, notebook):
        with pytest.raises(UsageError, match="is not an empty folder"):
            run_notebook(notebook, out=out)
    with pytest.raises(UsageError, match="at least 1 second"):
        run_notebook(notebook, out=tmp_path / "out", timeout=0)
    assert [path.name for path in tmp_path.iterdir()] == ["small.ipynb"]


@pytest.mark.usefixtures("no_kernel")
def test_a_notebook_without_parameters_is_refused(tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path / "small.ipynb", "print(1)", parameters=None)
    with pytest.raises(LoadError, match="has a cell tagged `parameters`; this one has none"):
        run_notebook(notebook, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_kernel_that_loses_the_race_for_a_port_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def lose(source: str, *_: object, **__: object) -> None:
        tried.append(source)
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr("papermill.execute_notebook", lose)
    with pytest.raises(UsageError, match="'python3' did not start"):
        run(tmp_path)
    assert len(tried) == 3


# --- Which notebook. ---


def test_a_notebook_is_found_by_path_or_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = ROOT / "notebooks" / "01_contamination.ipynb"
    monkeypatch.chdir(tmp_path)
    for name in ("01_contamination", "01_contamination.ipynb", "notebooks/01_contamination.ipynb"):
        assert find_notebook(name) == shipped
    own = write_notebook(tmp_path / "notebooks" / "01_contamination.ipynb")
    assert find_notebook("notebooks/01_contamination.ipynb") == own


@pytest.mark.parametrize("name", ["02_nothing", "elsewhere/01_contamination.ipynb", ".", "", "/"])
def test_an_unknown_notebook_is_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(UsageError, match=r"There is no notebook .*01_contamination"):
        find_notebook(name)


def test_results_of_another_format_are_no_results(tmp_path: Path) -> None:
    result = BatchResult(folder=tmp_path, notebook=tmp_path / "n.ipynb", report=tmp_path / "report.html", failed=None)
    for text in ("{not json", "[1, 2]", '{"studies": [{"title": 3}]}', "\udcff"):
        (tmp_path / "results.json").write_text(text, encoding="utf-8", errors="surrogateescape")
        assert result.results is None
    (tmp_path / "results.json").write_text('{"schema": "agentlab.results/1", "studies": []}', encoding="utf-8")
    assert result.results is not None
