"""The papers' lemmas, theorems and bounds, tried by enumeration and at random on our own losses and measures.

STATEMENTS is the table of claims; :func:`check_all` runs it. A claim that is known to fail as printed is expected to fail.

>>> from podium.theory import Bench, check_all
>>> report = check_all(Bench(trials=100), only=["000-theorem-2-2"])
>>> print(report.outcomes[0][1].counterexample)
n = 3, k = 1, scores (0, 0.25, 0.25): 6 > 5.505
"""

from __future__ import annotations

from podium.theory.facts import Bench, Outcome, Statement
from podium.theory.running import Report, check_all
from podium.theory.statements import STATEMENTS
from podium.theory.survey import Cell, Key, judge, keys

__all__ = [
    "STATEMENTS",
    "Bench",
    "Cell",
    "Key",
    "Outcome",
    "Report",
    "Statement",
    "check_all",
    "judge",
    "keys",
]
