"""The domains that a workspace sends from: what their records say, as it was last asked, and what to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from relance.core import domain_health
from relance.core.domain_health import Judged, RecordKind, RecordStatus, ToAdd
from relance.core.identifiers import ascii_domain
from relance.core.mail_presets import MailPreset, preset_of_server
from relance.core.mailbox import Mailbox
from relance.ports.domains import DomainAnswers, NoAnswer, Records
from relance.ports.store import Reader, Transaction
from relance.services import mailboxes
from relance.services.refusals import NotFoundError, WrongInputError

#: Under which many sign, beside those that a provider is known for.
USUAL_SELECTORS: Final = ("default", "mail", "dkim", "google", "selector1", "selector2", "s1", "s2", "k1", "k2")
_SELECTORS_MOST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """One domain, who sends from it, and what was last found."""

    name: str
    mailboxes: tuple[Mailbox, ...]
    selectors: tuple[str, ...]  #: Its own, as a person said.
    judged: tuple[Judged, ...]  #: Empty: never asked.
    checked_at: datetime | None

    @property
    def asked_selectors(self) -> tuple[str, ...]:
        """Under which names a key is looked for: its own, its providers', and the usual ones."""
        known = [name for preset in self._presets() for name in preset.selectors]
        return tuple(dict.fromkeys([*self.selectors, *known, *USUAL_SELECTORS]))

    @property
    def sends_through(self) -> tuple[str, ...]:
        """What its mailboxes' servers are named by in an SPF record, as far as that is known."""
        return tuple(dict.fromkeys(preset.spf for preset in self._presets() if preset.spf))

    def _presets(self) -> list[MailPreset]:
        found = (preset_of_server(str(box.settings.get("smtp_host") or "")) for box in self.mailboxes)
        return [preset for preset in found if preset is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """A check as it is kept."""

    domain: str
    selectors: tuple[str, ...]
    records: Mapping[str, object]
    checked_at: datetime | None


def of_workspace(reader: Reader, workspace_id: int) -> list[Domain]:
    """Return every domain that a connected mailbox sends from, by name."""
    by_domain: dict[str, list[Mailbox]] = {}
    for box in mailboxes.of_workspace(reader, workspace_id):
        by_domain.setdefault(box.domain, []).append(box)
    checks = {one.domain: one for one in reader.all(_Check, "domain_checks.of_workspace", workspace_id=workspace_id)}
    return [_domain(name, boxes, checks.get(name)) for name, boxes in sorted(by_domain.items())]


def named(reader: Reader, workspace_id: int, name: str) -> Domain:
    """Return one of them. Raises NotFoundError."""
    wanted = name.strip().casefold().removeprefix("@")
    found = next((one for one in of_workspace(reader, workspace_id) if one.name == wanted), None)
    if found is None:
        raise NotFoundError(f"no mailbox sends from {name!r}; connect one first")
    return found


def judge(domain: Domain, answers: DomainAnswers) -> tuple[Judged, ...]:
    """Judge everything that was asked about a domain."""
    reports_to = domain.mailboxes[0].address if domain.mailboxes else f"postmaster@{domain.name}"
    told = {selector: found.values for selector, found in answers.keys.items() if isinstance(found, Records)}
    untold = [found.why for found in answers.keys.values() if isinstance(found, NoAnswer)]
    dkim = domain_health.judge_dkim(domain.name, told)
    if untold and dkim.status is RecordStatus.WANTING:
        dkim = domain_health.not_known(RecordKind.DKIM, untold[0])
    return (
        domain_health.not_known(RecordKind.SPF, answers.texts.why)
        if isinstance(answers.texts, NoAnswer)
        else domain_health.judge_spf(domain.name, answers.texts.values, sends_through=domain.sends_through),
        dkim,
        domain_health.not_known(RecordKind.DMARC, answers.policies.why)
        if isinstance(answers.policies, NoAnswer)
        else domain_health.judge_dmarc(domain.name, answers.policies.values, reports_to=reports_to),
        domain_health.not_known(RecordKind.MX, answers.exchangers.why)
        if isinstance(answers.exchangers, NoAnswer)
        else domain_health.judge_mx(domain.name, answers.exchangers.values),
    )


def keep(tx: Transaction, *, workspace_id: int, domain: Domain, judged: Sequence[Judged], now: datetime) -> None:
    """Keep what was found about a domain."""
    records = {one.kind: {name: value for name, value in asdict(one).items() if name != "kind"} for one in judged}
    tx.run("domain_checks.keep", workspace_id=workspace_id, domain=domain.name, records=records, now=now)


def set_selectors(tx: Transaction, *, workspace_id: int, name: str, selectors: Sequence[str]) -> None:
    """Say under which names a domain signs. Raises NotFoundError and WrongInputError."""
    domain = named(tx, workspace_id, name)
    clean = tuple(dict.fromkeys(one.strip().casefold() for one in selectors if one.strip()))
    if len(clean) > _SELECTORS_MOST:
        raise WrongInputError(f"at most {_SELECTORS_MOST} selectors are looked at: leave some out")
    for one in clean:
        try:
            ascii_domain(f"{one}.example")
        except ValueError:
            raise WrongInputError(f"{one!r} is no selector: it is what stands before ._domainkey") from None
    tx.run("domain_checks.set_selectors", workspace_id=workspace_id, domain=domain.name, selectors=clean)


def _domain(name: str, boxes: Sequence[Mailbox], check: _Check | None) -> Domain:
    return Domain(
        name=name,
        mailboxes=tuple(boxes),
        selectors=check.selectors if check else (),
        judged=tuple(_judged(kind, facts) for kind, facts in _kept(check) if isinstance(facts, Mapping)),
        checked_at=check.checked_at if check else None,
    )


def _kept(check: _Check | None) -> list[tuple[RecordKind, object]]:
    return [(kind, check.records.get(kind)) for kind in RecordKind] if check else []


def _judged(kind: RecordKind, facts: Mapping[str, object]) -> Judged:
    found, to_add = facts["found"], facts["to_add"]
    return Judged(
        kind=kind,
        status=RecordStatus(str(facts["status"])),
        why=str(facts["why"]),
        found=tuple(str(one) for one in found) if isinstance(found, list | tuple) else (),
        to_add=ToAdd(**{name: str(value) for name, value in to_add.items()}) if isinstance(to_add, Mapping) else None,
    )
