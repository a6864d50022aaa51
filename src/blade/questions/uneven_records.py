"""What do the rows of one run record and those of another not, and what does no run record?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from blade.counting.spending import tells_seconds
from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.extract.names import words
from blade.questions import judged
from blade.wording import abridged, count, fact, listed

TITLE = "What the rows record"
ORDER = 31
OF_COPIES = True
FEWEST = 5
FEWEST_TIMED = 20
"""So many rollouts never take the same time to the last digit."""
NEARLY_ALL, HARDLY_ANY = 0.9, 0.05
SETTINGS = frozenset("config configuration settings kwargs options hyperparameters".split())
"""Words of what holds settings: one run may need others, and keeps no other record for it."""
MOST_FIELDS = 8
TRANSCRIPT, TOKENS, TIMES, SAMPLING = "a transcript", "token counts", "times of rollouts", "sampling settings"
WANTED = {
    TRANSCRIPT: "what the model did",
    TOKENS: "how much the model wrote and which outputs were cut",
    TIMES: "whether a time limit ended rollouts",
    SAMPLING: "how answers were sampled",
}
"""What cannot be told without it."""
_KINDS = {
    TRANSCRIPT: pl.col("acts") > 0,
    TOKENS: pl.col("output_tokens") > 0,
    SAMPLING: pl.col("sampling").is_not_null() & (pl.col("sampling") != "{}"),
    "a system prompt": pl.col("system_hash").is_not_null(),
    "the tools that were offered": pl.col("tools_offered") > 0,
    "named checks": pl.col("checks").is_not_null(),
    "a log of the verifier or the harness": pl.col("log_ends").list.len() > 0,
}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per kind of record, and per field, the share of judged rows that have it, where runs differ or none has it."""
    shares = {run.run.name: _shares(run) for run in runs if len(judged(run)) >= FEWEST}
    if not shares:
        return None
    kinds = list(dict.fromkeys(kind for own in shares.values() for kind in own))
    uneven = []
    for kind in kinds:
        share = {name: own.get(kind, 0.0) for name, own in shares.items()}
        having = [name for name, one in share.items() if one >= NEARLY_ALL]
        lacking = [name for name, one in share.items() if one <= HARDLY_ANY]
        if having and lacking:
            uneven.append(
                {"what": kind, "field": kind not in WANTED and kind not in _KINDS, "in": having, "not": lacking}
            )
    nowhere = [kind for kind in WANTED if all(own.get(kind, 0.0) == 0.0 for own in shares.values())]
    midway = _midway(runs)
    one_time = {run.run.name: same for run in runs if (same := _one_time(run))}
    answer = {"uneven": uneven, "nowhere": nowhere, "midway": midway, "one_time": one_time}
    return answer if any(answer.values()) else None


def _one_time(run: RunCases) -> list[float]:
    """The seconds that every judged rollout is said to have taken, and how many rollouts; nothing where they differ."""
    good = {id(case) for case in judged(run)}
    times: set[float] = set()
    for case, seconds in zip(run.cases, run.agent_seconds(), strict=True):
        if id(case) in good:
            times.add(seconds)
            if len(times) > 1:
                return []
    seconds = max(times, default=0.0)
    return [seconds, len(good)] if seconds > 0 and len(good) >= FEWEST_TIMED else []


def _midway(runs: Sequence[RunCases]) -> dict[str, list[int]]:
    """Run → its rollouts whose record begins in mid-run, and of how many with calls."""
    counts = {}
    for run in runs:
        acting = [case.observed for case in run.cases if case.observed.get("calls")]
        begun = sum(bool(seen.get("midway")) for seen in acting)
        if begun:
            counts[run.run.name] = [begun, len(acting)]
    return counts


def _shares(run: RunCases) -> dict[str, float]:
    """Kind of record, or field, → the share of judged rows that have it."""
    good = {id(case) for case in judged(run)}
    places = [place for place, case in enumerate(run.cases) if id(case) in good]
    has_kinds = run.run.graded.select([has.fill_null(value=False).alias(name) for name, has in _KINDS.items()])
    told = {has.name: float(has.to_numpy()[places].mean()) for has in has_kinds}
    fields, seconds = run.fields(), run.agent_seconds()
    times = [name for name in run.field_names() if tells_seconds(name)]
    settings = frozenset(filter(_is_setting, run.field_names()))
    counts: dict[str, int] = {}
    timed = 0
    for place in places:
        own = fields[place]
        timed += seconds[place] > 0 or any(own.get(name) for name in times)
        for name, value in own.items():
            if name not in settings:
                counts[name] = counts.get(name, 0) + (value is not None)
    by_field = {name: many / len(places) for name, many in counts.items()}
    return {**told, TIMES: timed / len(places), **by_field}


def _is_setting(name: str) -> bool:
    """Whether a dotted name stands below something that holds settings."""
    return any(not SETTINGS.isdisjoint(words(part)) for part in name.split(".")[:-1])


def tell(answer: Mapping[str, Any]) -> list[Block]:
    sentences = list(_uneven(answer["uneven"]))
    if answer["nowhere"]:
        sentences.append(
            say(
                "No row records {what}, so it is unknown {wanted}.",
                what=listed(answer["nowhere"], "or"),
                wanted=listed([WANTED[kind] for kind in answer["nowhere"]], "or"),
            )
        )
    for name, (begun, acting) in answer["midway"].items():
        path = ("investigation", "uneven_records", "midway", name)
        sentences.append(
            say(
                "At least {begun} of the {acting} of {run} that make calls "
                + ("has a record that begins" if begun == 1 else "have records that begin")
                + " in mid-run: what they lack may have happened before.",
                begun=fact(f"{begun:,}", begun, *path, 0),
                acting=fact(count(acting, "rollout"), acting, *path, 1),
                run=name,
            )
        )
    for name, (seconds, rollouts) in answer["one_time"].items():
        path = ("investigation", "uneven_records", "one_time", name)
        sentences.append(
            say(
                "Each of the {rollouts} of {run} is said to take {seconds} s: nobody measured that, and nothing that "
                "rests on times can be told.",
                rollouts=fact(count(int(rollouts), "rollout"), rollouts, *path, 1),
                run=name,
                seconds=fact(f"{seconds:,g}", seconds, *path, 0),
            )
        )
    return [Paragraph(tuple(sentences))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That nobody can read what the model did."""
    if TRANSCRIPT in answer["nowhere"]:
        yield say("No row records a transcript: what the model did cannot be read, and no cause in it is named.")


def _uneven(entries: Sequence[Mapping[str, Any]]) -> list[Sentence]:
    """One sentence for all that the same runs have and the same runs lack."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for entry in entries:
        groups.setdefault((tuple(entry["in"]), tuple(entry["not"])), []).append(entry)
    said = []
    for (having, lacking), some in groups.items():
        kinds = [entry["what"] for entry in some if not entry["field"]]
        fields = [entry["what"] for entry in some if entry["field"]]
        parts = kinds + (
            [f"the fields {abridged(fields, MOST_FIELDS)}"]
            if len(fields) > 1
            else [f"the field {name}" for name in fields]
        )
        said.append(
            say(
                "The rows of {having} record {what}; those of {lacking} do not: what needs it can be stated for "
                "the former only.",
                having=listed(having),
                what=listed(parts),
                lacking=listed(lacking),
            )
        )
    return said
