"""What Really Ran: rows that are no attempt of the model, why, and the score without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from blade.counting.audit.lost_index import broke_off, lost_index
from blade.counting.audit.recurring import LONGEST_LINE
from blade.counting.lost_rollouts import lost_much
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.extract.own_kills import UNOWNED_SAID
from blade.extract.text import clip
from blade.model import Analysis, RunAnalysis, Status
from blade.summary.lost_words import lost_parts
from blade.wording import abridged, amount, count, fact, listed, name, of_number, percent

TITLE = "What Really Ran"
ORDER = 15
SHARE = 0.22
STAGES = ("no_trial", "not_started", "broken", "not_ended", "not_judged")
HEADS = {
    "rows": "rollouts",
    "no_trial": "never ran",
    "not_started": "the agent never started",
    "broken": "broken off by infrastructure",
    "not_ended": "ended by another party's message",
    "not_judged": "never judged",
}
WHAT = {
    "no_trial": "never ran: no output, no start time and no verifier results",
    "not_started": "never started the agent: no turn of the model, and a text that recurs in other tasks",
    "broken": "were broken off by infrastructure: the rows record the error",
    "not_ended": "were ended by a message that the model did not write: tasks share it word for word, and its "
    "traces name another author",
    "not_judged": "were never judged: the verifier left no results",
}
REFUSED = "never started the agent: their screens show only a failed installation or start"
NOT_ASKED = "never started the agent: no output, and not one token is counted"
NO_TURN = "never started the agent: no turn of the model, or not one token is counted"
BROKEN_OFF = "were broken off by infrastructure"
WITHOUT = {"existing": ("no_trial",), "started": ("not_started",), "ended": ("broken", "not_ended")}
"""The stages that set a score apart from the one before it."""
SCORES = {
    "all": "all rollouts",
    "existing": "rollouts that ran",
    "started": "rollouts whose agent started",
    "ended": "rollouts not ended by infrastructure or by another party's message",
    "judged": "rollouts that were judged",
}
MOST_TASKS = 40
MOST_VALUES = 6
MOST_HOLDERS = 4
SECONDS = 19
"""So many letters of a point in time reach to its seconds."""
UNEVEN = 2
FEWEST_WORDS = 2
MOST_ATTEMPTS = 8


def build(analysis: Analysis) -> list[Block]:
    """Tables of all runs that lost rollouts, then each run by itself, the one that lost most first."""
    void = [run for run in analysis.runs if run.audit and _lost(run)]
    blocks: list[Block] = [_stages(void), _scores(void)] if void else []
    by_loss = sorted(void, key=_lost, reverse=True)
    blocks += [
        Bullets(tuple(Paragraph(tuple(sentences)) for sentences in _points(run, analysis, first=run is by_loss[0])))
        for run in by_loss
    ]
    blocks += [
        Paragraph((_without_results(run),))
        for run in analysis.runs
        if run.audit and run.audit["unjudged"] and run not in void
    ]
    sentences = (*(sentence for run in analysis.runs for sentence in _killed(run)), *_unrecorded(analysis.runs))
    return blocks + [Paragraph((sentence,)) for sentence in sentences]


def _lost(run: RunAnalysis) -> int:
    return sum(int(run.audit[stage]) for stage in STAGES)


def _stages(runs: Sequence[RunAnalysis]) -> Table:
    rows: list[tuple[str | Fact, ...]] = [
        (words, *(amount(run.audit[key], "runs", run.name, "audit", key) for run in runs))
        for key, words in HEADS.items()
        if any(run.audit[key] for run in runs)
    ]
    return Table(("", *(f">{run.name}" for run in runs)), tuple(rows))


def _scores(runs: Sequence[RunAnalysis]) -> Table:
    rows: list[tuple[str | Fact, ...]] = [
        (words, *(_score(run, key) for run in runs))
        for key, words in SCORES.items()
        if any(run.audit[stage] for run in runs for stage in WITHOUT.get(key, STAGES))
    ]
    return Table(("Mean reward over", *(f">{run.name}" for run in runs)), tuple(rows))


def _score(run: RunAnalysis, key: str) -> str | Fact:
    part = run.audit["scores"][key]
    if part["mean"] is None:
        return "none left"
    text = f"{part['points']:g} of {part['rows']:,} ({percent(part['mean'])})"
    return fact(text, part["mean"], "runs", run.name, "audit", "scores", key, "mean")


def _points(run: RunAnalysis, analysis: Analysis, *, first: bool) -> Iterator[list[Sentence]]:
    for place, group in enumerate(run.audit["groups"]):
        yield list(_group(run, place, group))
    yield list(_failures(run, first=first))
    if run.audit["never_attempted"]:
        yield list(_never_attempted(run, analysis))
    if never_judged := list(_never_judged(run, analysis)):
        yield never_judged
    broken_index = lost_index(run.audit["by_attempt"], ("no_trial",))
    if broken_index is not None:
        yield list(_broken_off(run, broken_index))


def _group(run: RunAnalysis, place: int, group: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("runs", run.name, "audit", "groups", place)
    fate = WHAT[group["stage"]]
    if group["stage"] == "not_started" and not run.audit["records_turns"]:
        fate = REFUSED if group["lines"] else NOT_ASKED
    if group["silent_users"]:
        fate = BROKEN_OFF
    if group["unasked"]:
        fate = NOT_ASKED if group["unasked"] == group["rows"] else NO_TURN
    yield say(
        "{rows} of {run} ({tasks}) " + of_number(group["rows"], fate) + ".",
        rows=fact(count(group["rows"], "rollout"), group["rows"], *at, "rows"),
        tasks=fact(count(group["tasks"], "task"), group["tasks"], *at, "tasks"),
        run=name(run.name),
    )
    lines = {line["line"] for line in group["lines"]}
    if group["status"] and not {f"{group['status']['field']}: {value}" for value in group["status"]["values"]} <= lines:
        values = [f"“{value}” in {rows:,}" for value, rows in group["status"]["values"].items()]
        yield say(
            "Label in the rows ({field}): {words}.",
            field=name(group["status"]["field"]),
            words=abridged(values, MOST_VALUES, "more value"),
        )
    yield from _own_words(group, lines)
    if group["rows"] > 1 and _uneven(group["attempts"], run.metrics["k"] or 1):
        attempts = [f"attempt {attempt}: {rows:,}" for attempt, rows in group["attempts"].items()]
        yield say("By attempt: {attempts}.", attempts=abridged(attempts, MOST_ATTEMPTS, "more attempt"))
    if group["lines"]:
        facts: dict[str, Fact | str] = {}
        for n, line in enumerate(group["lines"]):
            text = f"{count(line['rows'], 'rollout')} of {count(line['tasks'], 'task')}"
            text += f" ({abridged(line['holders'], MOST_HOLDERS)})" if line["holders"] else ""
            facts[f"many{n}"] = fact(text, line["rows"], *at, "lines", n, "rows")
            facts[f"line{n}"] = f"“{_shown(line)}”"
        words = [f"{{line{n}}} in {{many{n}}}" for n in range(len(group["lines"]))]
        first = sum(line["first_error"] for line in group["lines"])
        parts = [
            f"{lead} {'; '.join(lines)}"
            for lead, lines in (("its log reports", words[:first]), ("its log stops at", words[first:]))
            if lines
        ]
        unjudged = group["stage"] == "not_judged"
        sentence = (
            "The verifier came to no verdict: " + "; ".join(parts) if unjudged else "They share " + "; ".join(words)
        )
        if group["rows"] == 1 and not unjudged:
            sentence = "Its text has " + "; ".join(f"{{line{n}}}" for n in range(len(words)))
            facts = {key: text for key, text in facts.items() if key.startswith("line")}
        yield say(sentence + ".", **facts)
    if group["claim"]:
        yield say(
            "Yet {many} of them print “{line}”.",
            many=amount(group["claim"]["rows"], *at, "claim", "rows"),
            line=group["claim"]["line"],
        )
    if group["silent_users"]:
        yield say(
            "In {many} of them the simulated user sends nothing but empty messages."
            if group["silent_users"] < group["rows"]
            else "The simulated user sends nothing but empty messages.",
            many=amount(group["silent_users"], *at, "silent_users"),
        )
    if group["inferred"]:
        yield say(
            "{many} of them {hold} no text at all; as no other attempt of {their} task started, that is inferred.",
            many=amount(group["inferred"], *at, "inferred"),
            hold="holds" if group["inferred"] == 1 else "hold",
            their="its" if group["inferred"] == 1 else "their",
        )


def _own_words(group: Mapping[str, Any], lines: AbstractSet[str]) -> Iterator[Sentence]:
    """What other fields say of most of these rows, and hardly of another one of the run."""
    label = group["status"]["field"] if group["status"] else ""
    words = [
        f"“{entry['value']}” ({entry['field']}) in {entry['rows']:,}"
        for entry in group["fields"]
        if entry["field"] != label
        and 2 * entry["rows"] >= group["rows"] > 1
        and lines.isdisjoint({entry["value"], f"{entry['field']}: {entry['value']}"})
    ]
    if words:
        yield say("Of the run's other rows hardly any has what these have: {words}.", words="; ".join(words))


def _uneven(attempts: Mapping[str, int], most: int) -> bool:
    """Whether one attempt was hit at least twice as often as another: else their counts tell nothing."""
    spared = len(attempts) < most
    return most > 1 and (spared or max(attempts.values()) >= UNEVEN * min(attempts.values()))


def _shown(line: Mapping[str, Any]) -> str:
    """The line that rows share; one row's own where hardly a word is left of it without what differs."""
    words = [word for word in str(line["line"]).split() if word.isalpha() and len(word) > 1]
    return str(line["line"]) if len(words) >= FEWEST_WORDS else _quoted(line)


