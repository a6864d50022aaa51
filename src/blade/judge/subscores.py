"""Diagnosis, grounding, contrary evidence, the lucky headline and recommendations.

What a report must reach is taken from the golden report itself: a shorter one that is as dense reaches it, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from blade.checking.outcome import Kind
from blade.judge.base import Base
from blade.judge.quoting import ELSEWHERE, FOUND, NOWHERE, Cited
from blade.judge.settings import SETTINGS, Settings
from blade.judge.verify import CONTRADICTED, VERIFIED, Held, Verified
from blade.judge.vocabulary import Thing
from blade.judge.words import ADVICE, CAUSAL, CONTRAST

LABELS = frozenset(("KG", "UK", "BI", "TI", "IR", "DA"))
_NOT_A_MECHANISM = frozenset(("run", "bucket"))


@dataclass(frozen=True, slots=True)
class Evidence:
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


def evidence(verified: Verified, quotes: Sequence[tuple[Cited, str]], base: Base) -> Evidence:
    own = [one for one in verified.held if one.said.prose and not one.off_subject and not one.pasted]
    sound = [one for one in own if not one.flipped]
    numbers = sum(one.count("number", VERIFIED) for one in sound)
    whole = sum(1 for one in own for verdict in one.verdicts if verdict.kind == "number")
    ids = {v.said for one in sound for v in one.verdicts if v.kind == "id" and v.outcome == VERIFIED}
    good, unsound = _diagnoses(verified, quotes, base)
    found = {one.text for one, outcome in quotes if outcome == FOUND and one.prose}
    judged = [one for one, outcome in quotes if outcome in {FOUND, ELSEWHERE, NOWHERE}]
    return Evidence(len(own), good, unsound, numbers, whole, len(ids), len(found), len(judged), _labels(sound, base))


def _diagnoses(verified: Verified, quotes: Sequence[tuple[Cited, str]], base: Base) -> tuple[int, int]:
    """Sentences that name a mechanism and stand on evidence; and those that are turned round or contradicted."""
    quoted = Counter(one.block for one, outcome in quotes if outcome == FOUND)
    found_lines = sorted(one.line for one, outcome in quotes if outcome == FOUND)
    seen: set[tuple[str, ...]] = set()
    good = unsound = 0
    for block, sentences in verified.reading.blocks.items():
        held = [verified.of(one.place) for one in sentences]
        numbers = sum(one.count("number", VERIFIED) for one in held if not one.wrong)
        ids = sum(one.count("id", VERIFIED) for one in held)
        beside = bool(quoted[block]) or _near(found_lines, sentences[0].line, sentences[-1].line)
        for one in held:
            if not _speaks_of_a_cause(one, base) or one.off_subject or one.pasted or one.said.content in seen:
                continue
            seen.add(one.said.content)
            if one.wrong:
                unsound += 1
            elif ids or beside or (numbers >= 2 and CAUSAL.search(one.said.text)):
                good += 1
    return good, unsound


def _near(lines: Sequence[int], first: int, last: int) -> bool:
    """Whether a quote that was found stands right after the paragraph."""
    return any(first <= line <= last + 4 for line in lines)


def _speaks_of_a_cause(one: Held, base: Base) -> bool:
    named = any(thing.kind not in _NOT_A_MECHANISM for thing in one.things)
    code = any(token.kind is Kind.QUOTE for token in one.said.tokens)
    around = base.vocabulary.things(one.said.below) if one.said.below else frozenset()
    modes = any(thing.kind in {"mode", "status"} for thing in one.things | around)
    causal = bool(CAUSAL.search(one.said.text))
    if base.subject:
        return modes or (causal and (named or code or bool(one.said.ids)))
    return causal and (named or code or len(one.said.content) >= 8)


def _labels(held: Iterable[Held], base: Base) -> tuple[int, int]:
    if base.material is None:
        return 0, 0
    known = {(label.run, label.task): set(label.labels) for label in base.material.analysis.labels if label.labels}
    right = whole = 0
    for one in held:
        said = {token.text for token in one.said.tokens} & LABELS
        for task in one.tasks if len(said) == 1 else ():
            meant = known.get((base.subject, task))
            if meant and meant != {"IE"}:
                whole += 1
                right += bool(said & meant)
    return right, whole


def diagnosis(ours: Evidence, golden: Evidence, chosen: Settings = SETTINGS) -> float:
    reached = _reached(ours.diagnoses, golden.diagnoses, chosen.enough_diagnosis, 2)
    sound = ours.diagnoses / (ours.diagnoses + ours.unsound) if ours.diagnoses else 0.0
    right, whole = ours.labels
    return reached * sound * ((0.5 + 0.5 * right / whole) if whole >= 3 else 1.0)


def stated(anchors: float, made: float, whole: float) -> float:
    """Anchors that stand in a report without evidence of its own count less: they may have been copied."""
    return anchors * (0.4 + 0.6 * min(1.0, (made + whole) / 0.8))


def density(ours: Evidence, golden: Evidence) -> float:
    """From 0 to 1: whether a report has numbers at all, sentence for sentence, beside the golden report."""
    if not golden.numbers or not golden.sentences:
        return 1.0
    share = (ours.numbers / max(1, ours.sentences)) / (golden.numbers / golden.sentences)
    return min(1.0, max(0.0, (share - 0.05) / 0.25))


def grounding(ours: Evidence, golden: Evidence, chosen: Settings = SETTINGS) -> float:
    """Numbers, ids and quotes in prose: how many are proved, of those a good report brings."""
    parts = [
        (0.5, _reached(ours.numbers, golden.numbers, chosen.enough_numbers, 5) * _share(ours.numbers, ours.all_numbers))
    ]
    if golden.ids >= 3:
        parts.append((0.25, _reached(ours.ids, golden.ids, chosen.enough_ids, 2)))
    if golden.quotes >= 3:
        right = _share(ours.quotes, max(ours.quotes, ours.all_quotes))
        parts.append((0.25, _reached(ours.quotes, golden.quotes, chosen.enough_quotes, 1) * right))
    return sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts)


def _reached(ours: int, golden: int, share: float, fewest: int) -> float:
    return min(1.0, ours / max(fewest, share * golden))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def contrary(verified: Verified, base: Base) -> tuple[int, int]:
    """How many of the golden report's largest exceptions the report mentions, and how many there are."""
    found = [
        one
        for one in base.golden.prose
        if CONTRAST.search(one.text) and (one.numbers or one.ids or base.vocabulary.things(one.text))
    ]
    top = sorted(found, key=lambda one: (-len(one.numbers) - len(one.ids), one.place))[:5]
    sound = [one for one in verified.held if one.said.prose and not one.wrong]
    mentioned = 0
    for exception in top:
        things = {thing for thing in base.vocabulary.things(exception.text) if thing.kind != "run"}
        words = set(exception.content)
        numbers = {token.text for token in exception.numbers}
        mentioned += any(
            len(words & set(one.said.content)) >= 0.4 * len(words)
            or (bool(things & one.things) and bool(numbers & {token.text for token in one.said.numbers}))
            or (bool(things & one.things) and bool(CONTRAST.search(one.said.text)))
            for one in sound
        )
    return mentioned, len(top)


