"""The golden report with quotes that were never written, or not there."""

from __future__ import annotations

import re

from blade.judge.attack import attack
from blade.judge.editing import AttackCase, lines

_QUOTED = re.compile(r"`[^`]{13,}`|\"[^\"]{13,}\"|“[^”]{13,}”")
_WORDS = "unexpected value at stage seven while reading the second block of records before closing the stream".split()
FEWEST_QUOTES = 3
SHORT_QUOTE = 16


@attack(0.0, 0.50)
def quotes_fabricated(case: AttackCase) -> str | None:
    """Every quote replaced by words that nobody wrote."""
    dice = case.dice("quotes")

    def made_up(match: re.Match[str]) -> str:
        if " " not in match[0]:
            return match[0]
        inner = " ".join(dice.choice(_WORDS) for _ in match[0].split())
        return f"{match[0][0]}{inner} {dice.randint(100, 999)} again{match[0][-1]}"

    quotes = []
    for line in lines(case.golden):
        if line.kind == "fence" and not line.text.strip().startswith(("```", "~~~")) and line.text.strip():
            quotes.append(" ".join(dice.choice(_WORDS) for _ in range(8)))
        elif line.kind == "quote" and "—" not in line.text and len(line.text) > 4:
            quotes.append("> " + " ".join(dice.choice(_WORDS) for _ in range(8)))
        elif line.kind in {"prose", "item"}:
            quotes.append(_QUOTED.sub(made_up, line.text))
        else:
            quotes.append(line.text)
    return "\n".join(quotes) + "\n"


@attack(0.0, 0.80)
def quotes_misattributed(case: AttackCase) -> str | None:
    """True quotes, each in the place of another's."""
    if case.material is None:
        return None
    golden_lines = list(lines(case.golden))
    places = [
        place
        for place, line in enumerate(golden_lines)
        if line.kind == "quote" and len(line.text) > SHORT_QUOTE and not line.text.lstrip("> ").startswith("—")
    ]
    if len(places) < FEWEST_QUOTES:
        return None
    edited = [line.text for line in golden_lines]
    half = len(places) // 2
    for place, source in zip(places, [*places[half:], *places[:half]], strict=True):
        edited[place] = golden_lines[source].text
    return "\n".join(edited) + "\n"
