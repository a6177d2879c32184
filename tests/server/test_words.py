"""Plain text as pages show it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from podium.server.pages.words import formatted

_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")  # what is bold, said in one expression, which takes long where ends are missing


@given(st.text("*a ", max_size=30))
def test_what_stands_between_two_stars_is_bold(text: str) -> None:
    plain = f"x {text} x".strip()
    bold = _BOLD.sub(r"<strong>\1</strong>", plain)
    assert formatted(plain) == f"<p>{bold}</p>"


def test_beginnings_without_an_end_take_no_longer_the_more_there_are() -> None:
    text = ("**a " * 200_000).strip()  # each would look for its end up to the end of the text
    assert formatted(text) == f"<p>{text}</p>"
