"""Suspect gold: runs that are right elsewhere agree on one answer, and the key says another."""

from __future__ import annotations

from collections import Counter, defaultdict

from blade.health import Context, Item, item
from blade.stats.health import Vote, suspect_gold, top_wrong_share

FEWEST_ROWS = 3


RUNS = 2
"""Fewer runs than this cannot agree against a key."""


def check(context: Context) -> list[Item]:
    """One vote per run; repeats of a run are not independent, so their share is its vote."""
    answers: defaultdict[str, dict[int, Counter[str]]] = defaultdict(dict)
    right: defaultdict[str, dict[int, float]] = defaultdict(dict)
    labels: dict[str, str] = {}
    golds: dict[str, str] = {}
    wrong: list[list[int]] = []
    for place, run in enumerate(context.runs):
        rows = run.graded.filter(run.graded["answer"].is_not_null() & run.graded["passed"].is_not_null())
        for (task,), group in rows.group_by(["task"], maintain_order=True):
            key = context.key(place, str(task))
            labels.setdefault(key, group["label"][0])
            golds.setdefault(key, group["gold"][0] or "")
            misses = Counter(a for a, passed in group.select("answer", "passed").rows() if not passed)
            answers[key][place] = misses
            right[key][place] = float(group["passed"].mean() or 0.0)  # type: ignore[arg-type]
            if misses:
                wrong.append(list(misses.values()))
    share = top_wrong_share(wrong) if wrong else 0.3
    suspects = []
    for key, by_run in answers.items():
        total = sum((Counter(misses) for misses in by_run.values()), Counter[str]())
        if not total or len(by_run) < 2:
            continue
        word, many = max(total.items(), key=lambda pair: (pair[1], pair[0]))
        votes = [_vote(place, key, by_run[place], word, right) for place in by_run]
        judged = suspect_gold(votes, top_wrong_share=share)
        if judged is not None and judged.flagged and many >= FEWEST_ROWS:
            suspects.append((judged.posterior, labels[key], word, golds[key]))
    suspects.sort(reverse=True)
    return [
        item(
            "suspect_gold",
            "high",
            f"Task {label}: the runs agree on the answer '{word}' and the key says '{gold}' "
            f"(chance that the key is wrong: {posterior:.0%}).",
            tasks=[label],
        )
        for posterior, label, word, gold in suspects[:20]
    ]


def _vote(place: int, key: str, misses: Counter[str], word: str, right: dict[str, dict[int, float]]) -> Vote:
    others = [by_run[place] for task, by_run in right.items() if place in by_run and task != key]
    accuracy = sum(others) / len(others) if others else 0.5
    attempts = misses.total()
    passed = right[key][place]
    missed = 1 - passed
    return Vote(accuracy=accuracy, wrong=missed * misses[word] / attempts if attempts else 0.0, gold=passed)
