"""A field map: which field of unknown rows is the task, the score, the transcript. Written by people, in YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest

from blade.errors import ConfigError
from blade.files.sniff import not_utf8, wide_encoding
from blade.frozen import frozen
from blade.model import Status
from blade.translate.chat import as_json, split_chat, text_item
from blade.translate.documents import as_rows
from blade.translate.field_paths import FieldCondition, FieldPath, condition
from blade.translate.foreign_run import BadRecord
from blade.translate.rollout_row import Place, SourceVerdict, rollout_row, score_of
from blade.translate.tables import parsed_text
from blade.wording import count

SHOWN = 60
NAME = "blade-map.yaml"
PRESETS = Path(__file__).parent / "presets"
LONGEST_ID = 120
_PATHS = (
    "task",
    "attempt",
    "score",
    "error",
    "expected",
    "prompt",
    "output",
    "tools",
    "model",
    "checks",
    "gold_actions",
)
_OTHERS = "files rows run scale pass status usage time slices keep json preset"
_KEYS = {*_PATHS, *_OTHERS.split()}


@frozen
class FieldMap:
    """The parts of a row by the paths to them."""

    paths: Mapping[str, FieldPath]
    files: str = ""
    rows: str = ""
    run: str = ""
    scale: tuple[float, float] | None = None
    passed: FieldCondition | None = None
    status: tuple[tuple[Status, FieldCondition], ...] = ()
    usage: Mapping[str, FieldPath] = field(default_factory=dict)
    time: Mapping[str, FieldPath] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    json: tuple[str, ...] = ()

    def of(self, part: str, row: Mapping[str, Any]) -> Any:
        path = self.paths.get(part)
        return None if path is None else path.of(row)

    def run_of(self, row: Mapping[str, Any], file: Path) -> str:
        """The run that a row belongs to, by the map's template; nothing where it has none."""
        if not self.run:
            return ""
        path_words = {"file": file.stem, "folder": file.parent.name}
        text = self.run if "{" in self.run else f"{{{self.run}}}"
        parts = text.replace("{", "\0{").replace("}", "}\0").split("\0")
        return "".join(_filled(part, row, path_words) for part in parts)

    def row(self, row: Mapping[str, Any], place: Place) -> dict[str, Any] | BadRecord:
        """One row of the table as a rollout row."""
        for name in self.json:
            if name in row:
                row = {**row, name: parsed_text(row[name])}
        task = self.of("task", row)
        if task is None or task == "":
            return BadRecord(f"it has no task ('{self.paths['task'].text}')", place.part)
        prompt, output = self._transcript(row)
        return rollout_row(
            task_id(task),
            _integer(self.of("attempt", row)),
            self._verdict(row),
            place,
            prompt=prompt,
            output=output,
            model=_text(self.of("model", row)),
            tools=as_rows(self.of("tools", row)),
            usage={f"{name}_tokens": score_of(path.of(row)) for name, path in self.usage.items()},
            verifier=self._verifier(row),
            metadata={name: FieldPath(name).of(row) for name in self.slices},
            timing={name: _measured(path.of(row)) for name, path in self.time.items()},
        )

    def _verdict(self, row: Mapping[str, Any]) -> SourceVerdict:
        score = score_of(self.of("score", row))
        if score is not None and self.scale is not None:
            low, high = self.scale
            score = (score - low) / (high - low)
        passed = self.passed.holds(row) if self.passed is not None else None
        error = _text(self.of("error", row)) or ""
        for status, test in self.status:
            if test.holds(row):
                return SourceVerdict(score, status, error or f"{test.path.text}: {test.path.of(row)}", passed)
        return SourceVerdict(score, None, "", passed)

    def _transcript(self, row: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]] | None]:
        question = parsed_text(self.of("prompt", row))
        prompt = _items("user", question)
        if "output" not in self.paths:
            return prompt, None
        answer = parsed_text(self.of("output", row))
        if isinstance(answer, list) and not prompt and any("role" in message for message in as_rows(answer)):
            return split_chat(as_rows(answer))
        return prompt, _items("assistant", answer)

    def _verifier(self, row: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: FieldPath(name).of(row) for name in self.keep}
        fields |= {"expected_answer": self.of("expected", row), "error": self.of("error", row)}
        fields |= {"checks": _checks(self.of("checks", row)), "reference_actions": self.of("gold_actions", row)}
        return {name: value for name, value in fields.items() if value is not None}


def _filled(part: str, row: Mapping[str, Any], path_words: Mapping[str, str]) -> str:
    if not part.startswith("{"):
        return part
    name = part.strip("{}")
    value = FieldPath(name).of(row)
    return str(path_words.get(name, "") if value is None else value)


def _measured(value: Any) -> Any:
    """A number, also where a table holds it as text; a moment as it stands."""
    number = score_of(value) if isinstance(value, str) and value.strip()[:1].isdigit() else None
    return value if number is None else number


def _items(role: str, value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list) and as_rows(value):
        rows = as_rows(value)
        if any("type" in item and "role" not in item for item in rows):
            return [dict(item) for item in rows]
        prompt, output = split_chat(rows)
        return [*prompt, *output]
    if value is None or value == "":
        return []
    return [text_item(role, value if isinstance(value, str) else as_json(value))]


def _checks(value: Any) -> dict[str, bool] | None:
    if isinstance(value, Mapping):
        pairs = {str(name): score_of(score) for name, score in value.items()}
    elif isinstance(value, list):
        pairs = {f"check {place + 1}": score_of(score) for place, score in enumerate(value)}
    else:
        return None
    return {name: score > 0 for name, score in pairs.items() if score is not None} or None


