"""What rollouts show, as a sparse matrix: every readable feature with the rollouts that have it.

Rules that fired, calls, their pairs, the first and the last, errors of tools, failed checks, shapes of failure,
patches, the course of the steps, how many turns, and phrases that separate. Comparisons hold them against runs and
outcomes, and `features.parquet` keeps them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import orjson
import polars as pl

from blade.diagnosis.blame import SHAPES
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.phrases import LEVEL, LIKELY, PhraseFinding, find_words, separating_phrases, surer
from blade.extract.phrases import CALLS, ENVIRONMENT, MODEL, THOUGHTS, USER
from blade.extract.sent_calls import ANSWERED, FENCED, GLUED, PROSE, SWALLOWED, UNCLOSED
from blade.registry import plugins
from blade.wording import printable

Features = dict[tuple[str, str], set[int]]
"""Kind and name → the identities of the cases that have it."""
PHRASE, RULE, VERDICT, ERROR, CHECK, SHAPE = "phrase", "rule", "verdict", "error", "check", "shape"
CALL, PAIR, FIRST, LAST, PATCH, STEPS, TURNS = "call", "pair", "first call", "last call", "patch", "steps", "turns"
SENT = "sent"
SAYS = {
    MODEL: "the model writes",
    ENVIRONMENT: "a tool prints",
    USER: "the user says",
    CALLS: "a call holds",
    THOUGHTS: "the model thinks",
}
SENT_AS = {
    FENCED: "commands are sent inside a fence",
    PROSE: "sentences are sent as commands",
    SWALLOWED: "commands are sent without their line breaks",
    GLUED: "commands are sent without their line breaks",
    UNCLOSED: "commands lose a quote on their way",
    ANSWERED: "commands hold the environment's part",
}
"""What is odd about calls as they were sent (`extract.sent_calls`)."""
MOST_PHRASES = 6
MOST_CALLS = 64
FEWEST = 2
"""A feature of a single rollout says nothing."""
OF_EVERY_TRY, FEWEST_TRIED_AGAIN = 0.9, 5
"""So large a share of the rollouts with a second call holds what every miss is answered with."""
_IDENTITY = {"run": pl.String, "task": pl.String, "attempt": pl.Int64, "passed": pl.Boolean}
_FEATURE = {"kind": pl.String, "feature": pl.String}


def features(runs: Sequence[RunCases]) -> Features:
    """The features of all rollouts that ran and were judged; worked out once for the runs with and without copies."""
    if not runs:
        return {}
    memo, memo_key = runs[0].known, f"features {len(runs)}"
    if memo_key not in memo:
        cases = [case for run in runs for case in judged_cases(run)]
        holders: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        checks = {place: names for run in runs for place, names in _failed_checks(run)}
        for case in cases:
            identity = id(case)  # one number for all its features
            for feature in features_of_case(case):
                holders[feature].add(identity)
            for name in checks.get(case.place[:2], ()):
                holders[CHECK, name].add(identity)
        for phrase in find_words(phrases(runs, cases)[:MOST_PHRASES]):
            holders[PHRASE, f"{SAYS[phrase.actor]} “{printable(phrase.words)}”"] = {id(case) for case in phrase.cases}
        memo[memo_key] = {name: having for name, having in holders.items() if len(having) >= FEWEST}
    return memo[memo_key]  # type: ignore[no-any-return]


def judged_cases(run: RunCases) -> list[Case]:
    return [case for case in run.cases if case.evaluable and case.stage_lost is None and case.passed is not None]


def phrases(runs: Sequence[RunCases], cases: Sequence[Case]) -> list[PhraseFinding]:
    """The phrases that separate failures from passes, worked out once for all who ask of so many runs.

    Those of failures come first. Most questions leave out runs that copy another, and some do not.
    """
    memo, memo_key = runs[0].known, f"phrases {len(runs)}"
    if memo_key not in memo:
        findings = [finding for one in likely_phrases(runs, cases) if (finding := surer(one, LEVEL)) is not None]
        findings = [finding for finding in findings if not _of_every_second_try(finding)]
        memo[memo_key] = sorted(
            findings, key=lambda finding: (finding.chosen.effect >= 0, -_excess(finding), finding.chosen.p)
        )
    return memo[memo_key]  # type: ignore[no-any-return]


def likely_phrases(runs: Sequence[RunCases], cases: Sequence[Case]) -> list[PhraseFinding]:
    """The phrases that may separate failures from passes, by p: for questions with a test of their own."""
    memo, memo_key = runs[0].known, f"likely phrases {len(runs)}"
    if memo_key not in memo:
        mixed_outcomes = len({bool(case.passed) for case in cases}) > 1
        memo[memo_key] = separating_phrases(runs, cases, LIKELY) if mixed_outcomes else []
    return memo[memo_key]  # type: ignore[no-any-return]


def _of_every_second_try(finding: PhraseFinding) -> bool:
    """Whether passes that take a second call hold the phrase as often as failures do: it answers every first miss."""
    if finding.chosen.effect >= 0:
        return False
    tried_again = [case for case in finding.known if len(case.actions) > 1]
    passes, failures = ([case for case in tried_again if bool(case.passed) is ended] for ended in (True, False))
    if min(len(passes), len(failures)) < FEWEST_TRIED_AGAIN:
        return False
    holding = {id(case) for case in finding.cases}
    in_passes, in_failures = (sum(id(case) in holding for case in part) / len(part) for part in (passes, failures))
    return in_passes >= max(OF_EVERY_TRY, in_failures - (1 - OF_EVERY_TRY))


def _excess(finding: PhraseFinding) -> float:
    """How many failures more its rollouts have than as many others."""
    population, cases = finding.known, finding.cases
    return sum(not case.passed for case in cases) - len(cases) * sum(not case.passed for case in population) / len(
        population
    )


def features_of_case(case: Case) -> Iterator[tuple[str, str]]:
    """Kind and name of every feature that a rollout shows by itself."""
    for name in case.fired():
        rule = plugins("detectors")[name]
        kind = SHAPE if name in SHAPES else VERDICT if set(rule.READS) <= {"verifier"} else RULE
        yield kind, str(rule.TITLE)
    yield from _of_calls(case)
    observed = case.observed
    for oddity in dict.fromkeys(SENT_AS[name] for name in observed.get("sent", ()) if name in SENT_AS):
        yield SENT, oddity
    for tool, template, *_ in observed.get("errors", ()):
        yield ERROR, f"{tool}: {template}"
    if "shape" in observed and not case.passed:
        yield SHAPE, observed["shape"]
    for name, patch in observed.get("patches", {}).items():
        if patch is None:
            yield PATCH, f"{name} is empty"
        elif not patch[0]:
            yield PATCH, f"{name} changes no code"
    if observed.get("edited") == 0:
        yield PATCH, "edited code was not run"
    if observed.get("steps", {}).get("prompt", (0, 0))[1]:
        yield STEPS, "the prompt shrinks"
    if "turns_said" in observed and observed["turns_said"][1]:
        yield STEPS, "a turn is empty"
    if "turns" in observed:
        yield TURNS, _size(observed["turns"])


def _of_calls(case: Case) -> Iterator[tuple[str, str]]:
    tools = case.tools[:MOST_CALLS]
    if not tools:
        return
    yield FIRST, tools[0]
    yield LAST, tools[-1]
    for tool in dict.fromkeys(tools):
        yield CALL, tool
    for first_tool, next_tool in dict.fromkeys(pairwise(tools)):
        if first_tool != next_tool:
            yield PAIR, f"{first_tool}, then {next_tool}"


def _size(turns: int) -> str:
    """Turns by powers of two: the same bins for all runs."""
    low = 1 << max(turns.bit_length() - 1, 0)
    return f"{low} to {2 * low - 1} turns" if low > 1 else "1 turn"


def _failed_checks(run: RunCases) -> Iterator[tuple[tuple[str, int], list[str]]]:
    if "checks" not in run.run.graded.columns:
        return
    for file, line, checks in run.run.graded.select("file", "line", "checks").drop_nulls().iter_rows():
        check_results = orjson.loads(checks)
        yield (run.run.raw.sources[file], line), [name for name, passed in check_results.items() if not passed]


def feature_table(runs: Sequence[RunCases]) -> pl.DataFrame:
    """features.parquet: one row for each rollout and feature that it has."""
    cases = sorted((case for run in runs for case in run.cases), key=lambda case: (case.run, case.label, case.attempt))
    place_of = {id(case): place for place, case in enumerate(cases)}
    named = sorted(features(runs).items())
    places = [
        np.sort(np.array([place_of[case_id] for case_id in having if case_id in place_of], np.uint32))
        for _, having in named
    ]
    rollouts = pl.DataFrame(
        [(case.run, case.label, case.attempt, case.passed) for case in cases], schema=_IDENTITY, orient="row"
    )
    words = pl.DataFrame([name for name, _ in named], schema=_FEATURE, orient="row")
    of_rollout = pl.Series(np.concatenate([np.zeros(0, np.uint32), *places]))
    of_feature = pl.Series(np.repeat(np.arange(len(places), dtype=np.uint32), [*map(len, places)] or 0))
    return rollouts[of_rollout].hstack(words[of_feature])
