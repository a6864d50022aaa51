"""Is an answer judged by the model that gave it?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import words
from blade.late_regex import late_regex
from blade.wording import abridged, amount, count, fact

TITLE = "Judged by the model itself"
ORDER = 79
WEIGHT = 1.5
MOST_NAMED = 3
DOUBTFUL = 0.3
FEWEST = 3
_JUDGES = frozenset({"judge", "grader", "evaluator"})
_MODELS = frozenset({"model", "llm"})
_DATE = late_regex(r"[-@](?:\d{4}-\d\d-\d\d|\d{8})$")
_LATEST = "latest"


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run: the rollouts that name a judging model, and those whose judge is the model that answers."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if any(entry["own"] >= FEWEST for entry in entries) else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    models = run.run.graded["model"].to_list()
    valid = {id(case) for case in run.cases if case.evaluable and case.stage_lost is None}
    own, judges = 0, Counter[str]()
    names = frozenset(filter(_names_a_judge, run.field_names()))
    for case, fields, model in zip(run.cases, run.fields(), models, strict=True) if names else ():
        judge = _judge(fields, names)
        if judge and id(case) in valid:
            judges[judge] += 1
            own += model is not None and bare_model(judge) == bare_model(model)
    if not judges:
        return None
    return {"run": run.run.name, "named": judges.total(), "own": own, "judge": judges.most_common(1)[0][0]}


def _judge(fields: Mapping[str, Any], names: frozenset[str]) -> str:
    """The model that the first field with such a name names as the judge."""
    for name, value in fields.items():
        if name in names and isinstance(value, str) and value:
            return value
    return ""


def _names_a_judge(field: str) -> bool:
    parts = set(words(field))
    return not parts.isdisjoint(_JUDGES) and not parts.isdisjoint(_MODELS)


def bare_model(model: str) -> str:
    """The name of a model without its provider, its date and `latest`."""
    parts = [part for part in re.split(r"[/:]", model.lower()) if part and part != _LATEST]
    return _DATE.sub("", parts[-1]) if parts else ""


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["runs"]) if entry["own"]]
    return [Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "own_judge", "runs", place)
    yield say(
        "{run}: {judge} judges {own} of {named}, and is the model that answers there.",
        run=entry["run"],
        judge=entry["judge"],
        own=amount(entry["own"], *at, "own"),
        named=fact(count(entry["named"], "rollout"), entry["named"], *at, "named"),
    )
    yield say("A model may favour what it wrote itself: let another judge a sample before the score is used.")


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs of which the model judges most rollouts itself."""
    for place, entry in enumerate(answer["runs"]):
        if entry["own"] >= FEWEST and 2 * entry["own"] > entry["named"]:
            yield next(_words(place, entry))
            return


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Another judge for what a model judged of its own."""
    entries = [entry for entry in answer["runs"] if entry["own"] >= FEWEST and 2 * entry["own"] > entry["named"]]
    if entries:
        yield Advice(
            "verifier",
            "Have another model, or a person, judge a sample of these rollouts, and compare the verdicts before the "
            "scores are used",
            say(
                "The model that answers judges itself: {runs}.",
                runs=abridged(
                    [f"{entry['run']} {entry['own']:,} of {entry['named']:,}" for entry in entries], MOST_NAMED
                ),
            ),
            sum(entry["own"] for entry in entries),
            DOUBTFUL,
            before_scores=True,
        )
