"""What tools show of artifacts, what an equal submission answers, and how large answers are at 1M tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from financeops_desk import Desk
from financeops_runs import Run, begun

from skillhorizon import Rng, loads
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.session import Memory, Nowhere, Session
from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.environment import environment
from skillhorizon_financeops.scale import SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.model.journal import Record

LIMIT = 5_000
"""Characters that no observation and no arguments exceed."""
SUBMISSIONS = {
    "NRM": "submit_normalization",
    "MAT": "submit_match",
    "AGG": "submit_aggregate",
    "VW": "record_view",
    "CLS": "close_stage",
    "RVW": "review_stage",
    "PUB": "publish_stage",
    "REL": "publish_release",
}


def driven(run: Run) -> tuple[Session, list[Record]]:
    memory = Memory()
    session = run.session(memory)
    drive(environment.steps(SessionClient(session), run.plan.brief, lambda _: 0))
    return session, memory.records


@pytest.fixture(scope="module")
def session() -> Session:
    return driven(begun(FinanceConfig("receivables-reconciliation", "discounts", 4, 4), 1))[0]


def turned(value: Any) -> Any:
    """A value with every list of rows, nested ones too, in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        rows = all(isinstance(each, list) for each in value)
        return [turned(each) for each in reversed(value)] if rows else [turned(each) for each in value]
    return value


@pytest.mark.parametrize("kind", SUBMISSIONS)
def test_an_equal_submission_returns_the_version_and_changes_nothing(kind: str) -> None:
    desk = Desk()
    desk.release()
    before = desk.world.digest()
    for made in desk.world.ledger.live(kind):
        again = desk.call(SUBMISSIONS[kind], **turned(made.args))
        assert again["artifact"] == made.ref
        assert (again["clock"], again["tickets_left"]) == (desk.world.clock, 4)
    assert desk.world.digest() == before


def test_equal_evidence_is_compared_without_regard_to_order() -> None:
    desk = Desk()
    desk.stage(1)
    desk.world.sql("UPDATE allowance SET spent = granted WHERE name = 'tickets'")
    desk.call("request_relief", kind="revision")
    evidence: list[list[Any]] = [["AGG:S01-01@1", [["E02", 2], ["E01", 1]]], ["NRM:S01-01@1", []]]
    desk.call("discharge_obligation", obligation_id="attest:revision.1", evidence=evidence)
    before = desk.world.digest()
    other = [["NRM:S01-01@1", []], ["AGG:S01-01@1", [["E01", 1], ["E02", 2]]]]
    desk.call("discharge_obligation", obligation_id="attest:revision.1", evidence=other)
    assert desk.world.digest() == before


def read(session: Session, tool: str, **arguments: Any) -> Any:
    seen = session.call(tool, arguments)
    assert seen.outcome == "accepted", seen.text
    return seen.data


CITED = {
    "NRM:S02-01": [],
    "MAT:S02-02": ["NRM:S02-02"],
    "AGG:S02-01": ["NRM:S02-01"],
    "AGG:S02-02": ["MAT:S02-02"],
    "RVW:2": ["CLS:2"],
    "PUB:2": ["CLS:2", "RVW:2"],
    "CLS:2": ["AGG:S02-01", "AGG:S02-02", "AGG:S02-03", "AGG:S02-04", "CLS:1"],
    "REL:release": ["PUB:1", "PUB:2", "PUB:3", "PUB:4"],
}


@pytest.mark.parametrize("artifact", CITED)
def test_an_artifact_shows_the_versions_it_stands_on_and_never_keys(session: Session, artifact: str) -> None:
    shown = read(session, "get_artifact", artifact=artifact)
    assert [ref.partition("@")[0] for ref in shown["cites"]] == CITED[artifact]
    assert shown["validity"] == "valid"
    assert shown.keys() == {"artifact", "made", "validity", "content", "cites"}


def test_a_view_shows_its_aggregate_as_provenance(session: Session) -> None:
    view = session.world.ledger.live("VW")[0]
    assert read(session, "get_artifact", artifact=view.id)["cites"] == [view.content["aggregate"]]


