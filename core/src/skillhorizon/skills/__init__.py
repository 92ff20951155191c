"""Agent Skills packages: loading them, finding their faults, running their scripts."""
