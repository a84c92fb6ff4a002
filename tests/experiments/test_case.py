from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentlab.errors import LoadError, UsageError
from agentlab.experiments.case import CaseFile, case_names, load_case
from tests.experiments.lighthouse import lighthouse, write_case


def test_the_shipped_cases_load_and_their_truth_is_true() -> None:
    assert "mcp-mentions" in case_names()
    for name in case_names():
        case = load_case(name)
        assert case.name == name
        assert case.toolbox.names == tuple(case.file.tools)
        for language in case.file.task:
            assert case.task(language)


def test_the_tool_tells_what_the_checks_ask_for(tmp_path: Path) -> None:
    for case in (lighthouse(tmp_path / "lighthouse"), load_case("mcp-mentions")):
        number, executed = case.file.checks
        found = case.toolbox[executed.tool].function(**executed.arguments)  # type: ignore[union-attr]
        assert found["count"] == number.value == executed.result["count"]  # type: ignore[union-attr]


def test_a_case_is_found_by_its_folder_or_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_case(tmp_path / "lighthouse")
    assert load_case(folder).digest == load_case(folder / "case.toml").digest == load_case(str(folder)).digest
    monkeypatch.chdir(tmp_path)
    assert load_case("lighthouse").name == "lighthouse"
    shutil.move(folder, tmp_path / "mcp-mentions")
    assert load_case("mcp-mentions").name == "lighthouse", "what lies here comes before what is shipped"


@pytest.mark.parametrize("name", ["mcp-mention", "", "nowhere/mcp-mentions", "../mcp-mentions", "/"])
def test_an_unknown_case_is_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(UsageError, match=r"There is no case .*What there is: .*mcp-mentions"):
        load_case(name)


def test_the_digest_covers_the_file_and_the_documents(tmp_path: Path) -> None:
    first = lighthouse(tmp_path / "first").digest
    assert lighthouse(tmp_path / "second").digest == first
    other = write_case(tmp_path / "third")
    (other / "papers" / "orders.md").write_text("# Other orders\n", encoding="utf-8")
    assert load_case(other).digest != first
    (other / "papers" / "orders.md").rename(other / "papers" / "renamed.md")
    assert load_case(other).digest not in (first, load_case(write_case(tmp_path / "fourth", ("fog", "rain"))).digest)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "How', 'titel = "How', "title: Field required; titel: Extra inputs are not permitted"),
        ("agentlab.case/1", "agentlab.case/2", "format: Input should be 'agentlab.case/1'"),
        ('name = "lighthouse"', 'name = "Light House"', "name: "),
        ('tools = ["list_documents", "scan_term"]', 'tools = "scan_term"', "tools: Input should be a valid list"),
        ('tools = ["list_documents", "scan_term"]', "tools = []", "tools: "),
        ('tools = ["list_documents", "scan_term"]', 'tools = ["list_documents"]', "'scan_term', which is not among"),
        ('documents = "papers"', 'documents = "a\\u0000b"', "documents: "),
        ('documents = "papers"', 'documents = ""', "documents: "),
        ('prompt_version = "chat-v3"', 'prompt_version = "chat-v0"', "chat-v2, chat-v3"),
        ("value = 4", 'value = "4"', "checks.0.answer_number.value: Input should be a valid integer"),
        ("value = 4", "value = 1999-01-01", "checks.0.answer_number.value: "),
        ('kind = "executed"', 'kind = "guessed"', "checks.1: "),
        (
            'arguments = { term = "fog" }\nresult',
            'arguments = { terms = "fog" }\nresult',
            "checks.1.executed.arguments: 'terms' is no argument of scan_term; there is term, document",
        ),
        (
            "result = { count = 4 }",
            "result = { counts = 4 }",
            "checks.1.executed.result: 'counts' is no field of what scan_term returns; there is tool, term, count, ",
        ),
        (
            'arguments = { term = "fog" }\nforged',
            'arguments = { word = "fog" }\nforged',
            "simulated.plan.0.arguments: 'word' is no argument of scan_term; there is term, document",
        ),
        ("result = { count = 4 }", "result = { count = 1999-01-01 }", "checks.1.executed.result.count"),
        ("zh = ", "fr = ", "task.fr"),
        ("p_forge = 0.6", "p_forge = 6", "simulated.p_forge: "),
        ("p_forge = 0.6", "p_forge = nan", "simulated.p_forge: "),
        ("p_forge = 0.6", "p_forg = 0.6", "simulated.p_forg: Extra inputs"),
        ('act = "Now {tool}."', "", "simulated.words.en.act: Field required"),
        ('answer_step = "scan_term"', 'answer_step = "swim"', "simulated: answer_step 'swim' should be a step"),
    ],
)
def test_a_faulty_case_is_refused_with_the_field(old: str, new: str, said: str, tmp_path: Path) -> None:
    folder = write_case(tmp_path / "faulty", (old, new))
    with pytest.raises(LoadError) as refusal:
        load_case(folder)
    assert said in str(refusal.value)
    assert str(refusal.value).startswith(f"{folder / 'case.toml'}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", [b"\x7fELF\xd0\xff", b"a = = 1", b"a = " + b"[" * 5000, b"\x00"])
def test_a_file_that_is_no_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_bytes(content)
    with pytest.raises(LoadError, match="TOML"):
        load_case(tmp_path)


@pytest.mark.parametrize("documents", ["../outside", "..", "/etc", "papers/../../outside", "linked"])
def test_documents_lie_in_the_case(documents: str, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret", encoding="utf-8")
    folder = write_case(tmp_path / "case", ('documents = "papers"', f'documents = "{documents}"'))
    (folder / "linked").symlink_to(tmp_path / "outside")
    with pytest.raises(LoadError, match="leads out of it"):
        load_case(folder)


def test_a_document_that_leads_out_of_the_case_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    folder = write_case(tmp_path / "case")
    (folder / "papers" / "innocent.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(LoadError, match=r"innocent\.md' leads out of it"):
        load_case(folder)


def test_a_case_behind_a_link_is_read(tmp_path: Path) -> None:
    write_case(tmp_path / "case")
    (tmp_path / "alias").symlink_to(tmp_path / "case")
    assert load_case(tmp_path / "alias").toolbox.names


def test_what_is_no_text_in_the_documents_folder(tmp_path: Path) -> None:
    folder = write_case(tmp_path / "case")
    os.mkfifo(folder / "papers" / "pipe.md")
    assert load_case(folder).toolbox.names, "a pipe is no document, and nobody waits for it"
    (folder / "papers" / "binary.md").write_bytes(b"\x7fELF\xd0\xff")
    with pytest.raises(LoadError, match=r"binary\.md: UTF-8 was expected"):
        _ = load_case(folder).toolbox


def test_a_task_in_a_language_the_case_does_not_have(tmp_path: Path) -> None:
    case = load_case(write_case(tmp_path / "case", ('zh = "log.md 中 fog 出现了几次？"\n', "")))
    with pytest.raises(UsageError, match="no task in 'zh'; it has en"):
        case.task("zh")


def test_the_schema_names_every_field() -> None:
    assert set(CaseFile.model_json_schema()["properties"]) == set(CaseFile.model_fields)
