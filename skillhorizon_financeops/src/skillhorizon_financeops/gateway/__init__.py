"""The public tools of the business: eleven queries and ten operations."""

from skillhorizon import Tool
from skillhorizon_financeops.gateway.aggregates import submit_aggregate
from skillhorizon_financeops.gateway.allowances import request_relief
from skillhorizon_financeops.gateway.closing import close_stage
from skillhorizon_financeops.gateway.matching import submit_match
from skillhorizon_financeops.gateway.obligations import discharge_obligation
from skillhorizon_financeops.gateway.packages import submit_normalization
from skillhorizon_financeops.gateway.publishing import publish_release, publish_stage
from skillhorizon_financeops.gateway.queries import (
    get_identity_map,
    get_source,
    list_accounts,
    list_contracts,
    list_identity_maps,
    list_obligations,
    list_open_items,
    list_packages,
    list_sources,
    list_staff,
)
from skillhorizon_financeops.gateway.reviewing import review_stage
from skillhorizon_financeops.gateway.status import get_release_status
from skillhorizon_financeops.gateway.views import record_view

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (
    get_release_status,
    list_sources,
    get_source,
    list_packages,
    list_contracts,
    list_identity_maps,
    get_identity_map,
    list_accounts,
    list_staff,
    list_open_items,
    list_obligations,
    submit_normalization,
    submit_match,
    submit_aggregate,
    record_view,
    close_stage,
    review_stage,
    publish_stage,
    publish_release,
    discharge_obligation,
    request_relief,
)
"""In the order in which agents see them."""