def _quoted(line: Mapping[str, Any]) -> str:
    return clip(line["evidence"].get("quote", line["line"]), LONGEST_LINE)


def _only(judged: int, at: tuple[str, ...]) -> Fact:
    """How many failures were judged, with the words around that number."""
    are = "none is a judged failure" if not judged else "only 1 is a judged failure" if judged == 1 else ""
    return fact(are or f"only {judged:,} are judged failures", judged, *at, "judged_failures")


def _failures(run: RunAnalysis, *, first: bool) -> Iterator[Sentence]:
    at = ("runs", run.name, "audit")
    audit = run.audit
    parts, stage_counts = lost_parts(run)
    has = "has" if audit["unjudged"] == 1 else "have"
    without = [f"{{unjudged}} {has} no verifier result for unknown reasons ({{tasks}})"]
    yield say(
        "Of the {failures} of {run}, {only} of an agent that ran; "
        + listed([*parts, *(without if audit["unjudged"] else ())])
        + (". Only the judged ones measure the model." if first else "."),
        failures=fact(count(audit["failures"], "failure"), audit["failures"], *at, "failures"),
        only=_only(audit["judged_failures"], at),
        unjudged=amount(audit["unjudged"], *at, "unjudged"),
        tasks=abridged(audit["unjudged_tasks"], MOST_VALUES),
        **stage_counts,
        run=name(run.name),
    )
    started_score, judged_score = audit["scores"]["started"], audit["scores"]["judged"]
    if (
        started_score["mean"] is None
        or judged_score["mean"] is None
        or started_score["rows"] == audit["scores"]["all"]["rows"]
    ):
        return
    verdict = "The reported {score} does not measure the model." if lost_much(run) else "The reported score is {score}."
    yield say(
        "Of {all}, {started} launched and {judged} were judged: the score is {mean} of those launched, "
        "{judged_mean} of those judged, and at most {highest} if every launched rollout without a verdict had "
        "passed. " + verdict,
        all=count(audit["rows"], "rollout"),
        started=fact(f"{started_score['rows']:,}", started_score["rows"], *at, "scores", "started", "rows"),
        judged=fact(f"{judged_score['rows']:,}", judged_score["rows"], *at, "scores", "judged", "rows"),
        mean=_share(run, "started"),
        judged_mean=_share(run, "judged"),
        highest=fact(percent(audit["highest"]), audit["highest"], *at, "highest"),
        score=_share(run, "all"),
    )


