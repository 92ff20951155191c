"""What a request says and what the scripted model replies, in no wire format's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs


class Breach(Exception):
    """A request that breaks its wire format or leaves out what it must hold; the text names the breach."""


@attrs.frozen
class Ask:
    """A call that the model asks for: its id, the tool's full name on the wire, and the arguments as it wrote them."""

    id: str
    name: str
    arguments: str


@attrs.frozen
class Told:
    """Text that a request brings in the user's name."""

    text: str


@attrs.frozen
class Spoke:
    """An earlier reply of the model as a request repeats it; `private` is what only the model can read."""

    text: str
    asks: tuple[Ask, ...] = ()
    private: tuple[str, ...] = ()


@attrs.frozen
class Heard:
    """Results of calls, (id, text) in the order in which they stand."""

    results: tuple[tuple[str, str], ...]


Item = Told | Spoke | Heard


@attrs.frozen
class Offer:
    """A tool that a request offers: its full name, its JSON Schema, and the group some clients put it into."""

    name: str
    schema: Mapping[str, Any]
    group: str = ""


@attrs.frozen(kw_only=True)
class Conversation:
    """A request: what it says, what it offers, and what it asks for.

    Attributes:
        system: instructions apart from the conversation.
        items: the conversation.
        offers: the tools.
        texts: every text of the body that a model reads, tool definitions included, for counting tokens.
        output: the most tokens that the reply may have; None when the request does not say.
        private: whether a reply may hold reasoning that the next request must repeat.
        stream: whether the reply is to be streamed.
        calls: whether the reply may call tools.
        form: the JSON Schema that the reply's text must keep to, if any.
    """

    system: str
    items: tuple[Item, ...]
    offers: tuple[Offer, ...]
    texts: tuple[str, ...]
    output: int | None = None
    private: bool = False
    stream: bool = False
    calls: bool = True
    form: Mapping[str, Any] | None = None

    @property
    def first(self) -> str:
        """What the user said before the model's first reply."""
        said: list[str] = []
        for item in self.items:
            if not isinstance(item, Told):
                break
            said.append(item.text)
        return "\n".join(said)

    @property
    def last(self) -> str:
        """What the user said last, '' when the conversation ends otherwise."""
        item = self.items[-1] if self.items else None
        return item.text if isinstance(item, Told) else ""


@attrs.frozen(kw_only=True)
class Reply:
    """What the scripted model says; `turn` numbers its replies of a conversation from 1, 0 stands outside of it."""

    text: str = ""
    asks: tuple[Ask, ...] = ()
    turn: int = 0
    private: str = ""


@attrs.frozen(kw_only=True)
class Tokens:
    """What the server reports: tokens read, of these cached, tokens written, of these reasoning."""

    input: int
    cached: int
    output: int
    reasoning: int
