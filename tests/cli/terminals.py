"""A person at a terminal who is killed again and again: run as a program, with the place of a store, how many kills, and a seed.

Everything is loaded once; every sitting is a fork with a pseudo-terminal of its own, so that a kill costs little. The documents say
what they are worth, the person reads the screen and presses the key, and what the screen acknowledges is counted. At the end a JSON
object is printed.
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

import podium.cli.person
import podium.store.desk  # noqa: F401  so that no child has to load it
from podium.cli import main

_SCREEN = "\x1b[H\x1b[2J"
_WORTH = re.compile(r"worth=(\d+)")
_JUDGED = re.compile(r"(\d+) judged now")


class Sitting:
    """One process at one pseudo-terminal."""

    def __init__(self, arguments: list[str]) -> None:
        self.acknowledged, self._text, self._answered = 0, "", ""
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.environ.update(COLUMNS="80", LINES="24", TERM="xterm")
            os._exit(main(arguments))

    def run(self, seconds: float, *, is_begun: bool) -> bool:
        """Answer what is shown for so long, perhaps counted from the first question; false if the program ended by itself."""
        end = time.monotonic() + (30.0 if is_begun else seconds)
        while (left := end - time.monotonic()) > 0:
            if is_begun and self._answered:
                is_begun, end = False, time.monotonic() + seconds
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
        self._text = (self._text + text).rpartition(_SCREEN)[2] if _SCREEN in self._text + text else self._text + text
        worth, judged = _WORTH.findall(self._text), _JUDGED.search(self._text)
        if judged is None or len(worth) < 2 or "to go" not in self._text:
            return
        self.acknowledged = max(self.acknowledged, int(judged[1]))
        question = f"{judged[1]} {worth[:2]}"
        if question != self._answered:
            self._answered = question
            os.write(self._terminal, b"a" if int(worth[0]) > int(worth[1]) else b"d")

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._terminal)


def sit_and_be_killed(place: str, kills: int, seed: int) -> dict[str, int]:
    chance, acknowledged, ended, mid_work = random.Random(seed), 0, 0, 0
    for _ in range(kills):
        sitting = Sitting(["label", "--store", place, "--assessor", "ann"])
        ended += not sitting.run(chance.uniform(0.0, 0.15), is_begun=chance.random() < 0.8)
        sitting.kill()
        acknowledged += sitting.acknowledged
        mid_work += sitting.acknowledged > 0
    return {"kills": kills, "acknowledged": acknowledged, "ended": ended, "mid_work": mid_work}


if __name__ == "__main__":
    print(json.dumps(sit_and_be_killed(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
