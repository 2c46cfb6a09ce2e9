"""Sequence files: what is written becomes the plan; everything wrong is named with line, step and remedy."""

import json
from datetime import date, time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from relance.core.plan_document import document_of
from relance.core.sequence import (
    BranchStep,
    Delay,
    EmailStep,
    FieldEquals,
    FrequencyCap,
    Interval,
    OnAutoReply,
    OnReply,
    OnUnknown,
    Order,
    PauseOrContinue,
    Plan,
    QuietHours,
    RepliedWithin,
    SendTime,
    StopOrContinue,
    StopScope,
    Unit,
    Variant,
    WaitStep,
    Window,
)
from relance.services.sequence_files import Broken, Sound, read_sequence_file, read_sequence_text
from relance.services.sequence_files.policies import KEYS

TODAY = date(2026, 11, 30)
WHOLE = """\
name: founders-q4
mailboxes: {pool: team}
window: {timezone: Europe/Berlin, days: [mon, tue], intervals: ["09:00-12:00", 13:30-17:00], blackout: [2026-12-24]}
quiet_hours: {email: "20:00-08:00", timezone: Europe/Berlin}
on_reply: enroll:nurture
stop_scope: company
on_auto_reply: hold_until_return
on_manual_reply: continue
on_note: continue
on_unknown: assume_sent
daily_cap: 200
max_new_per_day: 80
frequency_cap: {messages: 1, per: 2d}
send_time: opens
tracking: {opens: false, clicks: false}
holdout: 2.5%
steps:
  - id: intro
    kind: email
    subject: "Question about {{ company }}"
    text: |
      {Hi|Hello} {{ first_name | default: "there" }},
      how are you?
    variants:
      - {id: b, weight: 3, subject: "Another question"}
  - {id: bump, kind: email, after: 3d, text: "Again.", html: "<p>Again.</p>"}
  - {id: check, kind: branch, if: {replied: {within: 72h}}, then: stop, else: last}
  - {id: rest, kind: wait, for: 2d}
  - {id: gold, kind: branch, if: {field: tier, equals: Gold}, then: last}
  - {id: last, kind: email, after: 4bd, text: "Bye."}
"""


def days(amount: int) -> Delay:
    """Return so many days."""
    return Delay(amount=amount, unit=Unit.DAYS)


def plan(text: str, file: str = "a.yaml") -> Plan:
    """Return the plan of a sound text."""
    reading = read_sequence_text(text, file=file, today=TODAY)
    assert isinstance(reading, Sound), reading
    return reading.plan


def sentences(text: str, file: str = "a.yaml") -> tuple[str, ...]:
    """Return what is wrong with a text."""
    reading = read_sequence_text(text, file=file, today=TODAY)
    assert isinstance(reading, Broken), reading
    return reading.sentences


def mail(**keys: str) -> str:
    """Return a sound sequence with other or more lines above its only step."""
    lines = {"name": "a", **keys}
    head = "".join(f"{key}: {value}\n" for key, value in lines.items())
    return f"{head}steps:\n  - {{id: intro, kind: email, subject: Hi, text: Hello}}\n"


def steps(*written: str) -> str:
    """Return a sequence of these steps."""
    return "name: a\nsteps:\n" + "".join(f"  - {step}\n" for step in written)


INTRO = "{id: intro, kind: email, subject: Hi, text: Hello}"


