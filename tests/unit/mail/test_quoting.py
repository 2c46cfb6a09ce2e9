"""What a person wrote, without what their program quoted."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.quoting import folded_subject, new_text
from relance.mail.subjects import is_forward, is_reply
from unit.mail.attributions import ALL as INTRODUCTIONS
from unit.mail.html_replies import REPLIES as HTML_REPLIES

ANSWER = "Yes, gladly.\nTuesday at 10?"

WROTE = "Thanks, that works for us.\n\nCan we talk on Tuesday?"
OURS = "Hi Ann,\nshall we talk?\n\nReply STOP to unsubscribe"
QUOTED = "\n".join(f"> {line}" for line in OURS.split("\n"))
ATTRIBUTIONS = [
    "On Wed, Jul 1, 2026 at 9:30 AM Bo <bo@example.net> wrote:",
    "On 1 Jul 2026, at 09:30, Bo wrote:",
    "On Wed, Jul 1, 2026 at 9:30 AM Bo Andersson from the Sales Department <\nbo@example.net> wrote:",
    "Am 01.07.2026 um 09:30 schrieb Bo <bo@example.net>:",
    "Am Mi., 1. Juli 2026 um 09:30 Uhr schrieb Bo <bo@example.net>:",
    "Le mer. 1 juil. 2026 à 09:30, Bo <bo@example.net> a écrit :",
    "El mié, 1 jul 2026 a las 9:30, Bo (<bo@example.net>) escribió:",
    "Il giorno mer 1 lug 2026 alle ore 09:30 Bo <bo@example.net> ha scritto:",
    "Op wo 1 jul. 2026 om 09:30 schreef Bo <bo@example.net>:",
    "Den ons 1 juli 2026 kl 09:30 skrev Bo <bo@example.net>:",
    "ons. 1. jul. 2026 kl. 09:30 skrev Bo <bo@example.net>:",
    "ke 1. heinäk. 2026 klo 9.30 Bo (bo@example.net) kirjoitti:",
    "śr., 1 lip 2026 o 09:30 Bo <bo@example.net> napisał(a):",
    "Em qua., 1 de jul. de 2026 às 09:30, Bo <bo@example.net> escreveu:",
    "ср, 1 июл. 2026 г. в 09:30, Bo <bo@example.net>:",  # noqa: RUF001  these are the letters of that language
    "1 июля 2026 г., в 9:30, Bo <bo@example.net> написал(а):",  # noqa: RUF001  these are the letters of that language
    "2026年7月1日(水) 9:30 Bo <bo@example.net>:",
    "Bo <bo@example.net> 于2026年7月1日周三 09:30写道:",
    "2026年7月1日 (수) 오전 9:30, Bo <bo@example.net>님이 작성:",
    "1 Tem 2026 Çar 09:30 tarihinde Bo <bo@example.net> şunu yazdı:",  # noqa: RUF001  these are the letters of that language
    "st 1. 7. 2026 v 9:30 odesílatel Bo <bo@example.net> napsal:",
    "---- On Wed, 01 Jul 2026 09:30:00 +0000 bo@example.net wrote ----",
]
HEADER_BLOCKS = [
    "From: Bo <bo@example.net>\nSent: Wednesday, July 1, 2026 9:30 AM\nTo: Ann <ann@example.com>\nSubject: Question",
    (
        "________________________________\nVon: Bo <bo@example.net>\nGesendet: Mittwoch, 1. Juli 2026 "
        "09:30\nAn: Ann\nBetreff: Frage"
    ),
    "-----Original Message-----\nFrom: Bo\nTo: Ann\nSubject: Question",
    "De : Bo <bo@example.net>\nEnvoyé : mercredi 1 juillet 2026 09:30\nÀ : Ann\nObjet : Question",
    "*Från:* Bo <bo@example.net>\n*Skickat:* den 1 juli 2026 09:30\n*Till:* Ann\n*Ämne:* Fråga",
    "Van: Bo [mailto:bo@example.net]\nVerzonden: woensdag 1 juli 2026 09:30\nAan: Ann\nOnderwerp: Vraag",
    "Da: Bo\nInviato: mercoledì 1 luglio 2026 09:30\nA: Ann\nOggetto: Domanda",
    "发件人: Bo <bo@example.net>\n发送时间: 2026年7月1日 9:30\n收件人: Ann\n主题: Question",
    "Begin forwarded message:",
    "---------- Forwarded message ---------\nFrom: Bo",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
@pytest.mark.parametrize("quotation", [QUOTED, "\n" + OURS], ids=["marked", "bare"])
def test_the_text_above_an_attribution_is_what_was_written(attribution: str, quotation: str):
    """Mail programs introduce what they quote in the language of their user."""
    assert WROTE == new_text(f"{WROTE}\n\n{attribution}\n{quotation}\n", "")


@pytest.mark.parametrize("block", HEADER_BLOCKS)
def test_the_text_above_a_pasted_header_block_is_what_was_written(block: str):
    """Outlook marks nothing; it pastes the headers above the original."""
    assert WROTE == new_text(f"{WROTE}\n\n{block}\n\n{OURS}\n", "")


@given(
    st.lists(
        st.sampled_from(
            [
                "Yes.",
                "On Monday we are closed:",
                "From here on it is fine",
                "To: be decided",
                "1. a",
                "",
                "Subject to change",
            ]
        )
    )
)
def test_text_without_a_quotation_is_kept_whole(lines: list[str]):
    """Words that look a little like a header or an attribution are still somebody's words."""
    text = "\n".join(lines).strip("\n")

    assert text == new_text(text, "")


