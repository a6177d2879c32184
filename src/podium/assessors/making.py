"""A language model made from settings, as the command line and projects give them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from podium.assessors.limits import Limits
from podium.assessors.llm import LanguageModel
from podium.assessors.prompts import GRADE_PROMPT, PAIR_PROMPT, Prompt

__all__ = ["make_language_model", "prompt_of"]

_PASSED_ON = ("key_variable", "order", "temperature", "timeout", "concurrency", "max_unparsable", "max_retries", "seed", "assessor")


def prompt_of(name: str, text: str) -> Prompt:
    """A template as a prompt; one that shows a single document asks for its grade."""
    return Prompt(name, "grade" if "{document}" in text else "pair", text)


def make_language_model(
    settings: Mapping[str, Any], *, grades: Sequence[str], prompt: Prompt | None = None, cache: str | os.PathLike[str] | None = None
) -> LanguageModel:
    """A model with its limits; the key comes from the environment and stays there.

    ``settings`` has ``base_url`` and ``model``, and may have ``max_requests``, ``max_tokens``, ``max_cost``, ``price_in``, ``price_out``,
    ``rate`` (requests a minute) and what else :class:`LanguageModel` takes under the same name.
    """
    prompts = {"pair": PAIR_PROMPT, "grade": GRADE_PROMPT, **({prompt.kind: prompt} if prompt is not None else {})}
    spending = {name: settings[name] for name in ("max_requests", "max_tokens", "max_cost", "price_in", "price_out") if name in settings}
    limits = Limits(**spending, requests_per_minute=settings.get("rate"))
    options = {name: settings[name] for name in _PASSED_ON if name in settings}
    return LanguageModel(
        settings["base_url"], settings["model"], prompt=prompts["pair"], grade_prompt=prompts["grade"], grades=grades, limits=limits,
        cache=cache, **options,
    )  # fmt: skip
