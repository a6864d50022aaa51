"""One digit wrong in every id."""

from __future__ import annotations

from blade.judge.editing import AttackCase, renamed

BAND = (0.0, 0.20)


def make(case: AttackCase) -> str | None:
    dice = case.dice("typos")

    def typo(name: str) -> str:
        places = [place for place, char in enumerate(name) if char.isdigit()]
        place = dice.choice(places) if places else 0
        digit = str((int(name[place]) + dice.randint(1, 8)) % 10) if places else "x"
        return name[:place] + digit + name[place + 1 :]

    return renamed(case.golden, {name: typo(name) for name in case.ids}) if len(case.ids) >= 3 else None
