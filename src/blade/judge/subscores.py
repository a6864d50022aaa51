"""Diagnosis, grounding, contrary evidence, the lucky headline and recommendations.

What a report must reach is taken from the golden report itself: a shorter one that is as dense reaches it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from blade.checking.outcome import ClaimKind
from blade.frozen import frozen
from blade.judge.base import Base
from blade.judge.quoting import ELSEWHERE, FOUND, NOWHERE, Cited
from blade.judge.settings import SETTINGS, JudgeSettings
from blade.judge.verify import CONTRADICTED, VERIFIED, CheckedStatement, Verified
from blade.judge.vocabulary import Entity
from blade.judge.words import ADVICE, CAUSAL, CONTRAST

LABELS = frozenset(("KG", "UK", "BI", "TI", "IR", "DA"))
_NOT_A_MECHANISM = frozenset(("run", "bucket"))


@frozen
class EvidenceCounts:
    """What a report brings: counts that are compared with those of the golden report."""

    sentences: int
    diagnoses: int
    unsound: int
    numbers: int
    all_numbers: int
    ids: int
    quotes: int
    all_quotes: int
    labels: tuple[int, int] = (0, 0)
    """Labels of tasks that agree with BLADE's, of all that could be compared."""


def evidence(verified: Verified, quotes: Sequence[tuple[Cited, str]], base: Base) -> EvidenceCounts:
    statements = [
        checked
        for checked in verified.statements
        if checked.statement.prose and not checked.off_subject and not checked.pasted
    ]
    sound = [checked for checked in statements if not checked.flipped]
    numbers = sum(checked.count("number", VERIFIED) for checked in sound)
    number_count = sum(1 for checked in statements for verdict in checked.verdicts if verdict.kind == "number")
    ids = {v.printed for checked in sound for v in checked.verdicts if v.kind == "id" and v.outcome == VERIFIED}
    good, unsound = _diagnoses(verified, quotes, base)
    quotes_found = {quote.text for quote, outcome in quotes if outcome == FOUND and quote.prose}
    missed = {ELSEWHERE, NOWHERE}
    quotes_checked = [
        quote for quote, outcome in quotes if outcome in missed or (outcome == FOUND and quote.prose)
    ]  # what a table quotes is no credit, and a fault where it is wrong
    return EvidenceCounts(
        len(statements),
        good,
        unsound,
        numbers,
        number_count,
        len(ids),
        len(quotes_found),
        len(quotes_checked),
        _labels(sound, base),
    )


def _diagnoses(verified: Verified, quotes: Sequence[tuple[Cited, str]], base: Base) -> tuple[int, int]:
    """Sentences that name a mechanism and stand on evidence; and those that are turned round or contradicted."""
    quoted = Counter(quote.block for quote, outcome in quotes if outcome == FOUND)
    found_lines = sorted(quote.line for quote, outcome in quotes if outcome == FOUND)
    contents_seen: set[tuple[str, ...]] = set()
    good = unsound = 0
    for block, sentences in verified.reading.blocks.items():
        checked_block = [verified.of(sentence.place) for sentence in sentences]
        numbers = sum(quote.count("number", VERIFIED) for quote in checked_block if not quote.wrong)
        ids = sum(quote.count("id", VERIFIED) for quote in checked_block)
        quote_near = bool(quoted[block]) or _near(found_lines, sentences[0].line, sentences[-1].line)
        for checked in checked_block:
            if (
                not _speaks_of_a_cause(checked, base)
                or checked.off_subject
                or checked.pasted
                or checked.statement.content in contents_seen
            ):
                continue
            contents_seen.add(checked.statement.content)
            if checked.wrong:
                unsound += 1
            elif ids or quote_near or (numbers >= 2 and CAUSAL.search(checked.statement.text)):
                good += 1
    return good, unsound


def _near(lines: Sequence[int], first: int, last: int) -> bool:
    """Whether a quote that was found stands right after the paragraph."""
    return any(first <= line <= last + 4 for line in lines)


def _speaks_of_a_cause(checked: CheckedStatement, base: Base) -> bool:
    names_mechanism = any(entity.kind not in _NOT_A_MECHANISM for entity in checked.entities)
    code = any(token.kind is ClaimKind.QUOTE for token in checked.statement.tokens)
    entities_around = base.vocabulary.entities(checked.statement.below) if checked.statement.below else frozenset()
    modes = any(entity.kind in {"mode", "status"} for entity in checked.entities | entities_around)
    causal = bool(CAUSAL.search(checked.statement.text))
    if base.subject:
        return modes or (causal and (names_mechanism or code or bool(checked.statement.ids)))
    return causal and (names_mechanism or code or len(checked.statement.content) >= 8)


def _labels(statements: Iterable[CheckedStatement], base: Base) -> tuple[int, int]:
    if base.material is None:
        return 0, 0
    labels = {(label.run, label.task): set(label.labels) for label in base.material.analysis.labels if label.labels}
    right = total = 0
    for checked in statements:
        labels_stated = {token.text for token in checked.statement.tokens} & LABELS
        for task in checked.tasks if len(labels_stated) == 1 else ():
            labels_expected = labels.get((base.subject, task))
            if labels_expected and labels_expected != {"IE"}:
                total += 1
                right += bool(labels_stated & labels_expected)
    return right, total


