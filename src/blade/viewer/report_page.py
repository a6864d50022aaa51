"""The report of the same runs inside the viewer: its links to transcripts stay here, whatever the port is."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import HTMLResponse, Response

from blade.errors import NotFound, UsageError
from blade.renderers.html import page_policy
from blade.renderers.html.links import VIEWER

FILE = "report.html"


def report_file(place: Path) -> Path:
    """The page that a folder of `blade analyze` holds, or the page itself."""
    path = place / FILE if place.is_dir() else place
    if not path.is_file() or path.suffix != ".html":
        raise UsageError(f"{path}: there is no report.", f"Give the folder that `blade analyze` wrote, with {FILE}.")
    return path


def report_page(path: Path) -> Response:
    """The page as it is on disk now. It may run this version's own script and nothing else."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NotFound(f"{path.name} cannot be read ({error.strerror}).", "Run blade analyze again.") from None
    policy = f"{page_policy()}; frame-ancestors 'none'"
    return HTMLResponse(text.replace(f'href="{VIEWER}/', 'href="/'), headers={"Content-Security-Policy": policy})
