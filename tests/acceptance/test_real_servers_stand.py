"""The mail world that the acceptance tests stand on, examined with the standard library's clients alone."""

import contextlib
import imaplib
import shutil
import signal
import smtplib
import ssl
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import pytest

from acceptance.realservers import LAYOUTS, RealMail, Role, Security, wait_until
from acceptance.realservers.client import imap_session, smtp_session


def letter(subject: str) -> EmailMessage:
    """Return some mail; who gets it is the envelope's business."""
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


def test_an_absent_person_answers_as_a_machine(real_mail: RealMail):
    """Marked as automatic, with nobody to bounce to, in the thread (RFC 3834 §3.1.7, §3.3)."""
    nils = real_mail.add_user("nils@north.example")
    olga = real_mail.add_user("olga@south.example")
    question = nils.write("olga@south.example", "Lunch", "Friday?")
    olga.answer_automatically(olga.wait_for(subject="Lunch"), "Back on 4 January 2027.")
    answer = nils.wait_for(sender="olga@south.example")

    assert "auto-replied" == answer["Auto-Submitted"]
    assert "<>" == answer["Return-Path"]
    assert question["Message-ID"] == answer["In-Reply-To"]


def test_a_person_unsubscribes_the_way_the_mail_offers(real_mail: RealMail):
    """The mailto: of List-Unsubscribe is taken as it stands, encoded characters and pluses included (RFC 6068)."""
    pia = real_mail.add_user("pia@north.example")
    quentin = real_mail.add_user("quentin@south.example")
    offer = letter("An offer")
    offer["List-Unsubscribe"] = "<https://north.example/u>, <mailto:pia%2Bout@north.example?subject=stop%20a+b>"
    real_mail.send_as("pia@north.example", "quentin@south.example", offer)
    quentin.unsubscribe(quentin.wait_for(subject="An offer"))
    arrived = pia.wait_for(sender="quentin@south.example")

    assert "stop a+b" == arrived["Subject"]
    assert "pia+out@north.example" == arrived["To"]


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
    parts = {part.get_content_type(): part for part in report.walk()}
    status, returned = parts["message/delivery-status"].as_string(), parts["message/rfc822"].as_string()

    assert "multipart/report" == report.get_content_type()
    assert "Final-Recipient: rfc822; nobody@late.example" in status
    assert "Status: 5.1.1" in status
    assert original["Message-ID"] in returned


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
    """Once enabled, SELECT tells the highest modification sequence (RFC 7162 §3.1.2.1); before, Dovecot is silent."""
    ivan = real_mail.add_user("ivan@south.example")
    with imap_session(ivan.imap, ca_file=ivan.ca_file, login=(ivan.address, ivan.password)) as session:
        offered = session.capability()[1][0].split()
        session.enable("CONDSTORE")
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
    """A refusal costs a test little waiting, and a changed password is the only one that counts."""
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


@pytest.mark.parametrize("layout", ["plain", "inbox_dot", "gmail_like", "unmarked"])
def test_a_server_that_saves_what_it_sends_puts_one_copy_into_sent(layout: str):
    """Some providers do; this world can be such a provider, and by default is not."""
    with RealMail(layout=LAYOUTS[layout], saves_sent=True) as saving:
        mia = saving.add_user("mia@north.example")
        mia.write("mia@north.example", "To myself", "Text.")
        mia.wait_for(subject="To myself")
        sent = wait_until(lambda: saving.folder("mia@north.example", Role.SENT))
        received = mia.inbox()

    assert ["To myself"] == [mail["Subject"] for mail in sent]
    assert ["To myself"] == [mail["Subject"] for mail in received]


def test_nothing_is_left_of_a_world_that_was_stopped_by_an_error():
    """Processes and files go, whatever the test did."""
    world = RealMail()
    groups = world.process_groups()
    running = members(groups)
    with contextlib.suppress(ZeroDivisionError), world:
        raise ZeroDivisionError
    wait_until(lambda: not members(groups), 5, what="the end of every process")

    assert 10 < len(running)
    assert not world.path.exists()


def test_nothing_runs_on_when_the_test_run_is_killed():
    """Not even SIGKILL leaves a server behind."""
    script = (
        "import os, signal; from acceptance.realservers import RealMail; world = RealMail();"
        "print(world.path, *world.process_groups(), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    tests = Path(__file__).parents[1]
    killed = subprocess.run([sys.executable, "-c", script], cwd=tests, capture_output=True, text=True, check=False)
    folder, *groups = killed.stdout.split()
    shutil.rmtree(folder, ignore_errors=True)
    wait_until(lambda: not members([int(group) for group in groups]), 5, what="the end of every process")

    assert -signal.SIGKILL == killed.returncode
    assert 2 == len(groups)


def members(groups: list[int]) -> list[int]:
    """Return the living processes of these process groups (proc(5): state and group follow the name)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may end while we look
            state, _, group = entry.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
            if int(group) in groups and state != "Z":
                found.append(int(entry.parent.name))
    return found
