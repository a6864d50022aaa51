"""Short stories of tasks that sometimes or never pass, as data: asked, did, went wrong, what a pass did instead.

A few tasks per run and bucket are told, those first whose failing attempts agree on a mode, and every mode once before
any mode twice. Each quote is exact, and its evidence opens it again.

Quotes of what tasks ask for begin where their prompts begin to differ: a preface that all share says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from os.path import commonprefix
from typing import Any

from blade.counting.tasks import natural
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.divergence import Parting, part, prefix
from blade.diagnosis.labels import WRONG_ANSWER
from blade.diagnosis.modes import LIMIT, UNEXPLAINED
from blade.diagnosis.record_lines import cut_words
from blade.diagnosis.remedies import OF_TASKS, RELIABILITY
from blade.diagnosis.rollout_causes import CAUSES, Cause
from blade.diagnosis.transcript_summary import Track, asked_in, first_words, open_tracks, source_key, widened
from blade.diagnosis.twins import Twin, proof, sometimes
from blade.diagnosis.work_errors import work_error
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.extract.same_answer import normal
from blade.findings import Cite, Intervention, Label, Mode, Sighting
from blade.frozen import frozen
from blade.model import Bucket, Source
from blade.registry import plugins

FEWEST_TASKS = 3


def in_own_words(tracks: Sequence[Track]) -> list[Track]:
    """The tracks, in order; those of several tasks that would quote the same words quote what comes after them."""
    alike: defaultdict[str, list[Track]] = defaultdict(list)
    for track in tracks:
        if track.asked is not None:
            alike[track.asked.quote].append(track)
    changed: dict[int, Track] = {}
    for same_words in alike.values():
        if len({track.case.key for track in same_words}) >= FEWEST_TASKS:
            changed |= _after_the_preface(same_words)
    return [changed.get(id(track), track) for track in tracks]


def _after_the_preface(tracks: Sequence[Track]) -> dict[int, Track]:
    places = {Source(*track.case.place): track for track in tracks}
    task_texts = {
        source: task_text for source, row in open_rows(places) if (task_text := asked_in(Attempt(row))) is not None
    }
    texts = {text for text, _ in task_texts.values()}
    shared = commonprefix(sorted(texts)) if len(texts) > 1 else ""  # noqa: RUF071 - texts, no paths
    begin = max(shared.rfind(" "), shared.rfind("\n")) + 1
    if not begin:
        return {}
    return {
        id(places[source]): replace(places[source], asked=cite(*first_words(text, begin)))
        for source, (text, cite) in task_texts.items()
        if text[begin:].strip()
    }


SHOWN = 6
MOST_ALSO = 2
UNSAID = "answer_not_said"
PARTIAL = "partial_credit"
ENDED_EARLY = "user_ends_early"
"""It names the action that was never made."""
OF_ABSENCE = {"missing_action", "no_core_action"}
"""Rules about something that never happens: what was said instead is quoted, not the farewell at the end."""
NO_CALLS = "neither makes a call; "
MOST_PASSES = 4
"""Passing attempts of another run that are held against a task that never passes."""


@frozen
class Chosen:
    """A task to tell: the failing attempt that speaks for it, and how many of the failing ones show its sign."""

    bucket: Bucket
    cases: Sequence[Case]
    bad: Case
    agree: int
    twin: Twin | None = None

    @property
    def failed(self) -> int:
        return sum(case.failing for case in self.cases)

    @property
    def others_same_checks(self) -> bool:
        """Whether the failing attempts that go wrong otherwise fail just the checks that this one fails."""
        failed = _failed_checks([case for case in self.cases if case.failing])
        return len(failed) == 1 and failed != {frozenset()}


@frozen
class StoryInputs:
    """What was settled elsewhere and goes into a story: modes, labels and interventions."""

    modes: Mapping[str, Mode]
    labels: Sequence[Label] = ()
    interventions: Sequence[Intervention] = ()
    causes: Mapping[int, Cause] = field(default_factory=dict)
    """What single failing attempts show of their cause, by the identity of the case."""


def tell_stories(runs: Sequence[RunCases], twins: Sequence[Twin], inputs: StoryInputs) -> tuple[dict[str, Any], ...]:
    """The stories of every run: tasks that sometimes pass, then tasks that never do."""
    stories = []
    acting = any(case.actions for run in runs for case in run.cases)
    for run in runs:
        choices = [*_most_telling(_sometimes(run, twins)), *_most_telling(_never(run))]
        tracks = open_tracks([choice.bad for choice in choices if choice.twin is None])
        passes_elsewhere = _passes_elsewhere(run, runs, [choice for choice in choices if choice.bucket is Bucket.NEVER])
        choice_tracks = [
            (choice, choice.twin.bad if choice.twin else tracks.get(source_key(choice.bad))) for choice in choices
        ]
        tracked = [(choice, track) for choice, track in choice_tracks if track is not None]
        for (choice, _), track in zip(tracked, in_own_words([track for _, track in tracked]), strict=True):
            story = _story(choice, track, passes_elsewhere.get(choice.bad.key, ()), inputs)
            stories.append(story if acting else _without_calls(story))
    return tuple(stories)


def _without_calls(story: dict[str, Any]) -> dict[str, Any]:
    """Where no rollout of any run records a call, the lack of one says nothing: not of this attempt, nor of two."""
    parts = story["parts"]
    if parts is not None:
        parts = {**parts, "statement": parts["statement"].removeprefix(NO_CALLS)}
    return {**story, "parts": parts, "records_calls": False}


def _sometimes(run: RunCases, twins: Sequence[Twin]) -> list[Chosen]:
    """A twin's failing attempt speaks for its task; without one, an attempt of the commonest mode."""
    twins_by_task = {twin.key: twin for twin in twins if twin.run == run.run.name}
    return [
        _choice(
            Bucket.SOMETIMES,
            cases,
            twins_by_task.get(key),
            twins_by_task[key].bad.case if key in twins_by_task else None,
        )
        for key, cases in sometimes(run).items()
    ]


