"""Providers, one module per wire format."""
