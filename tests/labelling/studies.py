"""A tiny study, small enough to be worked by hand."""

from __future__ import annotations

from podium.labelling.coefficients import Bootstrap
from podium.labelling.questions import Event
from podium.labelling.study import JudgedTask, StudyReport, study_report
from podium.labelling.study_facts import AssessorFigures

QUICK = Bootstrap(resamples=50)


def said(who: str, *texts: str, seconds: float | None = 6.0, role: str = "person", paused: float = 0.0) -> list[Event]:
    """Answers as texts: 'a>b' with a on the left, 'b<a' with b on the left, 'a=b' a tie, 'a!b' both bad, 'a:Good' a grade."""
    signs = {">": "left", "<": "right", "=": "tie", "!": "bad"}
    return [
        Event(left=text[0], answer=text[2:], assessor=who, seconds=seconds, role=role, paused=paused)
        if text[1] == ":"
        else Event(left=text[0], right=text[2], answer=signs[text[1]], assessor=who, seconds=seconds, role=role, paused=paused)
        for text in texts
    ]


def tiny_study() -> list[JudgedTask]:
    """Two queries, each with each tool by two people. On p: ann and bob with pairs, cid and dan with grades; on q the other way round."""
    undone = [
        *said("ann", "a>b", "a>c", "b=c", seconds=4.0),
        *said("ann", "b>c", seconds=8.0),
        Event("undo", target=4, assessor="ann"),
        Event("skip", left="b", right="c", assessor="ann", seconds=2.0, paused=30.0),
    ]
    corrected = [*said("bob", "b<a", "a<c", "b=c", seconds=8.0, paused=60.0), Event("correct", "a", "c", "left", target=2, assessor="lead")]
    done = {"is_finished": True, "k": 2}
    return [
        JudgedTask("p", "pairs", undone, "ann", round=1, fold=1, top=("a", "b"), **done),
        JudgedTask("p", "pairs", corrected, "bob", round=2, fold=1, top=("a", "c"), **done),
        JudgedTask("p", "grades", said("cid", "a:Good", "b:Fair", "c:Fair", seconds=10.0), "cid", top=("a", "b"), **done),
        JudgedTask("p", "grades", said("dan", "a:Good", "b:Good", "c:Bad", seconds=14.0), "dan", top=("b", "a"), **done),
        JudgedTask("q", "pairs", said("cid", "a>b", "a!c", seconds=3.0), "cid", top=("a", "b"), **done),
        JudgedTask("q", "pairs", said("dan", "a>b", "a=c", seconds=5.0), "dan", top=("a", "b"), **done),
        JudgedTask("q", "grades", said("ann", "a:Bad", "b:Fair", "c:Good", seconds=12.0), "ann", top=("c", "b"), **done),
        JudgedTask("q", "grades", said("bob", "a:Bad", "b:Good", "c:Fair", seconds=12.0), "bob", top=("b", "c"), **done),
    ]


def tiny() -> StudyReport:
    return study_report(tiny_study(), title="tiny", gold={"ann": (3, 4)}, bootstrap=QUICK)


def one(report: StudyReport, assessor: str, tool: str) -> AssessorFigures:
    return next(found for found in report.assessors if (found.assessor, found.tool) == (assessor, tool))
