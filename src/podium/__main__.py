"""``python -m podium``: the same as the program ``podium``."""

from podium.cli import entry

if __name__ == "__main__":
    entry()
