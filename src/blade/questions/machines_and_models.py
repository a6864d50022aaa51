"""What differs between runs, or inside one, that no configuration names: the machine, the model's id, the record?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from blade.counting.fields import field_rows
from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.wording import amount, count, fact, listed

TITLE = "Machines, model ids and records"
ORDER = 79
OF_COPIES = True
WEIGHT = 1.5
FEWEST = 8
MOSTLY, SOME = 0.8, 0.3
OTHERS = 0.1
MODELS = ("model_named", "model")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Differences of machines between runs, of model ids between attempts, and attempts that lack their record."""
    frames = {run.run.name: run.run.graded for run in runs}
    machines = [{"run": name, **_machines(frame)} for name, frame in frames.items()]
    usual = {entry["usual"] for entry in machines if entry["usual"]}
    answer = {
        "machines": machines if len(usual) > 1 else [],
        "models": [item for name, frame in frames.items() if (item := _models(name, frame)) is not None],
        "records": [item for name, frame in frames.items() for item in _records(name, frame)],
        "unrecorded": _unrecorded(frames),
    }
    return answer if any(answer[key] for key in ("machines", "models", "records")) else None


def _machines(frame: pl.DataFrame) -> dict[str, Any]:
    counts = Counter(frame["machine"].drop_nulls().to_list())
    usual = counts.most_common(1)[0] if counts else ("", 0)
    sure = usual[1] >= max(FEWEST, MOSTLY * counts.total())
    return {
        "machines": dict(sorted(counts.items())),
        "visible": counts.total(),
        "rows": frame.height,
        "usual": usual[0] if sure else "",
    }


def _models(run: str, frame: pl.DataFrame) -> dict[str, Any] | None:
    """The ids by attempt where nearly all rows of one attempt name another id than nearly all of another."""
    for column in MODELS:
        by_attempt: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for attempt, name in zip(frame["attempt"].to_list(), frame[column].to_list(), strict=True):
            if name is not None:
                by_attempt[attempt][name] += 1
        usual = {
            attempt: counts.most_common(1)[0][0]
            for attempt, counts in by_attempt.items()
            if max(counts.values()) >= MOSTLY * counts.total() and counts.total() >= FEWEST
        }
        if len(set(usual.values())) > 1:
            ids: defaultdict[str, list[int]] = defaultdict(list)
            for attempt in sorted(usual):
                ids[usual[attempt]].append(attempt)
            rows = {name: sum(counts[name] for counts in by_attempt.values()) for name in ids}
            return {"run": run, "in_text": column == MODELS[0], "ids": dict(ids), "rows": rows}
    return None


