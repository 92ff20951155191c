"""What the scripted model insists on in the requests it gets."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Rules:
    """What requests must keep to; a request that does not is answered with a 400 that names the breach.

    Attributes:
        strict: whether everything must be repeated word for word, no request may be out of place, and nothing may be
            streamed; off for real clients, which wrap results, put prompts of their own around the task, and ask side
            questions.
        context: tokens that a request and the reply it asks for may have; 0 is no limit.
        summary: the prompt that asks for a summary; '' when none is ever asked for.
        cleared: what stands in place of old results; '' when results may not be cleared.
        slid: what the first message says when old turns are dropped without a summary; '' when they may not be.
        keep: how many whole turns before a summary must stay; None does not say.
        key: the API key to be borne; '' is any.
        models: the models there are.
        refused: a keyword of JSON Schema that this provider takes in no tool; '' is none.
    """

    strict: bool = True
    context: int = 0
    summary: str = ""
    cleared: str = ""
    slid: str = ""
    keep: int | None = None
    key: str = ""
    models: tuple[str, ...] = ("scripted",)
    refused: str = ""

    @classmethod
    def of_loop(cls, *, context: int = 0, keep: int | None = None) -> Rules:
        """Return the rules for this distribution's own loop, whatever its context policy."""
        from skillhorizon_agents import prompts  # noqa: PLC0415  # real clients need none of them

        return cls(
            context=context,
            keep=keep,
            summary=prompts.text("summary"),
            cleared=prompts.text("cleared"),
            slid=prompts.text("slid"),
        )

    @classmethod
    def of_clients(cls) -> Rules:
        """Return the rules for real clients."""
        return cls(strict=False)

    def named(self, *models: str) -> Rules:
        """Return the rules of a provider with other models."""
        return attrs.evolve(self, models=models)
