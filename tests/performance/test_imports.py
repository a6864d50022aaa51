"""What an analysis loads: a library that costs more than the analysis itself is not among it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import blade.api
print(sorted({"scipy.stats", "scipy.optimize", "starlette", "ray", "fsspec", "statsmodels"} & set(sys.modules)))
"""


def test_an_analysis_loads_no_library_that_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
