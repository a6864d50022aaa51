"""One run in a few sentences, and all of them in a table: what the executive summary says of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from blade.change.single_differences import unnamed_settings
from blade.counting.denominator import UNTRACED
from blade.counting.lost_rollouts import lost_much
from blade.document import Fact, Sentence, Table, say
from blade.files.remote_paths import TranslatedPath
from blade.model import Analysis, RunAnalysis, Status
from blade.wording import abridged, amount, count, fact, listed, name, percent, points, printable, rate, score, span

KEYS_TOLD = 3
PAIR = 2
SYMPTOMS_TOLD, FEWEST_SYMPTOMS, SYMPTOM_LETTERS = 7, 3, 420
"""Seven symptoms; fewer where their names are long, as those of a verifier's messages are."""
OF_STATUS = "status_"
"""How the ids of modes begin that a row's own status makes: a limit that it reached is a symptom, too."""
TREND_WIDTH = 24
NOT_RANKED = "not ranked"
SCORE_OF_ALL = ">Score, lost as 0"
VISIBLE = 0.005
"""Score and pass rate that differ by less are one number to the reader."""


def run_summary(run: RunAnalysis, spent: int = 0) -> Iterator[Sentence]:
    """The score, how sure it is, and what stands behind it.

    `spent` rollouts were cut only at a limit at which every failure of the run ends.
    """
    if run.metrics["missing"] == "zero" and run.metrics["score_zero_fill"] is not None:
        yield _zero_fill(run)
    yield _score(run)
    yield from _over_rollouts(run)
    yield from _passes(run)
    yield from _missing(run)
    yield from _statuses(run, spent)
    yield from _endings(run)
    yield from _transcripts(run)
    yield from _checks(run)


def _zero_fill(run: RunAnalysis) -> Sentence:
    value = run.metrics["score_zero_fill"]
    return say(
        "{run} scores {score} with every missing rollout counted as 0, as asked.",
        run=name(run.name),
        score=fact(score(value, run.scale), value, "runs", run.name, "metrics", "score_zero_fill"),
    )


def _score(run: RunAnalysis) -> Sentence:
    at = ("runs", run.name, "metrics")
    value = run.metrics["score"]
    facts: dict[str, Fact | str] = {
        "run": name(run.name),
        "score": fact(score(value, run.scale), value, *at, "score"),
        "rows": fact(
            count(run.denominator.counted, "graded rollout"),
            run.denominator.counted,
            "runs",
            run.name,
            "denominator",
            "counted",
        ),
        "tasks": fact(count(run.metrics["tasks"], "task"), run.metrics["tasks"], *at, "tasks"),
    }
    interval = run.metrics["score_interval"]
    if value is None:
        return say("{run}: no row has a usable score, so there is nothing to count.", **facts)
    if interval is None:
        cause = "one task alone gives" if run.metrics["tasks"] == 1 else "tasks that all score alike give"
        return say("{run} scores {score} over {rows} of {tasks}; " + cause + " no interval.", **facts)
    facts["interval"] = fact(span(interval, run.scale), list(interval), *at, "score_interval")
    return say("{run} scores {score} (95% interval {interval}) over {rows} of {tasks}.", **facts)


def _over_rollouts(run: RunAnalysis) -> Iterator[Sentence]:
    """The mean over rollouts where it is another number: some tasks have more rollouts than others."""
    value, mean = run.metrics["score"], run.metrics["micro"]
    if None not in (value, mean) and abs(value - mean) >= VISIBLE:
        yield say(
            "The mean over rollouts is {mean}: tasks have different numbers of them, and each task weighs the same "
            "here.",
            mean=fact(score(mean, run.scale), mean, "runs", run.name, "metrics", "micro"),
        )


