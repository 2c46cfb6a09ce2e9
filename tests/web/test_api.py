"""The API's manners: keys, roles, problems, pages, and requests that name themselves."""

import pytest

from relance.core.people import Role
from web.house import House

TEXT = "name: q4\nwindow: always\nsteps:\n  - {id: intro, kind: email, subject: Hi, text: 'Hello {{ first_name }}'}\n"
A = "/api/v1"


async def test_without_a_key_nobody_comes_in(house: House):
    """The answer is a problem that says what to send."""
    async with house.stranger() as client:
        answer = await client.get(f"{A}/leads/1")

    assert (401, "application/problem+json") == (answer.status_code, answer.headers["content-type"])
    assert "Bearer" == answer.headers["www-authenticate"]
    assert "no_key" == answer.json()["code"]
    assert answer.json()["remedy"]


async def test_a_role_that_is_too_low_is_told_so_and_nothing_is_changed(house: House):
    """A viewer's program looks."""
    async with house.program("viewer") as client:
        refused = await client.post(f"{A}/leads", json={"email": "ann@lead.example"})
        missing = await client.get(f"{A}/leads/ann@lead.example")

    assert (403, "role_too_low") == (refused.status_code, refused.json()["code"])
    assert (404, "not_found") == (missing.status_code, missing.json()["code"])


async def test_a_lead_comes_in_is_known_again_and_explained(house: House):
    """By its address or its id; twice is once."""
    async with house.program() as client:
        lead = {"email": " Ann@Lead.example ", "fields": {"First Name": "Ann"}, "list": "autumn"}
        first = await client.post(f"{A}/leads", json=lead)
        again = await client.post(f"{A}/leads", json=lead)
        found = await client.get(f"{A}/leads/{first.json()['id']}")
        explained = await client.get(f"{A}/leads/ann@lead.example/explain")

    assert (201, 200) == (first.status_code, again.status_code)
    assert ("added", "merged") == (first.json()["outcome"], again.json()["outcome"])
    assert {"first_name": "Ann"} == found.json()["fields"]
    assert found.headers["etag"].startswith('"')
    assert 2 == len(explained.json()["lead"]["touches"])


async def test_of_many_leads_each_row_has_its_own_outcome(house: House):
    """A bad row takes no other along."""
    rows = [{"email": "ann@lead.example"}, {"email": "nobody"}, {"email": "ANN@lead.example", "key": "x"}]
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        answer = await client.post(f"{A}/leads/bulk", json={"rows": rows, "sequence": "q4"})
        tasks = await client.get(f"{A}/enrollments", params={"sequence": "q4"})

    assert ["added", "invalid", "merged"] == [row["outcome"] for row in answer.json()["rows"]]
    assert (1, 0) == (answer.json()["enrolled"], answer.json()["already_enrolled"])
    assert ["ann@lead.example"] == [row["lead"] for row in tasks.json()["items"]]


async def test_a_request_that_names_itself_is_done_once(house: House):
    """Sent again it gets the first answer; under another request its key is refused."""
    key = {"Idempotency-Key": "6f0b"}
    async with house.program() as client:
        first = await client.post(f"{A}/leads", json={"email": "ann@lead.example"}, headers=key)
        again = await client.post(f"{A}/leads", json={"email": "ann@lead.example"}, headers=key)
        other = await client.post(f"{A}/leads", json={"email": "bob@lead.example"}, headers=key)
        touches = (await client.get(f"{A}/leads/ann@lead.example/explain")).json()["lead"]["touches"]
    async with house.program("admin") as client:
        somebody_else = await client.post(f"{A}/leads", json={"email": "ann@lead.example"}, headers=key)

    assert (201, 201, first.json()) == (first.status_code, again.status_code, again.json())
    assert "true" == again.headers["idempotent-replayed"]
    assert (422, "idempotency_key_reused") == (other.status_code, other.json()["code"])
    assert 1 == len(touches)
    assert (200, "merged") == (somebody_else.status_code, somebody_else.json()["outcome"])


