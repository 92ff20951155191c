"""FinanceOps: feeds become entity balances, stage by stage, and are published."""
