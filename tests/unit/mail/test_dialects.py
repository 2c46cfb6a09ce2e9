"""Every row about a server's own words is read as it says, by its own example."""

import re

import pytest

from relance.mail.bounce_reasons import prepared, reason_of
from relance.mail.bounce_taxonomy import BLOCK_REASONS, HARD_REASONS, REASONS, BounceEffect, BounceKind, BounceReason
from relance.mail.classify import RULES_VERSION
from relance.mail.dialects import DIALECTS, Dialect


def _named(row: Dialect) -> str:
    return f"{row.server}: {row.example[:50]}"


@pytest.mark.parametrize("row", DIALECTS, ids=_named)
def test_a_row_reads_its_own_example(row: Dialect):
    """A row that an earlier one swallows, or whose pattern misses its sentence, is not a rule."""
    assert re.search(row.words, prepared(row.example))
    assert row.reason is reason_of(None, None, row.example).reason


@pytest.mark.parametrize("row", DIALECTS, ids=_named)
def test_a_row_names_its_source_and_version(row: Dialect):
    """Who doubts a row can look up where it comes from, and since when it decides."""
    assert row.source
    assert 1 <= row.since <= RULES_VERSION


def test_every_reason_has_one_effect_that_fits_its_kind():
    """Dead addresses are suppressed, our own faults rest the mailbox or its domain, the rest is tried again."""
    fitting = {
        BounceKind.HARD: {BounceEffect.SUPPRESS},
        BounceKind.SOFT: {BounceEffect.RETRY},
        BounceKind.BLOCK: {BounceEffect.MAILBOX, BounceEffect.DOMAIN},
    }

    assert set(BounceReason) == set(REASONS)
    assert not HARD_REASONS & BLOCK_REASONS
    assert all(row.effect in fitting[row.kind] for row in REASONS.values())


@pytest.mark.parametrize("row", [row for row in DIALECTS if row.reason in HARD_REASONS], ids=_named)
def test_a_temporary_code_never_makes_an_address_dead(row: Dialect):
    """Greylisting says "user unknown" too."""
    assert not reason_of("4.2.0", 450, re.sub(r"^5\d\d[ -](?:5\.\d\.\d+ )?", "450 ", row.example)).hard
