"""Setting a demo up exactly as a person would: a data directory, mailboxes, a CSV, a sequence file, an enrollment."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from relance import app
from relance.app import Installation, Secret, SecretKind
from relance.config import Config, LogLevel
from relance.core.mailbox import Mailbox
from relance.core.workspace import Workspace
from relance.sandbox.clock import SandboxClock
from relance.sandbox.domains import Account
from relance.sandbox.leads import LeadFile, write_leads, write_sequence
from relance.sandbox.world import World, mailboxes_for
from relance.services import mailboxes, sequences
from relance.services.lead_files import LeadRow, import_batch, open_lead_file
from relance.services.sequence_files import Broken, Sound, read_sequence_file

PROVIDER = "smtp_imap"
SEQUENCE = "demo"
LIST = "demo"
#: A Monday morning before the sending window opens, so that every demo shows the same two weeks.
START = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for on the command line."""

    leads: int = 300
    days: int = 21
    seed: int = 1
    directory: Path


@dataclass(slots=True, kw_only=True)
class Demo:
    """A demo that is ready to run."""

    wanted: Wanted
    installation: Installation
    workspace: Workspace
    world: World
    clock: SandboxClock
    imported: int
    refused: int

    @property
    def ends_at(self) -> datetime:
        """When the demo stops even if somebody is left."""
        return START + timedelta(days=self.wanted.days)

    async def close(self) -> None:
        """Stop the servers and let go of the database."""
        await self.world.stop()
        await self.installation.close()


def data_directory(directory: Path) -> Path:
    """Return where the demo's installation is: `relance --data` may look at it afterwards if it is kept."""
    return directory / "data"


async def prepare(wanted: Wanted) -> Demo:
    """Make the installation and the world, and let neither of them run yet."""
    data = data_directory(wanted.directory)
    config = Config(data=data, master_key_file=data / "master.key", log_level=LogLevel.ERROR)
    installation = app.init_installation(config)
    clock = SandboxClock(START)
    installation.clock = clock
    file = write_leads(wanted.directory / "leads.csv", wanted.leads, wanted.seed)
    world = World(
        clock=clock,
        seed=wanted.seed,
        directory=wanted.directory,
        mailboxes=mailboxes_for(wanted.leads),
        leads=file.addresses,
    )
    workspace = await app.settle_installation(installation, timezone="Europe/Berlin")
    world.faults.armed = False
    await world.start()
    for account in world.accounts:
        await _connect(installation, workspace, account)
    sequence_path = wanted.directory / "sequence.yaml"
    write_sequence(sequence_path)
    match read_sequence_file(sequence_path, today=START.date()):
        case Sound(plan=plan):
            await installation.write(sequences.publish, workspace_id=workspace.id, plan=plan, now=clock.now())
        case Broken(sentences=sentences):  # it is a file of this package
            raise ValueError("; ".join(sentences))
    imported, refused = await _import(installation, workspace, file)
    world.faults.armed = True
    return Demo(
        wanted=wanted,
        installation=installation,
        workspace=workspace,
        world=world,
        clock=clock,
        imported=imported,
        refused=refused,
    )


async def _connect(installation: Installation, workspace: Workspace, account: Account) -> None:
    settings = installation.factory(PROVIDER).parse_settings(
        {"smtp": str(account.smtp), "imap": str(account.imap), "ca_file": str(account.ca_file)}
    )
    now = installation.clock.now()
    mailbox = Mailbox(
        workspace_id=workspace.id,
        id=0,
        provider=PROVIDER,
        login=account.username,
        address=account.address,
        display_name=account.display_name,
        settings=settings,
        ramp=False,
        shard=mailboxes.shard_of(PROVIDER, account.username),
        created_at=now,
    )
    secret = Secret(kind=SecretKind.PASSWORD, value=account.password)
    sealed = installation.seal(workspace, account.address, secret)
    await installation.write(mailboxes.add, mailbox, sealed=sealed, now=now)


async def _import(installation: Installation, workspace: Workspace, file: LeadFile) -> tuple[int, int]:
    """Import and enroll the CSV as `relance lead import --sequence demo` does; return leads and refused rows."""
    rows = iter(open_lead_file(file.path, {}).rows())
    imported = refused = 0
    while batch := list(islice(rows, _BATCH)):
        good = [row for row in batch if isinstance(row, LeadRow)]
        result = await installation.write(
            import_batch,
            good,
            workspace_id=workspace.id,
            source=file.path.name,
            list_name=LIST,
            sequence_name=SEQUENCE,
            keys=installation.keys,
            now=installation.clock.now(),
        )
        imported += result.imported
        refused += len(batch) - len(good) + len(result.refused)
    return imported, refused
