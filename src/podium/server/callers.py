"""Who asks, and whether they may: the dependencies that every route begins with.

``Signed`` is anyone who is signed in, ``Perhaps`` also nobody, ``Admin`` an admin. ``Judging``, ``Viewing`` and ``Leading`` open the
project of the path (``project`` in it) for its judges, for those who may look on, and for admins. To those who have no part in a project
it does not exist.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NoReturn

from fastapi import Depends, Path
from starlette.requests import HTTPConnection

from podium.errors import DataError
from podium.projects.facts import Member, NotAllowed, Project
from podium.projects.office import Office
from podium.projects.people import Caller
from podium.server.problems import NotFound, NotSigned, TooMany
from podium.server.rates import Rates

__all__ = [
    "COOKIE",
    "Admin",
    "Judging",
    "Leading",
    "Number",
    "OfficeHere",
    "Perhaps",
    "Signed",
    "Viewing",
    "Visit",
    "address_of",
    "caller_of",
    "count_guess",
    "credential_of",
    "office_of",
    "perhaps",
    "project_for",
    "viewable",
]

COOKIE = "podium_session"
Number = Annotated[int, Path(ge=1, lt=2**31)]


@dataclass
class Visit:
    """A caller in a project. ``member`` is their part in it; an admin may have none."""

    office: Office
    caller: Caller
    number: int
    member: Member | None

    @cached_property
    def project(self) -> Project:
        """The project, read when it is first asked for: whoever answers a question can do without."""
        try:
            return self.office.projects.get(self.number)
        except DataError:
            raise NotFound(f"there is no project {self.number}") from None

    @property
    def judge(self) -> Member:
        assert self.member is not None, "only a route of judges has a judge"
        return self.member


def office_of(request: HTTPConnection) -> Office:
    office: Office = request.app.state.office
    return office


async def _office_here(request: HTTPConnection) -> Office:
    return office_of(request)  # a coroutine, as the others are run in threads, which takes time


def caller_of(request: HTTPConnection) -> Caller | None:
    """Whoever the request's token or cookie stands for; a token goes before a cookie. What is given and not valid is an error."""
    people, rates = office_of(request).people, _rates_of(request)
    scheme, text = _shown(request)
    if not scheme:
        return None
    caller = {"bearer": people.by_token, COOKIE: people.session}.get(scheme, lambda _: None)(text)
    if caller is None:
        rates.is_bad(credential_of(request))
        _refuse(request, scheme, text)
    rates.is_good(credential_of(request), address_of(request))
    return caller


def _shown(request: HTTPConnection) -> tuple[str, str]:
    """The token or the session of a request with what it is, neither of them looked at yet; nothing twice if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        return scheme.lower(), token.strip()
    session = request.cookies.get(COOKIE)
    return ("", "") if session is None else (COOKIE, session)


def credential_of(request: HTTPConnection) -> str:
    """What a request shows to be let in, as a hash, so that nobody finds it in our memory."""
    return hashlib.sha256(_shown(request)[1].encode("utf-8", "replace")).hexdigest()


def _refuse(request: HTTPConnection, scheme: str, text: str) -> NoReturn:
    count_guess(request, text)
    raise NotSigned(
        "you are not signed in (any more); open your link again, or ask for a new one"
        if scheme == COOKIE
        else "this token is not valid (any more)"
    )


def count_guess(request: HTTPConnection, text: str) -> None:
    """Keep whoever guesses secrets waiting. One that has ended, or that was cut short on its way, is no guess."""
    if office_of(request).people.is_invented(text) and (seconds := _rates_of(request).guessed(address_of(request))) > 0:
        raise TooMany("too many failed attempts from your address", seconds)


def _rates_of(request: HTTPConnection) -> Rates:
    rates: Rates = request.app.state.rates
    return rates


def address_of(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def perhaps(request: HTTPConnection) -> Caller | None:
    """Whoever is signed in; a session that has ended is as good as none."""
    try:
        request.state.caller = caller_of(request)
    except (NotSigned, TooMany):
        request.state.caller = None
    caller: Caller | None = request.state.caller
    return caller


def signed(request: HTTPConnection) -> Caller:
    request.state.caller = caller = caller_of(request)
    if caller is None:
        raise NotSigned("sign in first: open your link, or send a token as Authorization: Bearer pdm_t_…")
    return caller


def admin(request: HTTPConnection) -> Caller:
    caller = signed(request)
    if not caller.is_admin:
        raise NotAllowed("only an admin may do this")
    return caller


_RIGHTS: dict[str, tuple[Callable[[Caller, int], bool], str]] = {
    "judge": (Caller.may_judge, "a judge of this project"),
    "viewer": (Caller.may_see, "a viewer of this project or an admin"),
    "member": (lambda caller, project: caller.may_see(project) or caller.may_judge(project), "one who has a part in this project"),
    "admin": (lambda caller, project: caller.role_in(project) == "admin", "an admin"),
}


def project_for(role: str) -> Callable[[HTTPConnection, int], Visit]:
    """A dependency that opens the project of the path for those who have this role in it: judge, viewer, member (any of them) or admin."""
    is_right, who = _RIGHTS[role]

    def open_project(request: HTTPConnection, project: Number) -> Visit:
        caller, office = signed(request), office_of(request)
        if caller.role_in(project) is None and not caller.may_judge(project):
            raise NotFound(f"there is no project {project}")
        visit = Visit(office, caller, project, _member(office, caller, project))
        if visit.member is None:
            _ = visit.project  # an admin may ask for one that is not there; where someone is a member, there is one
        if not is_right(caller, project):
            raise NotAllowed(f"only {who} may do this")
        return visit

    return open_project


def _member(office: Office, caller: Caller, project: int) -> Member | None:
    return office.people.membership(caller.person, project) if project in caller.roles else None


def viewable(office: Office, caller: Caller, *, with_archived: bool = False) -> list[Project]:
    """The projects that someone may look at."""
    return [project for project in office.projects.all(with_archived=with_archived) if caller.may_see(project.number)]


OfficeHere = Annotated[Office, Depends(_office_here)]
Perhaps = Annotated[Caller | None, Depends(perhaps)]
Signed = Annotated[Caller, Depends(signed)]
Admin = Annotated[Caller, Depends(admin)]
Judging = Annotated[Visit, Depends(project_for("judge"))]
Viewing = Annotated[Visit, Depends(project_for("viewer"))]
Leading = Annotated[Visit, Depends(project_for("admin"))]
