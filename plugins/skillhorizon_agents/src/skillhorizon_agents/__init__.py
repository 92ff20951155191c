"""Agents for SkillHorizon: language models and MCP clients over suites."""
