"""A case: a teachable task with its documents, tools, checks and the way a simulated model behaves in it.

A case is a folder with `case.toml` (format `agentlab.case/1`) and a folder of documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentlab.errors import LoadError, UsageError, unknown_name
from agentlab.experiments.bounds import Bounds
from agentlab.experiments.checks import AnswerNumber, Executed
from agentlab.experiments.resources import resource_folders
from agentlab.experiments.tomlfile import problems_of, read_toml
from agentlab.experiments.toolfields import misnamed
from agentlab.harness.contracts import ToolBox
from agentlab.harness.prompts import PROMPTS
from agentlab.providers.behaviour import Behaviour
from agentlab.tools.documents import DocumentLibrary
from agentlab.trace.values import Language

__all__ = ["Case", "CaseFile", "case_names", "load_case"]

Check = Annotated[AnswerNumber | Executed, Field(discriminator="kind")]


class CaseFile(BaseModel):
    """What `case.toml` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["agentlab.case/1"]
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: str
    about: str
    """What the case teaches, in a sentence or two."""
    task: Annotated[Mapping[Language, str], Field(min_length=1)]
    """The question, in each language the case has."""
    documents: Annotated[str, Field(pattern=r"^[^\x00]+$")] = "documents"
    """Folder of the documents, relative to the case."""
    tools: Annotated[list[str], Field(min_length=1)]
    prompt_version: str
    """Wording of the system prompt, for conditions that name none."""
    checks: Annotated[list[Check], Field(min_length=1)]
    bounds: Bounds = Bounds()
    """What one attempt may cost at most, where a formal evaluation counts it as a success."""
    simulated: Behaviour

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.prompt_version not in PROMPTS.names():
            raise ValueError(f"prompt_version is one of {', '.join(PROMPTS.names())}")
        for check in self.checks:
            if isinstance(check, Executed) and check.tool not in self.tools:
                raise ValueError(f"a check asks for an execution of {check.tool!r}, which is not among the tools")
        return self


@dataclass(frozen=True)
class Case:
    """A case as read from its folder."""

    folder: Path
    file: CaseFile
    digest: str
    """SHA-256 over the case file and its documents, names included."""

    def __repr__(self) -> str:
        return f"<Case {self.name!r} tools={', '.join(self.file.tools)} checks={len(self.file.checks)}>"

    @property
    def name(self) -> str:
        return self.file.name

    def task(self, language: Language) -> str:
        """The question in this language.

        Raises:
            UsageError: if the case does not have it.
        """
        if language not in self.file.task:
            raise UsageError(
                f"The case {self.name!r} has no task in {language!r}; it has {', '.join(sorted(self.file.task))}."
            )
        return self.file.task[language]

    @cached_property
    def toolbox(self) -> ToolBox:
        """The tools of the case, over its own documents."""
        offered = {tool.__name__: tool for tool in DocumentLibrary.load(self.folder / self.file.documents).tools()}
        for name in self.file.tools:
            if name not in offered:
                raise unknown_name("document tool", name, offered)
        return ToolBox(offered[name] for name in self.file.tools)


def case_names() -> tuple[str, ...]:
    """The cases that come with agentlab, by name."""
    folders = (case for root in resource_folders("data/cases") for case in root.iterdir())
    return tuple(sorted({folder.name for folder in folders if (folder / "case.toml").is_file()}))


def load_case(name: str | Path) -> Case:
    """Read a case by its name or its folder.

    Raises:
        UsageError: if there is no such case.
        LoadError: if its file is not a case, or names an argument or field its tools do not have; the message names it.
    """
    folder = _find(name)
    path = folder / "case.toml"
    try:
        file = CaseFile.model_validate(read_toml(path, "a case"))
    except ValidationError as error:
        raise LoadError(path, f"not a case of format agentlab.case/1: {problems_of(error)}") from None
    for problem in misnamed(file.checks, file.simulated.plan):
        raise LoadError(path, problem)
    documents = sorted(p for p in (folder / file.documents).glob("*") if p.is_file())
    inside = folder.resolve()
    for document in (folder / file.documents, *documents):
        if not document.resolve().is_relative_to(inside):
            raise LoadError(path, f"the documents of a case lie in its own folder; {str(document)!r} leads out of it")
    return Case(folder=folder, file=file, digest=_digest([path, *documents]))


def _find(name: str | Path) -> Path:
    given = Path(name)
    if (given / "case.toml").is_file():
        return given
    if given.name == "case.toml" and given.is_file():
        return given.parent
    for root in resource_folders("data/cases"):
        if given.parts == (given.name,) and (root / given.name / "case.toml").is_file():
            return root / given.name
    raise unknown_name("case", str(name), case_names())


def _digest(paths: Sequence[Path]) -> str:
    summed = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            summed.update(f"{path.name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return summed.hexdigest()