def task_id(value: Any) -> str:
    """An id as text; a long text, such as a prompt, by its hash."""
    text = value if isinstance(value, str) else as_json(value)
    return text if len(text) <= LONGEST_ID and "\n" not in text else f"text:{xxh3_64_hexdigest(text.encode())}"


def _integer(value: Any) -> int | None:
    number = score_of(value)
    return int(number) if number is not None and number == int(number) and number >= 0 else None


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else value if isinstance(value, str) else as_json(value)


def load_map(path: Path) -> FieldMap:
    """A map as people write it; what is wrong with it is said with the way out."""
    import yaml  # noqa: PLC0415 - most runs have no map

    try:
        content = path.read_bytes()
        if encoding := wide_encoding(content[:1024]):
            raise ConfigError(f"{path}: {not_utf8(encoding)}.", "Write it in UTF-8.")
        values = yaml.safe_load(content.decode("utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:  # a date that is none is a ValueError
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path}: not a field map that can be read ({reason}).", "Wanted: YAML.") from None
    return field_map(values, str(path))


def field_map(values: Any, map_name: str) -> FieldMap:
    """A map out of plain values."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{map_name}: the field map is no mapping.", "Wanted: at least `task:` and `score:`.")
    if "preset" in values:
        values = {**_preset(str(values["preset"]), map_name), **{k: v for k, v in values.items() if k != "preset"}}
    for key in values:
        if key not in _KEYS:
            near = get_close_matches(str(key), _KEYS, 1)
            raise ConfigError(
                f"{map_name}: a field map has no '{key}'.", f"Did you mean '{near[0]}'?" if near else _LIST
            )
    missing = [key for key in ("task", "score") if not values.get(key)]
    if missing:
        raise ConfigError(f"{map_name}: the field map has no '{missing[0]}'.", "Wanted: at least `task:` and `score:`.")
    return FieldMap(
        {name: FieldPath(str(values[name])) for name in _PATHS if values.get(name)},
        files=str(values.get("files") or ""),
        rows=str(values.get("rows") or ""),
        run=str(values.get("run") or ""),
        scale=_scale(values.get("scale"), map_name),
        passed=condition(str(values["pass"])) if values.get("pass") else None,
        status=_statuses(values.get("status"), map_name),
        usage=_named_paths(values.get("usage")),
        time=_named_paths(values.get("time")),
        slices=_names(values.get("slices")),
        keep=_names(values.get("keep")),
        json=_names(values.get("json")),
    )


_LIST = f"Wanted: one of {', '.join(sorted(_KEYS))}."


def _preset(name: str, map_name: str) -> Mapping[str, Any]:
    preset_names = presets()
    if name not in preset_names:
        raise ConfigError(
            f"{map_name}: no preset is called '{name}'.", f"Wanted: one of {', '.join(sorted(preset_names))}."
        )
    import yaml  # noqa: PLC0415 - as above

    fields: Mapping[str, Any] = yaml.safe_load((PRESETS / f"{name}.yaml").read_text(encoding="utf-8"))
    return fields


def presets() -> list[str]:
    return sorted(file.stem for file in PRESETS.glob("*.yaml"))


def _scale(value: Any, map_name: str) -> tuple[float, float] | None:
    if value is None:
        return None
    ends = [score_of(end) for end in value] if isinstance(value, list) else []
    if len(ends) != 2 or None in ends or ends[0] == ends[1]:
        raise ConfigError(f"{map_name}: scale is {value!r}.", "Wanted: [lowest, highest].")
    return ends[0], ends[1]  # type: ignore[return-value]


def _statuses(value: Any, map_name: str) -> tuple[tuple[Status, FieldCondition], ...]:
    if value is None:
        return ()
    words = {status.value: status for status in Status}
    if not isinstance(value, Mapping) or not set(value) <= set(words):
        raise ConfigError(f"{map_name}: status is {value!r}.", f"Wanted: conditions under {', '.join(words)}.")
    return tuple((words[name], condition(str(text))) for name, text in value.items())


def _named_paths(value: Any) -> dict[str, FieldPath]:
    return {str(name): FieldPath(str(path)) for name, path in value.items()} if isinstance(value, Mapping) else {}


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def check_scores(used: FieldMap, rows: Sequence[Mapping[str, Any]], map_name: str) -> None:
    """A score that is a number in no row, or that is the task, is an error: it would say nothing of any row."""
    scored = [value for row in rows if (value := used.of("score", row)) is not None]
    path = used.paths["score"].text
    if scored and all(score_of(value) is None for value in scored):
        raise ConfigError(
            f"{map_name}: 'score: {path}' is a number in none of {count(len(scored), 'row')} (first: "
            f"{as_json(scored[0])[:SHOWN]}).",
            "Wanted: a field with a number, yes or no, or true or false. BLADE does not grade: score the rows first.",
        )
    if path == used.paths["task"].text:
        raise ConfigError(f"{map_name}: '{path}' is named as the task and as the score.", "Wanted: two fields.")


def check_names(used: FieldMap, names: Iterable[str], map_name: str) -> None:
    """A field that no row has is an error, with the names that come near it."""
    preset_names = set(names)
    for part, path in used.paths.items():
        if not path.known_in(preset_names):
            near = get_close_matches(path.options[0], sorted(preset_names), 3) or sorted(preset_names)[:12]
            raise ConfigError(
                f"{map_name}: no row has the field '{path.text}' that the map names as {part}.",
                f"The rows have: {', '.join(near)}.",
            )