def _passes(run: RunAnalysis) -> Iterator[Sentence]:
    buckets = run.buckets
    if buckets is None:
        yield say(
            "No pass threshold is declared, so there are no pass rates and no buckets: the score is the mean reward."
        )
        return
    at = ("runs", run.name)
    parts: dict[str, Fact | str] = {key: amount(buckets[key], *at, "buckets", key) for key in ("sometimes", "never")}
    parts["always"] = fact(count(buckets["always"], "task"), buckets["always"], *at, "buckets", "always")
    k = run.metrics["k"]
    if len(run.metrics["pass_at_k"]) < 2:
        passed = fact(count(buckets["always"], "task"), buckets["always"], *at, "buckets", "always")
        failed = fact(f"{buckets['never']:,}", buckets["never"], *at, "buckets", "never")
        which = "whether it is" if buckets["always"] + buckets["never"] == 1 else "which are"
        reliable = f"; only repeats show {which} reliable."
        if buckets["never"]:
            text = "With one attempt per task, {passed} passed and {failed} did not" + reliable
            yield say(text, passed=passed, failed=failed)
        else:
            words = {1: "the one task", 2: "both tasks"}.get(buckets["always"]) or f"all {buckets['always']:,} tasks"
            every = fact(words, buckets["always"], *at, "buckets", "always")
            yield say("With one attempt per task, {every} passed" + reliable, every=every)
        return
    passes = "passes" if buckets["always"] == 1 else "pass"
    sometimes, never = ("does" if buckets[bucket] == 1 else "do" for bucket in ("sometimes", "never"))
    words = f"{{always}} always {passes}, {{sometimes}} sometimes {sometimes}, {{never}} never {never}."
    yield say(words, **parts)
    value, retry = run.metrics["pass_at_k"].get(str(k)), run.metrics["retry_value"]
    if value is not None and retry is not None and k > 1 and buckets["sometimes"]:
        yield say(
            "pass@{k} is {rate}: retries gain {gain}, all of it on tasks that sometimes pass.",
            k=str(k),
            rate=rate(value, *at, "metrics", "pass_at_k", str(k)),
            gain=fact(points(retry), retry, *at, "metrics", "retry_value"),
        )


def _missing(run: RunAnalysis) -> Iterator[Sentence]:
    chain = run.denominator
    at = ("runs", run.name, "denominator")
    if chain.expected is None:
        yield say("The expected number of rollouts is unknown, so missing ones cannot be detected.")
        return
    left = unfinished(run)
    if left and chain.expected_source == "manifest":
        yield say("The run {left}.", left=left)
    uncounted = chain.expected - chain.counted
    if uncounted <= 0:
        return
    text = fact(f"{uncounted:,} of {chain.expected:,}", uncounted, *at, "losses")
    source_words = " (a number inferred from the rows)" if chain.from_rows else ""
    bounds = chain.bounds
    does, them = ("does", "it") if uncounted == 1 else ("do", "all of them")
    if bounds is None or run.metrics["score_zero_fill"] is None:
        yield say("{text} expected rollouts" + source_words + f" {does} not count in the score.", text=text)
        return
    yield say(
        "{text} expected rollouts"
        + source_words
        + f" {does} not count; with {them} failed or passed, the score would be {{bounds}}.",
        text=text,
        bounds=fact(span(bounds), list(bounds), *at, "bounds"),
    )


def unfinished(run: RunAnalysis) -> str:
    """Why a run is, or may be, unfinished, as the end of a sentence; empty where it ended by all that is known."""
    chain = run.denominator
    untraced = sum(loss.rollouts for loss in chain.losses if loss.reason == UNTRACED)
    if is_translated(run):
        if chain.expected_source != "manifest" or not untraced:
            return ""
        have = "has no row" if untraced == 1 else "have no row"
        return f"is unfinished: {untraced:,} of the {chain.expected:,} rollouts that its files name {have}"
    if chain.expected_source == "manifest" and untraced:
        have = "has no row and no failure" if untraced == 1 else "have no row and no failure"
        ended = "" if run.checks else ", and no aggregate was written"
        return f"is unfinished: {untraced:,} of the {chain.expected:,} rollouts that its inputs name {have}{ended}"
    if run.checks:
        return ""
    if chain.expected_source == "manifest":
        return "may be unfinished: there is no file of aggregates beside its rows"
    return "may be unfinished: there is neither a file of materialized inputs nor one of aggregates beside its rows"


def is_translated(run: RunAnalysis) -> bool:
    """Whether the run is another program's, which writes neither inputs nor aggregates of NeMo Gym."""
    return any(isinstance(file.path, TranslatedPath) for file in run.files)


