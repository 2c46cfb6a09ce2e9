"""The page of docs/reference about how incoming mail is read, from the tables of `relance.mail`."""

from collections import Counter

from relance.mail.bounce_taxonomy import REASONS
from relance.mail.classify import RULES, RULES_VERSION
from relance.mail.dialects import DIALECTS
from relance.mail.languages import LANGUAGES

OPENING = f"""\
# How incoming mail is read

Written by `make reference` from the tables of `relance.mail`; do not edit. Version {RULES_VERSION} of the rules; what a
message was read as is kept with the version that read it. [What `relance classify` prints](classify.md) tells the keys
and what each kind does; [Add a rule](../how-to/add-a-mail-rule.md) how to teach it more;
[Performance](performance.md#how-well-mail-is-read) how often it is right."""

RULES_TEXT = """\
## The rules

Tried from the top; the first one that says something decides, and its name is the `rule` of the result. Notices come
before automatic answers, because a third of all bounces call themselves automatic. *Since* is the version of the rules
in which it came."""

REASONS_TEXT = """\
## Why mail is refused

Words decide before numbers: servers write 5.7.1 for a full mailbox. What known servers say in words of their own comes
first, then the sentences that any server may say, then the enhanced status (RFC 3463, RFC 5248), then the SMTP code
(RFC 5321). A temporary code (4xx) never makes an address dead. What follows:

- **suppress**: the address is never written to again, and the person's enrollments end.
- **retry**: it counts as one soft bounce; the third ends the enrollment.
- **mailbox problem**: the mailbox rests; the person is untouched.
- **domain problem**: the mailbox rests too, and the DNS of its domain has to be put right.

A delay has no effect: the server goes on trying."""

DIALECTS_TEXT = """\
## What known servers say

Each row is one sentence or code that a server documents, with an example; the tests read every example."""

LANGUAGES_TEXT = """\
## Languages

Absence, having left for good, and asking for no more mail are known in these languages. A return date counts only when
it can be read one way; `9/8/2026` cannot."""


def classification_page() -> str:
    """Return the whole page."""
    return "\n".join([OPENING, "", *_rules(), "", *_reasons(), "", *_dialects(), "", *_languages()]) + "\n"


def _rules() -> list[str]:
    rows = [
        f"| {number} | `{rule.name}` | {', '.join(f'`{kind}`' for kind in rule.kinds)} | {_cell(rule.means)} "
        f"| {_cell(rule.source)} | {rule.since} |"
        for number, rule in enumerate(RULES, start=1)
    ]
    head = ["| | Rule | Read as | When | Where that is written | Since |", "|---|---|---|---|---|---|"]
    return [RULES_TEXT, "", *head, *rows]


def _reasons() -> list[str]:
    rows = [f"| `{reason}` | {row.kind} | {row.effect} | {_cell(row.meaning)} |" for reason, row in REASONS.items()]
    return [REASONS_TEXT, "", "| Reason | Kind | What follows | Meaning |", "|---|---|---|---|", *rows]


def _dialects() -> list[str]:
    rows = [
        f"| {_cell(row.server)} | `{row.reason}` | {_cell(row.example)} | {_cell(row.source)} | {row.since} |"
        for row in DIALECTS
    ]
    servers = Counter(row.server for row in DIALECTS)
    head = [f"{len(DIALECTS)} rows, {len(servers)} kinds of servers.", ""]
    return [DIALECTS_TEXT, "", *head, "| Server | Read as | Example | Source | Since |", "|---|---|---|---|---|", *rows]


def _languages() -> list[str]:
    rows = [
        f"| {_cell(language.name)} | {_cell(language.away_example)} | {_cell(language.gone_example)} "
        f"| {_cell(language.stop_examples[-1])} |"
        for language in LANGUAGES
    ]
    return [LANGUAGES_TEXT, "", "| Language | Away | Gone | No more mail |", "|---|---|---|---|", *rows]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
