"""The engines there are, by name."""

from __future__ import annotations

from contextlib import AbstractContextManager

from blade.engine.files import Engine
from blade.engine.local import Local
from blade.errors import UsageError
from blade.options import Options

NAMES = ("local", "ray")


def open_engine(options: Options) -> AbstractContextManager[Engine]:
    """The engine that the options name, as a context that ends what it started."""
    if options.engine == "local":
        return Local(options.workers)
    if options.engine == "ray":
        from blade.engine.on_ray import OnRay  # noqa: PLC0415 - an extra

        return OnRay(options.ray_address, options.workers)
    raise UsageError(f"No engine is named '{options.engine}'.", f"There are: {', '.join(NAMES)}.")
