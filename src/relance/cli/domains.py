"""`relance domain`: what the domains that you send from say about their mail, and what to add."""

from collections.abc import Iterator, Mapping

import click

from relance.app import Installation
from relance.cli.failures import DONE, NO
from relance.cli.session import Group, session
from relance.core.domain_health import Judged, RecordStatus
from relance.core.workspace import Workspace
from relance.services import domains
from relance.services.domains import Domain

COLUMNS = ("domain", "record", "status", "why", "add")
_IN_ORDER = frozenset({RecordStatus.GOOD, RecordStatus.WEAK})


@click.group(cls=Group)
def domain() -> None:
    """See whether your domains say who may send for them."""


@domain.command("list")
def list_domains() -> None:
    """List the domains of your mailboxes, as they were last looked at."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Domain]:
        return await installation.read(domains.of_workspace, workspace.id)

    rows = (row for one in current.run(read) for row in _rows(one))
    current.printer.rows(rows, COLUMNS, empty="There is no mailbox yet; connect one with `relance mailbox add`.")


@domain.command()
@click.argument("name", required=False)
def check(name: str | None) -> int:
    """Ask name servers about one domain, or all; exit 1 if a record is wanting or wrong."""
    current = session()

    async def ask(installation: Installation, workspace: Workspace) -> list[Domain]:
        if name is None:
            wanted = await installation.read(domains.of_workspace, workspace.id)
        else:
            wanted = [await installation.read(domains.named, workspace.id, name)]
        for one in wanted:
            judged = domains.judge(one, await installation.domains.inspect(one.name, one.asked_selectors))
            await installation.write(
                domains.keep, workspace_id=workspace.id, domain=one, judged=judged, now=installation.clock.now()
            )
        return [await installation.read(domains.named, workspace.id, one.name) for one in wanted]

    found = current.run(ask)
    rows = (row for one in found for row in _rows(one))
    current.printer.rows(rows, COLUMNS, empty="There is no mailbox yet; connect one with `relance mailbox add`.")
    return DONE if all(one.status in _IN_ORDER for each in found for one in each.judged) else NO


@domain.command()
@click.argument("name")
@click.argument("names", metavar="SELECTOR…", nargs=-1)
def selectors(name: str, names: tuple[str, ...]) -> None:
    """Say under which names (what stands before ._domainkey) a domain signs; none: the usual ones."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> Domain:
        await installation.write(domains.set_selectors, workspace_id=workspace.id, name=name, selectors=names)
        return await installation.read(domains.named, workspace.id, name)

    found = current.run(write)
    current.printer.facts(
        {"domain": found.name, "selectors": found.selectors}, f"Look with `relance domain check {found.name}`."
    )


def _rows(found: Domain) -> Iterator[Mapping[str, object]]:
    if not found.judged:
        yield {"domain": found.name, "record": None, "status": "unknown", "why": "never looked at", "add": None}
    for one in found.judged:
        yield {
            "domain": found.name,
            "record": one.kind,
            "status": one.status,
            "why": one.why,
            "add": _add(one),
            "found": one.found,
            "checked_at": found.checked_at,
        }


def _add(judged: Judged) -> str | None:
    add = judged.to_add
    return f'{add.name} {add.type} "{add.value}"' if add else None
