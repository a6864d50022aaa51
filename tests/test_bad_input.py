"""Whatever is wrong with the input is said with its place and its count; the rest is analysed as if nothing were."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.command_line import blade
from tests.gym_rows import analysed, flaws, given, message, only_run, read, request, response, row, write

from blade import api
from blade.errors import BladeError, NameClash, NoRuns, NotFound
from blade.extract.row import transcript_facts
from blade.files.sniff import wide_encoding
from blade.options import Options

HEALTHY = [row(n, 0, float(n % 2)) for n in range(6)]


def flaw_lines(path: Path, slug: str) -> list[tuple[int | None, int, str]]:
    return [(flaw.line, flaw.rows, flaw.statement) for flaw in analysed(path).flaws if flaw.slug == slug]


def mixed(folder: Path, *bad: Any) -> Path:
    """Healthy rows with the bad ones in their midst, from line 4 on."""
    return write(folder / "a.jsonl", [*HEALTHY[:3], *bad, *HEALTHY[3:]])


# one line
CUT = json.dumps(row(9)).encode()[:-30]


@pytest.mark.parametrize(
    ("line", "slug", "said"),
    [
        (CUT, "row-unreadable", "cut off before its end"),
        (b"Traceback (most recent call last):", "row-unreadable", "not JSON"),
        (b'{"reward": 1.0,, "response": {}}', "row-unreadable", "not JSON ("),
        (b"\xff\xfe{\x00", "row-unreadable", "not JSON"),
        (b"[1, 2]", "row-not-object", "a list, not an object"),
        (b'"text"', "row-not-object", "a string"),
        (b"null", "row-not-object", "null"),
        (b"17", "row-not-object", "a number"),
        (b"true", "row-not-object", "a boolean"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "row-unreadable", "nested too deeply"),
        (b'{"reward": 1' + b"0" * 5000 + b"}", "row-unreadable", "not JSON"),
    ],
)
def test_a_line_that_is_no_row_is_counted_and_the_rest_stands(
    tmp_path: Path, line: bytes, slug: str, said: str
) -> None:
    path = mixed(tmp_path, line)
    ((first, rows, statement),) = flaw_lines(path, slug)
    assert (first, rows) == (4, 1)
    assert said in statement
    assert only_run(path).metrics["score"] == pytest.approx(0.5)
    assert only_run(path).rollouts == 6


def test_many_broken_lines_are_one_flaw_with_their_count(tmp_path: Path) -> None:
    broken = [b'{"reward": 1, "x": ' + b"0" * n + b" oops}" for n in range(1, 31)]
    ((line, rows, _),) = flaw_lines(mixed(tmp_path, *broken), "row-unreadable")
    assert (line, rows) == (4, 30)


def test_rows_behind_a_long_broken_beginning_are_found(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [*[CUT] * 50, *HEALTHY])
    assert only_run(path).rollouts == 6


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (json.dumps(row(9, speed=float("nan"))).encode(), "NaN or Infinity"),
        (json.dumps(row(9, speed=float("-inf"))).encode(), "NaN or Infinity"),
        (json.dumps(row(9, note="\ud800", **{"\udfff key": 1})).encode(), "a lone surrogate"),
        (json.dumps(row(9, note="caf?")).encode().replace(b"caf?", b"caf\xe9"), "bytes that are not UTF-8"),
    ],
)
def test_what_can_be_mended_is_read_and_said(tmp_path: Path, line: bytes, said: str) -> None:
    path = mixed(tmp_path, line)
    ((first, rows, statement),) = flaw_lines(path, "row-mended")
    assert (first, rows) == (4, 1)
    assert said in statement
    assert only_run(path).rollouts == 7


def test_a_lone_surrogate_anywhere_in_a_row_is_written_out_again(tmp_path: Path) -> None:
    odd = "\ud83d broken"
    made = row(
        9,
        0,
        0.0,
        error_message=odd,
        agent_ref={"name": odd},
        task_id=odd,
        category=odd,
        responses_create_params=request(odd, tool_choice=odd, metadata={odd: odd}),
        response=response(message(odd), {"type": "function_call", "name": odd, "arguments": odd}, model=odd),
        ng_trajectory={"gaps": [{"code": odd}]},
    )
    runs = read(write(tmp_path / "a.jsonl", [made, *HEALTHY]))
    api.write(tmp_path / "out", runs, api.analyze_runs(runs, Options(cache=False)))
    assert json.loads((tmp_path / "out" / "analysis.json").read_bytes())["totals"]["runs"] == 2


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", HEALTHY)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    analysis = analysed(path)
    assert (analysis.runs[0].rollouts, analysis.flaws) == (6, ())


def test_a_key_written_twice_is_said_and_the_last_one_counts(tmp_path: Path) -> None:
    twice = json.dumps(row(9, 0, 0.0)).encode().replace(b'{"_ng', b'{"reward": 1.0, "_ng', 1)
    path = mixed(tmp_path, twice)
    assert flaws(analysed(path)) == {"duplicate-key": 1}
    assert only_run(path).metrics["score"] == pytest.approx(3 / 7)


# scores
@pytest.mark.parametrize(
    "reward", ["1.0", None, [1.0], {"value": 1}, float("nan"), float("inf"), -float("inf"), 10**400, 1e200, ""]
)
def test_a_reward_of_a_wrong_type_is_no_score_and_no_zero(tmp_path: Path, reward: Any) -> None:
    path = mixed(tmp_path, row(9, 0, reward))
    analysis = analysed(path)
    assert flaws(analysis)["no-score"] == 1
    assert analysis.runs[0].metrics["score"] == pytest.approx(0.5)
    assert (analysis.runs[0].denominator.graded, analysis.runs[0].rollouts) == (6, 7)


def test_a_row_without_reward_is_kept_and_not_graded(tmp_path: Path) -> None:
    lost = row(9)
    del lost["reward"]
    ((line, rows, statement),) = flaw_lines(mixed(tmp_path, lost, lost | {"_ng_rollout_index": 1}), "no-score")
    assert (line, rows) == (4, 2)
    assert "no score in this row; looked for 'reward', 'score'" in statement


def test_a_boolean_reward_is_a_number(tmp_path: Path) -> None:
    assert only_run(write(tmp_path / "a.jsonl", [row(0, 0, True), row(1, 0, False)])).metrics["score"] == 0.5


def test_a_row_that_nobody_thought_of_is_a_flaw_and_no_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def choke(made: Any) -> Any:
        if made.row["_ng_task_index"] == 3:
            raise AttributeError
        return transcript_facts(made)

    monkeypatch.setattr("blade.extract.row.transcript_facts", choke)
    path = write(tmp_path / "a.jsonl", HEALTHY)
    assert flaw_lines(path, "row-unreadable") == [(4, 1, "a row that could not be taken apart (AttributeError)")]
    assert only_run(path).rollouts == 5


# large rows
@pytest.mark.slow
def test_one_line_of_twenty_megabytes_is_a_row_like_any_other(tmp_path: Path) -> None:
    long = row(9, 0, 1.0, response=response(message("word " * 4_000_000)))
    path = write(tmp_path / "a.jsonl", [*HEALTHY, long])
    (run,) = read(path)
    assert run.facts["output_chars"].max() == 20_000_000
    assert run.graded.height == 7


# files
@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(NoRuns, match="it is empty"):
        read(path)


def test_a_file_of_broken_lines_only_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(NoRuns, match="its first line is cut off before its end"):
        read(write(tmp_path / "a.jsonl", [CUT, CUT[:-9]]))


def test_a_binary_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", HEALTHY)
    (tmp_path / "weights.bin").write_bytes(bytes(1 << 20))
    assert {file.kind for file in analysed(tmp_path).inventory} == {"unknown"}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_half_written_compressed_file_gives_what_it_holds(tmp_path: Path, pack: Any) -> None:
    plain = write(tmp_path / "raw", [row(n, text=f"{n * 7919}" * 30) for n in range(300)]).read_bytes()
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(pack(plain)[:-400])
    analysis = analysed(path)
    assert 50 < analysis.runs[0].rollouts < 300
    (flaw,) = [flaw for flaw in analysis.flaws if flaw.slug == "file-unreadable"]
    assert "the compressed data stops before its end" in flaw.statement
    assert flaw.line == analysis.runs[0].rollouts + 1


def test_a_damaged_compressed_file_beside_a_run_is_a_flaw(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", HEALTHY)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"x" * 99)[:12])
    analysis = analysed(tmp_path)
    assert [(flaw.slug, Path(flaw.file).name) for flaw in analysis.flaws] == [("file-unreadable", "b.jsonl.gz")]
    assert analysis.runs[0].rollouts == 6


def test_a_disk_error_in_the_middle_keeps_the_rows_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def __iter__(self) -> Iterator[bytes]:
            yield from self.getvalue().splitlines(keepends=True)[:4]
            raise OSError(5, "Input/output error")

    path = write(tmp_path / "a.jsonl", HEALTHY)
    monkeypatch.setattr("blade.engine.facts_chunks.open_bytes", lambda *_: Failing(path.read_bytes()))
    analysis = analysed(path)
    assert analysis.runs[0].rollouts == 4
    assert [(flaw.slug, flaw.line) for flaw in analysis.flaws] == [("file-unreadable", 5)]


def test_a_forbidden_file_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.jsonl", HEALTHY)

    def forbidden(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(NoRuns, match=r"it is unreadable \(permission denied\)"):
        read(path)


def test_a_file_that_goes_away_while_it_is_analysed_is_a_flaw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.jsonl", HEALTHY)
    inputs = write(tmp_path / "a_materialized_inputs.jsonl", [given(0)])
    from blade.engine import discover  # noqa: PLC0415 - the one test that needs it

    plans = discover.discover([tmp_path])
    inputs.unlink()
    monkeypatch.setattr("blade.api.discover", lambda *_: plans)
    analysis = analysed(tmp_path)
    assert flaws(analysis)["file-unreadable"] == 0
    assert analysis.runs[0].rollouts == 6


# places
def test_a_folder_without_runs_says_what_it_holds(tmp_path: Path) -> None:
    write(tmp_path / "a_materialized_inputs.jsonl", [given(0)])
    with pytest.raises(NoRuns, match=r"no rollouts in this folder \(a_materialized_inputs.jsonl is input rows"):
        read(tmp_path)


def test_a_folder_of_folders_without_runs_says_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "night").mkdir()
    (tmp_path / "night" / "rows.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(NoRuns, match=r"rows\.jsonl is of a kind") as refused:
        read(tmp_path)
    assert "empty" not in str(refused.value)


def test_a_folder_named_like_a_file_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(NoRuns, match="it is empty"):
        read(tmp_path / "x.jsonl")


@pytest.mark.parametrize("place", ["nowhere.jsonl", "nowhere/*.jsonl", "x" * 5000, "a\0b", "[", ""])
def test_a_path_that_leads_nowhere_is_not_found(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((NotFound, NoRuns)) as caught:
        read(place)
    assert caught.value.hint
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("target", ["itself", "nowhere"])
def test_a_link_that_leads_nowhere_is_called_one(tmp_path: Path, target: str) -> None:
    (tmp_path / "itself").symlink_to(tmp_path / target)
    with pytest.raises(NotFound, match="this is a link that leads nowhere"):
        read(tmp_path / "itself")


def test_two_runs_with_one_name_are_refused(tmp_path: Path) -> None:
    one, two = write(tmp_path / "a.jsonl", HEALTHY), write(tmp_path / "b.jsonl", HEALTHY)
    with pytest.raises(NameClash, match="Two runs are named 'same'"):
        read(f"same={one}", f"same={two}")


# what a person sees
@pytest.mark.parametrize("made", ["missing", "empty", "toml", "config"])
def test_the_command_line_ends_in_two_lines_and_code_2(tmp_path: Path, made: str) -> None:
    path = tmp_path / "a.jsonl"
    more: list[Any] = []
    if made == "empty":
        path.write_bytes(b"")
    elif made == "toml":
        write(path, HEALTHY)
        (tmp_path / "benchmark.toml").write_text('pass_threshold = "high"')
    elif made == "config":
        write(path, HEALTHY)
        (tmp_path / "c.yaml").write_text("day: 2026-99-99")
        more = ["--config", tmp_path / "c.yaml"]
    done = blade("analyze", path, "-o", tmp_path / "out", "--no-cache", *more)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("blade: ")
    assert str(tmp_path) in done.stderr
    assert 1 <= len(done.stderr.splitlines()) <= 2


HOSTILE = "x<script>alert(1)</script>\x1b[31m|`*_[a](http://b)_*`\u202e\n# head"


def test_hostile_names_and_texts_are_escaped_everywhere(tmp_path: Path) -> None:
    rows = [
        row(n, 0, 0.0, task_id=f"{n}{HOSTILE}", error_message=f"{HOSTILE} refused", category=HOSTILE[:50],
            agent_ref={"name": HOSTILE}, responses_create_params=request(HOSTILE), **{HOSTILE: HOSTILE})
        for n in range(3)
    ]  # fmt: skip
    path = write(
        tmp_path / "x<script>\x1b[31m.jsonl", [*rows, row(3, 0, 0.5, agent_ref={"name": HOSTILE}, note=CUT.decode())]
    )
    (tmp_path / "NOTES.md").write_text(HOSTILE)
    done = blade("analyze", path, "-o", tmp_path / "out", "--no-cache", "--benchmark", HOSTILE)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "out" / "report.md").read_text()
    for text in (report, done.stdout, done.stderr):
        assert "\x1b[31m" not in text
        assert "\u202e" not in text
    unescaped = report.replace("\\<", "").split("`")
    assert not any("<script" in part for part in unescaped[::2])
    assert not any(line.startswith("# head") for line in report.splitlines())
    assert all(".." not in file.name and "/" not in file.name for file in (tmp_path / "out" / "metrics").iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not let such a name be made")
def test_a_file_name_that_is_no_text_is_a_name_all_the_same(tmp_path: Path) -> None:
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff.jsonl")), HEALTHY)
    done = blade("analyze", tmp_path, "-o", tmp_path / "out", "--no-cache")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "analysis.json").read_bytes())["runs"][0]["name"] == "x?"


def test_nothing_but_errors_of_ours_leaves_the_library(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path, "a=b=c", "*"):
        with pytest.raises(BladeError):
            read(place)


# another encoding
WIDE = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32": "UTF-32",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


@pytest.mark.parametrize(("encoding", "name"), WIDE.items())
def test_a_file_in_another_encoding_is_refused_by_its_name_with_the_way_out(
    tmp_path: Path, encoding: str, name: str
) -> None:
    text = "".join(json.dumps(made) + "\n" for made in HEALTHY)
    wide = tmp_path / "wide.jsonl"
    wide.write_bytes(text.encode(encoding))
    reason = f"text in {name}, wanted: UTF-8, as `iconv -f {name} -t UTF-8 FILE` writes it"
    with pytest.raises(NoRuns, match=reason):
        read(wide)
    write(tmp_path / "a.jsonl", HEALTHY)
    told = [(flaw.statement, flaw.file) for flaw in analysed(tmp_path).flaws if flaw.slug == "file-unreadable"]
    assert told == [(f"the file could not be read ({reason})", str(wide))]
    assert read(write(tmp_path / "b.jsonl", [text.encode("utf-8-sig")]))[0].facts.height == len(HEALTHY)


@pytest.mark.parametrize("option", ["--config", "--notes", "--map"])
def test_settings_in_another_encoding_are_refused_with_its_name(tmp_path: Path, option: str) -> None:
    path = write(tmp_path / "a.jsonl", HEALTHY)
    (tmp_path / "wide.yaml").write_bytes("task: a\n".encode("utf-16"))
    done = blade("analyze", path, option, tmp_path / "wide.yaml", "-o", tmp_path / "out")
    assert (done.returncode, "text in UTF-16, wanted: UTF-8" in done.stderr) == (2, True)


def test_a_date_that_is_none_in_a_map_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", HEALTHY)
    (tmp_path / "map.yaml").write_text("task: 2026-99-99\n", encoding="utf-8")
    done = blade("analyze", path, "--map", tmp_path / "map.yaml", "-o", tmp_path / "out")
    assert (done.returncode, "not a field map that can be read (month must be in 1..12" in done.stderr) == (2, True)


def test_zeros_in_a_file_make_it_no_text_in_another_encoding() -> None:
    plain = (b"", b"\0" * 100, b"a\0b\0", b"PK\x03\x04\0\0", b"{\0\0\0\xff\xff\xff\xff", b"\xff\xfe\x00\xd8a\0", b"{}")
    assert [wide_encoding(data) for data in plain] == [""] * len(plain)
