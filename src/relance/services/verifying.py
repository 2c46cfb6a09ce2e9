"""Checks of addresses: who waits for one, and what an answer means for those who wait.

Rule 1: the gate `verification` decides; here is only written down what was found out.
Rule 2: an answer wakes whoever waits for it. One that says nothing counts, and puts them off for ever longer.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from relance.core import backoff
from relance.core.address_check import AddressVerdict, Verification
from relance.core.enrollment import WALKING, Enrollment
from relance.core.lead import Lead
from relance.core.mail_hosts import MailHost, ProviderMatch
from relance.core.sequence import Plan
from relance.ports.addresses import Finding
from relance.ports.store import Reader, Transaction
from relance.services.leasing import ALL_SHARDS, these
from relance.services.records import save_enrollment
from relance.services.situations import plan_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A check that somebody waits for, and whose business it is."""

    workspace_id: int
    lead_id: int
    address: str
    asked: Verification
    shard: int


def want(tx: Transaction, lead: Lead, question: Verification, *, now: datetime) -> None:
    """Ask for a check of a lead's address; who runs its mail is found out in any case."""
    asked = Verification.MX if question is Verification.OFF else question
    ids = {"workspace_id": lead.workspace_id, "lead_id": lead.id}
    tx.run("address_checks.want", **ids, address=lead.email, asked=asked, now=now)


def wanted(reader: Reader, *, limit: int, shards: Collection[int] = ALL_SHARDS) -> list[Wanted]:
    """Return the checks that people of these shards wait for, longest first."""
    return reader.all(Wanted, "address_checks.wanted", shard_list=these(shards), limit=limit)


def answer(tx: Transaction, check: Wanted, finding: Finding, *, now: datetime) -> bool:
    """Write down what was found out, and wake who waits for it; False if meanwhile something else was asked."""
    ids = {"workspace_id": check.workspace_id, "lead_id": check.lead_id}
    tx.one(int, "leads.lock", workspace_id=check.workspace_id, id=check.lead_id)
    written = tx.run(
        "address_checks.answer",
        **ids,
        address=check.address,
        asked=check.asked,
        verdict=finding.verdict,
        host=finding.host,
        reason=finding.reason[:500],
        now=now,
    )
    if not written:
        return False
    for row in tx.all(Enrollment, "enrollments.unfinished_of_lead", **ids):
        if row.status in WALKING and row.last_skip_reason == "verification":
            plan = plan_of(tx, row.workspace_id, row.sequence_id, row.version)
            save_enrollment(tx, row, _woken(_in_lane(row, plan, finding), plan, finding, now))
    return True


def _in_lane(row: Enrollment, plan: Plan, finding: Finding) -> Enrollment:
    """Put a person with those who have the same provider; nobody waits because it cannot be found out."""
    matches = plan.match_provider is not ProviderMatch.OFF
    return replace(row, lane=finding.host or MailHost.OTHER) if matches else row


def _woken(row: Enrollment, plan: Plan, finding: Finding, now: datetime) -> Enrollment:
    if finding.verdict is not AddressVerdict.UNKNOWN or plan.verification is Verification.OFF:
        return replace(row, skip_until=None, last_skip_reason=None, verification_attempts=0)
    attempts = row.verification_attempts + 1
    return replace(row, skip_until=now + backoff.cooldown(attempts), last_skip_at=now, verification_attempts=attempts)
