"""What people write: answers that quote the original as their programs do, and requests to be left alone."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import formataddr

from relance.sandbox.chance import pick, token
from relance.sandbox.letters import Original, start_letter, thread, without_prefixes
from relance.sandbox.person import Language, MailClient, Person

_ANSWERS: Mapping[Language, tuple[str, ...]] = {
    Language.ENGLISH: (
        "Thanks for getting in touch. Could you send me some figures?",
        "Interesting. Do you have time on Thursday afternoon?",
        "Not for us this year, but do ask again in spring.",
        "I am not the right person; please talk to our head of purchasing.",
    ),
    Language.GERMAN: (
        "Vielen Dank für Ihre Nachricht. Können Sie mir ein Angebot schicken?",
        "Das klingt spannend. Passt Ihnen ein Gespräch am Donnerstag?",
        "Für uns ist das im Moment leider kein Thema, schöne Grüße.",
        "Dafür bin ich nicht zuständig, bitte wenden Sie sich an den Einkauf.",
    ),
    Language.FRENCH: (
        "Merci pour votre message. Pouvez-vous m'envoyer une présentation ?",
        "Cela m'intéresse. Êtes-vous disponible jeudi après-midi ?",
        "Ce n'est pas une priorité pour nous cette année, désolée.",
    ),
    Language.SPANISH: (
        "Gracias por su mensaje. ¿Me puede enviar más información?",
        "Suena bien. ¿Hablamos el jueves por la tarde?",
        "Ahora mismo no es una prioridad para nosotros, lo siento.",
    ),
    Language.DUTCH: (
        "Bedankt voor uw bericht. Kunt u mij een voorbeeld sturen?",
        "Klinkt goed. Schikt donderdagmiddag u?",
        "Op dit moment geen interesse, vraag het volgend jaar nog eens.",
    ),
}
_SECOND: Mapping[Language, str] = {
    Language.ENGLISH: "One more thing I forgot: who would be our contact?",
    Language.GERMAN: "Noch eine Frage, die ich vergessen hatte: Wer wäre unser Ansprechpartner?",
    Language.FRENCH: "J'ai oublié une question : qui serait notre interlocuteur ?",
    Language.SPANISH: "Se me olvidó una cosa: ¿quién sería nuestro contacto?",
    Language.DUTCH: "Nog één vraag die ik vergat: wie wordt ons aanspreekpunt?",
}
_WROTE: Mapping[Language, str] = {
    Language.ENGLISH: "On {day} {time}, {who} wrote:",
    Language.GERMAN: "Am {day} um {time} schrieb {who}:",
    Language.FRENCH: "Le {day} à {time}, {who} a écrit :",
    Language.SPANISH: "El {day} a las {time}, {who} escribió:",
    Language.DUTCH: "Op {day} om {time} schreef {who}:",
}
_BLOCK: Mapping[Language, tuple[str, str, str, str]] = {
    Language.ENGLISH: ("From", "Sent", "To", "Subject"),
    Language.GERMAN: ("Von", "Gesendet", "An", "Betreff"),
    Language.FRENCH: ("De", "Envoyé", "À", "Objet"),
    Language.SPANISH: ("De", "Enviado", "Para", "Asunto"),
    Language.DUTCH: ("Van", "Verzonden", "Aan", "Onderwerp"),
}
_PHONE: Mapping[Language, str] = {
    Language.ENGLISH: "Sent from my phone",
    Language.GERMAN: "Von meinem Mobiltelefon gesendet",
    Language.FRENCH: "Envoyé de mon téléphone",
    Language.SPANISH: "Enviado desde mi móvil",
    Language.DUTCH: "Verstuurd vanaf mijn telefoon",
}
_OUTLOOK_PREFIX: Mapping[Language, str] = {Language.GERMAN: "AW: ", Language.DUTCH: "Antw: ", Language.FRENCH: "RE : "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A finished message, where it goes, and where it says it comes from."""

    to: str
    sender: str
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Who writes about which message, and when; `number` tells several letters of one person apart."""

    seed: int
    person: Person
    original: Original
    received_at: datetime
    number: int = 0


def answer(occasion: Occasion, at: datetime, *, elsewhere: bool = False) -> Post:
    """Write a person's answer, from their other address if `elsewhere`."""
    person = occasion.person
    if occasion.number:
        words = _SECOND[person.language]
    else:
        words = pick(occasion.seed, _ANSWERS[person.language], "words", person.address)
    sender = person.other_address if elsewhere else person.address
    return _reply(occasion, at, words, sender)


def stop(occasion: Occasion, at: datetime) -> Post:
    """Write the one word that ends a correspondence."""
    words = pick(occasion.seed, ("STOP", "Stop", "STOP."), "stop", occasion.person.address)
    return _reply(occasion, at, words, occasion.person.address)


