"""The options of a model agent, out of `--agent-option NAME=VALUE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EFFORTS = ("default", "none", "low", "medium", "high")
POLICIES = ("summary", "clear-results", "sliding", "none")


@attrs.frozen(kw_only=True)
class Settings:
    """How a model is asked.

    Attributes:
        api: of OpenAI's wire formats, chat or responses.
        base_url: where the provider is, '' for its own place.
        effort: of reasoning; `default` leaves it to the provider.
        output: the most tokens of one answer.
        temperature, top_p: None leaves them to the provider.
        context: the context policies; more than one are drawn from per execution.
        context_limit: tokens that the model's context holds.
        trigger: the share of it, in percent, at which the policy sets in.
        keep: the whole turns that stay when it does.
        timeout: seconds that one request may take.
        retries: how often a request is sent again.
        notes: whether the agent has a notebook.
        time_limit: seconds after which an execution ends; None is no limit.
        output_field: how the chat format calls the output limit.
    """

    api: str = "chat"
    base_url: str = ""
    effort: str = "medium"
    output: int = 8192
    temperature: float | None = None
    top_p: float | None = None
    context: tuple[str, ...] = ("summary",)
    context_limit: int = 128_000
    trigger: int = 75
    keep: int = 4
    timeout: float = 600.0
    retries: int = 8
    notes: bool = False
    time_limit: float | None = None
    output_field: str = "max_completion_tokens"


def settings_of(given: Mapping[str, str], *, names: tuple[str, ...] | None = None) -> Settings:
    """Return the settings that options describe; `names` are those the agent has, all by default.

    Raises:
        UsageError: when there is no such option, or a value is outside its rule.

    >>> settings_of({"context": "sliding:20", "output": "32768"}).output
    32768
    """
    known = names or tuple(_READERS)
    found: dict[str, Any] = {}
    for name, text in given.items():
        if name not in known:
            raise UsageError(f"there is no --agent-option {name}; the agent has {', '.join(sorted(known))}")
        try:
            found[name.replace("-", "_")] = _READERS[name](text)
        except ValueError as error:
            raise UsageError(f"--agent-option {name} is {text!r}; {error}") from error
    made = Settings(**found)
    if made.output >= made.context_limit:
        raise UsageError(
            f"an answer of {made.output} tokens does not fit into a context of {made.context_limit}; "
            "raise context-limit or lower output"
        )
    return made


def _word(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"say one of {', '.join(words)}")
        return text

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text[:12]) <= high):
            raise ValueError(f"give a whole number from {low} to {high}")
        return int(text)

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not low <= value <= high:
            raise ValueError(f"give a number from {low:g} to {high:g}")
        return value

    return read


def _policies(text: str) -> tuple[str, ...]:
    found = tuple(text.split("|"))
    for policy in found:
        name, colon, turns = policy.partition(":")
        sized = name == "sliding" and turns.isascii() and turns.isdigit() and int(turns[:6]) > 0
        if name not in POLICIES or (colon and not sized) or (name == "sliding" and not colon):
            raise ValueError("say summary, clear-results, sliding:N or none, or several with | between them")
    return found


_READERS: Mapping[str, Callable[[str], Any]] = {
    "api": _word("chat", "responses"),
    "base-url": lambda text: text,
    "effort": _word(*EFFORTS),
    "output": _whole(16, 1_000_000),
    "temperature": _number(0, 2),
    "top-p": _number(0, 1),
    "context": _policies,
    "context-limit": _whole(1_000, 100_000_000),
    "trigger": _whole(10, 100),
    "keep": _whole(0, 1_000),
    "timeout": _number(0.1, 86_400),
    "retries": _whole(0, 100),
    "time-limit": _number(1, 10_000_000),
    "notes": lambda text: _word("yes", "no")(text) == "yes",
    "output-field": _word("max_completion_tokens", "max_tokens"),
}
