"""The summary as Markdown: the targets first, then one line for each kind and level of evidence."""

from __future__ import annotations

from collections.abc import Sequence

from blade.simulate.scoring.marks import Marks
from blade.simulate.scoring.summary import Line, Summary

__all__ = ["as_markdown"]


def as_markdown(summary: Summary, marks: Sequence[Marks]) -> str:
    return "\n".join([*_targets(summary), "", *_averages(summary), "", *_kinds(marks)])


def _targets(summary: Summary) -> list[str]:
    head = ["| measure | n | share | 95 % bounds | target | met |", "|---|---:|---:|---:|---:|---|"]
    return head + [_target(line) for line in summary.lines if line.n]


def _target(line: Line) -> str:
    least, most = line.least, line.most
    wanted = " to ".join(f"{end:.0%}" for end in (least, most) if end is not None) if least and most else ""
    wanted = wanted or (f"≥ {least:.0%}" if least is not None else f"≤ {most:.0%}" if most is not None else "")
    bound = f"{line.low:.1%} to {line.high:.1%}"
    met = {True: "yes", False: "**no**", None: ""}[line.met]
    return f"| {line.measure} | {line.n} | {_share(line.value)} | {bound} | {wanted} | {met} |"


def _averages(summary: Summary) -> list[str]:
    told = (
        ("top-1", summary.top_one),
        ("set-F1", summary.f1),
        ("share error (median)", summary.share_error),
        ("place", summary.located),
        ("honesty", summary.utility),
        ("composite", summary.composite),
    )
    listed = ", ".join(f"{name} {value:.2f}" for name, value in told if value is not None)
    return [f"Knowable plants from 1 MDE (honesty: all {summary.cases} cases): {listed or 'no case'}."]


def _kinds(marks: Sequence[Marks]) -> list[str]:
    groups: dict[tuple[str, str], list[Marks]] = {}
    for one in marks:
        groups.setdefault((one.truth.kind, one.truth.level), []).append(one)
    told = "n, size pp, MDE pp, named, top-1, false names, F1, share error, truth held, place, honesty".split(", ")
    head = [f"| kind | evidence | {' | '.join(told)} |", "|---|---|" + "---:|" * len(told)]
    return head + [_kind(kind, level, group) for (kind, level), group in groups.items()]


def _kind(kind: str, level: str, group: Sequence[Marks]) -> str:
    n = len(group)
    covers = [one.holds for marks in group for one in marks.covered]
    places = [one.located for one in group if one.located is not None]
    planted = bool(group[0].truth.parts)
    cells = (
        f"{100 * sum(one.truth.size for one in group) / n:.1f}" if planted else "",
        f"{100 * sum(one.truth.mde for one in group) / n:.1f}",
        _share(sum(all(one.found) for one in group) / n) if planted else "",
        _share(sum(one.top_one for one in group) / n) if planted else "",
        _share(sum(bool(one.false_names) for one in group) / n),
        f"{sum(one.f1 for one in group) / n:.2f}",
        f"{sorted(one.share_error for one in group)[n // 2]:.2f}" if planted else "",
        f"{sum(covers)} of {len(covers)}" if covers else "",
        f"{sum(places) / len(places):.2f}" if places else "",
        f"{sum(one.utility for one in group) / n:+.2f}",
    )
    return f"| {kind} | {level} | {n} | {' | '.join(cells)} |"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
