"""How much of its dataset does a run hold?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.run import Run
from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.wording import abridged, amount, fact, percent

TITLE = "A part of the dataset"
ORDER = 5
WEIGHT = 0.8
OF_COPIES = True
FEW = 0.5
"""A smaller part belongs on the first screen."""
MOST_RUNS = 4
_AT = ("investigation", "part_of_dataset")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs with fewer tasks than their settings say that the dataset has samples."""
    entries = [entry for run in runs if (entry := _entry(run.run, {case.key for case in run.cases})) is not None]
    return {"runs": entries} if entries else None


def _entry(run: Run, tasks: set[str]) -> dict[str, Any] | None:
    settings = getattr(run.raw, "config", None) or {}
    samples = settings.get("dataset_samples") if isinstance(settings, Mapping) else None
    if not isinstance(samples, int) or isinstance(samples, bool) or not 0 < len(tasks) < samples:
        return None
    return {"run": run.name, "tasks": len(tasks), "samples": samples}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer),))]


def _words(answer: Mapping[str, Any]) -> Sentence:
    first = answer["runs"][0]
    alike = all((entry["tasks"], entry["samples"]) == (first["tasks"], first["samples"]) for entry in answer["runs"])
    text = (
        "{runs} {hold} {tasks} of the {samples} samples of {their} ({share}): the score is not that of the whole "
        "dataset."
    )
    several = alike and len(answer["runs"]) > 1
    sentence = say(
        text,
        runs=abridged([entry["run"] for entry in answer["runs"]], MOST_RUNS) if several else first["run"],
        hold="hold" if several else "holds",
        their="their dataset" if several else "its dataset",
        tasks=amount(first["tasks"], *_AT, "runs", 0, "tasks"),
        samples=fact(f"{first['samples']:,}", first["samples"], *_AT, "runs", 0, "samples"),
        share=percent(first["tasks"] / first["samples"]),
    )
    if alike:
        return sentence
    further = [f"{entry['run']} {entry['tasks']:,} of {entry['samples']:,}" for entry in answer["runs"][1:]]
    return Sentence((*sentence.parts, f" Also a part: {abridged(further, MOST_RUNS)}."))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """For the first screen, where it is a small part."""
    if any(entry["tasks"] < FEW * entry["samples"] for entry in answer["runs"]):
        yield _words(answer)
