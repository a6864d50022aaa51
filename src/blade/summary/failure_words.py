"""How the rollouts of a summary fail: the failure that is shown first, and the modes that hold most failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.commonest_failure import commonest_failure
from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.interventions import REASON, most_named
from blade.diagnosis.labels import count_labels
from blade.diagnosis.named_values import told_value
from blade.diagnosis.recorded import CLOCKS
from blade.diagnosis.remedies import LIMIT, OF_TASKS, remedy
from blade.document import Fact, Sentence, say
from blade.extract.text import clip
from blade.findings import LONGEST_QUOTE, Intervention, Mode
from blade.model import Analysis, RunAnalysis, Status
from blade.wording import abridged, amount, at, count, fact, listed, name, percent, printable, worth_quoting

FEW_RUNS = 2
LONGEST_SHOWN = LONGEST_QUOTE - 1
"""A quote that fills its room was cut there: it ends with the mark of it."""
LONGEST_CITED, ENDS = 120, ".!?\"'”)]}…"
"""Rules cite so much of a text; what ends otherwise was cut there."""
REPEATED = 40
"""So many characters of a quote that stand in the sentence before it make it a repetition."""
MANY = 0.2
"""Of all failures: so many of one kind are told before "wrong"."""
MODES_TOLD = 3
FEWEST_LABELLED = 10
RUNS_TOLD = 3
BY_STATUS = "status_"
WRONG_ANSWER, PARTIAL = "wrong_answer", "partial_credit"
HALF = 0.5
EXACT = 1e-6
"""Modes that the status alone tells: infrastructure, the verifier, a limit."""


def _class_words(analysis: Analysis) -> Iterator[Sentence]:
    """Where no failure mode is known: the class that the rows themselves give to most failures, and to no pass."""
    answer = analysis.investigation.get("verifier_classes")
    if not answer or not answer["classes"]:
        return
    commonest_class, failed = answer["classes"][0], sum(answer["failed"])
    if commonest_class["passes"] or 2 * commonest_class["failures"] < failed:
        return
    path = ("investigation", "verifier_classes", "classes", 0)
    yield say(
        "no failure mode is known; the rows call {many} of {failed} “{label}” ({field}), and no pass",
        many=amount(commonest_class["failures"], *path, "failures"),
        failed=count(failed, "judged failure"),
        label=fact(printable(commonest_class["class"]), commonest_class["class"], *path, "class"),
        field=commonest_class["field"],
    )


def commonest_words(analysis: Analysis) -> Iterator[Sentence]:
    """How most failures look, with one of them in its own words; a way that is explained weighs more than a shape."""
    commonest = commonest_failure(analysis)
    if commonest is None:
        yield from _class_words(analysis)
        yield from _late_words(analysis, analysis.runs[-1:] if len(analysis.runs) <= FEW_RUNS else analysis.runs)
        return
    mode, runs, finding = commonest.mode, commonest.runs, commonest.finding
    quote = finding.evidence[0].quote
    showing = max(commonest.rollouts, sum(mode.runs[run.name]["any_failed"] for run in runs))
    rest = (
        "" if showing == commonest.rollouts else f"; {commonest.rollouts:,} of them show no symptom nearer to a cause"
    )
    rest = (
        _going_round(mode, runs, analysis)
        or _of_another_kind(mode, analysis)
        or _parts_missed(mode, runs, analysis)
        or rest
    )
    rest, facts = _with_value(analysis, mode, commonest.rollouts, rest)
    lost = commonest.lost if showing <= commonest.failed - commonest.lost else 0
    noun = "judged failure" if lost else "failed rollout"
    yield say(
        "{mode} in {many} of {failed} of {runs}{parts}"
        + rest
        + ", e.g. {run}, task {statement}"
        + (" “{quote}”" if _adds_words(finding.statement, quote) else ""),
        runs=name(runs[0].name) if len(runs) == 1 else "all runs",
        parts="" if len(runs) == 1 else _most_in(mode, runs),
        mode=mode.name,
        many=f"{showing:,}",
        failed=count(commonest.failed - lost, noun if commonest.is_judged else "rollout"),
        run=name(finding.run),
        statement=finding.statement,
        quote=Fact(_cut(quote), "quote", quote, at("findings", commonest.place, "evidence", 0, "quote")),
        **facts,
    )
    if commonest.shapes and len(analysis.runs) != FEW_RUNS:  # of two runs all symptoms are listed side by side
        more = abridged([f"{shape.name} ({rollouts:,})" for shape, rollouts in commonest.shapes], MODES_TOLD)
        yield say("More common, but only the shape of a failure: {more}.", more=more)
    if mode.id in {WRONG_ANSWER, PARTIAL}:  # such a mode names no cause
        yield from _label_words(analysis, runs)
    yield from _late_words(analysis, runs)


def _label_words(analysis: Analysis, runs: Sequence[RunAnalysis]) -> Iterator[Sentence]:
    """The root causes of the failing tasks of these runs, where most of them have one."""
    counts = count_labels(analysis.labels)
    codes = Counter[str]()
    for run in runs:
        codes.update(counts.get(run.name, {}))
    names = {run.name for run in runs}
    tasks = len({(label.run, label.task) for label in analysis.labels if label.run in names})
    left_open = codes.pop(INSUFFICIENT, 0)
    if tasks < FEWEST_LABELLED or 2 * left_open > tasks:
        return
    labelled = sorted(codes, key=lambda code: (-codes[code], code))
    causes = [f"{analysis.meanings[code]['name']} {codes[code]:,}" for code in labelled if code in analysis.meanings]
    rest = f"; {left_open:,} {'is' if left_open == 1 else 'are'} open" if left_open else ""
    where = "" if len(runs) == 1 else ", counted in each run,"
    yield say(f"Root causes of the {tasks:,} tasks{where} that fail: {listed(causes)}{rest}.")


def _late_words(analysis: Analysis, runs: Sequence[RunAnalysis]) -> Iterator[Sentence]:
    """How many failures and passes bear a word for a time limit, where it makes no mode as many passes bear it."""
    names = {run.name for run in runs}
    if any(mode.id in CLOCKS and any(mode.runs[name]["rollouts"] for name in names) for mode in analysis.modes):
        return
    late = [item for run in runs for item in run.reasons if item["status"] == Status.TIMED_OUT.value]
    passes = sum(item["passed"] or 0 for item in late)
    failures = sum(item["rollouts"] for item in late) - passes
    if failures <= 1 or not passes or any(run.score_threshold is None for run in runs):
        return
    yield say(
        "By a word of their rows {failures} and {passes} ran out of time ({reason}){rates}.",
        failures=count(failures, "failure"),
        passes=count(passes, "pass", "passes"),
        reason=max(late, key=lambda item: item["rollouts"])["reason"],
        rates=_late_rates(runs) or ": passes bear it, too, so that it explains no failure alone",
    )


def _late_rates(runs: Sequence[RunAnalysis]) -> str:
    """How often rollouts out of time pass, beside the others, and whose failures they are; where they pass less often.

    Nothing where scores are graded, and no number of passes is known.
    """
    table = [_late_counts(run) for run in runs]
    late, late_passes, judged, passes = map(sum, zip(*table, strict=True))
    others, other_passes = judged - late, passes - late_passes
    graded = any(abs(scored - round(scored)) > EXACT for *_, scored in table)
    if graded or late_passes * others >= other_passes * late:
        return ""
    rates = f": {percent(late_passes / late)} of these pass, and {percent(other_passes / others)} of the others"
    shares = [
        (f"{run.name} {late - late_passes:,} of {round(judged - passes):,}", (late - late_passes) / (judged - passes))
        for run, (late, late_passes, judged, passes) in zip(runs, table, strict=True)
        if judged > passes
    ]
    shares.sort(key=lambda pair: -pair[1])
    by_run = f"; of the failures of each run so many: {listed([words for words, _ in shares])}"
    return rates + (by_run if len(runs) > 1 else "")


def _late_counts(run: RunAnalysis) -> tuple[int, int, int, float]:
    """Rollouts out of time and passes among them; judged rollouts, and what these score in all."""
    late = [item for item in run.reasons if item["status"] == Status.TIMED_OUT.value]
    alone = run.metrics["evaluable"]
    rollouts, passes = (sum(item[key] or 0 for item in late) for key in ("rollouts", "passed"))
    return rollouts, passes, alone["rollouts"], (alone["micro"] or 0.0) * alone["rollouts"]


def _going_round(mode: Mode, runs: Sequence[RunAnalysis], analysis: Analysis) -> str:
    """How many rollouts at a limit repeat themselves, where some do: that is nearer to a cause than the limit."""
    if remedy(mode) is not LIMIT:
        return ""
    names = {run.name for run in runs}
    entries = analysis.investigation.get("more_room", {}).get("runs", ())
    limits = [entry["limit"] for entry in entries if entry["limit"] and entry["run"] in names]
    looping, cut = (sum(limit[key] for limit in limits) for key in ("looping", "cut"))
    return f"; of {count(cut, 'rollout')} that a limit cut {looping:,} repeat themselves" if looping else ""


def _of_another_kind(mode: Mode, analysis: Analysis) -> str:
    """How many failures answer in another kind than the key, where many do: that is nearer to a cause than "wrong"."""
    shapes = analysis.investigation.get("answer_shapes", {}).get("shapes", ()) if mode.detector == WRONG_ANSWER else ()
    kinds = [entry for entry in shapes if entry["shape"].startswith("kind ")]
    if not kinds or kinds[0]["failures"] < MANY * kinds[0]["of_failures"]:
        return ""
    first = kinds[0]
    return f"; {first['failures']:,} of all {first['of_failures']:,} failures give {first['name']}"


def _parts_missed(mode: Mode, runs: Sequence[RunAnalysis], analysis: Analysis) -> str:
    """Of which set of checks failures meet nothing: that others of them pass is so before any work where those hold."""
    parts = analysis.investigation.get("verdict_parts", {}) if mode.detector == PARTIAL else {}
    names = {run.name for run in runs}
    entries = [entry for entry in parts.get("runs", ()) if entry["run"] in names]
    nothing: Counter[str] = Counter()
    for entry in entries:
        nothing.update(entry["nothing"])
    if not nothing:
        return ""
    part, rollouts = max(nothing.items(), key=lambda pair: (pair[1], pair[0]))
    failures = sum(entry["failures"] for entry in entries)
    if rollouts < HALF * failures:
        return ""
    return f"; {rollouts:,} of {failures:,} that record their parts meet nothing of “{part}”"


def named_words(change: str, items: Sequence[Intervention]) -> str:
    """What the rollouts that a change answers name most, to go on after the change; empty where nothing recurs."""
    named = most_named(items)
    if not named or named[0][0] == REASON or change in OF_TASKS:
        return ""
    noun = named[0][0] if len(named) == 1 else f"{named[0][0]}s"
    return f"; commonest {noun}: " + listed([f"'{value}' ({times:,})" for _, value, times in named])


def _with_value(analysis: Analysis, mode: Mode, rollouts: int, rest: str) -> tuple[str, dict[str, Fact | str]]:
    """The words about a mode with what most of its rollouts name, where something recurs."""
    told = told_value(mode, [run.name for run in analysis.runs])
    if told is None:
        return rest, {}
    order, value, times = told
    place = next(place for place, listed_mode in enumerate(analysis.modes) if listed_mode is mode)
    words = ", each time {value}" if times == rollouts else ", most often {value} ({times})"
    path = ("modes", place, "named", "common", order, "value")
    return rest + words, {"value": name(printable(value.value), *path), "times": f"{times:,}"}


def _cut(quote: str) -> str:
    """A quote with the mark of what was cut: a long one that stops within a word or a value goes on in the row."""
    broken_off = len(quote) >= LONGEST_CITED and quote[-1] not in ENDS
    return clip(f"{quote}…" if broken_off and len(quote) < LONGEST_SHOWN else quote, LONGEST_SHOWN)


def _adds_words(statement: str, quote: str) -> bool:
    """Whether a quote says more than the statement before it; one word, such as "failed", does not."""
    return worth_quoting(quote) and " " in quote.strip() and not _quotes(statement, quote)


def _quotes(statement: str, quote: str) -> bool:
    """Whether a statement already holds words of the quote: nobody reads the same error twice."""
    return any(quote[start : start + REPEATED] in statement for start in range(max(len(quote) - REPEATED, 0) + 1))


def _most_in(mode: Mode, runs: Sequence[RunAnalysis]) -> str:
    """The runs whose failures show it most often: what is common over all need not be so in each."""
    counts = sorted(
        ((mode.runs[run.name]["any_failed"], run.name) for run in runs), key=lambda pair: (-pair[0], pair[1])
    )
    largest = [f"{run} {rollouts:,}" for rollouts, run in counts[:RUNS_TOLD] if rollouts]
    others = any(rollouts for rollouts, _ in counts[RUNS_TOLD:])
    return f" ({'most in ' if others else ''}{listed(largest)})"


def failure_words(analysis: Analysis) -> Iterator[Sentence]:
    """How the last run fails, and the baseline where there is room: the modes that hold most failures."""
    for run in {run.name: run for run in (analysis.runs[:1] + analysis.runs[-1:])}.values():
        held = [
            (place, mode)
            for place, mode in enumerate(analysis.modes)
            if (mode.detector is not None or mode.id.startswith(BY_STATUS)) and mode.runs[run.name]["any_failed"] > 1
        ]
        failed = sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes)
        passed = run.metrics["rollouts"] - failed
        held = [pair for pair in held if not _as_in_passes(pair[1].runs[run.name], failed, passed)]
        counted = "rollouts" if all(_alone(mode, run.name) for _, mode in held) else "any_failed"
        held.sort(key=lambda pair: (-pair[1].runs[run.name][counted], pair[1].id))
        if not held or run.score_threshold is None:
            continue  # nothing says what a pass is: no rollout failed
        told = [_rollouts(mode, place, run.name, counted) for place, mode in held[:MODES_TOLD]]
        words = "; ".join(f"{{mode{n}}} ({{many{n}}})" for n in range(len(told)))
        others = failed - sum(mode.runs[run.name]["rollouts"] for _, mode in held[:MODES_TOLD])
        words += f"; others ({others:,})" if others and counted == "rollouts" else ""
        facts: dict[str, Fact | str] = {f"many{n}": many for n, many in enumerate(told)}
        facts |= {f"mode{n}": _called(mode, run.name) for n, (_, mode) in enumerate(held[:MODES_TOLD])}
        yield say(
            "Of the {failed} of {run}{which}: " + words + ".",
            which="" if counted == "rollouts" else ", which may show several symptoms",
            failed=count(failed, "failed rollout"),
            run=name(run.name),
            **facts,
        )
    if len(analysis.runs) <= FEW_RUNS:
        yield from _moved(analysis)


def _as_in_passes(line: Mapping[str, Any], failed: int, passed: int) -> bool:
    """Whether a sign is as common among passes as among failures: then it tells of no way of failing."""
    on_passes = line["any_rollouts"] - line["any_failed"]
    return bool(on_passes and on_passes * failed >= line["any_failed"] * passed)


def _called(mode: Mode, run: str) -> str:
    """A mode's name; where only the rows' word tells it, that is said."""
    return f"{mode.name}, by the rows' own label alone" if mode.runs[run]["by_word"] else mode.name


def _alone(mode: Mode, run: str) -> bool:
    """Whether every failure with a mode's sign is of that mode."""
    return bool(mode.runs[run]["rollouts"] == mode.runs[run]["any_failed"])


