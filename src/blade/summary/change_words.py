"""How the causes of a change are worded for all who speak of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.change.clear_parts import beyond_chance, clear_parts, within_chance
from blade.change.single_differences import only_setting, unnamed_settings
from blade.counting.derived_slices import field_words
from blade.counting.lost_rollouts import mostly_lost
from blade.diagnosis.blame import HARNESS, SHAPES, SIMULATED_USER, TOOL
from blade.document import Fact, Sentence, say
from blade.findings import Intervention, Mode
from blade.model import Analysis, Change, Part
from blade.summary.moved_failures import UNTOLD, behaviour_modes, moved_failures
from blade.wording import SAME, abridged, count, difference, fact, listed, name, p_value, printable, span

CAUSES_TOLD = 4
CAUSES = {
    "duplicate_rows": "rows counted twice",
    "foreign_rows": "rows of another model",
    "reward_rescaled": "rewards on another scale",
    "composition": "another set of tasks",
    "coverage": "missing rollouts",
    "weights": "unequal numbers of attempts",
    "infrastructure": "infrastructure",
    "verifier": "the verifier",
    "truncation": "outputs cut off or out of time",
    "malformed": "answers or results that are missing or could not be parsed",
    "behaviour": "behaviour",
    "unresolved": "tasks without a normal attempt to compare with",
}


COUNTED = "How rollouts are counted, and not how they went, accounts for {told}."
UNEXPLAINED = "The runs differ beyond chance in {told}, but no rule says why."
UNEXPLAINED_TOGETHER = (
    "The failures of rollouts that ran differ beyond chance only when taken together, and no rule says why; among "
    "them: {told}."
)
CORRECTIONS = frozenset({"duplicate_rows", "foreign_rows", "reward_rescaled"})
BY_COUNTING = CORRECTIONS | {"composition", "coverage", "weights"}
"""Parts that follow from which rows are counted: they are exact, and no test calls them significant."""
BLAMED = {
    "model": "model behaviour",
    "tool": "calls that fail",
    "simulated user": "the simulated user",
    "harness": "limits of turns or time",
    "verifier": "how it was judged",
    "data": "the task's data",
    "infrastructure": "infrastructure",
    "unexplained": "unexplained failures",
}
"""Whose doing a part of the behaviour is."""
VERDICTS = {
    "real": "a real difference",
    "noise": "within noise",
    "inconclusive": "inconclusive (chance may explain it)",
    "not_comparable": "not comparable",
}
"""What a verdict is called, wherever it is told."""
NOT_THE_MODEL = ("harness", "simulated user", "verifier", "data")
NO_DIFFERENCE = "no change on these tasks; others may show one"


SCALE = "reward scale"


PARTIES = {
    "format": "the form of the answer",
    "knowledge": "model knowledge",
    "behaviour": "model behaviour",
    "verifier": "the verifier",
    "infrastructure": "infrastructure",
    "data": "the benchmark's data",
    "unknown": "unclassified",
}


def attributed_to(mode: Mode) -> str:
    """To whom a mode is attributed; to nobody where it is only the shape of a failure."""
    if mode.detector in SHAPES:
        return PARTIES["unknown"]
    places = {SIMULATED_USER: "the simulated user", HARNESS: "a limit of turns or time", TOOL: "a tool or its calls"}
    return places.get(mode.blame) or PARTIES.get(mode.kind, mode.kind)


def same_runs(change: Change) -> bool:
    """Both runs hold the same outputs with the same scores: nothing changed, and no noise has a part in it."""
    return bool(change.shared_outputs["same_runs"])


def no_chance(change: Change) -> bool:
    """All outputs are shared: the tests of chance have nothing to say."""
    shared = change.shared_outputs
    return same_runs(change) or (bool(shared["reward_differs"]) and shared["identical"] == shared["pairs"])


def same_outputs(change: Change) -> bool:
    """Whether two settings gave the same outputs in all attempts that ran side by side, and score the same."""
    shared = change.shared_outputs
    alike = shared.get("level") == "output" and 0 < shared["pairs"] == shared["identical"]
    moved = change.delta_common is None or abs(change.delta_common) >= SAME or bool(shared["reward_differs"])
    return alike and not moved and not same_runs(change)


def verdict_words(change: Change, words: Mapping[str, str]) -> str:
    """The verdict in the words of one place; runs that are the same are called that.

    Where the interval over tasks of the kind includes 0, what is real is so on these tasks alone.
    """
    if same_runs(change):
        return "identical"
    unmoved = change.delta_common == 0 and change.flips_expected is not None and not change.flips
    if change.verdict == "inconclusive" and unmoved:
        return NO_DIFFERENCE
    low, high = change.interval or (0.0, 0.0)
    alone = change.verdict == "real" and low < high and low <= 0 <= high and not no_chance(change)
    return f"{words[change.verdict]} on these tasks" if alone else words[change.verdict]


def other_scale(change: Change) -> bool:
    """Whether the rewards of two runs are on different scales, and nothing puts them on one."""
    scaled = change.verdict != "not_comparable"
    return not scaled and any(item["field"] == SCALE for item in change.passport)


def gap(change: Change, place: int, scale: str) -> tuple[str, dict[str, Fact | str]]:
    """How far the candidate scores above or below the base: the beginning of a sentence, and its facts."""
    delta = change.delta
    size, none = difference(delta, scale), difference(0.0, scale)
    facts: dict[str, Fact | str] = {
        "candidate": name(change.candidate),
        "base": name(change.base),
        "delta": fact(size.lstrip("+-−"), delta, "changes", place, "delta"),
    }
    if delta is None:
        return "How far {candidate} scores from {base} is {delta}", facts
    if other_scale(change):
        text = "The rewards of {candidate} and {base} are on different scales, so their scores are not subtracted"
        return text, facts
    if change.verdict == "not_comparable":
        return "No task of {candidate} could be matched with one of {base}, so their scores are not subtracted", facts
    facts |= dict(zip(("of_base", "of_candidate"), settings_told(change), strict=True))
    if size == none:
        return "{candidate}{of_candidate} scores the same as {base}{of_base} ({delta} apart)", facts
    return "{candidate}{of_candidate} scores {delta} " + ("above" if delta > 0 else "below") + " {base}{of_base}", facts


def settings_told(change: Change) -> tuple[str, str]:
    """The model, the agent or what else was recorded of either run, in brackets, where their names do not say it."""
    settings = unnamed_settings(change.passport, (change.base, change.candidate))
    base, candidate = (
        ", ".join(f"{item['field']} {printable(str(item[side]))}" for item in settings)
        for side in ("base", "candidate")
    )
    return (f" ({base})", f" ({candidate})") if settings else ("", "")


def one_setting_told(analysis: Analysis, change: Change) -> Iterator[Sentence]:
    """That one recorded setting alone differs, where the names of the runs do not say it: it stands before causes."""
    field = only_setting(change.passport)
    unnamed = unnamed_settings(change.passport, (change.base, change.candidate))
    if field is None or change.confounded_with or same_runs(change) or not unnamed:
        return
    runs = [run for name_of_run in (change.base, change.candidate) for run in analysis.runs if run.name == name_of_run]
    agents = {run.provenance.agent for run in runs}
    agent = next(iter(agents)) if len(agents) == 1 and field != "agent" else None
    naming_rows = [(sum(run.provenance.models.values()), run.rollouts) for run in runs]
    seldom = field == "model" and any(2 * naming < rollouts for naming, rollouts in naming_rows)
    rows = listed([f"{naming:,} of {rollouts:,}" for naming, rollouts in naming_rows])
    yield say(
        "Of the recorded settings, {field} alone changed{agent}{seldom}.",
        field=field if "." in field else f"the {field}",
        agent=f"; the agent ({printable(agent)}) did not" if agent else "",
        seldom=f" ({rows} rows name the model)" if seldom else "",
    )


def weight(change: Change) -> tuple[bool, float]:
    """Real changes first, then the larger ones: those are described where there is no room for all."""
    return change.verdict != "real", -abs(common_difference(change) or 0.0)


def common_difference(change: Change) -> float | None:
    """How far apart two scores are; None where no task is common: scores on different tasks have no difference."""
    return None if change.verdict == "not_comparable" else change.delta


def main_change(analysis: Analysis) -> tuple[int, Change] | None:
    """The change that weighs most, and its place: real ones first, none whose score counts mostly lost rollouts."""
    runs_lost = {run.name for run in analysis.runs if mostly_lost(run)}
    compared = [pair for pair in enumerate(analysis.changes) if pair[1].verdict != "not_comparable"]
    comparable = [pair for pair in compared if not runs_lost & {pair[1].base, pair[1].candidate}]
    return min(comparable or compared, key=lambda pair: weight(pair[1]), default=None)


def corrected(change: Change) -> str:
    """Says that rows were set aside or rewards brought to one scale before the common tasks were compared."""
    return ", with counting errors corrected," if any(part.cause in CORRECTIONS for part in change.parts) else ""


def causes_told(change: Change, scale: str) -> Iterator[Sentence]:
    named_causes, unexplained = named_parts(change)
    scored_otherwise = list(_scored_otherwise(change))
    if not named_causes and not unexplained and (change.verdict == "real" or scored_otherwise):
        yield _no_part(change, scale)
    elif not named_causes and not unexplained and not same_runs(change):
        yield say("No part of the change is significant: all of it may be sampling noise.")
    tested, counted = tested_and_counted(named_causes)
    if tested:
        cause_list = [f"{cause_words(part)} ({difference(part.points, scale)})" for part in tested]
        yield say("Significant causes: {told}.", told=abridged(cause_list, CAUSES_TOLD))
    if counted:
        cause_list = [f"{difference(part.points, scale)} by {cause_words(part)}" for part in counted]
        yield say(COUNTED, told=abridged(cause_list, CAUSES_TOLD))
    if named_causes:
        yield say("All parts add up to the change exactly.")
    if all(part.cause != "verifier" for part in named_causes):
        yield from scored_otherwise
    yield from unexplained_told(unexplained, scale)
    for part in change.parts:
        if part.named and abs(part.points) < SAME and part.interval:
            open_span = points_span(part.interval, scale)
            yield say(
                "{cause} may account for {span} of the change.", cause=_capital(cause_words(part)), span=open_span
            )
    modes = behaviour_modes(change)
    behaviour_points = change.views.get("behaviour")
    if behaviour_points is not None and len(modes) > 1 and abs(behaviour_points) >= SAME:
        total = difference(behaviour_points, scale)
        yield behaviour_together(change, scale, total, f", over {_mode_count(modes)}")
    yield from moved_failures(change, scale)


def _no_part(change: Change, scale: str) -> Sentence:
    """That no part is shown to be a cause, and whether some differ beyond chance all the same."""
    if parts := beyond_chance(change):
        parts_told = abridged(
            [f"{cause_words(part)} ({difference(part.points, scale)})" for part in parts], CAUSES_TOLD
        )
        differ = "differs" if len(parts) == 1 else "differ"
        return say(
            "No part is shown to be a cause, but {told} {differ} beyond chance, corrected for all parts.",
            told=parts_told,
            differ=differ,
        )
    if clear_parts(change):
        return say("No part of the change is shown to be a cause among so many.")
    return say("No part of the change is significant by itself.")


def _scored_otherwise(change: Change) -> Iterator[Sentence]:
    """Outputs that both runs have word for word under other scores: nobody sampled that, whatever a test says."""
    shared = change.shared_outputs
    otherwise = shared.get("reward_differs", 0)
    if shared.get("level") == "output" and otherwise and not shared.get("scored_two_ways"):
        verbs = ("stands", "is") if otherwise == 1 else ("stand", "are")
        yield say(
            "{many} {stand} in both runs word for word and {are} scored otherwise: that is the verifier's doing, "
            "and no sampling noise.",
            many=count(otherwise, "output"),
            stand=verbs[0],
            are=verbs[1],
        )


def named_parts(change: Change) -> tuple[list[Part], list[Part]]:
    """The parts that stand out from chance: those with a cause, and those of which only the shape is known."""
    certain = [part for part in change.parts if part.named and abs(part.points) >= SAME]
    return [part for part in certain if _has_cause(part)], [part for part in certain if not _has_cause(part)]


def _has_cause(part: Part) -> bool:
    """Whether a part tells more than a shape. Calls may fail by what they ask: only a tool that broke is a cause."""
    return part.blame != "unexplained" and (part.blame != "tool" or part.sub == "broken_tool")


def all_told(named: list[Part], whole: float) -> bool:
    """Whether the named parts already say all that the model's behaviour makes up."""
    return abs(sum(part.points for part in named if part.cause == "behaviour") - whole) < SAME