def test_everything_that_can_be_written_arrives_in_the_plan():
    """Key by key."""
    body = '{Hi|Hello} {{ first_name | default: "there" }},\nhow are you?\n'
    expected = Plan(
        name="founders-q4",
        pool="team",
        window=Window(
            timezone="Europe/Berlin",
            days=frozenset({0, 1}),
            intervals=(Interval(start=time(9), end=time(12)), Interval(start=time(13, 30), end=time(17))),
            blackout=frozenset({date(2026, 12, 24)}),
        ),
        quiet_hours=QuietHours(interval=Interval(start=time(20), end=time(8)), timezone="Europe/Berlin"),
        on_reply=OnReply.ENROLL,
        reply_sequence="nurture",
        stop_scope=StopScope.COMPANY,
        on_auto_reply=OnAutoReply.HOLD_UNTIL_RETURN,
        on_manual_reply=StopOrContinue.CONTINUE,
        on_note=PauseOrContinue.CONTINUE,
        on_unknown=OnUnknown.ASSUME_SENT,
        daily_cap=200,
        max_new_per_day=80,
        frequency_cap=FrequencyCap(messages=1, per=days(2)),
        send_time=SendTime.OPENS,
        holdout=0.025,
        steps=(
            EmailStep(
                id="intro",
                after=Delay(amount=0, unit=Unit.SECONDS),
                variants=(
                    Variant(id="a", weight=1, subject="Question about {{ company }}", text=body, html=None),
                    Variant(id="b", weight=3, subject="Another question", text=body, html=None),
                ),
            ),
            EmailStep(
                id="bump",
                after=days(3),
                variants=(Variant(id="a", weight=1, subject=None, text="Again.", html="<p>Again.</p>"),),
            ),
            BranchStep(
                id="check",
                after=Delay(amount=0, unit=Unit.SECONDS),
                condition=RepliedWithin(within=Delay(amount=72, unit=Unit.HOURS)),
                then="stop",
                otherwise="last",
            ),
            WaitStep(id="rest", after=Delay(amount=0, unit=Unit.SECONDS), duration=days(2)),
            BranchStep(
                id="gold",
                after=Delay(amount=0, unit=Unit.SECONDS),
                condition=FieldEquals(field="tier", value="Gold"),
                then="last",
                otherwise=None,
            ),
            EmailStep(
                id="last",
                after=Delay(amount=4, unit=Unit.BUSINESS_DAYS),
                variants=(Variant(id="a", weight=1, subject=None, text="Bye.", html=None),),
            ),
        ),
    )

    assert expected == plan(WHOLE)


def test_the_same_shape_in_json_is_the_same_plan():
    """With tabs, escapes and pairs of surrogates, which YAML would not read."""
    document = yaml.safe_load(WHOLE)
    document["window"]["blackout"] = ["2026-12-24"]
    document["steps"][0]["text"] += "\U0001f600"
    written = json.dumps(document, indent="\t").replace("/", "\\/")
    expected = plan(WHOLE.replace("how are you?\n", "how are you?\n").replace('subject: "Another', 'subject: "Another'))
    read = plan(written, "a.json")
    [first, *rest] = read.steps
    assert isinstance(first, EmailStep)

    assert expected.steps[1:] == tuple(rest)
    assert first.variants[0].text.endswith("?\n\U0001f600")
    assert {**document_of(expected), "steps": None} == {**document_of(read), "steps": None}


def test_what_is_left_out_has_the_documented_defaults():
    """The smallest sequence is a name and one e-mail."""
    assert Plan(name="a", steps=plan(steps(INTRO)).steps) == plan(steps(INTRO))


def test_a_window_can_be_always():
    """For tests and for machines."""
    assert Window(always=True) == plan(mail(window="always")).window


def test_addresses_name_mailboxes_in_place_of_a_pool():
    """In the spelling that mailboxes are kept by."""
    read = plan(mail(mailboxes="[Anna@Example.com, bob@example.com]"))

    assert (None, ("anna@example.com", "bob@example.com")) == (read.pool, read.mailboxes)


def test_a_domain_names_all_of_its_mailboxes():
    """Alone, or beside addresses."""
    assert (None, ("@acme.example",)) == (
        plan(mail(mailboxes="{domain: Acme.Example}")).pool,
        plan(mail(mailboxes="{domain: Acme.Example}")).mailboxes,
    )
    assert ("@acme.example", "bob@other.example") == plan(
        mail(mailboxes="['@acme.example', bob@other.example]")
    ).mailboxes