async def test_what_was_refused_leaves_its_key_free(house: House):
    """Nothing was done, so the same key may be used for the same thing later."""
    key = {"Idempotency-Key": "6f0b"}
    enroll = {"sequence": "q4", "leads": ["ann@lead.example"]}
    async with house.program() as client:
        await client.post(f"{A}/leads", json={"email": "ann@lead.example", "fields": {"first_name": "Ann"}})
        refused = await client.post(f"{A}/enrollments", json=enroll, headers=key)
        await client.post(f"{A}/sequences", json={"text": TEXT})
        done = await client.post(f"{A}/enrollments", json=enroll, headers=key)

    assert (404, 201) == (refused.status_code, done.status_code)
    assert {"enrolled": 1, "already": 0, "holdout": 0} == done.json()


async def test_a_list_comes_in_pages_and_none_is_missed(house: House):
    """`next` is handed back as `cursor`; the last page has none."""
    async with house.program() as client:
        for number in range(5):
            await client.post(f"{A}/suppressions", json={"target": f"a{number}@x.example"})
        seen, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
            answer = (await client.get(f"{A}/suppressions", params=params)).json()
            seen += [row["value"] for row in answer["items"]]
            cursor, pages = answer["next"], pages + 1
        broken = await client.get(f"{A}/suppressions", params={"cursor": "bm9uZQ=="})

    assert ([f"a{number}@x.example" for number in range(5)], 3) == (seen, pages)
    assert (422, "wrong_input") == (broken.status_code, broken.json()["code"])


async def test_what_was_decided_over_an_older_row_is_not_done(house: House):
    """Two people change the same settings: the second is told."""
    async with house.program("admin") as client:
        read = await client.get(f"{A}/workspaces/acme")
        tag = {"If-Match": read.headers["etag"]}
        first = await client.patch(f"{A}/workspaces/acme", json={"daily_cap": 100}, headers=tag)
        second = await client.patch(f"{A}/workspaces/acme", json={"daily_cap": 200}, headers=tag)
        third = await client.patch(
            f"{A}/workspaces/acme", json={"approval": True}, headers={"If-Match": first.headers["etag"]}
        )

    assert (200, 100) == (first.status_code, first.json()["daily_cap"])
    assert (412, "changed_meanwhile") == (second.status_code, second.json()["code"])
    assert (100, True) == (third.json()["daily_cap"], third.json()["approval"])


async def test_a_sequence_is_approved_by_an_admin_before_it_takes_anybody_along(house: House):
    """Where the workspace asks for it; a member's key may not."""
    async with house.program("admin") as admin, house.program() as member:
        await admin.patch(f"{A}/workspaces/acme", json={"approval": True})
        published = await member.post(f"{A}/sequences", json={"text": TEXT})
        too_low = await member.post(f"{A}/sequences/q4/approve", json={})
        approved = await admin.post(f"{A}/sequences/q4/approve", json={"version": 1})
        log = await admin.get(f"{A}/audit-log")

    assert (True, 403) == (published.json()["awaits_approval"], too_low.status_code)
    assert {"name": "q4", "version": 1, "status": "live"} == approved.json()
    assert ["api.approve_sequence", "api.publish_sequence", "api.change_workspace"] == [
        line["action"] for line in log.json()["items"][:3]
    ]


