"""The judge on five benchmarks: every attack with its band, and what becomes of a benchmark that was left out.

    python benchmarks/judge.py                                # print the tables
    python benchmarks/judge.py --write docs/reference/judge.md  # put them between the marks of that page

The example package, three simulated benchmarks with their runs, and a public golden report without (where the corpus
is beside the clone). Left out means: the settings of the judge are chosen anew on the other benchmarks, from a grid and
from the mildest value up, and the benchmark left out is graded with them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from blade import toolkit
from blade.anchors.anchor import dump, load
from blade.anchors.extract import PackageNames
from blade.judge.attacks import attacks
from blade.judge.base import Base, from_golden
from blade.judge.calibration import attack_reports
from blade.judge.editing import AttackCase
from blade.judge.grade import Grade, Judge, ReportMarks
from blade.judge.quoting import cited, look_up
from blade.judge.reading import read_report
from blade.judge.settings import SETTINGS, JudgeSettings
from blade.options import Options
from blade.package.contents import open_contents
from blade.package.golden import write_draft
from blade.package.init import init
from blade.package.shallow import shallow
from blade.simulate import Scenario, cause, write_run

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "front_desk"
CVDP = ROOT.parent / "shared" / "corpus" / "golden-cvdp"
IN_OTHER_WORDS = ROOT / "tests" / "accept" / "cvdp_in_other_words.md"
OPTIONS = Options(cache=False)
DOSES = tuple(f"numbers_altered_{share}" for share in (2, 5, 10, 20, 50, "all"))
MEASURED, LEFT_OUT = "measured", "left out"

FRONT = Scenario(seed=2, tasks=30, repeats=4, model="sim-a", skill=0.63)
NOTES = Scenario(benchmark="field_notes", seed=3, tasks=30, repeats=4, model="sim-a", skill=0.55)
PATCH = Scenario(benchmark="patch_bench", seed=4, tasks=30, repeats=4, model="sim-a", skill=0.55)
SIMULATED = {
    "front desk, with trouble": (
        replace(FRONT, causes=(cause("outage", start=0.3, length=0.12), cause("broken_tool", tool="shifts_search"))),
        replace(FRONT, model="sim-b", skill=0.55),
    ),
    "field notes": (NOTES, replace(NOTES, model="sim-b", skill=0.5, causes=(cause("lost_format", share=0.4),))),
    "patch bench": (replace(PATCH, causes=(cause("lower_token_cap"),)), replace(PATCH, model="sim-b", skill=0.5)),
}
"""The first run is the one that the golden report is about."""

TRUE = {"golden": 0.90, "independent": 0.75}
FALSE = {
    "script_only": 0.35, "shallow": 0.20, "numbers_altered_all": 0.05, "numbers_altered_20": 0.25,
    "ids_fabricated": 0.10, "ids_permuted": 0.20, "sentences_shuffled": 0.20, "words_shuffled": 0.05,
    "keyword_list": 0.05, "padding": 0.05, "unrelated": 0.05, "verbs_negated": 0.10, "denied": 0.10,
    "other_model": 0.35,
}  # fmt: skip
"""The targets: a true report at least, an attack at most."""
GRID: Mapping[str, tuple[float, ...]] = {
    "numbers_slope": (2.5, 3.5, 5.0, 7.0, 10.0),
    "ids_slope": (1.0, 2.0, 4.0, 8.0),
    "bindings_slope": (0.6, 1.25, 2.5, 5.0),
    "denied_slope": (1.25, 2.5, 5.0, 10.0),
    "quotes_floor": (0.85, 0.65, 0.45, 0.25),
    "cohesion_high": (3.5, 4.0, 5.0, 7.0),
    "enough_diagnosis": (0.20, 0.30, 0.45, 0.60),
    "proved_high": (0.30, 0.40, 0.55, 0.70),
}
"""From mild to strict: what is chosen is the mildest value that no stricter one beats."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, and what the judge saw in each report; None where an attack cannot be made of it."""

    name: str
    judge: Judge
    seen: Mapping[str, ReportMarks | None]

    def grades(self, settings: JudgeSettings = SETTINGS) -> dict[str, Grade | None]:
        self.judge.settings = settings
        return {name: None if one is None else self.judge.weigh(one) for name, one in self.seen.items()}


def look(name: str, base: Base, weak: str, in_other_words: str | None = None) -> Benchmark:
    judge = Judge(base)
    made = attack_reports(AttackCase(base.golden.text, weak, base))
    if in_other_words is not None:
        made["independent"] = in_other_words
    texts = [text for text in made.values() if text is not None]
    look_up([quote for text in texts for quote in cited(read_report(text, base.names), base)], base)
    return Benchmark(name, judge, {one: None if text is None else judge.look(text) for one, text in made.items()})


def example() -> Benchmark:
    reports = EXAMPLE / "golden_reports"
    golden, facts = reports / "model_a_golden_report.md", reports / "model_a_anchor_facts.json"
    base = toolkit.fact_base(golden, facts, options=OPTIONS)
    return look("example package", base, (reports / "model_a_shallow.md").read_text(encoding="utf-8"))


def simulated(name: str, scenarios: Sequence[Scenario], folder: Path) -> Benchmark:
    """A package as `blade init`, `analyze --golden`, `extract-anchor-facts` and `make-shallow` make it."""
    runs = [
        str(write_run(one, folder / "runs" / f"model_{letter}")) for letter, one in zip("ab", scenarios, strict=True)
    ]
    layout = init(folder / "package", runs).layout
    golden, _ = write_draft(open_contents(layout, toolkit.stages(), OPTIONS), "model_a")
    found, _ = toolkit.anchor_facts(golden, PackageNames(name, "model_a", "2031-01-01"), options=OPTIONS)
    layout.anchors_path("model_a").write_bytes(dump(found.anchors))
    base = toolkit.fact_base(golden, layout.anchors_path("model_a"), options=OPTIONS)
    return look(name, base, shallow(golden.read_text(encoding="utf-8")))


