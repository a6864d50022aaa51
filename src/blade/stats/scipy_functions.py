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
BEHIND = "scipy.linalg"
"""Newer versions take compiled parts of this package, too; its own modules are not needed."""


def compiled_functions() -> ModuleType:
    """The module with the functions; the whole package if it is loaded already or has no such module."""
    places = {name: _places(name) for name in (PACKAGE, BEHIND) if name not in sys.modules}
    if not places.get(PACKAGE):
        return import_module(PACKAGE)
    empty = {name: _empty(name, folders) for name, folders in places.items() if folders}
    sys.modules |= empty
    try:
        functions = import_module(f"{PACKAGE}._ufuncs")
    except ImportError:
        functions = None
    finally:
        for name in empty:
            del sys.modules[name]
    return functions or import_module(PACKAGE)


def _places(package: str) -> list[str]:
    """The folders of a package; none where it cannot be found."""
    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []


def _empty(package: str, folders: list[str]) -> ModuleType:
    """A package that holds nothing and leads to its modules."""
    module = ModuleType(package)
    module.__path__ = folders
    return module


if TYPE_CHECKING:
    from scipy import special
else:
    special = compiled_functions()