def _never(run: RunCases) -> list[Chosen]:
    choices = []
    for cases in run.by_task().values():
        judged_cases = [case for case in cases if case.evaluable and case.passed is not None]
        if judged_cases and not any(case.passed for case in judged_cases):
            choices.append(_choice(Bucket.NEVER, judged_cases))
    return choices


def _choice(bucket: Bucket, cases: Sequence[Case], twin: Twin | None = None, bad: Case | None = None) -> Chosen:
    failing = [case for case in cases if case.failing]
    modes = Counter(case.mode for case in failing)
    speaks = bad or min(
        failing, key=lambda case: (-modes[case.mode], case.mode or "", not case.shows_the_model, case.attempt)
    )
    return Chosen(bucket, cases, speaks, len(_alike(speaks, failing)), twin)


def _alike(bad: Case, cases: Sequence[Case], sign: str | None = None) -> list[Case]:
    """Failing attempts with a sign, by default that of this one's mode, whatever else stands nearer to their cause.

    One that crashed before the model did anything is not like one that worked.
    """
    sign = sign or bad.mode
    alike = [case for case in cases if case.failing and case.shows_the_model == bad.shows_the_model]
    return [case for case in alike if sign in {case.mode, *case.signs}]


def _going_wrong_alike(choice: Chosen, rule: str, own_rule: str | None, causes: Mapping[int, Cause]) -> list[Case]:
    """The failing attempts that show what the heading says: the cause, the error of the work itself, or the mode."""
    if rule:
        return [
            case for case in choice.cases if case.failing and (cause := causes.get(id(case))) and cause.rule == rule
        ]
    return _alike(choice.bad, choice.cases, own_rule)


def _failed_checks(cases: Sequence[Case]) -> set[frozenset[str]]:
    """The checks that attempts fail, as far as the verifier names any."""
    return {frozenset(name for name, passed in case.checks.items() if not passed) for case in cases}


def _shape(case: Case) -> tuple[int, ...]:
    """How long a rollout is: neither the order of the rows nor names that are hidden change it."""
    return case.attempt, case.items or 0, case.acts or 0, len(case.actions)


def _most_telling(choices: Sequence[Chosen]) -> list[Chosen]:
    """The tasks that say most, each mode once before any a second time, unexplained ones last.

    Of tasks with the same mode those first whose attempt shows what the model did.
    """
    ordered = sorted(
        choices,
        key=lambda choice: (
            choice.bad.mode in {UNEXPLAINED, None},
            not choice.bad.shows_the_model,
            -choice.agree / choice.failed,
            -choice.agree,
            *_shape(choice.bad),
            natural(choice.bad.label),
        ),
    )
    mode_counts: Counter[str | None] = Counter()
    rounds = []
    for place, choice in enumerate(ordered):
        rounds.append((choice.bad.mode in {UNEXPLAINED, None}, mode_counts[choice.bad.mode], place))
        mode_counts[choice.bad.mode] += 1
    return [ordered[place] for _, _, place in sorted(rounds)[:SHOWN]]


