"""What the policy remembers of what it read and made."""

from __future__ import annotations

from typing import Any

import attrs

SCHEDULED = "scheduled"
ARMS = ("a", "b", "s")
DEPLOYING = ("d", "c")


@attrs.frozen
class Brief:
    """A brief as get_brief shows it; `rows` are [role, brief] of depends_on, in order."""

    id: str
    channel: str
    locale: str
    format: str
    angle: str
    campaign: str
    audiences: list[str]
    window: int
    priority: int
    shares: dict[str, int]
    thresholds: dict[str, int]
    benchmark_bp: int | None
    rows: list[list[str]]
    baseline: list[str] | None

    @classmethod
    def of(cls, data: dict[str, Any]) -> Brief:
        """Take what the policy needs out of an answer."""
        return cls(
            id=data["brief"],
            campaign=data["campaign"],
            audiences=data["audiences"],
            window=data["credit_window_min"],
            priority=data["priority"],
            shares={name: data[name] for name in ("holdout_bp", "split_bp")},
            thresholds={name: data[name] for name in ("min_conv", "min_lift_bp")},
            benchmark_bp=data["benchmark_bp"],
            rows=data["depends_on"],
            baseline=data.get("baseline"),
            **{name: data[name] for name in ("channel", "locale", "format", "angle")},
        )

    def named(self, role: str) -> list[str]:
        """Return the briefs of the rows of a role, in order."""
        return [brief for each, brief in self.rows if each == role]


@attrs.frozen
class Post:
    """A post of the calendar."""

    id: str
    due_at: int
    weight: int
    status: str

    @property
    def brief(self) -> str:
        """Return the brief that its id names."""
        return brief_of(self.id)

    @property
    def arm(self) -> str:
        """Return what it is: a, b, s, d or c."""
        return self.id[-1]


@attrs.frozen
class Package:
    """The latest version of a package, and its visual and copy."""

    ref: str
    assets: tuple[str, str]


@attrs.frozen
class Report:
    """The winner of a report, and the rate of the winning arm."""

    winner: str
    rate_ppm: int

    @property
    def arm(self) -> str:
        """Return the winner's arm."""
        return "b" if self.winner == "test" else "a"


@attrs.frozen
class News:
    """A notice, and the briefs that had a scheduled post when it came, with the assets of their packages then."""

    notice: dict[str, Any]
    waiting: dict[str, list[str]]

    @property
    def id(self) -> str:
        """Return the update's id."""
        return str(self.notice["id"])

    @property
    def kind(self) -> str:
        """Return the update's kind."""
        return str(self.notice["kind"])


def brief_of(post: str) -> str:
    """Return the brief that a post's id names.

    >>> brief_of("p-02-07-s")
    'b-02-07'
    """
    return f"b{post[1:-2]}"


def post_of(brief: str, arm: str) -> str:
    """Return the id of a brief's post.

    >>> post_of("b-02-07", "s")
    'p-02-07-s'
    """
    return f"p{brief[1:]}-{arm}"
