"""Labelling: which question next, and what do the answers say? Few judgments to the ordered top k; no clock, file or person in here.

A **strategy** decides the next question, an assessor answers it, and the **log** of events is all the state there is: a
:class:`TopK` made from the same items, settings and log goes on where it stood.
"""

from __future__ import annotations

from podium.labelling.bradley_terry import Fit, Standing, how_sure
from podium.labelling.known import Known, Outcome
from podium.labelling.log import standing
from podium.labelling.questions import ANSWERS, GRADES, Event, Question
from podium.labelling.rescoring import rescore
from podium.labelling.result import Result
from podium.labelling.table import STRATEGIES, get
from podium.labelling.task import TopK

__all__ = [
    "ANSWERS", "GRADES", "STRATEGIES", "Event", "Fit", "Known", "Outcome", "Question", "Result", "Standing", "TopK", "get", "how_sure",
    "rescore", "standing",
]  # fmt: skip