def _share(run: RunAnalysis, key: str) -> Fact:
    part = run.audit["scores"][key]
    text = f"{percent(part['mean'])} ({part['points']:g} of {part['rows']:,})"
    return fact(text, part["mean"], "runs", run.name, "audit", "scores", key, "mean")


def _never_attempted(run: RunAnalysis, analysis: Analysis) -> Iterator[Sentence]:
    tasks = run.audit["never_attempted"]
    names_shown = ", ".join(tasks[:MOST_TASKS]) + (
        f" and {len(tasks) - MOST_TASKS} more" if len(tasks) > MOST_TASKS else ""
    )
    yield say(
        "In {many} of {all} of {run} the agent never started in any attempt: {shown}. So at most {left} can be "
        "passed; the others do not measure the model.",
        many=amount(len(tasks), "runs", run.name, "audit", "never_attempted"),
        left=count(run.tasks - len(tasks), "task"),
        all=count(run.tasks, "task"),
        run=name(run.name),
        shown=names_shown,
    )
    untried = frozenset(tasks)
    passes = {
        other.name: sum(
            task.runs[other.name].passes or 0
            for task in analysis.tasks
            if task.called.get(run.name, task.task) in untried and other.name in task.runs
        )
        for other in analysis.runs
        if other is not run
    }
    passing = [(other, count(passed, "rollout")) for other, passed in passes.items() if passed >= len(tasks)]
    if passing:
        yield say(
            "On these tasks "
            + listed([f"{{other{place}}} passes {rollouts}" for place, (_, rollouts) in enumerate(passing)])
            + ".",
            **{f"other{place}": name(other) for place, (other, _) in enumerate(passing)},
        )


