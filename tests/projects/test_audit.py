"""The audit log: everything comes back as it was noted, nothing can be changed, and no secret is in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import exc
from tests.store.raw import rows

from podium.errors import DataError
from podium.projects.audit import Audit
from podium.projects.people import Caller, People
from podium.projects.secrets import KINDS_OF_SECRET, new_secret
from podium.store import Store, open_store


@pytest.fixture
def ann(store: Store) -> Caller:
    people = People(store)
    caller = people.session(people.join(people.link(people.add("Ann", "admin"))[0]).session)
    assert caller is not None
    return caller


def test_entries_come_back_newest_first_with_who_when_and_what(place: str) -> None:
    with open_store(place, clock=lambda: datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)) as store:
        people, audit = People(store), Audit(store)
        caller = people.by_token(people.token(people.add("Ann", "admin"), role="admin")[0])
        assert caller is not None
        audit.record(None, "project created", project=3, name="wing", queries=[1, 2])
        audit.record(caller, "person added", name="Bob", role=None)
        newest, oldest = audit.entries()
    assert (oldest.person, oldest.name, oldest.project, oldest.action) == (None, "", 3, "project created")
    assert oldest.details == {"name": "wing", "queries": [1, 2]}
    assert (newest.person, newest.name, newest.project, newest.action) == (caller.person.number, "Ann", None, "person added")
    assert newest.details == {"name": "Bob", "role": None}
    assert newest.at == oldest.at == "2030-01-02T03:04:05.000000+00:00"
    assert newest.number > oldest.number


def test_entries_are_read_by_project_and_page_by_page(store: Store) -> None:
    audit = Audit(store)
    for place in range(7):
        audit.record(None, f"act {place}", project=1 + place % 2)
    assert [entry.action for entry in audit.entries(most=3)] == ["act 6", "act 5", "act 4"]
    before = audit.entries(most=3)[-1].number
    assert [entry.action for entry in audit.entries(most=3, before=before)] == ["act 3", "act 2", "act 1"]
    assert [entry.action for entry in audit.entries(project=2, before=before)] == ["act 3", "act 1"]
    assert audit.entries(project=9) == []


@pytest.mark.parametrize("wrong", [{"most": 0}, {"most": -1}, {"before": 0}, {"before": 2**31}, {"project": 2**70}, {"most": True}])
def test_a_page_that_makes_no_sense_is_refused(store: Store, wrong: dict[str, int]) -> None:
    with pytest.raises(DataError, match="must be a whole number of 1 or more"):
        Audit(store).entries(**wrong)  # type: ignore[arg-type]


def test_any_text_is_kept(store: Store, ann: Caller) -> None:
    text = "'; DROP TABLE audit; -- \0 \ud800 \u202e <script> \n %s :x {y} 名"
    Audit(store).record(ann, "noted", **{text: [text, {"deep": text}]})
    assert Audit(store).entries()[0].details == {text: [text, {"deep": text}]}


@pytest.mark.parametrize("kind", KINDS_OF_SECRET)
def test_no_secret_gets_into_the_log_wherever_it_stands(store: Store, place: str, ann: Caller, kind: str) -> None:
    secret = new_secret(kind)
    details = {"link": f"http://localhost/join/{secret}", "deep": [{"x": secret}], secret: 1, "half": secret[:20]}
    Audit(store).record(ann, f"used {secret}", **details)
    stored = repr(rows(place, "SELECT * FROM audit"))
    assert secret[6:20] not in stored
    (entry,) = Audit(store).entries()
    shown = f"pdm_{kind[0]}_***"
    assert entry.details == {"link": f"http://localhost/join/{shown}", "deep": [{"x": shown}], shown: 1, "half": shown}
    assert entry.action == f"used {shown}"


@pytest.mark.parametrize("statement", ["UPDATE audit SET name = 'Eve'", "DELETE FROM audit", "DELETE FROM audit WHERE number = 1"])
def test_the_database_itself_refuses_to_change_or_delete_an_entry(store: Store, place: str, ann: Caller, statement: str) -> None:
    Audit(store).record(ann, "project created", project=1)
    before = rows(place, "SELECT * FROM audit")
    with pytest.raises(exc.DBAPIError, match="the audit log is only ever appended to"):
        rows(place, statement)
    assert rows(place, "SELECT * FROM audit") == before


def test_postgresql_refuses_to_empty_the_log(store: Store, place: str, ann: Caller) -> None:
    Audit(store).record(ann, "project created")
    if "://" not in place:
        return  # SQLite has no TRUNCATE
    with pytest.raises(exc.DBAPIError, match="the audit log is only ever appended to"):
        rows(place, "TRUNCATE audit")
    assert len(Audit(store).entries()) == 1
