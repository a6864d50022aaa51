"""Every quote replaced by words that nobody wrote."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase, lines

BAND = (0.0, 0.50)
_QUOTED = re.compile(r"`[^`]{13,}`|\"[^\"]{13,}\"|“[^”]{13,}”")
_WORDS = "unexpected value at stage seven while reading the second block of records before closing the stream".split()


def make(case: AttackCase) -> str | None:
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
