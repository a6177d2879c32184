"""The JSON API: ``router`` holds all of it, below ``/api/v1``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from podium.server.api import administration, insight, judging, labelling, models, visitors
from podium.server.api.replies import PROBLEMS

__all__ = ["DESCRIPTION", "TAGS", "router"]

DESCRIPTION = """Everything that the pages do. Sign in with a token: `Authorization: Bearer pdm_t_…` (an admin makes one under *Tokens*).

Bodies are JSON. Errors are `{"error": {"code": "not_allowed", "message": "one line"}}`.
A project that is not yours does not exist for you (404)."""
TAGS: list[dict[str, Any]] = [
    {"name": "you", "description": "Who you are, and how you come in."},
    {"name": "judging", "description": "Questions and answers, for judges of a project."},
    {"name": "insight", "description": "Progress, judgments, reports and exports, for viewers of a project and admins."},
    {"name": "projects", "description": "Projects, queries, members, models, gold questions and corrections, for admins."},
    {"name": "administration", "description": "People, tokens and the audit log, for admins."},
]

router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
for _part in (visitors, judging, insight, labelling, models, administration):
    router.include_router(_part.router)
