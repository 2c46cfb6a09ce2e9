"""A person's own words that they want no more mail.

Rule 1: only the new text is read; our own footer in the quotation says "unsubscribe" too.
Rule 2: a lone word (STOP), or a phrase that cannot mean anything else. "STOP this bill" and "not interested" are
        answers.
Rule 3: a message to our unsubscribe address is an opt-out by being sent: subject or body is the word alone (RFC 2369
        §3.2).
"""

import re

from relance.mail.languages import LANGUAGES
from relance.mail.languages.wording import spoken
from relance.mail.message import Message
from relance.mail.subjects import folded_subject, is_reply

MAX_TEXT = 1000
_LONE_LINE = 60
_SHORT = 500
"""Who wants no more mail writes few words, or answers; what is longer and answers nothing is a mass mailer's."""

_LONE = "|".join(language.stop_words for language in LANGUAGES)
_LONE_WORD = re.compile(
    rf"(?:(?:please|pls|kindly|hi|hello|bitte|merci de|por favor|per favore|graag|vänligen|venligst|vennligst|proszę|"
    rf"prosím|kérem|vă rog|molim|lütfen|παρακαλώ|пожалуйста|будь ласка|请|請|tolong|vui lòng)[ ,]*)?(?:{_LONE})"
    rf"(?:[ ,.!]+(?:please|pls|thanks|thank you|bitte|danke|merci|gracias|grazie|obrigad[oa]|dank u?|tack|tak|takk|"
    rf"kiitos|dziękuję|děkuji|ďakujem|köszönöm|mulțumesc|hvala|teşekkürler|спасибо|дякую))?"
)
# "Stop sending us the invoices" is about business, not about mail.
_GOODS = r"[^.!?]{0,30}\b(?:invoices?|bills?|statements?|receipts?|orders?|parcels?|packages?|boxes|samples?|goods)\b"
_PHRASES = re.compile(
    r"\b(?:unsubscribe|remove|delete|drop|take|strike|scrub) (?:me|us|my (?:e-?mail|address|name|contact|"
    r"details|info)[\w\s'-]{0,30}|this (?:e-?mail|address)[\w\s]{0,20})"
    r"(?: (?:from|off|out of)(?: of)? (?:your|this|the|all|any|future)\b| immediately| now| please|[.!]|$)"
    r"|\b(?:please|kindly|pls) (?:unsubscribe|opt me out|take me off|remove me)\b|\bopt me out\b"
    r"|\btake (?:me|us) off (?:of )?(?:your|this|the) (?:\w+ )?(?:list|mailing|e-?mail)"
    r"|\b(?:stop|cease|quit) (?:e-?mailing|mailing|contacting|messaging|spamming|writing(?: to)?|"
    rf"sending(?!{_GOODS})) (?:me|us|any|these|this|your|more|e-?mails?|messages?)\b"
    r"|\b(?:do not|don't|dont|never) (?:ever )?(?:e-?mail|contact|message|write(?: to)?|mail|"
    r"send)(?: to)? (?:me|us)(?: (?:again|any ?more|any (?:more|further)|further)| e-?mails?|[.!]|$)"
    r"|\bi (?:want|wish|would like|'d like|request|ask) (?:to (?:unsubscribe|opt out|be (?:removed|"
    r"unsubscribed|taken off))|you to (?:remove me|unsubscribe me|stop))"
    r"|\bno (?:more|further) (?:e-?mails?|messages|mails|contact|communications?)(?: please|,? thank|"
    r" from you|[.!]|$)"
    r"|\bremove (?:me|us) from\b.{0,40}\b(?:list|database|mailing|distribution|records|campaign)"
    r"|\bbitte\b.{0,80}\b(?:aus (?:dem|ihrem|eurem|der|ihrer) (?:verteiler|liste|datenbank|mailingliste)|"
    r"von (?:der|ihrer) (?:liste|verteilerliste)|austragen|abmelden|keine (?:weiteren?|"
    r"mehr)\b.{0,20}(?:e-?mails?|mails?|nachrichten|werbung))"
    r"|\bkeine (?:weiteren |weitere )?(?:e-?mails|mails|nachrichten|werbung)(?: mehr)?(?: bitte| senden| schicken| "
    r"zusenden|[.!]|$)|\b(?:schicken|senden|schreiben) sie mir (?:bitte )?(?:keine|nicht mehr|nichts mehr)"
)
# A mass mailer telling its readers how to leave, not a reader who wants to.
_ADVICE = re.compile(
    r"\bif you\b|\bto (?:be removed|unsubscribe|opt[- ]out|stop)\b|\bclick|\breply (?:with|to)\b|"
    r"\bsend (?:an? )?(?:blank |empty )?(?:e-?mail|message)|\bsubject\b|\btype|"
    r"\bhow (?:do|can|to)\b|\bsi (?:vous|no|usted|ya)\b|\b(?:wenn|falls|sollten) sie\b|\bse (?:non|você|"
    r"não|desidera)\b|"
    r"\b(?:als|indien) u\b|\bjeśli\b|\bесли\b|如果|如您|如不|若您|若不|希望|場合|원하시면|\bom du\b|\bhvis du\b|\byou "
    r"(?:can|may|must)\b|\bwe (?:can|will|would)\b|\bwith the words?|[\"'“»*]$"
)
_MAILTO_WORD = re.compile(
    r"^\W*(?:unsubscribe|unsub|opt-?out|remove|stop|abmelden|désinscription|désabonnement|baja|uitschrijven|"
    r"afmelden)\b[\w:.=+/-]{0,80}\W*$"
)