async def test_a_text_is_validated_compared_and_previewed_without_being_published(house: House):
    """By the reader and the renderer that the engine uses."""
    async with house.program() as client:
        await client.post(f"{A}/leads", json={"email": "ann@lead.example"})
        broken = await client.post(f"{A}/sequences/validate", json={"text": TEXT.replace("subject", "subjct")})
        diff = await client.post(f"{A}/sequences/diff", json={"text": TEXT})
        preview = await client.post(f"{A}/sequences/preview", json={"text": TEXT, "lead": "ann@lead.example"})
        refused = await client.post(f"{A}/sequences", json={"text": "name: [q4"})
        listed = await client.get(f"{A}/sequences")

    assert (False, 4) == (broken.json()["valid"], broken.json()["problems"][0]["line"])
    assert (None, True) == (diff.json()["running_version"], diff.json()["changed"])
    assert ["first_name"] == [one["missing"] for one in preview.json()]
    assert (422, "wrong_input") == (refused.status_code, refused.json()["code"])
    assert [] == listed.json()["items"]


async def test_a_key_is_shown_once_and_kept_as_a_digest(house: House):
    """No key may do more than the one that makes it."""
    async with house.program("admin") as client:
        made = await client.post(f"{A}/keys", json={"name": "CRM", "role": "viewer"}, headers={"Idempotency-Key": "1"})
        above = await client.post(f"{A}/keys", json={"name": "more", "role": "owner"})
        listed = await client.get(f"{A}/keys")
    async with house.program() as client:
        client.headers["Authorization"] = f"Bearer {made.json()['key']}"
        comes_in = await client.get(f"{A}/workspaces")

    assert (201, 200) == (made.status_code, comes_in.status_code)
    assert (409, "refused") == (above.status_code, above.json()["code"])
    assert made.json()["key"] not in listed.text
    assert "CRM" in [row["name"] for row in listed.json()["items"]]


async def test_an_owner_makes_a_workspace_whose_key_sees_nothing_of_the_first(house: House):
    """Nothing crosses the border."""
    async with house.program("owner") as client:
        await client.post(f"{A}/leads", json={"email": "ann@lead.example"})
        made = await client.post(f"{A}/workspaces", json={"name": "beta"})
        taken = await client.post(f"{A}/workspaces", json={"name": "beta"})
        client.headers["Authorization"] = f"Bearer {made.json()['key']['key']}"
        there = await client.get(f"{A}/leads/ann@lead.example")
        names = await client.get(f"{A}/workspaces")

    assert (201, 409, 404) == (made.status_code, taken.status_code, there.status_code)
    assert ["beta"] == [row["name"] for row in names.json()["items"]]


async def test_who_calls_too_often_is_told_how_long_to_wait(house: House):
    """The key's calls are counted, and one more is allowed every so often."""
    async with house.program() as client:
        answers = [await client.get(f"{A}/workspaces") for _ in range(201)]

    assert {200} == {answer.status_code for answer in answers[:200]}
    assert (429, "too_many_requests") == (answers[-1].status_code, answers[-1].json()["code"])
    assert 1 <= int(answers[-1].headers["retry-after"])


@pytest.mark.parametrize("role", Role)
async def test_a_global_suppression_takes_an_owner(house: House, role: Role):
    """It binds every workspace of the installation."""
    async with house.program(role) as client:
        answer = await client.post(f"{A}/suppressions", json={"target": "@x.example", "scope": "global"})

    assert (201 if role is Role.OWNER else 403) == answer.status_code


async def test_erasing_leaves_a_hash_and_nothing_else(house: House):
    """Only an admin's key may."""
    async with house.program("admin") as client:
        await client.post(f"{A}/leads", json={"email": "ann@lead.example", "fields": {"first_name": "Ann"}})
        erased = await client.delete(f"{A}/leads/ann@lead.example")
        gone = await client.get(f"{A}/leads/ann@lead.example")
        checked = await client.post(f"{A}/suppressions/check", json={"target": "ann@lead.example"})

    assert (204, 404) == (erased.status_code, gone.status_code)
    assert ["tombstone"] == [one["kind"] for one in checked.json()["suppressions"]]
    assert house.installation.config.opt_out_log.exists()


