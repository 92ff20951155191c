"""The public tools of the business: ten queries and twelve operations."""

from skillhorizon import Tool
from skillhorizon_socialops.gateway.acknowledging import acknowledge_update
from skillhorizon_socialops.gateway.building import build_package
from skillhorizon_socialops.gateway.calendar import get_post, list_calendar
from skillhorizon_socialops.gateway.conversions import list_conversions
from skillhorizon_socialops.gateway.crediting import record_credit
from skillhorizon_socialops.gateway.deploying import deploy_campaign, release_post
from skillhorizon_socialops.gateway.history import list_publications
from skillhorizon_socialops.gateway.moving import reschedule_post
from skillhorizon_socialops.gateway.passing import advance_clock, close_wave
from skillhorizon_socialops.gateway.planning import plan_audience
from skillhorizon_socialops.gateway.publishing import publish_post
from skillhorizon_socialops.gateway.reading import get_brief, get_clock, list_briefs, list_waves
from skillhorizon_socialops.gateway.registering import register_experiment
from skillhorizon_socialops.gateway.reporting import submit_report
from skillhorizon_socialops.gateway.stock import get_audiences, list_assets

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (
    get_clock,
    list_waves,
    list_briefs,
    get_brief,
    list_assets,
    get_audiences,
    list_publications,
    list_calendar,
    get_post,
    list_conversions,
    build_package,
    plan_audience,
    register_experiment,
    publish_post,
    record_credit,
    submit_report,
    deploy_campaign,
    release_post,
    reschedule_post,
    acknowledge_update,
    close_wave,
    advance_clock,
)
"""In the order in which agents see them."""
