"""Aggregate Results: score, pass@k and its kin, token use, and the run's own summary files recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from blade.document import Block, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis, RunAnalysis
from blade.wording import UNKNOWN, abridged, count, fact, listed, name, percent, plain, points, score, span

TITLE = "Aggregate Results"
ORDER = 30
SHARE = 0.00
DISAGREEMENTS_SHOWN = 20
Line = tuple[str, Callable[[RunAnalysis], str | Fact]]


def build(analysis: Analysis) -> list[Block]:
    runs = analysis.runs
    blocks: list[Block] = [_numbers(runs), Paragraph((_pass_rule(runs),))]
    votes = tuple(_votes(runs))
    blocks += [Paragraph(votes)] if votes else []
    tokens, spread = _tokens(runs), tuple(_spread(runs, "tokens"))
    partial = tuple(_partial_usage(runs))
    if tokens.rows or partial:
        blocks += [Heading("Tokens"), *([Paragraph(spread)] if spread else [])]
        blocks += [*([tokens] if tokens.rows else []), *([Paragraph(partial)] if partial else [])]
    blocks += _cost_and_time(runs)
    if any(run.checks for run in runs):
        blocks += [Heading("The run's own summary files, recomputed"), _checks(runs)]
        blocks += _disagreements(runs)
    return blocks


def _pass_rule(runs: Sequence[RunAnalysis]) -> Any:
    sources = {run.pass_source for run in runs}
    if len(sources) == 1 and runs[0].score_threshold is not None:
        return say(
            "A rollout passes if its reward reaches {cut} ({source}).",
            cut=fact(f"{runs[0].score_threshold:g}", runs[0].score_threshold, "runs", runs[0].name, "score_threshold"),
            source=sources.pop(),
        )
    if all(run.metrics["score"] is None for run in runs):
        return say("No row has a score: there are no pass rates.")
    if all(run.score_threshold is None for run in runs):
        return say("No threshold was declared and the rewards are not binary: pass rates are not computed.")
    return say("The runs define a pass differently; see score_threshold and pass_source in analysis.json.")


def _votes(runs: Sequence[RunAnalysis]) -> Iterator[Sentence]:
    """What majority@k means here, and what it would be in the sense of the source's summary files."""
    ks = _ks(runs, "majority_at_k")[1:]
    if not ks:
        return
    yield say(
        "majority@k is the mean over all choices of k attempts of a task. NeMo Gym's metric of that name takes the "
        "first k attempts only; its summary files are checked with that definition."
    )
    for run in runs:
        first_k = run.metrics["majority_first_k"]
        apart = [k for k in ks if _votes_differ(run, str(k))]
        if apart:
            facts: dict[str, Fact | str] = {
                f"at{k}": fact(
                    score(first_k[str(k)], run.scale),
                    first_k[str(k)],
                    "runs",
                    run.name,
                    "metrics",
                    "majority_first_k",
                    str(k),
                )
                for k in apart
            }
            values_text = listed([f"{{at{k}}} at k = {k}" for k in apart])
            yield say("By the first k attempts, for {run}: " + values_text + ".", run=name(run.name), **facts)


def _votes_differ(run: RunAnalysis, k: str) -> bool:
    averaged, first = run.metrics["majority_at_k"].get(k), run.metrics["majority_first_k"].get(k)
    return averaged is not None and first is not None and score(averaged, run.scale) != score(first, run.scale)


def _numbers(runs: Sequence[RunAnalysis]) -> Table:
    lines: list[Line] = [
        ("Score (mean over tasks)", lambda run: _metric(run, "score", lambda value: score(value, run.scale))),
        ("95% interval", lambda run: _metric(run, "score_interval", lambda value: span(value, run.scale))),
        ("Mean over rollouts", lambda run: _metric(run, "micro", lambda value: score(value, run.scale))),
        (
            "Score, missing rollouts count 0",
            lambda run: _metric(run, "score_zero_fill", lambda value: score(value, run.scale)),
        ),
        ("Score, judged rollouts only", _evaluable),
    ]
    ks = _ks(runs, "pass_at_k")
    lines += [(f"pass@{k}", _keyed("pass_at_k", k)) for k in ks]
    lines += [(f"pass^{k}", _keyed("pass_hat_k", k)) for k in ks[1:]]
    lines += [
        ("Tasks passed at least once", lambda run: _with_repeats(run, "any_at_n")),
        ("Tasks passed every time", lambda run: _with_repeats(run, "consistency")),
        ("Gain from retries", lambda run: _metric(run, "retry_value", points)),
        ("Two attempts disagree", lambda run: _metric(run, "flakiness", percent)),
        ("Coverage of expected rollouts", _coverage),
    ]
    lines += [(f"majority@{k}", _keyed("majority_at_k", k)) for k in _ks(runs, "majority_at_k")[1:]]
    lines += [(f"best of {k}", _keyed("best_of_k", k)) for k in _ks(runs, "best_of_k")[1:]]
    rows = [(title, *(cell(run) for run in runs)) for title, cell in lines]
    first = [_text(cell) for cell in rows[0][1:]]
    filled_rows = tuple(row for row in rows if any(_text(cell) for cell in row[1:]) and not _repeats(row, first))
    return Table(("", *(f">{run.name}" for run in runs)), filled_rows)


