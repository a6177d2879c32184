"""A person at a terminal who is killed again and again: run as a program, with the place of a store, how many kills, and a seed.

Everything is loaded once; every sitting is a fork with a pseudo-terminal of its own, so that a kill costs little. The documents say
what they are worth, the person reads the screen and presses the key. A judgment is acknowledged once the next screen counts it; each is
noted as (query, worth on the left, worth on the right, key). At the end a JSON object is printed.
"""

from __future__ import annotations

import json
import os
import pty
import random
import re
import select
import signal
import sys
import time
from typing import Any

import podium.cli.person
import podium.store.desk  # noqa: F401  so that no child has to load it
from podium.cli import main

_SCREEN = "\x1b[H\x1b[2J"
_WORTH = re.compile(r"worth=(\d+)")
_QUERY = re.compile(r"Query (\w+)")
_JUDGED = re.compile(r"(\d+) judged now, about \d+ to go")
_END = "goes on."  # of the page after a query's last question
_PATIENCE = 30.0  # seconds for a first acknowledgment, however slow the machine


class Sitting:
    """One process at one pseudo-terminal."""

    def __init__(self, arguments: list[str]) -> None:
        self.acknowledged = list[tuple[str, int, int, str]]()
        self._text, self._seen = "", ("", -1)  # the query and the count of the last screen that was answered
        self._pending: tuple[str, int, int, str] | None = None
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.environ.update(COLUMNS="80", LINES="24", TERM="xterm")
            os._exit(main(arguments))

    def run(self, seconds: float, *, is_patient: bool) -> bool:
        """Answer what is shown for so long, perhaps counted from the first acknowledgment; false if the program ended by itself."""
        end = time.monotonic() + (_PATIENCE if is_patient else seconds)
        while (left := end - time.monotonic()) > 0:
            if is_patient and self.acknowledged:
                is_patient, end = False, time.monotonic() + seconds
                continue
            if not select.select([self._terminal], [], [], left)[0]:
                continue
            try:
                said = os.read(self._terminal, 65536)
            except OSError:  # the other side has gone
                return False
            if not said:
                return False
            self._see(said.decode(errors="replace"))
        return True

    def _see(self, text: str) -> None:
        """Look at the screen, and press a key if it is a new one and whole."""
        self._text = (self._text + text).rpartition(_SCREEN)[2]
        query, worths, judged = _QUERY.search(self._text), _WORTH.findall(self._text), _JUDGED.search(self._text)
        if query is not None and _END in self._text and self._seen != (query[1], -1):
            self._note(query[1], self._seen[1] + 1)
            self._seen = (query[1], -1)
            os.write(self._terminal, b"\n")
        elif query is not None and judged is not None and len(worths) == 2 and self._seen != (query[1], int(judged[1])):
            self._note(query[1], int(judged[1]))
            self._seen = (query[1], int(judged[1]))
            left, right = map(int, worths)
            self._pending = (query[1], left, right, "a" if left > right else "d")
            os.write(self._terminal, self._pending[3].encode())

    def _note(self, query: str, judged: int) -> None:
        """The answer that was given last is acknowledged if its query counts one more."""
        if self._pending is not None and (query, judged) == (self._seen[0], self._seen[1] + 1):
            self.acknowledged.append(self._pending)
        self._pending = None

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._terminal)


def sit_and_be_killed(place: str, kills: int, seed: int) -> dict[str, Any]:
    """Four of five sittings are killed soon after a first acknowledgment, the fifth at any moment from its start."""
    chance, acknowledged, ended, mid_work = random.Random(seed), list[tuple[str, int, int, str]](), 0, 0
    for number in range(kills):
        sitting = Sitting(["label", "--store", place, "--assessor", "ann"])
        ended += not sitting.run(chance.uniform(0.0, 0.15), is_patient=number % 5 > 0)
        sitting.kill()
        acknowledged += sitting.acknowledged
        mid_work += bool(sitting.acknowledged)
    return {"kills": kills, "acknowledged": acknowledged, "ended": ended, "mid_work": mid_work}


if __name__ == "__main__":
    print(json.dumps(sit_and_be_killed(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