def _passes_elsewhere(
    run: RunCases, runs: Sequence[RunCases], choices: Sequence[Chosen]
) -> dict[str, tuple[Track, ...]]:
    """Passing attempts of other runs at tasks that never pass here, by the key of the task."""
    task_keys = {choice.bad.key for choice in choices}
    cases: dict[str, list[Case]] = {}
    for other_run in runs:
        if other_run.run.name == run.run.name:
            continue
        for case in other_run.cases:
            passes = (
                cases.setdefault(case.key, []) if case.key in task_keys and case.passed and case.evaluable else None
            )
            if passes is not None and len(passes) < MOST_PASSES:
                passes.append(case)
    tracks = open_tracks(case for task_cases in cases.values() for case in task_cases)
    return {
        key: tuple(tracks[source_key(case)] for case in task_cases if source_key(case) in tracks)
        for key, task_cases in cases.items()
    }


def _story(choice: Chosen, bad: Track, elsewhere: Sequence[Track], inputs: StoryInputs) -> dict[str, Any]:
    good, parting = _better(choice, bad, elsewhere)
    explanation = _explains(bad, inputs.modes)
    wrong = _wrong(choice.bad, explanation, inputs.modes)
    own_error = work_error(choice.bad)
    limit = inputs.modes[choice.bad.mode or ""].detector if own_error else None
    also = _also(bad, {explanation[0] if explanation else None, limit}, good)
    cites: list[tuple[str, Case, Cite | None]] = [
        ("asked", bad.case, bad.asked),
        ("wrong", bad.case, explanation[1] if explanation else None),
        ("raised", bad.case, bad.raised if wrong is None else None),
        *(("also", bad.case, cite) for _, _, cite in also),
        ("fail", bad.case, parting.cite_bad if parting else None),
        ("instead", good.case, parting.cite_good if parting else None) if good else ("instead", bad.case, None),
    ]
    name, label = choice.bad.run, _label(choice.bad, inputs.labels)
    rule = label.rule if label and label.rule in CAUSES else ""
    alike = _going_wrong_alike(choice, rule, own_error, inputs.causes)
    return {
        "run": name,
        "task": choice.bad.label,
        "bucket": choice.bucket.value,
        "passes": sum(bool(case.passed) for case in choice.cases),
        "attempts": len(choice.cases),
        "fail": choice.bad.attempt,
        "asked": bad.asked.quote if bad.asked else None,
        "did": bad.did,
        "calls": len(bad.calls),
        "records_calls": True,
        "midway": bool(choice.bad.observed.get("midway")),
        "ends_on": bad.ends_on,
        "wrong": wrong,
        "limit": choice.bad.fired()[limit].detail if limit and limit in choice.bad.fired() else None,
        "raised": bad.raised.quote if wrong is None and bad.raised else None,
        "also": [
            {"detector": detector, "statement": text, "quote": cite.quote, "item": cite.item}
            for detector, text, cite in also
        ],
        "parts": _parts(parting),
        "instead": _instead(good, parting, choice.twin),
        "mode": choice.bad.mode,
        "agree": len(alike),
        "answers": _answers(choice.bad, alike),
        "same_checks": len(_failed_checks(alike)) <= 1,
        "others_same_checks": choice.others_same_checks,
        "failed": choice.failed,
        "label": list(label.labels) if label else None,
        "task_label": list(task_label.labels) if (task_label := _task_label(choice.bad, inputs.labels)) else None,
        "why": label.why if label else "",
        "cause": CAUSES.get(rule, ""),
        "fix": None
        if own_error
        else _fix(choice.bad, name, inputs.interventions, passes=any(case.passed for case in choice.cases)),
        "evidence": [{"role": role, **proof(case, cite)} for role, case, cite in cites if cite is not None],
    }


def _answers(case: Case, alike: Sequence[Case]) -> int:
    """How many different answers the attempts give that go wrong alike, where a wrong answer is what they share."""
    if case.mode != WRONG_ANSWER or not all(one.answer for one in alike):
        return 1
    return len({normal(one.answer) for one in alike})


def _label(case: Case, labels: Sequence[Label]) -> Label | None:
    """The label of the attempt, where it has one of its own, else that of its task."""
    identity = (case.run, case.label, case.attempt)
    attempt_labels = (label for label in labels if (label.run, label.task, label.attempt) == identity)
    return next(attempt_labels, None) or _task_label(case, labels)


def _task_label(case: Case, labels: Sequence[Label]) -> Label | None:
    identity = (case.run, case.label, None)
    return next((label for label in labels if (label.run, label.task, label.attempt) == identity), None)


