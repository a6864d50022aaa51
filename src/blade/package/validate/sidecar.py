"""D3: the metrics sidecar parses, has the known keys, and every number in it is what the rollouts give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blade.extract.numbers import number
from blade.package.golden import Drafted, sidecar
from blade.package.layout import Golden, Layout
from blade.package.texts import read_object, read_text
from blade.package.validate.numbers import COARSEST, is_number, places, printed, shows
from blade.package.validate.result import Item, Result, failed, passed, skipped, some

LONGEST_NUMBER = 30
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


def check_sidecar(layout: Layout, golden: Golden, drafted: Drafted | None, reason: str) -> Iterator[Result]:
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
    file_name = layout.inside(golden.sidecar)
    read = read_object(golden.sidecar)
    if not isinstance(read.value, dict):
        detail = f"the sidecar {read.problem or 'is a list, not an object'}"
        yield failed(Item.SIDECARS, "metrics sidecar parses", detail, "Write it as one JSON object", file_name)
        return
    known_keys = [key for key, kind in KNOWN.items() if _is_kind(read.value.get(key), kind)]
    check = f"at least {FEWEST_KNOWN} of {', '.join(KNOWN)}"
    if len(known_keys) < FEWEST_KNOWN:
        description = f"only {', '.join(known_keys)}" if known_keys else "none of them is there"
        yield failed(Item.SIDECARS, check, description, "Add the missing keys", file_name)
    else:
        yield passed(Item.SIDECARS, check, file_name=file_name)
    yield from _numbers(read.value, drafted, reason, file_name)
    yield from _in_report(read.value, golden, file_name)


@dataclass(slots=True)
class _Held:
    """What came of holding a sidecar against the rollouts."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def walk(self, stated: Any, expected: Any, path: str) -> None:
        if isinstance(stated, Mapping) and isinstance(expected, Mapping):
            for key, value in stated.items():
                self._key(value, str(key), expected, f"{path}.{key}" if path else str(key))
        elif isinstance(stated, list) and isinstance(expected, (list, tuple)) and len(stated) == len(expected):
            for place, (item, expected_item) in enumerate(zip(stated, expected, strict=True)):
                self.walk(item, expected_item, f"{path}[{place}]")
        elif is_number(stated):
            self._number(stated, [expected], path)
        elif isinstance(stated, (Mapping, list)) and _holds_number(stated):
            self.unknown.append(path)

    def _key(self, value: Any, key: str, expected_values: Mapping[str, Any], path: str) -> None:
        place = PATHS.get(key, (key,)) if key not in expected_values else (key,)
        expected, exists = _at(expected_values, place)
        if not exists:
            if _holds_number(value):
                self.unknown.append(path)
        elif key in ALSO and is_number(value):
            alternatives = [_at(expected_values, (alternative,))[0] for alternative in ALSO[key]]
            self._number(value, [expected, *alternatives], path)
        else:
            self.walk(value, expected, path)

    def _number(self, stated: float, expected_values: list[Any], path: str) -> None:
        if any(agrees(stated, value) for value in expected_values):
            self.right += 1
        else:
            expected = expected_values[0] if not isinstance(expected_values[0], float) else round(expected_values[0], 6)
            digits = str(stated)
            shown = digits if len(digits) <= LONGEST_NUMBER else f"{digits[:LONGEST_NUMBER]}…"
            self.wrong.append(f"{path} is {shown}, the rollouts give {'nothing' if expected is None else expected}")


def agrees(value: float, expected: Any) -> bool:
    """Equal as far as the given number is written out, to two decimals at least; whole numbers exactly."""
    if not is_number(expected) or number(value) is None:
        return False
    if isinstance(value, int):
        return bool(abs(value - expected) < 1e-9)
    return bool(abs(value - expected) <= min(0.5 * 10 ** -places(value), COARSEST) + 1e-9)


def _numbers(sidecar_values: dict[str, Any], drafted: Drafted | None, reason: str, file_name: str) -> Iterator[Result]:
    check = "every number of the sidecar recomputed"
    if drafted is None:
        yield _no_run(check, reason, file_name)
        return
    expected = {**sidecar(drafted), "any_at_n": drafted.alone.runs[0].metrics["any_at_n"]}
    comparison = _Held()
    comparison.walk(sidecar_values, expected, "")
    if comparison.wrong:
        fix = "Use the real values from the rollouts; `blade analyze … -o DIR` writes them to DIR/metrics/"
        yield failed(Item.SIDECARS, check, some(comparison.wrong, 4), fix, file_name)
    else:
        yield passed(
            Item.SIDECARS, check, f"{comparison.right} numbers agree with run {drafted.runs[0].name}", file_name
        )
    if comparison.unknown:
        yield skipped(Item.SIDECARS, "keys of the benchmark's own", some(comparison.unknown), file_name)


def _no_run(check: str, reason: str, file_name: str) -> Result:
    if reason.startswith("there are no rollouts"):
        return skipped(Item.SIDECARS, check, reason, file_name)
    fix = "Name the rollout file <model>_rollouts.jsonl, or name its run under `run` in the sidecar"
    return failed(Item.SIDECARS, check, reason, fix, file_name)


def _in_report(sidecar_values: dict[str, Any], golden: Golden, file_name: str) -> Iterator[Result]:
    """The headline numbers of the sidecar stand in its report, as fractions or as percentages."""
    text = read_text(golden.report)
    if text.problem:
        return
    told_numbers = list(printed(text.value))
    missing = []
    for key in HEADLINE:
        value: Any = sidecar_values.get(key)
        stated = number(value) if is_number(value) else None
        if is_number(value) and (stated is None or not any(shows(printed, stated) for printed in told_numbers)):
            missing.append(f"{key} {value}")
    check = "sidecar matches the report"
    if missing:
        fix = "Say the same number in both"
        yield failed(Item.SIDECARS, check, f"not in the report: {', '.join(missing)}", fix, file_name)
    else:
        yield passed(Item.SIDECARS, check, file_name=file_name)


def _at(values: Mapping[str, Any], place: tuple[str, ...]) -> tuple[Any, bool]:
    value: Any = values
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
        candidate = waiting.pop()
        if is_number(candidate):
            return True
        waiting.extend(
            candidate.values() if isinstance(candidate, Mapping) else candidate if isinstance(candidate, list) else ()
        )
    return False
