"""The tables of the performance page, and the page with its tables filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.measuring import Sample, median
from benchmarks.results import Part, Results, ratios
from benchmarks.sizing import sizing_rows
from benchmarks.targets import Target, targets
from benchmarks.variants import ENGINE

__all__ = ["filled", "table", "tables"]

LABELS = {
    "block_read": "read in blocks of 1 MB",
    "line_read": "read lines as bytes",
    "orjson_parse": "**orjson, parse only**",
    "parse_and_check": "standard library, parse and check",
    "pandas": "pandas `read_json`, 500 lines at a time",
    "polars_inferred": "polars `scan_ndjson`, inferred schema",
    "polars_two_columns": "polars `scan_ndjson`, two columns given",
    "duckdb_auto": "duckdb `read_json`, schema found",
    "duckdb_objects": "duckdb `read_ndjson_objects`, two fields",
    "gym_profile": "Gym's `gym eval profile`",
    ENGINE: "**BLADE, facts only**",
    "analyze": "**BLADE, full analysis**",
}
MARK = re.compile(r"(<!-- bench: (\w+) -->\n).*?(<!-- /bench -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A Markdown table; the first columns hold words, the others numbers."""
    lines = [head, ["---" if place < words else "---:" for place in range(len(head))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def tables(results: Results) -> dict[str, str]:
    """Every table that the measurements give, by the name of its marker."""
    made = {"targets": target_table(targets(results))}
    for name in ("ingest", "rows", "large", "real"):
        if name in results:
            made[name] = samples(results[name], lambda key: " warm " not in key and " cold " not in key)
    if "ingest" in results:
        made["cache"] = samples(results["ingest"], lambda key: " warm " in key or " cold " in key)
    if "growth" in results:
        made["growth"] = growth(results["growth"])
    if "formats" in results and results["formats"].facts["taken"]:
        made["formats"] = formats(results["formats"].facts["taken"])
    for name, keys in (("start", ("wall", "cpu")), ("small", ("wall", "cpu")), ("ray", ("seconds", "later"))):
        if name in results:
            made[name] = plain(results[name], keys)
    if "slices" in results:
        made["slices"] = slices(results["slices"])
    if "statistics" in results and results["statistics"].facts["taken"]:
        made["statistics"] = statistics_table(results["statistics"].facts["taken"])
    made["corpora"] = corpora(results)
    made["machine"] = machine(results)
    if rows := sizing_rows(results):
        made["sizing"] = table(("work", "1 core", "8 cores", "64 cores"), rows)
    return made


def samples(part: Part, wanted: Callable[[str], bool]) -> str:
    """Seconds with their range, seconds of a core, megabytes a second, the ratio to orjson, and peak memory."""
    rows = [_row(part, name, sample) for name, sample in part.samples.items() if wanted(name)]
    head = ("variant", "seconds (min–max)", "core s", "MB/s", "core s / orjson", "peak MB")
    return table(head, rows)


def _row(part: Part, name: str, sample: Sample) -> list[str]:
    kind, _, short = name.rpartition(": ")
    label = f"{kind}: {_label(short)}" if kind else _label(name)
    if not sample.taken:
        return [f"{label}: {sample.note}", "", "", "", "", ""]
    inside = "core" in sample.taken[0].said
    wall, core = (sample.values(key) for key in (("seconds", "core") if inside else ("wall", "cpu")))
    shapes = part.facts.get("shapes", {})
    shape: dict[str, float] = shapes.get(kind) or part.facts.get("shape") or next(iter(shapes.values()), {})
    size = shape.get("bytes", 0) / 1e6
    unit = part.samples.get(f"{kind}: orjson_parse" if kind else "orjson_parse")
    against = median(ratios(core, unit.values("core"))) if unit is not None else None
    middle = median(wall) or 0.0
    return [
        label,
        f"{middle:.2f} ({min(wall):.2f}–{max(wall):.2f})",
        f"{median(core) or 0.0:.2f}",
        f"{size / middle:,.0f}" if middle else "",
        "" if against is None else f"{against:.2f}",
        f"{max(sample.values('peak')):,.0f}",
    ]


def _label(name: str) -> str:
    return LABELS.get(name, f"BLADE, {name}")


def plain(part: Part, keys: Sequence[str]) -> str:
    """The medians of a few figures."""
    words = {"wall": "seconds", "cpu": "core s", "seconds": "first pass, s", "later": "later passes, s"}
    rows = []
    for name, sample in part.samples.items():
        found = [sample.median(key) for key in keys]
        label = name if sample.taken else f"{name}: {sample.note}"
        rows.append([label, *("" if value is None else f"{value:.2f}" for value in found)])
    return table(("", *(words[key] for key in keys)), rows)


def growth(part: Part) -> str:
    rows = []
    for (name, sample), size in zip(part.samples.items(), part.facts["sizes"], strict=True):
        wall, core, peak = (sample.median(key) for key in ("wall", "cpu", "peak"))
        if wall is None or core is None or peak is None:
            rows.append([f"{name}: {sample.note}", "", "", "", ""])
        else:
            rows.append([f"{size:,.0f} MB", f"{wall:.1f}", f"{core:.1f}", f"{core / size * 1000:.1f}", f"{peak:,.0f}"])
    return table(("file", "seconds", "core s", "core s per GB", "peak MB"), rows)


def slices(part: Part) -> str:
    rows = [[name, f"{seconds:.1f}"] for name, seconds in part.facts["taken"].items()]
    if part.facts["note"]:
        rows.append([f"the next step: {part.facts['note']}", ""])
    return table(("step", "core s"), rows)


def formats(taken: Mapping[str, Mapping[str, float]]) -> str:
    rows = [[f"`{name}`", *_format_cells(cost)] for name, cost in taken.items()]
    head = (
        "format",
        "rows",
        "MB",
        "orjson, core s",
        "reading, core s",
        "reading / orjson",
        "µs a row beyond the parse",
    )
    return table(head, rows)


def _format_cells(cost: Mapping[str, float]) -> list[str]:
    beyond = 1e6 * (cost["reading"] - cost["parsing"]) / max(cost["rows"], 1)
    seconds = [f"{cost[key]:.2f}" for key in ("parsing", "reading")]
    return [f"{cost['rows']:,.0f}", f"{cost['megabytes']:.1f}", *seconds, f"{cost['times']:.1f}", f"{beyond:,.0f}"]


def statistics_table(taken: Mapping[str, Mapping[str, float]]) -> str:
    names = list(next(iter(taken.values())))
    rows = [[name, *(f"{1000 * column[name]:,.0f}" for column in taken.values())] for name in names]
    return table(("core ms", *(f"{int(tasks):,} tasks" for tasks in taken)), rows)


def corpora(results: Results) -> str:
    """Every file once, however many parts read it."""
    rows: dict[tuple[str, ...], None] = {}
    for part in results.values():
        for kind, shape in {"mixed": part.facts.get("shape"), **part.facts.get("shapes", {})}.items():
            if shape:
                sizes = " / ".join(f"{shape[key]:.0f}" for key in ("p10", "p50", "p90", "p99", "longest"))
                rows.setdefault((kind, f"{shape['bytes'] / 1e6:,.0f}", f"{shape['rows']:,.0f}", sizes))
    return table(("rows of the file", "MB", "rows", "row p10 / p50 / p90 / p99 / longest, KB"), rows)


def machine(results: Results) -> str:
    told = next((part.facts["machine"] for part in results.values() if "machine" in part.facts), "")
    dates = sorted({part.date for part in results.values()})
    rounds = sorted({len(one.taken) for part in results.values() for one in part.samples.values() if one.taken})
    taken = " or ".join(map(str, rounds)) or "no"
    return f"Measured on {' and '.join(dates)}: {told}. Medians of {taken} rounds after a warm-up."


def target_table(found: Sequence[Target]) -> str:
    rows = []
    for one in found:
        sign, word = ("≥" if one.least else "≤"), {True: "yes", False: "**no**", None: ""}[one.met]
        told = "not measured" if one.measured is None else f"{one.measured:,.{_digits(one)}f} {one.unit}"
        rows.append([one.name, f"{sign} {one.limit:,.4g} {one.unit}".strip(), told.strip(), word])
    return table(("target", "limit", "measured", "met"), rows)


def _digits(target: Target) -> int:
    """Megabytes and counts are whole; a ratio with a small limit needs one digit more."""
    if target.unit in {"MB", ""}:
        return 0
    return 3 if target.limit < 0.1 else 2


def filled(page: str, made: Mapping[str, str]) -> str:
    """The page with the tables that are known put between their markers; the others stay as they are."""
    return MARK.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}" if found[2] in made else found[0], page)
