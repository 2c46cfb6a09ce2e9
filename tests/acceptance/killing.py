"""What tests that kill engines share: a trap, mailboxes to kill them over, and a person who looks what became of it."""

import re
import threading
from dataclasses import dataclass, field

from acceptance.live_sandbox import Delivery, LiveSandbox
from acceptance.product import Engine, Product

UNKNOWN = re.compile(r"attempt (\d+): step (\w+) to (\S+)")


@dataclass(slots=True)
class Trap:
    """Kills an engine when the servers have taken the `countdown`th message from now, before its sender is told."""

    engine: Engine | None = None
    countdown: int = 0
    sprung: threading.Event = field(default_factory=threading.Event)

    def set(self, engine: Engine, countdown: int) -> None:
        """Watch over this engine."""
        self.sprung.clear()
        self.countdown = countdown
        self.engine = engine

    def heard(self, _: Delivery) -> None:
        """Count one message; called in the servers' thread."""
        self.countdown -= 1
        if self.engine is not None and self.countdown <= 0:
            self.engine.kill()
            self.engine = None
            self.sprung.set()

    def disarm(self) -> None:
        """Kill nobody."""
        self.engine = None


def settle_unknown(product: Product, sandbox: LiveSandbox) -> int:
    """Settle as a person does what the product cannot look up; return how often that was needed."""
    found = (UNKNOWN.match(row["subject"]) for row in product.rows("stuck", code=None))
    return sum(settle(product, sandbox, *one.groups()) for one in found if one is not None)


def settle(product: Product, sandbox: LiveSandbox, attempt: str, step: str, person: str) -> bool:
    """Look where the message would be, as a person does, unless the product can; return whether we did."""
    taken = [each for each in sandbox.accepted() if (each.recipient, each.marker) == (person, step)]
    if any(sandbox.saves_sent(each.mailbox) for each in taken):
        return False  # its copy lies in Sent: the product has to find it
    return product.ask("attempt", "settle", attempt, "sent" if taken else "failed", code=None).code == 0
