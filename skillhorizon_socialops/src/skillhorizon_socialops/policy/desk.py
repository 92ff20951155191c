"""The policy's desk: the clock, the calendar, and the artifacts that are current as far as answers tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Json, Skipped, listed
from skillhorizon_socialops.policy.memory import SCHEDULED, Brief, News, Package, Post, Report, brief_of, post_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon import Client

UNREAD = 0
"""The weight of a post that was not read yet."""
OBSERVED = 840
"""The minutes for which arms are observed after the last one is due."""
LONGEST = 2880
"""The minutes that the clock may be moved by one call."""


class Desk:
    """The policy's memory.

    Attributes:
        clock: the minute, as answers last told it.
        current: current version by artifact id; of packages, the latest one.
        posts: the posts of opened waves; calendar: those of them that are scheduled.
        causes: the update that put a post on the calendar, or put it there again.
        ends: when the observation of a brief's arms ends, as they stand.
        packages: the latest version of each (brief, arm); ran: the version that a published arm ran with.
        totals: conv_a and conv_b of the last credit of a brief.
        arms: arm_a and arm_b of the last plan of a brief.
        withdrawn: assets whose rights were withdrawn.
        inbox: notices not yet answered; acknowledged: those whose affected briefs were named.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.clock, self.open_wave, self.waves = 0, 0, 0
        self.current: dict[str, str] = {}
        self.briefs: dict[str, Brief] = {}
        self.posts: dict[str, Post] = {}
        self.calendar: dict[str, Post] = {}
        self.causes: dict[str, str] = {}
        self.ends: dict[str, int] = {}
        self.packages: dict[tuple[str, str], Package] = {}
        self.ran: dict[tuple[str, str], str] = {}
        self.totals: dict[str, list[int]] = {}
        self.arms: dict[str, list[int]] = {}
        self.reports: dict[str, Report] = {}
        self.withdrawn: set[str] = set()
        self.inbox: list[News] = []
        self.acknowledged: set[str] = set()

    def do(self, tool: str, /, **arguments: Json) -> Any:
        """Call an operation and take in what it made, ended and brought.

        Raises:
            Refused: when the call is not accepted.
        """
        answer = self.client.call(tool, **arguments)
        self.clock = answer.get("clock", self.clock)
        for ref in answer["made"]:
            self.current[ref.rpartition("@")[0]] = ref
        for ref in answer["stale"]:
            name = ref.rpartition("@")[0]
            if self.current.get(name) == ref:
                del self.current[name]
        for post in answer.get("missed", ()):
            self.mark(post, "missed")
        for notice in answer["notices"]:
            self.learn(notice)
        return answer

    def learn(self, notice: dict[str, Any]) -> None:
        """Take in a notice: what it changed on the calendar, and which asset it withdrew."""
        waiting = sorted({each.brief for each in self.calendar.values()})
        self.inbox.append(News(notice, {each: self.assets_of(each) for each in waiting}))
        if notice["kind"] == "rights_withdrawal":
            self.withdrawn.add(notice["asset"])
        if "withdrawn" in notice:
            self.mark(notice["withdrawn"], "withdrawn")
        if "post" in notice:
            post = notice["post"]
            self.causes[post] = notice["id"]
            self.note(self.posts.get(post, Post(post, self.clock, UNREAD, SCHEDULED)))
            self.mark(post, SCHEDULED)

    def note(self, post: Post) -> None:
        """Take in a post as it stands."""
        self.posts[post.id] = post
        self.ends.pop(brief_of(post.id), None)
        self.calendar.pop(post.id, None)
        if post.status == SCHEDULED:
            self.calendar[post.id] = post

    def mark(self, post: str, status: str) -> None:
        """Note a post's status; of a post that was never read nothing is known."""
        known = self.posts.get(post)
        if known is not None:
            self.note(Post(post, known.due_at, known.weight, status))

    def scheduled(self, post: str) -> bool:
        """Whether a post is scheduled, as far as is known."""
        return post in self.calendar

    def wait(self, minute: int) -> None:
        """Move the clock to a minute, unless it is there already.

        Raises:
            Refused: when a call is not accepted.
        """
        while self.clock < minute:
            self.do("advance_clock", to_minute=min(minute, self.clock + LONGEST))

    def ref(self, kind: str, subject: str) -> str:
        """Return a current version.

        Raises:
            Skipped: when there is none.
        """
        if f"{kind}:{subject}" not in self.current:
            raise Skipped(f"{kind}:{subject} is not current; the step that makes it was skipped or refused")
        return self.current[f"{kind}:{subject}"]

    def package(self, brief: str, arm: str) -> Package:
        """Return the latest version of a package.

        Raises:
            Skipped: when it was never built.
        """
        if (brief, arm) not in self.packages:
            raise Skipped(f"the package of arm {arm} of brief '{brief}' was never built")
        return self.packages[brief, arm]

    def assets_of(self, brief: str) -> list[str]:
        """Return the assets of the latest versions of a brief's packages."""
        built = [self.packages[brief, arm].assets for arm in ("a", "b") if (brief, arm) in self.packages]
        return sorted({asset for assets in built for asset in assets})

    def report(self, brief: str) -> Report:
        """Return the current report of a brief.

        Raises:
            Skipped: when it has none.
        """
        self.ref("rp", brief)
        return self.reports[brief]

    def brief(self, brief: str) -> Brief:
        """Return a brief, read when it is first asked for."""
        if brief not in self.briefs:
            self.briefs[brief] = Brief.of(self.client.call("get_brief", brief_id=brief))
        return self.briefs[brief]

    def arm_posts(self, brief: str) -> dict[str, str]:
        """Return arm by post of a brief's arms: those that were not withdrawn."""
        return {post.id: arm for post, arm in self.arms_of(brief)}

    def arms_of(self, brief: str) -> Iterator[tuple[Post, str]]:
        """Yield the posts of a brief's arms that were not withdrawn, each with its arm."""
        for letter, arm in (("a", "a"), ("b", "b"), ("s", "b")):
            post = self.posts.get(post_of(brief, letter))
            if post is not None and post.status != "withdrawn":
                yield post, arm

    def observe_until(self, brief: str) -> int:
        """Return the minute at which the observation of a brief's arms ends (R6)."""
        if brief not in self.ends:
            self.ends[brief] = max(post.due_at for post, _ in self.arms_of(brief)) + OBSERVED
        return self.ends[brief]

    def look(self) -> None:
        """Read the clock, the open wave and the number of waves."""
        read = self.client.call("get_clock")
        self.clock, self.open_wave = read["clock"], read["open_wave"] or 0
        self.waves = len(listed(self.client, "list_waves"))

    def read_wave(self, wave: int) -> list[str]:
        """Read the posts that run in a wave; return the briefs of the wave."""
        for row in listed(self.client, "list_calendar", wave=wave):
            self.note(Post(row["post"], row["due_at"], row["weight"], row["status"]))
        return [row["brief"] for row in listed(self.client, "list_briefs", wave=wave)]

    def read_post(self, post: str) -> Post:
        """Read a post again."""
        row = self.client.call("get_post", post_id=post)
        self.note(Post(post, row["due_at"], row["weight"], row["status"]))
        return self.posts[post]

    def know(self, post: str | None) -> None:
        """Read a post that a notice put on the calendar, unless the calendar was read since."""
        if post is not None and self.posts[post].weight == UNREAD:
            self.read_post(post)
