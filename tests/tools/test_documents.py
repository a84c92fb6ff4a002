from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentlab.errors import LoadError, ToolError
from agentlab.strictjson import dumps
from agentlab.tools.documents import MAX_BYTES, MAX_FILES, Document, DocumentLibrary

SHIPPED = Path(__file__).parents[2] / "data" / "cases" / "mcp-mentions" / "documents"
HOLDER = "containing-the-assistant.md"


def library(**texts: str) -> DocumentLibrary:
    return DocumentLibrary(documents=tuple(Document.from_text(f"{name}.md", text) for name, text in texts.items()))


def count(text: str, term: str) -> Any:
    return library(only=text).scan_term(term)["count"]


def block_texts(text: str) -> list[str]:
    return list(Document.from_text("one.md", text).blocks)


# --- the library that the lesson ships


@pytest.fixture(scope="module")
def shipped() -> DocumentLibrary:
    return DocumentLibrary.load(SHIPPED)


@pytest.mark.parametrize("path", sorted(SHIPPED.iterdir()), ids=lambda path: path.name)
def test_the_shipped_counts_hold_by_three_methods(shipped: DocumentLibrary, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    truth = 3 if path.name == HOLDER else 0
    assert text.count("MCP") == truth
    assert len(re.findall(r"m\W?c\W?p|model\s+context", text, re.IGNORECASE)) == truth
    assert shipped.scan_term("MCP", path.name)["count"] == truth


def test_the_shipped_library_has_three_hits_in_two_blocks(shipped: DocumentLibrary) -> None:
    result = shipped.scan_term("MCP")
    hits: Any = result["hits"]
    assert result["count"] == len(hits) == 3
    assert {hit["document"] for hit in hits} == {HOLDER}
    assert len({hit["block"] for hit in hits}) == 2
    for hit in hits:
        blocks: Any = shipped.list_blocks(HOLDER, first=hit["block"], limit=1)["blocks"]
        assert blocks[0]["text"][hit["start"] :].startswith("MCP")


def test_the_shipped_documents_have_titles_and_no_words_of_the_protocol(shipped: DocumentLibrary) -> None:
    assert len(shipped.documents) == 5
    protocol = re.compile(
        r"^\W*(thought|action|observation|final answer|finish|answer|思考|行动|动作|观察|最终答案)\b", re.I | re.M
    )
    for document in shipped.documents:
        assert document.title != document.name
        assert document.blocks[0] == f"# {document.title}"
        assert not protocol.search(document.text)


# --- list_documents


def test_documents_are_listed_with_title_and_sizes() -> None:
    result = library(a="intro\n\n## Second *try*\ntext\n", b="no heading", c="").list_documents()
    assert result == {
        "tool": "list_documents",
        "count": 3,
        "documents": [
            {"document": "a.md", "title": "Second *try*", "blocks": 3, "characters": 28},
            {"document": "b.md", "title": "b.md", "blocks": 1, "characters": 10},
            {"document": "c.md", "title": "c.md", "blocks": 0, "characters": 0},
        ],
    }


@pytest.mark.parametrize(
    ("text", "title"), [("# C#", "C#"), ("#\n\n# Real", "Real"), ("#tag\n\n## X", "X"), ("    # code", "t.md")]
)
def test_the_title_is_the_first_heading_with_words(text: str, title: str) -> None:
    assert Document.from_text("t.md", text).title == title


def test_blocks_end_at_blank_lines_and_around_headings() -> None:
    text = "# One\r\nfirst\r\nstill first\r\n \t\r\n\r\nsecond\n### Three\n\n\nlast"
    assert block_texts(text) == ["# One", "first\nstill first", "second", "### Three", "last"]


# --- scan_term


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("MCP mcp Mcp MCPs xMCP MCP_ MCP2 MCP-based (MCP).", "MCP", 3),
        ("助手通过MCP调用工具，MCP服务器有两个。", "MCP", 2),
        ("工具调用与工具审计", "工具", 2),
        ("哈哈哈哈哈", "哈哈", 2),
        ("第3章, 3rd, 30, 3", "3", 2),
        ("ÉMCP MCPé МMCP", "MCP", 0),
        ("мир миру мир", "мир", 2),
        ("café cafe", "cafe", 1),
        ("cafe\u0301", "caf\u00e9", 1),
        ("caf\u00e9", "cafe\u0301", 1),
        ("a-a-a-a", "a-a", 2),
        ("aaa", "aa", 0),
        ("a.b a+b axb", "a.b", 1),
        ("..... x", "..", 2),
        ("MCP协议 xMCP协议书", "MCP协议", 1),
        ("tool\ncall, tool  call, tool call", "tool call", 3),
        ("tool\n\ncall", "tool call", 0),
        ("one MCP", "  MCP\n", 1),
        ("# MCP\nMCP", "MCP", 2),
        ("에이전트는 에이전트", "에이전트", 2),
    ],
)
def test_counts(text: str, term: str, expected: int) -> None:
    assert count(text, term) == expected


