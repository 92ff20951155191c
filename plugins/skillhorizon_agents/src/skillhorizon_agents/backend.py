"""What a provider of models is to the loop, and how its faults are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from skillhorizon_agents.conversation import Answer, Request


class Backend(Protocol):
    """One model of one provider, asked over its official SDK."""

    @property
    def provider(self) -> str:
        """Whose rate limits hold: requests of one provider wait together."""

    async def ask(self, request: Request) -> Answer:
        """Make one request, once.

        Raises:
            Transient: when the same request may succeed later.
            ContextOverflow: when the conversation is too long.
            Denied: when the provider will not answer it.
        """

    async def preflight(self) -> None:
        """Look whether provider and model can be used, by requests that cost nothing.

        Raises:
            UsageError: when they cannot; one paragraph with the way out.
        """

    async def close(self) -> None:
        """Free the connections."""


class Fault(Exception):
    """Why a request was not answered."""


class Transient(Fault):
    """A rate limit, a fault of the server or the network, a time-out, an unreadable answer: asking again may help.

    `after` is how many seconds the provider asks to wait, None when it does not say.
    """

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class ContextOverflow(Fault):
    """The conversation does not fit into the model's context."""


class Denied(Fault):
    """The provider refuses the request: key, model, schema or content; `key` when it refuses all."""

    def __init__(self, text: str, *, key: bool = False) -> None:
        super().__init__(text)
        self.key = key
