"""What one analysis leaves on disk: one folder."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from blade.counting.run import Run
from blade.document import Report
from blade.drawing import standalone
from blade.errors import UsageError
from blade.files.placing import put_in_place
from blade.model import Analysis
from blade.quoted_evidence import Exhibits
from blade.registry import plugins
from blade.renderers import html, json, markdown
from blade.short_report import shortened, with_glossary

LONGEST = 150
ROWS_TOGETHER = 8_192
"""Rows of a table that are packed together; more take more memory."""
_UNSAFE = re.compile(r"[^\w.+@=-]+")


def write_all(
    folder: Path,
    runs: Sequence[Run],
    analysis: Analysis,
    report: Report,
    exhibits: Exhibits | None = None,
    *,
    full: bool = False,
    further_texts: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write the report in Markdown and HTML with its pictures, the analysis as data, and the tables; returns the paths.

    The Markdown is the short report unless `full`; the page and the data have everything. `further_texts` are
    other files, by their names. `exhibits` are the messages and transcripts that the page shows; without them its
    quotes stand alone.

    Everything is written aside first: a full disk or a signal leaves an earlier report in the folder as it was.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            aside = Path(unfinished)
            names = _write_data(aside, runs, analysis)
            document = json.document(analysis, report)
            (aside / "analysis.json").write_bytes(json.dump(document))
            names_of_runs, tasks = [run.name for run in analysis.runs], [task.task for task in analysis.tasks]
            short = with_glossary(report) if full else shortened(report, names_of_runs, tasks)
            (aside / "report.md").write_text(markdown.render(short), encoding="utf-8")
            page = html.page(report, analysis, document, exhibits or Exhibits())
            (aside / "report.html").write_text(page, encoding="utf-8", errors="replace")
            names += _write_pictures(aside / "assets", report)
            for name, text in (further_texts or {}).items():
                (aside / name).write_text(text, encoding="utf-8")
                names.append(name)
            names = ["report.md", "report.html", "analysis.json", *names]
            return put_in_place(aside, folder, names, outdated(names))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{folder}: cannot be written ({reason}).", "Give another folder with -o.") from None


def _write_data(folder: Path, runs: Sequence[Run], analysis: Analysis) -> list[str]:
    """The tables and the metrics of every run; says under which names."""
    tables = {
        "facts.parquet": partial(all_facts, runs),
        "findings.parquet": lambda: analysis.noticed,
        "features.parquet": analysis.features or (lambda: None),
    }
    for name, make in tables.items():  # one at a time: each may be large
        table = make()
        if table is not None:
            table.write_parquet(folder / name, compression="zstd", row_group_size=ROWS_TOGETHER)
    (folder / "metrics").mkdir()
    names = [f"metrics/{name}.json" for name in file_names([run.name for run in analysis.runs])]
    for run, name in zip(analysis.runs, names, strict=True):
        (folder / name).write_bytes(json.dump(json.metrics_sidecar(run, analysis.benchmark)))
    return [*tables, *names]


def _write_pictures(folder: Path, report: Report) -> list[str]:
    """Every picture as a file that report.md shows."""
    pictures = {f"{picture.name}.svg": standalone(picture.svg) for picture in report.pictures()}
    folder.mkdir()
    for name, text in pictures.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [f"assets/{name}" for name in pictures]


def outdated(names: Sequence[str]) -> list[str]:
    """The pictures that an earlier report may have left and this one does not draw."""
    return [f"assets/{name}.svg" for name in plugins("charts") if f"assets/{name}.svg" not in names]


def all_facts(runs: Sequence[Run]) -> pl.DataFrame:
    """The facts of every run in one table, with the run's name and the file's path on each row."""
    frames = []
    for run in runs:
        paths = pl.Series([path.encode("utf-8", "replace").decode() for path in run.raw.sources], dtype=pl.String)
        frame = run.facts.with_columns(
            pl.lit(run.name).alias("run"),
            paths.gather(run.facts["file"]).alias("path"),
        )
        frames.append(frame.select("run", "path", pl.exclude("run", "path", "file", "gold", "text_head")))
    return pl.concat(frames)


def file_names(names: Sequence[str]) -> list[str]:
    """Names of runs as names of files; those that only differ in unsafe characters are told apart by a number."""
    safe = [(_UNSAFE.sub("__", name).strip(".") or "run")[:LONGEST] for name in names]
    counts: Counter[str] = Counter()
    names_out = []
    for name in safe:
        counts[name.lower()] += 1
        names_out.append(name if counts[name.lower()] == 1 else f"{name}-{counts[name.lower()]}")
    return names_out