def test_a_scan_covers_all_documents_or_the_named_one() -> None:
    both = library(a="gate", b="gate gate")
    assert both.scan_term("gate")["count"] == 3
    assert both.scan_term("gate", "b.md")["count"] == 2
    assert both.scan_term("lock") == {"tool": "scan_term", "term": "lock", "count": 0, "hits": []}


def test_a_hit_says_where_in_code_points_and_shows_one_line() -> None:
    block = f"😀 {'x' * 60}\n{'y' * 30}\tgate {'z' * 60}"
    assert library(a=f"first\n\n{block}").scan_term("gate")["hits"] == [
        {
            "document": "a.md",
            "block": 2,
            "start": block.index("gate"),
            "snippet": f"{'x' * 8} {'y' * 30} gate {'z' * 39}",
        }
    ]


def test_a_snippet_is_cut_at_the_edges_of_its_block() -> None:
    hits: Any = library(a=f"before\n\nthe gate {'x' * 50}\n\nafter").scan_term("gate")["hits"]
    assert hits[0]["snippet"] == f"the gate {'x' * 39}"


def test_at_most_twenty_hits_are_listed_and_all_are_counted() -> None:
    result = library(a="gate " * 15, b="gate " * 15).scan_term("gate")
    hits: Any = result["hits"]
    assert result["count"] == 30
    assert [hit["document"] for hit in hits] == ["a.md"] * 15 + ["b.md"] * 5


UNSPACED = "中文あ한"
ALPHABET = f"aaAb_1é{UNSPACED}.-\u0301 \n"


def naive_count(text: str, term: str) -> int:
    """Walk over every position of every paragraph, with white space squeezed."""

    def joins(character: str) -> bool:
        return (character.isalnum() or character == "_") and character not in UNSPACED

    term = " ".join(unicodedata.normalize("NFC", term).split())
    found = 0
    for paragraph in re.split(r"\n *(?=\n)", unicodedata.normalize("NFC", text)):
        squeezed = f" {' '.join(paragraph.split())} "
        at = 0
        while at < len(squeezed):
            end = at + len(term)
            fits = (
                squeezed[at:end] == term
                and not (joins(term[0]) and joins(squeezed[at - 1]))
                and not (joins(term[-1]) and joins(squeezed[end]))
            )
            found += fits
            at = end if fits else at + 1
    return found


@given(st.text(ALPHABET, max_size=60), st.text(ALPHABET, min_size=1, max_size=3).filter(lambda term: term.strip()))
def test_the_count_is_that_of_a_naive_scan(text: str, term: str) -> None:
    assert count(text, term) == naive_count(text, term)


