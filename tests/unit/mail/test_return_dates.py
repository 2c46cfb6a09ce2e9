"""When somebody is back, if they say so clearly."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.mail.return_dates import return_date

RECEIVED = date(2026, 7, 1)


@pytest.mark.parametrize(
    "text", ["I am back on 9/8/2026", "I return 08/09/2026.", "out until 1/2/2027", "back 3-4-2027"]
)
def test_an_ambiguous_date_is_not_guessed(text: str):
    """9/8/2026 is August to some and September to others; a wrong hold is worse than none."""
    assert return_date(text, RECEIVED) is None


@given(day=st.dates(RECEIVED + timedelta(days=1), RECEIVED + timedelta(days=300)))
def test_a_date_that_reads_one_way_is_understood(day: date):
    """ISO, dotted and spelt-out dates mean the same to everybody."""
    spelt = [
        f"I am back on {day.isoformat()}",
        f"zurück am {day.day}.{day.month}.{day.year}",
        f"returning {day:%B} {day.day}, {day.year}",
        f"until {day.day} {day:%B} {day.year}",
    ]

    assert [day] * 4 == [return_date(text, RECEIVED) for text in spelt]


@pytest.mark.parametrize(
    "text,expected",
    [
        ("back on 13/8/2026", date(2026, 8, 13)),
        ("Back 12/31/2026", date(2026, 12, 31)),
        ("returning to the office on August 3rd", date(2026, 8, 3)),
        ("I will be out of office from July 10-31.", date(2026, 7, 31)),
        ("Ich bin ab dem 3. August wieder erreichbar", date(2026, 8, 3)),
        ("bis einschließlich 15.08. nicht im Büro", date(2026, 8, 15)),
        ("je serai de retour le 17 août", date(2026, 8, 17)),
        ("vuelvo el 5 de agosto", date(2026, 8, 5)),
        ("tot en met 4 augustus", date(2026, 8, 4)),
        ("Jag är tillbaka den 10 augusti", date(2026, 8, 10)),
        ("8月3日まで不在にしております", date(2026, 8, 3)),
        ("I'm out until Monday.", date(2026, 7, 6)),
        ("I'm out until Monday, July 13.", date(2026, 7, 13)),
        ("from 2026-07-02 to 2026-07-09", date(2026, 7, 9)),
        ("I am away 2 to 9 July and return on 10 July", date(2026, 7, 10)),
        ("out until January 4", date(2027, 1, 4)),
    ],
)
def test_a_return_is_read_in_the_words_people_use(text: str, expected: date):
    """A date without a year is the next one after the notice came."""
    assert expected == return_date(text, RECEIVED)


@pytest.mark.parametrize(
    "text",
    [
        "back soon",
        "I was back on 3 June 2026",
        "until 3 August 2031",
        "Our fair is on 3 August 2026.",
        "until 31 February 2027",
        "back at 9:30",
    ],
)
def test_no_return_is_read_where_none_is_named(text: str):
    """Past, far and impossible days, and days of something else."""
    assert return_date(text, RECEIVED) is None


def test_without_a_day_of_receipt_only_full_dates_count():
    """Which year, which Monday: nobody can tell."""
    assert return_date("until Monday", None) is None
    assert return_date("until 3 August", None) is None
    assert date(2026, 8, 3) == return_date("until 3 August 2026", None)


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error(text: str):
    """Digits in any arrangement are no reason to fail."""
    found = return_date(text, RECEIVED)

    assert found is None or found >= RECEIVED


@pytest.mark.parametrize(
    "text,language",
    [
        ("I am away until 14 August 2026.", "en"),
        ("Ich bin bis zum 14. August nicht im Büro.", "de"),
        ("Je suis absent jusqu'au 14 août.", "fr"),
        ("Estaré de vacaciones hasta el 14 de agosto.", "es"),
        ("Estou de férias até 14 de agosto.", "pt"),
        ("Sono in ferie fino al 14 agosto.", "it"),
        ("Ik ben afwezig tot en met 14 augustus.", "nl"),
        ("Jag är tillbaka den 14 augusti.", "sv"),
        ("Jeg er tilbage på kontoret den 14. august.", "da"),
        ("Jeg er tilbake på kontoret 14. august.", "no"),
        ("Palaan töihin 14.8.", "fi"),
        ("Przebywam na urlopie do 14 sierpnia.", "pl"),
        ("Jsem na dovolené do 14. srpna.", "cs"),
        ("Som na dovolenke do 14. augusta.", "sk"),
        ("Szabadságon vagyok augusztus 14-ig.", "hu"),
        ("Sunt în concediu până pe 14 august.", "ro"),
        ("Na godišnjem odmoru sam do 14. kolovoza.", "hr"),
        ("14 Ağustos tarihine kadar yıllık izindeyim.", "tr"),
        ("Βρίσκομαι σε άδεια έως τις 14 Αυγούστου.", "el"),
        ("Я в отпуске до 14 августа.", "ru"),
        ("Я у відпустці до 14 серпня.", "uk"),
        ("8月14日まで休暇をいただいております。", "ja"),
        ("我正在休假,8月14日返回办公室。", "zh"),
        ("8월 14일까지 휴가입니다.", "ko"),
        ("אני מחוץ למשרד עד ה-14 באוגוסט.", "he"),
        ("أنا خارج المكتب حتى 14 أغسطس.", "ar"),
        ("Tôi nghỉ phép đến ngày 14/8/2026.", "vi"),
        ("Saya cuti sampai 14 Agustus.", "id"),
    ],
)
def test_a_return_is_read_in_every_language(text: str, language: str):
    """The words before or behind the date, and the names of months in the case that they take there."""
    assert date(2026, 8, 14) == return_date(text, date(2026, 7, 1)), language
