"""Skills that help with nothing: as many, as long, about something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.model.tokens import count as count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.skills.library import Skill, SkillLibrary

_PLACES = ("lamp-room", "gallery", "boathouse", "fog-signal", "stairwell", "landing", "watch-room", "garden", "store")
_DEEDS = ("Trim", "Sweep", "Oil", "Inspect", "Air", "Polish", "Count", "Cover", "Wind", "Rinse", "Mark", "Turn")
_THINGS = (
    "the brass rail", "the wicks", "the storm panes", "the rope locker", "the clockwork", "the copper pipes",
    "the tide board", "the oilskins", "the spare mantles", "the signal flags", "the rain cistern", "the logbook cover",
    "the oars",
)  # fmt: skip
_WHENS = (
    "before the evening watch", "when the wind falls", "after the supply boat has left", "at the turn of the tide",
    "once the glass is steady", "on the first dry morning", "while the kettle warms",
)  # fmt: skip


def placebo(library: SkillLibrary) -> SkillLibrary:
    """Return a library of as many skills on keeping a lighthouse; each reads as many tokens as the one it stands for.

    A skill's references count with its body. There are no scripts.
    """
    made = [_placebo(number, skill) for number, skill in enumerate(library.skills.values())]
    return attrs.evolve(library, name="placebo", skills={skill.name: skill for skill in made})


def _placebo(number: int, skill: Skill) -> Skill:
    place = _PLACES[number % len(_PLACES)]
    name = f"tend-{place}-{number + 1}"
    length = count_tokens(skill.body) + sum(count_tokens(skill.read(f"references/{n}")) for n in skill.references)
    return attrs.evolve(
        skill,
        name=name,
        description=_text(number, count_tokens(skill.description)),
        body=f"# {name}\n\n" + _text(number + 1, length - count_tokens(f"# {name}\n\n")),
        scripts=(),
        references=(),
        metadata={},
    )


def _text(start: int, tokens: int) -> str:
    """Return sentences of a number of tokens, to within a few."""
    words: list[str] = []
    each = _words(start)
    while len(words) < tokens:
        words.append(next(each))
    while words and count_tokens(" ".join(words)) > tokens:
        words.pop()
    return " ".join(words)


def _words(start: int) -> Iterator[str]:
    number = start
    while True:
        deed, thing = _DEEDS[number % len(_DEEDS)], _THINGS[number % len(_THINGS)]
        yield from f"{deed} {thing} {_WHENS[number % len(_WHENS)]}.".split()
        number += 1
