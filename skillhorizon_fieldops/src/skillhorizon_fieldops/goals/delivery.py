"""Delivery: services (D1), isolations (D2), accounts (D3), limits (D4), the system (D5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_fieldops.truth import MINIMUM_BP, Account, Figures, Issue, account, figures, rating

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon import World
    from skillhorizon_fieldops.goals.judgement import Judgement
    from skillhorizon_fieldops.goals.state import State, Version
    from skillhorizon_fieldops.plan import Plan
    from skillhorizon_fieldops.rows import Service

_BATCHES = "SELECT batch, opening, free + held + consumed + scrapped FROM batch"
_RELIEF = "SELECT count(*) FROM relief"
_EXPEDITED_PACKS = 4
_UNCOUNTED = frozenset({"void", "superseded"})


def services(judgement: Judgement) -> dict[str, bool]:
    """Judge D1: every service has a current commissioning, exact with the demands at its call (R8)."""
    judged = [_Commission(judgement, service).conditions() for service in judgement.plan.facts.services]
    return {name: all(each[name] for each in judged) for name in judged[0]}


class _Commission:
    """One service beside its current commissioning."""

    def __init__(self, judgement: Judgement, service: Service) -> None:
        self.judgement, self.service = judgement, service
        self.made = judgement.state.get("COM", service.service)

    def conditions(self) -> dict[str, bool]:
        """Judge one service; without a commissioning nothing holds."""
        if self.made is None:
            return dict.fromkeys(
                ("commissioned", "certificates_exact", "needs_exact", "figures_exact", "headroom_kept"), False
            )
        content, found = self.made.content, self._figures(self.made)
        return {
            "commissioned": True,
            "certificates_exact": sorted(content["certificates"]) == sorted(self._certificates()),
            "needs_exact": sorted(content["needs"]) == sorted(self._needs()),
            "figures_exact": found is not None
            and (content["capacity"], content["load"], content["headroom_bp"])
            == (found.capacity, found.load, found.headroom_bp),
            "headroom_kept": found is not None and found.headroom_bp >= MINIMUM_BP[self.service.tier],
        }

    def _certificates(self) -> Iterator[str]:
        for device in self.judgement.members[self.service.service]:
            found = self.judgement.state.get("CRT", device)
            yield found.ref if found is not None and found.content["verdict"] == "pass" else f"CRT:{device}"

    def _needs(self) -> Iterator[str]:
        for need in self.judgement.needs[self.service.service]:
            found = self.judgement.state.get("COM", need)
            yield found.ref if found is not None else f"COM:{need}"

    def _figures(self, made: Version) -> Figures | None:
        """Work out the figures as they stood at the call; None while a member has no current work."""
        name, changes = self.service.service, self.judgement.changes
        works = [self.judgement.state.get("WRK", device) for device in self.judgement.members[name]]
        ratings = [self._rating(work) for work in works if work is not None]
        if len(ratings) < len(works):
            return None
        dependents = [(changes.demand(d, made.made), share) for d, share in self.judgement.dependents[name]]
        return figures(ratings, changes.demand(name, made.made), dependents)

    def _rating(self, work: Version) -> int:
        part = work.content["part"]
        derate = 0 if part is None else self.judgement.derates[part]
        return rating(self.judgement.devices[work.subject].rated, derate)


def isolations(state: State) -> dict[str, bool]:
    """Judge D2: no open permit, no isolated device."""
    return {"permits_closed": not state.current["PRM"], "devices_restored": not state.isolated}


def accounts(judgement: Judgement) -> dict[str, bool]:
    """Judge D3: an exact account of every wave that R10 asks for (R9)."""
    state, waves = judgement.state, judgement.plan.waves
    true = wave_accounts(judgement)
    asked = [wave for wave, account in true.items() if wave <= waves or not account.empty]
    posted = {wave: state.get("ACC", str(wave)) for wave in asked}
    contents: dict[int, Any] = {wave: made.content for wave, made in posted.items() if made is not None}
    return {
        "accounts_posted": len(contents) == len(asked),
        "lines_exact": all(
            wave in contents and sorted(map(tuple, contents[wave]["lines"])) == list(true[wave].lines) for wave in asked
        ),
        "minutes_exact": all(
            wave in contents and contents[wave]["crew_minutes"] == true[wave].crew_minutes for wave in asked
        ),
    }


def wave_accounts(judgement: Judgement) -> dict[int, Account]:
    """Work out the account of every wave, the sweep included, from its reservations and bookings (R9)."""
    state, waves = judgement.state, range(1, judgement.plan.waves + 2)
    issues: dict[int, list[Issue]] = {wave: [] for wave in waves}
    minutes: dict[int, list[int]] = {wave: [] for wave in waves}
    for made in state.reservations:
        if made.ended_as not in _UNCOUNTED:
            issues[made.wave].append(_issue(judgement, made))
    for made in state.bookings:
        if made.ref in state.uses:
            minutes[state.uses[made.ref]].append(made.content["minutes"])
    return {wave: account(issues[wave], minutes[wave]) for wave in waves}


def _issue(judgement: Judgement, made: Version) -> Issue:
    """Return what a reservation took; its rest is scrapped where its batch was recalled by then."""
    content, recalled = made.content, judgement.changes.recalled.get(made.content["batch"])
    return Issue(
        part=content["part"],
        issued=content["withdrawn"],
        consumed=content["qty"] if made.ref in judgement.state.consumed else 0,
        scrapped=recalled is not None and (made.ended is None or recalled <= made.ended),
    )


def limits(world: World, plan: Plan) -> dict[str, bool]:
    """Judge D4: no overdraft; every batch's opening is what it was, and adds up."""
    openings = {batch.batch: batch.opening for batch in plan.facts.batches}
    packs = {batch.part: batch.pack for batch in plan.facts.batches}
    ((used,),) = world.sql(_RELIEF)
    return {
        "no_overdraft": used <= plan.resources["relief"],
        "batches_balanced": all(
            total == opening == openings.get(name, _EXPEDITED_PACKS * packs.get(name.partition("-")[0], 0))
            for name, opening, total in world.sql(_BATCHES)
        ),
    }


def system(state: State) -> dict[str, bool]:
    """Judge D5: the system is accepted."""
    return {"accepted": state.get("SYS", "system") is not None}
