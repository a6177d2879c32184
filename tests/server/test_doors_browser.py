"""The pages of people in a browser: what lets them in can be ended, and a model can be tried before it is added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.server.browser import Visit, chromium, office, server, violations, visit

from podium.pool import Document, Pool
from podium.projects.facts import ProjectSettings

if TYPE_CHECKING:
    from podium.projects.office import Office

__all__ = ["chromium", "office", "server", "visit"]


def test_a_link_is_revoked_and_a_person_signed_out_everywhere(visit: Visit, office: Office) -> None:
    grace, ann = office.people.add("Grace", "admin"), office.people.add("Ann", "judge")
    session = office.people.join(office.people.link(ann)[0]).session
    link, secret = office.people.link(ann)
    page = visit(grace, "/people")
    assert violations(page) == []
    page.get_by_role("button", name=f"Revoke link {secret.number} of Ann").click()
    page.get_by_text("The link of Ann is revoked.").wait_for()
    assert office.people.look(link) is None
    assert office.people.session(session) is not None
    page.get_by_role("button", name="Sign out everywhere Ann").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    page.get_by_text("Ann is signed out everywhere.").wait_for()
    assert office.people.session(session) is None


def test_the_outcome_of_a_trial_is_told_beside_the_settings(visit: Visit, office: Office) -> None:
    ada = office.people.add("Ada", "admin")
    number = office.projects.create("Trials", ProjectSettings(k=1), [Pool("q", "?", (Document("a"), Document("b")))]).number
    page = visit(ada, f"/projects/{number}/people")
    page.get_by_text("Add a language model").click()
    page.get_by_label("Model", exact=True).fill("small")
    page.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    told = page.locator("[data-tried][aria-live=polite]")
    page.get_by_role("button", name="Test the connection").click()
    told.get_by_text("small at http://127.0.0.1:9/v1 gave no answer").wait_for()
    assert violations(page) == []
    page.get_by_label("Base URL").fill("http://evil.example/v1")
    page.get_by_role("button", name="Test the connection").click()
    told.get_by_text("--model-url").wait_for()
    assert [member for member in office.projects.members(number) if member.kind == "model"] == []
