"""What can be written without reading the runs: templates, lists of words, the anchors themselves."""

from __future__ import annotations

import re
from collections import Counter

from blade.judge.attack import attack
from blade.judge.editing import AttackCase
from blade.judge.stopwords import PARAGRAPHS, TEMPLATE
from blade.judge.words import words_of

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
_TEMPLATE_TITLES = ("Executive Summary", "Failure Analysis", "Recommendations")
_KEYWORD_TITLES = ("Executive Summary", "Aggregate Results", "Workflow Funnel", "Failure Modes", "Recommendations")
_PADDING_TITLES = (
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Recommendations",
    "Reproducibility Notes",
)


@attack(0.0, 0.05)
def anchors_negated(case: AttackCase) -> str | None:
    """The anchor facts, each denied."""
    denials = [f"- We found no evidence that {fact[:1].lower()}{fact[1:]}" for fact in case.facts]
    return "# Report\n\n## Findings\n\n" + "\n".join(denials) + "\n"


@attack(0.0, 0.25)
def anchors_pasted(case: AttackCase) -> str | None:
    """The anchor facts themselves, without evidence."""
    return "# Report\n\n## Findings\n\n" + "\n".join(f"- {fact}" for fact in case.facts) + "\n"


@attack(0.0, 0.50)
def anchors_translated(case: AttackCase) -> str | None:
    """The anchor facts in another language, word for word."""
    german_words = re.compile(rf"\b(?:{'|'.join(_GERMAN)})\b", re.IGNORECASE)
    translated = [german_words.sub(lambda match: _GERMAN[match[0].lower()], fact) for fact in case.facts]
    return "# Bericht\n\n## Befunde\n\n" + "\n".join(f"- {fact}" for fact in translated) + "\n"


@attack(0.0, 0.10)
def blind_template(case: AttackCase) -> str | None:
    """What anybody may write who has not seen the runs."""
    del case
    size = len(TEMPLATE) // len(_TEMPLATE_TITLES) + 1
    parts = [
        f"## {title}\n\n" + " ".join(TEMPLATE[place * size : (place + 1) * size])
        for place, title in enumerate(_TEMPLATE_TITLES)
    ]
    return "# Report\n\n" + "\n\n".join(parts) + "\n"


@attack(0.0, 0.05)
def keyword_list(case: AttackCase) -> str | None:
    """The rarest words of the anchors, and headings to look like a report."""
    fact_counts = Counter(word for fact in case.facts for word in set(words_of(fact)))
    words = [word for word, _ in sorted(fact_counts.items(), key=lambda pair: (-pair[1], pair[0])) if len(word) > 3][
        :60
    ]
    body = ", ".join(words)
    return "# Report\n\n" + "\n\n".join(f"## {title}\n\n{body}." for title in _KEYWORD_TITLES) + "\n"


@attack(0.0, 0.05)
def padding(case: AttackCase) -> str | None:
    """Headings, bars and the word "task": the look of a report."""
    del case
    parts = [
        f"## {title}\n\n| task | rollout | evidence |\n| --- | --- | --- |\n| task | task | task |"
        for title in _PADDING_TITLES
    ]
    return "# Report\n\n" + "\n\n".join(parts) + "\n\n" + "task rollout verifier evidence log. " * 20 + "\n"


@attack(0.0, 0.20)
def template_with_headline(case: AttackCase) -> str | None:
    """The blind template with this run's true headline numbers."""
    first = [statement.text for statement in case.reading.prose if statement.numbers][:3]
    return (
        "# Report\n\n## Executive Summary\n\n"
        + " ".join(first)
        + "\n\n## Failure Analysis\n\n"
        + " ".join(TEMPLATE)
        + "\n"
    )


@attack(0.0, 0.05)
def unrelated(case: AttackCase) -> str | None:
    """Good English about other things."""
    del case
    return "# Notes\n\n" + "\n\n".join(f"## Part {place}\n\n{text}" for place, text in enumerate(PARAGRAPHS, 1)) + "\n"


@attack(0.0, 0.05)
def vocabulary(case: AttackCase) -> str | None:
    """Every word of the golden report once, in the order of the alphabet."""
    words = sorted(set(words_of(case.golden)))
    return (
        "# Report\n\n" + "\n\n".join(" ".join(words[place : place + 60]) for place in range(0, len(words), 60)) + "\n"
    )


@attack(0.0, 0.05)
def words_shuffled(case: AttackCase) -> str | None:
    """All words of the golden report in any order."""
    words = re.sub(r"[|#>*`]+", " ", case.golden).split()
    case.dice("words").shuffle(words)
    return (
        "# Report\n\n" + "\n\n".join(" ".join(words[place : place + 80]) for place in range(0, len(words), 80)) + "\n"
    )