@pytest.mark.parametrize(
    "line", ["2026/7/1 Bo <bo@example.net>", "* Bo <bo@example.net> [2026-07-01 09:30]:", "Bo, 1.7.2026:"]
)
def test_a_line_with_a_name_and_a_day_above_a_marked_quotation_introduces_it(line: str):
    """Whatever the program's words are."""
    assert WROTE == new_text(f"{WROTE}\n\n{line}\n\n{QUOTED}\n", "")


def test_answers_below_the_quotation_are_kept():
    """Some people write under what they quote."""
    assert "Yes, gladly." == new_text(
        f"On Wed, Jul 1, 2026 at 9:30 AM Bo <bo@example.net> wrote:\n{QUOTED}\n\nYes, gladly.\n", ""
    )


def test_answers_between_quoted_lines_are_kept():
    """Each answer under its question, the questions gone."""
    text = "See below.\n\nOn 1 Jul 2026, at 09:30, Bo wrote:\n> When?\n\nOn Tuesday.\n\n> Where?\n\nAt ours.\n"

    assert ["See below.", "On Tuesday.", "At ours."] == [line for line in new_text(text, "").split("\n") if line]


def test_the_wrapped_end_of_a_quoted_line_is_not_new():
    """A gateway breaks long lines and marks only the first half."""
    text = (
        f"{WROTE}\n\nOn 1 Jul 2026, at 09:30, Bo wrote:\n> a line so long that some gateway on its way "
        f"broke it in the\nmiddle\n> and on\n"
    )

    assert WROTE == new_text(text, "")


@pytest.mark.parametrize(
    "signature",
    ["-- \nAnn Lee\nExample Ltd", "Sent from my iPhone", "Von meinem iPhone gesendet", "Best regards,\n\nAnn Lee\nCEO"],
)
def test_a_signature_is_not_part_of_the_text(signature: str):
    """Neither the device's nor the person's."""
    assert WROTE == new_text(f"{WROTE}\n\n{signature}\n", "")


@pytest.mark.parametrize(
    "quotation",
    [
        (
            '<div class="gmail_quote">On Wed, Jul 1, 2026 at 9:30 AM Bo &lt;<a '
            'href="mailto:bo@example.net">bo@example.net</a>&gt; wrote:<br><blockquote>Hi '
            "Ann</blockquote></div>"
        ),
        (
            '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Bo<br><b>Sent:</b> '
            "Wednesday<br><b>To:</b> Ann<br><b>Subject:</b> Q</div><div>Hi Ann</div>"
        ),
        (
            '<div class="moz-cite-prefix">On 01.07.2026 09:30, Bo wrote:<br></div><blockquote '
            'type="cite">Hi Ann</blockquote>'
        ),
        '<blockquote type="cite"><div>On Jul 1, 2026, at 9:30 AM, Bo wrote:</div><div>Hi Ann</div></blockquote>',
        (
            '<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal"><b>From:</b> '
            "Bo<br><b>Sent:</b> Wednesday<br><b>To:</b> Ann<br><b>Subject:</b> Q</p></div><p>Hi Ann</p>"
        ),
    ],
    ids=["gmail", "outlook-web", "thunderbird", "apple", "outlook"],
)
def test_html_is_read_like_the_text_it_shows(quotation: str):
    """Containers, block quotes and borders of the common programs."""
    html = (
        f"<html><head><style>p {{}}</style></head><body><div>Thanks, that works for "
        f"us.</div><div><br></div><div>Can we talk on Tuesday?</div><br>{quotation}</body></html>"
    )

    assert WROTE == new_text("", html)


