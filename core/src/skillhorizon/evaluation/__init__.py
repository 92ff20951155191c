"""Evaluation: agents over suites, budgets, terminal kinds, resume, metrics."""
