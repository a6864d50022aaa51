"""Checks what can be checked in somebody's own words: numbers against what the sentence names, ids, names of runs.

Wrong is only what is plainly bound: a rate beside a run and a measure, "3 of 4" beside a task. A number that may speak
of something BLADE did not count is unverifiable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from blade.checking.claims import is_claim
from blade.checking.measures import PASSING, Named, Values
from blade.checking.names import Names
from blade.checking.negation import counts_failures, denies
from blade.checking.numbers import Figure, Figures, Path, Printed
from blade.checking.outcome import Checked, Kind, Outcome
from blade.checking.statements import RIGHT_AFTER, Statement, bound
from blade.checking.tokens import Token, is_file
from blade.model import RunAnalysis, TaskResult
from blade.wording import percent, points

_OF_SOMETHING = re.compile(r"\s*of\b(?!\s+(?:the\s+|its\s+|all\s+)?(?:\w+\s+)?(?:tasks|rollouts|attempts)\b)")
_LEVEL = re.compile(r"\s*(?:CI\b|confidence\b|interval)")
_ABOUT = re.compile(
    r"\b(?:chance|probability|above|below|under|over|least|most|than|about|around|nearly|almost|roughly)\s+(?:of\s+)?$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\s*(?:tasks?\s+)?(?:that\s+)?(always|sometimes|never)\b", re.IGNORECASE)
_OUTCOME = re.compile(
    r"\s*(?:rollouts|attempts|rows)?\s*(?:were |are )?"
    r"(pass(?:e[sd])?|succeed(?:ed)?|solved|fail(?:ed|s)?)\s*(?:[.,;)]|$)",
)
_TOTAL_BEFORE = re.compile(r"\b(?:over|across|has|had|all|of(?: the| its| all)?)\s+$", re.IGNORECASE)
_TOTAL_AFTER = re.compile(r"\s+(?:graded\s+|expected\s+|common\s+)?(tasks|rollouts)\b(?!\s+(?:that|which|whose|where))")
_MEASURE_BEFORE = re.compile(
    r"\b(?:scores?|scored|accuracy|mean|reward|rate)\s*(?:of|is|was|=|:|at)?\s*$", re.IGNORECASE
)

_NO_PASSES_BEFORE = re.compile(r"\b(?:action|step|item|round|call|part)\s+$", re.IGNORECASE)
_NO_PASSES_AFTER = re.compile(
    r"\s+(?:(?:failing|failed|passing)\s+(?:attempts|rollouts|tries)|failures|fails|passes|successes|errors)\b",
    re.IGNORECASE,
)
"""A place in a list, or a share of the failures: no count of a task's passes."""
_PASSES_BEFORE = re.compile(r"\b(?:pass(?:es|ed)?|solved?|succeed(?:s|ed)?|fail(?:s|ed)?)\s+(?:in\s+)?$", re.IGNORECASE)
_TIMES_AFTER = re.compile(r"\s+(?:times|attempts|rollouts|tries)\b", re.IGNORECASE)
_TO_PASS = re.compile(r"\s+to\b")
_NEGATED = re.compile(r"(?:\b(?:not|never|hardly|cannot|no longer|fail(?:s|ed)? to)|n['’]t)\s+$", re.IGNORECASE)
_WHOLE = re.compile(r"\bscor\w+|\bchange|\bloss\b|\blost\b|\bfell\b|\bdrop", re.IGNORECASE)


