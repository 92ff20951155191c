"""An official SDK's client, asked with bodies that we write and answers that we read.

So gateways that leave out what the SDK's types demand still work, long conversations are serialised once, and pauses
are kept by one limiter instead of by each request.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
import orjson

from skillhorizon import UsageError
from skillhorizon_agents.backend import ContextOverflow, Denied, Transient
from skillhorizon_agents.limiter import retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOO_LONG = re.compile(
    r"context_length_exceeded|context length|context window|maximum context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|exceeds the (?:available|model's) context|request_too_large",
    re.IGNORECASE,
)
_SPENT = re.compile(r"insufficient_quota|credit balance|billing", re.IGNORECASE)
_TRY_AGAIN, _KEY = (408, 409, 425, 429), (401, 402, 403, 404)
_TOO_LARGE, _SERVER = 413, 500
MOST_NAMED, LONGEST = 12, 600


@attrs.frozen
class Door:
    """One provider's client.

    Attributes:
        sdk: the SDK's module, for its errors.
        client: its asynchronous client; it retries nothing itself.
        model: the model asked for.
        place: the provider's base URL, for messages.
    """

    sdk: ModuleType
    client: Any
    model: str
    place: str

    async def post(self, path: str, body: bytes) -> Any:
        """Send a body and return the parsed answer.

        Raises:
            Transient, ContextOverflow, Denied: when it was not answered.
        """
        sdk = self.sdk
        try:
            options = {"headers": {"Content-Type": "application/json"}}
            content: bytes = await self.client.post(path, content=body, cast_to=bytes, options=options)
        except sdk.APIStatusError as error:
            self._refused(error.status_code, error.response.headers, error.response.text)
        except sdk.APIError as error:  # time-outs and lost connections
            raise Transient(f"{self.place} does not answer ({error.message})") from error
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise Transient(f"{self.place} answered with unreadable JSON ({error})") from error

    def _refused(self, status: int, headers: Mapping[str, str], text: str) -> NoReturn:
        said = f"{self.place} answered {status}: {told(text)}"
        if status == _TOO_LARGE or (status < _SERVER and _TOO_LONG.search(text)):
            raise ContextOverflow(said)
        if status >= _SERVER or (status in _TRY_AGAIN and not _SPENT.search(text)):
            raise Transient(said, retry_after(headers, _answered(headers)))
        raise Denied(said, key=status in _KEY or status in _TRY_AGAIN)

    async def look(self, path: str) -> None:
        """Look whether the provider answers, takes the key and knows the model.

        Raises:
            UsageError: when it does not.
        """
        sdk, model = self.sdk, self.model
        try:
            self._check_listed(await self.client.get(f"{path}/{model}", cast_to=bytes))
        except sdk.NotFoundError:
            await self._look_through(path)
        except sdk.APIStatusError as error:
            self._unusable(error.status_code, error.response.text)
        except sdk.APIError as error:
            cause = error.__cause__ or error
            raise UsageError(
                f"{self.place} cannot be reached ({type(cause).__name__}: {cause}); start the server, or name its "
                "address by --agent-option base-url=URL"
            ) from error

    async def _look_through(self, path: str) -> None:
        try:
            self._check_listed(await self.client.get(path, cast_to=bytes))
        except self.sdk.APIError:
            return  # it lists no models: the first request will tell

    def _check_listed(self, content: bytes) -> None:
        """Refuse a model that a list of models lacks; what is no such list tells nothing."""
        try:
            known = sorted(str(entry["id"]) for entry in orjson.loads(content)["data"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return
        if self.model not in known:
            more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
            raise UsageError(
                f"{self.place} has no model {self.model!r}; it has {', '.join(known[:MOST_NAMED]) or 'none'}{more}"
            )

    def _unusable(self, status: int, text: str) -> None:
        if status in (401, 403):
            raise UsageError(f"{self.place} refuses the key ({told(text)}); set a valid one in the environment")

    async def close(self) -> None:
        """Free the connections."""
        await self.client.close()


def told(text: str) -> str:
    """Return what an error's body says, on one line.

    >>> told('{"error": {"message": "no such model"}}')
    'no such model'
    """
    try:
        body = orjson.loads(text)
        inner = body.get("error", body) if isinstance(body, dict) else body
        text = str(inner.get("message", inner)) if isinstance(inner, dict) else str(inner)
    except orjson.JSONDecodeError:
        pass
    return " ".join(text.split())[:LONGEST]


def _answered(headers: Mapping[str, str]) -> float:
    """Return when the server says it answered: its dates are told apart by its own clock."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return float("inf")
