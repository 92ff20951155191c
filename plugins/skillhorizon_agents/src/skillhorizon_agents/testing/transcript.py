"""What was said between the scripted model and one task's agent, and where a request stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import attrs

from skillhorizon_agents.testing.faults import HUGE_CHARACTERS, Kind, Schedule
from skillhorizon_agents.testing.formats.reading import dumped, echoed
from skillhorizon_agents.testing.player import Player, Wanted
from skillhorizon_agents.testing.talk import Ask, Breach, Reply, Spoke
from skillhorizon_agents.testing.visible import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from skillhorizon import Part

FINISH, RULES, NOTICES, UNKNOWN = "finish", "get_rules", "list_notices", "no_such_tool"
NOT_ATTEMPTED = '{"error":{"code":"NOT_ATTEMPTED"'
DONE = "Everything that the task asks for is done and submitted."
TALKED = "I think that I should look at what is left."
_SILENT: dict[Kind | None, str] = {Kind.EMPTY: "", Kind.TALK: TALKED}
_LONG = "so " * (HUGE_CHARACTERS // 3)


class Differs(Breach):
    """A result that is not what the conversation showed before; `at` is the turn's index."""

    def __init__(self, at: int, text: str) -> None:
        super().__init__(text)
        self.at = at


@attrs.define
class Turn:
    """One reply, which of its calls are the policy's own, and what the requests then showed.

    Attributes:
        reply: the reply.
        own: the place of the policy's call among the reply's calls, None when it has none.
        results: the texts of the results, None as long as no request showed them.
        said: what the user said to it.
    """

    reply: Reply
    own: int | None = None
    results: tuple[str, ...] | None = None
    said: str = ""


