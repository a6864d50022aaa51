"""Drafts from real rollouts: their field tables agree with the key list of the format's description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blade import api, toolkit
from blade.errors import BladeError
from blade.options import Options
from blade.skill.reading import read_fields

pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "../shared/spec/gym-artifacts.md"
ENTRY = re.compile(r"^\* \*\*(\S+)/([^/*]+\.jsonl)\*\*: (.*)$", re.MULTILINE)
KEY = re.compile(r"`([^`]+)` ([a-z/]+)(\?)?")
TYPES = {"arr": "list", "obj": "object"}
BESIDE = {"responses_create_params", "response", "reward", "agent_ref"}
DRAFTED = ("workplace_assistant", "mcqa", "math_with_judge", "code_gen", "finance_agent_v2", "toolsandbox")


def entries() -> list[tuple[str, str, str]]:
    if not SPEC.exists():
        return []
    return ENTRY.findall(SPEC.read_text(encoding="utf-8").split("## Appendix A", 1)[1])


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry[0]}/{entry[1]}")
def test_the_fields_agree_with_the_appendix(entry: tuple[str, str, str], corpus: Path) -> None:
    folder, file, text = entry
    path = corpus / "nemo-gym" / folder / file
    if not path.exists():
        pytest.skip(f"{folder}/{file} is not in the corpus")
    told = {
        name: {TYPES.get(kind, kind) for kind in kinds.split("/")} | ({"null"} if mark else set())
        for name, kinds, mark in KEY.findall(text)
    }
    try:
        runs = api.read(path, options=Options(cache=False))
    except BladeError as error:
        pytest.skip(f"no run: {error.message}")
    found = {
        name: set(field.types)
        for name, field in read_fields(runs).rollouts.fields.items()
        if "." not in name.replace("\\.", "") and "[]" not in name
    }
    own = {name: kinds for name, kinds in found.items() if name not in BESIDE and not name.startswith("_")}
    assert own == told


@pytest.mark.parametrize("name", DRAFTED)
def test_a_draft_lists_every_key_of_the_appendix(name: str, corpus: Path) -> None:
    path = corpus / "nemo-gym" / name / "example_rollouts.jsonl"
    text, _ = toolkit.draft_skill(path, options=Options(cache=False, benchmark=name))
    keys = next(KEY.findall(text) for folder, file, text in entries() if (folder, file) == (name, path.name))
    for key, _, _ in keys:
        assert re.search(rf"^\| `{re.escape(key)}` \|", text, re.MULTILINE), key
