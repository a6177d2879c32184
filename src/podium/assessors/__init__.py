"""Who answers: oracles that know the truth (and may err), recorded people, language models; and the loop that puts questions to them."""

from __future__ import annotations

from podium.assessors.driving import Assessor, Desk, label, label_by_model
from podium.assessors.oracle import Oracle, noise_for_accuracy
from podium.assessors.recorded import Recorded

__all__ = ["Assessor", "Desk", "Oracle", "Recorded", "label", "label_by_model", "noise_for_accuracy"]
