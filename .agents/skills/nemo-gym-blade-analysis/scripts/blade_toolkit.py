"""The helper script under its known path: every subcommand and flag goes to the `blade` command line."""

import sys
from pathlib import Path

try:
    from blade.cli import main
except ModuleNotFoundError as missing:
    source = Path(__file__).resolve().parents[4] / "src"
    if missing.name != "blade" or not (source / "blade" / "cli").is_dir():
        sys.exit(f"{missing}. Install BLADE first (pip install blade-engine), or run this from a clone of it.")
    sys.path.insert(0, str(source))
    from blade.cli import main

if __name__ == "__main__":
    main()
