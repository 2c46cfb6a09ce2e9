"""`relance sequence`, `enroll` and `enrollment`: from a file to people who walk."""

import asyncio
from email import message_from_bytes, policy

import pytest

from cli.conftest import SEQUENCE
from cli.test_mailboxes import SERVERS, add
from relance.sandbox.mailstore import Use
from relance.sandbox.world import World


def test_publishing_is_repeatable_and_makes_a_version_only_for_something_new(filled, tmp_path):
    """Whoever publishes twice has published once."""
    again = filled.ok("sequence", "publish", tmp_path / "autumn.yaml", "--json").facts
    (tmp_path / "autumn.yaml").write_text(SEQUENCE.replace("3d", "4d"), encoding="utf-8")
    diff = filled.ok("sequence", "diff", tmp_path / "autumn.yaml", "--json").facts
    new = filled.ok("sequence", "publish", tmp_path / "autumn.yaml", "--json").facts

    plain = {"name": "autumn", "awaits_approval": False, "unsigned": [], "not_connected": []}
    assert {**plain, "version": 1, "changed": False} == again
    assert {**plain, "version": 2, "changed": True} == new
    assert {'-      "after": "3d",', '+      "after": "4d",'} <= set(diff["diff"])
    assert 2 == filled.ok("sequence", "show", "autumn", "--json").facts["version"]


def test_a_broken_file_is_refused_with_every_problem_and_changes_nothing(filled, tmp_path):
    """File, line, step and remedy on stderr; the running version stays."""
    broken = tmp_path / "broken.yaml"
    broken.write_text(SEQUENCE.replace("after: 3d", "aftr: 3d").replace("window: always", "windw: always"), "utf-8")
    for command in ("validate", "publish", "diff"):
        said = filled.run("sequence", command, broken)
        assert 1 == said.code
        assert [
            f"{broken}:2: unknown key 'windw'; did you mean window?",
            f"{broken}:8: step bump: unknown key 'aftr'; did you mean after?",
        ] == said.err.splitlines()
    as_json = filled.run("sequence", "validate", broken, "--json").facts

    assert [2, 8] == [problem["line"] for problem in as_json["problems"]]
    assert 1 == filled.ok("sequence", "list", "--json").rows[0]["version"]


def test_a_file_that_is_missing_is_named(bare, tmp_path):
    """And validating needs no installation."""
    (tmp_path / "autumn.yaml").write_text(SEQUENCE, encoding="utf-8")
    missing = bare.run("sequence", "validate", tmp_path / "missing.yaml")

    assert 0 == bare.run("sequence", "validate", tmp_path / "autumn.yaml").code
    assert 3 == missing.code
    assert "missing.yaml cannot be read" in missing.complaint


def test_on_reply_enrolls_only_into_a_sequence_that_there_is(filled, tmp_path):
    """It is checked when publishing, against what is live then."""
    (tmp_path / "b.yaml").write_text(SEQUENCE.replace("name: autumn", "name: b\non_reply: enroll:spring"), "utf-8")
    said = filled.run("sequence", "publish", tmp_path / "b.yaml")

    assert 1 == said.code
    assert "'spring'" in said.complaint


@pytest.mark.parametrize(
    "mailboxes,missing",
    [
        ("[anna@example.com, '@other.example', bert@example.com]", ["@other.example", "bert@example.com"]),
        ("{domain: other.example}", ["@other.example"]),
        ("{domain: example.com}", []),
        ("{pool: nort}", ["pool nort"]),
        ("{pool: north}", []),
        ("{pool: default}", []),
    ],
)
def test_publishing_warns_of_mailboxes_that_nobody_has_connected(filled, tmp_path, monkeypatch, mailboxes, missing):
    """It is published all the same, each time with the warning: who connects them afterwards need not publish again."""
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")
    filled.ok("mailbox", "add", "anna@example.com", *SERVERS, "--pool", "north", "--password-env", "PASSWORD")
    (tmp_path / "b.yaml").write_text(SEQUENCE.replace("name: autumn", f"name: b\nmailboxes: {mailboxes}"), "utf-8")
    first, again = [filled.run("sequence", "publish", tmp_path / "b.yaml", "--json") for _ in range(2)]

    assert [0, 0] == [first.code, again.code]
    assert [missing, missing] == [first.facts["not_connected"], again.facts["not_connected"]]
    assert first.err == again.err
    assert (first.complaint.partition("connected: ")[2].partition(";")[0] if missing else first.err) == ", ".join(
        missing
    )


