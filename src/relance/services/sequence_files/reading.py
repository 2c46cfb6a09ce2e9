"""A sequence file as a plan, or as every problem it has.

What is no sequence at all (unknown keys, wrong types, templates that do not compile) is noted while the file is read;
what can be written and must not be walked (`relance.core.plan_problems`) is noted of whatever could be read. Whoever
corrects the file sees all of it at once. A plan without problems may be published.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from relance.core import plan_problems
from relance.core.sequence import Plan
from relance.services.sequence_files.folder import Folder, Kept
from relance.services.sequence_files.forms import Form, Notes
from relance.services.sequence_files.nodes import FileProblemError, Mapped, Node, Problem, kind_of
from relance.services.sequence_files.parsing import MAX_BYTES, parse_json, parse_yaml
from relance.services.sequence_files.policies import read_policies
from relance.services.sequence_files.steps import read_steps

JSON_ENDING = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """A plan that may be published."""

    file: str
    plan: Plan
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)  #: Of what it attaches, by SHA-256 in hex.


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """Everything that is wrong, in the order of the file; never empty."""

    file: str
    problems: tuple[Problem, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per problem, with file, line, step and remedy."""
        return tuple(problem.at(self.file) for problem in self.problems)


Reading = Sound | Broken


def read_sequence_file(path: Path, *, today: date) -> Reading:
    """Read a file; holidays are frozen from `today` on. Raises OSError."""
    if path.stat().st_size > MAX_BYTES:
        return _broken(str(path), FileProblemError(f"it has more than {MAX_BYTES} bytes", "write a shorter sequence"))
    raw = path.read_bytes()
    try:
        text = _decode(raw)
    except FileProblemError as error:
        return _broken(str(path), error)
    return read_sequence_text(text, file=str(path), today=today, folder=path.parent)


def read_sequence_text(text: str, *, file: str, today: date, folder: Path | Kept | None = None) -> Reading:
    """Read the text of a file; one whose name ends in `.json` is JSON, all others are YAML.

    `folder` is where its attachments lie, or what a draft has of them; a text without one can attach nothing.
    """
    try:
        root = parse_json(text) if file.lower().endswith(JSON_ENDING) else parse_yaml(text)
        form, notes = _open(root)
    except FileProblemError as error:
        return _broken(file, error)
    policies = read_policies(form, today=today)
    beside = folder if isinstance(folder, Kept) else Folder(folder)
    steps = read_steps(form, beside)
    plan = Plan(steps=steps.steps, **policies.fields)
    for problem in plan_problems.problems(plan):
        line = steps.lines.get(problem.step) if problem.step else form.node.line
        notes.add(line, problem.step, problem.message, problem.remedy)
    if not notes.found:
        return Sound(file=file, plan=plan, contents=beside.contents)
    ordered = sorted(notes.found, key=lambda problem: problem.line or 0)
    return Broken(file=file, problems=tuple(dict.fromkeys(ordered)))


def _open(root: Node) -> tuple[Form, Notes]:
    if not isinstance(root, Mapped):
        raise FileProblemError(
            f"the file holds {kind_of(root)}", "write keys and values: name: …, then steps: …", root.line
        )
    notes = Notes()
    return Form(root, notes), notes


def _decode(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileProblemError("it is not text in UTF-8", "save the file as UTF-8", line) from error
    if "\0" in text:
        raise FileProblemError(
            "it holds NUL bytes", "save the file as UTF-8", text.count("\n", 0, text.index("\0")) + 1
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _broken(file: str, error: FileProblemError) -> Broken:
    return Broken(file=file, problems=(error.problem,))
