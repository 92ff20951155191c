"""Conformance: what must be provable of every environment (architecture, section 8), one module per check."""
