"""The rules about what people write, and the machines that answer for them."""

from relance.mail.autoreply import is_list_mail, is_machine_generated, read_auto_reply, read_challenge
from relance.mail.bounce_texts import has_null_sender, is_machine
from relance.mail.classification import Classification, Confidence, Incoming, Kind, Rule, answered_ids
from relance.mail.contacts import contacts_in
from relance.mail.opting_out import read_mailto_opt_out, read_opt_out
from relance.mail.reports import original_id
from relance.mail.rules_notices import plain
from relance.mail.subjects import is_forward, is_reply


def _own(at: Incoming) -> Classification | None:
    sender = at.message.from_
    if sender is None or sender.address not in at.own_addresses:
        return None
    return plain(at, Kind.MANUAL_OUTGOING, Confidence.CERTAIN, "From is one of our mailboxes", with_text=True)


def _unsubscribe_link(at: Incoming) -> Classification | None:
    pressed = None if is_list_mail(at.message) else read_mailto_opt_out(at.message, at.text)
    if pressed is None:
        return None
    return plain(at, Kind.UNSUBSCRIBE, Confidence.CERTAIN, f"unsubscribe link: {pressed}", with_text=True)


def _challenge(at: Incoming) -> Classification | None:
    told = read_challenge(at.message, at.text)
    return plain(at, Kind.CHALLENGE_RESPONSE, Confidence.LIKELY, told[0]) if told else None


def _declared_auto_reply(at: Incoming) -> Classification | None:
    found = _auto_reply(at)
    return found if found is not None and found.confidence is Confidence.CERTAIN else None


def _auto_reply(at: Incoming) -> Classification | None:
    automatic = read_auto_reply(at.message, at.text, at.day)
    if automatic is None:
        return None
    sender = at.message.from_.address if at.message.from_ else ""
    told = contacts_in(at.message.text or at.text, not_these=at.own_addresses | {sender})
    return Classification(
        kind=Kind.AUTO_REPLY,
        confidence=Confidence.CERTAIN if automatic.certain else Confidence.LIKELY,
        original_message_id=original_id(at.message),
        in_reply_to=answered_ids(at.message),
        return_date=None if automatic.permanent else automatic.return_date,
        permanent_absence=automatic.permanent,
        new_address=told.new_address if automatic.permanent else None,
        contacts=told.contacts,
        evidence=(*automatic.evidence, *(("no longer there",) if automatic.permanent else ())),
    )


def _opt_out(at: Incoming) -> Classification | None:
    wish = None if is_list_mail(at.message) else read_opt_out(at.message, at.text)
    if wish is None:
        return None
    return plain(at, Kind.UNSUBSCRIBE, Confidence.LIKELY, f"asks for no more mail: {wish}", with_text=True)


def _generated(at: Incoming) -> Classification | None:
    if not is_machine_generated(at.message):
        return None
    kind = Kind.AUTO_REPLY if at.message.in_reply_to else Kind.OTHER
    return plain(at, kind, Confidence.LIKELY, "Auto-Submitted: auto-generated")


def _nothing(at: Incoming) -> Classification | None:
    message = at.message
    if message.from_ is not None or at.text.strip() or message.attachments or message.embedded:
        return None
    return plain(at, Kind.OTHER, Confidence.GUESS, "neither a sender nor a text")


def _mail_system(at: Incoming) -> Classification | None:
    if not (is_machine(at.message) and has_null_sender(at.message)):
        return None
    return plain(at, Kind.OTHER, Confidence.GUESS, "from a mail system, about nothing known")


def _null_sender(at: Incoming) -> Classification | None:
    """Read what no person sends: programs leave the envelope sender empty so that nothing answers them."""
    if not any(path.strip() == "<>" for path in at.message.all("return-path")):
        return None
    answers = bool(answered_ids(at.message)) or is_reply(at.message.subject)
    kind = Kind.AUTO_REPLY if answers else Kind.OTHER
    return plain(at, kind, Confidence.GUESS, "null sender")


def _forwarded(at: Incoming) -> Classification | None:
    if not is_forward(at.message.subject):
        return None
    return plain(at, Kind.ORDINARY, Confidence.LIKELY, "forwarded, not answered", with_text=True)