def test_a_sequence_that_only_records_needs_no_mailbox(filled, tmp_path):
    """It is there to be watched before one is connected."""
    head = "name: b\ndelivery: record_only\nmailboxes: [bert@example.com]"
    (tmp_path / "b.yaml").write_text(SEQUENCE.replace("name: autumn", head), "utf-8")

    assert [] == filled.ok("sequence", "publish", tmp_path / "b.yaml", "--json").facts["not_connected"]


def test_a_preview_without_a_mailbox_says_that_its_sender_is_invented(filled, monkeypatch):
    """And says nothing once there is one."""
    without = filled.run("sequence", "preview", "autumn", "--lead", "carol@example.org", "--json")
    monkeypatch.setenv("PASSWORD", "s3cret-of-anna")
    filled.ok("mailbox", "add", "anna@example.com", *SERVERS, "--password-env", "PASSWORD")
    with_one = filled.ok("sequence", "preview", "autumn", "--lead", "carol@example.org", "--json")

    assert (0, {"sender@example.com"}) == (without.code, {row["from"] for row in without.rows})
    assert "sender@example.com is invented" in without.complaint
    assert {"anna@example.com"} == {row["from"] for row in with_one.rows}


@pytest.mark.parametrize("source", ["autumn", "autumn.yaml"])
def test_a_preview_is_what_the_lead_would_get(filled, tmp_path, monkeypatch, source):
    """Of the running version or of a file, with the subject that a follow-up inherits."""
    monkeypatch.chdir(tmp_path)
    first, second = filled.run("sequence", "preview", source, "--lead", "carol@example.org", "--json").rows

    assert ("intro", "A question about Acme", None) == (first["step"], first["subject"], first["missing"])
    assert first["text"].split(",")[0] in {"Hi Carol", "Hello Carol"}
    assert ("bump", "Re: A question about Acme") == (second["step"], second["subject"])


def test_a_preview_says_what_is_missing(filled):
    """Such a lead would be held; exit 1 with two ways out."""
    filled.ok("lead", "add", "erin@example.org")
    said = filled.run("sequence", "preview", "autumn", "--lead", "erin@example.org")

    assert 1 == said.code
    assert "has no first_name" in said.err.splitlines()[-1]
    assert "default" in said.err.splitlines()[-1]


def test_a_preview_shows_what_follows_a_message_that_would_be_held(filled, tmp_path):
    """With the subject that it inherits once the value is there, blank or wanting, and never a bare `Re:`."""
    (tmp_path / "file.yaml").write_text(
        "name: spring\nwindow: always\nsteps:\n"
        '  - {id: intro, kind: email, subject: "About {{ city }}", text: "Hello"}\n'
        '  - {id: bump, kind: email, after: 1d, text: "Did you see it?"}\n',
        encoding="utf-8",
    )
    filled.ok("lead", "add", "erin@example.org", "city= ")
    told = [
        filled.run("sequence", "preview", tmp_path / "file.yaml", "--lead", email, "--json").rows
        for email in ("carol@example.org", "erin@example.org")
    ]

    assert [("city", "Re: About [city]")] * 2 == [(intro["missing"], bump["subject"]) for intro, bump in told]


