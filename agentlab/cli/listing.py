"""`agentlab cases`, `agentlab formats`, `agentlab rules`, `agentlab schema`: what there is."""

from __future__ import annotations

import json
from dataclasses import asdict, astuple, fields

import click

from agentlab.audit.catalogue import RULES
from agentlab.audit.diagnosis.symptoms import SYMPTOMS
from agentlab.audit.outputs.document import AuditDocument
from agentlab.audit.outputs.examples import EXAMPLES
from agentlab.audit.outside import proposals_schema
from agentlab.audit.rules.base import Rule
from agentlab.cli.checkdocument import CheckDocument
from agentlab.cli.console import example, print_json, print_table, print_text
from agentlab.cli.parsedocument import ParseDocument
from agentlab.errors import unknown_name
from agentlab.experiments.case import CaseFile, case_names, load_case
from agentlab.experiments.conditions import Condition
from agentlab.experiments.document import ResultsDocument, StudyDocument
from agentlab.formats.base import Proofs
from agentlab.formats.catalogue import FORMATS, all_formats
from agentlab.trace.codec import event_schema
from agentlab.trace.store import Manifest

__all__ = ["cases_command", "formats_command", "rules_command", "schema_command"]

_PACKED = "Read as they are, packed as .gz, .bz2, .xz or .zst, and as members of a .zip."

_SCHEMAS = {
    "audit": AuditDocument.model_json_schema,
    "case": CaseFile.model_json_schema,
    "check": CheckDocument.model_json_schema,
    "condition": Condition.model_json_schema,
    "journal": event_schema,
    "parse": ParseDocument.model_json_schema,
    "proposals": proposals_schema,
    "results": ResultsDocument.model_json_schema,
    "run": Manifest.model_json_schema,
    "study": StudyDocument.model_json_schema,
}


@click.command("cases", epilog=example("agentlab cases"))
def cases_command() -> None:
    """List the cases that come with agentlab."""
    rows = [[name, (file := load_case(name).file).title, " ".join(file.about.split())] for name in case_names()]
    print_table("Cases", ["name", "question", "what it teaches"], rows)


@click.command("rules", epilog=example("agentlab rules contamination"))
@click.argument("rule", default="")
def rules_command(rule: str) -> None:
    """List the audit's rules, or print the page of one RULE."""
    if not rule:
        print_table("Rules", ["id", "severity", "meaning"], [[r.id, r.severity, r.meaning] for r in RULES.values()])
        return
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    print_text(_rule_page(RULES[rule]))


def _rule_page(rule: Rule) -> str:
    """What a teacher may want to say of a rule, with an example to try."""
    shown = EXAMPLES[rule.id]
    symptoms = [symptom for symptom in SYMPTOMS if rule.id in symptom.rules]
    return "\n\n".join(
        [
            f"{rule.id} ({rule.severity})",
            f"Meaning, and when it is not raised or weighs less:\n{rule.meaning}",
            f"Likely cause: {rule.cause}\nCheck first: {rule.check}",
            *(f"Symptom it shows: {each.name}. Look at the {each.layer.replace('_', ' ')}." for each in symptoms),
            f"Example: {shown.why}\nThe lines below, saved as example.json, can be audited as they are:\n\n{shown}",
        ]
    )


@click.command("schema", epilog=example("agentlab schema study"))
@click.argument("name")
def schema_command(name: str) -> None:
    """Print the JSON Schema of a document agentlab reads or writes.

    NAME is audit, case, check, condition, journal, parse, proposals, results, run or study.
    """
    if name not in _SCHEMAS:
        raise unknown_name("schema", name, _SCHEMAS)
    print_json(json.dumps(_SCHEMAS[name](), indent=2))


@click.command("formats", epilog=example("agentlab formats", "agentlab formats openai-chat"))
@click.argument("name", default="")
def formats_command(name: str) -> None:
    """List the formats that can be read, or print the page of one, by NAME.

    The list says what the files of each can prove. present: such facts are recorded. absent: the format has no place
    for them. depends: on the file or on its writer.
    """
    kinds = [field.name for field in fields(Proofs)]
    if name:
        form = FORMATS.get(name)
        proofs = "\n".join(f"  {kind:<11} {proof}" for kind, proof in asdict(form.proofs).items())
        print_text(f"{form.name}\n\n{form.sentence}\n{form.url}\n\n{_PACKED}\n\nIts files record\n{proofs}")
        return
    rows = [[form.name, *astuple(form.proofs), form.sentence] for form in all_formats()]
    print_table("Formats", ["format", *kinds, "what it is"], rows)
