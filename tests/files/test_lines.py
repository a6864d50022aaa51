from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from blade.files.lines import UNREADABLE, has_duplicate_keys, iter_lines, open_bytes, parse

PACKS: list[Any] = [bytes, gzip.compress, zstandard.compress]


def numbered(path: Path) -> list[tuple[int, int, bytes]]:
    with open_bytes(path) as stream:
        return [(line.number, line.offset, line.data) for line in iter_lines(stream)]


@pytest.mark.parametrize("pack", PACKS)
def test_lines_carry_their_number_and_their_place(tmp_path: Path, pack: Any) -> None:
    content = b'\xef\xbb\xbf{"a":1}\r\n\n   \n{"b":2}\nlast'
    (tmp_path / "x").write_bytes(pack(content))
    found = numbered(tmp_path / "x")
    assert found == [(1, 3, b'{"a":1}'), (4, 17, b'{"b":2}'), (5, 25, b"last")]
    assert all(content[offset : offset + len(data)] == data for _, offset, data in found)


@pytest.mark.parametrize("pack", PACKS[1:])
def test_compressed_parts_in_a_row_are_one_content(tmp_path: Path, pack: Any) -> None:
    padding = b"\0" * 40_000 if pack is gzip.compress else b""
    (tmp_path / "x").write_bytes(pack(b"a\nb") + padding + pack(b"c\n") + pack(b"") + pack(b"d\n"))
    assert [data for _, _, data in numbered(tmp_path / "x")] == [b"a", b"bc", b"d"]


@pytest.mark.parametrize("pack", PACKS)
def test_a_place_in_a_file_can_be_opened_again(tmp_path: Path, pack: Any) -> None:
    content = os.urandom(300_000)
    (tmp_path / "x").write_bytes(pack(content))
    with open_bytes(tmp_path / "x") as stream:
        for place in (200_000, 10, 299_990, 0):
            stream.seek(place)
            assert stream.read(20) == content[place : place + 20]


@pytest.mark.parametrize("pack", PACKS[1:])
def test_all_that_a_half_written_file_holds_is_given_out_before_the_error(tmp_path: Path, pack: Any) -> None:
    lines = [f"{n} {os.urandom(40).hex()}".encode() for n in range(12_000)]
    whole = pack(b"\n".join(lines) + b"\n")
    (tmp_path / "x").write_bytes(whole[: len(whole) // 2])
    found: list[bytes] = []
    with pytest.raises(UNREADABLE), open_bytes(tmp_path / "x") as stream:
        found.extend(line.data for line in iter_lines(stream))
    assert len(found) > 1000
    assert found == lines[: len(found)]


def test_garbage_behind_a_compressed_file_is_not_taken_for_its_end(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(gzip.compress(b"a\nb\n") + b"garbage")
    with pytest.raises(UNREADABLE):
        numbered(tmp_path / "x")


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(), st.lists, max_leaves=5))
def test_what_json_writes_is_read_back_without_a_word(value: Any) -> None:
    made = parse(json.dumps(value).encode())
    assert (made.value, made.problem, made.mended) == (value, "", "")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_problem(data: bytes) -> None:
    made = parse(data)
    assert made.problem == "" or made.value is None


@pytest.mark.parametrize(
    ("data", "value", "mended"),
    [
        (b'{"a": NaN}', "nan", "NaN or Infinity, which JSON does not have"),
        (b'{"a": -Infinity}', "-inf", "NaN or Infinity, which JSON does not have"),
        (b'{"a": "\\ud800"}', "\ud800", "a lone surrogate, which is no character"),
        (b'{"a": "\xe9"}', "�", "bytes that are not UTF-8"),
        (b'\xef\xbb\xbf{"a": "x"}', "x", "a byte order mark"),
        (b'{"a": 1e999}', "inf", "JSON that only a tolerant parser takes"),
    ],
)
def test_what_is_tolerated_is_named(data: bytes, value: str, mended: str) -> None:
    made = parse(data)
    assert (str(made.value["a"]), made.mended) == (value, mended)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not JSON"),
        (b"<ROW>", "not JSON"),
        (b'{"a": 1', "cut off before its end"),
        (b'{"a": [1, 2', "cut off before its end"),
        (b'{"a": 1 "b": 2}', "not JSON (Expecting ',' delimiter)"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply to be read"),
        (b"\xff\xfe{\x00}\x00", "not JSON"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, problem: str) -> None:
    assert (parse(data).value, parse(data).problem) == (None, problem)


def test_token_arrays_are_dropped_and_text_that_looks_like_them_is_not() -> None:
    said = 'he wrote "prompt_token_ids": [1, 2] here'
    made = parse(json.dumps({"generation_log_probs": [-0.1], "prompt_token_ids": [1, 2], "text": said}).encode())
    assert made.value == {"generation_log_probs": [], "prompt_token_ids": [], "text": said}


@pytest.mark.parametrize(
    ("data", "twice"),
    [
        (b'{"a": 1, "a": 2}', True),
        (b'{"a": {"b": 1}, "b": 2}', False),
        (b'{"a": {"b": 1, "b": 2}}', False),
        (b'[{"a": 1}, {"a": 2}]', False),
        (b'{"a": 1,', False),
        (b"{}", False),
    ],
)
def test_only_a_key_twice_in_the_row_itself_is_a_duplicate(data: bytes, twice: bool) -> None:
    assert has_duplicate_keys(data) is twice