class Prose:
    """Holds statements against the values of an analysis."""

    def __init__(self, values: Values, names: Names) -> None:
        self.values = values
        self.names = names

    def check(self, said: Statement) -> Iterator[Checked]:
        """Numbers and names; quotes are sought in the files, elsewhere."""
        for token in said.tokens:
            if said.only is not None and token.start not in said.only:
                continue
            if token.number is not None:
                if is_claim(said.piece.kind, said.text, token, said.first_column):
                    found = self._number(said, token, token.number)
                    yield _denied(said, token) if found.outcome is Outcome.RIGHT and _is_denied(said, token) else found
            elif token.kind in {Kind.ID, Kind.RUN}:
                yield self._name(said, token)

    def _name(self, said: Statement, token: Token) -> Checked:
        if token.known:
            return said.say(Outcome.RIGHT, token)
        if is_file(token.text, self.names):
            return said.say(Outcome.UNVERIFIABLE, token, note="a file that the runs do not have")
        if token.text.isdecimal():
            there = int(token.text[:18]) in self.names.numbers
            outcome = Outcome.RIGHT if there else Outcome.WRONG if self.names.numbers else Outcome.UNVERIFIABLE
            return said.say(outcome, token, note="" if there else "the runs have no such task")
        return said.say(Outcome.WRONG, token, self.names.near(token.text), note="the runs have no such task")

    def _number(self, said: Statement, token: Token, number: Printed) -> Checked:
        tasks = bound(token, said.mentions(Kind.ID), said.text) or said.tasks
        tasks = tuple(task for task in tasks if task in self.values.tasks)
        if number.unit == "ratio":
            return self._ratio(said, token, number, tasks or self._passing_around(said, number))
        runs = self._runs(said, token)
        of_run = self._plain if number.unit == "plain" else self._rate
        if not tasks:
            return of_run(said, token, number, runs)
        beside = _beside_task(said, token)
        of_task = self._of_task(said, token, number, tasks, runs)
        if beside or of_task.outcome is Outcome.RIGHT:
            return of_task
        found = of_run(said, token, number, runs)
        return found if beside is False or found.outcome is Outcome.RIGHT else said.say(Outcome.UNVERIFIABLE, token)

    def _runs(self, said: Statement, token: Token) -> tuple[str, ...]:
        """The runs a number may speak of: named, or all of them where none is named."""
        return bound(token, said.mentions(Kind.RUN), said.text) or said.runs or tuple(self.values.runs)

    def _passing_around(self, said: Statement, number: Printed) -> tuple[str, ...]:
        """The task named before, if the sentence says how many of its attempts passed."""
        if not PASSING.search(said.text):
            return ()
        return tuple(
            task
            for task in said.tasks_around
            if task in self.values.tasks
            and any(result.attempts == number.of for result in self.values.tasks[task].runs.values())
        )

    def _ratio(self, said: Statement, token: Token, number: Printed, tasks: Sequence[str]) -> Checked:
        if _NO_PASSES_BEFORE.search(said.text, 0, token.start) or _NO_PASSES_AFTER.match(said.text, token.end):
            return said.say(Outcome.UNVERIFIABLE, token)
        runs = self._runs(said, token)
        if not tasks:
            return self._ratio_of_run(said, token, number, runs)
        results = [
            (result, task, run)
            for task in tasks
            for run in runs
            if (result := self.values.result(task, run)) is not None
        ]
        failing = _failing(said, token)
        for result, task, run in results:
            if result.attempts == number.of and number.value in _counts(result, failing=failing):
                return said.say(Outcome.RIGHT, token, path=("tasks", task, "runs", run, "passes"))
        counted = [item for item in results if item[0].passes is not None]
        part = not _counts_passes(said, token) and all((number.of or 0) < result.attempts for result, _, _ in counted)
        most = max((result.attempts for result, _, _ in counted), default=0)
        if not counted or part or (len(tasks) > 1 and (number.of or 0) > most):
            return said.say(Outcome.UNVERIFIABLE, token)  # of several tasks together, or of the run
        if not any(result.attempts == number.of for result, _, _ in counted) and not PASSING.search(said.about):
            return said.say(Outcome.UNVERIFIABLE, token)
        wanted = [_told(result, run if len(counted) > 1 else "", failing=failing) for result, _, run in counted[:4]]
        _, task, run = counted[0]
        return said.say(Outcome.WRONG, token, "; ".join(wanted), ("tasks", task, "runs", run, "passes"))

    def _ratio_of_run(self, said: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        """How many rollouts passed is known; other shares are right where BLADE counted both numbers."""
        told = _OUTCOME.match(said.text, token.end)
        fails = counts_failures(said.text, token.start)
        for run in runs:
            passes, rows = self._passes(run)
            if (told or fails) and number.of == rows:
                meant = rows - passes if fails or (told and told[1].startswith("fail")) else passes
                if number.value == meant:
                    return said.say(Outcome.RIGHT, token)
                if len(runs) == 1:
                    return said.say(Outcome.WRONG, token, f"{meant:,} of {rows:,}", ("runs", run))
            elif not told and number.of in _wholes(self.values.runs[run]) and self.values.of_run(run).has(number.value):
                return said.say(Outcome.RIGHT, token)
        return said.say(Outcome.UNVERIFIABLE, token)

    def _passes(self, run: str) -> tuple[int, int]:
        results = [task.runs[run] for task in self.values.analysis.tasks if run in task.runs]
        return sum(result.passes or 0 for result in results), sum(result.attempts for result in results)

    def _of_task(
        self, said: Statement, token: Token, number: Printed, tasks: Sequence[str], runs: Sequence[str]
    ) -> Checked:
        found = [figure for task in tasks for run in runs for figure in self.values.of_task(task, run)]
        means = [figure for figure in found if figure.path[-1] == "mean"]
        apart = [Figure(one.value - two.value, one.path) for one in means for two in means]
        fit = Figures([*found, *(apart if number.unit == "points" else [])]).fit(number)
        if fit is not None:
            return said.say(Outcome.RIGHT, token, path=fit.path)
        if number.unit != "percent" or not means or _speaks_of_else(said, token):
            return said.say(Outcome.UNVERIFIABLE, token)
        return said.say(Outcome.WRONG, token, percent(means[0].value), means[0].path)

    def _rate(self, said: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        named = self._named(said, runs)
        bound_to_run = bool(said.mentions(Kind.RUN) or said.runs or said.runs_around)
        if not named.allowed and not bound_to_run:
            return said.say(Outcome.UNVERIFIABLE, token)
        apart = self.values.changes if number.unit == "points" else self.values.differences if len(runs) > 1 else []
        if named.allowed:
            fit = Figures([*named.allowed, *apart]).fit(number)
        else:
            fit = next((fit for run in runs if (fit := self.values.of_run(run).fit(number))), None)
        if fit is not None:
            return said.say(Outcome.RIGHT, token, path=fit.path)
        fit = self.values.diagnosed.fit(number)
        if fit is not None:
            return said.say(Outcome.RIGHT, token, path=fit.path)
        if not named.meant or _speaks_of_else(said, token) or self._native(runs):
            return said.say(Outcome.UNVERIFIABLE, token)
        if number.unit == "points":
            return self._wrong_points(said, token)
        meant = named.nearest(number)
        return said.say(Outcome.WRONG, token, percent(meant.value), meant.path)

    def _named(self, said: Statement, runs: Sequence[str]) -> Named:
        found = [self.values.named(said.about, run) for run in runs]
        meant = tuple(figure for one in found for figure in one.meant)
        return Named(meant, tuple(figure for one in found for figure in one.allowed))

    def _wrong_points(self, said: Statement, token: Token) -> Checked:
        """The right value is only known where the sentence speaks of the score's whole change."""
        changes = self.values.analysis.changes
        if not changes:
            return said.say(Outcome.UNVERIFIABLE, token)
        whole = len(changes) == 1 and _WHOLE.search(said.about)
        wanted = points(changes[0].delta) if whole else None
        return said.say(Outcome.WRONG, token, wanted, ("changes", 0, "delta") if whole else ())

    def _native(self, runs: Sequence[str]) -> bool:
        return any(self.values.runs[run].scale != "unit" for run in runs)

    def _plain(self, said: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        counted = _COUNTED.match(said.text, token.end)
        if counted and any(self.values.runs[run].buckets for run in runs):
            return self._bucket(said, token, number, runs, counted[1].lower())
        fit = next((fit for run in runs if (fit := self.values.of_run(run).fit(number))), None)
        if fit is not None and (number.decimals or _is_count(said, token)):
            return said.say(Outcome.RIGHT, token, path=fit.path)
        if fit is None and number.decimals > 1 and _MEASURE_BEFORE.search(said.text, 0, token.start):
            named = self._named(said, runs)
            if named.meant:
                meant = named.nearest(number)
                return said.say(Outcome.WRONG, token, f"{meant.value:.{number.decimals}f}", meant.path)
        total = _TOTAL_AFTER.match(said.text, token.end)
        if fit is None and total and _TOTAL_BEFORE.search(said.text, 0, token.start):
            run = self.values.runs[runs[0]]
            wanted = run.tasks if total[1] == "tasks" else run.rollouts
            return said.say(Outcome.WRONG, token, f"{wanted:,}", ("runs", run.name, total[1]))
        return said.say(Outcome.UNVERIFIABLE, token)

    def _bucket(self, said: Statement, token: Token, number: Printed, runs: Sequence[str], bucket: str) -> Checked:
        known = [(run, _bucket(self.values.runs[run], bucket)) for run in runs]
        for run, many in known:
            if number.value in many:
                return said.say(Outcome.RIGHT, token, path=("runs", run, "buckets", bucket))
        if len(runs) > 1:
            return said.say(Outcome.UNVERIFIABLE, token)
        run, many = known[0]
        path: Path = ("runs", run, "buckets", bucket)
        return said.say(Outcome.WRONG, token, f"{many[0]:,}" if many else None, path)


def _speaks_of_else(said: Statement, token: Token) -> bool:
    """Shares of something of their own, levels of intervals, and numbers that are only near what they stand for."""
    after = _OF_SOMETHING.match(said.text, token.end) or _LEVEL.match(said.text, token.end)
    return bool(after or _ABOUT.search(said.text, 0, token.start))


def _beside_task(said: Statement, token: Token) -> bool | None:
    """Whether a number speaks of the task named beside it; None where it may as well speak of the run."""
    mentions = said.mentions(Kind.ID)
    if not mentions:
        return True  # the row names the task
    before = [mention for mention in mentions if mention.end <= token.start]
    if not before:
        return True if RIGHT_AFTER.fullmatch(said.text, token.end, mentions[0].start) else None
    between = said.text[before[-1].end : token.start]
    if re.search(r"[;,]|\bwhile\b|\bbut\b|\boverall\b", between):
        return False
    return None if re.search(r"\band\b", between) else True


def _bucket(run: RunAnalysis, bucket: str) -> list[int]:
    """The bucket's size over all rows, and over those that say something about the model."""
    return [found[bucket] for found in (run.buckets, run.buckets_evaluable) if found is not None]


def _wholes(run: RunAnalysis) -> set[int | None]:
    chain = run.denominator
    return {run.tasks, run.rollouts, chain.expected, chain.started, chain.finished, chain.graded, chain.counted}


def _is_count(said: Statement, token: Token) -> bool:
    """A bare number is only held against counts where a noun says that it counts something."""
    word = re.match(
        r"\s+(?:\w+\s+)?(?:tasks?|rollouts?|attempts?|tokens?|rows?|files?|runs?|values?)\b", said.text[token.end :]
    )
    return bool(word) or said.piece.kind == "row"


def _failing(said: Statement, token: Token) -> bool | None:
    """Whether "3 of 4" counts fails; None where the sentence speaks of both."""
    told = set(_outcomes(said.about))
    if len(told) == 2:
        before = list(_outcomes(said.text[: token.start]))
        return before[-1] if before else None
    return told.pop() if told else False


def _counts_passes(said: Statement, token: Token) -> bool:
    """Whether "1 of 4" plainly says how often a task passes or fails."""
    return bool(_PASSES_BEFORE.search(said.text, 0, token.start) and _TIMES_AFTER.match(said.text, token.end))


def _outcomes(text: str) -> Iterator[bool]:
    """Of each word for an outcome whether it means a fail; "does not pass" and "fails to pass" are fails."""
    for match in PASSING.finditer(text):
        if not _TO_PASS.match(text, match.end()):
            yield match[0].lower().startswith("fail") != bool(_NEGATED.search(text, 0, match.start()))


def _is_denied(said: Statement, token: Token) -> bool:
    """Whether a number is denied; one that counts failures is not."""
    return denies(said.text, token.start) and not counts_failures(said.text, token.start)


def _denied(said: Statement, token: Token) -> Checked:
    return said.say(Outcome.WRONG, token, token.text, note="the sentence denies it")


def _counts(result: TaskResult, *, failing: bool | None) -> set[int]:
    if result.passes is None:
        return set()
    fails = result.attempts - result.passes
    return {result.passes, fails} if failing is None else {fails if failing else result.passes}


def _told(result: TaskResult, run: str, *, failing: bool | None) -> str:
    many = (result.attempts - (result.passes or 0)) if failing else (result.passes or 0)
    return f"{many} of {result.attempts}" + (f" ({run})" if run else "")
