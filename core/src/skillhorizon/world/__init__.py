"""The persistent world of an execution: tables, ledger, clock and digest."""
