"""Whom an absence notice names: where the person is now, and who answers in the meantime.

Rule 1: an address is only taken from the notice itself, never from what it quotes, nor one of ours or the sender's.
Rule 2: "my new address is …" names the person; any other address is somebody to write to instead. Nobody is written to
        because of it: it is shown to a person.
"""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from relance.mail.addresses import fold_address

MAX_TEXT = 4000
MAX_CONTACTS = 5
_REACH = 90
_ADDRESS = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
)
_QUOTED = re.compile(r"^[ \t]{0,3}>", re.MULTILINE)
# What stands before the address of somebody who moved; the last of the two kinds before it decides.
_MOVED = re.compile(
    (
        r"new (?:e-?mail|address|contact|mail)|(?:reach|contact|e-?mail|write to|find) me (?:now )?(?:at|on|"
        r"under|via|here)|my (?:e-?mail|address|mail)(?: address)? (?:is now|has changed|will be|is)|changed "
        r"to|moved to|(?:update|change) (?:my|your (?:records|address book|contacts))|neue[rn]? (?:e-?mail|"
        r"adresse|mailadresse)|ab sofort unter|erreichen (?:sie )?mich (?:künftig |nun |jetzt |ab sofort "
        r")?(?:unter|über)|nouvelle adresse|désormais (?:joignable|à)|me (?:joindre|contacter|écrire) "
        r"(?:désormais )?(?:à|sur)|nuev[oa] (?:correo|direcci[oó]n|e-?mail)|(?:nuovo|mio nuovo) (?:indirizzo|"
        r"e-?mail)|nov[oa] (?:e-?mail|endereço|adresa|adres)|nieuwe? (?:e-?mail|mail|adres)|nya? (?:e-?post|"
        r"mejl|mail|adress)|nye? (?:e-?post|mail|e-?mail|adresse)|uusi (?:sähköposti|osoite)|nowy (?:adres|"
        r"e-?mail)|új (?:e-?mail|cím)|noua (?:mea )?adres|yeni (?:e-?posta|adres|mail)|новый (?:адрес|e-?mail|"
        r"email)|нова (?:адреса|пошта)|νέα διεύθυνση|"
        r"新(?:しい)?(?:メール)?アドレス|新的?(?:邮箱|郵箱|信箱|电子邮件|電子郵件|地址)|"
        r"새 (?:이메일|메일|주소)"
    ),
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    (
        r"please (?:contact|e-?mail|write|direct|send|forward|reach out)|contact (?!me\b)|colleague|successor|"
        r"replac|instead|wenden sie sich|vertretung|nachfolg|kolleg|contactez|s'adresser|adresser (?:à|vos)|"
        r"collègue|contact(?:e|ar|en) (?:a|con)|contattare|rivolg|contacte|neem contact|contacteer|kontakta|"
        r"kontakt|yhteyttä|kontakt|обращ|обрат|зверт|联系|聯繫|ご連絡|연락"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """The addresses of a notice: the person's new one, and others, in order."""

    new_address: str | None
    contacts: tuple[str, ...]


def contacts_in(text: str, *, not_these: AbstractSet[str]) -> Contacts:
    """Return the addresses that an absence notice names, without those in `not_these` (case-folded)."""
    quoted = _QUOTED.search(text[:MAX_TEXT])
    notice = text[: quoted.start()] if quoted else text[:MAX_TEXT]
    new: str | None = None
    others: dict[str, None] = {}
    for found in _ADDRESS.finditer(notice):
        address = fold_address(found.group())
        if address in not_these or address == new:
            continue
        before = notice[max(0, found.start() - _REACH) : found.start()]
        moved, instead = _last(_MOVED, before), _last(_INSTEAD, before)
        if new is None and moved >= 0 and moved > instead:
            new = address
        else:
            others.setdefault(address)
    return Contacts(new_address=new, contacts=tuple(others)[:MAX_CONTACTS])


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((found.start() for found in pattern.finditer(text)), default=-1)
