"""The domains that mailboxes send from, and what is kept of their records."""

from typing import Any

import pytest

from relance.core.domain_health import RecordKind, RecordStatus
from relance.ports.domains import DomainAnswers, NoAnswer, Records
from relance.services import domains
from relance.services.refusals import NotFoundError, WrongInputError

ANSWERS = DomainAnswers(
    texts=Records(("v=spf1 mx ~all",)),
    exchangers=Records(("mx.acme.example",)),
    policies=Records(),
    keys={"fm1": Records(("p=MIIB",)), "s1": NoAnswer("silence")},
)


async def looked_up(life, scene) -> domains.Domain:
    """Keep what was answered about the scene's domain, and return it as it is kept."""

    def write(tx: Any) -> domains.Domain:
        domain = domains.named(tx, scene.workspace.id, "@ACME.example")
        judged = domains.judge(domain, ANSWERS)
        domains.keep(tx, workspace_id=scene.workspace.id, domain=domain, judged=judged, now=life.now)
        return domains.named(tx, scene.workspace.id, "acme.example")

    kept: domains.Domain = await life.store.write(write)
    return kept


async def test_what_was_found_is_kept_with_what_to_add(life):
    """Each kind of record with its judgement."""
    scene = await life.scene()
    await life.mailbox(scene, "cy@acme.example", settings={"smtp_host": "smtp.fastmail.com"})

    domain = await looked_up(life, scene)

    assert {
        RecordKind.SPF: RecordStatus.WEAK,
        RecordKind.DKIM: RecordStatus.GOOD,
        RecordKind.DMARC: RecordStatus.WANTING,
        RecordKind.MX: RecordStatus.GOOD,
    } == {one.kind: one.status for one in domain.judged}
    spf, _, dmarc, mx = domain.judged
    assert "v=spf1 mx include:spf.messagingengine.com ~all" == (spf.to_add and spf.to_add.value)
    assert "_dmarc.acme.example" == (dmarc.to_add and dmarc.to_add.name)
    assert (("mx.acme.example",), None) == (mx.found, mx.to_add)
    assert (life.now, ("fm1", "fm2", "fm3")) == (domain.checked_at, domain.asked_selectors[:3])


async def test_a_person_says_under_which_name_a_domain_signs(life):
    """It is asked for first, and stays when the domain is asked again."""
    scene = await life.scene()
    ids = {"workspace_id": scene.workspace.id, "name": "acme.example"}

    await life.store.write(domains.set_selectors, **ids, selectors=[" K7 ", "", "k7"])
    domain = await looked_up(life, scene)

    assert (("k7",), "k7") == (domain.selectors, domain.asked_selectors[0])
    with pytest.raises(WrongInputError):
        await life.store.write(domains.set_selectors, **ids, selectors=["a b"])


async def test_only_domains_of_ones_own_mailboxes_are_there(life):
    """Nobody asks name servers about just anything, nor sees another workspace's."""
    scene = await life.scene()
    rival = await life.scene(workspace="rival", email="eve@lead.example")
    await looked_up(life, scene)

    assert ["rival.example"] == [one.name for one in await life.store.read(domains.of_workspace, rival.workspace.id)]
    with pytest.raises(NotFoundError):
        await life.store.read(domains.named, rival.workspace.id, "acme.example")
