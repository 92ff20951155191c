"""Errors that people see: one clear paragraph each, and the exit code of the command that met them."""

from __future__ import annotations


class SkillHorizonError(Exception):
    """Something a user can put right; its text names the thing, the rule and the way out.

    `exit_code` is 2 for usage (an unknown name, option or configuration value) and 1 for a failed check, a corrupt
    file or a digest that differs.
    """

    exit_code = 1


class UsageError(SkillHorizonError):
    """A name, option or configuration value that is not accepted."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration value outside its rule."""


class UnknownName(UsageError):
    """A name that nothing installed answers to."""


class PluginError(SkillHorizonError):
    """A plugin that cannot be loaded or breaks the contract."""


class CorruptFile(SkillHorizonError):
    """A file that is not what it claims to be."""


class VersionMismatch(SkillHorizonError):
    """A task made by another version of an environment or engine."""


class DigestMismatch(SkillHorizonError):
    """A rebuilt world, plan or journal that differs from the recorded digest."""


class ProofFailed(SkillHorizonError):
    """A task whose reference run does not reach LGC = TS = 1."""


class StorageError(SkillHorizonError):
    """A file or folder that cannot be written or read."""
