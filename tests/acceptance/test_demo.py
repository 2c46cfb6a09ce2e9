"""The demo as a person runs it: one command, its last line, and what may be done with what it leaves behind."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KEYS = [
    "leads",
    "mailboxes",
    "sent",
    "replied",
    "auto_replied",
    "bounced",
    "unsubscribed",
    "completed",
    "ambiguous_settled",
    "double_sends",
    "sent_after_answer",
    "unfinished",
    "virtual_days",
    "seconds",
]
LIMIT = 110.0


def relance(*arguments, code=0):
    """Run the command line as a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "relance", *arguments], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert (code, "") == (done.returncode, done.stderr if code == 0 else "")
    return done.stdout


@pytest.mark.parametrize("seed", [1, 20261130])
def test_two_weeks_pass_and_both_promises_are_kept(seed):
    """Whoever runs it, with whatever seed, sees people answer, bounce and opt out, and nobody written to twice."""
    facts = json.loads(relance("demo", "--leads", "60", "--seed", str(seed), "--json").splitlines()[-1])

    assert list(facts) == KEYS
    assert (60, 8) == (facts["leads"], facts["mailboxes"])
    assert (0, 0, 0) == (facts["double_sends"], facts["sent_after_answer"], facts["unfinished"])
    assert 0 < min(facts[name] for name in ("replied", "auto_replied", "completed", "ambiguous_settled"))
    assert 60 == sum(facts[name] for name in ("replied", "bounced", "unsubscribed", "completed"))
    assert facts["sent"] >= 2 * facts["completed"]


def test_a_demo_that_is_kept_can_be_looked_into():
    """Nothing about its data directory is special: every other command works on it."""
    printed = relance("demo", "--leads", "10", "--keep")
    kept = next(line for line in printed.splitlines() if line.startswith("Kept: "))
    data = kept.split("--data ")[1].split(" ")[0]
    leads = [json.loads(line) for line in relance("--data", data, "lead", "list", "--json").splitlines()]
    audited = [json.loads(line) for line in relance("--data", data, "audit", "demo", "--json").splitlines()]
    explained = json.loads(relance("--data", data, "explain", leads[0]["email"], "--json"))

    assert 10 == len(leads)
    assert [] == [step for step in audited if step["twice"]]
    assert "demo" == explained["enrollments"][0]["sequence"]


def test_a_demo_that_ends_too_early_says_no_and_still_says_where_it_is_kept():
    """Exit 1 while somebody is unfinished; for a script stdout is facts alone, and the place stands on stderr."""
    command = [sys.executable, "-m", "relance", "demo", "--leads", "5", "--days", "1", "--keep", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    (facts,) = [json.loads(line) for line in done.stdout.splitlines()]
    data = Path(done.stderr.split("--data ")[1].split(" ")[0])
    kept = (data / "relance.db").exists()
    shutil.rmtree(data.parent)

    assert (1, True) == (done.returncode, kept)
    assert 0 < facts["unfinished"]
