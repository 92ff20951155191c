"""`shz describe ENV`: what an environment offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import emit, json_option, lines

if TYPE_CHECKING:
    from skillhorizon.environment import Environment


@click.command("describe")
@click.argument("env")
@json_option
def describe(*, env: str, as_json: bool) -> None:
    """Show an environment's bands, tools, skills, rules and mutations."""
    found = described(env)
    if as_json:
        emit(found)
    else:
        click.echo("\n".join(_told(found)))


def described(name: str) -> dict[str, Any]:
    """Return an environment's description as plain JSON.

    Raises:
        UnknownName, PluginError: when it is not installed or broken.
    """
    from skillhorizon import registry  # noqa: PLC0415  # imports the environment
    from skillhorizon.gateway.core_tools import topics  # noqa: PLC0415
    from skillhorizon.session.session import Toolbox  # noqa: PLC0415
    from skillhorizon.skills.library import load_library  # noqa: PLC0415

    bundle, about = registry.environment(name), registry.point_of(name)
    library = load_library(bundle.skills)
    tools = Toolbox.of(bundle, library).tools.values()
    return {
        "name": name,
        "version": about.version,
        "distribution": about.distribution,
        "title": bundle.title,
        "families": _families(bundle),
        "bands": _bands(bundle),
        "tools": [{"name": t.name, "kind": str(t.kind), "summary": _summary(t.doc)} for t in tools],
        "skills": [{"name": skill.name, "description": skill.description} for skill in library.skills.values()],
        "handbook": list(topics(bundle.handbook)),
        "mutations": [mutation.name for mutation in bundle.mutations],
    }


def _summary(text: str) -> str:
    return text.strip().partition("\n")[0]


def _families(bundle: Environment[Any, Any]) -> list[dict[str, Any]]:
    variants: dict[str, list[str]] = {}
    for family, variant in bundle.scale.cells:
        variants.setdefault(family, []).append(variant)
    return [{"family": family, "variants": found} for family, found in variants.items()]


def _bands(bundle: Environment[Any, Any]) -> list[dict[str, Any]]:
    from skillhorizon.model.workload import BANDS  # noqa: PLC0415

    return [
        {"band": band.name, "tokens_low": band.low, "tokens_high": band.high, "knobs": knobs}
        for band in BANDS
        if (knobs := _knobs(bundle, band.name))
    ]


def _knobs(bundle: Environment[Any, Any], band: str) -> list[dict[str, Any]]:
    """Return the knob's bounds in every cell of a band; none when the environment does not reach it."""
    from skillhorizon.errors import SkillHorizonError  # noqa: PLC0415

    try:
        return [_knob(bundle, band, *cell) for cell in bundle.scale.cells_of(band)]
    except SkillHorizonError:
        return []


def _knob(bundle: Environment[Any, Any], band: str, family: str, variant: str) -> dict[str, Any]:
    low, high = bundle.scale.bounds(band, family, variant)
    return {"family": family, "variant": variant, "low": low, "high": high}


def _told(found: dict[str, Any]) -> list[str]:
    out = [f"{found['name']} {found['version']} ({found['distribution']})", found["title"], "", "Families and variants"]
    out += [f"  {item['family']}: {', '.join(item['variants'])}" for item in found["families"]]
    families = [item["family"] for item in found["families"]]
    out += ["", "Bands: tokens of the reference run, and the scale knob's bounds in each family"]
    out += _indented(["band", "over", "up to", *families], [_band_row(band, families) for band in found["bands"]])
    for heading, key, columns in (
        ("Tools", "tools", ("name", "kind", "summary")),
        ("Skills", "skills", ("name", "description")),
    ):
        out += ["", f"{heading} ({len(found[key])})"]
        out += _indented(columns, [[item[column] for column in columns] for item in found[key]])
    out += ["", f"Handbook topics: {', '.join(found['handbook']) or 'none'}"]
    return [*out, f"Mutations ({len(found['mutations'])}): {', '.join(found['mutations']) or 'none'}"]


def _band_row(band: dict[str, Any], families: list[str]) -> list[Any]:
    """Return a band's line; bounds of a family's variants are joined (`--json` tells them apart)."""
    bounds = []
    for family in families:
        knobs = [knob for knob in band["knobs"] if knob["family"] == family]
        bounds.append(f"{min(knob['low'] for knob in knobs)}-{max(knob['high'] for knob in knobs)}")
    return [band["band"], band["tokens_low"], band["tokens_high"], *bounds]


def _indented(headings: list[str] | tuple[str, ...], rows: list[list[Any]]) -> list[str]:
    return [f"  {line}" for line in lines(headings, rows)]