def tested_and_counted(causes: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """The causes that a test calls significant, and those that follow from which rows are counted."""
    return (
        [part for part in causes if part.cause not in BY_COUNTING],
        [part for part in causes if part.cause in BY_COUNTING],
    )


def unexplained_told(unexplained: Sequence[Part], scale: str, *, counts: bool = True) -> Iterator[Sentence]:
    """The parts of which only the shape is known, then those that passes show as often."""
    for text, together in ((UNEXPLAINED, False), (UNEXPLAINED_TOGETHER, True)):
        shapes = [
            f"{_quoted_shape(part)} ({difference(part.points, scale)})"
            for part in unexplained
            if "in_passes" not in part.where and within_chance(part) is together
        ]
        if shapes:
            yield say(text, told=abridged(shapes, CAUSES_TOLD))
    yield from _without_separation(unexplained, scale, counts=counts)


def prompt_behind(change: Change, place: int, scale: str) -> Iterator[Sentence]:
    """The parts of the tasks that moved unlike the rest and that the prompt of one run alone speaks of by name."""
    for number, item in enumerate(change.slices):
        line = item.get("prompt")
        if line:
            at = ("changes", place, "slices", number)
            yield say(
                "Where {where} ({tasks}) the score changes by {inside}, elsewhere by {outside}, and only the prompt of "
                "{run} speaks of that: “{line}”.",
                where=" and ".join(f"{field_words(field)} is {level}" for field, _, level in _split(item["where"])),
                tasks=fact(count(item["tasks"], "task"), item["tasks"], *at, "tasks"),
                inside=fact(difference(item["inside"], scale), item["inside"], *at, "inside"),
                outside=fact(difference(item["outside"], scale), item["outside"], *at, "outside"),
                run=name(change.base if line["side"] == "base" else change.candidate),
                line=line["line"],
            )


def _split(where: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return (level.partition("=") for level in where)


def _without_separation(unexplained: Sequence[Part], scale: str, *, counts: bool) -> Iterator[Sentence]:
    """Parts whose mode tells of something that is not shown to separate failures from passes inside the runs."""
    parts_told = [
        f"{shape_words(part)} ({difference(part.points, scale)}"
        + (f"; {_in_passes(part.where['in_passes'])})" if counts else ")")
        for part in unexplained
        if "in_passes" in part.where
    ]
    if parts_told:
        yield say(
            "Correlated with the change, but not shown to be its cause: {told}.", told=abridged(parts_told, CAUSES_TOLD)
        )


def _in_passes(separation: Mapping[str, Any]) -> str:
    passes, failures = (
        f"{showing:,} of {rows:,}" for showing, rows in (separation[key] for key in ("passes", "failures"))
    )
    behaviour = f"{separation['behaviour']}: " if separation["behaviour"] else ""
    return f"{behaviour}in {failures} failures and {passes} passes of {separation['run']}"


def shape_words(part: Part) -> str:
    """How the failures of a part differ from what was expected."""
    return str(part.where.get("mode") or UNTOLD)


def _quoted_shape(part: Part) -> str:
    return f"“{part.where['mode']}”" if part.where.get("mode") else UNTOLD


def behaviour_together(change: Change, scale: str, total_points: Fact | str, over: str = "") -> Sentence:
    """What the failures of rollouts that ran make up: the model's alone where a harness or a user has a share."""
    points: dict[str, float] = {}
    for part in change.parts:
        if part.cause == "behaviour":
            points[part.blame] = points.get(part.blame, 0.0) + part.points
    if points.keys() == {"unexplained"}:
        return say(
            f"Failures of rollouts that ran, in total: {{whole}}{over}; no rule says why they fail.",
            whole=total_points,
        )
    if all(abs(points.get(blame, 0.0)) < SAME for blame in NOT_THE_MODEL):
        return say(f"Behaviour in total: {{whole}}{over}.", whole=total_points)
    shares = {BLAMED[blame]: value for blame, value in points.items() if blame in BLAMED and abs(value) >= SAME}
    share_words = [
        f"{difference(shares[words], scale)} {words}" for words in sorted(shares, key=lambda words: -abs(shares[words]))
    ]
    unblamed = "" if BLAMED["model"] in shares else "; none of it is shown to be the model's behaviour"
    return say(
        f"Failures of rollouts that ran, in total: {{whole}}{over}, made of {{shares}}{unblamed}.",
        whole=total_points,
        shares=listed(share_words),
    )


def _mode_count(modes: Mapping[str | None, str | None]) -> str:
    known_modes = sum(mode is not None for mode in modes)
    unknown_words = f" and {UNTOLD}" if None in modes else ""
    return count(known_modes, "failure mode") + unknown_words


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def cause_words(part: Part) -> str:
    """A cause as people say it, with what it is about."""
    text = CAUSES.get(part.cause, part.cause)
    if part.where.get("tool"):
        return f"calls of {part.where['tool']} that fail"
    if part.cause == "behaviour":
        mode = part.where.get("mode")
        return f"{BLAMED[part.blame or 'unexplained']} ({mode})" if mode else UNTOLD
    if part.where.get("mode"):
        return f"{text} ({part.where['mode']})"
    return f"{text} ({part.sub.replace('_', ' ')})" if part.sub else text


def points_span(interval: tuple[float, float], scale: str) -> str:
    return (
        f"{difference(interval[0], scale)} to {difference(interval[1], scale)}"
        if scale == "unit"
        else span(interval, scale)
    )


def sureness(change: Change, at: tuple[str | int, ...], scale: str) -> Iterator[Sentence]:
    """Whether it holds on these tasks, and whether on new ones of the kind."""
    if change.p is None or change.interval is None or no_chance(change) or change.common_tasks < 2:
        return
    low, high = change.interval
    holds = "" if change.verdict != "real" else "not shown, " if low <= 0 <= high else "it holds, "
    yield say(
        "On these tasks: p {p}. On new tasks of this kind: " + holds + "95% interval {interval}.",
        p=p_value(change.p, *at, "p"),
        interval=fact(points_span(change.interval, scale), list(change.interval), *at, "interval"),
    )


def change_points(item: Intervention | Mode, scale: str, *path: str | int) -> Fact | str:
    """What the rollouts of a mode or an intervention make up of the change, for a table: the ledger's number."""
    if item.change_points is not None:
        return fact(difference(item.change_points, scale), item.change_points, *path, "change_points")
    if len(item.parts) == 1:
        points = item.parts[0].points
        return fact(f"part of {difference(points, scale)}", points, *path, "parts", 0, "points")
    return f"in {len(item.parts)} parts" if item.parts else "none"


def change_told(item: Intervention, changes: Sequence[Change], scale: str, *path: str | int) -> Iterator[Sentence]:
    """The same in sentences: all of a part, some of one, or none."""
    base = name(item.base)
    if item.change_points is not None:
        all_named = all(changes[share.change].parts[share.part].named for share in item.parts)
        points = fact(difference(item.change_points, scale), item.change_points, *path, "change_points")
        chance = "" if all_named else ", which by itself may be chance"
        parts = [changes[share.change].parts[share.part] for share in item.parts]
        part_list = listed([f"{cause_words(part)} {difference(part.points, scale)}" for part in parts])
        parts_words = f" ({part_list})" if len(parts) > 1 else ""
        yield say(
            f"It accounts for {{points}} of the change from {{base}}{parts_words}{chance}.", points=points, base=base
        )
        return
    for place, share in enumerate(item.parts):
        yield say(
            "{cause}: {points} of the change from {base}; "
            + ("all of its {all} are among these." if share.whole else "{some} of its {all} {are} among these."),
            are="is" if share.rollouts == 1 else "are",
            cause=_capital(cause_words(changes[share.change].parts[share.part])),
            points=fact(difference(share.points, scale), share.points, *path, "parts", place, "points"),
            base=base,
            some=fact(f"{share.rollouts:,}", share.rollouts, *path, "parts", place, "rollouts"),
            all=fact(count(share.of, "failing rollout"), share.of, *path, "parts", place, "of"),
        )
    if not item.parts:
        yield say("It plays no part in the change from {base}.", base=base)


def worth(item: Intervention | Mode, base: str, scale: str) -> str:
    """One line for a card: its points of the change where runs are compared, else what it costs; and its ceiling."""
    if isinstance(item, Mode):
        points, interval, ceiling = (item.recoverable[key] for key in ("points", "interval", "most"))
    else:
        points, interval, ceiling = item.points, item.interval, item.highest
    parts = []
    if base:
        cell = change_points(item, scale)
        text = cell if isinstance(cell, str) else cell.text
        parts.append(f"no part in the change from {base}" if text == "none" else f"{text} of the change from {base}")
    elif points is not None:
        ends = f" ({difference(interval[0], scale)} to {difference(interval[1], scale)})" if interval else ""
        parts.append(f"about {difference(points, scale)}{ends}" if ends else difference(points, scale))
    if ceiling is not None:
        parts.append(f"ceiling {difference(ceiling, scale)}")
    return "; ".join(parts)
