"""Score Change: is the change real, where does every point of it come from, and which tasks moved."""

from __future__ import annotations

from collections.abc import Iterator

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis, Change, Part
from blade.wording import count, fact, listed, name, percent, plain, points, span

TITLE = "Score Change"
ORDER = 35
PARTS_SHOWN = 10
FLIPS_SHOWN = 12
VERDICTS = {
    "real": "The change is real",
    "noise": "The change is within noise",
    "inconclusive": "Whether the change is real cannot be told from these runs",
    "not_comparable": "The runs cannot be compared task by task",
}
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
    "malformed": "answers that could not be read",
    "behaviour": "what the model did",
    "unresolved": "tasks without a plain attempt to compare",
}
STATUSES = {
    "identified": "identified",
    "assumed": "under an assumption",
    "bounds": "bounds only",
    "not_identified": "not identified",
}


def build(analysis: Analysis) -> list[Block]:
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    blocks: list[Block] = []
    for place, change in enumerate(analysis.changes):
        if len(analysis.changes) > 1:
            blocks.append(Heading(f"{change.base} → {change.candidate}"))
        blocks += _change(change, place, scale)
    return blocks


def _change(change: Change, place: int, scale: str) -> list[Block]:
    blocks: list[Block] = [Paragraph(tuple(_verdict(change, place, scale)))]
    if change.passport:
        blocks.append(_passport(change))
    named = [part for part in change.parts if part.named]
    if change.parts and change.verdict != "not_comparable":
        blocks.append(Paragraph((_story(named),)))
        blocks.append(_parts(change, place, scale))
    if change.flips:
        blocks += [_flip_words(change), _flips(change, place)]
    if change.slices:
        blocks.append(_slices(change, place))
    if change.notes:
        blocks.append(Bullets(tuple(Paragraph((say("{text}", text=text),)) for text in change.notes)))
    return blocks


def words(value: float | None, scale: str) -> str:
    """A difference: in points where scores are fractions, plain elsewhere."""
    return points(value) if scale == "unit" else plain(value)


def _verdict(change: Change, place: int, scale: str) -> Iterator[Sentence]:
    at = ("changes", place)
    facts: dict[str, Fact | str] = {
        "base": name(change.base),
        "candidate": name(change.candidate),
        "delta": fact(words(change.delta, scale), change.delta, *at, "delta"),
        "tasks": fact(count(change.common_tasks, "common task"), change.common_tasks, *at, "common_tasks"),
    }
    yield say("{verdict}: {candidate} against {base}, {delta}.", verdict=VERDICTS[change.verdict], **facts)
    yield say("{reason}", reason=change.reason)
    if change.interval is not None and change.delta_common is not None and change.common_tasks > 1:
        yield say(
            "On the {tasks} the difference is {common} (95% interval {interval}).",
            tasks=facts["tasks"],
            common=fact(words(change.delta_common, scale), change.delta_common, *at, "delta_common"),
            interval=fact(_span(change.interval, scale), list(change.interval), *at, "interval"),
        )
    if change.mde:
        yield say(
            "This pair of runs could have shown a change of {mde}; it could not have seen less.",
            mde=fact(words(change.mde, scale).lstrip("+"), change.mde, *at, "mde"),
        )
    if change.churn_p is not None and change.churn_p < 0.05 and (change.p or 0) >= 0.05:
        yield say("Single tasks moved more than chance allows although the mean did not: gains and losses offset.")
    if not change.separable and change.confounded_with:
        yield say(
            "Several things changed at once ({fields}), so the cause of the change cannot be told apart from them.",
            fields=listed(list(change.confounded_with)),
        )


def _span(interval: tuple[float, float], scale: str) -> str:
    return f"{words(interval[0], scale)} to {words(interval[1], scale)}" if scale == "unit" else span(interval, scale)


