"""Notes on rollouts: held against the rollout, then written as a line of annotations.jsonl beside the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from blade.checking.quotes import stands_in
from blade.counting.find import Found, find_rollout
from blade.counting.run import Run
from blade.diagnosis.blame import BLAMES
from blade.diagnosis.definitions import INSUFFICIENT, meanings
from blade.engine.annotations import FILE, FORMAT, annotations_beside, load_annotations
from blade.errors import UsageError, as_written
from blade.evidence import open_row, row_texts
from blade.files.remote_paths import TranslatedPath, is_url, place
from blade.findings import Annotation
from blade.trajectory import parts

__all__ = ["FILE", "NoteDraft", "annotate", "draft_of", "notes_of", "write_note"]


@dataclass(frozen=True)
class NoteDraft:
    """A note before it is held against its rollout."""

    task: str
    author: str
    attempt: int | None = None
    run: str | None = None
    label: str = ""
    mechanism: str = ""
    blame: str = ""
    verdict_wrong: bool = False
    quote: str = ""
    read_fully: bool = False
    remark: str = ""


_KINDS: dict[str, tuple[set[type], str]] = {
    "attempt": ({int, type(None)}, "a number"),
    "run": ({str, type(None)}, "a text"),
    **{name: ({str}, "a text") for name in ("author", "label", "mechanism", "blame", "quote", "remark")},
    **{name: ({bool}, "true or false") for name in ("verdict_wrong", "read_fully")},
}


def draft_of(entry: Mapping[str, Any], author: str = "") -> NoteDraft:
    """A note as somebody wrote it in JSON; unknown keys are errors, so that no word is lost."""
    names = NoteDraft.__dataclass_fields__
    unknown = [name for name in entry if name not in names]
    if unknown:
        raise UsageError(f"A note has no field '{unknown[0]}'.", f"It has: {', '.join(names)}.")
    values = {"author": author, **entry}
    if not values.get("task"):
        raise UsageError("A note needs its task.", 'Such as: {"task": "desk-7", "attempt": 0, "label": "BI", …}')
    draft = NoteDraft(**{**values, "task": str(values["task"])})
    for name, (kinds, requirement) in _KINDS.items():
        if type(getattr(draft, name)) not in kinds:
            raise UsageError(f"The field '{name}' of a note is {as_written(values[name])}.", f"Wanted: {requirement}.")
    return draft


def annotate(runs: Sequence[Run], draft: NoteDraft) -> tuple[Annotation, Path | None]:
    """The note with the hash of its row, and the file beside the run, where that lies here.

    What cannot be true of the rollout is an error.
    """
    rollout_found = find_rollout(runs, draft.task, attempt=draft.attempt, run=draft.run)
    rollout = rollout_found.rollout
    _check_words(draft, meanings(run.raw.benchmark.values for run in runs))
    _check_verdict(draft, rollout_found)
    _check_quote(draft, rollout_found)
    values = asdict(draft) | {"run": rollout.run, "task": rollout.task, "attempt": rollout.attempt}
    return Annotation(row=rollout_found.row, **values), _beside(rollout.source.file)


def _beside(file: str) -> Path | None:
    """The notes beside a run: in its folder, or in that of another program's files; none where it is remote."""
    there = None if is_url(file) else place(file)
    if isinstance(there, TranslatedPath):
        return annotations_beside(there)
    return None if there is None else there.parent / FILE


def write_note(annotation: Annotation, file: Path | None) -> None:
    """Append a line; earlier notes of the same author on the same rollout no longer count."""
    if file is None:
        hint = "Give a file with -o, and name it to other commands with --annotations."
        raise UsageError("Notes are not written beside remote runs.", hint)
    entry = {"annotation": FORMAT} | {
        name: value for name, value in asdict(annotation).items() if value != "" and value is not False
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.write(orjson.dumps(entry) + b"\n")
    except OSError as error:
        hint = "Give another file with -o, and name it to other commands with --annotations."
        raise UsageError(f"{file}: cannot be written ({error.strerror or error}).", hint) from None


def notes_of(runs: Sequence[Run], file: Path | None = None) -> list[Annotation]:
    """The notes on some runs that count, those of other runs left out."""
    rows = {f"{row:016x}" for run in runs for row in run.facts["row_hash"].to_list()}
    annotations = load_annotations([file])[0] if file else [item for run in runs for item in run.raw.annotations]
    return [item for item in dict.fromkeys(annotations) if item.row in rows]


def _check_words(draft: NoteDraft, labels: Mapping[str, Any]) -> None:
    if not draft.author.strip():
        raise UsageError("A note needs its author.", "Give --author, or set BLADE_AUTHOR.")
    if not (draft.label or draft.mechanism or draft.blame or draft.verdict_wrong):
        raise UsageError("The note says nothing.", "Give a label, a mechanism, whose doing it is, or --verdict-wrong.")
    if draft.label and draft.label not in labels:
        raise UsageError(f"No label is '{draft.label}'.", f"There are: {', '.join(labels)}.")
    if draft.blame and draft.blame not in BLAMES:
        raise UsageError(f"Nobody is '{draft.blame}'.", f"There are: {', '.join(BLAMES)}.")


def _check_verdict(draft: NoteDraft, rollout_found: Found) -> None:
    if rollout_found.rollout.passed and draft.label and not draft.verdict_wrong:
        hint = "If it should have failed, add --verdict-wrong; without a label a pass may have a mechanism."
        raise UsageError(
            f"Attempt {rollout_found.rollout.attempt} of '{draft.task}' passed: a label is the cause of a failure.",
            hint,
        )


def _check_quote(draft: NoteDraft, rollout_found: Found) -> None:
    where = f"attempt {rollout_found.rollout.attempt} of '{draft.task}' in {rollout_found.rollout.run}"
    if not draft.quote.strip():
        if draft.label == INSUFFICIENT:
            return
        raise UsageError("The note has no quote.", f"Give words that stand in {where}; only {INSUFFICIENT} needs none.")
    row = open_row(rollout_found.rollout.source)
    if not stands_in(draft.quote, [*row_texts(row), *(part.text for part in parts(row))]):
        hint = "Give the words exactly as they stand, with … for what is left out; `blade show` prints them."
        raise UsageError(f"The quote does not stand in {where}.", hint)
