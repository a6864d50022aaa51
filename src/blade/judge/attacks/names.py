"""The golden report with other ids, causes and levels."""

from __future__ import annotations

import random
import re

from blade.judge.attack import attack
from blade.judge.editing import AttackCase, each_sentence, permuted, renamed

_OUTCOMES = {
    "pass": "fail",
    "passes": "fails",
    "passed": "failed",
    "passing": "failing",
    "fail": "pass",
    "fails": "passes",
    "failed": "passed",
    "failing": "passing",
    "always": "never",
    "never": "always",
    "highest": "lowest",
    "lowest": "highest",
    "more": "less",
    "less": "more",
    "larger": "smaller",
    "higher": "lower",
    "lower": "higher",
}
TRIES = 20
_LAST_NUMBER = re.compile(r"\d+(?!.*\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD_PARTS = re.compile(r"([^\W\d_]+)")


@attack(0.0, 0.60)
def causes_permuted(case: AttackCase) -> str | None:
    """True numbers, each with the cause of another pattern."""
    names: list[str] = []
    if case.material is not None:
        names = [mode.name for mode in case.material.analysis.modes if mode.name in case.golden]
    else:
        kinds: dict[str, list[str]] = {}
        for entity in case.base.vocabulary.names:
            for spelling in (entity.name, entity.name.upper(), entity.name.replace("_", " ")):
                if spelling in case.golden and (
                    "fail" in entity.kind or "error" in entity.kind or "categ" in entity.kind
                ):
                    kinds.setdefault(entity.kind, []).append(spelling)
        names = list(dict.fromkeys(name for names_of_kind in kinds.values() for name in names_of_kind))
    return renamed(case.golden, permuted(names, case.dice("causes"))) if len(names) >= 3 else None


@attack(0.0, 0.25)
def entities_swapped(case: AttackCase) -> str | None:
    """Levels, outcomes and words of the benchmark given to one another: the strongest slice becomes the weakest."""
    dice = case.dice("entities")
    kinds: dict[str, list[str]] = {}
    for entity in case.base.vocabulary.names:
        if entity.kind not in {"task", "bucket", "status"} and entity.name in case.golden:
            kinds.setdefault(entity.kind, []).append(entity.name)
    names: dict[str, str] = {}
    for names_of_kind in kinds.values():
        names |= permuted([name for name in names_of_kind if name not in names], dice)
    swapped = renamed(case.golden, names)
    outcome_words = re.compile(rf"\b(?:{'|'.join(_OUTCOMES)})\b")
    return each_sentence(swapped, lambda sentence: outcome_words.sub(lambda match: _OUTCOMES[match[0]], sentence))


@attack(0.0, 0.20)
def id_typos(case: AttackCase) -> str | None:
    """One digit wrong in every id."""
    dice = case.dice("typos")

    def typo(name: str) -> str:
        places = [place for place, char in enumerate(name) if char.isdigit()]
        place = dice.choice(places) if places else 0
        digit = str((int(name[place]) + dice.randint(1, 8)) % 10) if places else "x"
        return name[:place] + digit + name[place + 1 :]

    return renamed(case.golden, {name: typo(name) for name in case.ids}) if len(case.ids) >= 3 else None


@attack(0.0, 0.10)
def ids_fabricated(case: AttackCase) -> str | None:
    """Ids of the right form that no run has."""
    dice = case.dice("fabricated")
    real_ids = set(case.base.names.tasks)
    names = {name: _fabricated(name, real_ids, dice) for name in case.ids}
    return renamed(case.golden, names) if len(names) >= 3 else None


def _fabricated(name: str, real_ids: set[str], dice: random.Random) -> str:
    """Another number of as many digits, or of more where all of those are taken; without digits, other words."""
    words = _LETTERS.findall(name)
    for attempt in range(TRIES):
        number = _LAST_NUMBER.search(name)
        if number:
            size = len(number[0]) + attempt // (TRIES // 2)
            fabricated = _LAST_NUMBER.sub(str(dice.randrange(10**size)).zfill(size), name)
        else:
            replacements = iter([word[::-1] if attempt else word for word in dice.sample(words, len(words))])
            fabricated = "".join(
                next(replacements) if _LETTERS.fullmatch(part) else part for part in _WORD_PARTS.split(name)
            )
        if fabricated not in real_ids:
            return fabricated
    return name


@attack(0.0, 0.20)
def ids_permuted(case: AttackCase) -> str | None:
    """Real ids, each in the place of another."""
    return renamed(case.golden, permuted(case.ids, case.dice("ids"))) if len(case.ids) >= 4 else None