def unsubscribe(occasion: Occasion, at: datetime) -> Post:
    """Write to the address of List-Unsubscribe as mail programs do; answer in words where there is none."""
    person, link = occasion.person, occasion.original.unsubscribe
    if link is None:
        return _reply(occasion, at, "Please unsubscribe me from this list.", person.address)
    letter = start_letter(
        name=person.name, sender=person.address, to=link.address, subject=link.subject, at=at, message_id=_id(occasion)
    )
    letter.set_content(link.body or f"{_unsubscribing_body(occasion)}\n")
    return Post(to=link.address, sender=person.address, raw=letter.as_bytes())


def _unsubscribing_body(occasion: Occasion) -> str:
    """Return what mail programs write by themselves when their unsubscribe button is pressed."""
    match occasion.person.client:
        case MailClient.GMAIL:
            return "This message was automatically generated by Gmail."
        case MailClient.APPLE_MAIL:
            subject = occasion.original.subject
            return f"Apple Mail sent this email to unsubscribe from the message \u201c{subject}\u201d."
        case MailClient.THUNDERBIRD:
            return "unsubscribe"
        case MailClient.OUTLOOK | MailClient.PHONE:
            return ""


def _id(occasion: Occasion) -> str:
    person = occasion.person
    unique = token(occasion.seed, "letter", person.address, occasion.original.message_id, occasion.number)
    return f"<{unique}.{occasion.number}@{person.address.rpartition('@')[2]}>"


def _reply(occasion: Occasion, at: datetime, words: str, sender: str) -> Post:
    person, original = occasion.person, occasion.original
    prefix = _OUTLOOK_PREFIX.get(person.language, "RE: ") if person.client is MailClient.OUTLOOK else "Re: "
    letter = start_letter(
        name=person.name,
        sender=sender,
        to=formataddr((original.sender_name, original.reply_to)),
        subject=prefix + without_prefixes(original.subject),
        at=at,
        message_id=_id(occasion),
    )
    thread(letter, original)
    if person.client is MailClient.OUTLOOK:
        letter["X-MS-Has-Attach"] = ""
        letter["X-Auto-Response-Suppress"] = "DR, OOF, AutoReply"  # ordinary Exchange mail carries it
    body = _body(occasion, words)
    letter.set_content(body, charset="utf-8", cte=_encoding(person, body))
    if person.client in {MailClient.GMAIL, MailClient.APPLE_MAIL}:
        letter.add_alternative(_html(occasion, words), subtype="html", charset="utf-8", cte="quoted-printable")
    return Post(to=original.reply_to, sender=sender, raw=letter.as_bytes())


def _encoding(person: Person, body: str) -> str:
    if person.client is MailClient.PHONE:
        return "base64"
    return "7bit" if body.isascii() and max(map(len, body.splitlines())) < 900 else "quoted-printable"


def _attribution(occasion: Occasion) -> str:
    original, at = occasion.original, occasion.received_at
    return _WROTE[occasion.person.language].format(
        day=f"{at:%d.%m.%Y}" if occasion.person.language is not Language.ENGLISH else f"{at.day} {at:%b %Y}",
        time=f"{at:%H:%M}",
        who=f"{original.sender_name} <{original.sender_address}>",
    )


def _body(occasion: Occasion, words: str) -> str:
    person, original = occasion.person, occasion.original
    quoted = "\n".join(f"> {line}" if line else ">" for line in original.text.rstrip().split("\n"))
    match person.client:
        case MailClient.OUTLOOK:
            at = f"{occasion.received_at:%d.%m.%Y %H:%M}"
            values = (f"{original.sender_name} <{original.sender_address}>", at, person.address, original.subject)
            block = [f"{name}: {value}" for name, value in zip(_BLOCK[person.language], values, strict=True)]
            rule = "_" * 32
            return "\n".join([words, "", person.name, "", rule, *block, "", original.text])
        case MailClient.PHONE:
            signature = _PHONE[person.language]
            return f"{words}\n\n{signature}\n\n{_attribution(occasion)}\n\n{quoted}\n"
        case MailClient.THUNDERBIRD:
            return f"{words}\n\n-- \n{person.name}\n\n{_attribution(occasion)}\n{quoted}\n"
        case MailClient.GMAIL | MailClient.APPLE_MAIL:
            return f"{words}\n\n{person.name}\n\n{_attribution(occasion)}\n\n{quoted}\n"


def _html(occasion: Occasion, words: str) -> str:
    original = html.escape(occasion.original.text).replace("\n", "<br>\n")
    attribution = html.escape(_attribution(occasion))
    above = f'<div dir="ltr">{html.escape(words)}</div><br><div>{html.escape(occasion.person.name)}</div>'
    if occasion.person.client is MailClient.APPLE_MAIL:
        return f'<html><body>{above}<blockquote type="cite">{attribution}<br><br>{original}</blockquote></body></html>'
    return (
        f'{above}<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{attribution}<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">{original}</blockquote></div>'
    )
