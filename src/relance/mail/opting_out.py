"""A person's own words that they want no more mail.

Rule 1: only the new text is read; our own footer in the quotation says "unsubscribe" too.
Rule 2: a lone word (STOP), or a phrase that cannot mean anything else. "STOP this bill" and "not interested" are
        answers.
Rule 3: a message to our unsubscribe address is an opt-out by being sent: subject or body is the word alone (RFC 2369
        §3.2).
"""

import re

from relance.mail.message import Message
from relance.mail.subjects import folded_subject

MAX_TEXT = 1000
_LONE_LINE = 60

_LONE = (
    "stop|unsubscribe|unsub|remove|optout|opt[- ]out|remove (?:me|us)|unsubscribe me|take me off|"
    "cancel subscription|no more e?-?mails?|"
    "stop (?:e-?)?mails?|stop (?:e-?)?mailing|stop sending|unsubscribe (?:thanks|thank you)|"
    "abmelden|abbestellen|austragen|abmeldung|keine (?:e-?)?mails? mehr|désinscription|désabonner|"
    "désinscrire|désabonnement|"
    "baja|d[ea]r?(?:me|se)? de baja|cancelar suscripción|disiscrivimi|cancellami|(?:annulla|"
    "cancella) iscrizione|"
    "afmelden|uitschrijven|afmelding|meld (?:mij )?af|avregistrera|avsluta|avprenumerera|afmeld(?: mig)?|"
    "frameld|avmeld(?: meg)?|"
    "peru tilaus|wypisz(?: mnie)?|rezygnacja|descadastrar|remover|cancelar (?:inscrição|subscrição)|"
    "отписаться|отписка|отпишите(?: меня)?|стоп|odhlásit|leiratkozás|dezabonare|abonelikten çık|"
    "退订|退訂|取消订阅|配信停止|購読解除|수신거부|구독취소"
)
_LONE_WORD = re.compile(
    rf"(?:(?:please|pls|kindly|hi|hello|bitte|merci de|por favor|per favore|"
    rf"graag)[ ,]+)?(?:{_LONE})(?:[ ,.!]+(?:please|pls|thanks|thank you|bitte|danke|merci|gracias|grazie))?"
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
    r"|\b(?:nehmen|streichen|löschen|entfernen|tragen) sie (?:mich|uns|meine\b.{0,30}|"
    r"diese adresse)\b.{0,60}\b(?:verteiler|liste|datenbank|aus|daten)|\bkeine (?:weiteren |"
    r"weitere )?(?:e-?mails|mails|nachrichten|werbung)(?: mehr)?(?: bitte| senden| schicken| zusenden|[.!]|$)"
    r"|\b(?:schicken|senden|schreiben) sie mir (?:bitte )?(?:keine|nicht mehr|nichts mehr)"
    r"|\b(?:désinscri\w+|désabonn\w+|retir\w+|supprim\w+|enlev\w+)[- ]?(?:moi|nous|mon adresse)|\b(?:me|"
    r"nous) (?:désinscrire|désabonner|retirer de)|\bne (?:plus|pas) (?:me|nous) (?:contacter|écrire|envoyer|"
    r"solliciter|recevoir)|\bne (?:m'|me |nous )(?:contact|écri|envoy|sollicit)\w+ plus|\bne (?:souhaite|"
    r"veux) plus (?:recevoir|être)"
    r"|\b(?:dar(?:me|se|nos)|d[ea]me|denme|dadme) de baja|\b(?:elim[ií]n\w+|borr\w+|quit\w+|sac\w+|"
    r"remov\w+)me de\b|\bno (?:me )?(?:env[ií]en?|escriban?|contacten?|manden?) m[aá]s|\bno (?:deseo|"
    r"quiero) recibir"
    r"|\b(?:cancell?a(?:te)?mi|rimuov(?:imi|etemi|ete il mio)|disiscriv\w+mi|toglie(?:te)?mi)\b|"
    r"\bnon (?:contatta|scriv|invia|manda)\w*(?:mi|temi)? più|\bnon (?:desidero|voglio) (?:più )?ricevere"
    r"|\b(?:schrijf|meld) (?:mij|me|ons) (?:uit|af)|\bverwijder (?:mij|me|ons|mijn)\b.{0,40}\b(?:lijst|"
    r"bestand|database|maillijst|adres)|\bgeen (?:e-?)?mails? meer|"
    r"\bwil(?:len)? geen .{0,20}(?:e-?)?mails? (?:meer )?ontvangen"
    r"|\b(?:remova|retire|exclua|descadastre|tire)[- ]?(?:me|meu|o meu)\b|\bnão (?:quero|"
    r"desejo) (?:mais )?receber|\bnão (?:me )?(?:envi|contact|escrev)\w+ mais"
    r"|\b(?:ta bort|avregistrera|stryk|plocka bort) (?:mig|oss|min)\b|\b(?:afmeld|fjern|slett|meld) (?:mig|"
    r"meg|os|oss)\b.{0,40}\b(?:liste|fra|af|av)|\binga fler (?:mejl|mail|e-?post)|\bingen flere (?:mails?|"
    r"e-?post)"
    r"|\bpoistakaa? (?:minut|osoitteeni)|\bproszę (?:o (?:wypisanie|usunięcie)|mnie (?:usunąć|wypisać)|"
    r"nie (?:pisać|wysyłać|kontaktować))|\bодпи|\bотпишите (?:меня|нас)|\bудалите (?:меня|мой адрес|нас)|"
    r"\bне (?:пишите|присылайте|шлите) (?:мне|нам)?\b.{0,10}больше|\bбольше не (?:пишите|присылайте|шлите|"
    r"беспокойте)"
    r"|(?:请|請).{0,10}(?:退订|退訂|取消订阅|不要再(?:发|發|给|給))|配信(?:を)?停止して|送(?:ら|信し)ないで|"
    r"이메일.{0,10}보내지 마",
)
# A mass mailer telling its readers how to leave, not a reader who wants to.
_ADVICE = re.compile(
    r"\bif you\b|\bto (?:be removed|unsubscribe|opt[- ]out|stop)\b|\bclick|\breply (?:with|to)\b|"
    r"\bsend (?:an? )?(?:blank |empty )?(?:e-?mail|message)|\bsubject\b|\btype|"
    r"\bhow (?:do|can|to)\b|\byou (?:can|may|must)\b|\bwe (?:can|will|would)\b|\bwith the words?|[\"'“»*]$"
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
    for found in _PHRASES.finditer(text):
        sentence = re.split(r"[.!?]\s", text[max(0, found.start() - 120) : found.start()])[-1]
        if not _ADVICE.search(sentence):
            return found.group()[:80]
    return None


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
