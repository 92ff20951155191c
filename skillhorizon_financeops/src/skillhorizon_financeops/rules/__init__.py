"""The business rules as pure functions: values in, values out (R1 to R8, R10)."""

from skillhorizon_financeops.rules.findings import Package, findings
from skillhorizon_financeops.rules.governing import Citation, Ranged, governing, resolve, usable
from skillhorizon_financeops.rules.matching import Match, OpenItem, Receipt, Terms, match
from skillhorizon_financeops.rules.records import minor, rdiv, records
from skillhorizon_financeops.rules.selection import selected
from skillhorizon_financeops.rules.totals import ENTITIES, match_totals, record_totals, roll

__all__ = [
    "ENTITIES",
    "Citation",
    "Match",
    "OpenItem",
    "Package",
    "Ranged",
    "Receipt",
    "Terms",
    "findings",
    "governing",
    "match",
    "match_totals",
    "minor",
    "rdiv",
    "record_totals",
    "records",
    "resolve",
    "roll",
    "selected",
    "usable",
]
