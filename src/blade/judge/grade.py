"""The grade of a report: parts, integrity, form, flags, vetoes, and every failing statement with its fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blade.judge import subscores
from blade.judge.anchoring import Anchoring, Hit, share_met
from blade.judge.base import Base
from blade.judge.fluency import Form, form
from blade.judge.integrity import Integrity, integrity
from blade.judge.quoting import ELSEWHERE, NOWHERE, Cited, outcomes
from blade.judge.settings import SETTINGS, Settings
from blade.judge.verify import CONTRADICTED, Verified, verify

WEIGHTS = {"anchors": 0.50, "diagnosis": 0.25, "grounding": 0.25}
ACCEPT, REVISE = 0.75, 0.45
FEWEST_EXCEPTIONS = 3
BIAS, OMISSION = 0.10, 0.15
"""Taken off where none of the largest exceptions is mentioned; where the commonest way to fail is not."""
MOST_FAILING = 200
NOTE = (
    "A deterministic judge: it checks numbers, ids, quotes, anchors, polarity and form against the fact base. "
    "It does not weigh how well causes are argued."
)
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:rubric|instruction|prompt|criteria|above|previous)|"
    r"\b(?:score|grade|rate|give)\b.{0,30}\b(?:this|it|me)\b.{0,20}\b(?:5|10|100|full|maximum|1\.0)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Grade:
    """One report, judged."""

    score: float
    parts: dict[str, float]
    integrity: Integrity
    form: Form
    hits: tuple[Hit, ...]
    flags: tuple[str, ...]
    vetoes: tuple[str, ...]
    failing: tuple[dict[str, Any], ...]
    fact_base: str
    golden_faults: tuple[str, ...]
    details: dict[str, Any]

    @property
    def verdict(self) -> str:
        if self.vetoes or self.score < REVISE:
            return "reject"
        return "accept" if self.score >= ACCEPT else "revise"

    def data(self) -> dict[str, Any]:
        """Upstream's keys first, then ours."""
        return {
            "final_score": round(self.score, 4),
            "checklist": round(self.parts["anchors"], 4),
            "holistic": round((self.parts["diagnosis"] + self.parts["grounding"]) / 2, 4),
            "anchor_hits": [
                {
                    "id": hit.anchor.id,
                    "score": round(hit.score, 4),
                    "met": hit.met,
                    "fact": hit.anchor.fact,
                    "threshold": round(hit.threshold, 4),
                    "credit": hit.credit,
                    "line": hit.line,
                    "by": hit.by,
                }
                for hit in self.hits
            ],
            "note": NOTE,
            "verdict": self.verdict,
            "fact_base": self.fact_base,
            "parts": {
                **{key: round(value, 4) for key, value in self.parts.items()},
                "integrity": round(self.integrity.factor, 4),
                "form": round(self.form.factor, 4),
            },
            "flags": list(self.flags),
            "vetoes": list(self.vetoes),
            "failing": list(self.failing),
            "golden_faults": list(self.golden_faults),
            "details": self.details,
        }


@dataclass(frozen=True, slots=True)
class Seen:
    """All that is read out of a report before anything is weighed."""

    verified: Verified
    quotes: tuple[tuple[Cited, str], ...]
    ours: subscores.Evidence
    hits: tuple[Hit, ...]
    shape: Form
    contrary: tuple[int, int]
    """The golden report's largest exceptions: how many are mentioned, of how many."""
    omitted: bool
    """Whether the commonest way to fail is not mentioned."""


