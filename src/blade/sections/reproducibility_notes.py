"""Reproducibility Notes: settings of the runs, how tasks were told apart, and how the numbers were made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Quote, Sentence, Table, say
from blade.model import Analysis, Provenance, RunAnalysis
from blade.wording import listed, name

TITLE = "Reproducibility Notes"
ORDER = 110
SHARE = 0.00
UNKNOWN = "not in the artifacts"
LONGEST_FILE = 120
_TEMPERATURE = re.compile(r"(?<![a-z])(?:temperature|temp)[-_=]?(\d+(?:\.\d+)?)(?![\d.]*\d)", re.IGNORECASE)
DEFAULTS = {"parallel_tool_calls": True, "tool_choice": "auto"}


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = [_settings(analysis.runs)]
    for run in analysis.runs:
        if run.provenance.notes:
            blocks += [
                Heading(f"{run.name}: run notes"),
                Quote(run.provenance.notes, run.provenance.notes_file or "notes"),
            ]
    blocks += [Heading("How the numbers were made"), Bullets(tuple(_methods(analysis)))]
    return blocks


def _settings(runs: Sequence[RunAnalysis]) -> Table:
    rows: list[tuple[str | Fact, ...]] = [
        ("Model", *(_models(run.provenance) for run in runs)),
        ("Checkpoint", *(run.provenance.checkpoint or UNKNOWN for run in runs)),
        ("Agent", *(run.provenance.agent or UNKNOWN for run in runs)),
        ("Skills", *(run.provenance.skills or "none" for run in runs)),
        ("Sampling", *(_sampling(run.provenance) for run in runs)),
        ("Config", *(run.provenance.config_file or "none given: NeMo Gym writes none beside its runs" for run in runs)),
        ("Tasks identified by", *(run.key_source.replace("_", " ") for run in runs)),
    ]
    if any(run.provenance.learned for run in runs):
        rows.append(("Fields known by what they do", *(_learned(run.provenance) for run in runs)))
    return Table(("", *(run.name for run in runs)), tuple(rows))


def _learned(provenance: Provenance) -> str:
    """Fields whose names do not say what they are."""
    return "; ".join(f"{role}: {field}" for role, field in provenance.learned.items()) or "none"


def _models(provenance: Provenance) -> str:
    if not provenance.models:
        return UNKNOWN
    if len(provenance.models) == 1:
        return next(iter(provenance.models))
    return "mixed: " + listed([f"{model} ({rows:,} rows)" for model, rows in provenance.models.items()])


def _sampling(provenance: Provenance) -> str:
    settings = {key: value for key, value in provenance.sampling.items() if DEFAULTS.get(key, provenance) != value}
    if not settings:
        return _sampling_by_path(provenance)
    setting_list = ", ".join(f"{key} {value}" for key, value in settings.items())
    return (
        f"{setting_list}; not the same on all rows: {', '.join(provenance.sampling_varies)}"
        if provenance.sampling_varies
        else setting_list
    )


def _sampling_by_path(provenance: Provenance) -> str:
    """What the path of the rows says, where no field says it: a temperature that is named, else the path itself."""
    if provenance.row_path is None:
        return "not recorded in the rows"
    field, path = provenance.row_path
    file = path.replace("\\", "/").rsplit("/", 1)[-1][:LONGEST_FILE]
    temperature = _TEMPERATURE.search(path)
    reading = f"temperature {temperature[1]} by its name" if temperature else "which may name it"
    return f"not recorded as a field; {field} reads {file}, {reading}"


INTERVAL = "The interval takes tasks as clusters: Wilson's with t in place of z and the effective number of rows."
OWN_SCALE = (
    "The interval takes tasks as clusters: Student's t of the tasks' means; the ends of the rewards' scale are unknown."
)
LEARNED = (
    "Fields known by what they do: a key is the same in all attempts at a task and equals the answer, or stands in the "
    "final message, in most passes and in far fewer failures; expected actions name tools, the same for a task; checks "
    "have one state in passes and another in failures."
)
METHODS = (
    "The score is the mean over tasks of each task's mean reward; aggregate files give the mean over rollouts.",
    "pass@k and pass^k are unbiased over all subsets of k attempts; tasks with fewer attempts are left out of that k.",
    INTERVAL,
    "Judged rollouts leave out rows broken by infrastructure, without a verdict, or never verified.",
)


def _methods(analysis: Analysis) -> list[Paragraph]:
    own_scale = bool(analysis.runs) and all(run.scale != "unit" for run in analysis.runs)
    texts = [OWN_SCALE if own_scale and text is INTERVAL else text for text in METHODS]
    texts += [LEARNED] if any(run.provenance.learned for run in analysis.runs) else []
    sentences = [say("{text}", text=text) for text in texts]
    alike: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for item in analysis.identity:
        alike.setdefault((item["base"], item["rule"], item["detail"], item["common"]), []).append(item)
    sentences.extend(_matched(items) for items in alike.values())
    return [Paragraph((sentence,)) for sentence in sentences]


def _matched(items: Sequence[Mapping[str, Any]]) -> Sentence:
    """How the tasks of a run were matched with those of others, where it is the same for all of these."""
    item = items[0]
    facts: dict[str, Fact | str] = {
        "base": name(item["base"]),
        **{f"other{number}": name(one["candidate"]) for number, one in enumerate(items)},
        "detail": item["detail"],
        "common": f"{item['common']:,}",
    }
    others = listed([f"{{other{number}}}" for number in range(len(items))])
    each = " each" if len(items) > 1 else ""
    if item["rule"] == "none":
        return say(f"Tasks of {{base}} and {others} could not be matched: {{detail}}.", **facts)
    return say(
        f"Tasks of {{base}} were matched with those of {others} by {{detail}} ({{common}} in common{each}).", **facts
    )
