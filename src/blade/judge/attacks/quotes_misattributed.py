"""True quotes, each in the place of another's."""

from __future__ import annotations

from blade.judge.editing import Case, lines

BAND = (0.0, 0.80)
FEWEST = 3
SHORT = 16


def make(case: Case) -> str | None:
    if case.material is None:
        return None
    told = list(lines(case.golden))
    places = [
        place
        for place, line in enumerate(told)
        if line.kind == "quote" and len(line.text) > SHORT and not line.text.lstrip("> ").startswith("—")
    ]
    if len(places) < FEWEST:
        return None
    made = [line.text for line in told]
    half = len(places) // 2
    for place, other in zip(places, [*places[half:], *places[:half]], strict=True):
        made[place] = told[other].text
    return "\n".join(made) + "\n"
