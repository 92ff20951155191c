"""The prompts, each in a file of its own, and their digest."""

from __future__ import annotations

from functools import cache
from importlib import resources

from skillhorizon import digest

NAMES = ("adopted", "cleared", "creator", "notes", "skills", "slid", "summary", "system")


@cache
def text(name: str) -> str:
    """Return a prompt."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def adopted(summary: str) -> str:
    """Return how an adopted summary is told to the model."""
    return text("adopted").replace("{summary}", summary)


@cache
def prompts_digest() -> str:
    """Return the digest of all prompts: results of differing prompts are never averaged."""
    return digest([text(name) for name in NAMES])[:16]