def diagnosis(evidence_counts: EvidenceCounts, golden: EvidenceCounts, settings: JudgeSettings = SETTINGS) -> float:
    reached = _reached(evidence_counts.diagnoses, golden.diagnoses, settings.enough_diagnosis, 2)
    sound = (
        evidence_counts.diagnoses / (evidence_counts.diagnoses + evidence_counts.unsound)
        if evidence_counts.diagnoses
        else 0.0
    )
    right, total = evidence_counts.labels
    return reached * sound * ((0.5 + 0.5 * right / total) if total >= 3 else 1.0)


def anchors_with_evidence(anchors: float, diagnosis_score: float, grounding_score: float) -> float:
    """Anchors that stand in a report without evidence of its own count less: they may have been copied."""
    return anchors * (0.4 + 0.6 * min(1.0, (diagnosis_score + grounding_score) / 0.8))


def density(evidence_counts: EvidenceCounts, golden: EvidenceCounts) -> float:
    """From 0 to 1: whether a report has numbers at all, sentence for sentence, beside the golden report."""
    if not golden.numbers or not golden.sentences:
        return 1.0
    share = (evidence_counts.numbers / max(1, evidence_counts.sentences)) / (golden.numbers / golden.sentences)
    return min(1.0, max(0.0, (share - 0.05) / 0.25))


def grounding(evidence_counts: EvidenceCounts, golden: EvidenceCounts, settings: JudgeSettings = SETTINGS) -> float:
    """Numbers, ids and quotes in prose: how many are proved, of those a good report brings."""
    parts = [
        (
            0.5,
            _reached(evidence_counts.numbers, golden.numbers, settings.enough_numbers, 5)
            * _share(evidence_counts.numbers, evidence_counts.all_numbers),
        )
    ]
    if golden.ids >= 3:
        parts.append((0.25, _reached(evidence_counts.ids, golden.ids, settings.enough_ids, 2)))
    if golden.quotes >= 3:
        right = _share(evidence_counts.quotes, max(evidence_counts.quotes, evidence_counts.all_quotes))
        parts.append((0.25, _reached(evidence_counts.quotes, golden.quotes, settings.enough_quotes, 1) * right))
    return sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts)


def _reached(count: int, golden: int, share: float, fewest: int) -> float:
    return min(1.0, count / max(fewest, share * golden))


def _share(part: int, total: int) -> float:
    return part / total if total else 0.0


def contrary(verified: Verified, base: Base) -> tuple[int, int]:
    """How many of the golden report's largest exceptions the report mentions, and how many there are."""
    exceptions = [
        statement
        for statement in base.golden.prose
        if CONTRAST.search(statement.text)
        and (statement.numbers or statement.ids or base.vocabulary.entities(statement.text))
    ]
    top = sorted(exceptions, key=lambda statement: (-len(statement.numbers) - len(statement.ids), statement.place))[:5]
    sound = [checked for checked in verified.statements if checked.statement.prose and not checked.wrong]
    mentioned = 0
    for exception in top:
        entities = {entity for entity in base.vocabulary.entities(exception.text) if entity.kind != "run"}
        words = set(exception.content)
        numbers = {token.text for token in exception.numbers}
        mentioned += any(
            len(words & set(checked.statement.content)) >= 0.4 * len(words)
            or (
                bool(entities & checked.entities)
                and bool(numbers & {token.text for token in checked.statement.numbers})
            )
            or (bool(entities & checked.entities) and bool(CONTRAST.search(checked.statement.text)))
            for checked in sound
        )
    return mentioned, len(top)


def dominant_omitted(verified: Verified, base: Base) -> bool:
    """Whether the prose never speaks of the commonest way to fail."""
    top = dominant(base)
    return top is not None and not any(
        checked.statement.prose and top in checked.entities for checked in verified.statements
    )


def dominant(base: Base) -> Entity | None:
    if base.material is not None:
        modes = base.material.alone.modes
        return Entity("mode", modes[0].id) if modes else None
    entity_counts = Counter(
        entity
        for statement in base.golden.prose
        for entity in base.vocabulary.entities(statement.text)
        if any(word in entity.kind for word in ("fail", "error", "mode"))
    )
    return (
        max(sorted(entity_counts, key=lambda entity: entity.name), key=lambda entity: entity_counts[entity])
        if entity_counts
        else None
    )


def cells(verified: Verified) -> tuple[int, int]:
    """Cells and per-task numbers that are right, of all that could be held against the facts."""
    verdicts = [
        verdict
        for checked in verified.statements
        if checked.statement.kind == "row" or checked.tasks
        for verdict in checked.verdicts
        if verdict.kind in {"number", "binding"} and verdict.outcome in {VERIFIED, CONTRADICTED}
    ]
    return sum(verdict.outcome == VERIFIED for verdict in verdicts), len(verdicts)


def headline_right(verified: Verified) -> bool:
    """Whether the first numbers of the report are right."""
    first = [
        verdict
        for checked in verified.statements[:25]
        if checked.statement.prose
        for verdict in checked.verdicts
        if verdict.kind == "number"
    ][:4]
    return bool(first) and sum(verdict.outcome == VERIFIED for verdict in first) >= 0.75 * len(first)


def recommendations(verified: Verified) -> tuple[int, int]:
    """Advice that names a pattern, a task or a count, of all advice in sections that give it."""
    advice = [
        checked
        for checked in verified.statements
        if checked.statement.prose
        and "recommend" in f"{checked.statement.section} {checked.statement.below}".lower()
        and ADVICE.search(checked.statement.text)
    ]
    linked = [
        checked
        for checked in advice
        if checked.statement.numbers or checked.statement.ids or any(t.kind == "mode" for t in checked.entities)
    ]
    return len(linked), len(advice)