@given(st.text(st.sampled_from("ab中 "), min_size=10, max_size=200), st.sampled_from(["a", "ab", "中", "a中", "中中"]))
def test_the_count_is_that_of_a_naive_scan_where_hits_are_frequent(text: str, term: str) -> None:
    result = library(only=text).scan_term(term)
    hits: Any = result["hits"]
    assert result["count"] == naive_count(text, term)
    assert len(hits) == min(20, result["count"])


# --- list_blocks


def test_blocks_are_read_by_number() -> None:
    seven = library(a="one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix\n\nseven")
    assert seven.list_blocks("a.md", first=6) == {
        "tool": "list_blocks",
        "document": "a.md",
        "total": 7,
        "blocks": [{"block": 6, "text": "six"}, {"block": 7, "text": "seven"}],
    }
    blocks: Any = seven.list_blocks("a.md")["blocks"]
    assert [block["text"] for block in blocks] == ["one", "two", "three", "four", "five"]


def test_an_empty_document_has_no_blocks_and_is_no_failure() -> None:
    assert library(a="\n \n").list_blocks("a.md")["blocks"] == []


# --- failures


def failures() -> list[tuple[str, dict[str, Any], str, str]]:
    names = "Call list_documents to see the names."
    return [
        ("scan_term", {"term": ""}, "The term is empty.", "Give the exact word or phrase to count."),
        ("scan_term", {"term": " \n"}, "The term is empty.", "Give the exact word or phrase to count."),
        ("scan_term", {"term": "q" * 201}, "longer than 200 characters.", "Give a shorter word or phrase."),
        ("scan_term", {"term": "x", "document": "zebra.md"}, "No document of the library has that name.", names),
        ("scan_term", {"term": "x", "document": ""}, "No document of the library has that name.", names),
        ("list_blocks", {"document": "../a.md"}, "No document of the library has that name.", names),
        ("list_blocks", {"document": "a.md", "first": 0}, "first block is out of range.", "first from 1 to 2."),
        ("list_blocks", {"document": "a.md", "first": 3}, "first block is out of range.", "first from 1 to 2."),
        ("list_blocks", {"document": "a.md", "first": -777}, "first block is out of range.", "first from 1 to 2."),
        ("list_blocks", {"document": "a.md", "limit": 0}, "limit is out of range.", "limit from 1 to 20."),
        ("list_blocks", {"document": "a.md", "limit": 21}, "limit is out of range.", "limit from 1 to 20."),
    ]


@pytest.mark.parametrize(("tool", "arguments", "happened", "next_step"), failures())
def test_failures_say_what_to_do(tool: str, arguments: dict[str, Any], happened: str, next_step: str) -> None:
    with pytest.raises(ToolError) as caught:
        getattr(library(a="one\n\ntwo"), tool)(**arguments)
    assert str(caught.value).endswith(f"{happened} {caught.value.next_step}.")
    assert str(caught.value).endswith(next_step)


def test_failures_never_quote_the_model() -> None:
    canary = "canary-5e1f"
    shelf = library(a="one")
    calls: list[Callable[[], object]] = [
        lambda: shelf.scan_term(canary * 30),
        lambda: shelf.scan_term("one", canary),
        lambda: shelf.list_blocks(canary),
        lambda: shelf.list_blocks("a.md", first=918273),
        lambda: shelf.list_blocks("a.md", limit=918273),
    ]
    for call in calls:
        with pytest.raises(ToolError) as caught:
            call()
        assert "canary" not in str(caught.value)
        assert "918273" not in str(caught.value)


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=250)