async def test_events_are_followed_by_their_cursor(house: House):
    """What happens later stands behind the last page's `next`."""
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        first = (await client.get(f"{A}/events")).json()
        nothing = (await client.get(f"{A}/events", params={"cursor": first["next"]})).json()
        await client.post(f"{A}/sequences/q4/pause")
        later = (await client.get(f"{A}/events", params={"cursor": nothing["next"]})).json()

    assert ["sequence.published"] == [event["name"] for event in first["items"]]
    assert [] == nothing["items"]
    assert ["sequence.paused"] == [event["name"] for event in later["items"]]


async def test_what_is_not_as_it_must_be_is_named_by_its_place(house: House):
    """Unknown keys are refused, not ignored; a NUL cannot be kept."""
    async with house.program() as client:
        unknown = await client.post(f"{A}/leads", json={"email": "ann@lead.example", "frist_name": "Ann"})
        nul = await client.post(f"{A}/leads", json={"email": "ann@lead.example", "fields": {"a": "b\0"}})
        in_path = await client.get(f"{A}/leads/a%00b")
        text = await client.post(f"{A}/leads", content="email=ann")

        misspelt = await client.get(f"{A}/leads", params={"stauts": "held"})

    assert (422, "invalid_request") == (misspelt.status_code, misspelt.json()["code"])
    assert ["body.frist_name"] == [fault["where"] for fault in unknown.json()["faults"]]
    assert [422] * 4 == [answer.status_code for answer in (unknown, nul, in_path, text)]


async def test_leads_are_found_by_the_filters_of_the_page_and_acted_on_together(house: House):
    """One action on whoever matches; one on ids that are another workspace's does nothing."""
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        rows = [{"email": f"a{number}@lead.example", "fields": {"first_name": "A"}} for number in range(3)]
        added = await client.post(f"{A}/leads/bulk", json={"rows": rows, "list": "autumn", "sequence": "q4"})
        on_list = await client.get(f"{A}/leads", params={"list": "autumn", "limit": 2})
        rest = await client.get(f"{A}/leads", params={"list": "autumn", "cursor": on_list.json()["next"]})
        paused = await client.post(f"{A}/leads/actions", json={"action": "pause", "filter": {"list": "autumn"}})
        held = await client.get(f"{A}/leads", params={"status": "paused"})
        nobody = await client.post(f"{A}/leads/actions", json={"action": "stop", "leads": [999]})
        lists = await client.get(f"{A}/lists")

    assert 3 == added.json()["enrolled"]
    assert 3 == len(on_list.json()["items"] + rest.json()["items"])
    assert {"changed": 3, "unchanged": 0, "next": None} == paused.json()
    assert {"paused"} == {line["run"]["status"] for line in held.json()["items"]}
    assert 404 == nobody.status_code
    assert [{"name": "autumn"}] == lists.json()["items"]


async def test_a_lead_is_corrected_only_as_it_was_read(house: House):
    """A blank value takes its field away."""
    async with house.program() as client:
        lead = {"email": "ann@lead.example", "fields": {"first_name": "An", "city": "Ulm"}}
        await client.post(f"{A}/leads", json=lead)
        read = await client.get(f"{A}/leads/ann@lead.example")
        change = {"fields": {"first_name": "Ann", "city": ""}}
        tag = {"If-Match": read.headers["etag"]}
        changed = await client.patch(f"{A}/leads/ann@lead.example", json=change, headers=tag)
        late = await client.patch(f"{A}/leads/ann@lead.example", json=change, headers=tag)

    assert ({"first_name": "Ann"}, 412) == (changed.json()["fields"], late.status_code)


async def test_the_numbers_of_a_sequence_are_those_of_the_page(house: House):
    """Who stands where, and what came of it; nothing is no error."""
    async with house.program() as client:
        await client.post(f"{A}/sequences", json={"text": TEXT})
        await client.post(f"{A}/leads/bulk", json={"rows": [{"email": "ann@lead.example"}], "sequence": "q4"})
        stats = await client.get(f"{A}/sequences/q4/stats")
        every = await client.get(f"{A}/stats/sequences")

    assert [{"version": 1, "step": "intro", "status": "active", "people": 1}] == stats.json()["standing"]
    assert (0, []) == (stats.json()["total"]["sent"], every.json()["items"])


