"""Settings of every test: property tests draw the same examples everywhere, and slow machines fail nothing."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

# A shell lets what it starts in the background ignore Ctrl-C, and so would the commands that tests stop by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
