"""The handbook check finds the rejection codes that an environment's tools name, in whatever case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillhorizon.conformance.unaided import codes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("code", ["NOT_CURRENT", "CLOSED", "not_current", "n_minus_one"])
def test_a_code_is_found_where_a_tool_refuses(code: str, tmp_path: Path) -> None:
    file = tmp_path / "tools.py"
    file.write_text(f'call.reject("{code}", "read the list anew", object="D1")\nlabel = "not_a_code"\n')
    assert codes(file) == {code}
