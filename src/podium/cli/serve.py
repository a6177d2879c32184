"""``podium serve``: the labelling server."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podium.cli.label import STRATEGY_NAMES, refuse_options
from podium.errors import DataError, FileError, MissingDependency

if TYPE_CHECKING:
    from podium.projects.facts import Person, Project
    from podium.projects.office import Office

__all__ = ["serve"]

_LIBRARIES = ("fastapi", "uvicorn", "jinja2", "python_multipart", "nh3")
_OF_NEW_PROJECTS = {"name", "tool", "k", "strategy", "overlap", "seed", "run", "topics", "depth", "queries"}
_MADE_HERE = "podium serve"  # the note of the links that are printed
_LINK_MINUTES = 60  # a link that stands in a log should not work for long


@click.command(
    epilog="Examples: podium serve --example   |   podium serve --import pools.jsonl --name wings -k 5   |   "
    "podium serve --host 0.0.0.0 --public-url https://labels.example --store postgresql://… --workers 4   |   "
    "podium serve --backup monday.db"
)
@click.option("--store", "place", default="labels.db", show_default=True, help="A file, or postgresql://… for a database.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 is every one of this machine.")
@click.option("--port", type=click.IntRange(0, 65535), default=8070, show_default=True, help="0 takes any that is free.")
@click.option("--public-url", default="", help="Where people reach it, if a proxy stands before it: https://labels.example")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Answer to this host name too. Repeatable.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that answer.")
@click.option(
    "--model-url", "model_urls", multiple=True, metavar="URL",
    help="Where language models may be asked to judge, with keys from the environment: this URL and all below it. Repeatable. Without it: "
    "https://api.openai.com/v1 with OPENAI_API_KEY, and this machine itself without a key.",
)  # fmt: skip
@click.option("--max-upload", type=click.IntRange(1, 10_000), default=100, show_default=True, metavar="MB", help="The largest upload.")
@click.option("--access-log", "logs_access", is_flag=True, help="Tell of every request on standard error.")
@click.option("--open", "opens", is_flag=True, help="Open the admin link in a browser.")
@click.option("--admin-link", "links_only", is_flag=True, help="Only print a new admin link, also while a server runs, and end.")
@click.option(
    "--backup", type=click.Path(path_type=Path), metavar="FILE", help="Only write a copy of the store, also while a server runs, and end."
)
@click.option(
    "--import", "paths", multiple=True, type=click.Path(path_type=Path), metavar="POOLS", help="First make a project of these. Repeatable."
)
@click.option("--example", "wants_example", is_flag=True, help="First make a small project of two queries, to try things out.")
@click.option("--name", default="", help="Of the project that is made. [default: the name of the file]")
@click.option(
    "--tool", type=click.Choice(["pairs", "grades"]), default="pairs", show_default=True, help="Which of two is better, or a grade."
)
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many of the best are wanted, in order.")
@click.option("--strategy", default="adaptive", show_default=True, help=f"One of {', '.join(STRATEGY_NAMES)}.")
@click.option("--overlap", type=click.IntRange(min=1), default=1, show_default=True, help="Assessors a query.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws the order and the sides.")
@click.option("--run", help="A TREC run that chooses the documents of a collection, or bm25. Its order is the prior.")
@click.option("--topics", type=click.Path(path_type=Path), help="Queries, if the collection has none of its own.")
@click.option("--depth", type=click.IntRange(min=1), help="Only so many documents a query.")
@click.option("--query", "queries", multiple=True, help="Only this query. Repeatable.")
def serve(place: str, backup: Path | None, links_only: bool, paths: tuple[Path, ...], wants_example: bool, **given: Any) -> int:
    """Serve labelling projects to browsers: judging, dashboards, studies, and a JSON API.

    Everything is kept in one store. Prints the address and a link by which you sign in as admin, once, within an hour; every start prints
    another, and ends those that were printed before and not used.
    Ctrl-C ends it; whatever was answered is kept. See docs/server.md.
    """
    if not paths:
        refuse_options(_OF_NEW_PROJECTS, "belong to a new project: give --import POOLS too, or leave them out")
    if backup is not None:
        return _back_up(place, backup)
    _check_libraries()
    from podium.projects.example import EXAMPLE, make_example
    from podium.projects.office import open_office
    from podium.server.running import bind, check_public_url

    public_url = check_public_url(given["public_url"]) if given["public_url"] else ""
    if links_only:
        return _print_link(place, public_url, given["host"], given["port"])
    urls = _checked_urls(given["model_urls"])
    with bind(given["host"], given["port"]) as opened, open_office(place, public_url=public_url, model_urls=urls) as office:
        if paths:
            _tell_project(_make_project(office, paths, given))
        if wants_example and office.projects.find(EXAMPLE) is None:
            _tell_project(make_example(office.projects))
        _serve(place, office, opened, given | {"public_url": public_url, "model_urls": urls})
    return 0


def _check_libraries() -> None:
    from importlib.util import find_spec

    for library in _LIBRARIES:
        if find_spec(library) is None:
            raise MissingDependency(library.replace("_", "-"), "serve", "serve labelling projects")


def _checked_urls(urls: tuple[str, ...]) -> list[str]:
    from podium.assessors.llm_url import checked_url

    try:
        return [checked_url(url) for url in urls]
    except DataError as error:
        raise DataError(f"--model-url: {error}") from None


def _serve(place: str, office: Office, opened: Any, given: Mapping[str, Any]) -> None:
    from podium.server.running import Serving, end_by_signals, home_of, is_loopback, serve

    end_by_signals()
    home = given["public_url"] or home_of(given["host"], opened)
    link = _admin_link(office, home)
    click.echo(f"Podium serves {office.store.where} at {home}   (Ctrl-C ends it)")
    click.echo(f"Sign in as admin by this link, which works once, within an hour: {link}")
    if not is_loopback(given["host"]) and not home.startswith("https://"):
        click.echo(
            "podium: others can reach this server, and read what is sent to it: put it behind https, and give --public-url", err=True
        )
    if given["opens"]:
        webbrowser.open(link)
    hosts, most = (given["host"], *given["hosts"]), given["max_upload"] * 1_000_000
    serving = Serving(place, given["public_url"], hosts, most, given["logs_access"], given["model_urls"])
    serve(serving, opened, workers=given["workers"], office=office)


# ---- who leads ----


def _print_link(place: str, public_url: str, host: str, port: int) -> int:
    from podium.projects.office import open_office
    from podium.server.running import url_of

    if "://" not in place and not Path(place).is_file():
        raise FileError(place, None, "there is no such store; podium serve makes one")
    with open_office(place) as office:
        click.echo(_admin_link(office, public_url or url_of(host, port)))
    if not public_url:
        click.echo(f"podium: the server is taken to be at {host}, port {port}; say otherwise with --host, --port or --public-url", err=True)
    return 0


def _admin_link(office: Office, home: str) -> str:
    """A new link; those that were printed before end, as they may stand in logs."""
    for secret in office.people.secrets(kind="link", only_good=True):
        if secret.created_by is None and secret.note == _MADE_HERE:
            office.people.revoke(secret.number)
    text, secret = office.people.link(_first_admin(office), minutes=_LINK_MINUTES, note=_MADE_HERE)
    office.audit.record(None, "link.create", number=secret.number, by="podium serve")
    return f"{home}/join/{text}"


def _first_admin(office: Office) -> Person:
    from podium.projects.facts import Conflict

    found = next((person for person in office.people.all() if person.role == "admin" and person.is_active), None)
    number = 1
    while found is None:
        with contextlib.suppress(Conflict):  # somebody has the name, or a model
            found = office.people.add("admin" if number == 1 else f"admin {number}", "admin")
        number += 1
    return found


# ---- projects and backups ----


def _make_project(office: Office, paths: tuple[Path, ...], given: Mapping[str, Any]) -> Project:
    from podium.projects.facts import ProjectSettings
    from podium.sources.pools import read_pools

    pools = read_pools(list(paths), run=given["run"], topics=given["topics"], depth=given["depth"], queries=given["queries"] or None)
    settings = ProjectSettings(**{name: given[name] for name in ("tool", "k", "strategy", "overlap", "seed")})
    project = office.projects.create(given["name"] or paths[0].name, settings, pools)
    office.audit.record(None, "project.create", project=project.number, name=project.name, by="podium serve")
    return project


def _tell_project(project: Project) -> None:
    click.echo(
        f"Made project {project.number}, {project.name}, with {project.n_queries} {'query' if project.n_queries == 1 else 'queries'}."
    )


def _back_up(place: str, target: Path) -> int:
    from podium.store.backup import backup

    click.echo(f"The store is copied to {backup(place, target)}.")
    return 0
