"""The special functions of scipy, without the modules that `import scipy.special` loads and nobody here uses.

They are scipy's own, out of the compiled module that holds them. The package around it loads a Fortran compiler's front
end, Fourier transforms and test tools as well, to offer its functions for arrays of other libraries: 7 % of the time of
a small analysis. An empty package stands in its place while the compiled module is loaded. Whoever asks for
`scipy.special` afterwards gets all of it, and where scipy cannot be loaded in parts, it is loaded whole.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["special"]

PACKAGE = "scipy.special"


def compiled_functions() -> ModuleType:
    """The module with the functions; the whole package if it is loaded already or has no such module."""
    spec = find_spec(PACKAGE)
    if PACKAGE in sys.modules or spec is None or spec.submodule_search_locations is None:
        return import_module(PACKAGE)
    empty = ModuleType(PACKAGE)
    empty.__path__ = list(spec.submodule_search_locations)
    sys.modules[PACKAGE] = empty
    try:
        functions = import_module(f"{PACKAGE}._ufuncs")
    except ImportError:
        functions = None
    finally:
        del sys.modules[PACKAGE]
    return functions or import_module(PACKAGE)


if TYPE_CHECKING:
    from scipy import special
else:
    special = compiled_functions()
