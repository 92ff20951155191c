"""The policy's desk: the artifacts that are current as far as answers tell, and what was read and begun."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from skillhorizon import Json, Skipped, listed
from skillhorizon_fieldops.policy.memory import (
    Batch,
    Booking,
    Card,
    Device,
    Failure,
    News,
    Parts,
    Permit,
    Service,
    Test,
    Zone,
    named,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from skillhorizon import Client


class Desk:
    """The policy's memory.

    Attributes:
        current: version by kind and subject; failing certificates, used reservations and used rework bookings are not
            among them.
        caused: update by (kind, subject) of what it ended, until it is made again; '' when ordinary work ended it.
        cause: the update of the step that runs.
        uncertified: devices with current work and no current passing certificate.
        idle: services that are not commissioned.
        inbox: notices not yet answered.
        waiting: zones that are planned and were not offered for access.
        begun: devices that were worked at least once.
        reserved, rests: parts of unused reservations, and of work not yet settled, by device.
        installed: batch of the installed part by device.
        failed: devices whose last certificate fails.
        swept: whether the sweep is used.
        crews: rows [crew, region, block, free] of primary crews by (wave, class), until something moves them.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.current: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.caused: dict[tuple[str, str], str] = {}
        self.cause = ""
        self.uncertified: set[str] = set()
        self.idle: set[str] = set()
        self.inbox: list[News] = []
        self.waves, self.open_wave = 0, 0
        self.swept = False
        self.sections: list[str] = []
        self.travel: list[list[Any]] = []
        self.devices: dict[str, Device] = {}
        self.zones: dict[str, Zone] = {}
        self.services: dict[str, Service] = {}
        self.demands: dict[str, int] = {}
        self.editions: dict[str, list[dict[str, Any]]] = {}
        self.cards: dict[tuple[str, str], Card] = {}
        self.fits: dict[str, list[list[Any]]] = {}
        self.procedures: dict[str, list[list[Any]]] = {}
        self.batches: dict[str, Batch] = {}
        self.crews: dict[tuple[int, str], list[list[Any]]] = {}
        self.faults: dict[str, str] = {}
        self.waiting: set[str] = set()
        self.begun: set[str] = set()
        self.reserved: dict[str, Parts] = {}
        self.rests: dict[str, Parts] = {}
        self.installed: dict[str, str] = {}
        self.bookings: dict[str, Booking] = {}
        self.permits: dict[str, Permit] = {}
        self.tests: dict[str, Test] = {}
        self.failed: dict[str, Failure] = {}
        self.offsets: dict[str, int] = {}

    @property
    def sweep(self) -> int:
        """Return the number of the sweep wave; one more is open once it is closed."""
        return self.waves + 1

    def under(self, update: str, run: Callable[[], None]) -> None:
        """Run a step; what it ends is put down to its update."""
        self.cause = update
        run()

    def do(self, tool: str, /, **arguments: Json) -> Any:
        """Call an operation and take in what it made and ended.

        Raises:
            Refused: when the call is not accepted.
        """
        answer = self.client.call(tool, **arguments)
        for ref in answer["made"]:
            kind, subject = named(ref)
            self.current[kind][subject] = ref
            self.follow(kind, subject)
            self.caused.pop((kind, subject), None)
        ended = [(*named(ref), ref) for ref in self.stale(answer)]
        ended = [each for each in ended if self.current[each[0]].get(each[1]) == each[2]]
        for kind, subject, _ in ended:
            self.drop(kind, subject)
            self.caused[kind, subject] = self.cause
        self.inbox += shared_out(answer["notices"], ended)
        return answer

    def drop(self, kind: str, subject: str) -> str:
        """Take a version off what is current and return it."""
        ref = self.current[kind].pop(subject)
        self.follow(kind, subject)
        return ref

    def follow(self, kind: str, subject: str) -> None:
        """Keep the sets of what is still to do in step with what is current."""
        if kind in {"WRK", "CRT"}:
            wanting = subject in self.current["WRK"] and subject not in self.current["CRT"]
            (self.uncertified.add if wanting else self.uncertified.discard)(subject)
        elif kind == "COM":
            (self.idle.discard if subject in self.current["COM"] else self.idle.add)(subject)

    def stale(self, answer: dict[str, Any]) -> list[str]:
        """Return all versions that an answer ended; an answer too long for them has the list of artifacts read."""
        if len(answer["stale"]) == answer["stale_count"]:
            return list(answer["stale"])
        return [row["artifact"] for row in listed(self.client, "list_artifacts", validity="stale")]

    def ref(self, kind: str, subject: str) -> str:
        """Return a current version.

        Raises:
            Skipped: when there is none.
        """
        if subject not in self.current[kind]:
            raise Skipped(f"{kind}:{subject} is not current; the step that makes it was skipped or refused")
        return self.current[kind][subject]

    def card(self, device: str) -> Card:
        """Return the card of a device's diagnosed fault.

        Raises:
            Skipped: when it is not diagnosed.
        """
        if device not in self.faults:
            raise Skipped(f"device '{device}' is not diagnosed")
        return self.cards[self.devices[device].model, self.faults[device]]

    def fed_by(self, certified: Set[str], device: str) -> bool:
        """Whether all devices above one are certified."""
        parent = self.devices[device].parent
        while parent is not None:
            if parent not in certified:
                return False
            parent = self.devices[parent].parent if parent in self.devices else None
        return True

    def unworked(self, zone: str) -> list[str]:
        """Return the devices of a zone that were never worked, by id."""
        return [each for each in self.zones[zone].devices if each not in self.begun]

    def worked(self, device: str) -> bool:
        """Whether a device has current work."""
        return device in self.current["WRK"]

    def status(self, batch: str) -> str:
        """Return a batch's status; one that was never listed passes for released."""
        return self.batches[batch].status if batch in self.batches else "released"

    def taken(self, device: str | None) -> list[str]:
        """Return the batches installed in or reserved for a pair partner (R3)."""
        if device is None:
            return []
        held = {self.reserved[device].batch} if device in self.current["RSV"] else set()
        return sorted(held | ({self.installed[device]} if device in self.installed else set()))


def shared_out(notices: list[dict[str, Any]], ended: list[tuple[str, str, str]]) -> list[News]:
    """Share what one answer ended out among its notices: to the one about that very object, else to another one."""
    news = [News(each, []) for each in notices]
    for each in ended:
        own = [one for one in news if (each[0], one.notice["kind"]) in _OWN]
        about = [one for one in own if each[1].startswith(_object(one.notice))]
        for one in (about or [one for one in news if one not in own] or news)[-1:]:
            one.ended.append(each)
    return news


_OWN = {("BKG", "window_change"), ("COM", "service_baseline")}


def _object(notice: dict[str, Any]) -> str:
    """Return the start of the subjects that a notice is about."""
    return f"{notice['zone']}." if notice["kind"] == "window_change" else str(notice["service"])
