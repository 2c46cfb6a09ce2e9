"""Importing a file in the browser: uploaded, mapped by guess, tried, imported, its bad rows as a file."""

import asyncio
import csv
import io
from datetime import timedelta

import httpx
import pytest

from relance.core.lead import Lead
from relance.ports.store import Reader, Transaction
from relance.services import lead_imports
from relance.services.lead_files import LeadRow
from relance.services.lead_imports import ImportStatus, LeadImport
from relance.services.refusals import RefusedError
from relance.testing import builders
from relance.web import importing
from web.house import House

#: Every fault of a file that people's programs write, a row each, beside rows that are right.
FAULTS = (
    "E-Mail;Vorname;Firma;Zeitzone;Größe;Firma\n"
    "anna@lead.example;Anna;Bäcker;Europe/Berlin;5;x\n"
    " ANNA@lead.example ;Anna-Lena;;;;\n"
    '"bert@lead.example";"Bert ""B."" Bo";"two\nlines";;;\n'
    "nobody;N;;;;\n"
    ";empty address;;;;\n"
    "cara@lead.example;Cara;;Mars/North;;\n"
    "dan@lead.example;D;a;;1;y;one too many\n"
    ";;;;;\n"
    "bo@acme.example;our own;;;;\n"
    'eve@lead.example;"never closed;;;;\n'
    "finn@lead.example;Finn;short\n"
    "gil@lead.example;G\x00;;;;\n"
)


@pytest.fixture
async def ready(house: House) -> House:
    """Return a house with a mailbox, a sequence, and anna among its leads."""

    def write(tx: Transaction) -> None:
        builders.mailbox(tx, house.workspace, "bo@acme.example", now=house.clock.now())
        builders.published(tx, house.workspace, now=house.clock.now())
        builders.lead(tx, house.workspace, "anna@lead.example", now=house.clock.now())

    await house.installation.write(write)
    house.clock.advance(timedelta(minutes=1))
    return house


async def upload(house: House, content: bytes, who: str = "member") -> httpx.Response:
    """Upload a file and open the page that follows."""
    async with house.browser(who) as browser:
        answer = await browser.post(house.path("leads/import"), files={"file": ("leads.csv", content, "text/csv")})
        return await browser.get(answer.headers["location"])


async def the_import(house: House) -> LeadImport:
    """Return the newest import."""
    return (await house.installation.read(lead_imports.newest, house.workspace.id, limit=1))[0]


async def done(house: House) -> LeadImport:
    """Let the background do its work."""
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name().startswith("import ")))
    return await the_import(house)


async def everybody(house: House) -> dict[str, Lead]:
    """Return every lead by address."""
    found = await house.installation.read(_all, house.workspace.id)
    return {lead.email: lead for lead in found}


def _all(reader: Reader, workspace_id: int) -> list[Lead]:
    return reader.all(Lead, "leads.of_workspace", workspace_id=workspace_id)


async def test_a_file_with_every_fault_is_imported_row_by_row(ready: House):
    """No row takes another along; each that is wrong comes back with its line and reason."""
    columns = await upload(ready, FAULTS.encode("utf-8-sig"))
    there = str(columns.url)
    words = {"column.0": "email", "column.1": "first_name", "column.2": "company", "column.3": "timezone"}
    async with ready.browser() as browser:
        tried = await browser.post(f"{there}/try", data={**words, "column.4": "", "list": "fair", "sequence": "q4"})
        nobody_yet = list(await everybody(ready))
        await browser.post(f"{there}/start")
        finished = await done(ready)
        page = await browser.get(there)
        errors = await browser.get(f"{there}/errors.csv")

    assert 'value="first_name"' in columns.text
    assert 'value="company"' in columns.text
    assert ["anna@lead.example"] == nobody_yet
    counts = {"rows": 12, "imported": 2, "merged": 2, "invalid": 6, "skipped": 2}
    assert counts == {name: finished.counts[name] for name in counts}
    assert all(f"<dd>{counts[name]}</dd>" in tried.text for name in ("rows", "imported", "merged", "skipped"))
    assert (ImportStatus.FINISHED, 12) == (finished.status, finished.rows_done)
    assert (3, "never closes" in page.text) == (finished.counts["enrolled"], True)
    found = await everybody(ready)
    assert {"anna@lead.example", "bert@lead.example", "finn@lead.example"} == found.keys()
    assert ("Anna-Lena", "Bäcker", "Europe/Berlin") == (
        found["anna@lead.example"].fields["first_name"],
        found["anna@lead.example"].fields["company"],
        found["anna@lead.example"].timezone,
    )
    assert "size" not in str(found["anna@lead.example"].fields)
    rows = list(csv.reader(io.StringIO(errors.text)))
    assert ["line", "reason", "E-Mail", "Vorname"] == rows[0][:4]
    assert ["6", "7", "8", "9", "12", "14"] == [row[0] for row in rows[1:]]
    assert not list(ready.installation.config.data.joinpath("uploads").iterdir())


async def test_who_is_known_is_left_alone_where_that_is_chosen(ready: House):
    """Neither changed, nor put on the list, nor enrolled; who comes twice in the file is one new person."""
    there = str(
        (await upload(ready, b"email,first_name\nanna@lead.example,X\nnew@lead.example,A\nnew@lead.example,B\n")).url
    )
    async with ready.browser() as browser:
        tried = await browser.post(f"{there}/try", data={"known": "skip", "list": "fair", "sequence": "q4"})
        await browser.post(f"{there}/start")
    finished = await done(ready)

    assert "left alone" in tried.text
    assert (1, 1, 1, 1) == tuple(finished.counts[name] for name in ("imported", "merged", "skipped", "enrolled"))
    assert "Ann" == (await everybody(ready))["anna@lead.example"].fields["first_name"]


