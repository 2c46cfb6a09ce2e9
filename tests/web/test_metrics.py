"""What Prometheus gets: the numbers of the key's workspace, in its format; and the dashboard over them."""

import json
import re
from pathlib import Path

import pytest

from relance.services import mailboxes, numbers
from relance.testing import builders
from web.house import House

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
METRIC = re.compile(r"\brelance_[a-z_]+\b")


async def asked(house: House, who: str = "viewer") -> str:
    """Return what is answered."""
    async with house.program(who) as program:
        answer = await program.get("/metrics")

    assert (200, "text/plain; version=0.0.4; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    return answer.text


def enroll(tx, house: House) -> None:
    """Let one person into a sequence with an awkward name, and connect a mailbox."""
    builders.mailbox(tx, house.workspace, "bo@ours.example", now=house.clock.now())
    builders.published(tx, house.workspace, builders.plan(name='q"4'), now=house.clock.now())
    lead = builders.lead(tx, house.workspace, "ann@lead.example", now=house.clock.now())
    builders.enrollment(tx, house.workspace, lead, 'q"4', keys=house.installation.keys, now=house.clock.now())
    numbers.fold(tx, limit=100)


async def test_the_numbers_are_those_of_the_keys_workspace(house: House):
    """And of no other; nobody is named."""
    await house.installation.write(enroll, house)
    ours, theirs = await asked(house), await asked(house, "stranger")

    assert 'relance_enrollments{sequence="q\\"4",status="active"} 1\n' in ours
    assert 'relance_mailbox_active{mailbox="bo@ours.example"} 1\n' in ours
    assert "q\\" not in theirs
    assert "ann@" not in ours


async def test_a_removed_mailbox_is_not_told_of(house: House):
    """An alert about it would never end."""
    await house.installation.write(enroll, house)
    (box,) = await house.installation.read(mailboxes.of_workspace, house.workspace.id)
    await house.installation.write(mailboxes.remove, box, now=house.clock.now())

    assert "bo@ours.example" not in await asked(house)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer rel_no"}, {"Authorization": "Basic eDp5"}])
async def test_without_a_key_there_are_no_numbers(house: House, headers: dict[str, str]):
    """How much somebody sends is nobody else's business."""
    async with house.stranger() as browser:
        answer = await browser.get("/metrics", headers=headers)

    assert (401, "Bearer") == (answer.status_code, answer.headers["www-authenticate"])


async def test_each_line_is_one_that_prometheus_reads(house: House):
    """A help and a type before the first value of each."""
    await house.installation.write(enroll, house)
    text = await asked(house)
    line = re.compile(r'(# HELP \w+ .+|# TYPE \w+ (counter|gauge)|\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? -?\d+(\.\d+)?)')

    assert [] == [each for each in text.splitlines() if not line.fullmatch(each)]


async def test_page_and_dashboard_name_what_there_is(house: House):
    """A panel over a metric that is not there is an empty panel."""
    there = set(METRIC.findall(await asked(house)))
    page = set(re.findall(r"^\| `(relance_[a-z_]+)`", (HOW_TO / "watch-with-prometheus.md").read_text(), re.MULTILINE))
    dashboard = json.loads((HOW_TO / "relance-dashboard.json").read_text())
    drawn = {
        name for panel in dashboard["panels"] for target in panel["targets"] for name in METRIC.findall(target["expr"])
    }

    assert there == page
    assert drawn <= there
