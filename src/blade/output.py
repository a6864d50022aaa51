"""What one analysis leaves on disk: one folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from blade.counting.run import Run
from blade.document import Report
from blade.drawing import standalone
from blade.errors import UsageError
from blade.model import Analysis
from blade.quoted_evidence import Exhibits
from blade.registry import plugins
from blade.renderers import html, json, markdown
from blade.short_report import shortened

LONGEST = 150
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

    The Markdown is the short report unless `full`; the page and the data have everything. `more` are other files, by
    their names.

    `exhibits` are the messages and transcripts that the page shows; without them its quotes stand alone.
    """
    files: list[Path] = []
    try:
        (folder / "metrics").mkdir(parents=True, exist_ok=True)
        for run, file in zip(analysis.runs, file_names([run.name for run in analysis.runs]), strict=True):
            path = folder / "metrics" / f"{file}.json"
            path.write_bytes(json.dump(json.metrics_sidecar(run, analysis.benchmark)))
            files.append(path)
        facts = folder / "facts.parquet"
        all_facts(runs).write_parquet(facts, compression="zstd")
        findings = folder / "findings.parquet"
        if analysis.noticed is not None:
            analysis.noticed.write_parquet(findings, compression="zstd")
        features = folder / "features.parquet"
        if analysis.features is not None:
            analysis.features().write_parquet(features, compression="zstd")
        document = json.document(analysis, report)
        (folder / "analysis.json").write_bytes(json.dump(document))
        report_written = report if full else shortened(report, [run.name for run in analysis.runs])
        (folder / "report.md").write_text(markdown.render(report_written), encoding="utf-8")
        page = html.page(report, analysis, document, exhibits or Exhibits())
        (folder / "report.html").write_text(page, encoding="utf-8", errors="replace")
        files += _pictures(folder / "assets", report)
        for name, text in (further_texts or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
            files.append(folder / name)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be written ({error.strerror or error}).", "Give another folder with -o."
        ) from None
    main_files = ("report.md", "report.html", "analysis.json")
    return [*(folder / name for name in main_files), facts, findings, features, *files]


def _pictures(folder: Path, report: Report) -> list[Path]:
    """Every picture as a file that report.md shows; those of an earlier report that are no longer made go."""
    picture_of = {picture.name: standalone(picture.svg) for picture in report.pictures()}
    for name in plugins("charts"):
        if name not in picture_of:
            (folder / f"{name}.svg").unlink(missing_ok=True)
    if picture_of:
        folder.mkdir(exist_ok=True)
    for name, text in picture_of.items():
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
    return [folder / f"{name}.svg" for name in picture_of]


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
