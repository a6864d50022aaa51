"""The anchor facts in another language, word for word."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase

BAND = (0.0, 0.50)
_GERMAN = {
    "the": "die",
    "a": "eine",
    "an": "eine",
    "of": "von",
    "in": "in",
    "and": "und",
    "or": "oder",
    "is": "ist",
    "are": "sind",
    "was": "war",
    "with": "mit",
    "than": "als",
    "all": "alle",
    "most": "meisten",
    "more": "mehr",
    "task": "Aufgabe",
    "tasks": "Aufgaben",
    "rollouts": "Durchläufe",
    "attempts": "Versuche",
    "passes": "besteht",
    "pass": "bestehen",
    "fails": "scheitert",
    "fail": "scheitern",
    "failures": "Fehlschläge",
    "failed": "gescheitert",
    "model": "Modell",
    "error": "Fehler",
    "errors": "Fehler",
    "rate": "Quote",
    "never": "nie",
    "always": "immer",
    "that": "dass",
    "not": "nicht",
    "because": "weil",
    "from": "aus",
    "for": "für",
    "by": "durch",
    "to": "zu",
    "category": "Kategorie",
    "only": "nur",
    "wrong": "falsch",
    "answer": "Antwort",
    "call": "Aufruf",
    "score": "Wertung",
}


def make(case: AttackCase) -> str | None:
    german_words = re.compile(rf"\b(?:{'|'.join(_GERMAN)})\b", re.IGNORECASE)
    translated = [german_words.sub(lambda match: _GERMAN[match[0].lower()], fact) for fact in case.facts]
    return "# Bericht\n\n## Befunde\n\n" + "\n".join(f"- {fact}" for fact in translated) + "\n"
