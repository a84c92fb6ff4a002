from __future__ import annotations

import json

import pytest

from agentlab.audit.catalogue import RULES
from agentlab.audit.outputs.examples import EXAMPLES
from agentlab.experiments.case import case_names
from tests.cli.conftest import Call

SCHEMAS = ("audit", "case", "check", "condition", "journal", "parse", "proposals", "results", "run", "study")


def test_cases_are_listed(call: Call) -> None:
    called = call("cases")
    assert (called.code, called.err) == (0, "")
    for name in case_names():
        assert name in called.out


def test_rules_are_listed_and_each_has_a_page(call: Call) -> None:
    listed = call("rules")
    assert (listed.code, listed.err) == (0, "")
    for name in RULES:
        assert name in listed.out
        page = call("rules", name)
        assert page.code == 0
        assert page.out.startswith(f"{name} (")
        assert "Check first: " in page.out
        example = page.out[page.out.index("\n[\n") :]
        assert json.loads(example) == [dict(message) for message in EXAMPLES[name].messages]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_json_schema(name: str, call: Call) -> None:
    called = call("schema", name)
    assert (called.code, called.err) == (0, "")
    schema = json.loads(called.out)
    assert {"properties", "oneOf", "items"} & schema.keys()


def test_the_study_s_schema_has_the_published_keys(call: Call) -> None:
    schema = json.loads(call("schema", "study").out)
    assert schema["properties"].keys() == {"schema", "run", "case", "conditions", "comparisons", "requirement"}
    assert "requirement" not in schema["required"]


@pytest.mark.parametrize(("command", "kind"), [("schema", "schema"), ("rules", "rule")])
def test_an_unknown_name_lists_what_there_is(command: str, kind: str, call: Call) -> None:
    known = SCHEMAS if command == "schema" else sorted(RULES)
    assert call(command, "nothing").refusal == (
        f"agentlab: There is no {kind} 'nothing'. What there is: {', '.join(known)}.\n"
    )


def test_the_help_names_every_schema(call: Call) -> None:
    assert "NAME is audit, case, check, condition, journal, parse, proposals, results, run or study." in " ".join(
        call("schema", "--help").out.split()
    )