def dominant_omitted(verified: Verified, base: Base) -> bool:
    """Whether the prose never speaks of the commonest way to fail."""
    top = dominant(base)
    return top is not None and not any(one.said.prose and top in one.things for one in verified.held)


def dominant(base: Base) -> Thing | None:
    if base.material is not None:
        modes = base.material.alone.modes
        return Thing("mode", modes[0].id) if modes else None
    told = Counter(
        thing
        for one in base.golden.prose
        for thing in base.vocabulary.things(one.text)
        if any(word in thing.kind for word in ("fail", "error", "mode"))
    )
    return max(sorted(told, key=lambda thing: thing.name), key=lambda thing: told[thing]) if told else None


def cells(verified: Verified) -> tuple[int, int]:
    """Cells and per-task numbers that are right, of all that could be held against the facts."""
    told = [
        verdict
        for one in verified.held
        if one.said.kind == "row" or one.tasks
        for verdict in one.verdicts
        if verdict.kind in {"number", "binding"} and verdict.outcome in {VERIFIED, CONTRADICTED}
    ]
    return sum(one.outcome == VERIFIED for one in told), len(told)


def headline_right(verified: Verified) -> bool:
    """Whether the first numbers of the report are right."""
    first = [
        verdict for one in verified.held[:25] if one.said.prose for verdict in one.verdicts if verdict.kind == "number"
    ][:4]
    return bool(first) and sum(one.outcome == VERIFIED for one in first) >= 0.75 * len(first)


def recommendations(verified: Verified) -> tuple[int, int]:
    """Advice that names a pattern, a task or a count, of all advice in sections that give it."""
    advice = [
        one
        for one in verified.held
        if one.said.prose
        and "recommend" in f"{one.said.section} {one.said.below}".lower()
        and ADVICE.search(one.said.text)
    ]
    linked = [one for one in advice if one.said.numbers or one.said.ids or any(t.kind == "mode" for t in one.things)]
    return len(linked), len(advice)