def test_order_and_the_zone_of_leads_without_one_arrive_in_the_plan():
    """Each is a word of its own."""
    read = plan(mail(order="new_leads_first", window="{timezone: lead, unknown_timezone: Europe/Paris}"))

    assert (Order.NEW_LEADS_FIRST, "Europe/Paris") == (read.order, read.window.unknown_timezone)


def test_holidays_are_frozen_at_publish():
    """From today on, for three years and what is left of this one; a country that YAML would read as `false` too."""
    german = plan(mail(window="{holidays: DE}")).window
    bavarian = plan(mail(window="{holidays: de-by}")).window
    norwegian = plan(mail(window="{holidays: NO}")).window

    assert date(2026, 12, 25) in german.holiday_dates
    assert date(2028, 10, 3) in german.holiday_dates
    assert date(2026, 10, 3) not in german.holiday_dates
    assert date(2027, 1, 6) in bavarian.holiday_dates - german.holiday_dates
    assert (date(2027, 5, 17) in norwegian.holiday_dates, "NO") == (True, norwegian.holidays)


def test_times_without_quotation_marks_are_times():
    """YAML would read 09:00 as a number of minutes."""
    assert (Interval(start=time(9), end=time(17, 30)),) == plan(
        mail(window="{intervals: [9:00-17:30]}")
    ).window.intervals


