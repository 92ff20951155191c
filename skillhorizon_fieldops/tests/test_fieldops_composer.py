"""Composed plans: what the generator promises of devices, services, updates, stores, crews and the graph."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs
import fieldops_oracle as oracle
import pytest

from skillhorizon import Pattern, Rng
from skillhorizon_fieldops.composer import compose
from skillhorizon_fieldops.composer.network import network
from skillhorizon_fieldops.composer.stores import holdings
from skillhorizon_fieldops.config import PROFILES, SCENARIOS, FieldConfig
from skillhorizon_fieldops.instruction import instruction
from skillhorizon_fieldops.plan import ProcedureRevision, ServiceBaseline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon_fieldops.plan import Plan
    from skillhorizon_fieldops.rows import Device

CELLS = [(scenario, profile) for scenario in SCENARIOS for profile in PROFILES]


@pytest.fixture(scope="module", params=CELLS, ids=["-".join(cell) for cell in CELLS])
def config(request: pytest.FixtureRequest) -> FieldConfig:
    return FieldConfig(request.param[0], request.param[1], 80, 16_000)


@pytest.fixture(scope="module")
def plan(config: FieldConfig) -> Plan:
    return compose(config, Rng("composer", 3))


@pytest.fixture(scope="module")
def devices(plan: Plan) -> dict[str, Device]:
    return {device.device: device for device in plan.facts.devices}


def test_the_same_seed_composes_the_same_plan(config: FieldConfig, plan: Plan) -> None:
    assert compose(config, Rng("composer", 3)) == plan


def test_another_seed_composes_another_plan(config: FieldConfig, plan: Plan) -> None:
    assert compose(config, Rng("composer", 4)).facts.readings != plan.facts.readings


def test_rows_stand_in_the_order_of_their_keys(plan: Plan) -> None:
    for rows in (plan.facts.devices, plan.facts.services, plan.facts.feeds, plan.facts.batches, plan.facts.zones):
        keys = [attrs.astuple(row)[0] for row in rows]
        assert keys == sorted(keys)


# How devices feed each other


def test_closed_feeds_form_a_forest_with_parents_in_earlier_or_the_same_wave(
    plan: Plan, devices: dict[str, Device]
) -> None:
    closed = [feed for feed in plan.facts.feeds if feed.normal == "closed"]
    assert max(Counter(feed.downstream for feed in closed).values()) == 1
    assert all(devices[feed.upstream].wave <= devices[feed.downstream].wave for feed in closed)
    assert {name for name, above in plan.truth.upstream.items() if not above} == devices.keys() - {
        feed.downstream for feed in closed
    }


def test_classes_follow_from_depth(plan: Plan, devices: dict[str, Device]) -> None:
    for name, above in plan.truth.upstream.items():
        assert devices[name].device_class == ("head", "mid", "edge")[min(len(above), 2)]


def test_trees_of_a_radial_network_have_24_to_40_devices_and_at_most_three_branches() -> None:
    for count in range(90, 120):
        grown = network(Rng("radial", count), "radial", count)
        starts = [index for index, parent in enumerate(grown.parents) if parent < 0] + [count]
        assert all(24 <= after - start <= 40 for start, after in pairwise(starts[:-1]))
        assert max(Counter(parent for parent in grown.parents if parent >= 0).values()) <= 3
        assert len(grown.ties) == sum((after - start) // 6 for start, after in pairwise(starts))


def test_a_ring_has_two_arms_tied_where_they_meet() -> None:
    grown = network(Rng("ring"), "ring", 23)
    assert grown.parents[:10] == (-1, -1, 0, 1, 2, 3, 4, 5, 6, 7)
    assert grown.ties == ((8, 9), (18, 19), (21, 22))


def test_access_devices_of_a_layered_network_have_standby_from_the_next_aggregator() -> None:
    grown = network(Rng("layers"), "layered", 13)
    assert grown.parents == (-1, 0, 0, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3)
    assert grown.ties[:3] == ((2, 4), (3, 5), (1, 6))


# Waves, zones, windows


def test_zones_hold_devices_of_one_wave(plan: Plan, config: FieldConfig, devices: dict[str, Device]) -> None:
    waves = {zone.zone: zone.wave for zone in plan.facts.zones}
    assert all(device.wave == waves[device.zone] for device in devices.values())
    sizes = Counter(device.zone for device in devices.values())
    assert sizes.keys() == waves.keys()
    assert max(sizes.values()) == 1 if config.restoration else max(sizes.values()) <= 7
    assert min(Counter(waves.values()).values()) >= 2


def test_waves_are_of_even_size(config: FieldConfig, devices: dict[str, Device]) -> None:
    sizes = Counter(device.wave for device in devices.values())
    assert sorted(sizes) == list(range(1, config.waves + 1))
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_each_zone_has_one_block_of_its_wave_and_both_of_the_sweep(plan: Plan, config: FieldConfig) -> None:
    waves = {zone.zone: zone.wave for zone in plan.facts.zones}
    held = Counter((window.zone, window.wave) for window in plan.facts.windows)
    assert held == {(zone, wave): n for zone, own in waves.items() for wave, n in ((own, 1), (config.sweep, 2))}


def test_travel_is_short_within_a_region_only(plan: Plan) -> None:
    assert len(plan.facts.travel) == 16
    for row in plan.facts.travel:
        assert row.minutes == 5 if row.origin == row.destination else 10 <= row.minutes <= 30


# Faults, pairs, arresters, infants


def test_six_tenths_of_the_devices_have_a_superseded_edition_that_says_otherwise(plan: Plan) -> None:
    data = oracle.tables(plan)
    misled = [any(told != d["fault"] for told in oracle.superseded(data, d)) for d in data["devices"]]
    assert 0.5 <= sum(misled) / len(misled) <= 0.75


def test_a_plain_mean_misleads_in_restoration_only(plan: Plan, config: FieldConfig) -> None:
    data = oracle.tables(plan)
    wrong = sum(oracle.fault(data, device, "mean") != device["fault"] for device in data["devices"])
    assert wrong >= len(data["devices"]) // 12 if config.restoration else wrong == 0


def test_readings_are_six_a_metric_in_restoration_and_one_in_modernisation(plan: Plan, config: FieldConfig) -> None:
    assert {len(reading.samples) for reading in plan.facts.readings} == {6 if config.restoration else 1}
    assert min(sample for reading in plan.facts.readings for sample in reading.samples) > 0
    assert len(plan.facts.readings) == 4 * config.devices
    assert len(plan.facts.history) == 3 * config.devices


def test_pairs_share_model_and_fault_and_stand_in_different_zones(
    plan: Plan, config: FieldConfig, devices: dict[str, Device]
) -> None:
    paired = [device for device in devices.values() if device.pair]
    assert len(paired) == config.devices * 15 // 100 // 2 * 2
    for one in paired:
        assert one.pair is not None
        other = devices[one.pair]
        assert (other.pair, other.model, other.fault) == (one.device, one.model, one.fault)
        assert other.zone != one.zone


def test_each_wave_has_a_few_unpaired_arrester_users(plan: Plan, config: FieldConfig) -> None:
    families = {(card.model, card.fault): card.family for card in plan.facts.cards}
    users = [device for device in plan.facts.devices if families[device.model, device.fault] == "arrester"]
    assert not any(user.pair for user in users)
    counts = Counter(user.wave for user in users)
    assert sorted(counts) == list(range(1, config.waves + 1))
    assert set(counts.values()) <= {3, 4, 5}


def test_small_waves_have_one_or_two_arrester_users() -> None:
    for seed in range(20):
        plan = compose(FieldConfig("restoration", "radial", 6, 10_500), Rng("users", seed))
        families = {(card.model, card.fault): card.family for card in plan.facts.cards}
        users = [d.wave for d in plan.facts.devices if families[d.model, d.fault] == "arrester"]
        assert set(users) == {1, 2, 3}
        assert set(Counter(users).values()) <= {1, 2}


def test_one_device_in_twenty_five_is_an_infant(plan: Plan, config: FieldConfig) -> None:
    infants = {device.device for device in plan.facts.devices if device.infant}
    assert infants == plan.truth.infants
    assert len(infants) == -(-config.devices // 25)


# The makers' side


def test_each_model_has_a_card_for_every_family_and_one_without_parts(plan: Plan, config: FieldConfig) -> None:
    for model in ("M1", "M2", "M3", "M4", "M5", "M6"):
        cards = [card for card in plan.facts.cards if card.model == model]
        assert {card.family for card in cards} == {"optic", "power", "control", "arrester", None}
        for card in cards:
            assert card.qty == {None: 0, "arrester": 2}.get(card.family, card.qty)
            low, high = (20, 70) if config.restoration else (10, 22)
            assert low <= card.base_min <= high
            assert 0 <= card.qty <= 4


def test_each_model_has_two_or_three_editions_of_five_rules_of_which_the_last_always_holds(plan: Plan) -> None:
    editions = Counter(manual.model for manual in plan.facts.manuals)
    assert set(editions.values()) <= {2, 3}
    for manual in plan.facts.manuals:
        rules = [rule for rule in plan.facts.rules if rule.edition == manual.edition]
        assert [rule.rank for rule in rules] == [1, 2, 3, 4, 5]
        assert len({rule.fault for rule in rules}) == 5
        assert (rules[-1].op, rules[-1].threshold) == (">", 0)


def test_every_revision_has_one_regular_part_and_one_alternate(plan: Plan) -> None:
    for family in ("optic", "power", "control"):
        for device_class in ("head", "mid", "edge"):
            own = [f for f in plan.facts.fits if (f.family, f.device_class) == (family, device_class)]
            for rev in range(1, 10):
                assert sorted(f.derate_bp for f in own if f.rev_lo <= rev <= f.rev_hi) == [0, 1_200]


# Services


def test_services_are_carried_by_their_home_devices_and_often_a_parent(plan: Plan, config: FieldConfig) -> None:
    members = Counter(member.service for member in plan.facts.members)
    assert len(members) == config.services
    homes = {member.device for member in plan.facts.members}
    assert homes == {device.device for device in plan.facts.devices}
    extra = sum(members.values()) - config.devices
    assert 0.2 <= extra / config.services <= 0.5


def test_a_services_wave_is_the_last_of_its_members(plan: Plan, devices: dict[str, Device]) -> None:
    for service in plan.facts.services:
        own = [devices[m.device].wave for m in plan.facts.members if m.service == service.service]
        assert service.wave == max(own)


def test_needs_lead_to_earlier_or_the_same_wave_and_nobody_has_more_than_three_dependents(plan: Plan) -> None:
    waves = {service.service: service.wave for service in plan.facts.services}
    assert all(waves[need.need] <= waves[need.service] for need in plan.facts.needs)
    assert max(Counter(need.need for need in plan.facts.needs).values()) <= 3
    assert all(125 <= need.share_bp <= 3_000 for need in plan.facts.needs)


def test_services_need_about_nine_tenths_of_a_service_each_once_there_are_many_waves() -> None:
    plans = [compose(FieldConfig(*cell, 300, 16_000), Rng("needs", 1)) for cell in CELLS]
    assert 0.8 <= sum(len(plan.facts.needs) for plan in plans) / (300 * len(plans)) <= 0.95


def test_references_lead_to_services_of_earlier_waves(plan: Plan) -> None:
    waves = {service.service: service.wave for service in plan.facts.services}
    referring = [device for device in plan.facts.devices if device.ref_service]
    assert all(waves[str(device.ref_service)] < device.wave for device in referring)
    assert max(Counter(device.ref_service for device in referring).values()) <= 3
    later = sum(device.wave > 1 for device in plan.facts.devices)
    assert 0.28 <= len(referring) / later <= 0.52


def test_sections_have_twelve_services(plan: Plan, config: FieldConfig) -> None:
    sizes = Counter(service.section for service in plan.facts.services)
    assert sorted(sizes) == [f"A{n:02}" for n in range(1, config.sections + 1)]
    assert [sizes[name] for name in sorted(sizes)][:-1] == [12] * (config.sections - 1)


def raised(rows: list[oracle.Row], percent: int) -> list[oracle.Row]:
    return [{**row, "demand": row["demand"] * (100 + percent) // 100} for row in rows]


@pytest.mark.parametrize("percent", [0, 10])
def test_headroom_holds_with_regular_parts_whatever_demands_become(plan: Plan, percent: int) -> None:
    data = oracle.tables(plan)
    data["services"] = raised(data["services"], percent)
    least = {"gold": 1_500, "silver": 800, "bronze": 0}
    for service in data["services"]:
        assert oracle.figures(data, service, {})[2] >= least[service["tier"]]


def test_an_alternate_part_breaks_headroom_of_many_devices() -> None:
    broken = [share_broken(compose(FieldConfig(*cell, 40, 16_000), Rng("alternates", 1))) for cell in CELLS]
    assert 0.35 <= sum(broken) / len(broken) <= 0.6


def share_broken(plan: Plan) -> float:
    data, least = oracle.tables(plan), {"gold": 1_500, "silver": 800, "bronze": 0}
    services: dict[str, list[oracle.Row]] = {}
    for member in plan.facts.members:
        services.setdefault(member.device, []).append(oracle.row(data["services"], service=member.service))
    found = [
        any(oracle.figures(data, service, {name: 1_200})[2] < least[service["tier"]] for service in own)
        for name, own in services.items()
    ]
    return sum(found) / len(found)


# Updates


KINDS = {
    "restoration": ["batch_recall", "service_baseline", "window_change", "procedure_revision", "crew_change"],
    "modernisation": ["window_change", "batch_recall", "service_baseline", "crew_change", "procedure_revision"],
}


@pytest.mark.parametrize(("updates", "per_wave"), [("none", 0), ("default", 1), ("more", 2)])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_kinds_take_turns_wave_by_wave(scenario: str, updates: str, per_wave: int) -> None:
    plan = compose(FieldConfig(scenario, "ring", 40, 16_000, updates=updates), Rng("kinds", 1))
    expected = [(KINDS[scenario][n % 5], 1 + n // per_wave) for n in range(per_wave * plan.waves)]
    assert [(update.kind, update.wave) for update in plan.updates] == expected


def subjects(plan: Plan, event: str) -> Iterable[str]:
    """Who may make an event happen, counted from the facts."""
    name, _, what = event.partition(":")
    families = {(card.model, card.fault): card.family for card in plan.facts.cards}
    if name == "isolated":
        return (zone.zone for zone in plan.facts.zones if str(zone.wave) == what)
    if name == "commissioned":
        return (service.service for service in plan.facts.services if str(service.wave) == what)
    if name == "passed":
        return (device.device for device in plan.facts.devices if device.device_class == what)
    arresters = (d for d in plan.facts.devices if families[d.model, d.fault] == "arrester" and str(d.wave) == what)
    return (device.device for device in arresters)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("services", [6, 9, 40])
def test_every_finishing_order_completes_every_trigger(cell: tuple[str, str], services: int) -> None:
    for seed in range(6):
        plan = compose(FieldConfig(*cell, services, 13_000, updates="more"), Rng("triggers", seed))
        for update in plan.updates:
            available = len(set(subjects(plan, update.trigger.event)))
            left = 1 if update.trigger.event.startswith("isolated") else 0
            assert 1 <= update.trigger.count <= available - left


def test_revisions_differ_from_the_last_pair_and_stay_near_the_first(plan: Plan) -> None:
    first = {row.device_class: row for row in plan.facts.procedures}
    last = dict(first)
    for update in plan.updates:
        if isinstance(update, ProcedureRevision):
            row = update.procedure
            before = last[row.device_class]
            assert row.edition == before.edition + 1
            assert (row.coef_bp, row.bound) != (before.coef_bp, before.bound)
            assert abs(row.coef_bp - first[row.device_class].coef_bp) <= 4
            assert abs(row.bound - first[row.device_class].bound) <= 4
            last[row.device_class] = row


def test_baselines_change_a_demand_by_three_to_ten_percent(plan: Plan) -> None:
    changes = [abs(update.change_bp) for update in plan.updates if isinstance(update, ServiceBaseline)]
    assert changes
    assert all(300 <= change <= 1_000 for change in changes)


# Stores and crews


def test_batches_are_whole_packs_and_all_free(plan: Plan) -> None:
    for batch in plan.facts.batches:
        assert batch.opening == batch.free
        assert batch.opening % batch.pack == 0
        assert (batch.held, batch.consumed, batch.scrapped) == (0, 0, 0)


def test_most_parts_have_a_batch_that_must_not_be_taken_blindly(plan: Plan, config: FieldConfig) -> None:
    trapped = {b.part for b in plan.facts.batches if b.status == "quarantined" or b.expiry_wave <= config.waves}
    assert len(trapped) > len({batch.part for batch in plan.facts.batches}) // 2


def test_lasting_batches_cover_the_need_of_every_part_beyond_slack(plan: Plan, config: FieldConfig) -> None:
    data = oracle.tables(plan)
    need: Counter[str] = Counter()
    for device in data["devices"]:
        card = oracle.card(data, device)
        for fit in data["fits"]:
            mine = (fit["family"], fit["device_class"]) == (card["family"], device["device_class"])
            if mine and not fit["derate_bp"] and fit["rev_lo"] <= device["hw_rev"] <= fit["rev_hi"]:
                pack = next(b.pack for b in plan.facts.batches if b.part == fit["part"])
                need[fit["part"]] += -(-card["qty"] // pack) * pack
    for part, units in need.items():
        lasting = [b for b in plan.facts.batches if b.part == part and b.expiry_wave > config.sweep]
        assert sum(b.opening for b in lasting if b.status == "released") * 10_000 >= units * 13_000


def test_the_last_batch_is_kept_for_second_members() -> None:
    lines = [(3, False)] * 8 + [(4, True)] * 2
    assert holdings(lines, 2, (4, 0)) == (40 + 3 * 3, 8 + 4)
    assert holdings([], 5, (3, 0)) == (10 + 2 * 4, 5)


def test_crews_have_their_primary_and_one_other_class(plan: Plan, config: FieldConfig) -> None:
    assert {crew.primary_class for crew in plan.facts.crews} == {"head", "mid", "edge"}
    assert all(crew.primary_class != crew.other_class for crew in plan.facts.crews)
    assert len(plan.facts.crew_blocks) == len(plan.facts.crews) * config.sweep * 2
    assert {(block.free, block.status) for block in plan.facts.crew_blocks} == {(480, "open")}


def test_more_slack_means_more_crews_and_more_parts(config: FieldConfig, plan: Plan) -> None:
    rich = compose(FieldConfig(config.scenario, config.profile, 80, 16_000, slack=20_000), Rng("composer", 3))
    assert len(rich.facts.crews) > len(plan.facts.crews)
    assert sum(b.opening for b in rich.facts.batches) > sum(b.opening for b in plan.facts.batches)
    assert rich.facts.readings == plan.facts.readings


# The graph and what is declared


def test_the_graph_is_acyclic_and_has_joins_and_reuse(plan: Plan, config: FieldConfig) -> None:
    shape = plan.graph.shape()
    kinds = shape.kinds
    assert kinds["case"] == config.devices
    assert kinds["service"] == config.services
    assert kinds["plan"] == kinds["close"] == config.waves
    assert shape.joins > config.services // 2
    assert shape.reuse_span_units >= 2


def test_smoke_tasks_have_an_update_a_join_and_a_reuse_edge() -> None:
    for cell in CELLS:
        plan = compose(FieldConfig(*cell, 6, 10_500), Rng("smoke", 1))
        shape = plan.graph.shape()
        assert len(plan.updates) == 3
        assert shape.joins
        assert shape.reuse_edges


def test_only_the_edges_into_closings_are_not_necessary(plan: Plan) -> None:
    for edge in plan.graph.edges:
        into_closing = edge.upstream.startswith("access:") and edge.downstream.startswith("close:")
        assert edge.necessary != into_closing


def test_far_needs_references_and_closings_are_reuse(plan: Plan) -> None:
    waves = {f"service:{service.service}": service.wave for service in plan.facts.services}
    for edge in plan.graph.edges:
        reuse = Pattern.REUSE in edge.patterns
        kinds = edge.upstream.partition(":")[0], edge.downstream.partition(":")[0]
        if kinds == ("service", "service"):
            assert reuse == (waves[edge.upstream] <= waves[edge.downstream] - 2)
        else:
            assert reuse == (kinds in {("service", "case"), ("close", "accept")})


def test_every_device_has_a_goal_of_its_plan_access_and_case(plan: Plan) -> None:
    assert [goal.unit for goal in plan.goals] == [device.device for device in plan.facts.devices]
    for goal, device in zip(plan.goals, plan.facts.devices, strict=True):
        assert goal.modules == (f"plan:{device.wave}", f"access:{device.zone}", f"case:{device.device}")


def test_the_instruction_tells_the_counts_and_neither_skills_nor_faults(plan: Plan, config: FieldConfig) -> None:
    text = instruction(config, plan)
    for number in (config.devices, config.services, config.waves, config.relief, len(plan.facts.zones)):
        assert f" {number} " in text.replace("\n", " ")
    for skill in ("diagnose-case", "select-parts", "schedule-crew", "absorb-change"):
        assert skill not in text


def test_public_facts_hold_no_truth(plan: Plan) -> None:
    assert plan.brief.keys() == {
        *("scenario", "profile", "waves", "devices", "services", "zones", "sections", "relief", "permits"),
    }
