"""Scipy's functions are loaded without the package around them, and the package can be loaded later."""

from __future__ import annotations

import subprocess
import sys

PARTS = """
import sys
from blade.stats.scipy_functions import special
print(sorted({"scipy.special", "scipy.fft", "numpy.f2py", "numpy.testing"} & set(sys.modules)))
from scipy import special as whole
print(whole.betaincc is special.betaincc, whole.stdtrit is special.stdtrit, float(whole.logsumexp([0.0, 0.0])))
"""
WHOLE = """
import scipy.special
from blade.stats.scipy_functions import special
print(special is scipy.special)
"""
WITHOUT_PARTS = """
import sys
sys.modules["scipy.special._ufuncs"] = None
try:
    from blade.stats.scipy_functions import special
except ImportError as error:
    print(type(sys.modules.get("scipy.special")).__name__, error.name)
"""


def test_functions_come_without_the_modules_that_the_package_loads() -> None:
    assert _output(PARTS) == ["[]", "True True 0.6931471805599453"]


def test_a_package_that_is_loaded_already_is_used() -> None:
    assert _output(WHOLE) == ["True"]


def test_a_scipy_without_that_module_is_loaded_whole() -> None:
    """Here scipy itself needs the module: the error is scipy's own, and no empty package is left behind."""
    assert _output(WITHOUT_PARTS) == ["NoneType scipy.special._ufuncs"]


def _output(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[:-1]