class Judge:
    """Grades reports against one fact base; the golden report sets what can be reached."""

    def __init__(self, base: Base, settings: Settings = SETTINGS) -> None:
        self.base = base
        self.settings = settings
        self.anchoring = Anchoring(base)

    @cached_property
    def _golden_held(self) -> Verified:
        return verify(self.base.golden.text, self.base)

    @cached_property
    def golden(self) -> subscores.Evidence:
        """What the golden report itself brings."""
        return subscores.evidence(self._golden_held, outcomes(self._golden_held.reading, self.base), self.base)

    @cached_property
    def golden_hits(self) -> list[Hit]:
        return self.anchoring.hits(self._golden_held)

    def grade(self, text: str) -> Grade:
        return self.weigh(self.look(text))

    def look(self, text: str) -> Seen:
        """Hold every statement against the fact base."""
        verified = verify(text, self.base)
        quotes = tuple(outcomes(verified.reading, self.base))
        return Seen(
            verified,
            quotes,
            subscores.evidence(verified, quotes, self.base),
            tuple(self.anchoring.hits(verified)),
            form(verified.reading),
            subscores.contrary(verified, self.base),
            subscores.dominant_omitted(verified, self.base),
        )

    def weigh(self, seen: Seen) -> Grade:
        """Make a grade of what was seen."""
        verified, quotes, ours, hits, chosen = seen.verified, seen.quotes, seen.ours, seen.hits, self.settings
        cause, ground = subscores.diagnosis(ours, self.golden, chosen), subscores.grounding(ours, self.golden, chosen)
        anchors = subscores.stated(share_met(hits, self.golden_hits), cause, ground)
        made = {"anchors": anchors, "diagnosis": cause, "grounding": ground}
        whole, shape = integrity(verified, quotes, chosen), seen.shape.within(chosen.cohesion_low, chosen.cohesion_high)
        mentioned, exceptions = seen.contrary
        biased, omitted = exceptions >= FEWEST_EXCEPTIONS and mentioned == 0, seen.omitted
        score = sum(WEIGHTS[key] * value for key, value in made.items()) * whole.factor * shape.factor
        score *= subscores.density(ours, self.golden) if len(verified.reading.prose) >= 5 else 1.0
        score = max(0.0, score - (BIAS if biased else 0.0) - (OMISSION if omitted else 0.0))
        flags = ("cherry-picked",) * omitted + tuple(
            self._flags(verified, hits, whole, shape, biased=biased, ours=ours)
        )
        linked, advice = subscores.recommendations(verified)
        details = {
            "numbers": whole.counts,
            "form": {"words": shape.order_of_words, "sentences": shape.order_of_sentences, "cohesion": shape.cohesion},
            "contrary": {"mentioned": mentioned, "of": exceptions},
            "recommendations": {"linked": linked, "of": advice},
            "anchors_met": sum(hit.met for hit in hits),
            "anchors": len(hits),
        }
        return Grade(
            score,
            made,
            whole,
            shape,
            hits,
            flags,
            tuple(_vetoes(whole)),
            tuple(_failing(verified, quotes))[:MOST_FAILING],
            self.base.kind,
            self.base.own_faults,
            details,
        )

    def _flags(
        self,
        verified: Verified,
        hits: Sequence[Hit],
        whole: Integrity,
        shape: Form,
        *,
        biased: bool,
        ours: subscores.Evidence,
    ) -> Iterator[str]:
        right, cells = subscores.cells(verified)
        if not ours.ids and not ours.quotes and ours.numbers < 5:
            yield "template"
        if whole.counts["contradicted"] > 0.1 * max(1, whole.counts["all"]) or whole.ids < 1.0:
            yield "hallucinated"
        if len(verified.reading.rows) > 3 * max(1, len(verified.reading.prose)):
            yield "script-only"
        if biased:
            yield "confirmation-bias"
        if subscores.headline_right(verified) and cells >= 5 and right < 0.7 * cells:
            yield "lucky"
        if whole.counts["denied"] > 2:
            yield "both-ways"
        if shape.factor < 0.5:
            yield "word-salad"
        if verified.reading.said and all(one.off_subject for one in verified.held if one.said.prose):
            yield "off-subject"
        if _INJECTION.search(verified.reading.text[:200_000]):
            yield "injection"
        linked, advice = subscores.recommendations(verified)
        if advice and linked < 0.5 * advice:
            yield "unlinked-recommendations"
        if not any(hit.met for hit in hits):
            yield "no-anchor"


def _vetoes(whole: Integrity) -> Iterator[str]:
    counts = whole.counts
    if counts["ids_unknown"] > 0.2 * (counts["ids"] + counts["ids_unknown"]):
        yield f"{counts['ids_unknown']} of {counts['ids'] + counts['ids_unknown']} task ids are made up"
    if counts["contradicted"] > 0.2 * counts["all"]:
        yield f"{counts['contradicted']} of {counts['all']} numbers are contradicted"
    if counts["quotes"] and counts["quotes_found"] < 0.5 * counts["quotes"]:
        yield f"{counts['quotes_found']} of {counts['quotes']} quotes stand in the rollouts they cite"


def _failing(verified: Verified, quotes: Sequence[tuple[Cited, str]]) -> Iterator[dict[str, Any]]:
    for one in verified.held:
        if one.flipped and one.said.prose:
            fact = one.beside.meant.text if one.beside else ""
            yield {
                "line": one.said.line,
                "kind": "polarity",
                "said": one.said.text[:200],
                "wanted": "",
                "fact": fact[:200],
            }
        for verdict in one.verdicts:
            if verdict.outcome == CONTRADICTED:
                yield {
                    "line": one.said.line,
                    "kind": verdict.kind,
                    "said": verdict.said,
                    "wanted": verdict.wanted,
                    "fact": verdict.fact,
                    "statement": one.said.text[:200],
                }
    for cited, outcome in quotes:
        if outcome in {ELSEWHERE, NOWHERE}:
            yield {
                "line": cited.line,
                "kind": "quote",
                "said": cited.text[:200],
                "wanted": "",
                "fact": f"stands {outcome}",
            }
