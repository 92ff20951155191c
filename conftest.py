"""Settings of every test: property tests draw the same examples everywhere, however slow the machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