@example("# half \ud800", "\ud800", "only.md", 1, 1)
@given(ANY_TEXT, ANY_TEXT, st.none() | st.sampled_from(["only.md"]) | ANY_TEXT, st.integers(), st.integers())
def test_no_input_raises_anything_but_a_tool_error(
    text: str, term: str, document: str | None, first: int, limit: int
) -> None:
    shelf = library(only=text)
    dumps(shelf.list_documents())
    calls: list[Callable[[], object]] = [
        lambda: shelf.scan_term(term, document),
        lambda: shelf.list_blocks(document or "only.md", first, limit),
        lambda: shelf.list_blocks("only.md", 1, abs(limit) % 20 + 1),
    ]
    for call in calls:
        try:
            result = call()
        except ToolError:
            continue
        dumps(result)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("a" * 200_000, "a" * 200),
        ("哈" * 200_000, "哈" * 199 + "嗨"),
        ("a " * 100_000, "a " * 99 + "b"),
        (f"a{' ' * 200_000}", "a b"),
        ("a\n" * 100_000, "a"),
        ("# a\n" * 50_000, "a"),
        ("\n \t" * 70_000, "a"),
        ("e" + "\u0301\u0323" * 500, "e"),
    ],
)
def test_hostile_texts_are_read_quickly(text: str, term: str) -> None:
    shelf = library(a=text)
    shelf.list_documents()
    shelf.scan_term(term)


# --- what an agent is offered


def test_the_tools_are_offered_with_types_and_a_description() -> None:
    offered = library(a="one").tools()
    assert [tool.__name__ for tool in offered] == ["list_documents", "scan_term", "list_blocks"]
    for tool in offered:
        hints = get_type_hints(tool)
        assert hints.pop("return") == dict[str, object]
        description = (tool.__doc__ or "").splitlines()[0]
        assert description.endswith(".")
        for name in hints:
            assert f"    {name}: " in (tool.__doc__ or "")
    assert get_type_hints(offered[1])["document"] == (str | None)
    assert offered[0]()["count"] == 1


# --- loading a folder


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b.TXT").write_bytes(b"\xef\xbb\xbfgate")
    (tmp_path / "a.md").write_bytes("cafe\u0301\r\n\r\ntwo".encode())
    (tmp_path / "c.rst").write_text("gate", encoding="utf-8")
    (tmp_path / ".hidden.md").write_bytes(b"\xff")
    (tmp_path / "folder.md").mkdir()
    shelf = DocumentLibrary.load(str(tmp_path))
    assert [(each.name, each.blocks) for each in shelf.documents] == [
        ("a.md", ("caf\u00e9", "two")),
        ("b.TXT", ("gate",)),
    ]


def test_a_text_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("Zürich".encode("latin-1"))
    with pytest.raises(LoadError, match=r"a\.md: UTF-8 was expected; byte 1"):
        DocumentLibrary.load(tmp_path)


def test_a_missing_or_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="a folder of documents was expected"):
        DocumentLibrary.load(tmp_path / "nowhere")
    with pytest.raises(LoadError, match=r"\.md or \.txt were expected, found 0"):
        DocumentLibrary.load(tmp_path)


def test_a_library_is_bounded(tmp_path: Path) -> None:
    big = tmp_path / "big.md"
    big.write_bytes(b"x" * MAX_BYTES)
    assert DocumentLibrary.load(tmp_path).list_documents()["count"] == 1
    (tmp_path / "more.md").write_bytes(b"x")
    with pytest.raises(LoadError, match=f"hold {MAX_BYTES + 1} bytes"):
        DocumentLibrary.load(tmp_path)
    big.unlink()
    for number in range(MAX_FILES):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(LoadError, match=f"found {MAX_FILES + 1}"):
        DocumentLibrary.load(tmp_path)


def test_names_that_look_the_same_are_refused(tmp_path: Path) -> None:
    (tmp_path / "caf\u00e9.md").touch()
    (tmp_path / "cafe\u0301.md").touch()
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system does not tell the two names apart")
    with pytest.raises(LoadError, match="normal form C"):
        DocumentLibrary.load(tmp_path)


def test_a_name_is_found_in_either_unicode_form(tmp_path: Path) -> None:
    (tmp_path / "cafe\u0301.md").write_text("gate", encoding="utf-8")
    shelf = DocumentLibrary.load(tmp_path)
    assert shelf.scan_term("gate", "caf\u00e9.md")["count"] == shelf.scan_term("gate", "cafe\u0301.md")["count"] == 1
