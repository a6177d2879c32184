"""How often tests kill what they watch: a third of it in `make test`, all of it in `make crash`, so that the usual checks stay short."""

from __future__ import annotations

import os

IS_WHOLE = os.environ.get("PODIUM_KILLS") == "all"


def kills(most: int) -> int:
    """So many of ``most``."""
    return most if IS_WHOLE else max(5, most // 3)