async def test_test_mails_go_to_an_address_of_ones_own(filled, world: World, monkeypatch):
    """Every e-mail step, with [field] where no lead is named; nobody is enrolled by it."""
    sender, receiver = world.accounts[:2]
    monkeypatch.setenv("PASSWORD", sender.password)
    await asyncio.to_thread(add, filled, sender)
    said = await asyncio.to_thread(filled.run, "sequence", "test", "autumn", "--to", receiver.address, "--json")
    inbox = world.mailbox(receiver.address).store.by_use(Use.INBOX)
    messages = [message_from_bytes(stored.raw, policy=policy.default) for stored in inbox]

    assert (0, ["intro", "bump"]) == (said.code, said.facts["steps"])
    assert ["A question about your company", "Re: A question about your company"] == [m["subject"] for m in messages]
    assert b"[first_name]" in messages[0].as_bytes()
    assert messages[0]["message-id"] == messages[1]["in-reply-to"]
    assert [] == (await asyncio.to_thread(filled.ok, "enrollment", "list", "--json")).rows


def test_a_list_is_enrolled_once(filled):
    """Whoever enrolls twice has enrolled once."""
    first = filled.ok("enroll", "autumn", "--list", "autumn", "--json").facts
    second = filled.ok("enroll", "autumn", "--lead", "carol@example.org", "--lead", "dave@example.org", "--json").facts

    assert (2, 0) == (first["enrolled"], first["already"])
    assert (0, 2) == (second["enrolled"], second["already"])
    assert ["active", "active"] == [row["status"] for row in filled.ok("enrollment", "list", "--json").rows]


def test_enrollments_are_paused_resumed_and_stopped(filled):
    """Of a sequence, of a lead, or of both; a decision that changes nothing says so."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    carol = ("--sequence", "autumn", "--lead", "carol@example.org", "--json")
    paused = filled.ok("enrollment", "pause", *carol).facts
    again = filled.run("enrollment", "pause", *carol)
    resumed = filled.ok("enrollment", "resume", *carol).facts
    stopped = filled.ok("enrollment", "stop", "--sequence", "autumn", "--json").facts
    rows = filled.ok("enrollment", "list", "--sequence", "autumn", "--json").rows

    assert (1, 1, 2) == (paused["paused"], resumed["resumed"], stopped["stopped"])
    assert 1 == again.code
    assert [("stopped", "manual")] * 2 == [(row["status"], row["stop_reason"]) for row in rows]


def test_a_sequence_is_paused_resumed_and_archived(filled):
    """Archiving refuses while somebody walks, unless it is told to stop them."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    paused = filled.ok("sequence", "pause", "autumn", "--json").facts
    closed = filled.run("enroll", "autumn", "--lead", "carol@example.org")
    resumed = filled.ok("sequence", "resume", "autumn", "--json").facts
    refused = filled.run("sequence", "archive", "autumn")
    archived = filled.ok("sequence", "archive", "autumn", "--stop-active", "--json").facts

    assert ["paused", "live", "archived"] == [facts["status"] for facts in (paused, resumed, archived)]
    assert [1, 1, 2] == [closed.code, refused.code, archived["stopped"]]
    assert "--stop-active" in refused.complaint


def test_explain_says_where_a_lead_stands(filled):
    """In the shape that scripts rely on, and in words."""
    filled.ok("enroll", "autumn", "--lead", "carol@example.org")
    facts = filled.ok("explain", "Carol@example.org", "--json").facts
    words = filled.ok("explain", "carol@example.org", "--sequence", "autumn").out
    [one] = facts["enrollments"]

    assert "carol@example.org" == facts["lead"]["email"]
    assert ("autumn", 1, "active", "intro", 1, []) == tuple(
        one[name] for name in ("sequence", "version", "status", "step", "step_counter", "forecast")
    )
    assert one["summary"] in words
    assert 1 == filled.run("explain", "nobody@example.org").code
    assert 1 == filled.run("explain", "carol@example.org", "--sequence", "spring").code