@pytest.mark.parametrize(
    "text,sentence",
    [
        (mail(windwo="always"), ":2: unknown key 'windwo'; did you mean window?"),
        (mail(colour="red"), ":2: unknown key 'colour'; known are name, mailboxes"),
        (mail(goal="x"), "a.yaml:2: goal is not available yet"),
        (mail(tracking="{opens: true}"), "a.yaml:2: tracking of opens is not available yet; write opens: false"),
        (mail(tracking="{clicks: true}"), "a.yaml:2: tracking of clicks is not available yet"),
        (mail(window="{days: [mon, tues, funday]}"), "a.yaml:2: days holds 'funday'; use mon, tue"),
        (mail(window="{timezone: Berlin}"), "a.yaml:2: timezone: 'Berlin' is not a time zone; write an IANA name"),
        (mail(window="{intervals: [9-17]}"), "a.yaml:2: intervals: '9-17' is no interval; write it as 09:00-17:00"),
        (mail(window='{intervals: ["09:00-25:00"]}'), "'09:00-25:00' is no interval"),
        (mail(window="{holidays: XX}"), "a.yaml:2: holidays: no holidays are known for 'XX'"),
        (mail(window="{holidays: DE-XX}"), "a.yaml:2: holidays: DE has no region 'XX'; known are BB"),
        (mail(window="{blackout: [24.12.2026]}"), "a.yaml:2: blackout is '24.12.2026'; write a date as 2026-12-24"),
        (mail(window="{blackout: [2026-02-30]}"), "a.yaml:2: blackout is '2026-02-30'; write a date"),
        (mail(window="{day: [mon]}"), ":2: unknown key 'day' in window; did you mean days?"),
        (mail(window="sometimes"), "a.yaml:2: window is 'sometimes'; write always, or"),
        (mail(window="{days: []}"), "a.yaml:2: days is empty; use mon, tue, wed, thu, fri, sat, sun, or leave the key"),
        (mail(quiet_hours="{email: evening}"), "a.yaml:2: email: 'evening' is no interval; write it as"),
        (mail(quiet_hours="{sms: 20:00-08:00}"), "a.yaml:2: sms is not available yet (SMS); leave it out"),
        (mail(on_reply="stopp"), "a.yaml:2: on_reply is 'stopp'; did you mean stop?"),
        (mail(on_reply="'enroll:'"), "a.yaml:2: on_reply enrolls, but into no sequence; write on_reply: enroll:NAME"),
        (mail(on_reply="enroll:a"), "on_reply enrolls into the sequence itself"),
        (mail(stop_scope="world"), "a.yaml:2: stop_scope is 'world'; use one of enrollment, lead, company"),
        (mail(daily_cap="many"), "a.yaml:2: daily_cap is 'many'; write a whole number from 1"),
        (mail(daily_cap="0"), "a.yaml:2: daily_cap is '0'; write a whole number from 1"),
        (mail(daily_cap="[1]"), "a.yaml:2: daily_cap is a list; write a whole number"),
        (mail(holdout="0.05"), "a.yaml:2: holdout: '0.05' is no share; write it as 5%"),
        (mail(holdout="100%"), "a.yaml:2: holdout: '100%' is no share; write it as 5%, less than 100%"),
        (mail(frequency_cap="{messages: 1}"), "a.yaml:2: frequency_cap has no per; write {messages: 1, per: 2d}"),
        (mail(frequency_cap="{messages: 1, per: 2w}"), ":2: per: '2w' is no delay; write a number and s, m, h, d"),
        (mail(mailboxes="[]"), "a.yaml:2: mailboxes is empty; write {pool: default}, {domain: acme.example}, or"),
        (mail(mailboxes="['@']"), "a.yaml:2: mailboxes: '@' is no domain; write the address of a connected mailbox"),
        (mail(mailboxes="{domain: a b}"), "a.yaml:2: domain: 'a b' is no domain; write one such as acme.example"),
        (mail(mailboxes="{pool: x, domain: a.example}"), "a.yaml:2: mailboxes names a pool and a domain; keep one"),
        (mail(order="newest"), "a.yaml:2: order is 'newest'; "),
        (mail(window="{unknown_timezone: UTC}"), "the window names a zone for leads without one, but is not read"),
        (mail(window="{timezone: lead, unknown_timezone: lead}"), "unknown_timezone: 'lead' is not a time zone"),
        (mail(mailboxes="[anna]"), "a.yaml:2: mailboxes: 'anna' is not an e-mail address"),
        (mail(mailboxes="anna@example.com"), "a.yaml:2: mailboxes is 'anna@example.com'; write {pool: default}"),
        (mail(name=""), "a.yaml:1: name is missing; write name: founders-q4"),
        ("steps:\n  - " + INTRO, "a.yaml:1: name is missing; write name: founders-q4"),
        ("name: a\n", "a.yaml:1: the sequence has no steps; write at least one step of kind email"),
        ("name: a\nsteps: []\n", "the sequence has no steps"),
        (mail(mailboxes="{}"), "a.yaml:2: mailboxes is empty; write {pool: default}"),
        (mail(mailboxes="{pool: team, domain: }"), "a.yaml:2: domain is empty; write {pool: default} or {domain: "),
        (mail(quiet_hours="{timezone: UTC}"), "a.yaml:2: quiet_hours has no email; write {email: "),
        ("name: a\nsteps: none\n", ":2: steps is 'none'; a step is written as"),
        ("name: a\nsteps:\n  - intro\n", ":3: steps holds 'intro'; a step is written as"),
        (mail() + "name: b\n", "a.yaml:4: name stands there twice; keep one of the two"),
    ],
)  # fmt: skip
def test_what_is_wrong_above_the_steps_is_named(text, sentence):
    """File, line and remedy."""
    assert any(sentence in said for said in sentences(text)), sentences(text)


