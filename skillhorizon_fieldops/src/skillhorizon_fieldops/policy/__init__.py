"""The reference policy: devices restored wave by wave and services handed back, through the public tools alone."""

from skillhorizon_fieldops.policy.agenda import steps

__all__ = ["steps"]
