"""Score Change: is the change real, where does every point of it come from, and which tasks moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.change.clear_parts import beyond_chance, leaves_out_zero, within_chance
from blade.change.mixed_settings import mixed_settings
from blade.counting.lost_rollouts import mostly_lost
from blade.document import Block, Bullets, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis, Change, Part
from blade.stats.flips import ALONE, FEWEST_TASKS
from blade.summary.change_words import (
    BY_COUNTING,
    cause_words,
    causes_told,
    corrected,
    gap,
    no_chance,
    one_setting_told,
    points_span,
    prompt_behind,
    same_outputs,
    same_runs,
    verdict_words,
    weight,
)
from blade.summary.lost_words import ONLY_LOST, hangs_on_lost, like_for_like, scored_over
from blade.wording import count, difference, fact, listed, name, percent

TITLE = "Score Change"
ORDER = 35
SHARE = 0.02
PARTS_SHOWN = 6
PAIRS_SHOWN = 3
COLUMNS = ("Cause", ">Points", ">95% interval", "How sure", "Significant", ">Rollouts of both runs", "Where")
FLIPS_SHOWN = 12
LINES_SHOWN = 4
VERDICTS = {
    "real": "real",
    "noise": "within noise",
    "inconclusive": "inconclusive",
    "not_comparable": "not comparable",
}
ESTIMATED = frozenset(("infrastructure", "truncation", "malformed"))
STANDING_IN = (
    "A rollout that broke, was cut or could not be read counts as the others of its task score; so the points of a "
    "part are not its failures divided by the rollouts:"
)
STATUSES = {
    "identified": "identified",
    "assumed": "under an assumption",
    "bounds": "bounds only",
    "not_identified": "not identified",
}


def build(analysis: Analysis) -> list[Block]:
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    blocks: list[Block] = []
    heaviest = sorted(analysis.changes, key=weight)[:PAIRS_SHOWN]
    shared = _shared_notes(analysis)
    diffs: dict[str, str] = {}
    for place, change in enumerate(analysis.changes):
        if len(analysis.changes) > 1:
            blocks.append(Heading(f"{change.base} → {change.candidate}"))
        change_blocks = [
            *_change(analysis, place, scale, diffs),
            *_notes([note for note in change.notes if note not in shared]),
        ]
        blocks += (
            change_blocks
            if change in heaviest
            else [block for block in change_blocks if isinstance(block, Paragraph | Bullets)]
        )
    blocks += _notes([f"Of every pair: {note}" for note in shared])
    if len(heaviest) < len(analysis.changes):
        pairs_shown = count(len(heaviest), "pair")
        text = "Tables are shown for {shown}, the largest real differences first; the ledger of report.html has all."
        blocks.insert(0, Paragraph((say(text, shown=pairs_shown),)))
    return blocks


def _shared_notes(analysis: Analysis) -> list[str]:
    """What is noted of every pair alike: it is said once."""
    if len(analysis.changes) < 2:
        return []
    first, *other_notes = (change.notes for change in analysis.changes)
    return [note for note in first if all(note in notes for notes in other_notes)]


def _notes(notes: Sequence[str]) -> list[Block]:
    return [Bullets(tuple(Paragraph((say("{text}", text=text),)) for text in notes))] if notes else []


def _change(analysis: Analysis, place: int, scale: str, diffs: dict[str, str]) -> list[Block]:
    change = analysis.changes[place]
    runs_lost = [run.name for run in analysis.runs if mostly_lost(run) and run.name in {change.base, change.candidate}]
    over = scored_over(analysis, change)
    words = (*_verdict(analysis, change, place, scale, runs_lost, over), *like_for_like(analysis, change))
    blocks: list[Block] = [Paragraph(words)]
    if change.passport:
        blocks.append(_passport(change))
        blocks += _diffs(change, diffs)
    blocks += _not_in_the_settings(analysis, change)
    if change.parts and change.verdict != "not_comparable":
        blocks.append(Paragraph((*one_setting_told(analysis, change), *causes_told(change, scale))))
        blocks.append(_parts(change, place, scale))
        blocks += _inside_pool(change, place, scale)
    if change.flips:
        blocks.append(_flip_words(change))
        if any(flip["beyond_noise"] for flip in change.flips) or _all_fit(change):
            blocks.append(_flips(change, place))
    if change.slices:
        blocks += [Paragraph((sentence,)) for sentence in prompt_behind(change, place, scale)]
        blocks.append(_slices(change, place, scale))
    return blocks


def _not_in_the_settings(analysis: Analysis, change: Change) -> Iterator[Block]:
    """What differs beside the settings, by what the rows' texts name: the machine and the model's id."""
    differences = (analysis.investigation or {}).get("machines_and_models") or {}
    sentences: list[Sentence] = []
    machines = {item["run"]: item for item in differences.get("machines", ())}
    pair = [machines[run] for run in (change.base, change.candidate) if run in machines]
    if len(pair) == 2 and pair[0]["usual"] != pair[1]["usual"]:
        parts = [
            f"{item['run']} on {item['usual']}" if item["usual"] else f"that of {item['run']} is not known"
            for item in pair
        ]
        sentences.append(say("Besides the settings, the machine may differ: {parts}.", parts=listed(parts)))
    for item in differences.get("models", ()):
        if item["run"] in {change.base, change.candidate}:
            ids = listed(list(item["ids"]))
            sentences.append(say("The attempts of {run} name several model ids: {ids}.", run=item["run"], ids=ids))
    if sentences:
        yield Paragraph(tuple(sentences))


def _all_fit(change: Change) -> bool:
    """Whether the tasks that changed fit into the table, some untested: the first few of many would be no finding."""
    untested = any(flip["lfdr"] is None for flip in change.flips)
    return untested and (change.flips_expected or {}).get("flips", len(change.flips)) <= FLIPS_SHOWN


def _diffs(change: Change, pair_of_text: dict[str, str]) -> Iterator[Block]:
    """The texts that differ; a difference that another pair has too is told there."""
    for item in change.passport:
        sentences = tuple(_diff(item["field"], item["diff"])) if "diff" in item else ()
        words = " ".join(sentence.text for sentence in sentences)
        if words in pair_of_text:
            sentence = "{field}: the same difference as from {base} to {other}."
            field = item["field"].capitalize()
            yield Paragraph((say(sentence, field=field, base=name(change.base), other=name(pair_of_text[words])),))
        elif sentences:
            pair_of_text[words] = change.candidate
            yield Paragraph(sentences)


def _verdict(
    analysis: Analysis, change: Change, place: int, scale: str, runs_lost: Sequence[str], over: str
) -> Iterator[Sentence]:
    """`over` says what the scores are over, where that is not what was judged."""
    text, facts = gap(change, place, scale)
    yield say(text + (f", {over}." if over else "."), **facts)
    if change.verdict == "not_comparable":
        yield say("The runs cannot be compared task by task: {reason}", reason=change.reason)
    elif change.delta_common is not None:
        only_lost = hangs_on_lost(analysis, change) is not None
        yield from _on_common(change, place, scale, runs_lost, only_lost=only_lost)
    else:
        yield say("{reason}", reason=change.reason)
    if not change.separable and change.confounded_with:
        yield say("Effects cannot be separated: {settings}.", settings=mixed_settings(change))


def _on_common(
    change: Change, place: int, scale: str, runs_lost: Sequence[str], *, only_lost: bool
) -> Iterator[Sentence]:
    """The verdict speaks of common tasks after repairs; there is none where a run mostly did not run."""
    at = ("changes", place)
    facts: dict[str, Fact | str] = {
        "tasks": fact(count(change.common_tasks, "common task"), change.common_tasks, *at, "common_tasks"),
        "common": fact(difference(change.delta_common, scale), change.delta_common, *at, "delta_common"),
        "verdict": ONLY_LOST if only_lost else verdict_words(change, VERDICTS),
        "reason": change.reason,
    }
    text = "On the {tasks}" + corrected(change) + " the difference is {common}"
    if change.interval is not None and change.common_tasks > 1 and not same_runs(change):
        facts["interval"] = fact(points_span(change.interval, scale), list(change.interval), *at, "interval")
        text += " (95% interval {interval})"
    if runs_lost:
        text += (
            " as reported, but lost rollouts make that no fair comparison: the score of {runs} does not "
            "measure the model."
        )
        yield say(text, **facts, runs=listed(runs_lost))
        return
    yield say(text + ": {verdict}. {reason}", **facts)
    if same_outputs(change):
        alike = change.shared_outputs["identical"]
        words = f"all {count(alike, 'pair')} of attempts" if alike > 1 else "the one pair of attempts"
        told = fact(words, alike, *at, "shared_outputs", "identical")
        yield say("Both runs give the same output, word for word, in {told}.", told=told)
    if no_chance(change):
        return
    if change.mde:
        yield say(
            "Minimum detectable effect of such a pair: {mde} (at 80% power).",
            mde=fact(difference(change.mde, scale).lstrip("+"), change.mde, *at, "mde"),
        )
    if change.verdict == "inconclusive" and change.repeats_needed:
        tasks_words = f"; on new tasks of this kind, about {change.tasks_needed:,} tasks" if change.tasks_needed else ""
        yield say(
            "To confirm a change of this size on these tasks, run about {repeats} per task" + tasks_words + ".",
            repeats=fact(count(change.repeats_needed, "attempt"), change.repeats_needed, *at, "repeats_needed"),
        )
    if change.churn_p is not None and change.churn_p < 0.05 and (change.p or 0) >= 0.05:
        yield say(
            "Single tasks changed more than chance allows although the mean did not: gains and losses offset "
            "each other."
        )


def _passport(change: Change) -> Table:
    roles = {"treatment": "the treatment", "control_moved": "changed unintentionally", "unknown": "not said"}
    rows = tuple(
        (item["field"], _short(item["base"]), _short(item["candidate"]), roles.get(item["role"], ""))
        for item in change.passport
    )
    return Table(("What differs", change.base, change.candidate, "Meant to change?"), rows)


def _diff(field: str, diff: Mapping[str, Any]) -> Iterator[Sentence]:
    """The lines that one text has and the other has not, the new ones first; in one sentence, to be read together."""
    parts: list[str] = []
    for key, words in (("added", "only in the second"), ("removed", "only in the first")):
        lines, line_count = diff[key][:LINES_SHOWN], diff[f"{key}_lines"]
        if lines:
            stand = "" if parts else " stands" if line_count == 1 else " stand"
            shown_words = f", {len(lines)} of them" if line_count > len(lines) else ""
            quoted = listed([f"“{line}”" for line in lines])
            noun = "tool" if field == "tools" else "line"
            parts.append(f"{count(line_count, noun)}{stand} {words}{shown_words}: {quoted}")
    if parts:
        yield say("{field}: {parts}.", field=field.capitalize(), parts="; ".join(parts))


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _parts(change: Change, place: int, scale: str) -> Table:
    """Named parts one by one; what cannot be told from noise by itself is one line."""
    rows = [_part(change, part, place, scale) for part in change.parts if part.named]
    pooled_parts = [part for part in change.parts if not part.named and abs(part.points) > 1e-12]
    pooled = change.views.get("pooled")
    if pooled_parts and pooled:
        interval = points_span(pooled["interval"], scale) if pooled["interval"] else ""
        title = f"{_rest_words(pooled_parts)} ({count(len(pooled_parts), 'part')})"
        rows.append((title, difference(sum(part.points for part in pooled_parts), scale), interval, "", "no", "", ""))
    total = fact(difference(change.delta, scale), change.delta, "changes", place, "delta")
    rows.append(("all parts", total, "", "", "", "", ""))
    return Table(COLUMNS, tuple(rows), caption=STANDING_IN if _has_cut_rollouts(change) else "")


def _has_cut_rollouts(change: Change) -> bool:
    """Whether a part is of rollouts that broke, were cut or could not be read: what they count is an estimate."""
    return any(part.cause in ESTIMATED and part.rollouts for part in change.parts)


def _inside_pool(change: Change, place: int, scale: str) -> list[Block]:
    pooled_parts = [part for part in change.parts if not part.named and abs(part.points) > 1e-12]
    if not pooled_parts:
        return []
    rows = tuple(_part(change, part, place, scale) for part in pooled_parts[:PARTS_SHOWN])
    left = (
        f"; {count(len(pooled_parts) - PARTS_SHOWN, 'smaller part')} in analysis.json"
        if len(pooled_parts) > PARTS_SHOWN
        else ""
    )
    reason = _why_pooled(change, pooled_parts)
    return [Table(COLUMNS, rows, caption=f"The parts that are {_rest_words(pooled_parts)} ({reason}{left}):")]


def _why_pooled(change: Change, pooled_parts: Sequence[Part]) -> str:
    """Why parts are not shown to be causes; those that differ beyond chance are told in words before."""
    certain_parts = beyond_chance(change)
    besides = "but for what is said above, " if any(part in pooled_parts for part in certain_parts) else ""
    reason = "each by itself may be chance"
    return besides + reason + (", or passes show it as often" if any(map(leaves_out_zero, pooled_parts)) else "")


def _rest_words(pooled_parts: Sequence[Part]) -> str:
    return "not shown to be causes" if any(map(leaves_out_zero, pooled_parts)) else "not significant"


def _part(change: Change, part: Part, place: int, scale: str) -> tuple[str | Fact, ...]:
    at = ("changes", place, "parts", change.parts.index(part))
    return (
        cause_words(part),
        fact(difference(part.points, scale), part.points, *at, "points"),
        points_span(part.interval, scale) if part.interval else "",
        STATUSES[part.status],
        _significance(part),
        f"{part.rollouts:,}",
        _place_words(part),
    )


def _significance(part: Part) -> str:
    if part.named and part.cause in BY_COUNTING:
        return "by counting"
    if part.named:
        return "in total" if part.cause == "behaviour" and within_chance(part) else "yes"
    return "not shown" if leaves_out_zero(part) else "no"


def _place_words(part: Part) -> str:
    places = []
    if "category" in part.where:
        places += [f"{field} {level}" for field, level in part.where["category"].items()]
    if "window" in part.where:
        window = part.where["window"]
        order = "in order of time" if window["order"] == "time" else "of the file"
        places.append(f"rows {window['rows'][0] + 1:,} to {window['rows'][1]:,} {order}")
    if "message" in part.where:
        places.append(_short(part.where["message"]))
    return "; ".join(places)


def _flip_words(change: Change) -> Paragraph:
    totals = change.flips_expected or {}
    rate = "pass rate" if totals["counted"] == "passes" else "share of full scores"
    tasks_changed = count(totals["flips"], "task changed its", "tasks changed their")
    sentences = [say("{many} {rate}{tested}", many=tasks_changed, rate=rate, tested=_how_tested(change, totals))]
    chance = totals["changed_by_chance"]
    if chance is not None and not no_chance(change):
        text = "Chance alone would change about {share} of the tasks, judging by how attempts within a run differ."
        sentences.append(say(text, share=percent(chance)))
    return Paragraph(tuple(sentences))


def _how_tested(change: Change, totals: Mapping[str, Any]) -> str:
    """How many tasks are beyond noise, or why none was tested."""
    tasks, tested = totals["tasks"], totals["tested"]
    if not tested:
        single = all(flip["base"][1] == flip["candidate"][1] == 1 for flip in change.flips)
        unknown = "; how many chance alone would change is unknown without repeats"
        return (
            f". With one attempt per task{'' if single else ' in one of the runs'}, no single task can be separated "
            f"from noise{unknown if totals['changed_by_chance'] is None else ''}."
        )
    if totals["controlled"]:
        left = count(tasks - tested, "task")
        untested_words = f"; {left} with one attempt in a run could not be tested" if tasks > tested else ""
        return f", {totals['beyond_noise']:,} of them beyond noise{_together(totals)}{untested_words}."
    if tasks < FEWEST_TASKS:
        return f"; with fewer than {FEWEST_TASKS} tasks none is tested by itself."
    return f"; fewer than {FEWEST_TASKS} tasks have two attempts in both runs, so none is tested by itself."


def _together(totals: Mapping[str, Any]) -> str:
    """What beyond noise means: tasks are judged together, so that some are flagged which no test of one would show."""
    if not totals["beyond_noise"]:
        return ""
    by_chance = round(totals["by_chance"])
    expected = f"about {by_chance:,} of these {'is' if by_chance == 1 else 'are'}" if by_chance else "hardly any is"
    return (
        f" (all tasks are judged together, and {expected} expected to be chance; one at a time Fisher's exact test, "
        f"p ≤ {ALONE} and not corrected, shows {totals['alone']:,})"
    )


def _flips(change: Change, place: int) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    for number, flip in enumerate(change.flips[:FLIPS_SHOWN]):
        at = ("changes", place, "flips", number)
        rows.append(
            (
                name(flip["task"]),
                f"{flip['base'][0]} of {flip['base'][1]}",
                Fact(
                    f"{flip['candidate'][0]} of {flip['candidate'][1]}",
                    "number",
                    flip["candidate"],
                    _proof(*at, "candidate"),
                ),
                "" if flip["lfdr"] is None else percent(flip["lfdr"], 0),
                _tested(flip),
            ),
        )
    flips = (change.flips_expected or {}).get("flips", len(change.flips))
    caption = f"The first {len(rows)} of the {flips:,} tasks that changed:" if flips > len(rows) else ""
    columns = ("Task", f">{change.base}", f">{change.candidate}", ">Chance of no change", "Beyond noise")
    return Table(columns, tuple(rows), caption=caption, ranked=True)


def _tested(flip: Mapping[str, Any]) -> str:
    if flip["lfdr"] is None:
        return "not tested"
    return "yes" if flip["beyond_noise"] else "no"


def _proof(*path: str | int) -> dict[str, object]:
    return {"query": "analysis", "args": {"path": list(path)}}


def _slices(change: Change, place: int, scale: str) -> Table:
    rows = tuple(
        (
            " and ".join(item["where"]),
            f"{item['tasks']:,}",
            difference(item["inside"], scale),
            difference(item["outside"], scale),
            fact(difference(item["excess"], scale), item["excess"], "changes", place, "slices", number, "excess"),
            f"{item['p_adjusted']:.3g}",
            "significant" if item["named"] else "suggestive",
        )
        for number, item in enumerate(change.slices)
    )
    columns = ("Slice", ">Tasks", ">Change inside", ">Change outside", ">Excess", ">Adjusted p", "")
    return Table(columns, rows, caption="Slices that changed differently from the rest:")
