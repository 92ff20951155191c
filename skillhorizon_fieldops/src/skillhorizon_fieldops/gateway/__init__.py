"""The public tools of the business: eleven queries and fifteen operations."""

from skillhorizon import Tool
from skillhorizon_fieldops.gateway.accepting import accept_section, accept_system
from skillhorizon_fieldops.gateway.booking import assign_crew
from skillhorizon_fieldops.gateway.closing import close_wave
from skillhorizon_fieldops.gateway.commissioning import commission_service
from skillhorizon_fieldops.gateway.devices import get_device, get_zone, list_devices
from skillhorizon_fieldops.gateway.diagnosing import record_diagnosis
from skillhorizon_fieldops.gateway.isolating import close_isolation, issue_isolation
from skillhorizon_fieldops.gateway.ledgers import get_wave_ledger, post_account
from skillhorizon_fieldops.gateway.reference import get_brief, get_manual, get_procedure, list_batches, list_crews
from skillhorizon_fieldops.gateway.relieving import request_relief
from skillhorizon_fieldops.gateway.reserving import reserve_parts
from skillhorizon_fieldops.gateway.services import get_service, list_services
from skillhorizon_fieldops.gateway.settling import settle_parts
from skillhorizon_fieldops.gateway.testing import certify_tests, run_test
from skillhorizon_fieldops.gateway.working import perform_work

__all__ = ["TOOLS"]

TOOLS: tuple[Tool, ...] = (
    get_brief,
    list_devices,
    list_services,
    get_device,
    get_zone,
    get_service,
    list_batches,
    list_crews,
    get_manual,
    get_procedure,
    get_wave_ledger,
    record_diagnosis,
    reserve_parts,
    assign_crew,
    issue_isolation,
    perform_work,
    close_isolation,
    settle_parts,
    run_test,
    certify_tests,
    commission_service,
    close_wave,
    post_account,
    accept_section,
    accept_system,
    request_relief,
)
"""In the order in which agents see them."""
