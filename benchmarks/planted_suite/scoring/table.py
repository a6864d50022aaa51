"""The summary as Markdown: the targets first, then one line for each kind and level of evidence."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.planted_suite.scoring.marks import Marks
from benchmarks.planted_suite.scoring.summary import PlantSummary, PromiseLine

__all__ = ["as_markdown"]


def as_markdown(summary: PlantSummary, marks: Sequence[Marks]) -> str:
    return "\n".join([*_targets(summary), "", *_averages(summary), "", *_kinds(marks)])


def _targets(summary: PlantSummary) -> list[str]:
    head = ["| measure | n | share | 95 % bounds | target | met |", "|---|---:|---:|---:|---:|---|"]
    return head + [_target(line) for line in summary.lines if line.n]


def _target(line: PromiseLine) -> str:
    least, at_most = line.least, line.most
    target = " to ".join(f"{end:.0%}" for end in (least, at_most) if end is not None) if least and at_most else ""
    target = target or (f"≥ {least:.0%}" if least is not None else f"≤ {at_most:.0%}" if at_most is not None else "")
    bound = f"{line.low:.1%} to {line.high:.1%}"
    met_text = {True: "yes", False: "**no**", None: ""}[line.met]
    return f"| {line.measure} | {line.n} | {_share(line.value)} | {bound} | {target} | {met_text} |"


def _averages(summary: PlantSummary) -> list[str]:
    averages = (
        ("top-1", summary.top_one),
        ("set-F1", summary.f1),
        ("share error (median)", summary.share_error),
        ("place", summary.located),
        ("honesty", summary.utility),
        ("composite", summary.composite),
    )
    listed = ", ".join(f"{name} {value:.2f}" for name, value in averages if value is not None)
    return [f"Knowable plants from 1 MDE (honesty: all {summary.cases} cases): {listed or 'no case'}."]


def _kinds(marks: Sequence[Marks]) -> list[str]:
    groups: dict[tuple[str, str], list[Marks]] = {}
    for mark in marks:
        groups.setdefault((mark.truth.kind, mark.truth.level), []).append(mark)
    columns = "n, size pp, MDE pp, named, top-1, false names, F1, share error, truth held, place, honesty".split(", ")
    head = [f"| kind | evidence | {' | '.join(columns)} |", "|---|---|" + "---:|" * len(columns)]
    return head + [_kind(kind, level, group) for (kind, level), group in groups.items()]


def _kind(kind: str, level: str, group: Sequence[Marks]) -> str:
    n = len(group)
    covers = [covered_part.holds for marks in group for covered_part in marks.covered]
    places = [covered_part.located for covered_part in group if covered_part.located is not None]
    planted = bool(group[0].truth.parts)
    cells = (
        f"{100 * sum(covered_part.truth.size for covered_part in group) / n:.1f}" if planted else "",
        f"{100 * sum(covered_part.truth.mde for covered_part in group) / n:.1f}",
        _share(sum(all(covered_part.found) for covered_part in group) / n) if planted else "",
        _share(sum(covered_part.top_one for covered_part in group) / n) if planted else "",
        _share(sum(bool(covered_part.false_names) for covered_part in group) / n),
        f"{sum(covered_part.f1 for covered_part in group) / n:.2f}",
        f"{sorted(covered_part.share_error for covered_part in group)[n // 2]:.2f}" if planted else "",
        f"{sum(covers)} of {len(covers)}" if covers else "",
        f"{sum(places) / len(places):.2f}" if places else "",
        f"{sum(covered_part.utility for covered_part in group) / n:+.2f}",
    )
    return f"| {kind} | {level} | {n} | {' | '.join(cells)} |"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