class Transcript:
    """The turns of one conversation; replies are made once, so that an equal request gets an equal answer.

    Args:
        part: the reference policy's part.
        names: wire names by the tools' own names.
        faults: how replies are to be odd.
        private: whether replies hold reasoning that requests must repeat.
    """

    def __init__(self, part: Part, names: Mapping[str, str], faults: Schedule, *, private: bool) -> None:
        self.part, self.names, self.private = part, names, private
        self.turns: list[Turn] = []
        self.summaries: dict[int, str] = {}
        self._faults = faults
        self._player: Player | None = None
        self._wanted: Wanted | None = None
        self._fed = self._finishes = 0
        self._broken: Breach | None = None

    def forked(self, at: int) -> Transcript:
        """Return a transcript that is the same up to the reply of a turn, whose results are still to be shown."""
        copy = Transcript(self.part, self.names, self._faults, private=self.private)
        copy.turns = [attrs.evolve(turn) for turn in self.turns[: at + 1]]
        copy.turns[-1].results = None
        return copy

    def follow(self, base: int, seen: Sequence[Seen], *, strict: bool, cleared: str) -> int:
        """Hold a request's turns against what was said, note what it shows first, and return how many it has seen.

        Args:
            base: turns before the first that the request shows.
            seen: the turns that it shows.
            strict: whether replies and results must be repeated word for word.
            cleared: what stands in place of old results; '' when nothing may.

        Raises:
            Breach: when something is missing, added or changed.
        """
        whole = False
        seen = self._with_silent(base, seen)
        for at, shown in enumerate(seen, base):
            if at >= len(self.turns):
                raise Breach(f"turn {at + 1} of the conversation was never answered; what is it?")
            turn = self.turns[at]
            if strict:
                _check_reply(at, turn.reply, shown.spoke)
            whole = _check_results(at, turn, shown, cleared, whole=whole)
        self._note(base, seen)
        return base + len(seen)

    def _with_silent(self, base: int, seen: Sequence[Seen]) -> list[Seen]:
        """Return the turns with an empty reply that formats cannot repeat, but what the user said to it tells of."""
        found: list[Seen] = []
        for shown in seen:
            at = base + len(found)
            after = self.turns[at + 1].reply if at + 1 < len(self.turns) else None
            if shown.texts and shown.said and after is not None and not (after.text or after.asks):
                found += [attrs.evolve(shown, said=""), Seen(Spoke(""), (), shown.said)]
            else:
                found.append(shown)
        return found

    def _note(self, base: int, seen: Sequence[Seen]) -> None:
        for at, shown in enumerate(seen, base):
            if self.turns[at].results is None:
                self.turns[at].results = shown.texts
                self.turns[at].said = shown.said

    def reply(self, seen: int) -> Reply:
        """Return the reply to a request that has seen so many turns."""
        while len(self.turns) <= seen:
            self.turns.append(self._made(len(self.turns) + 1))
        return self.turns[seen].reply

    def summary(self, seen: int) -> str:
        """Return the summary that the model writes after so many turns."""
        if not seen:
            raise Breach("a summary is asked for before the first reply")
        return self.summaries.setdefault(seen, summary_text(seen))

    def calls(self) -> Iterator[tuple[str, str, str]]:
        """Yield each call whose result was shown: the tool's wire name, the arguments as written, the result's text."""
        for turn in self.turns:
            for ask, text in zip(turn.reply.asks, turn.results or (), strict=False):
                yield ask.name, ask.arguments, text

    def leave(self) -> None:
        """End the policy's thread."""
        if self._player is not None:
            self._player.leave()

    def _made(self, number: int) -> Turn:
        wanted = self._next()
        asks, own, text = self._odd(self._faults.answer(number), wanted)
        made = tuple(Ask(f"call_{number:06d}_{at}", name, arguments) for at, (name, arguments) in enumerate(asks))
        private = f"sealed:{number}" if self.private and made else ""
        return Turn(Reply(text=text, asks=made, turn=number, private=private), own)

    def _odd(self, kind: Kind | None, wanted: Wanted | None) -> tuple[list[tuple[str, str]], int | None, str]:
        """Return a reply's calls, the place of the policy's own among them, and its text."""
        if wanted is None:
            return [], None, DONE
        if kind in _SILENT:
            return [], None, _SILENT[kind]
        own = (self.names.get(wanted.tool, wanted.tool), dumped(wanted.arguments))
        match kind:
            case Kind.MALFORMED_CALL | Kind.UNKNOWN_TOOL:
                half = own[1][: max(1, len(own[1]) // 2)]
                return [(own[0], half) if kind is Kind.MALFORMED_CALL else (UNKNOWN, "{}")], None, ""
            case Kind.FAILING_BATCH:
                return [(self.names[RULES], dumped({"topic": 7})), own], 1, ""
            case Kind.BATCH:
                return [own, *[(self.names[NOTICES], "{}")] * 2], 0, ""
            case _:
                return [own], 0, _LONG if kind is Kind.HUGE else ""

    def _next(self) -> Wanted | None:
        """Return the policy's call that is to be made, once it was told all that was shown.

        Raises:
            Breach: when the policy cannot go on; it never can again.
        """
        if self._broken is not None:
            raise self._broken
        if self._player is None:
            self._player = Player(self.part, set(self.names))
            self._wanted = self._player.begin()
        for turn in self.turns[self._fed :]:
            self._fed += 1
            text = None if turn.own is None or turn.results is None else turn.results[turn.own]
            if text is not None and not text.startswith(NOT_ATTEMPTED):
                self._wanted = self._told(text)
        if self._wanted is not None:
            return self._wanted
        return Wanted(FINISH, {}) if self._finishes < 2 else None  # noqa: PLR2004  # asked, then confirmed

    def _told(self, text: str) -> Wanted | None:
        if self._wanted is None:
            self._finishes += 1
            return None
        if self._player is None:
            raise AssertionError("what was wanted was said by a player")
        try:
            return self._player.tell(text)
        except Breach as error:
            self._broken = error
            raise


def summary_text(seen: int) -> str:
    """Return the summary after so many turns; it is long enough to be worth keeping, and never the same twice."""
    lines = [f"{mark(seen)} What was done so far, and what is known."]
    lines += [f"- Point {line} of the state after turn {seen}: nothing else needs to be kept." for line in range(1, 21)]
    return "\n".join(lines)


def mark(seen: int) -> str:
    """Return how a summary is recognised.

    >>> mark(57)
    '[scripted summary after turn 57]'
    """
    return f"[scripted summary after turn {seen}]"


def _check_reply(at: int, reply: Reply, spoke: Spoke) -> None:
    where = f"the reply of turn {at + 1}"
    if [ask.id for ask in spoke.asks] != [ask.id for ask in reply.asks]:
        raise Breach(f"{where} is repeated with the calls {_ids(spoke.asks)}, it had {_ids(reply.asks)}")
    for ask, was in zip(spoke.asks, reply.asks, strict=True):
        if (ask.name, echoed(ask.arguments)) != (was.name, echoed(was.arguments)):
            raise Breach(f"the call {ask.id} is repeated with another tool or other arguments")
    if spoke.text.strip() != reply.text.strip():
        raise Breach(f"{where} is repeated with another text")
    if "".join(spoke.private) != reply.private:
        raise Breach(f"{where} is repeated without its reasoning, or with another")


def _ids(asks: Sequence[Ask]) -> str:
    return ", ".join(ask.id for ask in asks) or "none"


def _check_results(at: int, turn: Turn, shown: Seen, cleared: str, *, whole: bool) -> bool:
    """Check what a turn shows; return whether from here on results stand whole.

    Raises:
        Differs: when a result is not what it was.
        Breach: when a result is cleared behind one that is not.
    """
    gone = bool(cleared) and bool(shown.texts) and set(shown.texts) == {cleared}
    if gone:
        if whole:
            raise Breach(f"the results of turn {at + 1} are cleared, but older ones are not")
        if turn.results is None:
            raise Breach(f"the results of turn {at + 1} are cleared before they were shown")
        return False
    if turn.results is not None:
        _check_same(at, turn.results, shown.texts)
        if turn.said != shown.said:
            raise Differs(at, f"what the user said to turn {at + 1} is not what it was")
    return whole or bool(shown.texts)


def _check_same(at: int, before: Sequence[str], now: Sequence[str]) -> None:
    if len(before) != len(now):
        _differ(at, f"turn {at + 1} has {len(now)} results, it had {len(before)}")
    for slot, (was, text) in enumerate(zip(before, now, strict=True), 1):
        if was != text:
            _differ(at, f"result {slot} of turn {at + 1} is not what it was: {text[:80]!r} instead of {was[:80]!r}")


def _differ(at: int, text: str) -> NoReturn:
    raise Differs(at, text)