def curated() -> Benchmark:
    golden = (CVDP / "nemotron-3-super-golden-report.md").read_text(encoding="utf-8")
    base = from_golden(golden, load(CVDP / "nemotron_3_super_anchor_facts.json"))
    return look("CVDP, golden only", base, shallow(golden), IN_OTHER_WORDS.read_text(encoding="utf-8"))


def worth(benchmarks: Sequence[Benchmark], settings: JudgeSettings) -> list[float]:
    """The distances from all targets, narrowest first: the wider list, read in that order, is the better."""
    return sorted(round(value, 6) for one in benchmarks for value in margins(one.grades(settings)).values())


def margins(grades: Mapping[str, Grade | None]) -> dict[str, float]:
    """The distance from each target, as a share of the room there is on its good side; below 0 it is missed."""
    told = {name: grade.score for name, grade in grades.items() if grade is not None}
    made = {name: (told[name] - low) / (1 - low) for name, low in TRUE.items() if name in told}
    return made | {name: (high - told[name]) / high for name, high in FALSE.items() if name in told}


def chosen(benchmarks: Sequence[Benchmark]) -> JudgeSettings:
    """One constant after the other, twice round, beginning with the mildest of each."""
    best = replace(SETTINGS, **{name: values[0] for name, values in GRID.items()})
    for _ in range(2):
        for name, values in GRID.items():
            tried = [replace(best, **{name: value}) for value in values]
            best = max(tried, key=lambda one: worth(benchmarks, one))
    return best


def measured(benchmarks: Sequence[Benchmark]) -> Iterator[str]:
    bands = {name: attack.band for name, attack in attacks().items()}
    controls = ("golden", "independent", "half_golden", "without_examples")
    yield f"| report | band | {' | '.join(one.name for one in benchmarks)} |"
    yield "|---|---|" + "---:|" * len(benchmarks)
    grades = [one.grades() for one in benchmarks]
    for name in (*controls, *(name for name in bands if name not in controls)):
        low, high = bands[name]
        cells = (_cell(one[name], low, high) for one in grades)
        yield f"| {name.replace('_', ' ')} | {low:.2f}–{high:.2f} | {' | '.join(cells)} |"
    yield ""
    for one, told in zip(benchmarks, grades, strict=True):
        doses = [grade.score for name in ("golden", *DOSES) if (grade := told[name]) is not None]
        if doses != sorted(doses, reverse=True):
            yield f"Dose response on {one.name}: not monotone."
    yield f"Targets missed: {sum(value < 0 for told in grades for value in margins(told).values())}."


def _cell(grade: Grade | None, low: float, high: float) -> str:
    if grade is None:
        return "n/a"
    return f"{grade.score:.3f}" if low <= round(grade.score, 4) <= high else f"**{grade.score:.3f}**"


def left_out(benchmarks: Sequence[Benchmark]) -> Iterator[str]:
    titles = ("golden", "independent", "attack nearest to its target", "targets missed", "bands missed", "settings")
    yield f"| left out | {' | '.join(titles)} |"
    yield "|---|---:|---:|---|---:|---:|---|"
    bands = {name: attack.band for name, attack in attacks().items()}
    for place, one in enumerate(benchmarks):
        settings = chosen([*benchmarks[:place], *benchmarks[place + 1 :]])
        grades = one.grades(settings)
        told = {name: grade.score for name, grade in grades.items() if grade is not None}
        found = margins(grades)
        worst = min((name for name in found if name in FALSE), key=lambda name: (found[name], name))
        outside = sum(not bands[name][0] <= round(score, 4) <= bands[name][1] for name, score in told.items())
        differing = [
            f"{name.replace('_', ' ')} {getattr(settings, name):g}"
            for name in GRID
            if getattr(settings, name) != getattr(SETTINGS, name)
        ]
        yield (
            f"| {one.name} | {told['golden']:.3f} | {told['independent']:.3f} | {worst.replace('_', ' ')} "
            f"{told[worst]:.3f} (≤ {FALSE[worst]:.2f}) | {sum(value < 0 for value in found.values())} | {outside} | "
            f"{', '.join(differing) or 'none'} |"
        )


def put(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replace what stands between the marks of that name."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: benchmarks/judge.py -->", f"<!-- end of {name} -->"
    made, many = re.subn(
        f"(?s)({re.escape(begin)}\n).*?(?={re.escape(end)})",
        lambda match: f"{match[1]}\n" + "\n".join(lines) + "\n\n",
        text,
    )
    if not many:
        sys.exit(f"{page}: no mark {begin}")
    page.write_text(made, encoding="utf-8")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--write", type=Path, help="the page to put the tables into")
    page: Path | None = asked.parse_args().write
    benchmarks = [example()]
    with TemporaryDirectory() as folder:
        for name, scenarios in SIMULATED.items():
            benchmarks.append(simulated(name, scenarios, Path(folder) / name.replace(" ", "_")))
        if CVDP.is_dir():
            benchmarks.append(curated())
    parts: dict[str, Callable[[Sequence[Benchmark]], Iterator[str]]] = {MEASURED: measured, LEFT_OUT: left_out}
    for name, table in parts.items():
        lines = list(table(benchmarks))
        print("\n".join(lines), end="\n\n")
        if page is not None:
            put(page, name, lines)
    return int(any(value < 0 for one in benchmarks for value in margins(one.grades()).values()))


if __name__ == "__main__":
    raise SystemExit(main())
