"""A refusal means what its words say, not what its number says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.bounce_reasons import HARD_REASONS, BounceKind, BounceReason, codes_in, reason_of, verdict


def test_a_blocked_sender_is_a_block_and_never_the_persons_fault():
    """550 5.7.1 … blocked, S3150 is the sender's problem."""
    answer = (
        "550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent. Your network is on our block list (S3150)."
    )
    found = reason_of("5.7.1", 550, answer)

    assert (BounceKind.BLOCK, BounceReason.BLOCKED, False) == (found.kind, found.reason, found.hard)


def test_the_senders_daily_quota_is_a_block_called_quota():
    """A used-up quota of the sender is the mailbox's trouble: it waits for the reset, the lead is tried again."""
    found = reason_of("5.4.5", 550, "550 5.4.5 Daily user sending quota exceeded.")

    assert (BounceKind.BLOCK, BounceReason.QUOTA, False) == (found.kind, found.reason, found.hard)


@pytest.mark.parametrize(
    "words",
    [
        "550 No user found",
        "550 5.1.1 The email account that you tried to reach does not exist.",
        "554 delivery error: dd This user doesn't have an example.com account",
        "550 5.4.1 Recipient address rejected: Access denied.",
        "550 #5.1.0 Address rejected.",
        "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
        "550 Requested action not taken: mailbox unavailable",
        "550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
        "550 Benutzer existiert nicht",
        "511 sorry, no mailbox here by that name",
    ],
)
def test_an_address_that_nobody_has_is_hard_by_meaning(words: str):
    """However it is put and whatever the number."""
    assert BounceReason.UNKNOWN_USER == reason_of(None, None, words).reason
    assert reason_of(None, None, words).hard


@pytest.mark.parametrize(
    "words,reason",
    [
        ("552 5.2.2 Mailbox full", BounceReason.MAILBOX_FULL),
        ("550 5.7.1 The recipient's inbox is out of storage space", BounceReason.MAILBOX_FULL),
        ("450 4.7.1 Greylisted, please try again in 300 seconds", BounceReason.GREYLISTED),
        ("550 5.2.1 The email account that you tried to reach is disabled.", BounceReason.MAILBOX_DISABLED),
        ("552 5.3.4 Message size exceeds fixed limit", BounceReason.TOO_BIG),
        ("554 5.7.1 <ann@example.com>: Relay access denied", BounceReason.RELAY_DENIED),
        ("connect to mx.example.com[192.0.2.1]:25: Connection refused", BounceReason.NETWORK),
        ("554 5.4.6 Too many hops", BounceReason.LOOP),
        ("550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required", BounceReason.FILTERED),
        ("550 5.2.1 The account is not active", BounceReason.MAILBOX_DISABLED),
        ("450 4.2.1 The user you are trying to contact is receiving mail at a rate that", BounceReason.RECIPIENT_LIMIT),
    ],
)
def test_what_time_or_the_recipient_can_mend_is_soft(words: str, reason: BounceReason):
    """These are tried again, up to a threshold."""
    assert reason == reason_of(None, None, words).reason
    assert BounceKind.SOFT == reason_of(None, None, words).kind


@pytest.mark.parametrize(
    "words,reason",
    [
        ("550-5.7.26 This mail is unauthenticated, which poses a security risk", BounceReason.AUTHENTICATION),
        ("550 5.7.1 Message rejected due to example.net's DMARC policy", BounceReason.AUTHENTICATION),
        ("554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org", BounceReason.BLOCKED),
        ("550 5.7.25 The IP address does not have a PTR record", BounceReason.REVERSE_DNS),
        ("421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints", BounceReason.BLOCKED),
        ("550 5.7.1 This message looks like spam", BounceReason.SPAM),
        ("553 5.1.8 Domain of sender address bo@example.net does not exist", BounceReason.SENDER_REJECTED),
        ("550 5.7.1 blocked", BounceReason.POLICY),
        ("554 Denied (Mode: normal)", BounceReason.POLICY),
        ("550 5.7.1 <ann@example.com>: Recipient address rejected: Access denied", BounceReason.POLICY),
        ("421 4.7.28 Our system has detected an unusual rate of mail", BounceReason.RATE_LIMITED),
        ("554 5.2.252 SendAsDenied; bo@example.net not allowed to send as", BounceReason.SENDER_REJECTED),
    ],
)
def test_what_the_sender_is_or_does_is_a_block(words: str, reason: BounceReason):
    """Reputation, authentication, rate and content are the mailbox's problem."""
    assert reason == reason_of(None, None, words).reason
    assert BounceKind.BLOCK == reason_of(None, None, words).kind


@pytest.mark.parametrize(
    "words,reason",
    [
        ("550 5.1.2 Host unknown (Name server: host not found)", BounceReason.UNKNOWN_HOST),
        ("Host or domain name not found. Name service error for name=example.test type=A", BounceReason.UNKNOWN_HOST),
        ("556 5.1.10 Domain example.com does not accept mail (nullMX)", BounceReason.NO_MAIL_ACCEPTED),
        ("551 5.1.6 recipient no longer on server", BounceReason.MOVED),
    ],
)
def test_a_host_that_is_not_there_is_hard(words: str, reason: BounceReason):
    """No address of such a domain can be reached."""
    assert verdict(reason) == reason_of(None, None, words)
    assert reason_of(None, None, words).hard


@given(reason=st.sampled_from(sorted(HARD_REASONS)))
def test_a_temporary_refusal_is_never_hard(reason: BounceReason):
    """Greylisting says "user unknown" too."""
    assert not verdict(reason, temporary=True).hard
    assert not reason_of("4.1.1", 450, "450 4.1.1 User unknown, try later").hard


@given(st.none() | st.from_regex(r"\A[245]\.\d\.\d{1,3}\Z"), st.none() | st.integers(400, 599), st.text(max_size=300))
def test_every_refusal_has_a_meaning(status: str | None, code: int | None, text: str):
    """Any status, code and text give a verdict, and `hard` says the same as the kind."""
    found = reason_of(status, code, text)

    assert found.hard == (found.kind is BounceKind.HARD)


def test_an_address_or_an_ip_is_not_taken_for_a_code():
    """Numbers in addresses and versions say nothing."""
    assert ("5.1.1", "550") == codes_in("host mx[192.0.2.55] said: 550 5.1.1 <550@example.com> unknown")
    assert (None, None) == codes_in("delivery to 0550123@example.com by 10.5.5.1 failed")


def test_the_remote_servers_words_count_and_not_the_gateways():
    """IronPort wraps what it was told into a phrase of its own."""
    found = reason_of(
        "5.0.0", None, "5.1.0 - Unknown address error 550-'5.2.2 <ann@example.com>... Mailbox Full' (attempts: 0)"
    )

    assert BounceReason.MAILBOX_FULL == found.reason
