from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlab.audit.evidence.effects import effect_of, kind_of, kind_of_line, words_of
from agentlab.messages import Arguments


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("read_log", "read"),
        ("getBerth", "read"),
        ("harbour.list_berths", "read"),
        ("mcp__harbour__search_crates", "read"),
        ("web_search", "read"),
        ("check_opening_hours", "read"),
        ("job_status", "read"),
        ("build_status", "read"),
        ("test_results", "read"),
        ("update_status", "write"),
        ("run_test_suite", "check"),
        ("create_berth", "write"),
        ("updateCrate", "write"),
        ("cancel_booking", "write"),
        ("add_crate_to_list", "write"),
        ("send_note", "send"),
        ("post_comment", "send"),
        ("shareFile", "send"),
        ("run_tests", "check"),
        ("run_linter_checks", "check"),
        ("pytest", "check"),
        ("execute_query_plan", "run"),
        ("tide_agent", "run"),
        ("delegate_to_worker", "run"),
        ("finish", "finish"),
        ("final_answer", "finish"),
        ("submit_answer", "finish"),
        ("查询天气", "read"),
        ("发送邮件", "send"),
        ("email_search", "read"),
        ("code_lookup", "read"),
        ("order_berth", "write"),
        ("check_in_guest", "write"),
        ("build_project", "check"),
        ("写文件", "write"),
        ("zorb", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_tools_name_tells_what_it_does(tool: str, kind: str) -> None:
    assert effect_of(tool, {"x": 1}).kind == kind
    assert kind_of(tool, {"x": 1}) == kind


@pytest.mark.parametrize(
    ("line", "kind", "written"),
    [
        ("cat notes.md", "read", set()),
        ("cd deck && ls -la && git status", "read", set()),
        ("grep -rn mast src | head -5", "read", set()),
        ("git show --stat && cat pause.py", "read", set()),
        ("sed -n 1,5p notes.md", "read", set()),
        ("echo over", "read", set()),
        ("curl -s https://tides.example/today", "read", set()),
        ("echo tide > notes.md", "write", {"notes.md"}),
        ("sed -i s/a/b/ notes.md", "write", {"notes.md"}),
        ("rm -rf build/", "write", {"build/"}),
        ("cp a.txt out/b.txt", "write", {"out/b.txt"}),
        ("cat > deck.py <<'E'\nimport os; os.remove('x')\nE", "write", {"deck.py"}),
        ("curl -o page.html https://tides.example", "write", {"page.html"}),
        ("git commit -m 'a > b'", "write", set()),
        ("pytest --tb=no | tee out.txt", "check", {"out.txt"}),
        ("cd deck && timeout 60 poetry run pytest tests/test_mast.py", "check", set()),
        ("sudo -u ann make test 2>&1 | tail -5", "check", set()),
        ("python -m unittest", "check", set()),
        ("python tests/test_mast.py", "check", set()),
        ("./check_all.sh", "check", set()),
        ("npm run lint", "check", set()),
        ("node --test", "check", set()),
        ("go vet ./...", "check", set()),
        ("cargo build", "check", set()),
        ("python load.py", "run", set()),
        ("./load --all", "run", set()),
        ("docker run crane", "run", set()),
        ("git push depot main", "send", set()),
        ("curl -X POST https://tides.example -d @f", "send", set()),
        ("gh pr create", "send", set()),
    ],
)
def test_a_shell_line_tells_what_it_does(line: str, kind: str, written: set[str]) -> None:
    found = effect_of("bash", {"command": line})
    assert found.kind == kind
    assert written <= found.written
    assert found.written <= found.names
    assert kind_of_line(line) == kind


def test_a_shell_line_names_what_it_acts_on() -> None:
    found = effect_of("run_command", {"cmd": "git push depot main && rm old.txt", "cwd": "/srv/deck"})
    assert {"depot", "main", "old.txt", "/srv/deck"} <= found.names
    assert found.kinds == {"send", "write"}
    assert found.programs == ("git", "rm")


def test_a_list_of_words_is_a_line_too() -> None:
    assert effect_of("shell", {"command": ["bash", "-lc", "pytest -q"]}).kind == "check"
    assert effect_of("shell", {"command": ["rm", "a.txt"]}).written == {"a.txt"}
    assert effect_of("bash", "rm a.txt").written == {"a.txt"}


def test_an_editors_command_is_its_verb() -> None:
    assert effect_of("text_editor", {"command": "view", "path": "a.py"}).kind == "read"
    assert effect_of("text_editor", {"command": "str_replace", "path": "a.py"}).written == {"a.py", "str_replace"}


@pytest.mark.parametrize(
    ("code", "kind", "written"),
    [
        ("x = 3\nprint(x * 2)", "run", set()),
        ("with open('out.csv', 'w') as f:\n    f.write('a')", "write", {"out.csv"}),
        ("open('in.csv')", "run", set()),
        ("df.to_csv('out.csv')", "write", {"out.csv"}),
        ("Path('a/b.txt').write_text('x')", "write", {"a/b.txt"}),
        ("requests.post('https://tides.example', json={})", "send", set()),
        ("pytest.main(['-q'])", "check", set()),
    ],
)
def test_a_program_tells_what_it_does(code: str, kind: str, written: set[str]) -> None:
    found = effect_of("python", {"code": code})
    assert (found.kind, found.written) == (kind, written)
    assert "run" in found.kinds


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("run_sql", {"query": "select * from berths"}, "read"),
        ("db", {"sql": "DELETE FROM berths"}, "write"),
        ("search_notes", {"query": "Delete key on a laptop"}, "read"),
        ("http", {"method": "post", "url": "https://tides.example"}, "send"),
        ("http", {"method": "GET", "url": "https://tides.example"}, "read"),
        ("harbour", {"action": "create_berth"}, "write"),
    ],
)
def test_an_argument_may_tell_what_the_tool_is_asked_for(tool: str, arguments: Arguments, kind: str) -> None:
    assert effect_of(tool, arguments).kind == kind


def test_arguments_name_what_is_acted_on() -> None:
    found = effect_of("move_crate", {"crate": "C-7", "to": {"berth": 4, "note": "with great care"}, "urgent": True})
    assert found.names == {"C-7", "4"}
    assert found.written == found.names


def test_words_of_any_style() -> None:
    assert words_of("mcp__mail__sendHTTPNote2") == ("mcp", "mail", "send", "http", "note", "2")


@given(st.text(max_size=60), st.one_of(st.none(), st.text(), st.dictionaries(st.text(max_size=8), st.text())))
def test_any_call_has_an_effect(tool: str, arguments: Arguments | None) -> None:
    found = effect_of(tool, arguments)
    assert found.kind in found.kinds
    assert found.written <= found.names


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a/", "'", "$(", "x=", "(", "|", "\\", "<<A\n", "a b ", "http://a", "`", "open('"])
def test_hostile_arguments_are_read_in_no_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    effect_of("bash", {"command": text})
    effect_of("python", {"code": text})
    effect_of("write_log", {"path": text, "note": [text[:299]] * 300})