def _never_judged(run: RunAnalysis, analysis: Analysis) -> Iterator[Sentence]:
    """Tasks at which the agent worked and of which none of several attempts was judged, with what others make of them.

    Where a task has one attempt, that it was not judged is told with the attempts.
    """
    never = frozenset(run.audit["never_attempted"])
    tasks = [
        task
        for task in analysis.tasks
        if (own_result := task.runs.get(run.name))
        and own_result.bucket is not None
        and own_result.attempts > 1
        and not own_result.judged
        if task.called.get(run.name, task.task) not in never
    ]
    if not tasks:
        return
    names = [task.task for task in tasks]
    names_shown = ", ".join(names[:MOST_TASKS]) + (
        f" and {len(names) - MOST_TASKS} more" if len(names) > MOST_TASKS else ""
    )
    attempts = sum(task.runs[run.name].attempts for task in tasks)
    other_words = []
    for other_run in analysis.runs:
        other_results = [
            task.runs[other_run.name] for task in tasks if other_run.name in task.runs and other_run.name != run.name
        ]
        passes, judged_rollouts = (
            sum(result.judged_passes for result in other_results),
            sum(result.judged for result in other_results),
        )
        if passes:
            other_words.append(f"{other_run.name} passes {passes:,} of {judged_rollouts:,} judged there")
    yield say(
        "On {many} of {run} no attempt was judged (none of {attempts} has a verdict), though the agent started: "
        "{shown}. {its} zero does not measure the agent{others}.",
        others=f"; {listed(other_words)}" if other_words else "",
        its="Its" if len(tasks) == 1 else "Their",
        many=count(len(tasks), "task"),
        run=name(run.name),
        attempts=count(attempts, "rollout"),
        shown=names_shown,
    )


def _broken_off(run: RunAnalysis, broken_index: Mapping[str, Any]) -> Iterator[Sentence]:
    last = f", and none starts after {broken_index['last_start'][:SECONDS]}" if broken_index["last_start"] else ""
    yield say(
        "Attempt {attempt} of {run} was mostly lost: {many} of its {rows} never ran" + last + ".",
        attempt=str(broken_index["attempt"]),
        run=name(run.name),
        many=fact(f"{broken_index['no_trial']:,}", broken_index["no_trial"], "runs", run.name, "audit", "by_attempt"),
        rows=count(broken_index["rows"], "rollout"),
    )
    if broken_index.get("under_way"):
        yield say("{words}", words=broke_off(broken_index["under_way"]))


def _without_results(run: RunAnalysis) -> Sentence:
    unjudged, tasks = run.audit["unjudged"], run.audit["unjudged_tasks"]
    has, they_were = ("has", "it was") if unjudged == 1 else ("have", "they were")
    return say(
        "{rows} of {run} ({tasks}) {has} no verifier result, unlike other rows, for unknown reasons: whether "
        "{they} judged is unknown.",
        has=has,
        they=they_were,
        rows=fact(count(unjudged, "failed rollout"), unjudged, "runs", run.name, "audit", "unjudged"),
        run=name(run.name),
        tasks=abridged(tasks, MOST_VALUES),
    )


def _killed(run: RunAnalysis) -> Iterator[Sentence]:
    """Rollouts that a signal ended and the verifier judged all the same."""
    for place, item in enumerate(run.reasons):
        if item["status"] == Status.OK.value and str(item["reason"]).endswith(UNOWNED_SAID):
            one = item["rollouts"] == 1
            yield say(
                "{many} of {run} {was} ended by a signal ({code}); who sent it is not recorded, and every check was "
                "run: {it} judged ({passed} passed).",
                many=fact(
                    count(item["rollouts"], "rollout"), item["rollouts"], "runs", run.name, "reasons", place, "rollouts"
                ),
                run=name(run.name),
                was="was" if one else "were",
                it="it counts as" if one else "they count as",
                code=str(item["reason"]).removesuffix(f", {UNOWNED_SAID}"),
                passed=f"{item['passed'] or 0:,}",
            )


def _unrecorded(runs: Sequence[RunAnalysis]) -> Iterator[Sentence]:
    """Of which runs the rows show no turn of the model, or some rows alone."""
    silent = [run for run in runs if run.audit and not run.audit["records_turns"]]
    for run in silent:
        if run.audit["with_turns"]:
            yield say(
                "Only {some} of {run} {record} what the model did: of the others no step is known, so causes that need "
                "a transcript are not named.",
                some=fact(
                    f"{run.audit['with_turns']:,} of {count(run.audit['rows'], 'row')}",
                    run.audit["with_turns"],
                    *("runs", run.name, "audit", "with_turns"),
                ),
                run=name(run.name),
                record="records" if run.audit["with_turns"] == 1 else "record",
            )
    mute = [run for run in silent if not run.audit["with_turns"]]
    if mute:
        every = len(mute) == len(runs) > 1
        yield say(
            ("No row of any run records" if every else f"The rows of {_places(len(mute))} do not record")
            + " what the model did: no step is known, so causes that need a transcript are not named.",
            **{} if every else {f"run{n}": name(run.name) for n, run in enumerate(mute)},
        )


def _places(number: int) -> str:
    return listed([f"{{run{n}}}" for n in range(number)])