def test_no_tool_shows_keys_tokens_or_citations(session: Session) -> None:
    content = read(session, "get_artifact", artifact="NRM:S02-01")["content"]
    assert content.keys() == {"contract_id", "identity_source_id", "identity_map_id", "conflict_policy", "records"}
    (digest,) = {c.token for a in session.world.ledger.live("NRM") for c in session.world.ledger.cites(a)} & {
        token for ref, token in session.world.ledger.watched("rows:S02-01") if ref == "rows:S02-01"
    }
    for tool, arguments in widest(session):
        text = session.call(tool, arguments).text
        assert not [part for part in ("contract:", "alias:", "account:", "rows:", "open:", str(digest)) if part in text]


def test_lists_hide_the_validity_that_is_the_agents_to_work_out(session: Session) -> None:
    for kind in SUBMISSIONS:
        shown = read(session, "list_artifacts", kind=kind)
        validities = {row[2] for row in shown["rows"]}
        assert validities == ({None} if kind in ("NRM", "MAT", "AGG") else {"valid"})
        assert bool(read(session, "list_artifacts", kind=kind, validity="valid")["rows"]) == (validities == {"valid"})


MISSING: list[tuple[str, dict[str, Any], str, str]] = [
    ("get_artifact", {"artifact": "NRM:S99-01"}, "UNKNOWN_ID", "NRM:S99-01"),
    ("get_artifact", {"artifact": "NRM:S02-01@9"}, "UNKNOWN_ID", "NRM:S02-01@9"),
    ("get_artifact", {"artifact": "rows:S02-01"}, "UNKNOWN_ID", "rows:S02-01"),
    ("get_notice", {"notice_id": "N-77"}, "UNKNOWN_ID", "N-77"),
    ("get_rules", {"topic": "weather"}, "UNKNOWN_TOPIC", "weather"),
    ("list_staff", {"cursor": "soon"}, "BAD_CURSOR", "soon"),
    ("read_skill", {"skill": "guess"}, "UNKNOWN_SKILL", "guess"),
    ("run_skill_script", {"skill": "close-stage", "script": "x.py", "input": {}}, "UNKNOWN_SCRIPT", "x.py"),
    ("run_skill_script", {"skill": "close-stage", "script": "roll.py", "input": {}}, "SCRIPT_FAILED", "roll.py"),
]


@pytest.mark.parametrize(("tool", "arguments", "code", "culprit"), MISSING)
def test_shared_tools_name_the_object_at_fault(
    session: Session, tool: str, arguments: dict[str, Any], code: str, culprit: str
) -> None:
    seen = session.call(tool, arguments)
    assert seen.outcome == "rejected"
    assert seen.data["error"] == {**seen.data["error"], "code": code, "details": {"object": culprit}}


def widest(session: Session) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every query at its widest."""
    last = session.plan.graph.by_id["release"].unit
    for tool in session.tools.values():
        if tool.kind == "query" and not tool.required:
            yield tool.name, {}
    yield from (("list_artifacts", {"kind": kind}) for kind in SUBMISSIONS)
    yield from (("get_artifact", {"artifact": f"{kind}:{last}"}) for kind in ("CLS", "RVW", "PUB"))
    yield "get_artifact", {"artifact": "REL:release"}
    for source in session.plan.facts.sources:  # type: ignore[attr-defined]  # this environment's plan
        yield "get_source", {"source_id": source.source_id}
        yield "get_artifact", {"artifact": f"NRM:{source.source_id}"}
        if source.kind == "remittance":
            yield "list_open_items", {"lockbox": source.lockbox, "stage": last}
            yield "get_artifact", {"artifact": f"MAT:{source.source_id}"}


@pytest.mark.slow
@pytest.mark.parametrize(("family", "variant"), [(f, v) for f, variants in FAMILIES.items() for v in variants])
def test_at_1m_no_observation_and_no_arguments_exceed_5_kb(family: str, variant: str) -> None:
    config = SCALE.config("1m", family, variant, SCALE.bounds("1m", family, variant)[1], {})
    plan = environment.compose(config, Rng("sizes", 1))
    session, records = driven(Run.on(environment, plan))
    assert max(len(record.observation) for record in records) < LIMIT
    assert max(len(record.arguments_text) for record in records) < LIMIT
    aside = session.fork(Nowhere())
    for tool, arguments in widest(session):
        assert len(aside.call(tool, arguments).text) < LIMIT, (tool, arguments)
    assert loads(records[-1].observation)["artifact"].startswith("REL:release@")
