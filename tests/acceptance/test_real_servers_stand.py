"""The mail world that the acceptance tests stand on, examined with the standard library's clients alone."""

import imaplib
import os
import smtplib
import ssl
from email.message import EmailMessage

import pytest

from acceptance.realservers import RealMail, Role, Security, wait_until
from acceptance.realservers.client import imap_session, smtp_session


def letter(subject: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "whoever@north.example"
    message["To"] = "whoever@south.example"
    message["Subject"] = subject
    message.set_content("Text.\n")
    return message


def test_mail_for_one_mailbox_reaches_another(real_mail: RealMail):
    """Submission, LMTP and the INBOX are one way, and nobody else gets a copy."""
    real_mail.add_mailboxes({"ada@north.example": None, "bob@south.example": None})
    real_mail.send_as("ada@north.example", "bob@south.example", letter("From Ada"))
    wait_until(lambda: real_mail.inbox("bob@south.example"))

    assert ["From Ada"] == [mail["Subject"] for mail in real_mail.inbox("bob@south.example")]
    assert [] == real_mail.inbox("ada@north.example")


def test_a_person_answers_in_the_thread_and_quotes(real_mail: RealMail):
    """An answer names the mail it answers and everything that one named."""
    carl = real_mail.add_user("carl@north.example")
    dora = real_mail.add_user("dora@south.example", name="Dora Smith")
    question = carl.write("dora@south.example", "A question", "When?")
    dora.answer(dora.wait_for(subject="A question"), "Tomorrow.")
    answer = carl.wait_for(subject="Re: A question", sender="dora@south.example")
    carl.answer(answer, "Good.")
    end = dora.wait_for(subject="Re: A question")

    assert question["Message-ID"] == answer["In-Reply-To"]
    assert [question["Message-ID"], answer["Message-ID"]] == end["References"].split()
    assert "> When?" in answer.get_content()


def test_an_unknown_user_of_a_strict_domain_is_refused_at_rcpt(real_mail: RealMail):
    """The refusal is a reply to RCPT, with the enhanced code for a bad mailbox (RFC 3463 §3.2)."""
    erin = real_mail.add_user("erin@north.example")
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        erin.write("nobody@south.example", "Anyone?", "Text.")
    code, text = refused.value.recipients["nobody@south.example"]

    assert 550 == code
    assert text.startswith(b"5.1.1 ")


def test_an_unknown_user_of_a_late_domain_comes_back_as_a_report(real_mail: RealMail):
    """The server says yes first; the report (RFC 3464) names the address, the code and the original's id."""
    fred = real_mail.add_user("fred@north.example")
    original = fred.write("nobody@late.example", "Anyone?", "Text.")
    report = fred.wait_for(subject="Undelivered")
    _, status, returned = report.iter_parts()
    per_recipient = status.get_payload()[1]

    assert "multipart/report" == report.get_content_type()
    assert "rfc822; nobody@late.example" == per_recipient["Final-Recipient"]
    assert "5.1.1" == per_recipient["Status"]
    assert original["Message-ID"] == returned.get_payload()[0]["Message-ID"]


def test_no_mail_leaves_the_machine(real_mail: RealMail):
    """Even with a valid login, an address outside is refused."""
    gus = real_mail.add_user("gus@north.example")
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        gus.write("somebody@elsewhere.example", "Hello", "Text.")

    assert 550 == refused.value.recipients["somebody@elsewhere.example"][0]


def test_idle_announces_new_mail(real_mail: RealMail):
    """The server speaks up by itself (RFC 2177)."""
    hana = real_mail.add_user("hana@south.example")
    with imap_session(hana.imap, ca_file=hana.ca_file, login=(hana.address, hana.password)) as session:
        session.select("INBOX")
        session.send(b"X1 IDLE\r\n")
        invitation = session.readline()
        real_mail.deliver("hana@south.example", letter("Ping"))
        pushed = [session.readline()]
        while b"EXISTS" not in pushed[-1]:
            pushed.append(session.readline())
        session.send(b"DONE\r\n")
        while not pushed[-1].startswith(b"X1 "):
            pushed.append(session.readline())

    assert invitation.startswith(b"+ ")
    assert b"* 1 EXISTS\r\n" in pushed


def test_condstore_and_qresync_are_offered_and_work(real_mail: RealMail):
    """A modification sequence comes with every SELECT (RFC 7162 §3.1.2)."""
    ivan = real_mail.add_user("ivan@south.example")
    with imap_session(ivan.imap, ca_file=ivan.ca_file, login=(ivan.address, ivan.password)) as session:
        offered = session.capability()[1][0].split()
        session.select("INBOX")
        highest = session.response("HIGHESTMODSEQ")[1]

    assert {b"IDLE", b"CONDSTORE", b"QRESYNC", b"SPECIAL-USE", b"UIDPLUS", b"MOVE"} <= set(offered)
    assert [b"1"] == highest


@pytest.mark.parametrize("security", list(Security))
def test_every_protection_lets_a_login_in(real_mail: RealMail, security: Security):
    """TLS from the start, by upgrade, and not at all; on both protocols."""
    judy = real_mail.add_user(f"judy-{security}@north.example", "a password, with spaces")
    login = (judy.address, "a password, with spaces")
    with smtp_session(real_mail.smtp(security), ca_file=real_mail.ca_file, login=login) as smtp:
        protected_smtp = isinstance(smtp.sock, ssl.SSLSocket)
    with imap_session(real_mail.imap(security), ca_file=real_mail.ca_file, login=login) as imap:
        protected_imap = isinstance(imap.socket(), ssl.SSLSocket)

    assert (security is not Security.PLAIN) == protected_smtp == protected_imap


def test_a_wrong_password_is_refused_at_once(real_mail: RealMail):
    """A refusal costs a test no waiting, and a changed password is the only one that counts."""
    kim = real_mail.add_user("kim@north.example", "first")
    real_mail.add_mailboxes({"kim@north.example": "newer"})

    with pytest.raises(smtplib.SMTPAuthenticationError, match="535"):
        kim.write("kim@north.example", "To myself", "Text.")
    with pytest.raises(imaplib.IMAP4.error, match="AUTHENTICATIONFAILED"):
        kim.inbox()
    assert [] == real_mail.inbox("kim@north.example")


@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
def test_a_token_opens_the_mailbox_until_it_expires(real_mail: RealMail, mechanism: str):
    """Both spellings of SASL for bearer tokens (RFC 7628 and its forerunner) are understood."""
    real_mail.add_user("lena@north.example")
    good = real_mail.access_token("lena@north.example")
    old = real_mail.access_token("lena@north.example", expires_at=1_000_000_000)

    def spell(token: str) -> bytes:
        if mechanism == "XOAUTH2":
            return f"user=lena@north.example\x01auth=Bearer {token}\x01\x01".encode()
        return f"n,a=lena@north.example,\x01auth=Bearer {token}\x01\x01".encode()

    with imap_session(real_mail.imap(), ca_file=real_mail.ca_file, login=None) as session:
        assert "OK" == session.authenticate(mechanism, lambda _: spell(good))[0]
    with imap_session(real_mail.imap(), ca_file=real_mail.ca_file, login=None) as session:
        answers = iter([spell(old), b"\x01"])
        with pytest.raises(imaplib.IMAP4.error, match=r"(?i)authentication failed"):
            session.authenticate(mechanism, lambda _: next(answers))


def test_the_certificate_is_trusted_with_the_ca_alone(real_mail: RealMail):
    """A client that was not given the CA must not connect to either server."""
    strict = ssl.create_default_context()
    imap, smtp = real_mail.imap(), real_mail.smtp()

    with pytest.raises(ssl.SSLCertVerificationError):
        imaplib.IMAP4_SSL(imap.host, imap.port, ssl_context=strict, timeout=10)
    with pytest.raises(ssl.SSLCertVerificationError):
        smtplib.SMTP_SSL(smtp.host, smtp.port, context=strict, timeout=10)
    assert real_mail.ca_file.read_text(encoding="ascii").startswith("-----BEGIN CERTIFICATE-----")


def test_a_server_that_saves_what_it_sends_puts_one_copy_into_sent(real_mail: RealMail):
    """Some providers do; this world can be such a provider, and by default is not."""
    with RealMail(layout=real_mail.layout, saves_sent=True) as saving:
        mia = saving.add_user("mia@north.example")
        mia.write("mia@north.example", "To myself", "Text.")
        mia.wait_for(subject="To myself")
        wait_until(lambda: saving.folder("mia@north.example", Role.SENT))

        assert ["To myself"] == [mail["Subject"] for mail in saving.folder("mia@north.example", Role.SENT)]
        assert 1 == len(mia.inbox())


def test_nothing_is_left_of_a_world_that_was_stopped_by_an_error(real_mail: RealMail):
    """Processes and files go, whatever the test did."""

    def left() -> list[str]:
        groups = {str(pid) for pid in pids}
        found = []
        for entry in os.scandir("/proc"):
            if entry.name.isdecimal():
                try:
                    with open(f"/proc/{entry.name}/stat", encoding="utf-8") as stat:
                        state, _, group = stat.read().rpartition(")")[2].split()[:3]
                except OSError:
                    continue
                if group in groups and state != "Z":
                    found.append(entry.name)
        return found

    pids: list[int] = []
    with pytest.raises(ZeroDivisionError), RealMail(layout=real_mail.layout) as world:
        pids = world.process_groups()
        path = world.path
        running = left()
        raise ZeroDivisionError

    assert 10 < len(running)
    wait_until(lambda: not left(), 5, what="the end of every process")
    assert not path.exists()
