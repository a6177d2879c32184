"""Commands as a user types them."""

from __future__ import annotations

import pytest

from podium.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line that a user error prints."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("podium: ")
    assert err.count("\n") == 1
    return err