def _statuses(run: RunAnalysis, spent: int) -> Iterator[Sentence]:
    words = {
        Status.INFRASTRUCTURE: "broken by infrastructure",
        Status.VERIFIER_ERROR: "without a verdict",
        Status.SKIPPED: "not verified",
        Status.TIMED_OUT: "timed out",
        Status.TRUNCATED: "cut off",
        Status.MALFORMED: "whose answer or result is missing or could not be parsed",
    }
    status_counts = {status: run.statuses.get(status.value, 0) for status in words}
    status_counts[Status.TRUNCATED] -= spent
    if spent:
        yield say(
            "{spent} at the limit, as failures do where only a pass ends an attempt earlier.",
            spent=fact(count(spent, "rollout ends", "rollouts end"), spent, "runs", run.name, "statuses"),
        )
    parts = [f"{status_counts[status]:,} {text}" for status, text in words.items() if status_counts[status]]
    if not parts:
        return
    total = sum(status_counts.values())
    verb = "is" if total == 1 else "are"
    yield say(
        "{total} {verb} abnormal: {told}.",
        total=fact(count(total, "rollout"), total, "runs", run.name, "statuses"),
        verb=verb,
        told=listed(parts),
    )
    blameless = sum(run.statuses.get(key, 0) for key in ("infrastructure", "verifier_error"))
    evaluable, tasks = (run.metrics["evaluable"][key] for key in ("score", "tasks"))
    if blameless and evaluable is None:
        yield say("No row measures the model: do not read this score as its ability.")
    if blameless and evaluable is not None:
        yield say(
            "Over judged rollouts only, the score (mean over {tasks}) is {score}.",
            tasks=fact(count(tasks, "task"), tasks, "runs", run.name, "metrics", "evaluable", "tasks"),
            score=fact(score(evaluable, run.scale), evaluable, "runs", run.name, "metrics", "evaluable", "score"),
        )


def _endings(run: RunAnalysis) -> Iterator[Sentence]:
    """Rollouts that stop on a tool's answer, where that is not how those with a transcript usually end."""
    ended = run.endings.get("output")
    recorded = sum(ending["rollouts"] for end, ending in run.endings.items() if end != "nothing")
    if not ended or ended["rollouts"] * 2 > recorded:
        return
    at = ("runs", run.name, "endings", "output")
    passed = ""
    facts: dict[str, Fact | str] = {
        "many": fact(count(ended["rollouts"], "rollout ends", "rollouts end"), ended["rollouts"], *at, "rollouts"),
    }
    if ended["passed"] is not None:
        facts["passed"] = amount(ended["passed"], *at, "passed")
        passed = " ({passed} of them passed)"
    yield say("{many} on a tool's output, with no final message and no closing call" + passed + ".", **facts)


def _transcripts(run: RunAnalysis) -> Iterator[Sentence]:
    """That few rows show what the model did, where some do."""
    if run.audit and not run.audit["records_turns"] and run.audit["with_turns"]:
        some = f"{run.audit['with_turns']:,} of {count(run.audit['rows'], 'row')}"
        yield say(
            "Only {some} {record} what the model did: of the others no step is known.",
            some=fact(some, run.audit["with_turns"], "runs", run.name, "audit", "with_turns"),
            record="records" if run.audit["with_turns"] == 1 else "record",
        )


def _checks(run: RunAnalysis) -> Iterator[Sentence]:
    wrong = [check for check in run.checks if check["disagreements"]]
    if wrong:
        files = listed([str(check["kind"]).replace("_", " ") for check in wrong])
        disagreements = sum(check["disagreements"] for check in wrong)
        yield say(
            "The run's own {files} differs from its rows in {many}.",
            files=files,
            many=fact(count(disagreements, "value"), disagreements, "runs", run.name, "checks"),
        )
    elif run.checks:
        yield _agreement(run)
    if run.metrics["mde"] is not None and run.scale == "unit":
        value = run.metrics["mde"]
        yield say(
            "Minimum detectable effect against a second such run: {mde} (at 80% power).",
            mde=fact(percent(value).replace("%", " pp"), value, "runs", run.name, "metrics", "mde"),
        )


def unchecked(run: RunAnalysis) -> list[str]:
    """The keys of the run's own summary files that its rows do not give, so that nothing can be said of them."""
    return list(dict.fromkeys(key for check in run.checks for key in check["not_recomputed"]))


def unchecked_words(keys: Sequence[str]) -> str:
    return f"{count(len(keys), 'value')} could not be recomputed and {'is' if len(keys) == 1 else 'are'} unchecked"


