"""People and what lets them in: each door opens as often as it should, for whom it should, whoever else pushes at the same moment."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event
from tests.store.raw import rows

from podium.errors import DataError, FileError, UnknownName
from podium.projects.facts import Closed, Conflict, NotAllowed, Person, ProjectSettings, Secret, StudyPlan
from podium.projects.joining import consume
from podium.projects.people import Caller, People
from podium.projects.projects import Projects
from podium.store import Store, open_store

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}

NOT_VALID = r"^this link is not valid \(any more\); ask for a new one$"


@pytest.fixture
def people(store: Store) -> People:
    return People(store)


@pytest.fixture
def project(store: Store) -> int:
    return Projects(store).create("flutter", ProjectSettings()).number


def make_study(store: Store, assessors: int) -> int:
    return Projects(store).create("study", ProjectSettings(study=StudyPlan(assessors=assessors, folds=assessors, rounds=1))).number


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **span: float) -> None:
        self.now += timedelta(**span)


def at_once(place: str, calls: list[Callable[[People], Any]]) -> list[Any]:
    """What each call gives or raises; each has a store of its own, as another process would, and all begin at the same moment."""
    results: list[Any] = [None] * len(calls)
    ready = threading.Barrier(len(calls))

    def run(number: int) -> None:
        with open_store(place) as store:
            ready.wait()
            try:
                results[number] = calls[number](People(store))
            except DataError as error:
                results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# ---- who there is ----


def test_a_person_is_found_by_number_and_by_name_and_kept_as_written(people: People) -> None:
    ann, zoe = people.add("  Ann Lee ", "admin"), people.add("Zoe\u0308", "judge")
    assert (ann.name, ann.role, ann.is_active) == ("Ann Lee", "admin", True)
    assert zoe.name == "Zoe\u0308"
    assert people.get(ann.number) == ann
    assert people.find("ann lee") == ann
    assert people.find("ZO\u00cb") == zoe
    assert people.find("bob") is None
    assert people.all() == [ann, zoe]


@pytest.mark.parametrize("same", ["Zoë", "zoë", "ZOË", "Zoe\u0308", " Zoë ", "Zo\u200bë", "Ｚoë", "Zo\u3164ë", "Zo\ufe0fë"])
def test_what_reads_the_same_is_the_same_name(people: People, same: str) -> None:
    people.add("Zoë", "judge")
    with pytest.raises(Conflict, match="is taken; choose another"):
        people.add(same, "judge")
    assert len(people.all()) == 1


def test_one_space_is_as_good_as_several(people: People) -> None:
    people.add("Ann Lee", "judge")
    with pytest.raises(Conflict, match="is taken"):
        people.add("Ann \u00a0 Lee", "judge")


def test_an_accent_makes_another_name(people: People) -> None:
    people.add("Zoë", "judge")
    assert people.add("Zoe", "judge").name == "Zoe"


def test_a_model_s_name_is_taken(people: People, store: Store, project: int) -> None:
    Projects(store).add_model(project, "Judge 9000", MODEL)
    with pytest.raises(Conflict, match="is taken"):
        people.add("judge 9000", "judge")


@pytest.mark.parametrize(
    "name",
    ["", "  ", "\u200b", "a\nb", "a\r\nSet-Cookie: x", "a\tb", "a\0b", "a\x1b[31m", "a\x7f", "a\x85b", "a\u2028b"]
    + [f"a{chr(code)}b" for code in [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]]
    + ["a\ud800", "x" * 81]
    + ["\u3164", "\u115f", "\u1160", "\uffa0", "\u034f", "\u2800", "\u17b4\u00ad", "\U000e0100", " \ufe0f "]
    + ["all", "All", "ＳHARED", "sha\u200bred", "Ann:pairs", "a\uff1ab"],
)
def test_a_name_that_is_not_safe_in_a_log_is_refused(people: People, name: str) -> None:
    with pytest.raises(DataError, match=r"^a name must") as caught:
        people.add(name, "judge")
    assert str(caught.value).isprintable()
    assert people.all() == []


@pytest.mark.parametrize(
    "name", ["x" * 80, "李小龙", "O'Neil; DROP TABLE people;--", '<b>"&amp;', "عمر", "e\u0301" * 40, "name\u200c\u06cc"]
)
def test_any_other_name_is_kept(people: People, name: str) -> None:
    assert people.get(people.add(name, "viewer").number).name == name


def test_of_many_who_take_one_name_at_once_one_gets_it(people: People, place: str) -> None:
    names = ["Ann", "ann", "ANN", "aNN", "anN", "An\u200bn"]
    results = at_once(place, [lambda each, name=name: each.add(name, "judge") for name in names])  # type: ignore[misc]
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 5 + ["Person"]
    assert len(people.all()) == 1


def test_an_unknown_role_person_or_project_is_named(people: People, project: int) -> None:
    ann = people.add("Ann", "judge")
    calls: list[Callable[[], object]] = [
        lambda: people.add("Bob", "boss"),
        lambda: people.set_role(ann.number, "boss"),
        lambda: people.invite(role="boss", project=project),
        lambda: people.token(ann, role="boss"),
    ]
    for call in calls:
        with pytest.raises(UnknownName, match="unknown role 'boss'"):
            call()
    for number in (7, 0, -1, 2**31, 2**70, True):
        with pytest.raises(DataError, match="there is no person"):
            people.get(number)
        with pytest.raises(DataError, match="there is no project"):
            people.invite(role="judge", project=number + 100)
        with pytest.raises(DataError, match="there is no secret"):
            people.revoke(number)
    assert people.all() == [ann]
    assert people.secrets() == []


def test_the_last_active_admin_stays(people: People) -> None:
    ann, bob = people.add("Ann", "admin"), people.add("Bob", "admin")
    assert not people.set_active(bob.number, False).is_active
    for call in (lambda: people.set_role(ann.number, "judge"), lambda: people.set_active(ann.number, False)):
        with pytest.raises(Conflict, match="Ann is the last admin"):
            call()
    assert people.set_role(bob.number, "viewer").role == "viewer"  # who is shut out leads nobody
    assert people.set_role(ann.number, "admin") == people.get(ann.number) == ann
    people.set_active(bob.number, True)
    people.set_role(bob.number, "admin")
    assert people.set_role(ann.number, "judge").role == "judge"


def test_two_admins_who_shut_each_other_out_at_once_leave_one(people: People, place: str) -> None:
    ann, bob, eve = (people.add(name, "admin").number for name in ("Ann", "Bob", "Eve"))
    calls = [lambda each, number=number: each.set_active(number, False) for number in (ann, bob, eve)]
    results = at_once(place, calls)  # type: ignore[arg-type]
    assert sorted(type(result).__name__ for result in results) == ["Conflict", "Person", "Person"]
    assert len([person for person in people.all() if person.is_active]) == 1


def test_whoever_is_shut_out_loses_every_key_for_good(people: People, project: int) -> None:
    people.add("Ann", "admin")
    joined = people.join(people.invite(role="judge", project=project)[0], "Bob")
    bob = joined.person
    link, token = people.link(bob)[0], people.token(bob, role="judge")[0]
    assert people.session(joined.session) is not None
    assert people.by_token(token) is not None
    people.set_active(bob.number, False)
    for _ in range(2):
        assert (people.session(joined.session), people.by_token(token), people.look(link)) == (None, None, None)
        with pytest.raises(NotAllowed, match=NOT_VALID):
            people.join(link)
        people.set_active(bob.number, True)


def test_whoever_is_not_active_is_not_let_in_whatever_the_secret_says(people: People, place: str, project: int) -> None:
    joined = people.join(people.invite(role="judge", project=project)[0], "Bob")
    link, token = people.link(joined.person)[0], people.token(joined.person, role="judge")[0]
    rows(place, "UPDATE people SET is_active = (1 = 0)")
    assert (people.session(joined.session), people.by_token(token), people.look(link)) == (None, None, None)
    invitation, secret = people.invite(role="judge", project=project)
    with pytest.raises(NotAllowed, match=NOT_VALID):
        people.join(invitation, person=joined.person)
    assert people.look(invitation) == secret
    for call in (lambda: people.link(joined.person), lambda: people.token(joined.person, role="judge")):
        with pytest.raises(Conflict, match="Bob was shut out"):
            call()


# ---- invitations and links ----


def test_a_secret_has_the_shape_that_was_agreed_and_only_its_hash_is_kept(people: People, place: str, project: int) -> None:
    invitation, _ = people.invite(role="judge", project=project, uses=None)
    joined = people.join(invitation, "Ann")
    texts = {"i": invitation, "s": joined.session, "l": people.link(joined.person)[0], "t": people.token(joined.person, role="judge")[0]}
    for letter, text in texts.items():
        assert text.startswith(f"pdm_{letter}_")
        assert len(text) == len("pdm_x_") + 43  # 32 bytes in base 64
    stored = rows(place, "SELECT * FROM secrets")
    assert {row[1] for row in stored} == {hashlib.sha256(text.encode()).hexdigest() for text in texts.values()}
    for text in texts.values():
        assert text[6:] not in repr(stored)


def test_an_invitation_lets_one_new_person_in_and_looking_at_it_uses_nothing(people: People, project: int) -> None:
    admin = people.add("Eve", "admin")
    text, secret = people.invite(role="judge", project=project, note="for Ann", by=admin)
    assert (secret.kind, secret.role, secret.project, secret.uses_left, secret.note, secret.created_by, secret.person) == (
        "invitation", "judge", project, 1, "for Ann", admin.number, None
    )  # fmt: skip
    assert people.look(text) == people.look(text) == secret
    joined = people.join(text, "Ann")
    assert (joined.person.name, joined.person.role, joined.project, joined.secret.kind) == ("Ann", "judge", project, "session")
    member = people.membership(joined.person, project)
    assert member is not None
    assert (member.name, member.role, member.kind, member.seat, member.is_active) == ("Ann", "judge", "person", None, True)
    assert people.memberships(joined.person.number) == [member]
    caller = people.session(joined.session)
    assert caller is not None
    assert (caller.person, caller.secret, caller.roles) == (joined.person, joined.secret, {project: "judge"})
    with pytest.raises(NotAllowed, match=NOT_VALID):
        people.join(text, "Bob")
    assert people.look(text) is None
    assert [person.name for person in people.all()] == ["Eve", "Ann"]


def test_whatever_is_wrong_with_a_link_the_answer_is_the_same(place: str) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        people, projects = People(store), Projects(store)
        project, other = (projects.create(name, ProjectSettings()).number for name in ("flutter", "put away"))
        ann = people.add("Ann", "judge")
        used, revoked, expired = (people.invite(role="judge", project=project, days=1)[0] for _ in range(3))
        archived = people.invite(role="viewer", project=other)[0]
        late = people.link(ann, minutes=1440)[0]
        session, token = people.join(used, "Bob").session, people.token(ann, role="judge")[0]
        people.revoke(people.secrets(kind="invitation")[-2].number)
        projects.set_state(other, "closed")
        assert people.look(archived) is not None
        projects.set_state(other, "archived")
        clock.pass_by(hours=23, minutes=59)
        assert people.look(expired) is not None
        assert people.look(late) is not None
        clock.pass_by(minutes=1)
        unknown, strange = f"pdm_i_{'x' * 43}", ["", "pdm_i_", "x" * 49, f"{used}\n", f" {used}", "pdm_i_" + "ü" * 43, session, token]
        for text in [used, revoked, expired, archived, late, unknown, *strange]:
            assert people.look(text) is None
            with pytest.raises(NotAllowed, match=NOT_VALID):
                people.join(text, "Eve")
        assert [person.name for person in people.all()] == ["Ann", "Bob"]


@pytest.mark.parametrize("uses", [1, 3])
def test_an_invitation_lets_no_more_in_than_it_has_uses_whoever_comes_at_once(people: People, place: str, project: int, uses: int) -> None:
    text, secret = people.invite(role="judge", project=project, uses=uses)
    results = at_once(place, [lambda each, name=f"judge {n}": each.join(text, name) for n in range(8)])  # type: ignore[misc]
    assert sorted(type(result).__name__ for result in results) == ["Joined"] * uses + ["NotAllowed"] * (8 - uses)
    assert len(people.all()) == uses
    assert [each.uses_left for each in people.secrets(kind="invitation")] == [0]
    assert len(people.secrets(kind="session")) == uses
    assert secret.uses_left == uses


def test_the_row_itself_decides_whether_a_secret_can_be_used_whatever_was_seen_of_it_before(people: People, store: Store) -> None:
    (_, used), (_, revoked), (_, expired) = (people.invite(role="admin", days=1) for _ in range(3))
    people.revoke(revoked.number)
    with store.database.writing() as connection:
        now = store.time(connection)
        consume(connection, used, now)
        for secret, moment in ((used, now), (revoked, now), (expired, now + timedelta(days=1))):
            with pytest.raises(NotAllowed, match=NOT_VALID):
                consume(connection, secret, moment)
    assert [secret.uses_left for secret in people.secrets()] == [1, 1, 0]


def test_an_invitation_without_a_limit_lets_all_in(people: People, project: int) -> None:
    text, secret = people.invite(role="viewer", project=project, uses=None)
    for name in ("Ann", "Bob", "Eve"):
        assert people.join(text, name).person.role == "viewer"
    found = people.look(text)
    assert found is not None
    assert (found.uses_left, secret.uses_left) == (None, None)


def test_a_name_that_is_taken_or_missing_uses_nothing(people: People, project: int) -> None:
    text, secret = people.invite(role="judge", project=project)
    people.add("Ann", "judge")
    with pytest.raises(Conflict, match="'ann' is taken"):
        people.join(text, "ann")
    with pytest.raises(DataError, match="a name is missing"):
        people.join(text)
    with pytest.raises(DataError, match="a name must have letters"):
        people.join(text, " ")
    assert people.look(text) == secret
    assert people.secrets(kind="session") == []


def test_whoever_is_signed_in_joins_as_themselves_and_a_member_just_comes_in(people: People, project: int) -> None:
    ann = people.add("Ann", "judge")
    text, _ = people.invite(role="judge", project=project)
    assert people.join(text, "ignored", person=ann).person == ann
    again, secret = people.invite(role="judge", project=project)
    joined = people.join(again, person=ann.number)
    assert (joined.person, joined.project) == (ann, project)
    assert people.look(again) == secret
    assert len(people.memberships(ann)) == 1
    assert [person.name for person in people.all()] == ["Ann"]


def test_one_person_who_joins_twice_at_once_is_one_member(people: People, place: str, project: int) -> None:
    ann = people.add("Ann", "judge")
    text, _ = people.invite(role="judge", project=project, uses=5)
    results = at_once(place, [lambda each: each.join(text, person=ann)] * 4)
    assert [result.person for result in results] == [ann] * 4
    assert len(people.memberships(ann)) == 1
    assert [each.uses_left for each in people.secrets(kind="invitation")] == [4]


def test_a_member_who_was_set_inactive_does_not_come_back_by_an_invitation(people: People, store: Store, project: int) -> None:
    joined = people.join(people.invite(role="judge", project=project)[0], "Ann")
    member = people.membership(joined.person, project)
    assert member is not None
    Projects(store).set_member_active(member.number, False)
    text, secret = people.invite(role="judge", project=project)
    with pytest.raises(NotAllowed, match=NOT_VALID):
        people.join(text, person=joined.person)
    assert people.look(text) == secret
    assert people.membership(joined.person, project) is None
    caller = people.session(joined.session)
    assert caller is not None
    assert caller.roles == {}


def test_judges_of_a_study_take_the_lowest_free_seat_and_viewers_none(people: People, store: Store, place: str) -> None:
    project = make_study(store, 3)
    text, _ = people.invite(role="judge", project=project, uses=9)
    watcher = people.join(people.invite(role="viewer", project=project)[0], "Watcher").person
    seats = {}
    for name in ("Ann", "Bob", "Eve"):
        member = people.membership(people.join(text, name).person, project)
        assert member is not None
        seats[name] = member.seat
    assert seats == {"Ann": 1, "Bob": 2, "Eve": 3}
    with pytest.raises(Conflict, match="all seats of this study are taken"):
        people.join(text, "Zed")
    assert people.find("Zed") is None
    found = people.look(text)
    assert found is not None
    assert found.uses_left == 9 - 3
    watching = people.membership(watcher, project)
    assert watching is not None
    assert watching.seat is None
    assert rows(place, "SELECT COUNT(*) FROM members") == [(4,)]


def test_nobody_shares_a_seat_with_another_who_joined_at_the_same_moment(people: People, store: Store, place: str) -> None:
    project = make_study(store, 4)
    texts = [people.invite(role="judge", project=project)[0] for _ in range(6)]
    results = at_once(place, [lambda each, n=n: each.join(texts[n], f"judge {n}") for n in range(6)])  # type: ignore[misc]
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 2 + ["Joined"] * 4
    taken = rows(place, "SELECT seat, person, name FROM members ORDER BY seat")
    assert [row[0] for row in taken] == [1, 2, 3, 4]
    assert {row[1] for row in taken} == {person.number for person in people.all()}
    assert {row[2] for row in taken} == {person.name for person in people.all()}
    assert sum(people.look(text) is not None for text in texts) == 2  # who found no seat has not used the invitation


def test_an_admin_is_invited_to_everything_or_made_of_someone_who_is_there(people: People, project: int) -> None:
    text, _ = people.invite(role="admin")
    ann = people.join(text, "Ann").person
    assert ann.role == "admin"
    assert people.look(text) is None
    bob = people.add("Bob", "judge")
    assert people.join(people.invite(role="admin")[0], person=bob).person.role == "admin"
    spare, secret = people.invite(role="admin")
    people.join(spare, person=ann)
    assert people.look(spare) == secret
    for wrong in ({"role": "admin", "project": project}, {"role": "judge"}, {"role": "viewer"}):
        with pytest.raises(DataError, match="a judge or viewer is invited to a project, and an admin to all"):
            people.invite(**wrong)  # type: ignore[arg-type]


def test_nobody_is_invited_to_a_project_that_is_put_away(people: People, store: Store, project: int) -> None:
    Projects(store).set_state(project, "closed")
    people.invite(role="judge", project=project)
    Projects(store).set_state(project, "archived")
    with pytest.raises(Closed, match="'flutter' is archived"):
        people.invite(role="judge", project=project)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        *(({"days": days}, "days must be") for days in (0, -1, float("nan"), float("inf"), 3651, True, "7", None)),
        *(({"uses": uses}, "uses must be") for uses in (0, -1, 1.5, 2**31, True, "1")),
        ({"note": "a\0b"}, "note must not"),
        ({"note": "x" * 501}, "note must have at most 500"),
    ],
)
def test_an_invitation_that_makes_no_sense_is_refused(people: People, project: int, wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        people.invite(role="judge", project=project, **wrong)
    assert people.secrets() == []


def test_a_link_signs_its_own_person_in_and_once(people: People, place: str) -> None:
    ann, bob = people.add("Ann", "admin"), people.add("Bob", "judge")
    text, secret = people.link(bob, by=ann)
    assert (secret.kind, secret.person, secret.created_by, secret.uses_left, secret.project) == ("link", bob.number, ann.number, 1, None)
    results = at_once(place, [lambda each: each.join(text, "Eve", person=ann)] * 4)
    (joined,) = [result for result in results if not isinstance(result, NotAllowed)]
    assert (joined.person, joined.project) == (bob, None)
    assert people.look(text) is None
    assert people.find("Eve") is None


# ---- sessions and tokens ----


def test_a_session_lasts_thirty_days_from_its_last_use(place: str) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        people = People(store)
        session = people.join(people.link(people.add("Ann", "judge"))[0]).session
        for _ in range(3):
            clock.pass_by(days=29)
            assert people.session(session) is not None
        clock.pass_by(days=29, hours=23, minutes=59)
        assert people.session(session) is not None
        clock.pass_by(days=30)
        assert people.session(session) is None


def test_a_token_lasts_as_long_as_was_said_or_for_ever(place: str) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        people = People(store)
        ann = people.add("Ann", "admin")
        short, for_ever = people.token(ann, role="viewer", days=2)[0], people.token(ann, role="viewer")[0]
        clock.pass_by(days=1.9)
        assert people.by_token(short) is not None
        clock.pass_by(days=0.1)
        assert people.by_token(short) is None
        clock.pass_by(days=10_000)
        assert people.by_token(for_ever) is not None


def test_the_last_use_is_written_at_most_once_a_minute(place: str) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        people = People(store)
        token = people.token(people.add("Ann", "judge"), role="judge")[0]
        written = []
        for seconds in (0, 59, 2, 58, 3, 600):  # at 0, 59, 61, 119, 122 and 722 seconds
            clock.pass_by(seconds=seconds)
            assert people.by_token(token) is not None
            (secret,) = people.secrets()
            assert secret.last_used_at is not None
            written.append((datetime.fromisoformat(secret.last_used_at) - datetime(2030, 1, 1, tzinfo=UTC)).total_seconds())
        assert written == [0, 0, 61, 61, 122, 722]
        assert people.secrets()[0].expires_at is None


def test_nobody_is_sent_away_because_their_last_use_cannot_be_written(
    people: People, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = people.token(people.add("Ann", "judge"), role="judge")[0]
    tried = []

    def refuse() -> None:
        tried.append(1)
        raise FileError("labels.db", None, "database is locked")

    monkeypatch.setattr(store.database, "writing", refuse)
    assert people.by_token(token) is not None
    assert tried == [1]


def test_whoever_asks_is_found_by_one_question_to_the_database_and_by_none_if_the_secret_is_misshapen(
    people: People, store: Store, project: int
) -> None:
    session = people.join(people.invite(role="judge", project=project)[0], "Ann").session
    asked: list[str] = []
    event.listen(store.database._engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    assert people.session(session) is not None
    (only,) = [statement for statement in asked if "FROM" in statement or "UPDATE" in statement]
    assert "FROM secrets JOIN people" in only
    asked.clear()
    for wrong in ("", "pdm_s_", session[:-1], session + "x", session.upper(), session.replace("pdm_s_", "pdm_t_")):
        assert people.session(wrong) is None
    for wrong in (session, None, 7):
        assert people.by_token(wrong) is None  # type: ignore[arg-type]
    assert asked == []


def test_a_session_is_no_token_and_a_token_no_session(people: People) -> None:
    ann = people.add("Ann", "judge")
    session, token = people.join(people.link(ann)[0]).session, people.token(ann, role="judge")[0]
    assert people.session(session) is not None
    assert people.by_token(token) is not None
    assert people.session(token) is None
    assert people.by_token(session) is None
    assert people.session(token.replace("pdm_t_", "pdm_s_")) is None


def test_signing_out_ends_one_session_only(people: People) -> None:
    ann = people.add("Ann", "judge")
    one, other = (people.join(people.link(ann)[0]).session for _ in range(2))
    token = people.token(ann, role="judge")[0]
    for text in (one, one, "nonsense", token):
        people.end_session(text)
    assert people.session(one) is None
    assert people.session(other) is not None
    assert people.by_token(token) is not None


def test_secrets_are_listed_newest_first_by_project_person_and_kind(people: People, project: int) -> None:
    ann = people.add("Ann", "judge")
    invitation = people.invite(role="judge", project=project)[1]
    link = people.link(ann)[1]
    token = people.token(ann, role="judge", project=project)[1]
    assert people.secrets() == [token, link, invitation]
    assert people.secrets(project=project) == [token, invitation]
    assert people.secrets(person=ann) == people.secrets(person=ann.number) == [token, link]
    assert people.secrets(kind="link") == [link]
    assert people.secrets(project=project, person=ann, kind="link") == []
    with pytest.raises(UnknownName, match="unknown kind of secret 'key'"):
        people.secrets(kind="key")


def test_an_admin_revokes_anything_and_others_what_is_theirs(people: People) -> None:
    ann, bob, eve = people.add("Ann", "admin"), people.add("Bob", "judge"), people.add("Eve", "judge")
    for by, is_allowed in ((None, True), (ann, True), (bob.number, True), (eve, False)):
        text, secret = people.token(bob, role="judge")
        if is_allowed:
            people.revoke(secret.number, by=by)
            revoked_at = people.secrets()[0].revoked_at
            people.revoke(secret.number, by=by)
            assert people.secrets()[0].revoked_at == revoked_at
        else:
            with pytest.raises(NotAllowed, match="only an admin"):
                people.revoke(secret.number, by=by)
        assert (people.by_token(text) is None) == is_allowed


def test_a_token_cannot_make_an_admin_and_is_for_a_project_that_is_there(people: People) -> None:
    with pytest.raises(NotAllowed, match="Ann is not an admin"):
        people.token(people.add("Ann", "judge"), role="admin")
    with pytest.raises(DataError, match="there is no project 9"):
        people.token(people.add("Bob", "admin"), role="admin", project=9)


@pytest.mark.parametrize("way", ["shut out", "demoted"])
def test_whoever_leads_no_more_does_not_come_back_by_what_they_made_for_others(people: People, project: int, way: str) -> None:
    root, mal, bob = people.add("Root", "admin"), people.add("Mal", "admin"), people.add("Bob", "judge")
    invitations = {by: people.invite(role="judge", project=project, uses=None, by=by)[0] for by in (mal, root)}
    leads = {by: people.invite(role="admin", by=by)[0] for by in (mal, root)}
    links = {by: people.link(bob, by=by)[0] for by in (mal, root)}
    tokens = {by: people.token(bob, role="judge", by=by)[0] for by in (mal, root)}
    people.set_active(mal.number, False) if way == "shut out" else people.set_role(mal.number, "judge")
    for made in (invitations, leads, links):
        assert people.look(made[mal]) is None
        assert people.look(made[root]) is not None
    assert people.by_token(tokens[mal]) is None
    assert people.by_token(tokens[root]) is not None


def test_nobody_acts_in_the_name_of_another_admin(people: People) -> None:
    root, eve = people.add("Root", "admin"), people.add("Eve", "admin")
    for role in ("admin", "viewer"):
        with pytest.raises(NotAllowed, match="Eve is an admin"):
            people.token(eve, role=role, by=root)
    first, _ = people.link(eve, by=root)  # how else could she come in
    people.join(first)
    with pytest.raises(NotAllowed, match="nobody else may sign in as them"):
        people.link(eve, by=root)
    for by in (eve, None):
        assert people.look(people.link(eve, by=by)[0]) is not None
        assert people.by_token(people.token(eve, role="admin", by=by)[0]) is not None


def test_a_link_that_another_made_for_a_judge_does_not_make_its_holder_an_admin(people: People) -> None:
    root, ann = people.add("Root", "admin"), people.add("Ann", "judge")
    links = {by: people.link(ann, by=by)[0] for by in (root, ann, None)}
    people.set_role(ann.number, "viewer")
    assert people.look(links[root]) is not None
    people.set_role(ann.number, "admin")
    assert [people.look(links[by]) is not None for by in (root, ann, None)] == [False, True, True]


def test_signing_someone_out_everywhere_ends_their_sessions_and_nothing_else(people: People) -> None:
    ann, bob = people.add("Ann", "judge"), people.add("Bob", "judge")
    sessions = {person: [people.join(people.link(person)[0]).session for _ in range(2)] for person in (ann, bob)}
    token, link = people.token(ann, role="judge")[0], people.link(ann)[0]
    people.end_session(sessions[ann][0])
    assert people.end_sessions(ann) == 1
    assert [people.session(session) for session in sessions[ann]] == [None, None]
    assert all(people.session(session) for session in sessions[bob])
    assert people.by_token(token) is not None
    assert people.look(link) is not None
    with pytest.raises(DataError, match="there is no person 99"):
        people.end_sessions(99)


def test_what_works_now_is_listed_apart_from_what_is_over(place: str) -> None:
    clock = Clock()
    with open_store(place, clock=clock) as store:
        people = People(store)
        ann = people.add("Ann", "judge")
        used, revoked, short, long = (people.link(ann, minutes=minutes, note=f"{minutes} min")[1].number for minutes in (60, 61, 5, 62))
        people.revoke(revoked)
        clock.pass_by(minutes=5)
        assert [secret.number for secret in people.secrets(person=ann, only_good=True)] == [long, used]
        assert [secret.number for secret in people.secrets(person=ann)] == [long, short, revoked, used]
        assert people.secrets(person=ann)[0].note == "62 min"


@pytest.mark.parametrize("days", [10**400, float("inf"), float("nan"), 0, -1, 3651, True])
def test_a_time_that_no_secret_may_last_is_refused(people: People, days: float) -> None:
    with pytest.raises(DataError, match="days must be a number above 0"):
        people.token(people.add("Ann", "judge"), role="judge", days=days)


# ---- rights ----


def make_caller(role: str, roles: dict[int, str], limit: str | None = None, only: int | None = None) -> Caller:
    secret = Secret(1, "token" if limit else "session", 1, only, limit or "viewer", "", None, "", None, None, None, None)
    return Caller(Person(1, "Ann", role, True, ""), secret, roles)


@pytest.mark.parametrize(
    ("caller", "role", "is_admin", "role_in_3", "may_see_3", "may_judge_3"),
    [
        (make_caller("admin", {}), "admin", True, "admin", True, False),
        (make_caller("admin", {3: "judge"}), "admin", True, "admin", True, True),
        (make_caller("judge", {3: "judge"}), "judge", False, "judge", False, True),
        (make_caller("judge", {3: "viewer"}), "judge", False, "viewer", True, False),
        (make_caller("viewer", {3: "judge"}), "viewer", False, "judge", False, True),
        (make_caller("judge", {4: "judge"}), "judge", False, None, False, False),
        (make_caller("admin", {}, "admin"), "admin", True, "admin", True, False),
        (make_caller("admin", {}, "viewer"), "viewer", False, "viewer", True, False),
        (make_caller("admin", {}, "judge"), "judge", False, None, False, False),
        (make_caller("admin", {3: "judge"}, "judge"), "judge", False, "judge", False, True),
        (make_caller("admin", {3: "judge"}, "viewer"), "viewer", False, "viewer", True, False),
        (make_caller("admin", {3: "judge"}, "admin", 3), "admin", False, "admin", True, True),
        (make_caller("admin", {3: "judge"}, "admin", 4), "admin", False, None, False, False),
        (make_caller("judge", {3: "judge"}, "viewer"), "viewer", False, None, False, False),
        (make_caller("judge", {3: "viewer"}, "judge"), "judge", False, None, False, False),
        (make_caller("judge", {3: "judge"}, "admin"), "judge", False, "judge", False, True),
        (make_caller("judge", {3: "judge"}, "judge", 3), "judge", False, "judge", False, True),
        (make_caller("judge", {3: "judge"}, "judge", 4), "judge", False, None, False, False),
        (make_caller("viewer", {3: "viewer"}, "judge"), "viewer", False, None, False, False),
    ],
)
def test_what_a_caller_may_do(caller: Caller, role: str, is_admin: bool, role_in_3: str | None, may_see_3: bool, may_judge_3: bool) -> None:
    assert (caller.role, caller.is_admin, caller.role_in(3), caller.may_see(3), caller.may_judge(3)) == (
        role, is_admin, role_in_3, may_see_3, may_judge_3
    )  # fmt: skip


def test_a_change_of_role_counts_at_the_next_request(people: People) -> None:
    people.add("Eve", "admin")
    ann = people.add("Ann", "admin")
    session, token = people.join(people.link(ann)[0]).session, people.token(ann, role="admin")[0]
    for role in ("judge", "admin"):
        people.set_role(ann.number, role)
        for caller in (people.session(session), people.by_token(token)):
            assert caller is not None
            assert (caller.role, caller.is_admin) == (role, role == "admin")
