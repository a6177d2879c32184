"""What keeps people and the server safe, as a browser has it: frames that stay, and pages that know when their session is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.server.browser import Server, Visit, chromium, office, server, visit

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings

if TYPE_CHECKING:
    from podium.projects.office import Office

__all__ = ["chromium", "office", "server", "visit"]


@pytest.mark.parametrize("name", [".", "..", "plain"])
def test_a_click_on_a_link_in_a_document_leads_nowhere(visit: Visit, office: Office, server: Server, name: str) -> None:
    source = f'<p>before</p><a href="{server.url}/static/podium.css">the link</a>'
    documents = (Document(name, "T", source, "html"), Document("other", "T", source, "html"))
    project = office.projects.create(f"links {name}", ProjectSettings(k=1), [Pool(name, "x", documents)])
    judge = office.people.add(f"Judge of {name}", "judge")
    office.projects.add_member(project.number, judge.number, "judge")
    page = visit(judge, f"/projects/{project.number}/judge")
    for place in range(2):
        frame = page.locator("article:not([hidden]) iframe").nth(place).content_frame
        link = frame.get_by_text("the link")
        for keys in ([], ["Control"]):
            link.click(modifiers=keys)
            assert frame.get_by_text("before").is_visible()
        assert link.get_attribute("title") == f"{server.url}/static/podium.css"
    assert len(page.context.pages) == 1


def test_the_dashboard_asks_no_more_when_its_session_is_over(visit: Visit, office: Office) -> None:
    admin = office.people.add("Ada", "admin")
    project = office.projects.create("watched", ProjectSettings(k=1), [Pool("q", "x", (Document("a"), Document("b")))])
    page = visit(admin, f"/projects/{project.number}")
    page.clock.install()
    page.reload()
    page.get_by_text("Live", exact=True).wait_for()
    for secret in office.people.secrets(person=admin.number, kind="session"):
        office.people.revoke(secret.number)
    page.clock.run_for(5_000)
    page.get_by_text("you are signed out").wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    assert asked == []
