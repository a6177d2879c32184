"""Where models may be, and which key goes where. The operator of the server says so, not its pages: a page must not send keys anywhere."""

from __future__ import annotations

from collections.abc import Sequence

from podium.projects.facts import NotAllowed
from podium.projects.model_settings import ModelSettings

__all__ = ["OPENAI", "check_place"]

OPENAI = "https://api.openai.com/v1"
_OPTION = "whoever runs the server allows more with podium serve --model-url URL"


def check_place(settings: ModelSettings, model_urls: Sequence[str]) -> None:
    """Refuse a place that the operator did not name, and a key that is not for it.

    What is below one of ``model_urls`` may be asked, with any key. Without being named, OpenAI may be, with its own key or none, and
    this machine itself, without a key.
    """
    from podium.assessors.llm_url import is_below, is_loopback

    url, key = settings.base_url, settings.key_variable
    if any(is_below(url, allowed) for allowed in model_urls):
        return
    is_openai = is_below(url, OPENAI)
    if not is_openai and not is_loopback(url):
        raise NotAllowed(f"this server does not ask models at {url}; {_OPTION}")
    if key and not (is_openai and key == "OPENAI_API_KEY"):
        raise NotAllowed(f"the key {key} is not sent to {url}; {_OPTION}")
