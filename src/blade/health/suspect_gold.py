"""Suspect gold: runs that are right elsewhere agree on one answer, and the key says another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import polars as pl

from blade.extract.declined import declines
from blade.extract.same_answer import normal
from blade.health import ALL, TWO_RUNS, Context, Item, Unchecked, item
from blade.stats.hard_classes import hard_classes
from blade.stats.health import Vote, suspect_gold, top_wrong_share
from blade.wording import count

FEWEST_ROWS = 3
SHOWN = 20
NEARLY = 0.49
"""A chance from which on the accuracy of every run is summed up exactly."""


def unchecked(context: Context) -> Unchecked:
    """Runs agree against a key only where two of them gave answers that can be read to the same tasks."""
    if len(context.runs) < 2:
        return {ALL: TWO_RUNS}
    keys: Counter[str] = Counter()
    for place, run in enumerate(context.runs):
        tasks = run.graded.filter(pl.col("answer").is_not_null() & pl.col("gold").is_not_null())["task"].unique()
        keys.update(context.key(place, task) for task in tasks.to_list())
    if not keys:
        return {ALL: "no row holds both the key and an answer that the verifier read out"}
    return {} if max(keys.values()) > 1 else {ALL: "no task has answers of two runs"}


def check(context: Context) -> list[Item]:
    """One vote per run; repeats of a run are not independent, so their share is its vote."""
    answers: defaultdict[str, dict[int, Counter[str]]] = defaultdict(dict)
    right: dict[int, dict[str, float]] = {place: {} for place in range(len(context.runs))}
    labels: dict[str, str] = {}
    golds: dict[str, str] = {}
    answered: Counter[str] = Counter()
    kept_to: Counter[str] = Counter()
    wrong: list[list[int]] = []
    for place, run in enumerate(context.runs):
        rows = run.graded.filter(pl.col("answer").is_not_null() & pl.col("passed").is_not_null())
        rate = pl.col("passed").mean().alias("rate")
        grouped = rows.group_by("task", maintain_order=True).agg(
            pl.first("label"),
            pl.first("gold"),
            rate,
            pl.col("answer").alias("read"),
            pl.col("answer").filter(~pl.col("passed")),
        )
        for task, label, gold, passed, read, missed in grouped.iter_rows():
            key = context.key(place, task)
            labels.setdefault(key, label)
            golds.setdefault(key, gold or "")
            answered[key] += len(read)
            plain_key = normal(gold) if gold else None
            kept_to[key] += sum(normal(text) == plain_key for text in read)
            misses = Counter(missed)
            answers[key][place] = misses
            right[place][key] = passed or 0.0
            if misses:
                wrong.append(list(misses.values()))
    hard = hard_classes({key: (golds[key], 2 * kept_to[key] < answered[key]) for key in answered if golds[key]})
    share = top_wrong_share(wrong) if wrong else 0.3
    right = {place: {key: rates[key] for key in answers if key in rates} for place, rates in right.items()}
    sums = {place: sum(rates.values()) for place, rates in right.items()}
    suspects = []
    none_asked_for = not any(map(declines, golds.values()))
    for key, by_run in answers.items():
        if len(by_run) < 2 or golds[key] in hard:
            continue
        total = sum((Counter(misses) for misses in by_run.values()), Counter[str]())
        votes_by_word = [(times, word) for word, times in total.items() if not (none_asked_for and declines(word))]
        wrong_answers, word = max(votes_by_word, default=(0, ""))
        if wrong_answers < FEWEST_ROWS or not _near(key, by_run, word, right, sums, share):
            continue
        votes = [_vote(key, by_run[place], word, right[place]) for place in by_run]
        suspicion = suspect_gold(votes, top_wrong_share=share)
        if suspicion is not None and suspicion.flagged:
            suspects.append((suspicion.posterior, labels[key], word, golds[key]))
    suspects.sort(reverse=True)
    findings = [
        item(
            "suspect_gold",
            "high",
            f"Task {label}: the runs agree on the answer '{word}' and the key says '{gold}' "
            f"(chance that the key is wrong: {posterior:.0%}).",
            tasks=[label],
        )
        for posterior, label, word, gold in suspects[:SHOWN]
    ]
    if len(suspects) > SHOWN:
        remaining = [label for _, label, _, _ in suspects[SHOWN:]]
        words = f"So they do against the keys of {count(len(remaining), 'more task')}."
        findings.append(item("suspect_gold", "high", words, tasks=remaining))
    return findings


def _near(
    key: str,
    by_run: Mapping[int, Counter[str]],
    word: str,
    right: Mapping[int, Mapping[str, float]],
    sums: Mapping[int, float],
    share: float,
) -> bool:
    """Whether a key may be flagged at all, its runs' accuracy on the other tasks being told from their sum."""
    votes = []
    for place, misses in by_run.items():
        rates = right[place]
        accuracy = (sums[place] - rates[key]) / (len(rates) - 1) if len(rates) > 1 else 0.5
        votes.append(_voted(misses, word, accuracy, rates[key]))
    gold = suspect_gold(votes, top_wrong_share=share)
    return gold is not None and gold.posterior > NEARLY


def _vote(key: str, misses: Counter[str], word: str, rates: Mapping[str, float]) -> Vote:
    other_rates = [rate for task, rate in rates.items() if task != key]
    return _voted(misses, word, sum(other_rates) / len(other_rates) if other_rates else 0.5, rates[key])


def _voted(misses: Counter[str], word: str, accuracy: float, passed: float) -> Vote:
    attempts = misses.total()
    missed = 1 - passed
    return Vote(accuracy=accuracy, wrong=missed * misses[word] / attempts if attempts else 0.0, gold=passed)
