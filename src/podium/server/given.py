"""What the API gives, as pydantic models: the schema is made of them, and tests hold the answers against it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Added",
    "AuditEntryReply",
    "AuditReply",
    "DocumentReply",
    "Ended",
    "ErrorBody",
    "ErrorReply",
    "GoldList",
    "GoldReply",
    "GoldScoreReply",
    "Guide",
    "HistoryReply",
    "InvitationMade",
    "Joined",
    "JudgmentDetailReply",
    "JudgmentList",
    "JudgmentReply",
    "LinkMade",
    "Me",
    "MemberReply",
    "Message",
    "MyProject",
    "OfferReply",
    "OwnProgress",
    "PersonReply",
    "ProgressReply",
    "ProjectReply",
    "QueryReply",
    "QuestionReply",
    "RunReply",
    "SecretReply",
    "SettingsReply",
    "TaskReply",
    "TokenMade",
]

Tool = Literal["pairs", "grades"]


class Given(BaseModel):
    """What goes out."""


class ErrorBody(Given):
    code: Annotated[str, Field(examples=["not_found"])]
    message: Annotated[str, Field(examples=["there is no project 7"])]
    recorded: Annotated[bool, Field(description="With `elsewhere`: what was said counts nevertheless; do not send it again.")] = False


class ErrorReply(Given):
    error: ErrorBody


class DocumentReply(Given):
    id: str
    title: str
    kind: Literal["text", "html", "image", "link"]
    text: str
    url: str


class QuestionReply(Given):
    token: str
    task: int
    tool: Tool
    query_id: str
    query: str
    description: str
    left: DocumentReply
    right: DocumentReply | None
    answers: list[str]


class OwnProgress(Given):
    done: int
    about_left: int
    queries_done: int
    queries: int


class OfferReply(Given):
    status: Literal["question", "wait", "finished"]
    question: QuestionReply | None
    progress: OwnProgress


class Guide(Given):
    name: str
    instructions: str
    grades: list[str]
    tool: Literal["pairs", "grades", "both"]
    k: int
    ties: bool
    both_bad: bool


class Joined(Given):
    to: Annotated[str, Field(examples=["/projects/3/judge"])]


class LinkMade(Given):
    link: str
    number: Annotated[int, Field(description="By which it can be revoked.")]


class MyProject(Given):
    number: int
    name: str
    state: str
    role: str
    is_study: bool
    tool: str


class Me(Given):
    name: str
    role: str
    projects: list[MyProject]


class StudyReply(Given):
    assessors: int
    folds: int
    rounds: int


class SettingsReply(Given):
    tool: str
    k: int
    strategy: str
    options: dict[str, Any]
    seed: int
    ties: bool
    both_bad: bool
    ties_are_transitive: bool
    overlap: int
    overlap_by: str
    grades: list[str]
    instructions: str
    gold_every: int
    study: StudyReply | None


class ProjectReply(Given):
    number: int
    name: str
    state: str
    created_at: str
    n_queries: int
    is_study: bool
    settings: SettingsReply


class Added(Given):
    added: int


class QueryReply(Given):
    query_id: str
    query: str
    documents: int


class TaskReply(Given):
    task: int
    project: int
    query_id: str
    tool: str
    copy_: Annotated[int, Field(alias="copy")]
    is_shared: bool
    member: int | None
    fold: int | None
    round: int | None
    documents: int
    judgments: int
    is_finished: bool


class MemberReply(Given):
    number: int
    project: int
    person: int | None
    kind: str
    name: str
    role: str
    seat: int | None
    is_active: bool
    joined_at: str | None


class InvitationMade(Given):
    link: str
    number: int


class SecretReply(Given):
    number: int
    kind: str
    person: int | None
    project: int | None
    role: str
    note: str
    uses_left: int | None
    created_at: str
    created_by: int | None
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


class RunReply(Given):
    state: str
    message: str
    started_at: str | None
    beat_at: str | None
    spent: Any = None


class Message(Given):
    message: str


class Ended(Given):
    ended: Annotated[int, Field(description="How many sessions there were.")]


class GoldReply(Given):
    number: int
    query_id: str
    left: str
    right: str | None
    answer: str


class GoldScoreReply(Given):
    right: int
    asked: int


class GoldList(Given):
    questions: list[GoldReply]
    scores: dict[str, GoldScoreReply]


class ProgressReply(Given):
    model_config = ConfigDict(extra="allow")

    project: int
    state: str
    queries: int
    tasks: int
    tasks_finished: int
    judgments: int
    about_left: int
    members: list[dict[str, Any]]
    queries_table: list[dict[str, Any]]
    by_day: list[dict[str, Any]]


class JudgmentReply(Given):
    task: int
    event: int
    query_id: str
    tool: str
    left: str
    right: str | None
    answer: str
    stands: str | None
    corrected_by: str | None
    assessor: str
    role: str
    at: str
    seconds: float | None
    paused: float | None
    idle: float | None


class JudgmentList(Given):
    rows: list[JudgmentReply]
    total: int


class HistoryReply(Given):
    event: int
    action: str
    answer: str | None
    assessor: str
    at: str


class JudgmentDetailReply(Given):
    judgment: JudgmentReply
    query: str
    description: str
    left: DocumentReply
    right: DocumentReply | None
    answers: list[str]
    history: list[HistoryReply]


class PersonReply(Given):
    number: int
    name: str
    role: str
    is_active: bool
    created_at: str


class TokenMade(Given):
    token: str
    number: int


class AuditEntryReply(Given):
    number: int
    at: str
    person: int | None
    name: str
    project: int | None
    action: str
    details: dict[str, Any]


class AuditReply(Given):
    entries: list[AuditEntryReply]