@pytest.mark.parametrize(
    "prefix",
    [
        "Re: ",
        "AW: ",
        "Antw: ",
        "SV: ",
        "Re[2]: ",
        "[EXTERNAL] ",
        "WG: ",
        "Re: Aw: [EXT] RE: ",
        "回复\uff1a",
        "TR : ",
        "RE:",
        "Odp: ",
    ],
)
def test_localised_prefixes_and_gateway_tags_are_folded(prefix: str):
    """They must not make a new thread."""
    assert "Question about Acme" == folded_subject(f"{prefix}Question about Acme")


@given(st.text(max_size=80))
def test_folding_twice_folds_no_further(subject: str):
    """What is folded is a fixed point."""
    assert folded_subject(subject) == folded_subject(folded_subject(subject))


def test_the_outermost_prefix_tells_an_answer_from_a_forward():
    """A forwarded answer is a forward; an answer to a forward is an answer."""
    assert (True, False) == (is_reply("Re: Fwd: Question"), is_forward("Re: Fwd: Question"))
    assert (False, True) == (is_reply("WG: AW: Frage"), is_forward("[EXT] WG: AW: Frage"))
    assert (False, False) == (is_reply("Restaurant: menu"), is_forward("Forward planning"))


# --- every program and language that people use -----------------------------------------------------------------------


@pytest.mark.parametrize("attribution", INTRODUCTIONS)
@pytest.mark.parametrize("shape", ["marked", "unmarked", "marked with it", "html"])
def test_the_words_above_any_attribution_are_what_was_written(attribution: str, shape: str):
    """Whether the quoted lines are marked, plain, or the attribution is quoted with them."""
    below = {
        "marked": f"{attribution}\n\n> Hi Ann\n> shall we talk?\n",
        "unmarked": f"{attribution}\n\nHi Ann\nshall we talk?\n",
        "marked with it": f"> {attribution}\n> \n> Hi Ann\n> shall we talk?\n",
    }
    if shape == "html":
        page = f"<p>{html.escape(attribution)}</p><blockquote><p>Hi Ann</p></blockquote>"
        assert ANSWER == new_text("", f"<div>Yes, gladly.</div><div>Tuesday at 10?</div>{page}")
    else:
        assert ANSWER == new_text(f"{ANSWER}\n\n{below[shape]}", "")


@pytest.mark.parametrize("program", HTML_REPLIES)
def test_the_words_above_any_program_s_quotation_in_html_are_what_was_written(program: str):
    """Each marks what it quotes in its own way, and puts its own signature between."""
    assert ANSWER == new_text("", HTML_REPLIES[program])


@pytest.mark.parametrize("named", ["Bo Berg wrote:", "Bo Berg schrieb:", "B. van Berg III wrote:", "Bo a écrit :"])
def test_a_name_before_marked_lines_is_no_new_text(named: str):
    """Programs of old give no date; between answers it stands too."""
    below = f"{named}\n> Hi Ann\n> shall we talk?\n\nYes, gladly.\n\n{named}\n> Tuesday?\n\nTuesday at 10?"

    assert "Yes, gladly.\n\nTuesday at 10?" == new_text(below, "")
    assert ANSWER == new_text(f"{ANSWER}\n\n{named}\n\n> Hi Ann\n", "")
    assert f"As {named}\nhe will come." == new_text(f"As {named}\nhe will come.", "")


def test_answers_below_a_marked_original_under_a_header_block_are_kept():
    """Outlook Express put the block on top, and people wrote below the marks."""
    block = '----- Original Message -----\nFrom: "Bo Berg" <bo@example.net>\n> Hi Ann\n> shall we talk?\n\n'

    assert ANSWER == new_text(block + ANSWER, "")
    assert "Sure." == new_text(f"Sure.\n\n{block}{ANSWER}", "")


@pytest.mark.parametrize("mark", [">", "> >", "|", "BB>", " >"])
@pytest.mark.parametrize("left_out", ["", "[...]\n", "<snip>\n"])
def test_lines_are_marked_in_many_ways(mark: str, left_out: str):
    """With a sign, with the initials of their writer, and something left out before them."""
    quoted = f"On 7/1/26 09:30, Bo wrote:\n\n{left_out}{mark} Hi Ann\n{mark} shall we talk?\n\n"

    assert ANSWER == new_text(quoted + ANSWER, "")
