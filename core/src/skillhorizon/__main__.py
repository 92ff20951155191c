"""`python -m skillhorizon` is `shz`."""

from __future__ import annotations

from skillhorizon.cli import main

if __name__ == "__main__":
    main()