def _agreement(run: RunAnalysis) -> Sentence:
    matched = sum(check["matched"] for check in run.checks)
    open_keys = unchecked(run)
    facts = {"many": fact(count(matched, "value") + " recomputed", matched, "runs", run.name, "checks")}
    if not matched:
        keys = f" ({abridged(open_keys, KEYS_TOLD)})" if open_keys else ""
        return say(
            "Nothing in the run's own summary files could be recomputed from its rows: they are unchecked{keys}.",
            keys=keys,
        )
    if not open_keys:
        return say("The run's own summary files agree with its rows ({many}).", **facts)
    return say(
        "What could be recomputed of the run's own summary files agrees with its rows ({many}); {rest}: {keys}.",
        rest=unchecked_words(open_keys),
        keys=abridged(open_keys, KEYS_TOLD),
        **facts,
    )


def failing_symptoms(analysis: Analysis) -> Iterator[Sentence]:
    """How many failures of each of two runs show each symptom, side by side.

    Symptoms that passes show as often tell of no way of failing.
    """
    runs = analysis.runs
    if len(runs) != PAIR:
        return
    judged = all(run.score_threshold is not None for run in runs)
    failed = [sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes) for run in runs]
    passed = sum(run.metrics["rollouts"] for run in runs) - sum(failed)
    counts = []
    for mode in analysis.modes:
        shown = [mode.runs[run.name]["any_failed"] for run in runs]
        on_passes = sum(mode.runs[run.name]["any_rollouts"] for run in runs) - sum(shown)
        is_sign = mode.detector is not None or mode.id.startswith(OF_STATUS)
        if is_sign and sum(shown) > 1 and on_passes * sum(failed) < sum(shown) * passed:
            counts.append((sum(shown), f"{mode.name} {shown[0]:,} and {shown[1]:,}"))
    counts.sort(key=lambda item: (-item[0], item[1]))
    if counts:
        letters = list(accumulate(len(words) for _, words in counts[:SYMPTOMS_TOLD]))
        symptoms_told = max(FEWEST_SYMPTOMS, sum(length <= SYMPTOM_LETTERS for length in letters))
        yield say(
            "By symptom, of {first} of {base} and {second} of {last}: {parts}{others}; some show several.",
            base=name(runs[0].name),
            last=name(runs[1].name),
            first=count(failed[0], "failure")
            if judged
            else count(failed[0], "rollout below the full score", "rollouts below the full score"),
            second=f"{failed[1]:,}",
            parts="; ".join(words for _, words in counts[:symptoms_told]),
            others=f"; and {len(counts) - symptoms_told} more" if len(counts) > symptoms_told else "",
        )


def leaderboard(analysis: Analysis) -> Table:
    """Every run in a line, the best first by what was judged: a row that nobody judged says nothing of the model."""
    ranks = _ranks(analysis)
    places, trend = _series_places(analysis), _trend(analysis)
    graded, settings = any(map(_graded, analysis.runs)), _unnamed_settings(analysis)
    columns = ("Run", *(field.capitalize() for field in settings), ">Score", ">95% interval",
               *([">Pass rate"] if graded else []), *(["Trend"] if trend else []),
               *([">Rank"] if ranks else []), ">Judged", SCORE_OF_ALL)  # fmt: skip
    rows: list[tuple[str | Fact, ...]] = []

    def order_of(run: RunAnalysis) -> tuple[int, bool, float]:
        return places.get(run.name, 0), ranks.get(run.name) == NOT_RANKED, -_judged_score(run)

    for run in sorted(analysis.runs, key=order_of):
        at, metrics = ("runs", run.name, "metrics"), run.metrics
        alone = metrics["evaluable"]
        interval = alone.get("score_interval")
        rows.append(
            (
                name(run.name),
                *(values.get(run.name, "") for values in settings.values()),
                fact(score(alone["score"], run.scale), alone["score"], *at, "evaluable", "score"),
                fact(span(interval, run.scale), list(interval), *at, "evaluable", "score_interval") if interval else "",
                *([_pass_rate(run)] if graded else []),
                *([trend[run.name]] if trend else []),
                *([ranks[run.name]] if ranks else []),
                fact(f"{alone['rollouts']:,} of {_rollouts(run):,}", alone["rollouts"], *at, "evaluable", "rollouts"),
                _score_of_all(run),
            )
        )
    base = analysis.runs[0].name
    order = "in the order of the checkpoints" if places else "best first"
    caption = (
        f"Scores over judged rollouts (means over tasks), {order}. "
        f"Baseline: {base} (the first run, unless --baseline names another)."
    )
    return Table(columns, tuple(rows), caption=caption)


