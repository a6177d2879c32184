"""What the API takes, as pydantic models: unknown fields are refused, texts and numbers have bounds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from podium.labelling.questions import GRADES

__all__ = [
    "Answer",
    "ChangeableSettings",
    "Correction",
    "DeskOnly",
    "InvitationWanted",
    "Join",
    "MemberChange",
    "ModelTried",
    "ModelWanted",
    "NewDocument",
    "NewGold",
    "NewPerson",
    "NewPool",
    "NewProject",
    "NewQueries",
    "Next",
    "PersonChange",
    "ProjectChange",
    "Skip",
    "State",
    "Study",
    "TokenWanted",
    "Undo",
]


def _keepable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    return text


_KEEPABLE = AfterValidator(_keepable)  # by both databases

Short = Annotated[str, StringConstraints(max_length=200), _KEEPABLE]
Word = Annotated[str, StringConstraints(min_length=1, max_length=200), _KEEPABLE]
Id = Annotated[str, StringConstraints(min_length=1, max_length=500), _KEEPABLE]
Name = Annotated[str, StringConstraints(min_length=1, max_length=80), _KEEPABLE]
Long = Annotated[str, StringConstraints(max_length=100_000), _KEEPABLE]
Content = Annotated[str, StringConstraints(max_length=10_000_000), _KEEPABLE]
Whole = Annotated[int, Field(ge=0, lt=2**31)]
Positive = Annotated[int, Field(ge=1, lt=2**31)]
Seconds = Annotated[float, Field(ge=0, le=1e7)]
Role = Literal["viewer", "judge", "admin"]
Tool = Literal["pairs", "grades"]


class Taken(BaseModel):
    """What comes from outside."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class DeskOnly(Taken):
    """`desk` names the browser tab, so that the same person does not judge in two at once."""

    desk: Short = ""
    member: Annotated[
        Positive | None,
        Field(description="As whom the page was opened. Refused if somebody else is signed in by now. Programs need not say it."),
    ] = None


class Next(DeskOnly):
    take: Annotated[bool, Field(description="Go on here, though another tab was active a moment ago.")] = False


class Skip(DeskOnly):
    task: Whole
    token: Word
    seconds: Annotated[Seconds | None, Field(description="How long the question was looked at.")] = None
    paused: Seconds | None = None
    idle: Seconds | None = None


class Answer(Skip):
    answer: Annotated[Word, Field(description="One of the question's `answers`.", examples=["left"])]


class Undo(DeskOnly):
    key: Annotated[Word, Field(description="Anything random: the same key twice is one act.")]


class Join(Taken):
    secret: Annotated[Word, Field(examples=["pdm_i_…"])]
    name: Annotated[str, StringConstraints(max_length=80), _KEEPABLE] | None = None


class Study(Taken):
    assessors: Annotated[int, Field(ge=1, le=1000)]
    folds: Annotated[int, Field(ge=1, le=1000)]
    rounds: Annotated[int, Field(ge=1, le=1000)]


class ChangeableSettings(Taken):
    tool: Tool = "pairs"
    k: Positive = 10
    strategy: Short = "adaptive"
    options: Annotated[dict[Short, str | int | float | bool], Field(max_length=20)] = {}
    seed: Whole = 0
    ties: bool = True
    both_bad: bool = True
    ties_are_transitive: bool = True
    overlap: Annotated[int, Field(ge=1, le=100)] = 1
    overlap_by: Literal["copies", "votes"] = "copies"
    grades: Annotated[list[Name], Field(min_length=2, max_length=20)] = list(GRADES)
    instructions: Long = ""
    gold_every: Whole = 0
    study: Study | None = None


class NewProject(Taken):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "wings", "settings": {"k": 5, "instructions": "Which is better?"}}]})

    name: Short
    settings: ChangeableSettings = ChangeableSettings()


class ProjectChange(Taken):
    name: Short | None = None
    settings: ChangeableSettings = ChangeableSettings()


class State(Taken):
    state: Literal["open", "closed", "archived"]


class NewDocument(Taken):
    id: Id
    title: Long = ""
    text: Content = ""
    kind: Literal["text", "html", "image", "link"] = "text"
    url: Content = ""


class NewPool(Taken):
    query_id: Id
    query: Long = ""
    description: Long = ""
    has_prior: bool = False
    documents: Annotated[list[NewDocument], Field(min_length=1, max_length=100_000)]


class NewQueries(Taken):
    pools: Annotated[list[NewPool], Field(min_length=1, max_length=100_000)]


class MemberChange(Taken):
    is_active: bool


class InvitationWanted(Taken):
    role: Literal["judge", "viewer"] = "judge"
    uses: Annotated[int, Field(ge=1, le=10_000)] = 1
    days: Annotated[float, Field(gt=0, le=3650)] = 14.0
    note: Short = ""


class ModelWanted(Taken):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "qwen", "settings": {"base_url": "http://127.0.0.1:8080/v1", "model": "qwen"}}]}
    )

    name: Name
    settings: Annotated[dict[Short, str | int | float | bool | None], Field(max_length=50)] = {}


class ModelTried(Taken):
    settings: Annotated[dict[Short, str | int | float | bool | None], Field(max_length=50)]


class NewGold(Taken):
    query_id: Id
    left: Id
    right: Id | None = None
    answer: Word


class Correction(Taken):
    answer: Word
    key: Short = ""


class NewPerson(Taken):
    name: Name
    role: Role = "judge"


class PersonChange(Taken):
    role: Role | None = None
    is_active: bool | None = None

    @model_validator(mode="after")
    def _check_something(self) -> PersonChange:
        if self.role is None and self.is_active is None:
            raise ValueError("say what is to change: role or is_active")
        return self


class TokenWanted(Taken):
    role: Role = "viewer"
    project: Positive | None = None
    note: Short = ""
    days: Annotated[float, Field(gt=0, le=3650)] | None = None
    person: Annotated[Positive | None, Field(description="Whom it stands for; you, if not given.")] = None