def read_opt_out(message: Message, new_text: str) -> str | None:
    """Return the words by which the sender asks for no more mail, or None if they do not ask."""
    text = _plain(new_text)
    if is_lone_word(new_text):
        return text[:_LONE_LINE]
    pressed = read_mailto_opt_out(message, new_text)
    if pressed is not None:
        return pressed
    if len(new_text) > _SHORT and not (message.in_reply_to or message.references or is_reply(message.subject)):
        return None
    patterns = (*(wording.stop for wording in spoken(text)), _PHRASES)
    wishes = (found for pattern in patterns for found in pattern.finditer(text) if not _is_advice(text, found.start()))
    return next((found.group()[:80] for found in wishes), None)


def _is_advice(text: str, at: int) -> bool:
    """Tell whether the sentence around a phrase tells readers how to leave, as mass mail does."""
    return bool(_ADVICE.search(re.split(r"[.!?。]\s?", text[max(0, at - 120) : at])[-1]))


def read_mailto_opt_out(message: Message, new_text: str) -> str | None:
    """Return the subject of a message made by a List-Unsubscribe link, or None; it may call itself automatic."""
    text, subject = _plain(new_text), _plain(folded_subject(message.subject))
    if _MAILTO_WORD.match(subject) and (not text or _MAILTO_WORD.match(text) or _made_by_client(text)):
        return f"subject: {subject[:60]}"
    return None


def is_lone_word(text: str) -> bool:
    """Tell whether the first paragraph is nothing but the word that ends a subscription, politeness aside."""
    first = _plain(text.strip().split("\n\n", 1)[0][: 2 * _LONE_LINE])
    bare = re.sub(r"^[^\w]+|[^\w]+$", "", first)
    return len(bare) <= _LONE_LINE and _LONE_WORD.fullmatch(bare) is not None


def _made_by_client(text: str) -> bool:
    """Tell whether a mail program wrote the body when the person pressed its unsubscribe button."""
    return bool(
        re.search(
            (
                r"sent this (?:e-?mail|message) to unsubscribe|this (?:message|"
                r"e-?mail) was automatically generated by gmail"
            ),
            text,
        )
    )


def _plain(text: str) -> str:
    return " ".join(text[:MAX_TEXT].casefold().replace("’", "'").split())