def _unnamed_settings(analysis: Analysis) -> dict[str, dict[str, str]]:
    """Field → run → its value: the model, the agent or what else tells the runs apart and their names do not say."""
    fields: dict[str, dict[str, str]] = {}
    for change in analysis.changes:
        for setting in unnamed_settings(change.passport, (change.base, change.candidate)):
            field = setting["field"]
            fields.setdefault(field, {run.name: _recorded(run, field, setting["base"]) for run in analysis.runs})
    for change in analysis.changes:
        for setting in change.passport:
            if setting["field"] in fields:
                fields[setting["field"]][change.candidate] = str(setting["candidate"])
    return {field: {run: printable(value) for run, value in values.items()} for field, values in fields.items()}


def _recorded(run: RunAnalysis, field: str, baseline: Any) -> str:
    """The value of the baseline, for a run from which no difference is known; nothing where it records none itself."""
    recorded = {"model": run.provenance.models, "agent": run.provenance.agent}
    return str(baseline) if recorded.get(field, True) else ""


def _graded(run: RunAnalysis) -> bool:
    """Whether the score is no pass rate: failures earn a part of the reward, and the mean alone would hide them."""
    alone = run.metrics["evaluable"]
    passing = alone["pass_at_k"].get("1")
    return passing is not None and alone["score"] is not None and abs(alone["score"] - passing) >= VISIBLE


def _pass_rate(run: RunAnalysis) -> Fact | str:
    value = run.metrics["evaluable"]["pass_at_k"].get("1")
    return "" if value is None else rate(value, "runs", run.name, "metrics", "evaluable", "pass_at_k", "1")


def _rollouts(run: RunAnalysis) -> int:
    """The rollouts that the score of all is over: those expected where missing ones count as 0, else those with a row.

    Copies and rows of others beyond what was expected are none.
    """
    expected = run.denominator.expected or run.rollouts
    return expected if run.metrics["score_zero_fill"] is not None else min(run.rollouts, expected)


def _score_of_all(run: RunAnalysis) -> Fact:
    """The score over all rollouts; one that nobody scored counts 0, as the files of most harnesses count it."""
    metric = "score" if run.metrics["score_zero_fill"] is None else "score_zero_fill"
    value = run.metrics[metric]
    return fact(score(value, run.scale), value, "runs", run.name, "metrics", metric)


def _ranks(analysis: Analysis) -> dict[str, str]:
    """Run → the ranks that no comparison rules out, where there are more than two; none for one that lost much."""
    ranking = analysis.ranking
    if ranking is None or len(analysis.runs) <= PAIR:
        return {}
    runs_lost = {run.name for run in analysis.runs if lost_much(run)}
    return {
        run: NOT_RANKED if run in runs_lost else f"{low}" if low == high else f"{low} to {high}"
        for run, (low, high) in zip(ranking["runs"], ranking["ranks"], strict=True)
    }


def _judged_score(run: RunAnalysis) -> float:
    return float(run.metrics["evaluable"]["score"] or 0.0)


def _series_places(analysis: Analysis) -> dict[str, int]:
    """Run → its place in the series, where all runs are checkpoints of one."""
    series = analysis.series
    if series is None or len(series["runs"]) < len(analysis.runs):
        return {}
    return {run: place for place, run in enumerate(series["runs"])}


def _trend(analysis: Analysis) -> dict[str, str]:
    """Run → its interval and score as a drawing in letters, all on one scale; nothing where no series is whole."""
    lines = {
        run.name: (alone["score_interval"], alone["score"])
        for run in analysis.runs
        if (alone := run.metrics["evaluable"])["score_interval"] is not None
    }
    if not _series_places(analysis) or len(lines) < len(analysis.runs):
        return {}
    low, high = min(line[0][0] for line in lines.values()), max(line[0][1] for line in lines.values())
    if high <= low:
        return {}

    def drawing(interval: Sequence[float], value: float) -> str:
        start, end, middle = (round((TREND_WIDTH - 1) * (at - low) / (high - low)) for at in (*interval, value))
        return "".join(
            "●" if place == middle else "─" if start <= place <= end else "·" for place in range(TREND_WIDTH)
        )

    return {run: drawing(*line) for run, line in lines.items()}