FEW_ATTEMPTS = 4
SAME_AS_SCORE = ("Mean over rollouts", "Score, missing rollouts count 0", "Score, judged rollouts only")


def _repeats(row: tuple[str | Fact, ...], score_cells: list[str]) -> bool:
    """A line that says the score once more."""
    return row[0] in SAME_AS_SCORE and [_text(cell) for cell in row[1:]] == score_cells


def _ks(runs: Sequence[RunAnalysis], key: str) -> list[int]:
    """The numbers of attempts that are told: the first few, powers of two, and all."""
    ks = sorted({int(k) for run in runs for k in run.metrics[key]})
    return [k for k in ks if k <= FEW_ATTEMPTS or k == ks[-1] or (k & (k - 1)) == 0]


def _text(cell: str | Fact) -> str:
    return cell if isinstance(cell, str) else cell.text


def _metric(run: RunAnalysis, key: str, words: Callable[[Any], str]) -> str | Fact:
    value = run.metrics[key]
    return "" if value is None else fact(words(value), value, "runs", run.name, "metrics", key)


def _coverage(run: RunAnalysis) -> str | Fact:
    """Against inputs it is a check; against a number inferred from the rows it is none, and says so."""
    inferred = " of an inferred number" if run.denominator.from_rows else ""
    return _metric(run, "coverage", lambda value: percent(value) + inferred)


def _with_repeats(run: RunAnalysis, key: str) -> str | Fact:
    """What says nothing new where every task was tried once."""
    return _metric(run, key, percent) if (run.metrics["k"] or 0) > 1 else ""


def _evaluable(run: RunAnalysis) -> str | Fact:
    value = run.metrics["evaluable"]["score"]
    if value is None:
        return ""
    return fact(score(value, run.scale), value, "runs", run.name, "metrics", "evaluable", "score")


def _keyed(key: str, k: int) -> Callable[[RunAnalysis], str | Fact]:
    def cell(run: RunAnalysis) -> str | Fact:
        value = run.metrics[key].get(str(k))
        if value is None:
            return ""
        used = run.metrics["tasks_used"].get(str(k), run.metrics["tasks"])
        note = f" ({count(used, 'task')})" if used != run.metrics["tasks"] else ""
        words = percent(value) if key.startswith("pass") else score(value, run.scale)
        return fact(words + note, value, "runs", run.name, "metrics", key, str(k))

    return cell


def _tokens(runs: Sequence[RunAnalysis]) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    for run in runs:
        for kind in ("input", "output", "reasoning"):
            parts = run.tokens[kind]
            if parts["all"]["median"]:
                cells = [_median(run, kind, part) for part in ("all", "pass", "fail")]
                rows.append((run.name, kind, *cells))
    return Table(("Run", "Tokens", ">Median", ">Median, passes", ">Median, fails"), tuple(rows))


MEASURES = {
    "tokens": {
        "input": "reads {times} times the input tokens of",
        "output": "writes {times} times the output tokens of",
    },
    "spending": {"cost": "costs {times} times as much as one of", "seconds": "takes {times} times as long as one of"},
}
"""What a rollout needs: where it stands in the analysis, and how the run that needs most is told of."""
APART = 1.5
FEWEST_MEASURED = 10


