"""Every language is read by its own examples: absence, a telling subject, having left, and no more mail."""

import re

import pytest

from relance.mail.autoreply import says_permanent
from relance.mail.classify import RULES_VERSION, Kind
from relance.mail.languages import LANGUAGES, Language
from relance.mail.languages.wording import plain, spoken
from unit.mail.letters import OURS, letter, understood

every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)


@every_language
def test_an_absence_notice_is_known_by_its_words_alone(language: Language):
    """No header and no telling subject: it says that somebody is away, and who is there in the meantime."""
    assert Kind.AUTO_REPLY == understood(letter(language.away_example, In_Reply_To=OURS)).kind


@every_language
def test_a_telling_subject_is_known(language: Language):
    """Exchange translates the subject and sets no header that others do not set too."""
    assert Kind.AUTO_REPLY == understood(letter("…", Subject=language.subject_example, In_Reply_To=OURS)).kind


@every_language
def test_somebody_who_left_is_gone_for_good(language: Language):
    """The run stops; a later mail would reach nobody."""
    found = understood(letter(language.gone_example, Subject=language.subject_example))

    assert (Kind.AUTO_REPLY, True, None) == (found.kind, found.permanent_absence, found.return_date)


@every_language
def test_an_absence_is_not_for_good(language: Language):
    """Who is on holiday comes back."""
    assert not says_permanent(language.away_example)


@every_language
def test_a_wish_for_no_more_mail_is_an_opt_out(language: Language):
    """A lone word or a phrase, in the new text."""
    for words in language.stop_examples:
        assert Kind.UNSUBSCRIBE == understood(letter(words, In_Reply_To=OURS)).kind, words


@every_language
def test_every_example_is_recognised_as_its_language(language: Language):
    """A pattern that is never searched finds nothing."""
    examples = (language.away_example, language.gone_example, language.stop_examples[-1])

    assert [] == [text for text in examples if language not in {wording.language for wording in spoken(plain(text))}]
    assert 1 <= language.since <= RULES_VERSION


def test_no_language_is_there_twice_and_fifteen_are_the_least():
    """The question of every reader: is mine among them."""
    codes = [language.code for language in LANGUAGES]

    assert len(codes) == len(set(codes))
    assert len(codes) >= 15


@every_language
def test_patterns_are_bounded(language: Language):
    """No pattern may run over a whole message twice: gaps have an upper end."""
    fields = (language.absent, language.limits, language.cover, language.gone, language.stop, language.machine)

    assert [] == [pattern for pattern in fields if re.search(r"(?<!\\)\.[*+]|\{\d+,\}", pattern)]
