"""Judgments of pairs, written short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from podium.labelling.coefficients import Bootstrap
from podium.labelling.ratings import Rating, Ratings

QUICK = Bootstrap(resamples=20)
SIGNS = {">": 1, "=": 0, "<": -1}


def rated(*outcomes: str, query: str = "q") -> Ratings:
    """A pair for each place, an assessor for each text; > the first is better, < the second, = a tie, . not judged."""
    pairs = [(f"d{place:03}", f"e{place:03}") for place in range(len(outcomes[0]))]
    return Ratings.of(
        Rating(query, *pairs[place], f"assessor {who}", SIGNS[said])
        for who, text in enumerate(outcomes)
        for place, said in enumerate(text)
        if said != "."
    )


def in_queries(texts: Mapping[str, tuple[str, str]]) -> Ratings:
    """Of each query what two assessors said of its pairs, as in :func:`rated`."""
    return Ratings.of(
        Rating(query, f"a{place}", f"b{place}", f"assessor {who}", SIGNS[said])
        for query, both in texts.items()
        for who, text in enumerate(both)
        for place, said in enumerate(text)
    )


def ordered(query: str, who: str, *pairs: str) -> Iterable[Rating]:
    """Judgments as texts: 'a>b', 'a=b'."""
    return (Rating(query, text[0], text[2], who, SIGNS[text[1]]) for text in pairs)
