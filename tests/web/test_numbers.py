"""Numbers in the browser: counted, drawn, compared with an interval, and handed out as CSV."""

import csv
from datetime import date, timedelta
from io import StringIO

import pytest

from relance.ports.store import Transaction
from relance.services import numbers
from relance.testing import builders
from relance.web import plots
from relance.web.console.numbers import compared
from web.house import House

_NONE = {"contacted": 0, "sent": 0, "replied": 0, "positive": 0, "auto": 0, "bounced": 0, "opted_out": 0}


async def counted(house: House, day: date, **counts: int) -> None:
    """Write changes as sends do, for one step in two wordings."""

    def write(tx: Transaction) -> None:
        box = builders.mailbox(tx, house.workspace, "bo@acme.example", now=house.clock.now())
        sequence = builders.published(tx, house.workspace, builders.plan(), now=house.clock.now())
        place = {"workspace_id": house.workspace.id, "sequence_id": sequence.id, "mailbox_id": box.id}
        for variant in ("a", "b"):
            facts = {"step": "intro", "variant": variant, "day": day.isoformat(), **_NONE, **counts}
            tx.run("numbers.change", **place, **facts)

    await house.installation.write(write)


async def test_what_was_sent_and_came_back_stands_on_the_page(house):
    """With the step's wordings, once a sequence is chosen."""
    await counted(house, house.clock.now().date(), contacted=200, sent=200, replied=30, positive=4)
    async with house.browser("viewer") as browser:
        page = (await browser.get(house.path("numbers"))).text
        one = (await browser.get(f"{house.path('numbers')}?sequence=1")).text

    assert "15.0 %" in page
    assert "bo@acme.example" in page
    assert "no difference is shown yet" in one
    assert '<svg class="plot"' in page


async def test_before_anything_is_sent_the_page_says_so(house):
    """And where to begin."""
    async with house.browser() as browser:
        page = await browser.get(house.path("numbers"))

    assert (200, True) == (page.status_code, "Nothing was sent in this period" in page.text)


@pytest.mark.parametrize(
    "by, first", [("day", "day"), ("step", "step"), ("sequence", "sequence"), ("mailbox", "mailbox")]
)
async def test_the_same_numbers_come_as_csv(house, by, first):
    """For a spreadsheet, which shall take no name for a formula."""
    await counted(house, house.clock.now().date(), contacted=2, sent=3)
    query = f"by={by}" + ("&sequence=1" if by == "step" else "")
    async with house.browser("viewer") as browser:
        answer = await browser.get(f"{house.path('numbers.csv')}?{query}")
    head, *rows = csv.reader(StringIO(answer.text))

    assert first == head[0]
    assert 6 == sum(int(row[head.index("sent")]) for row in rows)


async def test_another_period_begins_later(house):
    """What was before it is not counted."""
    await counted(house, house.clock.now().date() - timedelta(days=10), contacted=7, sent=7)
    async with house.browser() as browser:
        week = (await browser.get(f"{house.path('numbers')}?days=7")).text
        month = (await browser.get(f"{house.path('numbers')}?days=30")).text

    assert "Nothing was sent in this period" in week
    assert "Nothing was sent in this period" not in month


def test_a_wording_is_compared_with_the_first_of_its_step():
    """And a difference that the data do not show is called none."""
    rows = [
        numbers.StepNumbers(step="intro", variant=name, contacted=sent, sent=sent, replied=replied)
        for name, sent, replied in (("a", 100, 10), ("b", 100, 12), ("c", 5_000, 1_000))
    ]
    found = compared(rows)

    assert [None, False, True] == [one.against.shown if one.against is not None else None for one in found]
    assert [None, "a", "a"] == [one.first for one in found]


@pytest.mark.parametrize("most", [0, 1, 3, 7, 99, 1_234_567])
def test_a_plot_keeps_to_its_frame(most):
    """Whatever the largest value; and the days that had nothing have no bar."""
    first = date(2026, 11, 1)
    plot = plots.by_day(first, first + timedelta(days=29), {first: most}, [{first: most // 2}], word="sent")
    points = [float(one.split(",")[1]) for one in plot.lines[0].split()]

    assert plot.top >= most
    assert (1 if most else 0) == len(plot.bars)
    assert all(0 <= bar.y and bar.y + bar.height <= plots.HEIGHT for bar in plot.bars)
    assert all(0 <= y <= plots.HEIGHT for y in points)
