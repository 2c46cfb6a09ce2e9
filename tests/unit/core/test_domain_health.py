"""What a domain's records are worth, and what to add."""

import pytest

from relance.core.domain_health import RecordStatus, ToAdd, judge_dkim, judge_dmarc, judge_mx, judge_spf

GOOD, WEAK, WANTING, WRONG = RecordStatus.GOOD, RecordStatus.WEAK, RecordStatus.WANTING, RecordStatus.WRONG
GOOGLE = ("include:_spf.google.com",)


@pytest.mark.parametrize(
    "texts, expected",
    [
        (["v=spf1 include:_spf.google.com ~all"], GOOD),
        (["google-site-verification=x", "V=SPF1 a include:_SPF.google.com -all"], GOOD),
        (["v=spf1 include:_spf.google.com redirect=_spf.example.com"], GOOD),
        (["v=spf1 mx ~all"], WEAK),
        (["v=spf1 include:_spf.google.com ?all"], WEAK),
        (["v=spf1 include:_spf.google.com"], WEAK),
        (["v=spf1"], WEAK),
        ([], WANTING),
        (["v=spf10 nonsense"], WANTING),
        (["v=spf1 include:_spf.google.com ~all", "v=spf1 mx -all"], WRONG),
        (["v=spf1 include:_spf.google.com +all"], WRONG),
        ([f"v=spf1 {' '.join(f'include:s{n}.example' for n in range(11))} ~all"], WRONG),
    ],
)
def test_one_record_says_who_may_send_and_nobody_else(texts, expected):
    """RFC 7208: two records are none, and more than ten questions are refused."""
    assert expected is judge_spf("example.com", texts, sends_through=GOOGLE).status


def test_the_record_to_add_keeps_what_stands_there():
    """Who replaces a record by another must not lock out what sent before."""
    judged = judge_spf("example.com", ["v=spf1 include:other.example -all"], sends_through=GOOGLE)

    assert "v=spf1 include:other.example include:_spf.google.com -all" == (judged.to_add and judged.to_add.value)


def test_where_nothing_is_there_the_whole_record_is_shown():
    """As it is entered."""
    wanted = ToAdd(name="example.com", type="TXT", value="v=spf1 include:_spf.google.com ~all")

    assert wanted == judge_spf("example.com", [], sends_through=GOOGLE).to_add
    nameless = judge_spf("example.com", [], sends_through=())
    assert "v=spf1 mx ~all" == (nameless.to_add and nameless.to_add.value)


@pytest.mark.parametrize(
    "keys, expected",
    [
        ({"google": ["v=DKIM1; k=rsa; p=MIIB"], "mail": []}, GOOD),
        ({"mail": ["k=rsa; p=MIIB"]}, GOOD),
        ({"mail": ["v=DKIM1; p="]}, WRONG),
        ({"mail": ["a text of somebody else's"]}, WANTING),
        ({}, WANTING),
    ],
)
def test_a_key_is_looked_for_under_every_name(keys, expected):
    """RFC 6376: an empty p= withdraws the key."""
    assert expected is judge_dkim("example.com", keys).status


@pytest.mark.parametrize(
    "texts, expected",
    [
        (["v=DMARC1; p=reject; rua=mailto:a@example.com"], GOOD),
        (["v=DMARC1;p=none"], GOOD),
        (["v=DMARC1; rua=mailto:a@example.com"], WRONG),
        (["v=DMARC1; p=none", "v=DMARC1; p=reject"], WRONG),
        (["v=spf1 -all"], WANTING),
        ([], WANTING),
    ],
)
def test_a_policy_is_one_record_with_one_policy(texts, expected):
    """RFC 7489."""
    assert expected is judge_dmarc("example.com", texts, reports_to="a@example.com").status


@pytest.mark.parametrize("hosts, expected", [(["mx.example.com"], GOOD), ([], WANTING), ([""], WRONG)])
def test_answers_need_a_place_to_go(hosts, expected):
    """RFC 7505: a null MX takes none."""
    assert expected is judge_mx("example.com", hosts).status
