"""BLADE reads finished evaluation runs and says why the score changed and what to fix."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blade.version import __version__

__all__ = [
    "Analysis",
    "BladeError",
    "Options",
    "Report",
    "Run",
    "__version__",
    "analyze",
    "analyze_runs",
    "check",
    "compare_paths",
    "compare_runs",
    "draw",
    "follow",
    "read",
    "render",
    "render_change",
    "report",
    "summarize",
    "workbench",
    "write",
]

_PLACES = {
    "Analysis": "blade.model",
    "BladeError": "blade.errors",
    "Options": "blade.options",
    "Report": "blade.document",
    "Run": "blade.counting.run",
    "analyze": "blade.api",
    "analyze_runs": "blade.api",
    "check": "blade.toolkit",
    "compare_paths": "blade.api",
    "compare_runs": "blade.api",
    "draw": "blade.api",
    "follow": "blade.overview",
    "read": "blade.api",
    "render": "blade.api",
    "render_change": "blade.api",
    "report": "blade.api",
    "summarize": "blade.overview",
    "workbench": "blade.queries.workbench",
    "write": "blade.api",
}

if TYPE_CHECKING:
    from blade.api import (
        analyze,
        analyze_runs,
        compare_paths,
        compare_runs,
        draw,
        read,
        render,
        render_change,
        report,
        write,
    )
    from blade.counting.run import Run
    from blade.document import Report
    from blade.errors import BladeError
    from blade.model import Analysis
    from blade.options import Options
    from blade.overview import follow, summarize
    from blade.queries.workbench import workbench
    from blade.toolkit import check


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `import blade` stays light."""
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'blade' has no attribute '{name}'")