def test_audit_and_stuck_answer_by_their_exit_code(filled):
    """Nobody got anything twice; a live sequence without a mailbox is stuck, with the remedy."""
    audit = filled.ok("audit", "autumn", "--json")
    stuck = filled.run("stuck", "--json")

    assert [0, 0] == [row["sent"] for row in audit.rows]
    assert (1, ["sequence"]) == (stuck.code, [row["kind"] for row in stuck.rows])
    assert "relance mailbox add" in stuck.rows[0]["remedy"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["sequence", "show", "spring"],
        ["sequence", "pause", "spring"],
        ["sequence", "archive", "spring"],
        ["sequence", "preview", "spring", "--lead", "carol@example.org"],
        ["sequence", "preview", "autumn", "--lead", "nobody@example.org"],
        ["enroll", "spring", "--list", "autumn"],
        ["enroll", "autumn", "--list", "nowhere"],
        ["enroll", "autumn", "--lead", "nobody@example.org"],
        ["enrollment", "stop", "--sequence", "spring"],
        ["audit", "spring"],
        ["attempt", "settle", "99", "sent"],
    ],
)
def test_what_is_not_there_is_named(filled, arguments):
    """Exit 1, one sentence."""
    said = filled.run(*arguments)

    assert 1 == said.code
    assert "relance: " in said.complaint


def test_a_text_that_asks_for_a_signature_says_which_mailbox_has_none(filled, tmp_path, monkeypatch):
    """Publishing warns, preview shows what would be held and what to do, then the signature itself."""
    text = SEQUENCE.replace("who looks after travel?", "who looks after travel? {{ sender_signature }}")
    (tmp_path / "signed.yaml").write_text(text.replace("name: autumn", "name: signed"), encoding="utf-8")
    (tmp_path / "bo.txt").write_text("Bo Berg", encoding="utf-8")
    lead, address = "carol@example.org", "bo@example.com"
    monkeypatch.setenv("PASSWORD", "s3cret")
    filled.ok("mailbox", "add", address, *SERVERS, "--password-env", "PASSWORD")
    published = filled.run("sequence", "publish", tmp_path / "signed.yaml")
    held = filled.run("sequence", "preview", "signed", "--lead", lead)
    filled.ok("mailbox", "set", address, "--signature-file", tmp_path / "bo.txt")
    shown = filled.ok("sequence", "preview", "signed", "--lead", lead, "--json").rows

    assert 0 == published.code
    assert f"relance mailbox set {address} --signature-file FILE" in published.err
    assert 1 == held.code
    assert f"relance mailbox set {address} --signature-file …" in held.complaint
    assert "who looks after travel? Bo Berg" in shown[0]["text"]


async def test_what_is_attached_is_previewed_and_goes_out_with_a_test(filled, world: World, monkeypatch, tmp_path):
    """Names and sizes on the screen; the file itself in the inbox, as it was published."""
    sender, receiver = world.accounts[:2]
    monkeypatch.setenv("PASSWORD", sender.password)
    (tmp_path / "docs").mkdir()
    offer = b"%PDF-1.7 " + bytes(range(256)) * 80
    (tmp_path / "docs" / "offer.pdf").write_bytes(offer)
    text = SEQUENCE.replace("- id: intro", "- id: intro\n    attachments: docs/offer.pdf")
    (tmp_path / "offers.yaml").write_text(text.replace("name: autumn", "name: offers"), encoding="utf-8")
    await asyncio.to_thread(add, filled, sender)

    def work():
        filled.ok("sequence", "publish", tmp_path / "offers.yaml")
        (tmp_path / "docs" / "offer.pdf").write_bytes(b"%PDF-1.7 tomorrow's")
        shown = filled.run("sequence", "preview", "offers", "--lead", "carol@example.org")
        facts = filled.run("sequence", "preview", "offers", "--lead", "carol@example.org", "--json").rows
        filled.ok("sequence", "test", "offers", "--to", receiver.address, "--step", "intro")
        filled.ok("sequence", "test", tmp_path / "offers.yaml", "--to", receiver.address, "--step", "intro")
        return shown, facts, filled.ok("sequence", "show", "offers", "--json").facts["plan"]

    shown, facts, plan = await asyncio.to_thread(work)
    inbox = world.mailbox(receiver.address).store.by_use(Use.INBOX)
    messages = [message_from_bytes(stored.raw, policy=policy.default) for stored in inbox]

    assert "Attached: offer.pdf (20 KB, application/pdf)" in shown.out
    assert [[{"name": "offer.pdf", "content_type": "application/pdf", "size": len(offer)}], []] == [
        row["attachments"] for row in facts
    ]
    assert "offer.pdf" == plan["steps"][0]["attachments"][0]["name"]
    assert [[offer], [b"%PDF-1.7 tomorrow's"]] == [
        [part.get_payload(decode=True) for part in message.iter_attachments()] for message in messages
    ]