def _better(choice: Chosen, bad: Track, elsewhere: Sequence[Track]) -> tuple[Track | None, Parting | None]:
    """The passing attempt to set beside it, and where their calls part; nothing where every call is right."""
    if choice.bad.mode == UNSAID:
        return None, None
    if choice.twin:
        return choice.twin.good, choice.twin.parting
    recorded = [track for track in elsewhere if track.events]
    if not recorded or not bad.events:
        return None, None
    good = max(recorded, key=lambda track: prefix(track.calls, bad.calls))
    return good, part(good, bad)


def _explains(track: Track, modes: Mapping[str, Mode]) -> tuple[str, Cite] | None:
    """The rule that gave the case its mode, and the words it points at."""
    case = track.case
    mode = modes.get(case.mode or "")
    if mode is None or mode.detector is None:
        return None
    if own_error := work_error(case):
        return own_error, _telling(track, case.fired()[own_error])
    sighting = case.fired().get(mode.detector)
    if sighting is None:
        return None
    conclusion = track.concludes
    if mode.detector in OF_ABSENCE and conclusion is not None:
        return mode.detector, conclusion.cite()
    return mode.detector, _telling(track, sighting)


def _telling(track: Track, sighting: Sighting) -> Cite:
    """The quote that tells most: inside the transcript rather than in the prompt, and not of two letters."""
    in_transcript = [cite for cite in sighting.cites if cite.item is not None and cite.item >= 0]
    return widened(track, (in_transcript or sighting.cites)[0])


def _also(track: Track, explains: Collection[str | None], good: Track | None) -> list[tuple[str, str, Cite]]:
    """What else was noticed in the failing attempt and not in the passing one: nearest to a cause first.

    Which checks fail adds nothing to what differs from the key, by which they judge.
    """
    rules, case = plugins("detectors"), track.case
    passing = good.case.fired() if good else {}
    by_key = any(rule is not None and getattr(rules[rule], "NEEDS", "") == "reference" for rule in explains)
    stated_rules = {
        *explains,
        "missing_action" if ENDED_EARLY in explains else None,
        PARTIAL if by_key else None,
    }
    rules_fired = [
        name for name in case.fired() if name not in stated_rules and name not in passing and rules[name].EXPLAINS
    ]
    rules_fired.sort(key=lambda name: (-rules[name].EXPLAINS, name))
    return [(name, case.fired()[name].detail, _telling(track, case.fired()[name])) for name in rules_fired[:MOST_ALSO]]


def _wrong(case: Case, explanation: tuple[str, Cite] | None, modes: Mapping[str, Mode]) -> dict[str, Any] | None:
    if explanation is None:
        mode = modes.get(case.mode or "")
        if mode is None or mode.id == UNEXPLAINED:
            return None
        cut_by_limit = mode.detector == LIMIT and case.cut_at is not None
        statement = cut_words(case) if cut_by_limit else mode.name
        return {"statement": statement, "detector": None, "quote": None, "item": None, "field": None}
    detector, cite = explanation
    return {
        "statement": case.fired()[detector].detail,
        "detector": detector,
        "quote": cite.quote,
        "item": cite.item,
        "field": cite.field,
    }


def _parts(parting: Parting | None) -> dict[str, Any] | None:
    """Where the two attempts part, on the failing side."""
    if parting is None:
        return None
    return {
        "kind": parting.kind,
        "statement": parting.statement,
        "decisive": parting.decisive,
        "quote": parting.cite_bad.quote if parting.cite_bad else None,
        "item": parting.bad.item if parting.bad else None,
    }


def _instead(good: Track | None, parting: Parting | None, twin: Twin | None) -> dict[str, Any] | None:
    if good is None or parting is None:
        return None
    return {
        "run": good.case.run,
        "attempt": good.case.attempt,
        "did": good.did,
        "quote": parting.cite_good.quote if parting.cite_good else None,
        "item": parting.good.item if parting.good else None,
        "lucky": bool(twin and twin.lucky),
        "lucky_because": twin.lucky if twin and twin.lucky else None,
        "same_sign": twin.same_sign if twin else None,
    }


def _fix(case: Case, run: str, interventions: Sequence[Intervention], *, passes: bool) -> str | None:
    """What is recommended against the mode, for this task or for the same failure elsewhere; without its counts.

    No vote helps a task that never `passes`.
    """
    matching = [
        item
        for item in interventions
        if item.mode and item.mode == case.mode and (passes or item.change != RELIABILITY.change)
    ]
    applicable = [
        item for item in matching if case.label in item.tasks or (item.run != run and item.change not in OF_TASKS)
    ]
    wrong_run = [item for item in applicable if item.run != run and item.kind in {"rl", "sft"}]
    best = min((item for item in applicable if item not in wrong_run), key=lambda item: item.run != run, default=None)
    return best.summary.split(": ", 1)[0].rstrip(".") + "." if best else None
