from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from test_session_calls import open_bakery

from skillhorizon import Noticed, Refused, Sabotage, Skipped, Step
from skillhorizon.errors import ProofFailed
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.mutated import MutatedClient

if TYPE_CHECKING:
    from skillhorizon.session.session import Session


def run(session: Session, client: SessionClient, **options: Any) -> list[str]:
    return drive(session.environment.steps(client, session.plan.brief, lambda module: 0), **options)


def refuse() -> NoReturn:
    raise Refused("rejected", "CODE", "no", {})


def test_a_refused_step_fails_a_proof_by_name() -> None:
    with pytest.raises(ProofFailed, match=r"refused in bake:B01: CODE: no"):
        drive(iter([Step("bake:B01", refuse)]))


def test_a_tolerant_drive_goes_on_and_tells() -> None:
    ran: list[str] = []
    told = drive(iter([Step("a", refuse), Step("b", partial(ran.append, "b"))]), tolerate=True)
    assert (told, ran) == (["a: CODE: no"], ["b"])


def test_a_fourth_step_of_one_module_under_one_update_is_an_endless_agenda() -> None:
    with pytest.raises(ProofFailed, match="a fourth time"):
        drive(Step("a", lambda: None) for _ in range(4))


def test_a_module_may_be_stepped_three_times_under_each_update() -> None:
    ran: list[str] = []
    drive(Step("a", partial(ran.append, update), update=update) for update in ("", "N-1") for _ in range(3))
    assert ran == [""] * 3 + ["N-1"] * 3


def test_skipped_steps_are_not_run() -> None:
    session = open_bakery(updates="none")
    run(session, SessionClient(session), skip=lambda step: step.module == "bake:B02", tolerate=True)
    assert session.score().goals_met == 0


def test_a_notice_may_end_a_step() -> None:
    session = open_bakery()
    client = SessionClient(session)
    client.stop_on_notice = True
    rows = client.call("list_batches")["rows"]
    client.call("bake", order=rows[0][0], loaves=rows[0][1])
    with pytest.raises(Noticed):
        client.call("bake", order=rows[1][0], loaves=rows[1][1])


def test_a_need_is_the_last_version_seen_made_or_a_skip() -> None:
    session = open_bakery()
    client = SessionClient(session)
    run(session, client)
    assert client.need("TRAY:B00") == "TRAY:B00@2"
    with pytest.raises(Skipped, match="never made or kept"):
        client.need("TRAY:B77")
    client.keep("fact", 3)
    assert client.need("fact") == 3


def test_a_mutation_rewrites_arguments_at_every_attempt() -> None:
    session = open_bakery()
    wrong = Sabotage(arguments=lambda tool, a: {**a, "loaves": 99} if tool == "bake" else a, fails=frozenset({"D1"}))
    told = run(session, MutatedClient(session, wrong), tolerate=True)
    assert len(told) == 4
    assert all("WRONG_COUNT" in text or "NOT_BAKED" in text for text in told)


def test_a_mutation_may_make_extra_calls_that_change_nothing() -> None:
    session = open_bakery()
    twice = Sabotage(
        before=lambda client, tool, a: client.call("list_batches"),
        after=lambda client, tool, a: client.call(tool, **a),
    )
    run(session, MutatedClient(session, twice))
    assert session.score().success


def test_a_mutation_may_rewrite_what_the_policy_sees() -> None:
    session = open_bakery()

    def hide(tool: str, arguments: dict[str, Any], data: Any) -> Any:
        return {**data, "rows": data["rows"][:1]} if tool == "list_batches" else data

    run(session, MutatedClient(session, Sabotage(observation=hide)), tolerate=True)
    assert session.score().goals_met == 0
