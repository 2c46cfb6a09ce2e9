"""Sequence files written from plans, and changed by a builder: what is read back is what was meant."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.address_check import Verification
from relance.core.mail_hosts import ProviderMatch
from relance.core.sequence import (
    Delivery,
    OnAutoReply,
    OnUnknown,
    Order,
    PauseOrContinue,
    Plan,
    Rotation,
    SendTime,
    StopOrContinue,
    StopScope,
)
from relance.services.refusals import WrongInputError
from relance.services.sequence_files import Sound, read_sequence_text
from relance.services.sequence_files import editing as edits
from relance.services.sequence_files.differences import Difference, differences
from relance.services.sequence_files.nodes import FileProblemError
from relance.services.sequence_files.writing import as_json, as_yaml, document_of_text, file_document

TODAY = date(2026, 11, 30)
NAMES = st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=12).filter(lambda name: name != "stop")
WORDS = st.text(
    st.characters(categories=("L", "Nd", "P", "S"), include_characters=" \n\t", exclude_characters="{}[]|%"), min_size=1
).filter(str.strip)
DELAYS = st.builds(lambda amount, unit: f"{amount}{unit}", st.integers(1, 90), st.sampled_from(["m", "h", "d", "bd"]))
SUBJECTS = WORDS.map(lambda text: " ".join(text.split()))


def choices(kind: Any) -> st.SearchStrategy[str]:
    """Return one of an enumeration's words."""
    return st.sampled_from([str(word) for word in kind])


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Make a sound sequence file's values."""
    ids = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    first: dict[str, Any] = {"id": ids[0], "kind": "email", "subject": draw(SUBJECTS), "text": draw(WORDS)}
    if draw(st.booleans()):
        first["variants"] = [{"id": "b", "weight": draw(st.integers(1, 9)), "text": draw(WORDS)}]
    steps: list[dict[str, Any]] = [first]
    for name in ids[1:]:
        match draw(st.sampled_from(["email", "wait", "replied", "field"])):
            case "email":
                steps.append(
                    {"id": name, "kind": "email", "after": draw(DELAYS), "text": draw(WORDS), "html": "<p>x</p>"}
                )
            case "wait":
                steps.append({"id": name, "kind": "wait", "for": draw(DELAYS)})
            case "replied":
                asked: dict[str, Any] = {"replied": {"within": draw(DELAYS)}}
                steps.append({"id": name, "kind": "branch", "after": "1d", "if": asked, "then": "stop"})
            case _:
                asked = {"field": draw(NAMES), "equals": draw(SUBJECTS)}
                way = {"then": draw(st.sampled_from(ids)), "else": "stop"}
                steps.append({"id": name, "kind": "branch", "after": "1d", "if": asked, **way})
    policies = {
        "mailboxes": draw(st.sampled_from([{"pool": "sales"}, ["ann@acme.example"], {"domain": "acme.example"}])),
        "window": draw(
            st.sampled_from(
                [
                    "always",
                    {"timezone": "lead", "unknown_timezone": "mailbox", "days": ["mon", "sun"]},
                    {"intervals": ["09:00-12:00", "13:30-17:00"], "holidays": "DE-BY", "blackout": ["2026-12-24"]},
                ]
            )
        ),
        "on_reply": draw(st.sampled_from(["stop", "pause", "hold", "enroll:other"])),
        "stop_scope": draw(choices(StopScope)),
        "on_auto_reply": draw(choices(OnAutoReply)),
        "on_manual_reply": draw(choices(StopOrContinue)),
        "on_note": draw(choices(PauseOrContinue)),
        "on_unknown": draw(choices(OnUnknown)),
        "order": draw(choices(Order)),
        "rotation": draw(choices(Rotation)),
        "delivery": draw(choices(Delivery)),
        "verification": draw(choices(Verification)),
        "match_provider": draw(choices(ProviderMatch)),
        "send_time": draw(choices(SendTime)),
        "daily_cap": draw(st.integers(1, 999)),
        "frequency_cap": {"messages": draw(st.integers(1, 9)), "per": draw(DELAYS)},
        "quiet_hours": {"email": "20:00-08:00", "timezone": "Europe/Berlin"},
        "holdout": f"{draw(st.integers(1, 99))}%",
    }
    kept = draw(st.sets(st.sampled_from(sorted(policies))))
    return {"name": draw(NAMES), **{key: policies[key] for key in policies if key in kept}, "steps": steps}


def plan_in(text: str, file: str = "x.yaml") -> Plan:
    """Read a file that has no problem."""
    reading = read_sequence_text(text, file=file, today=TODAY)
    assert isinstance(reading, Sound), getattr(reading, "sentences", None)
    return reading.plan


