"""What is known of every loss, so that a change of a loss that changes the answer is noticed.

A word for each (n, k) of (2, 1), (2, 2), (3, 1), …, (5, 5). Of order sensitivity: ``yes``, or the clause of Definition 3 that fails first
(``2≥`` never cheaper, ``2>`` sometimes dearer, ``2=`` equal inside a subgroup, ``3``), after a ``~`` if the loss has kinks and so
is not differentiable. Of consistency: ``yes``, or ``no`` for minimisers that are the wrong way round or tie: which of the two is found
depends on the spaces that are tried.
"""

from __future__ import annotations

from podium.theory.survey import SIZES, Cell

__all__ = ["KNOWN", "is_as_known"]

_EVERY = "yes yes  yes yes yes  yes yes yes yes  yes yes yes yes yes"
_KINKED = "~yes ~yes  ~yes ~yes ~yes  ~yes ~yes ~yes ~yes  ~yes ~yes ~yes ~yes ~yes"
_PERMUTATIONS = "yes yes  2= yes yes  2= 2= yes yes  2= 2= 2= yes yes"
_KINKED_PERMUTATIONS = "~yes ~yes  ~2= ~yes ~yes  ~2= ~2= ~yes ~yes  ~2= ~2= ~2= ~yes ~yes"
_NOT_BELOW = "yes yes  no yes yes  no no yes yes  no no no yes yes"
_PAIRS_ONLY = "yes yes  no no no  no no no no  no no no no no"  # piecewise linear losses: two documents only
_COSTS = ("yes yes  yes yes yes  yes 2≥ 2≥ 2≥  yes 2≥ 2≥ 2≥ 2≥", "yes yes  yes yes yes  yes no no no  yes no no yes yes")

KNOWN: dict[tuple[str, str], tuple[str, str]] = {
    ("pairwise-hinge", "top-k"): (_KINKED, _PAIRS_ONLY),
    ("pairwise-hinge", "full"): (_KINKED_PERMUTATIONS, _PAIRS_ONLY),
    ("pairwise-exponential", "top-k"): (_EVERY, _EVERY),
    ("pairwise-exponential", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("pairwise-logistic", "top-k"): (_EVERY, _EVERY),
    ("pairwise-logistic", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("listmle", "top-k"): (_EVERY, _EVERY),
    ("listmle", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("top-k-listmle", "top-k"): (_EVERY, _EVERY),
    ("listnet", "top-k"): (_EVERY, _EVERY),
    ("listnet", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("listnet-exact", "top-k"): (_EVERY, _EVERY),
    ("listnet-exact", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("top-k-listnet", "top-k"): (_EVERY, _EVERY),
    ("rankcosine", "top-k"): (_EVERY, _EVERY),
    ("rankcosine", "full"): (_PERMUTATIONS, _NOT_BELOW),
    ("top-k-rankcosine", "top-k"): (_EVERY, _EVERY),
    ("cs-listmle", "top-k"): _COSTS,
    ("cs-listmle", "full"): _COSTS,
    ("hom-gg", "top-k"): (
        "yes yes  yes yes yes  yes yes 2≥ yes  yes yes 2≥ 2≥ yes",
        "yes yes  yes yes yes  yes yes no yes  yes yes no no yes",
    ),
    ("hom-oo", "top-k"): (_EVERY, _EVERY),
    ("hom-og", "top-k"): (
        "yes yes  yes yes yes  yes yes yes yes  yes yes 2≥ yes yes",
        "yes yes  yes yes yes  yes yes yes yes  yes yes no yes yes",
    ),
    ("focused-net", "top-k"): (
        "yes yes  yes yes yes  yes 2≥ yes yes  yes 2≥ 2≥ yes yes",
        "yes yes  yes yes yes  yes no yes yes  yes no yes yes yes",
    ),
    ("map-hinge", "top-k"): (
        "~yes 2>  ~yes ~yes 2>  ~yes ~yes ~yes 2>  ~yes ~yes ~yes ~yes 2>",
        "yes no  no no no  no no no no  no no no no no",
    ),
    ("map-hinge", "full"): ("2> " * len(SIZES), "no " * len(SIZES)),
    ("focused-hinge", "top-k"): ("~yes ~yes  ~yes ~2≥ ~yes  ~yes ~2≥ ~2≥ ~yes  ~yes ~2≥ ~2≥ ~2≥ ~yes", _PAIRS_ONLY),
}


def is_as_known(cell: Cell) -> bool:
    """Whether a cell came out as the table has it; a loss that the table does not have yet may come out as it likes."""
    known = KNOWN.get((cell.key.loss, cell.key.kind))
    if known is None:
        return True
    at = SIZES.index((cell.key.n, cell.key.k))
    sensitive, consistent = known[0].split()[at], known[1].split()[at]
    is_missed = cell.mistake is None and cell.failure is not None  # where a condition fails, another seed's search may find nothing
    return cell.sensitivity == sensitive and (is_missed or (cell.mistake is None) == (consistent == "yes"))
