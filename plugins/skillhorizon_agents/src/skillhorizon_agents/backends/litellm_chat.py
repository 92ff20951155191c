"""Every further provider, through LiteLLM; an optional extra."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import orjson

from skillhorizon import UsageError
from skillhorizon_agents.backend import ContextOverflow, Denied, Transient
from skillhorizon_agents.backends.openai_chat import answer_of, chat_body, message
from skillhorizon_agents.backends.wire import Written

if TYPE_CHECKING:
    from skillhorizon_agents.conversation import Answer, Request
    from skillhorizon_agents.settings import Settings

_KEY = ("AuthenticationError", "NotFoundError", "PermissionDeniedError")
_DENIED = ("BadRequestError", "UnprocessableEntityError", "UnsupportedParamsError", "ContentPolicyViolationError")


class LiteLlmBackend:
    """A model by LiteLLM's name, such as `gemini/gemini-3-pro`."""

    provider = "litellm"

    def __init__(self, model: str, settings: Settings) -> None:
        """Make it.

        Raises:
            UsageError: when LiteLLM is not installed.
        """
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would fetch a table from the network
        try:
            import litellm  # noqa: PLC0415  # seconds; only who asks it pays
        except ModuleNotFoundError as error:
            raise UsageError("LiteLLM is not installed; pip install 'skillhorizon-agents[litellm]'") from error
        self._litellm, self._model, self._settings = litellm, model, settings
        self._written = Written(message)

    async def ask(self, request: Request) -> Answer:
        """Make one request; see `Backend`."""
        fields = orjson.loads(chat_body(request, self._model, self._settings, self._written))
        place = {"api_base": self._settings.base_url} if self._settings.base_url else {}
        try:
            said: Any = await self._litellm.acompletion(
                **fields, **place, timeout=self._settings.timeout, num_retries=0, max_retries=0
            )
        except Exception as error:  # LiteLLM has a class per fault and provider
            kind = type(error).__name__
            if kind == "ContextWindowExceededError":
                raise ContextOverflow(str(error)) from error
            if kind in (*_KEY, *_DENIED):
                raise Denied(f"{self._model}: {error}", key=kind in _KEY) from error
            raise Transient(f"{self._model}: {kind}: {error}") from error
        return answer_of(said.model_dump())

    async def preflight(self) -> None:
        """Look whether the keys that the model needs are set.

        Raises:
            UsageError: when LiteLLM does not know the provider, or keys are missing.
        """
        try:
            self._litellm.get_llm_provider(self._model, api_base=self._settings.base_url or None)
        except Exception as error:  # it raises what the provider would
            raise UsageError(f"LiteLLM knows no provider of {self._model!r}; name it as PROVIDER/MODEL") from error
        missing = self._litellm.validate_environment(self._model).get("missing_keys") or []
        if missing and not self._settings.base_url:
            raise UsageError(f"{', '.join(missing)} is not set, which {self._model} needs; set it in the environment")

    async def close(self) -> None:
        """LiteLLM keeps its connections itself."""
