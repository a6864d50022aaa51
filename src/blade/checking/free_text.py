"""Checks what can be checked in somebody's own words: numbers against what the sentence names, ids, names of runs.

Wrong is only what is plainly bound: a rate beside a run and a measure, "3 of 4" beside a task. A number that may speak
of something BLADE did not count is unverifiable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from blade.checking.citations import CitationCheck, CitedCounts, cited_numbers, ids, in_citation
from blade.checking.claims import is_claim
from blade.checking.count_words import count_claims
from blade.checking.field_words import field_claims
from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.masked import mask
from blade.checking.measures import PASSING, Named, Values, passes_always, passes_once, wholes
from blade.checking.named_figures import named_fit
from blade.checking.names import Names
from blade.checking.negation import contrasts, counts_failures, denies
from blade.checking.numbers import Figure, Figures, Path, Printed
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind
from blade.checking.per_run_lists import KnownLists, lists_in
from blade.checking.ratio_words import (
    is_failing,
    is_of_runs,
    is_of_something_else,
    is_one_of_two_rates,
    is_rate_of_next,
    may_count_passes,
    rate_before,
    rate_of_ratio,
    ratio_before,
    runs_come_out,
    without_quotes,
)
from blade.checking.run_words import run_claims
from blade.checking.statements import RIGHT_AFTER, Statement, bound, every_run, listed_runs
from blade.checking.task_ratios import TaskRun, of_the_tasks, task_ratio
from blade.checking.task_words import outcome_claims
from blade.checking.tokens import Token, is_file
from blade.model import RunAnalysis
from blade.wording import percent, points

_OF_SOMETHING = re.compile(r"\s*of\b(?!\s+(?:the\s+|its\s+|all\s+)?(?:\w+\s+)?(?:tasks|rollouts|attempts)\b)")
_OF_RUN = re.compile(r"\s*of\s+[`*_]*")
_NOBODY = re.compile(
    r"\b(?:an?|any) (?:[^\W\d_]+ ){0,2}(?:agent|model|policy|solver|system|guesser) (?:that|which|who)\b"
    r"|\b(?:doing|does) nothing\b|\bguess(?:es|ing) (?:at|always|every)\b",
    re.IGNORECASE,
)
"""A sentence on an agent that is none of the runs."""
_LEVEL = re.compile(r"\s*(?:CI\b|confidence\b|interval)")
_ABOUT = re.compile(
    r"\b(?:chance|probability|above|below|under|over|least|most|than|about|around|nearly|almost|roughly)\s+(?:of\s+)?$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:tasks?\s+)?(?:that\s+)?(always|sometimes|never)"
    r"(?=\s*(?:$|[.,;:)\]|—–]|(?:and|but|or|do|does|did|in|by|for|while)\b)|(?:\s+(?:to\s+)?(?P<does>pass|solve|succeed|fail))"
    r"|(?:[ -](?:pass|bucket)))",
    re.IGNORECASE,
)
"""A bucket is told of passing or failing, or by its name alone: rows that never ran are none."""
_OTHER = {"always": "never", "never": "always", "sometimes": "sometimes"}
_OUTCOME = re.compile(
    r"\s*(?:rollouts|attempts|rows)?\s*(?:were |are )?"
    r"(pass(?:e[sd])?|succeed(?:ed)?|solved|fail(?:ed|s)?)\s*(?:[.,;)]|$)",
)
_TOTAL_BEFORE = re.compile(r"\b(?:over|across|has|had|all|of(?: the| its| all)?)\s+$", re.IGNORECASE)
_TOTAL_AFTER = re.compile(r"\s+(?:graded\s+|expected\s+|common\s+)?(tasks|rollouts)\b(?!\s+(?:that|which|whose|where))")
_MEASURE_BEFORE = re.compile(
    r"\b(?:scores?|scored|accuracy|mean|reward|rate)\s*(?:of|is|was|=|:|at)?\s*$", re.IGNORECASE
)

_WHOLE = re.compile(r"\bscor\w+|\bchange|\bloss\b|\blost\b|\bfell\b|\bdrop", re.IGNORECASE)

_ACROSS = re.compile(r"\b(?:(?:no|every|any|all|each) runs?|nobody|no one|anyone|everyone)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:runs?|models?|agents?|configurations?|harness(?:es)?)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:pass(?:es|ed)?|solve[sd]?|succeeds?|fail(?:s|ed)?|ahead|behind|better|worse|best|worst|strong(?:er|est)|"
    r"weak(?:er|est)|high(?:er|est)|low(?:er|est)|more|most|fewer|fewest|less|least|equal(?:ly)?|"
    r"beats?|outperforms?|trails?|lags?|leads?|noise|significant(?:ly)?|different|same)\b",
    re.IGNORECASE,
)
"""Words that say how runs or tasks come out."""
_WHAT_IF = re.compile(
    r"\b(?:chance|would|without|if|best|ceiling|mode|modes|cost|costs|bring|brings|recover\w*|repair\w*|fix\w*|gain\w*|share|caus\w*|"
    r"explain\w*|fail\w*|oracle|counterfactual)\b",
    re.IGNORECASE,
)
"""A sentence speaks of what the diagnosis counts only with such a word."""
MOST_NAMED = 3
"""Runs of one sentence that are compared with each other to check its points."""
READ = "no count settles it: blade show RUN TASK, then blade note"
ASK = "no count settles it: blade count or blade contrast, then cite the id"


class FreeTextCheck:
    """Holds statements against the values of an analysis."""

    def __init__(
        self,
        values: Values,
        names: Names,
        cited: Mapping[str, CitedCounts] | None = None,
        printed: Sequence[MarkdownBlock] = (),
    ) -> None:
        self.values = values
        self.names = names
        self.cited = cited or {}
        self.printed = printed

    def check(self, statement: Statement) -> Iterator[Checked]:
        """Numbers and names; quotes are sought in the files, elsewhere."""
        proofs = list(cited_numbers(statement, self.cited))
        yield from (proof.check for proof in proofs if proof.token is None)
        proved = {proof.token: proof for proof in proofs}
        settled: dict[Token, Checked] = {}
        if statement.piece.kind == "sentence" and statement.only is None:
            checks, settled = self._in_words(statement)
            yield from checks or self._unjudged(statement)
        settled = self._listed(statement) | settled
        outcomes: dict[Token, Checked] = {}
        for token in statement.tokens:
            if (statement.only is not None and token.start not in statement.only) or in_citation(statement.text, token):
                continue
            if token.number is not None:
                if token in settled and token not in proved:
                    outcomes[token] = settled[token]
                elif is_claim(statement.piece.kind, statement.text, token, statement.first_column):
                    outcomes[token] = self._claimed(statement, token, proved.get(token), outcomes)
                if token in outcomes:
                    yield outcomes[token]
            elif token.kind in {ClaimKind.ID, ClaimKind.RUN}:
                yield self._name(statement, token)

    def _claimed(
        self, statement: Statement, token: Token, proof: CitationCheck | None, outcomes: Mapping[Token, Checked]
    ) -> Checked:
        """A number by what it is bound to; by the question that is cited for it; by the ratio that it repeats."""
        assert token.number is not None  # noqa: S101 - only numbers are claimed
        check = self._number(statement, token, token.number)
        if proof and (proof.alone or proof.binding or check.outcome is not CheckOutcome.RIGHT):
            check = proof.check
        ratio = ratio_before(statement, token)
        if check.outcome is not CheckOutcome.RIGHT and ratio is not None and ratio in outcomes:
            check = rate_of_ratio(statement, token, ratio, outcomes[ratio]) or check
        rate = rate_before(statement, token)
        if check.outcome is CheckOutcome.UNVERIFIABLE and rate is not None and rate in outcomes:
            check = statement.say(outcomes[rate].outcome, token, path=outcomes[rate].path)
        if check.outcome is CheckOutcome.WRONG and not proof and is_rate_of_next(statement, token):
            check = statement.say(CheckOutcome.UNVERIFIABLE, token)
        if check.outcome is CheckOutcome.RIGHT and _is_denied(statement, token):
            return _denied(statement, token)
        return check

    @cached_property
    def _known(self) -> KnownLists:
        known = KnownLists(self.values.runs)
        known.add_data(self.values.listed)
        known.add_report(self.printed, self.names)
        return known

    def _listed(self, statement: Statement) -> dict[Token, Checked]:
        """The numbers of lists of runs that are known; where a question is cited, it may be its list."""
        cited = [self.cited[name] for name in ids(statement.text) if name in self.cited]
        right: dict[Token, Checked] = {}
        for numbers in lists_in(statement.tokens, statement.text) if statement.piece.kind == "sentence" else ():
            known = KnownLists(self.values.runs)
            for counts in cited:
                known.add_data(counts.counts, statement.text)
            words = f"{statement.piece.section} {statement.piece.below} {statement.text}"
            if (numbers.vector, statement.text) in known or (numbers.vector, words) in self._known:
                right |= {token: statement.say(CheckOutcome.RIGHT, token) for token in numbers.tokens}
        return right

    def _in_words(self, statement: Statement) -> tuple[list[Checked], dict[Token, Checked]]:
        """What the sentence says in words, and the numbers that its words settle."""
        masked = mask(statement, self.names, self.values.models)
        checks = list(outcome_claims(masked, self.values))
        settled = dict(field_claims(statement, self.values)) | dict(count_claims(masked, self.values))
        for token, check in run_claims(masked, self.values):
            if token is None:
                checks.append(check)
            else:
                settled[token] = check
        return checks, settled

    def _unjudged(self, statement: Statement) -> Iterator[Checked]:
        """A sentence that says something of a task in a run, or of two runs, and nothing of it could be held up."""
        runs = statement.mentions(ClaimKind.RUN)
        tasks = [token for token in statement.tokens if token.kind is ClaimKind.ID and token.text in self.names.tasks]
        named = any(token.text in self.values.models for token in statement.tokens)
        claims = any(token.number is not None or token.kind is ClaimKind.QUOTE for token in statement.tokens)
        about_runs = runs and (tasks or named or len({token.text for token in runs}) > 1)
        compares = _COMPARES.search(statement.text) and (runs or tasks or _SUBJECT.search(statement.text))
        if not claims and (about_runs or compares or (tasks and _ACROSS.search(statement.text))):
            words = Token(ClaimKind.WORD, statement.text, 0, len(statement.text))
            yield statement.say(CheckOutcome.UNVERIFIABLE, words, note=READ if tasks else ASK)

    def _name(self, statement: Statement, token: Token) -> Checked:
        if token.known:
            return statement.say(CheckOutcome.RIGHT, token)
        if is_file(token.text, self.names):
            return statement.say(CheckOutcome.UNVERIFIABLE, token, note="a file that the runs do not have")
        if token.text.isdecimal():
            is_task_number = int(token.text[:18]) in self.names.numbers
            outcome = (
                CheckOutcome.RIGHT
                if is_task_number
                else CheckOutcome.WRONG
                if self.names.numbers
                else CheckOutcome.UNVERIFIABLE
            )
            return statement.say(outcome, token, note="" if is_task_number else "the runs have no such task")
        return statement.say(CheckOutcome.WRONG, token, self.names.near(token.text), note="the runs have no such task")

    def _number(self, statement: Statement, token: Token, number: Printed) -> Checked:
        tasks = bound(token, statement.mentions(ClaimKind.ID), statement.text) or statement.tasks
        tasks = tuple(task for task in tasks if task in self.values.tasks)
        if number.unit == "ratio":
            return self._ratio(statement, token, number, tasks or self._passing_around(statement, number))
        runs = self._runs(statement, token)
        of_run = self._plain if number.unit == "plain" else self._rate
        if not tasks:
            return of_run(statement, token, number, runs)
        near_task = _beside_task(statement, token)
        of_task = self._of_task(statement, token, number, tasks, runs)
        if near_task or of_task.outcome is CheckOutcome.RIGHT:
            return of_task
        check = of_run(statement, token, number, runs)
        return (
            check
            if near_task is False or check.outcome is CheckOutcome.RIGHT
            else statement.say(CheckOutcome.UNVERIFIABLE, token)
        )

    def _runs(self, statement: Statement, token: Token) -> tuple[str, ...]:
        """The runs a number may speak of: named, or all of them where none is named.

        Two rates that stand against each other are of two runs: the second is the one that the text spoke of before.
        """
        runs = bound(token, statement.mentions(ClaimKind.RUN), statement.text) or statement.runs
        if len(runs) == 1 and is_one_of_two_rates(statement, token):
            runs = (*runs, *(run for run in statement.runs_around if run not in runs))
        return runs or tuple(self.values.runs)

    def _passing_around(self, statement: Statement, number: Printed) -> tuple[str, ...]:
        """The task named before, if the sentence says how many of its attempts passed."""
        if not PASSING.search(statement.text):
            return ()
        return tuple(
            task
            for task in statement.tasks_around
            if task in self.values.tasks
            and any(result.attempts == number.of for result in self.values.tasks[task].runs.values())
        )

    def _ratio(self, statement: Statement, token: Token, number: Printed, tasks: Sequence[str]) -> Checked:
        if is_of_something_else(statement, token):
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        runs = self._runs(statement, token)
        if is_of_runs(statement, token):
            return self._ratio_of_runs(statement, token, number, tasks)
        if not tasks:
            return self._ratio_of_run(statement, token, number, runs)
        if not may_count_passes(statement, token):
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        mentions = statement.mentions(ClaimKind.RUN)
        each_of = listed_runs(token, mentions, statement.text)
        each_of = each_of or every_run(token, mentions, statement.text, tuple(self.values.runs))
        outcomes = [
            TaskRun(result, task, run)
            for task in tasks
            for run in each_of or runs
            if (result := self.values.result(task, run)) is not None
        ]
        if not of_the_tasks(number, outcomes):
            return self._ratio_of_run(statement, token, number, runs)
        return task_ratio(statement, token, number, outcomes, each_of)

    def _ratio_of_run(self, statement: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        """How many rollouts passed is known; other shares are right where BLADE counted both numbers."""
        if _ACROSS.search(statement.text):
            return statement.say(CheckOutcome.UNVERIFIABLE, token, note=ASK)
        outcome_word = _OUTCOME.match(statement.text, token.end)
        fails = counts_failures(statement.text, token.start)
        for run in runs:
            passes, _, rows = self.values.verdicts(run)
            if (outcome_word or fails) and number.of == rows:
                expected = rows - passes if fails or (outcome_word and outcome_word[1].startswith("fail")) else passes
                if number.value == expected:
                    return statement.say(CheckOutcome.RIGHT, token)
                if len(runs) == 1:
                    return statement.say(CheckOutcome.WRONG, token, f"{expected:,} of {rows:,}", ("runs", run))
            elif (
                not outcome_word
                and number.of in wholes(self.values.runs[run])
                and named_fit(self.values.of_run(run), number, statement.about)
            ):
                return statement.say(CheckOutcome.RIGHT, token)
        passing = PASSING.search(statement.about) and not is_failing(statement, token)
        if len(runs) == 1 and passing and (number.value, number.of) == self.values.verdicts(runs[0])[:2]:
            return statement.say(CheckOutcome.RIGHT, token, path=("runs", runs[0]))
        if len(runs) == 1 and self._known.has_ratio(runs[0], number, statement.text):
            return statement.say(CheckOutcome.RIGHT, token)
        return statement.say(CheckOutcome.UNVERIFIABLE, token)

    def _ratio_of_runs(self, statement: Statement, token: Token, number: Printed, tasks: Sequence[str]) -> Checked:
        """In how many runs a task passes: in some attempt, or in all of them. Of several tasks nobody knows."""
        results = (
            [result for result in self.values.tasks[tasks[0]].runs.values() if result.attempts]
            if len(tasks) == 1
            else []
        )
        if (
            not runs_come_out(statement, token)
            or number.of != len(results)
            or any(result.passes is None for result in results)
        ):
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        once, every = (sum(test(result) for result in results) for test in (passes_once, passes_always))
        failing = is_failing(statement, token)
        right = {once, every} if failing is False else {len(results) - once, len(results) - every}
        right |= {once, every} if failing is None else set()
        path: Path = ("tasks", tasks[0], "runs")
        if number.value in right:
            return statement.say(CheckOutcome.RIGHT, token, path=path)
        if once != every:
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        return statement.say(CheckOutcome.WRONG, token, f"{min(right)} of {len(results)}", path)

    def _of_task(
        self, statement: Statement, token: Token, number: Printed, tasks: Sequence[str], runs: Sequence[str]
    ) -> Checked:
        figures = [figure for task in tasks for run in runs for figure in self.values.of_task(task, run)]
        means = [figure for figure in figures if figure.path[-1] == "mean"]
        if number.unit == "plain" and not number.decimals:  # a count, and of what the sentence says
            unmeant = {True: "passes", False: "fails", None: ""}[is_failing(statement, token)]
            figures = [figure for figure in figures if figure.path[-1] not in {"mean", "rate_above", unmeant}]
        apart = [Figure(first.value - two.value, first.path) for first in means for two in means]
        fit = Figures([*figures, *(apart if number.unit == "points" else [])]).fit(number)
        if fit is not None:
            return statement.say(CheckOutcome.RIGHT, token, path=fit.path)
        if number.unit != "percent" or not means or _speaks_of_else(statement, token):
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        return statement.say(CheckOutcome.WRONG, token, percent(means[0].value), means[0].path)

    def _rate(self, statement: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        named_figures = self._named(statement, runs)
        bound_to_run = bool(statement.mentions(ClaimKind.RUN) or statement.runs or statement.runs_around)
        if not named_figures.allowed and not bound_to_run:
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        apart = (
            self._between(statement) if number.unit == "points" else self.values.differences if len(runs) > 1 else []
        )
        if named_figures.allowed:
            fit = Figures([*named_figures.allowed, *apart]).fit(number)
        else:
            fit = next(
                (fit for run in runs if (fit := named_fit(self.values.of_run(run), number, statement.about))), None
            )
        fit = fit or self._score_of(statement, token, number, runs)
        if fit is not None:
            return statement.say(CheckOutcome.RIGHT, token, path=fit.path)
        fit = self.values.diagnosed(runs, statement.about).fit(number) if _WHAT_IF.search(statement.about) else None
        if fit is not None:
            return statement.say(CheckOutcome.RIGHT, token, path=fit.path)
        if not named_figures.meant or _speaks_of_else(statement, token) or self._native(runs):
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        if number.unit == "points":
            return self._wrong_points(statement, token)
        nearest = named_figures.nearest(number)
        return statement.say(CheckOutcome.WRONG, token, percent(nearest.value), nearest.path)

    def _score_of(self, statement: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Figure | None:
        """The score of the one run that a rate stands beside, also where no word says that it is one."""
        if len(runs) != 1 or number.unit != "percent" or not number.decimals or _speaks_of_else(statement, token):
            return None
        return self.values.scores(runs[0]).fit(number)

    def _named(self, statement: Statement, runs: Sequence[str]) -> Named:
        named_by_run = [self.values.named(statement.about, run) for run in runs]
        figures_meant = tuple(figure for named_figures in named_by_run for figure in named_figures.meant)
        return Named(figures_meant, tuple(figure for named_figures in named_by_run for figure in named_figures.allowed))

    def _between(self, statement: Statement) -> Figures:
        """What a number in points may stand for: what changed in the analysis, and between the few runs named."""
        named = list(dict.fromkeys(mention.text for mention in statement.mentions(ClaimKind.RUN)))
        return self.values.changes_between(named) if len(named) <= MOST_NAMED else self.values.changes

    def _wrong_points(self, statement: Statement, token: Token) -> Checked:
        """Points are wrong where one change alone can be meant; its whole is told where the sentence speaks of it."""
        changes = self.values.analysis.changes
        named = list(dict.fromkeys(mention.text for mention in statement.mentions(ClaimKind.RUN)))
        change = self.values.change_of(named[0], named[1]) if len(named) == 2 else None
        change = changes[0] if change is None and len(changes) == 1 else change
        if change is None:
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        speaks_of_all = _WHOLE.search(statement.about)
        expected = points(change.delta) if speaks_of_all and change.delta is not None else None
        path = (*self.values.place_of(change), "delta") if speaks_of_all else ()
        return statement.say(CheckOutcome.WRONG, token, expected, path)

    def _native(self, runs: Sequence[str]) -> bool:
        return any(self.values.runs[run].scale != "unit" for run in runs)

    def _plain(self, statement: Statement, token: Token, number: Printed, runs: Sequence[str]) -> Checked:
        count_word = _COUNTED.match(statement.text, token.end)
        if count_word and any(self.values.runs[run].buckets for run in runs):
            bucket = count_word[1].lower()
            fails = (count_word["does"] or "").lower() == "fail"
            return self._bucket(statement, token, number, runs, _OTHER[bucket] if fails else bucket)
        fit = next((fit for run in runs if (fit := self.values.of_run(run).fit(number))), None)
        is_named = number.decimals > 1 or any(
            named_fit(self.values.of_run(run), number, statement.about) for run in runs
        )
        is_total = _TOTAL_BEFORE.search(statement.text, 0, token.start)
        if fit is not None and not number.decimals and not is_total and _ACROSS.search(statement.text):
            return statement.say(CheckOutcome.UNVERIFIABLE, token, note=ASK)
        if fit is not None and is_named and (number.decimals or _is_count(statement, token)):
            return statement.say(CheckOutcome.RIGHT, token, path=fit.path)
        of_a_run = not statement.mentions(ClaimKind.ID) and _MEASURE_BEFORE.search(statement.text, 0, token.start)
        if fit is None and number.decimals > 1 and of_a_run:
            named_figures = self._named(statement, runs)
            if named_figures.meant:
                nearest = named_figures.nearest(number)
                return statement.say(CheckOutcome.WRONG, token, f"{nearest.value:.{number.decimals}f}", nearest.path)
        total = _TOTAL_AFTER.match(statement.text, token.end)
        if fit is None and total and _TOTAL_BEFORE.search(statement.text, 0, token.start):
            run = self.values.runs[runs[0]]
            expected = run.tasks if total[1] == "tasks" else run.rollouts
            return statement.say(CheckOutcome.WRONG, token, f"{expected:,}", ("runs", run.name, total[1]))
        return statement.say(CheckOutcome.UNVERIFIABLE, token)

    def _bucket(self, statement: Statement, token: Token, number: Printed, runs: Sequence[str], bucket: str) -> Checked:
        bucket_counts = [(run, _bucket(self.values.runs[run], bucket)) for run in runs]
        for run, counts in bucket_counts:
            if number.value in counts:
                return statement.say(CheckOutcome.RIGHT, token, path=("runs", run, "buckets", bucket))
        if len(runs) > 1:
            return statement.say(CheckOutcome.UNVERIFIABLE, token)
        run, counts = bucket_counts[0]
        path: Path = ("runs", run, "buckets", bucket)
        return statement.say(CheckOutcome.WRONG, token, f"{counts[0]:,}" if counts else None, path)


def _speaks_of_else(statement: Statement, token: Token) -> bool:
    """Shares of something of their own, levels of intervals, and numbers that are only near what they stand for."""
    of_run = next((mention for mention in statement.mentions(ClaimKind.RUN) if mention.start >= token.end), None)
    is_of_run = of_run is not None and _OF_RUN.fullmatch(statement.text, token.end, of_run.start)
    after = None if is_of_run else _OF_SOMETHING.match(statement.text, token.end)
    after = after or _LEVEL.match(statement.text, token.end)
    after = after or _NOBODY.search(statement.about)
    return bool(after or _ABOUT.search(statement.text, 0, token.start))


def _beside_task(statement: Statement, token: Token) -> bool | None:
    """Whether a number speaks of the task named beside it; None where it may as well speak of the run."""
    mentions = statement.mentions(ClaimKind.ID)
    if not mentions:
        return True  # the row names the task
    before = [mention for mention in mentions if mention.end <= token.start]
    if not before:
        return True if RIGHT_AFTER.fullmatch(statement.text, token.end, mentions[0].start) else None
    text_between = statement.text[before[-1].end : token.start]
    if re.search(r"[;,]|\bwhile\b|\bbut\b|\boverall\b", text_between):
        return False
    return None if re.search(r"\band\b", text_between) else True


def _bucket(run: RunAnalysis, bucket: str) -> list[int]:
    """The bucket's size over all rows, and over those that say something about the model."""
    return [buckets[bucket] for buckets in (run.buckets, run.buckets_evaluable) if buckets is not None]


def _is_count(statement: Statement, token: Token) -> bool:
    """A bare number is only held against counts where a noun says that it counts something."""
    word = re.match(
        r"\s+(?:\w+\s+)?(?:tasks?|rollouts?|attempts?|tokens?|rows?|files?|runs?|values?)\b",
        statement.text[token.end :],
    )
    return bool(word) or statement.piece.kind == "row"


def _is_denied(statement: Statement, token: Token) -> bool:
    """Whether a number is denied; one that counts failures is not."""
    return denies(without_quotes(statement), token.start) and not counts_failures(statement.text, token.start)


def _denied(statement: Statement, token: Token) -> Checked:
    if contrasts(without_quotes(statement), token.start):
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note="set against another number: cite what counts both")
    return statement.say(CheckOutcome.WRONG, token, token.text, note="the sentence denies it")