def _passport(change: Change) -> Table:
    roles = {"treatment": "the treatment", "control_moved": "moved although not meant to", "unknown": "not said"}
    rows = tuple(
        (item["field"], _short(item["base"]), _short(item["candidate"]), roles.get(item["role"], ""))
        for item in change.passport
    )
    return Table(("What differs", change.base, change.candidate, "Meant to change?"), rows)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _story(named: list[Part]) -> Sentence:
    if not named:
        return say("No part of the change stands out from sampling noise; all parts are in the table.")
    told = listed([f"{cause_words(part)} ({points(part.points)})" for part in named[:4]])
    return say("Named causes: {told}. All parts add up to the change exactly.", told=told)


def cause_words(part: Part) -> str:
    """A cause as people say it, with what it is about."""
    text = CAUSES.get(part.cause, part.cause)
    if part.where.get("tool"):
        return f"{text}: calls of {part.where['tool']} that fail"
    if part.cause == "behaviour":
        return f"{text} ({part.sub})" if part.sub else text
    return f"{text} ({part.sub.replace('_', ' ')})" if part.sub else text


def _parts(change: Change, place: int, scale: str) -> Table:
    rows: list[tuple[str | Fact, ...]] = []
    shown = [part for part in change.parts if part.named] + [
        part for part in change.parts if not part.named and abs(part.points) > 1e-12
    ]
    for part in shown[:PARTS_SHOWN]:
        at = ("changes", place, "parts", change.parts.index(part))
        rows.append(
            (
                cause_words(part),
                fact(words(part.points, scale), part.points, *at, "points"),
                _span(part.interval, scale) if part.interval else "",
                STATUSES[part.status],
                "yes" if part.named else "no",
                f"{part.rollouts:,}",
                _where(part),
            ),
        )
    rest = shown[PARTS_SHOWN:]
    if rest:
        total = sum(part.points for part in rest)
        rows.append((count(len(rest), "smaller part"), words(total, scale), "", "", "no", "", ""))
    rows.append(
        ("all parts", fact(words(change.delta, scale), change.delta, "changes", place, "delta"), "", "", "", "", "")
    )
    columns = ("Cause", ">Points", ">95% interval", "How sure", "Beyond noise", ">Rollouts", "Where")
    return Table(columns, tuple(rows))


def _where(part: Part) -> str:
    told = []
    if "category" in part.where:
        told += [f"{field} {level}" for field, level in part.where["category"].items()]
    if "window" in part.where:
        window = part.where["window"]
        told.append(f"rows {window['rows'][0] + 1:,} to {window['rows'][1]:,} in order of time")
    if "message" in part.where:
        told.append(_short(part.where["message"]))
    return "; ".join(told)


def _flip_words(change: Change) -> Paragraph:
    beyond = sum(flip["beyond_noise"] for flip in change.flips)
    told = [
        say(
            "{many} changed their pass rate; {beyond} of them beyond noise.",
            many=count(len(change.flips), "task"),
            beyond=f"{beyond:,}",
        ),
    ]
    chance = (change.flips_expected or {}).get("changed_by_chance")
    if chance is not None:
        told.append(say("Chance alone would change {share} of the tasks.", share=percent(chance)))
    if change.flips_expected and not change.flips_expected["controlled"]:
        told.append(say("With fewer than 50 tasks single flips are shown untested."))
    return Paragraph(tuple(told))


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
                "yes" if flip["beyond_noise"] else "no",
            ),
        )
    return Table(
        ("Task", f">{change.base}", f">{change.candidate}", ">Chance of no change", "Beyond noise"), tuple(rows)
    )


def _proof(*path: str | int) -> dict[str, object]:
    return {"query": "analysis", "args": {"path": list(path)}}


def _slices(change: Change, place: int) -> Table:
    rows = tuple(
        (
            " and ".join(item["where"]),
            f"{item['tasks']:,}",
            points(item["inside"]),
            points(item["outside"]),
            fact(points(item["excess"]), item["excess"], "changes", place, "slices", number, "excess"),
            f"{item['p_adjusted']:.3g}",
            "named" if item["named"] else "suggestive",
        )
        for number, item in enumerate(change.slices)
    )
    columns = ("Slice", ">Tasks", ">Change inside", ">Change outside", ">Excess", ">Adjusted p", "")
    return Table(columns, rows, caption="Slices that changed otherwise than the rest:")
