"""D3: the metrics sidecar parses, has the known keys, and every number in it is what the rollouts give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blade.package.golden import Drafted, sidecar
from blade.package.layout import Golden, Layout
from blade.package.texts import read_object, read_text
from blade.package.validate.numbers import COARSEST, is_number, places, printed, shows
from blade.package.validate.result import Item, Result, failed, passed, skipped, some

KNOWN = {"model": str, "model_name": str, "benchmark": str, "pass_at_1": float, "num_tasks": int, "total_tasks": int}
FEWEST_KNOWN = 3
HEADLINE = ("pass_at_1", "pass_at_k", "total_tasks", "total_rollouts")
PATHS: Mapping[str, tuple[str, ...]] = {
    "num_tasks": ("total_tasks",),
    "num_rollouts": ("total_rollouts",),
    "always_pass_tasks": ("buckets", "always"),
    "sometimes_pass_tasks": ("buckets", "sometimes"),
    "flaky_tasks": ("buckets", "sometimes"),
    "never_pass_tasks": ("buckets", "never"),
    "always_fail_tasks": ("buckets", "never"),
    "missing_tasks": ("buckets", "missing"),
    "pass_at_2": ("pass_at_k_all", "2"),
    "pass_at_3": ("pass_at_k_all", "3"),
    "pass_at_4": ("pass_at_k_all", "4"),
    "pass_at_5": ("pass_at_k_all", "5"),
}
"""Other names for numbers that are known."""
ALSO: Mapping[str, tuple[str, ...]] = {"pass_at_1": ("mean_reward", "score"), "pass_at_k": ("any_at_n",)}
"""Other ways of counting that go by the same name: per row instead of per task, and passed at least once."""


def check_sidecar(layout: Layout, golden: Golden, drafted: Drafted | None, why: str) -> Iterator[Result]:
    if golden.sidecar is None:
        name = layout.sidecar_path(golden.model).name
        fix = f"Add {name}: `{layout.draft_report(golden.model)}` drafts it"
        yield failed(
            Item.SIDECARS,
            "missing metrics sidecar",
            "golden report has no structured metric JSON",
            fix,
            golden.report.name,
        )
        return
    where = layout.inside(golden.sidecar)
    read = read_object(golden.sidecar)
    if not isinstance(read.value, dict):
        detail = f"the sidecar {read.problem or 'is a list, not an object'}"
        yield failed(Item.SIDECARS, "metrics sidecar parses", detail, "Write it as one JSON object", where)
        return
    known = [key for key, kind in KNOWN.items() if _is_kind(read.value.get(key), kind)]
    check = f"at least {FEWEST_KNOWN} of {', '.join(KNOWN)}"
    if len(known) < FEWEST_KNOWN:
        there = f"only {', '.join(known)}" if known else "none of them is there"
        yield failed(Item.SIDECARS, check, there, "Add the missing keys", where)
    else:
        yield passed(Item.SIDECARS, check, where=where)
    yield from _numbers(read.value, drafted, why, where)
    yield from _in_report(read.value, golden, where)


@dataclass(slots=True)
class _Held:
    """What came of holding a sidecar against the rollouts."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def walk(self, given: Any, wanted: Any, path: str) -> None:
        if isinstance(given, Mapping) and isinstance(wanted, Mapping):
            for key, value in given.items():
                self._key(value, str(key), wanted, f"{path}.{key}" if path else str(key))
        elif isinstance(given, list) and isinstance(wanted, (list, tuple)) and len(given) == len(wanted):
            for place, (one, two) in enumerate(zip(given, wanted, strict=True)):
                self.walk(one, two, f"{path}[{place}]")
        elif is_number(given):
            self._number(given, [wanted], path)
        elif isinstance(given, (Mapping, list)) and _holds_number(given):
            self.unknown.append(path)

    def _key(self, value: Any, key: str, wanted: Mapping[str, Any], path: str) -> None:
        place = PATHS.get(key, (key,)) if key not in wanted else (key,)
        found, there = _at(wanted, place)
        if not there:
            if _holds_number(value):
                self.unknown.append(path)
        elif key in ALSO and is_number(value):
            others = [_at(wanted, (other,))[0] for other in ALSO[key]]
            self._number(value, [found, *others], path)
        else:
            self.walk(value, found, path)

    def _number(self, given: float, wanted: list[Any], path: str) -> None:
        if any(agrees(given, value) for value in wanted):
            self.right += 1
        else:
            told = wanted[0] if not isinstance(wanted[0], float) else round(wanted[0], 6)
            self.wrong.append(f"{path} is {given}, the rollouts give {'nothing' if told is None else told}")


def agrees(given: float, wanted: Any) -> bool:
    """Equal as far as the given number is written out, to two decimals at least; whole numbers exactly."""
    if not is_number(wanted):
        return False
    if isinstance(given, int):
        return bool(abs(given - wanted) < 1e-9)
    return bool(abs(given - wanted) <= min(0.5 * 10 ** -places(given), COARSEST) + 1e-9)


def _numbers(told: dict[str, Any], drafted: Drafted | None, why: str, where: str) -> Iterator[Result]:
    check = "every number of the sidecar recomputed"
    if drafted is None:
        yield _no_run(check, why, where)
        return
    wanted = {**sidecar(drafted), "any_at_n": drafted.alone.runs[0].metrics["any_at_n"]}
    held = _Held()
    held.walk(told, wanted, "")
    if held.wrong:
        fix = "Use the real values from the rollouts; `blade analyze … -o DIR` writes them to DIR/metrics/"
        yield failed(Item.SIDECARS, check, some(held.wrong, 4), fix, where)
    else:
        yield passed(Item.SIDECARS, check, f"{held.right} numbers agree with run {drafted.runs[0].name}", where)
    if held.unknown:
        yield skipped(Item.SIDECARS, "keys of the benchmark's own", some(held.unknown), where)


def _no_run(check: str, why: str, where: str) -> Result:
    if why.startswith("there are no rollouts"):
        return skipped(Item.SIDECARS, check, why, where)
    fix = "Name the rollout file <model>_rollouts.jsonl, or name its run under `run` in the sidecar"
    return failed(Item.SIDECARS, check, why, fix, where)


def _in_report(told: dict[str, Any], golden: Golden, where: str) -> Iterator[Result]:
    """The headline numbers of the sidecar stand in its report, as fractions or as percentages."""
    text = read_text(golden.report)
    if text.problem:
        return
    told_numbers = list(printed(text.value))
    lost = []
    for key in HEADLINE:
        value: Any = told.get(key)
        if is_number(value) and not any(shows(shown, float(value)) for shown in told_numbers):
            lost.append(f"{key} {value}")
    check = "sidecar matches the report"
    if lost:
        fix = "Say the same number in both"
        yield failed(Item.SIDECARS, check, f"not in the report: {', '.join(lost)}", fix, where)
    else:
        yield passed(Item.SIDECARS, check, where=where)


def _at(told: Mapping[str, Any], place: tuple[str, ...]) -> tuple[Any, bool]:
    value: Any = told
    for key in place:
        if not isinstance(value, Mapping) or key not in value:
            return None, False
        value = value[key]
    return value, True


def _is_kind(value: Any, kind: type) -> bool:
    return isinstance(value, str) and bool(value.strip()) if kind is str else is_number(value)


def _holds_number(value: Any) -> bool:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if is_number(one):
            return True
        waiting.extend(one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ())
    return False