def test_a_file_that_cannot_be_attached_stops_publishing(filled, tmp_path):
    """With line, step and remedy, as validate says it."""
    text = SEQUENCE.replace("kind: email", "kind: email\n    attachments: [no.pdf]", 1)
    (tmp_path / "autumn.yaml").write_text(text, encoding="utf-8")
    for command in ("validate", "publish"):
        said = filled.run("sequence", command, tmp_path / "autumn.yaml")

        assert 1 == said.code
        assert "step intro: attachments: no.pdf is not there; paths begin at the folder" in said.complaint


def test_in_a_workspace_that_asks_for_approval_publishing_waits_for_it(filled, tmp_path):
    """The version that runs goes on; `approve` lets the next one take over."""
    filled.ok("workspace", "set", "--approval")
    (tmp_path / "autumn.yaml").write_text(SEQUENCE.replace("3d", "4d"), encoding="utf-8")
    published = filled.ok("sequence", "publish", tmp_path / "autumn.yaml")
    waiting = filled.ok("sequence", "list", "--json").rows[0]
    approved = filled.ok("sequence", "approve", "autumn", "--json").facts
    again = filled.run("sequence", "approve", "autumn")

    assert "waits for approval: `relance sequence approve autumn`" in published.out
    assert ("live", 1, 2) == (waiting["status"], waiting["version"], waiting["proposed_version"])
    assert {"name": "autumn", "version": 2, "status": "live"} == approved
    assert (1, True) == (again.code, "nothing of sequence 'autumn' waits for approval" in again.complaint)


def test_the_numbers_of_a_sequence_are_shown_by_step_and_wording(filled):
    """Nothing was sent yet, and two stand on the first step."""
    filled.ok("enroll", "autumn", "--list", "autumn")
    sent = filled.ok("sequence", "stats", "autumn", "--since", "2026-11-01")
    standing = filled.ok("sequence", "stats", "autumn", "--standing", "--json").rows
    unknown = filled.run("sequence", "stats", "winter")

    assert "Nothing was sent yet." in sent.out
    assert [{"version": 1, "step": "intro", "status": "active", "people": 2}] == standing
    assert (1, True) == (unknown.code, "there is no sequence 'winter'" in unknown.complaint)


def test_a_version_comes_back_as_the_file_that_says_the_same(filled, tmp_path):
    """As YAML and as JSON; publishing it changes nothing."""
    for form in ("yaml", "json"):
        exported = tmp_path / f"again.{form}"
        exported.write_text(filled.ok("sequence", "export", "autumn", "--as", form).out, encoding="utf-8")
        again = filled.ok("sequence", "publish", exported, "--json").facts
        assert (1, False) == (again["version"], again["changed"])

    assert "has no version 7" in filled.run("sequence", "export", "autumn", "--version", 7).complaint
