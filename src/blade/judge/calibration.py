"""Calibration: the golden report, the shallow baseline and every attack, each held against its band."""

from __future__ import annotations

from typing import Any

from blade.frozen import frozen
from blade.judge.attacks import attacks
from blade.judge.base import Base
from blade.judge.editing import AttackCase
from blade.judge.grade import Grade, Judge
from blade.judge.quoting import cited, look_up, named_texts
from blade.judge.reading import read_report

TARGETS = {"golden_vs_self": 0.90, "shallow_vs_golden": 0.20}


@frozen
class Attacked:
    """One attack: its grade, or None where it cannot be made of this package."""

    name: str
    what: str
    band: tuple[float, float]
    grade: Grade | None

    @property
    def inside(self) -> bool | None:
        if self.grade is None:
            return None
        return self.band[0] <= round(self.grade.score, 4) <= self.band[1]


@frozen
class Calibration:
    golden: Grade
    shallow: Grade
    attacks: tuple[Attacked, ...]
    min_spread: float

    @property
    def spread(self) -> float:
        return self.golden.score - self.shallow.score

    @property
    def passed(self) -> bool:
        return self.spread >= self.min_spread

    @property
    def outside(self) -> list[Attacked]:
        return [attack for attack in self.attacks if attack.inside is False]

    def data(self) -> dict[str, Any]:
        return {
            "golden_vs_self": round(self.golden.score, 4),
            "shallow_vs_golden": round(self.shallow.score, 4),
            "spread": round(self.spread, 4),
            "targets": {**TARGETS, "min_spread": self.min_spread},
            "passed": self.passed,
            "fact_base": self.golden.fact_base,
            "attacks": {
                attack.name: {
                    "score": None if attack.grade is None else round(attack.grade.score, 4),
                    "band": list(attack.band),
                    "inside": attack.inside,
                    "what": attack.what,
                    "flags": [] if attack.grade is None else list(attack.grade.flags),
                }
                for attack in self.attacks
            },
        }


def attack_reports(case: AttackCase) -> dict[str, str | None]:
    """Every attack as a report."""
    return {name: attack.make(case) for name, attack in attacks().items()}


def attacked(base: Base, shallow: str, min_spread: float, seed: int = 0) -> Calibration:
    """Grade every attack; the quotes of all of them are looked for in one pass over the runs."""
    judge = Judge(base)
    case = AttackCase(base.golden.text, shallow, base, seed)
    reports = attack_reports(case)
    texts = [text for text in (*reports.values(), shallow) if text is not None]
    readings = [read_report(text, base.names) for text in texts]
    look_up([quote for reading in readings for quote in (*cited(reading, base), *named_texts(reading, base))], base)
    grades = {text: judge.grade(text) for text in dict.fromkeys((base.golden.text, *texts))}
    graded = tuple(
        Attacked(name, attacks()[name].summary, attacks()[name].band, None if text is None else grades[text])
        for name, text in reports.items()
    )
    return Calibration(grades[base.golden.text], grades[shallow], graded, min_spread)