def _answer_by_id(at: Incoming) -> Classification | None:
    if not answered_ids(at.message):
        return None
    return plain(at, Kind.HUMAN_REPLY, Confidence.CERTAIN, "In-Reply-To or References", with_text=True)


def _answer_by_subject(at: Incoming) -> Classification | None:
    if not is_reply(at.message.subject):
        return None
    return plain(at, Kind.HUMAN_REPLY, Confidence.LIKELY, "subject of an answer", with_text=True)


def _ordinary(at: Incoming) -> Classification:
    return plain(at, Kind.ORDINARY, Confidence.LIKELY, "answers nothing", with_text=True)


PEOPLE: tuple[Rule, ...] = (
    Rule(
        name="own-mailbox",
        kinds=(Kind.MANUAL_OUTGOING,),
        means="one of our own mailboxes wrote it",
        source="RFC 5322 §3.6.2",
        read=_own,
        since=1,
    ),
    Rule(
        name="unsubscribe-link",
        kinds=(Kind.UNSUBSCRIBE,),
        means="a program wrote to the address of our List-Unsubscribe header",
        source="RFC 2369 §3.2",
        read=_unsubscribe_link,
        since=1,
    ),
    Rule(
        name="challenge",
        kinds=(Kind.CHALLENGE_RESPONSE,),
        means="a filter asks for proof of a human sender",
        source="RFC 3834 §1, the notices of such filters",
        read=_challenge,
        since=1,
    ),
    Rule(
        name="declared-auto-reply",
        kinds=(Kind.AUTO_REPLY,),
        means="a header that autoresponders alone set",
        source="RFC 3834 §5, vacation(1), the headers of products",
        read=_declared_auto_reply,
        since=1,
    ),
    Rule(
        name="auto-reply-in-words",
        kinds=(Kind.AUTO_REPLY,),
        means="a telling subject, or words that only a machine writes, in any of the languages below",
        source="the wording of mail systems in each language",
        read=_auto_reply,
        since=1,
    ),
    Rule(
        name="opt-out",
        kinds=(Kind.UNSUBSCRIBE,),
        means="a lone word or a phrase in the new text that asks for no more mail, in any of the languages below",
        source="the wording of people in each language",
        read=_opt_out,
        since=1,
    ),
    Rule(
        name="program",
        kinds=(Kind.AUTO_REPLY, Kind.OTHER),
        means="a program made it: an automatic answer where it answers something, else nothing",
        source="RFC 3834 §5.1",
        read=_generated,
        since=1,
    ),
    Rule(
        name="nothing",
        kinds=(Kind.OTHER,),
        means="neither a sender nor a text",
        source="RFC 5322 §3.6",
        read=_nothing,
        since=1,
    ),
    Rule(
        name="mail-system",
        kinds=(Kind.OTHER,),
        means="a mail system writes without an envelope sender, about nothing known",
        source="RFC 5321 §4.5.5",
        read=_mail_system,
        since=1,
    ),
    Rule(
        name="null-sender",
        kinds=(Kind.AUTO_REPLY, Kind.OTHER),
        means="it has no envelope sender, so that no person sent it: an automatic answer where it answers something",
        source="RFC 5321 §4.5.5, RFC 3834 §3.3",
        read=_null_sender,
    ),
    Rule(
        name="forwarded",
        kinds=(Kind.ORDINARY,),
        means="somebody passed a message on",
        source="the marks of mail programs (Fwd, WG, TR, …)",
        read=_forwarded,
        since=1,
    ),
    Rule(
        name="answer-by-id",
        kinds=(Kind.HUMAN_REPLY,),
        means="it names the message that it answers",
        source="RFC 5322 §3.6.4",
        read=_answer_by_id,
        since=1,
    ),
    Rule(
        name="answer-by-subject",
        kinds=(Kind.HUMAN_REPLY,),
        means="its subject is that of an answer",
        source="RFC 5322 §3.6.5",
        read=_answer_by_subject,
        since=1,
    ),
    Rule(
        name="ordinary",
        kinds=(Kind.ORDINARY,),
        means="everything else",
        source="RFC 5322",
        read=_ordinary,
        since=1,
    ),
)
