"""The helper of the BLADE skill: every subcommand of `blade`, at the path that scripts and habits know."""

from __future__ import annotations

import sys
from pathlib import Path

INSTALL = "Install BLADE with `pip install blade-engine`, or in a clone of it with `pip install .` or `make setup`."
SOURCE = Path(__file__).resolve().parents[4] / "src"

if (SOURCE / "blade" / "cli").is_dir():  # in a clone its own source comes first
    sys.path.insert(0, str(SOURCE))

try:
    from blade.cli import main

    main()
except ModuleNotFoundError as error:
    sys.stderr.write(f"blade_toolkit: {error}. {INSTALL}\n")
    sys.exit(2)
