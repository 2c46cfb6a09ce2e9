"""What a sequence file attaches: read from its folder, refused with a remedy, and frozen with the version."""

import os
import unicodedata
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from relance.core import defaults
from relance.core.sequence import AttachedFile, EmailStep, Plan
from relance.mail.attaching import encoded
from relance.ports.store import Reader
from relance.services import attachments, sequences
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.sequence_files import Broken, Reading, Sound, read_sequence_file, read_sequence_text
from relance.services.sequence_files.folder import content_type_of
from services.life import Life

TODAY = date(2026, 11, 30)
PDF = b"%PDF-1.7 the offer"
OTHER = b"%PDF-1.7 another offer"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an offer, and a plan in a folder below."""
    inside = tmp_path / "sequences"
    (inside / "pictures").mkdir(parents=True)
    (inside / "offer.pdf").write_bytes(PDF)
    (inside / "pictures" / "plan.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.txt").write_text("the key", encoding="utf-8")
    return inside


def read(folder: Path, attached: str) -> Reading:
    """Read a file of one step that attaches this."""
    step = f'  - {{id: intro, kind: email, subject: "Hi", text: "Hello", attachments: {attached}}}\n'
    (folder / "autumn.yaml").write_text(f"name: q4\nwindow: always\nsteps:\n{step}", encoding="utf-8")
    return read_sequence_file(folder / "autumn.yaml", today=TODAY)


def sound(folder: Path, attached: str = "[offer.pdf, pictures/plan.png]") -> Sound:
    """Read one that is sound."""
    found = read(folder, attached)
    assert isinstance(found, Sound), found
    return found


def files(plan: Plan) -> tuple[AttachedFile, ...]:
    """Return what the first step attaches."""
    (step,) = plan.steps
    assert isinstance(step, EmailStep)
    return step.attachments


def test_files_beside_the_sequence_and_below_are_described_in_their_order(folder):
    """By name, type, size and hash; and what is in them comes with the reading."""
    found = sound(folder)
    offer, picture = files(found.plan)

    assert ("offer.pdf", "application/pdf", len(PDF)) == (offer.name, offer.content_type, offer.size)
    assert ("plan.png", "image/png", 4) == (picture.name, picture.content_type, picture.size)
    assert {offer.sha256: PDF, picture.sha256: b"\x89PNG"} == found.contents
    assert sha256(PDF).hexdigest() == offer.sha256


def test_one_name_alone_is_a_list_of_one(folder):
    """As everywhere in the file."""
    assert ["offer.pdf"] == [file.name for file in files(sound(folder, "offer.pdf").plan)]


def test_a_name_is_sent_in_composed_letters(folder):
    """A Mac writes accents apart; other systems would show them beside their letters."""
    apart = unicodedata.normalize("NFD", "Preisübersicht.pdf")
    (folder / apart).write_bytes(PDF)

    assert ["Preisübersicht.pdf"] == [file.name for file in files(sound(folder, f'["{apart}"]').plan)]


@pytest.mark.parametrize(
    "attached, words",
    [
        ("[]", "attachments is empty; write a list of files"),
        ("[offer.doc]", "offer.doc is not there; paths begin at the folder of the sequence file"),
        ("[pictures]", "pictures is a folder; name the files in it"),
        ("[../secret.txt]", "../secret.txt lies outside the folder of the sequence file; copy it there, or below"),
        ("[pictures/../../secret.txt]", "lies outside the folder"),
        ("[/etc/passwd]", "/etc/passwd lies outside the folder"),
        ("[link.txt]", "link.txt lies outside the folder"),
        ("[circle]", "circle"),
        ("[empty.pdf]", "empty.pdf is empty; attach the finished file"),
        ("[pipe]", "pipe is no ordinary file"),
        ("[offer.pdf, Copy/OFFER.pdf]", "two files are called OFFER.pdf; rename one, or leave it out"),
        ("[large.bin]", "large.bin has more than 10 MB; attach less, or link to it"),
        ("[half.bin, half2.bin]", "together they have 12.0 MB; attach less, or link to it"),
        ('["a\\u0007.pdf"]', "the name holds control characters; rename the file"),
        ('["offer.pdf\\0"]', "the name holds control characters; rename the file"),
        ("[{offer: pdf}]", "attachments is not a list of single values"),
    ],
)
def test_what_cannot_be_attached_is_named_with_its_step_and_what_to_do(folder, attached, words):
    """Before anything is published; and no file that came from elsewhere can send what lies outside its folder."""
    (folder / "link.txt").symlink_to("../secret.txt")
    (folder / "circle").symlink_to("circle")
    (folder / "empty.pdf").touch()
    (folder / "Copy").mkdir()
    (folder / "Copy" / "OFFER.pdf").write_bytes(PDF)
    os.mkfifo(folder / "pipe")
    (folder / "large.bin").write_bytes(b"x" * (defaults.ATTACHMENTS_TOTAL + 1))
    (folder / "half.bin").write_bytes(b"x" * 6 * 1024 * 1024)
    (folder / "half2.bin").write_bytes(b"y" * 6 * 1024 * 1024)
    found = read(folder, attached)

    assert isinstance(found, Broken)
    (problem,) = found.problems
    assert (4, "intro") == (problem.line, problem.step)
    assert words in found.sentences[0]


def test_a_text_that_lies_in_no_folder_attaches_nothing():
    """There is no place from which its paths could begin."""
    text = "name: q4\nsteps:\n  - {id: a, kind: email, subject: Hi, text: Hello, attachments: [offer.pdf]}\n"
    found = read_sequence_text(text, file="standard input", today=TODAY)

    assert isinstance(found, Broken)
    assert "lies in no folder; save the sequence as a file beside it" in found.sentences[0]


def test_a_variant_has_the_attachments_of_its_step(folder):
    """The key is refused where it means nothing, with the place where it does."""
    text = (
        "name: q4\nsteps:\n  - id: a\n    kind: email\n    subject: Hi\n    text: Hello\n"
        "    variants: [{id: b, subject: Ho, attachments: [offer.pdf]}]\n"
    )
    found = read_sequence_text(text, file="q4.yaml", today=TODAY, folder=folder)

    assert isinstance(found, Broken)
    assert "an e-mail step has them, the same for all its variants" in found.sentences[0]


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("Offer.PDF", "application/pdf"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.tar.gz", "application/gzip"),
        ("a.tar.bz2", "application/octet-stream"),
        ("a.eml", "application/octet-stream"),
        ("a.unheard-of", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ],
)
def test_a_type_follows_from_the_name(name, wanted):
    """Alike on every machine; what no part can have becomes just bytes."""
    assert wanted == content_type_of(name)


@pytest.fixture
async def acme(life: Life) -> int:
    """Return the workspace of an installation that has sent nothing yet."""
    return (await life.scene(name="other")).workspace.id


async def publish(life: Life, acme: int, found: Sound) -> sequences.Published:
    """Publish what was read."""
    return await life.store.write(
        sequences.publish, workspace_id=acme, plan=found.plan, contents=found.contents, now=life.now
    )


def body(reader: Reader, acme: int, content: bytes) -> bytes:
    """Return a content as a message carries it."""
    return attachments.body(reader, workspace_id=acme, sha256=sha256(content).hexdigest())


async def test_contents_are_kept_with_the_version_and_read_as_a_message_carries_them(life, acme, folder):
    """What becomes of the file afterwards does not matter."""
    await publish(life, acme, sound(folder))
    (folder / "offer.pdf").unlink()

    assert encoded(PDF) == await life.store.read(body, acme, PDF)


async def test_other_bytes_are_a_new_version_and_the_same_bytes_are_none(life, acme, folder):
    """Whatever the time of the file says; earlier versions keep what they attach."""
    first = await publish(life, acme, sound(folder))
    os.utime(folder / "offer.pdf", (1, 1))
    again = await publish(life, acme, sound(folder))
    (folder / "offer.pdf").write_bytes(OTHER)
    other = await publish(life, acme, sound(folder))
    fewer = await publish(life, acme, sound(folder, "[pictures/plan.png]"))

    assert [(1, True), (1, False), (2, True), (3, True)] == [
        (one.version, one.changed) for one in (first, again, other, fewer)
    ]
    for content in (PDF, OTHER):
        assert encoded(content) == await life.store.read(body, acme, content)


async def test_a_plan_whose_contents_are_not_at_hand_is_refused(life, acme, folder):
    """And nothing of it is published; what is kept already need not be brought again."""
    found = sound(folder)
    bare = replace(found, contents={})
    with pytest.raises(RefusedError, match=r"the content of offer\.pdf is not at hand; publish from the file"):
        await publish(life, acme, bare)
    with pytest.raises(NotFoundError):
        await life.store.read(sequences.by_name, acme, "q4")
    await publish(life, acme, found)
    await publish(life, acme, sound(folder, "[pictures/plan.png]"))

    assert (await publish(life, acme, bare)).changed


async def test_a_content_of_another_workspace_is_not_there(life, acme, folder):
    """Whoever knows a hash reads nothing of somebody else's."""
    other = (await life.scene(name="other", workspace="globex", email="zoe@lead.example")).workspace.id
    await publish(life, acme, sound(folder))

    with pytest.raises(NotFoundError, match="publish the sequence's file again"):
        await life.store.read(body, other, PDF)
