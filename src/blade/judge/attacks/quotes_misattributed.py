"""True quotes, each in the place of another's."""

from __future__ import annotations

from blade.judge.editing import AttackCase, lines

BAND = (0.0, 0.80)
FEWEST = 3
SHORT = 16


def make(case: AttackCase) -> str | None:
    if case.material is None:
        return None
    golden_lines = list(lines(case.golden))
    places = [
        place
        for place, line in enumerate(golden_lines)
        if line.kind == "quote" and len(line.text) > SHORT and not line.text.lstrip("> ").startswith("—")
    ]
    if len(places) < FEWEST:
        return None
    edited = [line.text for line in golden_lines]
    half = len(places) // 2
    for place, source in zip(places, [*places[half:], *places[:half]], strict=True):
        edited[place] = golden_lines[source].text
    return "\n".join(edited) + "\n"
