"""`blade list` says what there is, and loads nothing heavy for it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from blade.cli import cli
from blade.registry import FOLDERS, plugins, summaries, summary

LIGHT = """
import sys
from blade.cli import cli
for words in (["--help"], ["list"], *(["list", kind] for kind in %r)):
    cli(words, standalone_mode=False)
print("heavy:", sorted({"numpy", "polars", "scipy", "jinja2"} & set(sys.modules)))
"""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_list_names_every_plug_in_with_its_first_line(folder: str) -> None:
    told = {name: summary(module) for name, module in plugins(folder).items()}
    assert summaries(folder) == told
    printed = CliRunner().invoke(cli, ["list", folder]).output
    assert [line.split()[0] for line in printed.splitlines()] == list(told)


def test_without_a_kind_it_counts() -> None:
    printed = CliRunner().invoke(cli, ["list"]).output
    assert ["detectors", f"{len(plugins('detectors'))}"] in [line.split() for line in printed.splitlines()]


def test_help_and_lists_load_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT % (FOLDERS,)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"