def _records(run: str, frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Attempts of which many rows have no transcript while nearly all rows of the other attempts have one."""
    columns = (frame[name].to_list() for name in ("attempt", "items", "stage_lost"))
    trials = [(attempt, not items) for attempt, items, lost in zip(*columns, strict=True) if lost != "no_trial"]
    rows_of = Counter(attempt for attempt, _ in trials)
    silent_rows = Counter(attempt for attempt, is_silent in trials if is_silent)
    shares = {attempt: (silent_rows[attempt], rows_of[attempt]) for attempt in sorted(rows_of)}
    silent_attempts = [attempt for attempt, (many, rows) in shares.items() if many >= max(FEWEST, SOME * rows)]
    full_attempts = [
        many <= OTHERS * rows for attempt, (many, rows) in shares.items() if attempt not in silent_attempts
    ]
    if not silent_attempts or not full_attempts or not all(full_attempts):
        return
    told = frame.filter(pl.col("stage_lost").is_null() | (pl.col("stage_lost") != "no_trial"))
    silent = told.with_columns(pl.col("items").fill_null(0).eq(0).alias("silent"))
    paths = _depths(silent)
    for attempt in silent_attempts:
        here = silent.filter((pl.col("attempt") == attempt) & pl.col("silent"))
        yield {
            "run": run,
            "attempt": attempt,
            "rows": shares[attempt][0],
            "of": shares[attempt][1],
            "passes": int(here["passed"].fill_null(value=False).sum()),
            "path": _deeper(paths, silent, attempt),
        }


def _depths(frame: pl.DataFrame) -> dict[str, list[int | None]]:
    """Of every field that holds paths on nearly all rows: how many folders deep each one is."""
    rows = field_rows(frame)
    names = {
        name for row in rows[:20] for name, value in row.items() if isinstance(value, str) and value.count("/") > 1
    }
    found: dict[str, list[int | None]] = {}
    for name in sorted(names):
        values = [row.get(name) for row in rows]
        depths = [value.count("/") if isinstance(value, str) else None for value in values]
        if sum(depth is not None for depth in depths) >= MOSTLY * len(rows):
            found[name] = depths
    return found


def _deeper(paths: Mapping[str, Sequence[int | None]], frame: pl.DataFrame, attempt: int) -> str:
    """The field by which these rows lie deeper than the others of the run, or nothing."""
    mine = [a == attempt and s for a, s in frame.select("attempt", "silent").rows()]
    for name, depths in paths.items():
        inside = [depth for depth, own in zip(depths, mine, strict=True) if own and depth is not None]
        outside = [depth for depth, own in zip(depths, mine, strict=True) if not own and depth is not None]
        if inside and outside and min(inside) > Counter(outside).most_common(1)[0][0]:
            return name
    return ""


def _unrecorded(frames: Mapping[str, pl.DataFrame]) -> list[str]:
    """Runs that record no transcript at all, where others do."""
    none = [name for name, frame in frames.items() if frame.height and not frame["items"].fill_null(0).sum()]
    return none if len(none) < len(frames) else []


def tell(answer: Mapping[str, Any]) -> list[Block]:
    sentences = [*_machine_words(answer["machines"])]
    sentences += [_model_words(place, item) for place, item in enumerate(answer["models"])]
    sentences += [_record_words(place, item) for place, item in enumerate(answer["records"])]
    if answer["unrecorded"]:
        sentences.append(
            say(
                "{runs} {have} no output at all: what the model did there cannot be read.",
                runs=listed(answer["unrecorded"]),
                have="records" if len(answer["unrecorded"]) == 1 else "record",
            )
        )
    return [Paragraph(tuple(sentences))]


def _machine_words(machines: Sequence[Mapping[str, Any]]) -> Iterator[Sentence]:
    if not machines:
        return
    parts: list[Any] = ["The runs used different machines, which no configuration records: "]
    shown = [(place, item) for place, item in enumerate(machines) if item["visible"]]
    for number, (place, item) in enumerate(shown):
        path = ("investigation", "machines_and_models", "machines", place)
        kinds: list[Any] = []
        for kind, many in sorted(item["machines"].items(), key=lambda pair: -pair[1]):
            kinds += [" and " if kinds else "", f"{kind} in ", amount(many, *path, "machines", kind)]
        visible = fact(count(item["visible"], "row"), item["visible"], *path, "visible")
        parts += [
            "; " if number else "",
            f"{item['run']} ",
            *kinds,
            " of the ",
            visible,
            " whose texts name a processor",
        ]
    yield Sentence((*parts, "."))


def _model_words(place: int, item: Mapping[str, Any]) -> Sentence:
    where = "the texts of its rows name" if item["in_text"] else "its rows name"
    parts = [
        f"{name} in {'attempt' if len(attempts) == 1 else 'attempts'} {listed([str(each) for each in attempts])}"
        for name, attempts in item["ids"].items()
    ]
    return say(
        "{run} used more than one model id: {where} {ids}.",
        run=item["run"],
        where=where,
        ids=fact(listed(parts), len(parts), "investigation", "machines_and_models", "models", place, "ids"),
    )


def _record_words(place: int, item: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "machines_and_models", "records", place)
    deeper = f"; they lie in a nested folder (by {item['path']})" if item["path"] else ""
    verb = "passes" if item["passes"] == 1 else "pass"
    return say(
        "In {run} {rows} of the {of} of attempt {attempt} have no log or transcript, unlike other attempts"
        + deeper
        + f"; {{passes}} of them {verb}.",
        run=item["run"],
        rows=amount(item["rows"], *path, "rows"),
        of=fact(count(item["of"], "row"), item["of"], *path, "of"),
        attempt=str(item["attempt"]),
        passes=amount(item["passes"], *path, "passes"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs that were made on different machines, or with several ids of the model: both confound a comparison."""
    yield from _machine_words(answer["machines"])
    for place, item in enumerate(answer["models"][:1]):
        yield _model_words(place, item)
