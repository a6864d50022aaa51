"""What one analysis leaves on disk: one folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from blade.counting.run import Run
from blade.document import Report
from blade.errors import UsageError
from blade.model import Analysis
from blade.renderers import json, markdown

LONGEST = 150
_UNSAFE = re.compile(r"[^\w.+@=-]+")


def write_all(folder: Path, runs: Sequence[Run], analysis: Analysis, report: Report) -> list[Path]:
    """Write analysis.json, metrics/<run>.json, facts.parquet, findings.parquet and report.md; returns their paths."""
    written: list[Path] = []
    try:
        (folder / "metrics").mkdir(parents=True, exist_ok=True)
        for run, file in zip(analysis.runs, file_names([run.name for run in analysis.runs]), strict=True):
            path = folder / "metrics" / f"{file}.json"
            path.write_bytes(json.dump(json.metrics_sidecar(run, analysis.benchmark)))
            written.append(path)
        facts = folder / "facts.parquet"
        all_facts(runs).write_parquet(facts, compression="zstd")
        findings = folder / "findings.parquet"
        if analysis.noticed is not None:
            analysis.noticed.write_parquet(findings, compression="zstd")
        (folder / "analysis.json").write_bytes(json.dump(json.document(analysis, report)))
        (folder / "report.md").write_text(markdown.render(report), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be written ({error.strerror or error}).", "Give another folder with -o."
        ) from None
    return [folder / "report.md", folder / "analysis.json", facts, findings, *written]


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
    seen: Counter[str] = Counter()
    made = []
    for name in safe:
        seen[name.lower()] += 1
        made.append(name if seen[name.lower()] == 1 else f"{name}-{seen[name.lower()]}")
    return made
