"""Validators of configurations: each value has its rule, and a refusal names it with the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Validator = Callable[[Any, Any, Any], None]


def outside(name: str, value: object, rule: str) -> ConfigError:
    """Return the error for a value outside its rule.

    >>> print(outside("slack", -1, "give a whole number from 0 to 9"))
    slack = -1 is outside its rule: give a whole number from 0 to 9
    """
    return ConfigError(f"{name} = {value!r} is outside its rule: {rule}")


def one_of(known: Collection[str]) -> Validator:
    """Return an attrs validator that takes known names only.

    Raises:
        ConfigError: by the validator, for another name.
    """

    def check(_config: Any, field: Any, value: Any) -> None:
        if value not in known:
            raise outside(field.name, value, f"name one of {', '.join(known)}")

    return check


def whole(low: int, high: int) -> Validator:
    """Return an attrs validator that takes whole numbers from `low` to `high`, and no booleans.

    Raises:
        ConfigError: by the validator, for anything else.
    """

    def check(_config: Any, field: Any, value: Any) -> None:
        if not is_whole(value) or not low <= value <= high:
            raise outside(field.name, value, f"give a whole number from {low} to {high}")

    return check


def is_whole(value: object) -> bool:
    """Whether a value is an integer and no boolean.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)
