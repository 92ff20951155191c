"""What the checker reads of a world: a few queries, whatever the number of goals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import attrs

from skillhorizon import World, loads
from skillhorizon_fieldops.truth import Fired

_ARTIFACTS = """
    SELECT id, version, subject, clock, made, ended, ended_as, content_text FROM artifact
    WHERE kind = ? ORDER BY id, version"""
_LIVE = """
    SELECT id, version, subject, clock, made, ended, ended_as, content_text FROM artifact
    WHERE kind = ? AND ended IS NULL ORDER BY id"""
_CITES = "SELECT id, version, role, ref, token FROM cite WHERE id >= ? AND id < ? AND role IN (?, ?)"
_FIRED = """
    SELECT n.id, MIN(a.ended), n.body FROM notice AS n JOIN artifact AS a ON a.cause = n.id GROUP BY n.id"""
_KEPT = ("ACC", "COM", "CRT", "PRM", "SYS", "TST", "WRK")


@attrs.frozen(kw_only=True)
class Version:
    """A version of an artifact: its life in calls, the wave it was made in, its content as text."""

    ref: str
    number: int
    subject: str
    wave: int
    made: int
    ended: int | None
    ended_as: str | None
    text: str

    @cached_property
    def content(self) -> Any:
        """The content, parsed."""
        return loads(self.text)


def _version(row: tuple[Any, ...]) -> Version:
    name, number, subject, wave, made, ended, ended_as, text = row
    return Version(
        ref=f"{name}@{number}",
        number=number,
        subject=subject,
        wave=wave,
        made=made,
        ended=ended,
        ended_as=ended_as,
        text=text,
    )


@attrs.frozen(kw_only=True)
class State:
    """The artifacts of a world.

    Attributes:
        current: kind -> subject -> the version that has not ended.
        work, reference: test reference -> the work, and the commissioning, that it cites.
        reservations, bookings: every version.
        uses: booking reference -> the wave of its first use.
        consumed: references of the reservations that work took.
        isolated: devices that are isolated.
        fired: updates that fired.
    """

    current: Mapping[str, Mapping[str, Version]]
    work: Mapping[str, str]
    reference: Mapping[str, str]
    reservations: tuple[Version, ...]
    bookings: tuple[Version, ...]
    uses: Mapping[str, int]
    consumed: frozenset[str]
    isolated: frozenset[str]
    fired: tuple[Fired, ...]

    @classmethod
    def of(cls, world: World) -> State:
        """Read a world."""
        tests = _cited(world, "TST", ("work", "reference"))
        works = _cited(world, "WRK", ("booking", "reservation"))
        return cls(
            current={kind: {row[2]: _version(row) for row in world.sql(_LIVE, kind)} for kind in _KEPT},
            work={user: used for user, role, used in tests if role == "work"},
            reference={user: used for user, role, used in tests if role == "reference"},
            reservations=tuple(map(_version, world.sql(_ARTIFACTS, "RSV"))),
            bookings=tuple(map(_version, world.sql(_ARTIFACTS, "BKG"))),
            uses=_uses(world, works),
            consumed=frozenset(used for _, role, used in works if role == "reservation"),
            isolated=frozenset(device for (device,) in world.sql("SELECT device FROM isolation")),
            fired=tuple(Fired(name, call, loads(body)) for name, call, body in world.sql(_FIRED)),
        )

    def get(self, kind: str, subject: str) -> Version | None:
        """Return the current version of an artifact."""
        return self.current[kind].get(subject)


def _cited(world: World, kind: str, roles: tuple[str, str]) -> list[tuple[str, str, str]]:
    """Return (user, role, used) of every version of a kind, live or not."""
    rows = world.sql(_CITES, f"{kind}:", f"{kind};", *roles)
    return [
        (f"{name}@{version}", role, ref if token is None else f"{ref}@{token}")
        for name, version, role, ref, token in rows
    ]


def _uses(world: World, works: Iterable[tuple[str, str, str]]) -> dict[str, int]:
    """Return the wave in which each booking was first used."""
    made = {version.ref: (version.made, version.wave) for version in map(_version, world.sql(_ARTIFACTS, "WRK"))}
    first: dict[str, tuple[int, int]] = {}
    for work, role, booking in works:
        if role == "booking":
            first[booking] = min(made[work], first.get(booking, made[work]))
    return {booking: wave for booking, (_, wave) in first.items()}
