"""The reference says what the code says: its written pages are written anew, its other pages are compared."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from datetime import date
from pathlib import Path

from docs.pages import ROOT, blocks
from relance.config import TOML_KEYS, Config, LogFormat, LogLevel
from relance.core.gates import GATES
from relance.core.mailbox import Pacing
from relance.core.plan_document import document_of
from relance.core.sequence import BranchStep, EmailStep, WaitStep
from relance.demo.outcome import Outcome
from relance.mail.classify import Confidence, Kind
from relance.mail.filters import FILTERS
from relance.services.lead_files.headers import WORDS
from relance.services.sequence_files import Sound, read_sequence_text
from relance.services.sequence_files.policies import KEYS, NOT_BUILT
from relance.services.sequence_files.steps import NOT_BUILT_KEYS, NOT_BUILT_KINDS

RELANCE = Path(sys.executable).with_name("relance")
REFERENCE = ROOT / "docs" / "reference"
WORD = re.compile(r"`([^`]+)`")


def page(name: str) -> str:
    """Return a page of the reference."""
    return (REFERENCE / name).read_text(encoding="utf-8")


def words_after(mark: str, text: str) -> set[str]:
    """Return what stands in backticks in the paragraph below a mark."""
    paragraph = text.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0]
    return set(WORD.findall(paragraph))


def rows(text: str) -> dict[str, str]:
    """Return the first cell of every table row, where it is one word in backticks, with the rest of the row."""
    found = re.findall(r"^\| `([^`]+)` \|(.*)\|$", text, re.MULTILINE)
    return dict(found)


def test_the_written_pages_are_up_to_date():
    """A command, gate or default changed without `make reference` is refused."""
    command = [sys.executable, "scripts/write_reference.py", "--check"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)


def test_the_example_of_a_sequence_file_is_sound_and_shows_every_kind_of_step():
    """What a person copies from the page can be published."""
    (example,) = [block for block in blocks(page("sequence-file.md")) if block.language == "yaml"]
    reading = read_sequence_text(example.text, file="example.yaml", today=date(2026, 11, 30))

    assert isinstance(reading, Sound), reading
    assert {EmailStep.kind, WaitStep.kind, BranchStep.kind} == {step.kind for step in reading.plan.steps}
    assert document_of(reading.plan)


def test_every_key_of_a_sequence_file_has_its_row():
    """No key is known to the reader of files and unknown to the reader of pages."""
    text = page("sequence-file.md")

    assert [] == [key for key in KEYS if key not in rows(text)]
    assert set(FILTERS) == words_after("filters", text)


def test_what_is_refused_for_now_is_listed_as_the_code_refuses_it():
    """A part that is built leaves the list; one that is not is not promised."""
    refused = page("sequence-file.md").partition("<!-- refused -->")[2]
    listed = {
        cells[1].strip(): set(WORD.findall(cells[2]))
        for line in refused.splitlines()
        if len(cells := line.split("|")) == 4
    }

    assert set(NOT_BUILT) == listed["the sequence"]
    assert set(NOT_BUILT_KEYS) == listed["a step's keys"]
    assert set(NOT_BUILT_KINDS) == listed["`kind`"]


def test_the_fields_of_a_lead_file_are_those_that_headers_are_matched_to():
    """A column that is recognised is on the page."""
    assert set(WORDS) == words_after("fields", page("csv.md"))


def test_the_settings_are_those_that_are_read():
    """Each has its environment variable, its key and its default."""
    text = page("settings.md")
    flat = {cell for row in text.splitlines() if row.startswith("|") for cell in WORD.findall(row)}

    assert {f"RELANCE_{name.upper()}" for name in ("data", *TOML_KEYS)} == {
        word for word in flat if word.startswith("RELANCE_")
    }
    assert set(TOML_KEYS) <= flat
    assert {Config().workspace, str(Config().log_level), str(Config().log_format), str(Config().data)} <= flat
    assert [] == [word for word in (*LogLevel, *LogFormat) if f"`{word}`" not in text]


def test_classify_prints_what_its_page_shows(tmp_path: Path):
    """The example's message, classified by the command, is the example's object."""
    text = page("classify.md")
    by_language = {block.language: block.text for block in blocks(text)}
    (tmp_path / "bounce.eml").write_text(by_language["eml"], encoding="utf-8")
    done = subprocess.run(
        [RELANCE, "classify", "bounce.eml", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert json.loads(by_language["json"]) == json.loads(done.stdout)
    assert [] == [kind for kind in Kind if kind not in rows(text)]
    assert [] == [word for word in Confidence if f"`{word}`" not in text]


def test_the_demo_of_the_readme_has_the_keys_of_a_demo():
    """The line that the demo ends with is shown as it is."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith('{"leads"')]
    facts = json.loads(line)

    assert [field.name for field in fields(Outcome)] == list(facts)
    assert (0, 0, 0) == (facts["double_sends"], facts["sent_after_answer"], facts["unfinished"])


#: Gates that are about a person or a run, and not about how fast and when messages leave.
NO_PACING = {
    "lock", "step_match", "status", "sequence_live", "recovery", "suppression", "lead_hold", "outcome_unknown",
}  # fmt: skip


def test_every_gate_and_every_field_of_pacing_is_on_its_page():
    """A new limit without its row, default and field is refused."""
    words = set(WORD.findall(page("pacing.md")))
    options = {f"--{field.name.replace('_', '-')}" for field in fields(Pacing) if field.name != "ramp"}

    assert set() == {gate.name for gate in GATES} - NO_PACING - words
    assert set() == (options | {"--no-ramp"}) - words
