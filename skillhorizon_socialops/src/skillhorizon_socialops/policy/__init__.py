"""The reference policy: briefs worked from content to deployment, wave by wave, through the public tools alone."""

from skillhorizon_socialops.policy.agenda import steps

__all__ = ["steps"]