MAILBOX = {"address": "bo@acme.example", "password": "s3cret", "smtp": "127.0.0.1:1:plain", "imap": "127.0.0.1:1:plain"}


async def test_a_mailbox_is_connected_changed_and_tried_and_its_password_is_never_told(house: House):
    """What cannot be reached is named by the step that failed; a second time is refused."""
    async with house.program("admin") as client:
        made = await client.post(f"{A}/mailboxes", json={**MAILBOX, "daily_cap": 60, "signature": "Bo"})
        twice = await client.post(f"{A}/mailboxes", json=MAILBOX)
        read = await client.get(f"{A}/mailboxes/bo@acme.example")
        tag = {"If-Match": read.headers["etag"]}
        changed = await client.patch(f"{A}/mailboxes/bo@acme.example", json={"pool": "b"}, headers=tag)
        tried = await client.post(f"{A}/mailboxes/bo@acme.example/check")
        wrong = await client.post(f"{A}/mailboxes", json={**MAILBOX, "address": "al@acme.example", "daily_cap": 0})
    everything = "".join(one.text for one in (made, twice, read, changed, tried, wrong))

    assert (201, 60, "Bo") == (made.status_code, made.json()["daily_cap"], made.json()["signature_text"])
    assert (409, 422) == (twice.status_code, wrong.status_code)
    assert ("b", 60) == (changed.json()["pool"], changed.json()["daily_cap"])
    assert (False, False) == (tried.json()["ok"], tried.json()["steps"][0]["ok"])
    assert "s3cret" not in everything


async def test_of_many_mailboxes_each_has_its_own_outcome(house: House):
    """Servers of known providers need not be named."""
    rows = [MAILBOX, {"address": "al@gmail.com", "password": "x"}, {"address": "al@acme.example", "password": "x"}]
    async with house.program("admin") as client:
        done = await client.post(f"{A}/mailboxes/bulk", json={"rows": rows})
        boxes = (await client.get(f"{A}/mailboxes")).json()["items"]

    assert [True, True, False] == [row["connected"] for row in done.json()]
    assert "nobody knows the smtp server of al@acme.example" in done.json()[2]["error"]
    assert ["smtp.gmail.com:465:tls", "127.0.0.1:1:plain"] == [box["smtp"] for box in boxes]


async def test_the_installation_is_examined_and_domains_are_listed(house: House):
    """The findings of `relance doctor`, and what is known of each domain."""
    async with house.program("admin") as client:
        await client.post(f"{A}/mailboxes", json=MAILBOX)
        found = await client.get(f"{A}/doctor")
        domains = await client.put(f"{A}/domains/acme.example/selectors", json={"selectors": ["s1"]})

    assert {"disk", "key", "engine"} <= {one["name"] for one in found.json()["items"]}
    assert (["s1"], []) == (domains.json()["selectors"], domains.json()["records"])


async def test_each_mailboxs_day_and_health_are_told_before_it_has_sent_anything(house: House):
    """Nothing to judge is no score, and no error."""
    async with house.program("admin") as client:
        await client.post(f"{A}/mailboxes", json=MAILBOX)
        days = (await client.get(f"{A}/mailbox-days")).json()["items"]
        health = (await client.get(f"{A}/mailboxes/bo@acme.example/health")).json()
        forgotten = (await client.get(f"{A}/stale-sequences")).json()["items"]
        crowded = (await client.get(f"{A}/overlaps")).json()["items"]

    assert [("bo@acme.example", 0, 10)] == [(day["mailbox"], day["sent"], day["cap"]) for day in days]
    assert (10, "healthy") == (health["cap_today"], health["verdict"])
    assert ([], []) == (forgotten, crowded)
