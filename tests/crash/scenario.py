"""The small scenario that every plan is run against: four people, two steps, two mailboxes, everything that stops one.

Anna reads and says nothing; Ben answers shortly before his second message is due; Cleo's mail comes back; Dora asks to
be left alone. Two messages a day and mailbox, some minutes apart, so that caps and gaps have to hold over restarts.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

from crash.harness_clock import START, HostClock
from crash.mail_world import FORGETS, KEEPS, PASSWORD, MailWorld
from crash.people import Reaction
from relance import app
from relance.app import Installation, Secret, SecretKind
from relance.config import Config, LogLevel
from relance.core.mailbox import Mailbox
from relance.sandbox.journal import Nature
from relance.services import mailboxes, sequences
from relance.services.lead_files import LeadRow, import_batch
from relance.services.sequence_files import Sound, read_sequence_text

BOXES = (f"kim@{KEEPS.name}", f"max@{FORGETS.name}")
ANNA, BEN, CLEO, DORA = (f"{name}@{name}.example" for name in ("anna", "ben", "cleo", "dora"))
PEOPLE = (ANNA, BEN, CLEO, DORA)
STEPS = ("intro", "bump")
MARKERS = {step: f"This is step {step}." for step in STEPS}
WAIT = timedelta(hours=4)
REACTIONS: Mapping[str, Reaction] = {
    BEN: Reaction(step="intro", after=WAIT - timedelta(minutes=1), nature=Nature.ANSWER),
    CLEO: Reaction(step="intro", after=timedelta(minutes=20), nature=Nature.BOUNCE),
    DORA: Reaction(step="intro", after=timedelta(minutes=40), nature=Nature.OPT_OUT),
}
DAILY_CAP = 2
MIN_GAP, MAX_GAP = timedelta(seconds=90), timedelta(seconds=180)
ENDS = START + timedelta(days=10)
SEQUENCE = """\
name: founders
window: always
steps:
  - id: intro
    kind: email
    subject: "A question about {{ company }}"
    text: "Hello {{ first_name }},\\n\\nThis is step intro.\\n"
  - id: bump
    kind: email
    after: 4h
    text: "Hello {{ first_name }},\\n\\nThis is step bump.\\n"
"""


async def prepare(data: Path, database_url: str | None, world: MailWorld, clock: Path) -> None:
    """Make the installation: mailboxes of this world, four people, all of them enrolled, and no engine yet."""
    config = Config(data=data, master_key_file=data / "master.key", database_url=database_url, log_level=LogLevel.ERROR)
    installation = app.init_installation(config)
    try:
        installation.clock = HostClock(clock)
        await _fill(installation, world)
    finally:
        await installation.close()


async def _fill(installation: Installation, world: MailWorld) -> None:
    now = installation.clock.now()
    workspace = await app.settle_installation(installation, timezone="UTC")
    for account, smtp, imap in world.accounts():
        settings = installation.factory("smtp_imap").parse_settings({"smtp": str(smtp), "imap": str(imap)})
        mailbox = Mailbox(
            workspace_id=workspace.id,
            id=0,
            provider="smtp_imap",
            login=account.username,
            address=account.address,
            settings=settings,
            daily_cap=DAILY_CAP,
            min_gap=MIN_GAP.total_seconds(),
            max_gap=MAX_GAP.total_seconds(),
            ramp=False,
            shard=mailboxes.shard_of("smtp_imap", account.username),
            created_at=now,
        )
        secret = Secret(kind=SecretKind.PASSWORD, value=PASSWORD)
        sealed = installation.seal(workspace, account.address, secret)
        await installation.write(mailboxes.add, mailbox, sealed=sealed, now=now)
    reading = read_sequence_text(SEQUENCE, file="founders.yaml", today=date(2026, 11, 30))
    if not isinstance(reading, Sound):
        raise TypeError(reading)
    await installation.write(sequences.publish, workspace_id=workspace.id, plan=reading.plan, now=now)
    rows = [
        LeadRow(
            line=number,
            email=address,
            values={"first_name": address.partition("@")[0].title(), "company": f"{address} Ltd"},
            raw=(address,),
        )
        for number, address in enumerate(PEOPLE, start=2)
    ]
    await installation.write(
        import_batch,
        rows,
        workspace_id=workspace.id,
        source="leads.csv",
        list_name=None,
        sequence_name="founders",
        keys=installation.keys,
        now=now,
    )
