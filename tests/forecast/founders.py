"""A small installation to ask about: mailboxes, a sequence of three e-mails, and people in it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from relance import app
from relance.app import Installation
from relance.config import Config, LogLevel
from relance.core.mailbox import Mailbox
from relance.forecast.answer import Forecast
from relance.forecast.asking import ask
from relance.forecast.question import Question
from relance.sandbox.clock import SandboxClock
from relance.services import mailboxes, sequences
from relance.services.lead_files import LeadRow, import_batch, open_lead_file
from relance.services.sequence_files import Sound, read_sequence_text

MONDAY = datetime(2026, 11, 30, 6, tzinfo=UTC)
SEQUENCE = """
name: founders
window: {timezone: Europe/Berlin, days: [mon, tue, wed, thu, fri], intervals: ["09:00-17:00"]}
steps:
  - {id: intro, kind: email, subject: "Hello {{ first_name }}", text: "A word about {{ company }}."}
  - {id: bump, kind: email, after: 2bd, text: "One more word about {{ company }}."}
  - {id: last, kind: email, after: 3bd, text: "The last word about {{ company }}."}
"""


@dataclass(slots=True, kw_only=True)
class Founders:
    """The installation, and what is asked of it."""

    installation: Installation
    workspace_id: int

    @classmethod
    async def make(cls, folder: Path, *, database_url: str | None = None) -> Self:
        """Make it in a folder: two mailboxes that send four a day, and ten people."""
        data = folder / "data"
        config = Config(
            data=data, master_key_file=data / "master.key", database_url=database_url, log_level=LogLevel.ERROR
        )
        installation = app.init_installation(config)
        installation.clock = SandboxClock(MONDAY)
        workspace = await app.settle_installation(installation, timezone="Europe/Berlin")
        made = cls(installation=installation, workspace_id=workspace.id)
        for number in range(2):
            await made.connect(f"box{number}@ours.example")
        await made.publish(SEQUENCE)
        await made.enroll(folder, 10)
        return made

    async def connect(self, address: str) -> None:
        """Connect a mailbox that sends four a day."""
        mailbox = Mailbox(
            workspace_id=self.workspace_id,
            id=0,
            provider="smtp_imap",
            login=address,
            address=address,
            daily_cap=4,
            ramp=False,
            shard=mailboxes.shard_of("smtp_imap", address),
            created_at=MONDAY,
        )
        await self.installation.write(mailboxes.add, mailbox, sealed=b"", now=MONDAY)

    async def publish(self, text: str, folder: Path | None = None) -> None:
        """Publish a sequence; what it attaches lies in the folder."""
        read = read_sequence_text(text, file="founders.yaml", today=MONDAY.date(), folder=folder)
        assert isinstance(read, Sound), read
        await self.installation.write(
            sequences.publish,
            workspace_id=self.workspace_id,
            plan=read.plan,
            contents=read.contents,
            now=MONDAY,
        )

    async def enroll(self, folder: Path, people: int) -> None:
        """Import so many people into the sequence."""
        path = folder / "leads.csv"
        rows = [f"anna{number}@shop{number}.example,Anna,Shop {number}" for number in range(people)]
        path.write_text("\n".join(["email,first_name,company", *rows, ""]), encoding="utf-8")
        await self.installation.write(
            import_batch,
            [row for row in open_lead_file(path, {}).rows() if isinstance(row, LeadRow)],
            workspace_id=self.workspace_id,
            source=path.name,
            list_name="founders",
            sequence_name="founders",
            keys=self.installation.keys,
            now=MONDAY,
        )

    def question(self, **fields: object) -> Question:
        """Return a question about it."""
        return Question(workspace_id=self.workspace_id, **fields)  # type: ignore[arg-type]

    async def ask(self, **fields: object) -> Forecast:
        """Return the answer to a question about it."""
        return await ask(self.installation, self.question(**fields))
