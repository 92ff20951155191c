"""The OpenAI SDK's client."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillhorizon import UsageError
from skillhorizon_agents.backends.door import Door

if TYPE_CHECKING:
    from skillhorizon_agents.settings import Settings

OWN = "https://api.openai.com/v1"
NO_KEY = "none-needed"


def openai_door(model: str, settings: Settings) -> Door:
    """Return a client of OpenAI, or of whatever speaks its language elsewhere.

    Raises:
        UsageError: when OpenAI itself is asked without a key.
    """
    import openai  # noqa: PLC0415  # half a second; only who asks it pays

    place = settings.base_url or os.environ.get("OPENAI_BASE_URL") or OWN
    key = os.environ.get("OPENAI_API_KEY")
    if not key and place.rstrip("/") == OWN:
        raise UsageError(
            "OPENAI_API_KEY is not set; set it to your key, or name another server by --agent-option base-url=URL"
        )
    client = openai.AsyncOpenAI(api_key=key or NO_KEY, base_url=place, timeout=settings.timeout, max_retries=0)
    return Door(openai, client, model, place)