def _moved(analysis: Analysis) -> Iterator[Sentence]:
    """Ways of failing that became more or less common beyond chance, which the score alone does not show."""
    moved = [(place, mode) for place, mode in enumerate(analysis.modes) if mode.shift and mode.shift["beyond_chance"]]
    if not moved:
        return
    first, last = analysis.runs[0].name, analysis.runs[-1].name
    facts: dict[str, Fact | str] = {"first": name(first), "last": name(last)}
    for n, (place, mode) in enumerate(moved[:MODES_TOLD]):
        facts |= {f"mode{n}": mode.name}
        old, new = (_rollouts(mode, place, run, "any_rollouts") for run in (first, last))
        facts |= {f"old{n}": old, f"new{n}": new}
    words = "; ".join(f"{{mode{n}}} ({{old{n}}} → {{new{n}}})" for n in range(len(moved[:MODES_TOLD])))
    words += f"; and {len(moved) - MODES_TOLD} more" if len(moved) > MODES_TOLD else ""
    yield say("Symptoms whose number of rollouts changed significantly from {first} to {last}: " + words + ".", **facts)


def _rollouts(mode: Mode, place: int, run: str, counted: str = "rollouts") -> Fact:
    return amount(mode.runs[run][counted], "modes", place, "runs", run, counted)
