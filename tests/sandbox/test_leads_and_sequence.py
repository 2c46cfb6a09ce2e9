"""The demo's leads and its sequence."""

import csv
from collections import Counter
from pathlib import Path

import pytest
import yaml
from email_validator import validate_email
from hypothesis import given
from hypothesis import strategies as st

from relance.sandbox.leads import DEMO_SCRIPT, sequence_text, write_leads, write_sequence
from relance.sandbox.world import mailboxes_for


@pytest.mark.parametrize("count", [1, 10, 300, 2_000])
def test_a_lead_file_has_exactly_the_leads_asked_for(tmp_path: Path, count: int):
    """Duplicates and broken rows come on top of the valid, different addresses."""
    made = write_leads(tmp_path / "leads.csv", count, seed=5)
    with made.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    valid = [row["E-Mail"].lower() for row in rows if "@@" not in row["E-Mail"] and "@" in row["E-Mail"]]

    assert count == len(set(valid)) == len(made.addresses)
    assert (set(made.addresses), made.duplicates) == (set(valid), len(valid) - count)
    assert count + made.duplicates + made.invalid == len(rows)
    for address in made.addresses[:50]:
        assert address == validate_email(address, check_deliverability=False).normalized


def test_some_leads_lack_a_first_name_and_some_share_a_company(tmp_path: Path):
    """So that defaults and company rules have work."""
    made = write_leads(tmp_path / "leads.csv", 300, seed=5)
    with made.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert 5 < sum(not row["First name"] for row in rows) < 60
    assert max(Counter(row["Company"] for row in rows).values()) > 1


def test_the_same_seed_writes_the_same_leads(tmp_path: Path):
    """Another seed writes others."""
    one, two, other = (write_leads(tmp_path / f"{n}.csv", 20, seed=seed) for n, seed in enumerate((1, 1, 2)))

    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.addresses != other.addresses


def test_the_sequence_has_three_mails_a_wait_and_a_branch(tmp_path: Path):
    """And a variant, and the window of a European office."""
    sequence = yaml.safe_load(write_sequence(tmp_path / "s.yaml").read_text(encoding="utf-8"))
    kinds = Counter(step["kind"] for step in sequence["steps"])

    assert {"email": 3, "wait": 1, "branch": 1} == kinds
    assert ["09:00-17:00"] == sequence["window"]["intervals"]
    assert any("variants" in step for step in sequence["steps"])


def test_each_marker_gives_away_exactly_its_step():
    """The verdict recognises a step by a phrase that only its text has, on one line and outside of spintax."""
    steps = {step["id"]: step for step in yaml.safe_load(sequence_text())["steps"] if step["kind"] == "email"}

    assert set(steps) == set(DEMO_SCRIPT.markers)
    for name, phrase in DEMO_SCRIPT.markers.items():
        assert [name] == [each for each, step in steps.items() if phrase in " ".join(step["text"].split())]


@given(leads=st.integers(0, 10_000))
def test_mailboxes_grow_with_the_leads(leads: int):
    """One for each 40, and never fewer than eight."""
    assert mailboxes_for(leads) >= 8
    assert mailboxes_for(leads) * 40 >= leads
    assert mailboxes_for(leads) == 8 or (mailboxes_for(leads) - 1) * 40 < leads
