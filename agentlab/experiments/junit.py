"""A formal evaluation as JUnit XML, as build servers read it: one test case a condition.

Attempts are no test cases of their own: one that fails is no failure where K of N succeed. They stand in the case's
output, and in the failure's text where there is one. The format has no standard; this is what Jenkins and GitLab read,
https://github.com/testmoapp/junitxml.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from agentlab.experiments.formal import Formal, Verdict
from agentlab.experiments.results import StudyResult

__all__ = ["junit_xml"]

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, section 2.2."""


def junit_xml(result: StudyResult, formal: Sequence[Formal]) -> str:
    """The document, in UTF-8.

    Args:
        result: the study.
        formal: its conditions, held to a requirement.
    """
    failed = sum(not each.passed for each in formal)
    seconds = sum(each.condition.cost.seconds for each in formal)
    counts = {"tests": str(len(formal)), "failures": str(failed), "errors": "0", "time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", {"name": "agentlab study", **counts})
    suite = ET.SubElement(suites, "testsuite", {"name": _clean(result.case), **counts})
    properties = ET.SubElement(suite, "properties")
    manifest = result.store.manifest
    for name, value in (("run", manifest.run), ("provider", manifest.provider), ("seed", str(manifest.seed))):
        ET.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    for each in formal:
        _add(suite, result.case, each)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add(suite: ET.Element, case: str, each: Formal) -> None:
    attributes = {
        "name": _clean(each.condition.name),
        "classname": _clean(case),
        "time": f"{each.condition.cost.seconds:.3f}",
    }
    test = ET.SubElement(suite, "testcase", attributes)
    if not each.passed:
        failure = ET.SubElement(test, "failure", {"message": _clean(each.sentence), "type": "N/K"})
        failure.text = _clean("\n".join(_line(verdict) for verdict in each.verdicts if verdict.why))
    output = ET.SubElement(test, "system-out")
    output.text = _clean("\n".join([each.sentence, *(_line(verdict) for verdict in each.verdicts)]))


def _line(verdict: Verdict) -> str:
    return (
        f"{verdict.attempt.attempt} (attempt {verdict.attempt.index}): {verdict.why or 'succeeded within its bounds'}"
    )


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
