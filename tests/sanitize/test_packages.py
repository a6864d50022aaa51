"""A package before and after: nothing planted is left, nothing else has changed."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.sanitize.shapes import shapes

import blade
from blade.errors import UsageError
from blade.extract.error_claims import is_redacted
from blade.files.lines import open_bytes
from blade.sanitize import (
    Findings,
    Policy,
    Tokens,
    as_json,
    as_text,
    is_clean,
    load_mapping,
    sanitize,
    save_mapping,
    scan,
)
from blade.sanitize.work import SanitizeWork
from blade.simulate import Scenario, write_run

ENCODINGS = ("plain", "escaped", "json", "json in json", "address", "key")


def encoded(text: str, encoding: str) -> Any:
    if encoding == "json":
        return json.dumps({"inner": text})
    if encoding == "json in json":
        return json.dumps({"outer": json.dumps([text, 1.50])})
    if encoding == "address":
        return "https://x.example/?q=" + quote(text, safe="")
    return {text: 1} if encoding == "key" else text


def row_of(text: str, encoding: str) -> bytes:
    row = {"_ng_task_index": 3, "reward": 0.10, "big": 12345678901234567890123, "said": [encoded(text, encoding), None]}
    line = json.dumps(row)
    if encoding == "escaped":
        line = "".join(f"\\u{ord(c):04x}" if c in "@/+:=" and line[i - 1 : i] != '"' else c for i, c in enumerate(line))
        line = line.replace("\\u003a ", ": ").replace('"\\u003a', '":')
    return line.encode()


def shape(value: Any) -> Any:
    """A row without its strings: what must not change."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return "text"
        return ["json", shape(inner)] if isinstance(inner, (dict, list)) else "text"
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return repr(value)


def cleaned(data: bytes, policy: Policy | None = None) -> bytes:
    work = SanitizeWork(policy or Policy())
    _, hits = work.finder.in_line(data)
    for hit in hits:
        work._remember(hit)
    work.settle()
    return work.cleaned(data)


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from(ENCODINGS), st.text(max_size=20), st.text(max_size=20))
def test_no_planted_secret_survives_in_any_encoding(seed: int, how: str, before: str, after: str) -> None:
    planted = random.Random(seed).choice(shapes(seed))
    row = row_of(f"{before} \n{planted.text}\n {after}", how)
    assert json.loads(row)["reward"] == 0.10
    out = cleaned(row)
    output = json.dumps(json.loads(out), ensure_ascii=False)
    for form in (planted.secret, json.dumps(planted.secret)[1:-1], quote(planted.secret, safe="")):
        assert form.encode() not in out, (planted, how, out)
        assert form not in output, (planted, how)
    assert shape(json.loads(out)) == shape(json.loads(row))
    assert is_redacted(out)
    assert cleaned(out) == out


@examples(80)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    )
)
def test_rows_without_secrets_keep_every_byte(value: Any) -> None:
    data = json.dumps({"value": value}).encode()
    work = SanitizeWork(Policy())
    if not work.finder.in_line(data)[1]:
        assert work.cleaned(data) is data


@examples(100)
@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    cleaned(data)
    cleaned(b'{"a": "' + data + b" ada@mill-works.com")


def write_package(folder: Path) -> list[str]:
    """Two runs with every shape planted in prompts, outputs, ids and files around them. Returns the secrets."""
    small = Scenario(seed=5, tasks=14, repeats=4, model="sim-a", skill=0.55)
    write_run(small, folder / "rollouts" / "baseline")
    write_run(replace(small, model="sim-b", skill=0.65), folder / "rollouts" / "candidate")
    planted = [item for seed in range(3) for item in shapes(seed)]
    for path in sorted((folder / "rollouts").rglob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        for place, row in enumerate(rows):
            secret = planted[place % len(planted)]
            row["note"] = f"log: {secret.text}"
            row["deep"] = json.dumps({"log": [secret.text]})
            if isinstance(row.get("task_id"), str):
                row["task_id"] = f"{row['task_id']}@tasks-mill.com"
            if isinstance(row.get("response"), dict):
                item = {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": secret.text}],
                }
                row["response"]["output"] = [*row["response"]["output"], item]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "skill").mkdir()
    (folder / "skill" / "SKILL.md").write_text("\n\n".join(item.text for item in planted))
    (folder / "notes.txt.gz").write_bytes(gzip.compress("\n".join(item.text for item in planted).encode()))
    (folder / "notes.txt.zst").write_bytes(zstandard.compress("\n".join(item.text for item in planted).encode()))
    (folder / "sidecar.json").write_text(json.dumps({"hosts": [item.text for item in planted]}, indent=2))
    return [item.secret for item in planted]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str], Findings]:
    folder = tmp_path_factory.mktemp("package")
    secrets = write_package(folder / "raw")
    findings, _ = sanitize([folder / "raw"], folder / "clean")
    return folder / "raw", folder / "clean", secrets, findings


