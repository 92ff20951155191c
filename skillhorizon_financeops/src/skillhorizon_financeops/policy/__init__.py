"""The reference policy: a release closed step by step, through the public tools alone."""

from skillhorizon_financeops.policy.agenda import steps

__all__ = ["steps"]