async def test_an_import_that_was_killed_goes_on_behind_its_last_batch(ready: House, monkeypatch: pytest.MonkeyPatch):
    """Nobody is lost, and nobody is counted twice; while it moves nobody can start it again."""
    monkeypatch.setattr(importing, "BATCH", 2)
    content = "email\n" + "".join(f"p{number}@lead.example\n" for number in range(7))
    there = str((await upload(ready, content.encode())).url)
    wanted = await the_import(ready)
    running = await ready.installation.write(lead_imports.begin, wanted, now=ready.clock.now())
    rows = [LeadRow(line=n + 2, email=f"p{n}@lead.example", values={}, raw=("",)) for n in range(2)]
    keys = ready.installation.keys
    await ready.installation.write(lead_imports.advance, running, rows, keys=keys, now=ready.clock.now())
    async with ready.browser() as browser:
        too_early = await browser.post(f"{there}/start")
        ready.clock.advance(lead_imports.STILL + timedelta(seconds=1))
        stands = await browser.get(there)
        await browser.post(f"{there}/start")
    finished = await done(ready)

    assert 303 == too_early.status_code
    assert "stands still" in stands.text
    assert (ImportStatus.FINISHED, 7, 7) == (finished.status, finished.rows_done, finished.counts["imported"])


async def test_two_who_import_one_file_do_not_import_it_twice(ready: House):
    """The second one's batch changes nothing."""
    await upload(ready, b"email\na@lead.example\n")
    wanted = await the_import(ready)
    running = await ready.installation.write(lead_imports.begin, wanted, now=ready.clock.now())
    row = LeadRow(line=2, email="a@lead.example", values={}, raw=("a@lead.example",))
    keys = ready.installation.keys

    await ready.installation.write(lead_imports.advance, running, [row], keys=keys, now=ready.clock.now())
    with pytest.raises(RefusedError):
        await ready.installation.write(lead_imports.advance, running, [row], keys=keys, now=ready.clock.now())

    assert 1 == (await the_import(ready)).counts["imported"]


@pytest.mark.parametrize(
    "content, words",
    [
        (b"PK\x03\x04 a spreadsheet", "save it as CSV"),
        (b"", "empty"),
        (b"name,company\nAnna,Acme\n", "no column with an e-mail address"),
    ],
)
async def test_what_is_no_table_of_people_is_said_in_words(ready: House, content: bytes, words: str):
    """With what to do, and without the path where the file lies."""
    page = await upload(ready, content)

    assert 422 == page.status_code
    assert words in page.text
    assert str(ready.installation.config.data) not in page.text


async def test_a_file_whose_headers_say_nothing_is_mapped_by_hand(ready: House):
    """Any column may hold the addresses."""
    there = str((await upload(ready, "wer,wo\nx@lead.example,Köln\n".encode("cp1252"))).url)
    async with ready.browser() as browser:
        twice = await browser.post(f"{there}/try", data={"column.0": "email", "column.1": "email"})
        await browser.post(f"{there}/try", data={"column.0": "email", "column.1": "city"})
        await browser.post(f"{there}/start")
    await done(ready)

    assert 422 == twice.status_code
    assert "Köln" == (await everybody(ready))["x@lead.example"].fields["city"]


async def test_an_upload_is_bounded_and_its_import_is_its_workspaces_own(ready: House):
    """A viewer uploads nothing, and a stranger sees nothing."""
    columns = await upload(ready, b"email\na@lead.example\n")
    number = (await the_import(ready)).id
    async with ready.browser("viewer") as browser:
        forbidden = await browser.post(ready.path("leads/import"), files={"file": ("a.csv", b"email\n", "text/csv")})
    async with ready.browser("stranger") as browser:
        answers = [
            await browser.get(f"/w/other/leads/import/{number}"),
            await browser.get(f"/w/other/leads/import/{number}/errors.csv"),
            await browser.post(f"/w/other/leads/import/{number}/start"),
        ]
    async with ready.browser() as browser:
        huge = await browser.post(
            ready.path("leads/import"), content=b"", headers={"content-length": str(10**9), "content-type": "text/csv"}
        )

    assert 200 == columns.status_code
    assert 403 == forbidden.status_code
    assert [404, 404, 404] == [answer.status_code for answer in answers]
    assert 413 == huge.status_code
    assert {"anna@lead.example"} == (await everybody(ready)).keys()


async def test_files_that_nobody_imports_do_not_fill_the_disk(ready: House, monkeypatch: pytest.MonkeyPatch):
    """The newest are kept."""
    monkeypatch.setattr(lead_imports, "WAITING", 2)
    for _ in range(4):
        await upload(ready, b"email\na@lead.example\n")

    assert 2 == len(await ready.installation.read(lead_imports.newest, ready.workspace.id, limit=9))
    assert 2 == len(list(ready.installation.config.data.joinpath("uploads").iterdir()))


async def test_old_imports_are_forgotten_with_their_files(ready: House):
    """What people uploaded about others is not kept for nothing."""
    await upload(ready, b"email\na@lead.example\n")
    ready.clock.advance(lead_imports.KEPT + timedelta(days=1))
    await upload(ready, b"email\nb@lead.example\n")

    assert 1 == len(await ready.installation.read(lead_imports.newest, ready.workspace.id, limit=9))
    assert 1 == len(list(ready.installation.config.data.joinpath("uploads").iterdir()))