def content(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = []
    for path in files:
        with open_bytes(path) as stream:
            texts.append(stream.read().decode())
    return "\n".join(texts)


@pytest.mark.slow
def test_a_package_with_every_shape_planted_is_clean_afterwards(
    package: tuple[Path, Path, list[str], Findings],
) -> None:
    raw, clean, secrets, findings = package
    assert not is_clean([raw])
    assert scan([clean]).items == ()
    assert is_clean([clean])
    left = content(clean)
    assert [secret for secret in secrets if secret in left or json.dumps(secret)[1:-1] in left] == []
    output = as_json(findings) + as_text(findings)
    assert [secret for secret in secrets if secret in output] == []


@pytest.mark.slow
def test_a_sanitized_package_has_the_same_scores(package: tuple[Path, Path, list[str], Findings]) -> None:
    raw, clean, _, _ = package
    options = blade.Options(cache=False)
    before, after = (
        blade.analyze(*(folder / "rollouts" / name for name in ("baseline", "candidate")), options=options)
        for folder in (raw, clean)
    )
    for before_run, after_run in zip(before.runs, after.runs, strict=True):
        assert before_run.metrics == after_run.metrics
        assert before_run.denominator.counted == after_run.denominator.counted
        assert before_run.buckets == after_run.buckets
    assert [(c.verdict, c.delta, c.interval, c.p) for c in before.changes] == [
        (c.verdict, c.delta, c.interval, c.p) for c in after.changes
    ]
    assert len(before.tasks) == len(after.tasks)
    assert sum("@" in task.task for task in before.tasks) == sum("<EMAIL_" in task.task for task in after.tasks) > 0
    assert sorted(mode.id for mode in before.modes) == sorted(mode.id for mode in after.modes)


@pytest.mark.slow
def test_a_second_pass_changes_nothing(package: tuple[Path, Path, list[str], Findings], tmp_path: Path) -> None:
    _, clean, _, _ = package
    sanitize([clean], tmp_path / "again")
    for path in clean.rglob("*"):
        if path.is_file():
            assert (tmp_path / "again" / path.relative_to(clean)).read_bytes() == path.read_bytes()


def test_the_same_value_has_the_same_token_everywhere_and_no_two_share_one(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"id": "ada@mill-works.com", "reward": 1}\n{"id": "bob@mill-works.com"}\n')
    (folder / "b.md").write_text("| ada@mill-works.com | passed |\n<EMAIL_7> was here\n")
    sanitize([folder], tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "a.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["<EMAIL_8>", "<EMAIL_9>"]
    assert (tmp_path / "out" / "b.md").read_text() == "| <EMAIL_8> | passed |\n<EMAIL_7> was here\n"


def test_a_mapping_keeps_tokens_from_run_to_run_without_holding_a_value(tmp_path: Path) -> None:
    file, mapping = tmp_path / "a.txt", tmp_path / "map.json"
    tokens = Tokens()
    file.write_text("ada@mill-works.com bob@mill-works.com\n")
    sanitize([file], None, tokens=tokens)
    save_mapping(mapping, tokens)
    assert "mill" not in mapping.read_text()
    file.write_text("cyd@mill-works.com bob@mill-works.com\n")
    sanitize([file], None, tokens=Tokens(load_mapping(mapping)))
    assert file.read_text() == "<EMAIL_3> <EMAIL_2>\n"


def test_a_secret_told_by_its_context_is_taken_out_without_it_too(tmp_path: Path) -> None:
    secret = next(item for item in shapes(1) if item.rule == "assignment")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.txt").write_text(f"echoed {secret.secret}\n")
    (tmp_path / "p" / "b.txt").write_text(secret.text)
    sanitize([tmp_path / "p"], tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text() == "echoed <KEY_SECRET_1>\n"


def test_a_clipped_quote_of_a_secret_has_the_token_of_the_whole(tmp_path: Path) -> None:
    secret = next(item.secret for item in shapes(1) if item.rule == "openai")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.md").write_text(f"> {secret[:30]}…\n")
    (tmp_path / "p" / "b.txt").write_text(secret)
    sanitize([tmp_path / "p"], tmp_path / "out")
    assert (tmp_path / "out" / "b.txt").read_text() in (tmp_path / "out" / "a.md").read_text()


def test_declared_fields_become_a_mark_at_any_depth_and_inside_strings() -> None:
    policy = Policy(private_fields=("source", "meta.gold"))
    row = {
        "source": {"a": [1, {"b": 2}]},
        "x": json.dumps({"source": 'pri"vate'}),
        "meta": {"gold": 5, "n": 1},
        "gold": 5,
    }
    out = cleaned(json.dumps(row).encode(), policy)
    read = json.loads(out)
    assert read["source"] == "[redacted]"
    assert json.loads(read["x"]) == {"source": "[redacted]"}
    assert read["meta"] == {"gold": "[redacted]", "n": 1}
    assert read["gold"] == 5
    assert is_redacted(out)
    assert cleaned(out, policy) == out


def test_a_private_name_in_the_name_of_a_file_is_taken_out(tmp_path: Path) -> None:
    (tmp_path / "p" / "secretbench").mkdir(parents=True)
    (tmp_path / "p" / "secretbench" / "a.jsonl").write_text('{"b": "SecretBench"}\n')
    policy = Policy(private_names=("SecretBench",))
    findings, files = sanitize([tmp_path / "p"], tmp_path / "out", policy)
    assert [path.relative_to(tmp_path / "out").as_posix() for path in files] == ["NAME_1/a.jsonl"]
    assert findings.items[0].lines[0] == 0
    assert is_clean([tmp_path / "out"], policy)
    sanitize([tmp_path / "p"], None, policy)
    assert [path.name for path in (tmp_path / "p").rglob("*.jsonl")] == ["a.jsonl"]
    assert is_clean([tmp_path / "p"], policy)


def test_a_file_that_cannot_be_read_keeps_a_package_open(tmp_path: Path) -> None:
    (tmp_path / "facts.parquet").write_bytes(b"PAR1\0\1\2")
    (tmp_path / "plot.png").write_bytes(b"\x89PNG\r\n\0\0")
    findings = scan([tmp_path])
    assert [(file.file, file.open) for file in findings.closed] == [("facts.parquet", True), ("plot.png", False)]
    assert not findings.is_clean
    assert is_clean([tmp_path], Policy(allow=(r"facts\.parquet",)))


def test_the_output_must_be_new_and_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        sanitize([tmp_path / "a.txt"], tmp_path)
    with pytest.raises(UsageError, match="inside"):
        sanitize([tmp_path], tmp_path / "out")