def _spread(runs: Sequence[RunAnalysis], part: str) -> Iterator[Sentence]:
    """The runs that need most and least of something, where they lie far apart."""
    for key, words in MEASURES[part].items():
        entries = [(run, (getattr(run, part).get(key) or {}).get("all", {})) for run in runs]
        measured = [(entry["median"], run) for run, entry in entries if entry.get("n", 0) >= FEWEST_MEASURED]
        if len(measured) < 2 or not all(median and median > 0 for median, _ in measured):
            continue
        (low, lean_run), (high, lavish_run) = (choose(measured, key=lambda item: item[0]) for choose in (min, max))
        if high < APART * low:
            continue
        facts = {
            text: fact(_amount(value), value, "runs", run.name, part, key, "all", "median")
            for text, value, run in (("high", high, lavish_run), ("low", low, lean_run))
        }
        yield say(
            "A rollout of {most} " + words + " {least} (medians {high} and {low}).",
            most=name(lavish_run.name),
            least=name(lean_run.name),
            times=f"{high / low:.1f}",
            **facts,
        )


def _cost_and_time(runs: Sequence[RunAnalysis]) -> Iterator[Block]:
    """What the rows say that rollouts cost and how long they took; a run whose rows do not say it is unknown."""
    rows: list[tuple[str | Fact, ...]] = []
    for key, title in (("cost", "cost"), ("seconds", "seconds")):
        if not any(run.spending.get(key) for run in runs):
            continue
        for run in runs:
            spending = run.spending.get(key)
            if not spending:
                rows.append((run.name, title, *(UNKNOWN,) * 4))
                continue
            at = ("runs", run.name, "spending", key)
            medians = [_spent(spending[part], *at, part, "median") for part in ("all", "pass", "fail")]
            total = fact(_amount(spending["total"]), spending["total"], *at, "total")
            rows.append((run.name, f"{title} ({spending['field']})", *medians, total))
    if rows:
        yield Heading("Cost and time")
        spread = tuple(_spread(runs, "spending"))
        if spread:
            yield Paragraph(spread)
        yield Table(("Run", "As the rows say", ">Median", ">Median, passes", ">Median, fails", ">Total"), tuple(rows))


def _spent(entry: Mapping[str, Any], *at: str | int) -> str | Fact:
    if entry["median"] is None:
        return ""
    return fact(f"{_amount(entry['median'])} (n = {entry['n']:,})", entry["median"], *at)


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else plain(value)


def _partial_usage(runs: Sequence[RunAnalysis]) -> Iterator[Sentence]:
    for run in runs:
        partial_rollouts = run.tokens.get("partial", 0)
        if partial_rollouts:
            yield say(
                "The tokens recorded by {rows} of {run} are too few for what the model wrote: they are those of "
                "one call, usually the last, and are not counted as the usage of the rollout.",
                rows=fact(count(partial_rollouts, "rollout"), partial_rollouts, "runs", run.name, "tokens", "partial"),
                run=name(run.name),
            )


def _median(run: RunAnalysis, kind: str, part: str) -> str | Fact:
    entry = run.tokens[kind][part]
    if entry["median"] is None:
        return ""
    text = f"{entry['median']:,.0f} (n = {entry['n']:,})"
    return fact(text, entry["median"], "runs", run.name, "tokens", kind, part, "median")


def _checks(runs: Sequence[RunAnalysis]) -> Table:
    rows = [
        (
            name(check["file"]),
            f"{check['matched']:,}",
            f"{check['disagreements']:,}",
            abridged(check["not_recomputed"], 3, "more key"),
        )
        for run in runs
        for check in run.checks
    ]
    return Table(("File", ">Values that agree", ">Values that differ", "Not in the rows, so unchecked"), tuple(rows))


def _disagreements(runs: Sequence[RunAnalysis]) -> list[Block]:
    rows = []
    for run in runs:
        for check in run.checks:
            for item in check["examples"][:10]:
                task = "" if item["task"] is None else str(item["task"])
                rows.append(
                    (name(item["key"]), task, str(item["stored"]), str(item["recomputed"]), item["likely_cause"])
                )
    if not rows:
        return []
    rows_shown = tuple(rows[:DISAGREEMENTS_SHOWN])
    blocks: list[Block] = [Table(("Key", "Task", ">In the file", ">From the rows", "Likely cause"), rows_shown)]
    left = sum(check["disagreements"] for run in runs for check in run.checks) - len(rows_shown)
    if left > 0:
        remainder = count(left, "more value differs", "more values differ")
        blocks.append(Paragraph((say("{more}: see the checks of the runs in analysis.json.", more=remainder),)))
    return blocks
