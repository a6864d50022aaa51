"""The grade of a report: parts, integrity, form, flags, vetoes, and every failing statement with its fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from blade.frozen import frozen
from blade.judge import subscores
from blade.judge.anchoring import AnchorHit, Anchoring, share_met
from blade.judge.base import Base
from blade.judge.fluency import Fluency, fluency
from blade.judge.integrity import Integrity, integrity
from blade.judge.quoting import ELSEWHERE, NOWHERE, Cited, outcomes
from blade.judge.settings import SETTINGS, JudgeSettings
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


@frozen
class Grade:
    """One report, judged."""

    score: float
    parts: dict[str, float]
    integrity: Integrity
    fluency: Fluency
    hits: tuple[AnchorHit, ...]
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
                "form": round(self.fluency.factor, 4),
            },
            "flags": list(self.flags),
            "vetoes": list(self.vetoes),
            "failing": list(self.failing),
            "golden_faults": list(self.golden_faults),
            "details": self.details,
        }


@frozen
class ReportMarks:
    """All that is read out of a report before anything is weighed."""

    verified: Verified
    quotes: tuple[tuple[Cited, str], ...]
    evidence: subscores.EvidenceCounts
    hits: tuple[AnchorHit, ...]
    shape: Fluency
    contrary: tuple[int, int]
    """The golden report's largest exceptions: how many are mentioned, of how many."""
    omitted: bool
    """Whether the commonest way to fail is not mentioned."""


class Judge:
    """Grades reports against one fact base; the golden report sets what can be reached."""

    def __init__(self, base: Base, settings: JudgeSettings = SETTINGS) -> None:
        self.base = base
        self.settings = settings
        self.anchoring = Anchoring(base)

    @cached_property
    def _golden_verified(self) -> Verified:
        return verify(self.base.golden.text, self.base)

    @cached_property
    def golden(self) -> subscores.EvidenceCounts:
        """What the golden report itself brings."""
        return subscores.evidence(self._golden_verified, outcomes(self._golden_verified.reading, self.base), self.base)

    @cached_property
    def golden_hits(self) -> list[AnchorHit]:
        return self.anchoring.hits(self._golden_verified)

    def grade(self, text: str) -> Grade:
        return self.weigh(self.look(text))

    def look(self, text: str) -> ReportMarks:
        """Hold every statement against the fact base."""
        verified = verify(text, self.base)
        quotes = tuple(outcomes(verified.reading, self.base))
        return ReportMarks(
            verified,
            quotes,
            subscores.evidence(verified, quotes, self.base),
            tuple(self.anchoring.hits(verified)),
            fluency(verified.reading),
            subscores.contrary(verified, self.base),
            subscores.dominant_omitted(verified, self.base),
        )

    def weigh(self, marks: ReportMarks) -> Grade:
        """Make a grade of what was seen."""
        verified, quotes, evidence, hits, settings = (
            marks.verified,
            marks.quotes,
            marks.evidence,
            marks.hits,
            self.settings,
        )
        cause, ground = (
            subscores.diagnosis(evidence, self.golden, settings),
            subscores.grounding(evidence, self.golden, settings),
        )
        anchors = subscores.anchors_with_evidence(share_met(hits, self.golden_hits), cause, ground)
        subscore_values = {"anchors": anchors, "diagnosis": cause, "grounding": ground}
        soundness, shape = (
            integrity(verified, quotes, settings),
            marks.shape.within(settings.cohesion_low, settings.cohesion_high),
        )
        mentioned, exceptions = marks.contrary
        biased, omitted = exceptions >= FEWEST_EXCEPTIONS and mentioned == 0, marks.omitted
        score = sum(WEIGHTS[key] * value for key, value in subscore_values.items()) * soundness.factor * shape.factor
        score *= subscores.density(evidence, self.golden) if len(verified.reading.prose) >= 5 else 1.0
        score = max(0.0, score - (BIAS if biased else 0.0) - (OMISSION if omitted else 0.0))
        flags = ("cherry-picked",) * omitted + tuple(
            self._flags(verified, hits, soundness, shape, biased=biased, evidence=evidence)
        )
        linked, advice = subscores.recommendations(verified)
        details = {
            "numbers": soundness.counts,
            "form": {"words": shape.order_of_words, "sentences": shape.order_of_sentences, "cohesion": shape.cohesion},
            "contrary": {"mentioned": mentioned, "of": exceptions},
            "recommendations": {"linked": linked, "of": advice},
            "anchors_met": sum(hit.met for hit in hits),
            "anchors": len(hits),
        }
        return Grade(
            score,
            subscore_values,
            soundness,
            shape,
            hits,
            flags,
            tuple(_vetoes(soundness)),
            tuple(_failing(verified, quotes))[:MOST_FAILING],
            self.base.kind,
            self.base.own_faults,
            details,
        )

    def _flags(
        self,
        verified: Verified,
        hits: Sequence[AnchorHit],
        soundness: Integrity,
        shape: Fluency,
        *,
        biased: bool,
        evidence: subscores.EvidenceCounts,
    ) -> Iterator[str]:
        right, cells = subscores.cells(verified)
        if not evidence.ids and not evidence.quotes and evidence.numbers < 5:
            yield "template"
        if soundness.counts["contradicted"] > 0.1 * max(1, soundness.counts["all"]) or soundness.ids < 1.0:
            yield "hallucinated"
        if len(verified.reading.rows) > 3 * max(1, len(verified.reading.prose)):
            yield "script-only"
        if biased:
            yield "confirmation-bias"
        if subscores.headline_right(verified) and cells >= 5 and right < 0.7 * cells:
            yield "lucky"
        if soundness.counts["denied"] > 2:
            yield "both-ways"
        if shape.factor < 0.5:
            yield "word-salad"
        if verified.reading.statements and all(
            checked.off_subject for checked in verified.statements if checked.statement.prose
        ):
            yield "off-subject"
        if _INJECTION.search(verified.reading.text[:200_000]):
            yield "injection"
        linked, advice = subscores.recommendations(verified)
        if advice and linked < 0.5 * advice:
            yield "unlinked-recommendations"
        if not any(hit.met for hit in hits):
            yield "no-anchor"


def _vetoes(soundness: Integrity) -> Iterator[str]:
    counts = soundness.counts
    if counts["ids_unknown"] > 0.2 * (counts["ids"] + counts["ids_unknown"]):
        yield f"{counts['ids_unknown']} of {counts['ids'] + counts['ids_unknown']} task ids are made up"
    if counts["contradicted"] > 0.2 * counts["all"]:
        yield f"{counts['contradicted']} of {counts['all']} numbers are contradicted"
    if counts["quotes"] and counts["quotes_found"] < 0.5 * counts["quotes"]:
        yield f"{counts['quotes_found']} of {counts['quotes']} quotes stand in the rollouts they cite"


def _failing(verified: Verified, quotes: Sequence[tuple[Cited, str]]) -> Iterator[dict[str, Any]]:
    for checked in verified.statements:
        if checked.flipped and checked.statement.prose:
            fact = checked.match.template.text if checked.match else ""
            yield {
                "line": checked.statement.line,
                "kind": "polarity",
                "said": checked.statement.text[:200],
                "wanted": "",
                "fact": fact[:200],
            }
        for verdict in checked.verdicts:
            if verdict.outcome == CONTRADICTED:
                yield {
                    "line": checked.statement.line,
                    "kind": verdict.kind,
                    "said": verdict.printed,
                    "wanted": verdict.expected,
                    "fact": verdict.fact,
                    "statement": checked.statement.text[:200],
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
