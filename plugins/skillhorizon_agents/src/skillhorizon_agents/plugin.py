"""What the registry finds: the agents that this distribution brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Contribution, UsageError, hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillhorizon_agents.agent import ModelAgent
    from skillhorizon_agents.clients.agent import ClientAgent
    from skillhorizon_agents.settings import Settings


class Plugin:
    """The plugin's hooks."""

    @hookimpl
    def shz_agents(self) -> list[Contribution]:
        """Return the families of model agents, and `mcp:COMMAND`."""
        made = {"openai/": openai, "anthropic/": anthropic, "litellm/": litellm, "mcp": mcp}
        return [Contribution(role="agent", environment="*", name=name, value=value) for name, value in made.items()]


def openai(model: str, given: Mapping[str, str]) -> ModelAgent:
    """Return the agent `openai/MODEL`: chat completions, or with api=responses the responses API.

    Raises:
        UsageError: when an option is wrong.
    """
    from skillhorizon_agents.agent import ModelAgent  # noqa: PLC0415  # listing agents imports none
    from skillhorizon_agents.backends.openai_chat import ChatBackend  # noqa: PLC0415
    from skillhorizon_agents.backends.openai_responses import ResponsesBackend  # noqa: PLC0415

    settings = _settings("openai", model, given)
    backend = ResponsesBackend if settings.api == "responses" else ChatBackend
    return ModelAgent(f"openai/{model}", settings, lambda: backend(model, settings))


def anthropic(model: str, given: Mapping[str, str]) -> ModelAgent:
    """Return the agent `anthropic/MODEL`.

    Raises:
        UsageError: when an option is wrong.
    """
    from skillhorizon_agents.agent import ModelAgent  # noqa: PLC0415
    from skillhorizon_agents.backends.anthropic_messages import MessagesBackend  # noqa: PLC0415

    settings = _settings("anthropic", model, given)
    return ModelAgent(f"anthropic/{model}", settings, lambda: MessagesBackend(model, settings))


def litellm(model: str, given: Mapping[str, str]) -> ModelAgent:
    """Return the agent `litellm/PROVIDER/MODEL`.

    Raises:
        UsageError: when an option is wrong.
    """
    from skillhorizon_agents.agent import ModelAgent  # noqa: PLC0415
    from skillhorizon_agents.backends.litellm_chat import LiteLlmBackend  # noqa: PLC0415

    settings = _settings("litellm", model, given)
    return ModelAgent(f"litellm/{model}", settings, lambda: LiteLlmBackend(model, settings))


def mcp(command: str, given: Mapping[str, str]) -> ClientAgent:
    """Return the agent `mcp:COMMAND`: a client of the Model Context Protocol that a shell command starts.

    Raises:
        UsageError: when there is no command, or an option is wrong.
    """
    from skillhorizon_agents.clients.agent import client_agent  # noqa: PLC0415

    return client_agent(command, given)


def _settings(family: str, model: str, given: Mapping[str, str]) -> Settings:
    from skillhorizon_agents.settings import settings_of  # noqa: PLC0415

    if not model:
        raise UsageError(f"{family}/ names no model; say {family}/MODEL")
    if family != "openai" and "api" in given:
        raise UsageError(f"--agent-option api chooses between OpenAI's wire formats; {family} has none")
    return settings_of(given)


plugin = Plugin()
