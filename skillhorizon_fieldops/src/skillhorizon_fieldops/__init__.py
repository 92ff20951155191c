"""FieldOps: field devices are restored or modernised wave by wave, and their services handed back."""