@given(documents())
def test_what_is_written_of_a_plan_reads_as_the_same_plan(document):
    """YAML and JSON alike: export and import are one thing."""
    plan = plan_in(as_json(document), "x.json")
    written = file_document(plan)

    assert plan == plan_in(as_yaml(written))
    assert plan == plan_in(as_json(written), "x.json")
    assert written == document_of_text(as_yaml(written), file="x.yaml")


def test_what_looks_like_something_else_stays_as_it_is_written():
    """`NO` is a country and `007` the value of a field, whatever YAML would make of them."""
    text = "name: 1e3\nsteps:\n- {id: a, kind: branch, if: {field: no, equals: 007}, then: stop}\n"
    found = document_of_text(text, file="x.yaml")

    assert {"field": "no", "equals": "007"} == found["steps"][0]["if"]
    assert found == document_of_text(as_yaml(found), file="x.yaml")


def test_a_text_of_several_lines_is_written_as_a_block():
    """A person edits it in the file."""
    assert "text: |-\n      Hi\n\n      there" in as_yaml({"steps": [{"text": "Hi\n\nthere"}]})


@pytest.mark.parametrize(
    "text, what",
    [
        ("- a\n", "the file holds a list"),
        ("name: a\nname: b\n", "name stands there twice"),
        ("name: a\nsteps: {id: intro}\n", "steps is no list of steps"),
        ("name: a\nsteps: [intro]\n", "steps is no list of steps"),
    ],
)
def test_what_has_not_the_shape_of_a_file_is_refused(text, what):
    """A builder has no place for it."""
    with pytest.raises(FileProblemError, match=what):
        document_of_text(text, file="x.yaml")


@given(documents(), st.sampled_from(edits.KINDS), st.integers(0, 9))
def test_a_new_step_has_an_id_of_its_own(document, kind, position):
    """Wherever it is put in, and whatever it is."""
    made = edits.add_step(document, kind, position)
    ids = [step["id"] for step in made["steps"]]

    assert len(set(ids)) == len(document["steps"]) + 1
    assert document["steps"] == [step for step in made["steps"] if step in document["steps"]]


@given(documents(), st.data())
def test_whoever_moves_a_step_loses_none(document, data):
    """Past an end means at that end."""
    last = len(document["steps"]) - 1
    moved = edits.move_step(document, data.draw(st.integers(0, last)), data.draw(st.integers(-3, 12)))

    assert sorted(map(as_json, document["steps"])) == sorted(map(as_json, moved["steps"]))


@given(documents())
def test_whoever_renames_a_step_takes_along_the_branches_that_lead_to_it(document):
    """A way never leads nowhere because of a name."""
    renamed = edits.replace_step(document, 0, {**document["steps"][0], "id": "renamed!"})
    before = plan_in(as_json(document), "x.json")
    after = plan_in(as_json(renamed), "x.json")

    assert len(before.steps) == len(after.steps)


@given(documents())
def test_a_change_leaves_the_old_values_as_they_were(document):
    """Else nothing could be undone."""
    kept = as_json(document)
    edits.add_variant(document, 0)
    edits.copy_step(document, 0)
    edits.remove_step(document, 1)
    edits.change_policies(document, {"name": "other", "window": None})

    assert kept == as_json(document)


def test_a_step_that_is_not_there_is_refused():
    """Somebody took it out meanwhile."""
    with pytest.raises(WrongInputError, match="not there any more"):
        edits.remove_step(edits.new_document("q4"), 0)


def test_a_wording_that_is_taken_away_leaves_the_steps_own():
    """Variant a is the step itself."""
    document = edits.add_step(edits.new_document("q4"), "email", 0)
    more = edits.add_variant(edits.add_variant(document, 0), 0)

    assert ["b", "c"] == [variant["id"] for variant in more["steps"][0]["variants"]]
    assert document == edits.remove_variant(edits.remove_variant(more, 0, 0), 0, 0)


@given(documents())
def test_a_file_differs_in_nothing_from_itself(document):
    """And from nothing in everything that it says."""
    assert () == differences(document, document)
    assert {step["id"] for step in document["steps"]} == {one.step for one in differences(None, document)} - {None}


def test_differences_are_named_step_by_step():
    """Policies first, then the order, then what is new, what is said otherwise, and what went."""
    intro, bump, last = ({"id": name, "kind": "email", "text": name} for name in ("intro", "bump", "last"))
    before = {"name": "q4", "daily_cap": 5, "steps": [intro, bump]}
    after = {"name": "q4", "daily_cap": 9, "steps": [{**bump, "text": "Hi"}, last]}

    assert (
        Difference(step=None, key="daily_cap", before="5", after="9"),
        Difference(step="bump", key="text", before="bump", after="Hi"),
        Difference(step="last", key=None, before=None, after="kind: email\ntext: last"),
        Difference(step="intro", key=None, before="kind: email\ntext: intro", after=None),
    ) == differences(before, after)
