"""The terms an agent works under: which skills it is offered, whose scripts run and how, what a refusal tells."""

from __future__ import annotations

import attrs

CURATED = "curated"


@attrs.frozen(kw_only=True)
class Terms:
    """Terms of an execution; everything they change is repeated when its journal is replayed.

    Attributes:
        skills: curated, none, placebo, docs, without:NAME, only:NAMES, pack:DIR, or self-generated (once per
            task, or with :trial per trial).
        scripts: how scripts of a pack run: no, confined or unconfined; an environment's own always run in process.
        feedback: full (code, message and details of a refusal) or code.
        pack: where the pack's copy lies, seen from the run's folder; '' when there is none.
    """

    skills: str = CURATED
    scripts: str = "no"
    feedback: str = "full"
    pack: str = ""

    @property
    def kind(self) -> str:
        """The condition without its names or folder.

        >>> Terms(skills="without:match-items").kind
        'without'
        """
        return self.skills.partition(":")[0]

    @property
    def terse(self) -> bool:
        """Whether a refusal tells its code alone."""
        return self.feedback == "code"


DEFAULT = Terms()
"""Curated skills, full feedback."""