@pytest.mark.parametrize(
    "written,sentence",
    [
        ([INTRO.replace("text", "txet")], ":3: step intro: unknown key 'txet'; did you mean text?"),
        (["{kind: email, subject: Hi, text: x}"], ":3: step number 1: id is missing; give every step an id"),
        (["{id: intro, subject: Hi, text: x}"], ":3: step intro: kind is missing; use one of email, wait, branch"),
        (["{id: i, kind: sms, text: x}"], ":3: step i: steps of kind sms are not available yet; use email"),
        (["{id: i, kind: mail, text: x}"], ":3: step i: unknown kind 'mail'; use one of email, wait, branch"),
        (["{id: i, kind: email, subject: Hi}"], ":3: step i: the e-mail has no text; write text:"),
        (["{id: i, kind: email, subject: Hi, html: <p>x</p>}"], ":3: step i: the e-mail has no text"),
        (["{id: i, kind: email, subject: '', text: x}"], ":3: step i: subject is empty; write something, or leave it"),
        (["{id: i, kind: email, text: x}"], ":3: step i: the first e-mail that a lead gets has no subject"),
        ([INTRO, "{id: w, kind: wait, for: 1d}", "{id: w, kind: wait, for: 1d}"], "two steps have the id w"),
        ([INTRO, "{id: stop, kind: wait, for: 1d}"], ":4: step stop: the id stop is reserved"),
        ([INTRO, "{id: b, kind: email, after: soon, text: x}"], ":4: step b: after: 'soon' is no delay; write a"),
        ([INTRO, "{id: b, kind: email, after: 3 days, text: x}"], ":4: step b: after: '3 days' is no delay"),
        ([INTRO, "{id: b, kind: email, after: 9999d, text: x}"], "longer than 1000 days"),
        ([INTRO, "{id: w, kind: wait}"], ":4: step w: the wait says not how long; write for: 2d"),
        ([INTRO, "{id: w, kind: wait, until: 2d}"], ":4: step w: unknown key 'until'"),
        ([INTRO, "{id: c, kind: branch, then: stop}"], ":4: step c: the branch has no condition"),
        ([INTRO, "{id: c, kind: branch, if: {}, then: stop}"], ":4: step c: the branch has no condition; write"),
        ([INTRO, "{id: c, kind: branch, if: {equals: x}, then: stop}"], ":4: step c: the branch asks nothing"),
        (
            [INTRO, "{id: c, kind: branch, if: {replied: {within: 1d}, equals: x}, then: stop}"],
            ":4: step c: a branch asks one question; keep replied, or field and equals",
        ),
        ([INTRO, "{id: c, kind: branch, if: {replied: {within: 3d}}}"], ":4: step c: then is missing; name a step, or"),
        ([INTRO, "{id: c, kind: branch, if: {opened: {within: 3d}}, then: stop}"], "c: opened is not available yet"),
        ([INTRO, "{id: c, kind: branch, if: {replied: {}}, then: stop}"], ":4: step c: replied has no within"),
        ([INTRO, "{id: c, kind: branch, if: {field: x}, then: stop}"], ":4: step c: equals is missing"),
        (
            [INTRO, "{id: c, kind: branch, if: {replied: {within: 3d}}, then: nowhere}"],
            "then leads to the unknown step 'nowhere'",
        ),
        ([INTRO, "{id: c, kind: branch, if: {field: a, equals: b}, then: intro}"], "run in a circle without any wait"),
        ([INTRO[:-1] + ", variants: [{id: a, subject: x}]}"], ":3: step intro: the variant a is the step itself"),
        ([INTRO[:-1] + ", variants: [{id: b}]}"], ":3: step intro: variant b says nothing of its own"),
        ([INTRO[:-1] + ", variants: [{subject: x}]}"], ":3: step intro: id is missing; give every variant an id"),
        ([INTRO[:-1] + ", variants: [{id: b, weight: 0, subject: x}]}"], "weight is '0'; write a whole number from 1"),
        ([INTRO[:-1] + ", cc: a@b.example}"], ":3: step intro: cc is not available yet"),
        ([INTRO[:-1] + ", text: x}"], ":3: step intro: text stands there twice"),
        ([INTRO.replace("Hello", "'{{ first_name }'")], ":3: step intro: text: {{ is never closed; write }} behind it"),
        ([INTRO.replace("Hello", "'{{ name | shout }}'")], ":3: step intro: text: there is no filter 'shout'; use "),
        ([INTRO.replace("Hello", "'{% for x in y %}x{% endfor %}'")], "there are no loops"),
        ([INTRO.replace("Hello", "'{Hi|Hello there'")], ":3: step intro: text: this { is never closed"),
        ([INTRO.replace("Hello", "'Hi {first_name}'")], "for the field write {{ first_name }}"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_step_is_named(written, sentence):
    """File, line, step and remedy."""
    assert any(sentence in said for said in sentences(steps(*written))), sentences(steps(*written))


NOTHING = ("", "null", "~", "{}")


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("key", [key for key in KEYS if key not in {"name", "steps"}])
def test_a_key_with_nothing_behind_it_is_refused(key, nothing):
    """Whoever forgot the number behind `daily_cap:` would send without a cap; to have none, one leaves the key out."""
    found = sentences(f"name: a\n{key}: {nothing}\nsteps:\n  - {INTRO}\n")

    assert 1 == len(found), found
    assert found[0].startswith(f"a.yaml:2: {key} is ")
    assert nothing == "{}" or found[0].endswith(", or leave the key out"), found


@pytest.mark.parametrize("nothing", NOTHING[:3])
@pytest.mark.parametrize(
    "inside,key",
    [
        *(("window", key) for key in ("timezone", "unknown_timezone", "days", "intervals", "holidays", "blackout")),
        *(("tracking", key) for key in ("opens", "clicks")),
        *(("mailboxes", key) for key in ("pool", "domain")),
    ],
)
def test_a_key_within_a_key_with_nothing_behind_it_is_refused(inside, key, nothing):
    """On its own line, with what to write."""
    found = sentences(f"name: a\n{inside}:\n  {key}: {nothing}\nsteps:\n  - {INTRO}\n")

    assert 1 == len(found), found
    assert found[0].startswith(f"a.yaml:3: {key} is empty; ")
    assert found[0].endswith(", or leave the key out")


@pytest.mark.parametrize(
    "step,key",
    [
        *(("kind: email, text: x, subject: Hi", key) for key in ("after", "html", "weight", "variants")),
        *(("kind: email, text: x, subject: Hi, variants: [{id: b, html: y, KEY}]", key) for key in ("subject", "text")),
        ("kind: email, text: x", "subject"),
        ("kind: wait, for: 1d", "after"),
        ("kind: branch, if: {field: a, equals: b}, then: stop", "else"),
    ],
)
def test_a_key_of_a_step_with_nothing_behind_it_is_refused(step, key):
    """An empty `subject:` is no wish to stay in the thread."""
    written = step.replace("KEY", f"{key}: ") if "KEY" in step else f"{step}, {key}: "
    found = sentences(steps(INTRO, f"{{id: s, {written}}}"))

    assert 1 == len(found), found
    assert found[0].startswith(f"a.yaml:4: step s: {key} is empty; ")
    assert found[0].endswith(", or leave the key out")


def test_a_null_in_a_json_file_is_refused_as_an_empty_key_is():
    """Whoever means none leaves the key out there too."""
    text = '{"name": "a",\n "daily_cap": null,\n "steps": [{"id": "i", "kind": "email", "subject": "Hi", "text": "x"}]}'
    found = read_sequence_text(text, file="a.json", today=TODAY)

    assert isinstance(found, Broken)
    assert found.sentences == ("a.json:2: daily_cap is empty; write a whole number from 1, or leave the key out",)


def test_a_list_that_is_written_as_empty_may_be_empty_where_that_says_something():
    """No dates, no variants: written by a script, perhaps, and no slip."""
    written = plan(mail(window="{blackout: []}").replace(INTRO, INTRO[:-1] + ", variants: []}"))

    assert plan(mail(window="{days: [mon, tue, wed, thu, fri]}")) == written


def test_a_template_error_names_the_line_inside_the_text():
    """A block begins below its key."""
    head = "name: a\nsteps:\n  - id: intro\n    kind: email\n    subject: Hi\n"
    text = f"{head}    text: |\n      one\n      {{{{ two\n      three\n"

    assert "a.yaml:8: step intro: text: {{ is never closed; write }} behind it" in sentences(text)


def test_all_problems_come_at_once_in_the_order_of_the_file():
    """Nobody corrects a file one sentence at a time."""
    text = "nmae: a\ndaily_cap: x\nsteps:\n  - {id: i, kind: mail}\n  - {id: j, kind: wait, for: soon}\n"
    found = sentences(text)

    assert [1, 1, 2, 4, 5] == [int(said.split(":")[1]) for said in found]


@pytest.mark.parametrize(
    "broken",
    [
        "if: {replied: {within: soon}}",
        "if: {replied: {}}",
        "if: {replied: 3d}",
        "if: {field: country}",
        "if: {}",
        "iff: {replied: {within: 3d}}",
    ],
)
def test_a_broken_condition_hides_nothing_else_of_its_step(broken):
    """Neither its other keys, nor where it leads, nor what is wrong with the rest of the file."""
    branch = f"{{id: c, kind: branch, after: later, {broken}, then: nowhere, else: neither, color: red}}"
    found = sentences(
        mail(daily_cap="x").replace("steps:\n", f"steps:\n  - {{id: o, kind: email, text: x}}\n  - {branch}\n")
    )

    for said in (
        ":2: daily_cap is 'x'",
        ":4: step o: the first e-mail that a lead gets has no subject",
        ":5: step c: after: 'later' is no delay",
        ":5: step c: then leads to the unknown step 'nowhere'",
        ":5: step c: else leads to the unknown step 'neither'",
        ":5: step c: unknown key 'color'",
    ):
        assert 1 == sum(said in each for each in found), (said, found)


def back_to(step: str) -> str:
    """Return a branch that leads back to a step."""
    return f"{{id: c, kind: branch, if: {{field: a, equals: b}}, then: {step}}}"


@pytest.mark.parametrize(
    "text,expected",
    [
        ("name: a\nsteps: none\n", 1),
        ("name: a\nsteps:\n", 1),
        ("steps:\n  - " + INTRO, 1),
        (mail(window="sometimes", quiet_hours='{email: "08:00-18:00"}'), 1),
        (mail(window="{intervals: [9-17]}", quiet_hours='{email: "08:00-18:00"}'), 1),
        (mail(window="{intervals: [9-17, 20:00-21:00]}", quiet_hours='{email: "19:00-08:00"}'), 1),
        (mail(window="{days: [funday]}"), 1),
        (mail(window="{timezone: Leed, unknown_timezone: mailbox}"), 1),
        (mail(quiet_hours='{email: "08:00-18:00", timezone: Mars}'), 1),
        (steps("{id: i, kind: mail, subject: Hi, text: x}"), 1),
        (steps("{id: i, kind: email, subject: '', text: x}"), 1),
        (steps("{id: i, kind: email, subject: Hi, text: ''}"), 1),
        (steps(INTRO, "{id: w, kind: wait, for: soon}", back_to("w")), 1),
        (steps(INTRO, "{id: b, kind: email, after: soon, text: x}", back_to("b")), 1),
        (steps(INTRO, "{id: x, kind: sms, after: 1d}", back_to("x")), 1),
        (steps(INTRO[:-1] + ", variants: [{id: a, subject: x}, {id: b, subject: }]}"), 2),
        (steps("{kind: email, subject: Hi, text: x}"), 1),
    ],
)  # fmt: skip
def test_one_mistake_is_named_once(text, expected):
    """What cannot be read is not held against the rest of the file."""
    found = sentences(text)

    assert expected == len(found), found


@pytest.mark.parametrize(
    "text,sentence",
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("- a\n- b\n", "a.yaml:1: the file holds a list; write keys and values"),
        ("just words\n", "a.yaml:1: the file holds 'just words'"),
        ("name: a\n  steps: b\n", "a.yaml:2: this is not YAML: mapping values are not allowed"),
        ("name: a\nsteps:\n\t- x\n", "a.yaml:3: this is not YAML: found character that cannot start any token"),
        ("name: 'a\nsteps: []\n", "this is not YAML"),
        ("name: [a\nsteps: []\n", "this is not YAML"),
        ("name: a\x07\n", "this is not YAML"),
        ("name: &n a\nsteps: *n\n", "a.yaml:1: anchors and aliases (& and *) are not used here; write the value out"),
        ("name: a\n---\nname: b\n", "a.yaml:2: the file holds a second document; write one sequence per file"),
        ("? [a, b]\n: c\n", "a.yaml:1: a key is a list or a mapping"),
        ("name: " + "[" * 200_000, "nested more than 30 deep"),
        ("name: [" + "a," * 30_000 + "a]", "it holds more than 20000 values"),
        ("name: !!python/object/apply:os.system ['echo harm']\nsteps: []\n", "name is a list"),
    ],
)  # fmt: skip
def test_what_is_no_sequence_at_all_is_named(text, sentence):
    """Broken, hostile or something else: one clear sentence each, and nothing is executed or expanded."""
    assert any(sentence in said for said in sentences(text)), sentences(text)


@pytest.mark.parametrize(
    "text,sentence",
    [
        ("", "the file is empty"),
        ('{"name": "a",}', "this is not JSON: a key in quotation marks was expected"),
        ('{"name": "a"', "this is not JSON: a comma or } was expected"),
        ('{\n"name": nil}', "a.json:2: this is not JSON: a value was expected"),
        ('{"name": "a"} x', "something follows after the end"),
        ('{"name": "a\n"}', "this is not JSON: Invalid control character"),
        ("[" * 200_000, "nested more than 30 deep"),
        ('{"name": "a", "windwo": 1, "steps": []}', "a.json:1: unknown key 'windwo'; did you mean window?"),
    ],
)
def test_broken_json_is_named_with_its_line(text, sentence):
    """As YAML is."""
    assert any(sentence in said for said in sentences(text, "a.json")), sentences(text, "a.json")


def test_a_file_is_read_as_utf8_whatever_begins_it(tmp_path):
    """A BOM is nothing; another encoding is named with the line where it shows."""
    good, bad, long = tmp_path / "good.yaml", tmp_path / "bad.yaml", tmp_path / "long.yaml"
    good.write_bytes(b"\xef\xbb\xbf" + mail(name="größe").replace("\n", "\r\n").encode())
    bad.write_bytes(mail(name="größe").encode("latin-1"))
    long.write_bytes(b"#" * (2 * 1024 * 1024 + 1))
    read = [read_sequence_file(path, today=TODAY) for path in (good, bad, long)]

    assert isinstance(read[0], Sound)
    assert "größe" == read[0].plan.name
    assert isinstance(read[1], Broken)
    assert f"{bad}:1: it is not text in UTF-8; save the file as UTF-8" == read[1].sentences[0]
    assert isinstance(read[2], Broken)


@given(st.text(max_size=200))
def test_no_text_whatsoever_raises(text):
    """Any file is a plan or a list of problems."""
    for file in ("a.yaml", "a.json"):
        reading = read_sequence_text(text, file=file, today=TODAY)

        assert isinstance(reading, Broken)
        assert reading.problems


_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["3d", "email", "stop", "a"])
)
_KEYS = st.sampled_from(
    ["name", "steps", "window", "id", "kind", "text", "if", "then", "variants", "mailboxes", "replied"]
)
_TREES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | st.text(max_size=4), inner, max_size=5),
)


@given(_TREES)
def test_no_shape_whatsoever_raises(tree):
    """Every key may hold anything; YAML and JSON agree on whether that is a sequence."""
    as_json = read_sequence_text(json.dumps(tree), file="a.json", today=TODAY)
    as_yaml = read_sequence_text(yaml.safe_dump(tree), file="a.yaml", today=TODAY)

    assert isinstance(as_json, Broken) == isinstance(as_yaml, Broken)


def test_a_signature_is_looked_for_where_it_is():
    """It is the mailbox's; whoever writes the key here learns what to write instead."""
    text = "name: x\nsignature: Bo\nsteps:\n  - {id: a, kind: email, subject: Hi, text: Hello, signature: Bo}\n"
    found = read_sequence_text(text, file="x.yaml", today=TODAY)

    assert isinstance(found, Broken)
    assert [2, 4] == [problem.line for problem in found.problems]
    assert all("relance mailbox set ADDRESS --signature-file FILE" in sentence for sentence in found.sentences)
