"""What an analysis loads: a library that costs more than the analysis itself is not among it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import blade.api
import blade.stats.permutation
blade.stats.permutation.exact_change_p([((1.0, 0.0), (0.0, 1.0, 1.0))] * 40)
unneeded = {"scipy.fft", "scipy.optimize", "scipy.special", "scipy.stats", "numpy.f2py"}
print(sorted((unneeded | {"starlette", "ray", "fsspec", "statsmodels"}) & set(sys.modules)))
"""


def test_an_analysis_loads_no_library_that_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
