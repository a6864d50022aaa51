"""Blade view: the local web viewer."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import click

from blade.cli.progress import reading
from blade.cli.reading_options import as_options, caching, comparing, running, scoring
from blade.errors import UsageError
from blade.pages import VIEWER_PORT as PORT


@click.command("view")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; other than this machine asks for a token."
)
@click.option("--port", type=click.IntRange(0, 65535), help=f"Which port (default: {PORT}, or a free one).")
@click.option("--token", "with_token", is_flag=True, help="Ask for a token on this machine, too (others may share it).")
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer to this host name, too (behind a tunnel).")
@click.option("--open/--no-open", "open_page", default=False, help="Open the page in a browser.")
@click.option("--baseline", metavar="NAME", help="The run that others are compared with (default: the first).")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The report of these runs (what `blade analyze` wrote): shown here, with links both ways.",
)
@click.option("--task", metavar="TASK", help="Begin at this task.")
@click.option("--run", metavar="NAME", help="With --task: begin at an attempt of this run (default: the first).")
@click.option("--attempt", type=click.IntRange(min=0), help="With --task: begin at this attempt (default: 0).")
@scoring
@caching
@running
@comparing
def command(
    paths: tuple[str, ...],
    host: str,
    port: int | None,
    with_token: bool,
    allow_host: tuple[str, ...],
    open_page: bool,
    report: Path | None,
    task: str | None,
    run: str | None,
    attempt: int | None,
    **reading_options: Any,
) -> None:
    """Open runs in a browser: the verdict, the tasks, every transcript with its findings, twins, search.

    PATH is what `blade analyze` takes. The server listens on this machine only; elsewhere it asks for a random token.
    """
    try:
        from blade.index import open_index  # noqa: PLC0415 - heavy: only when the command runs
        from blade.viewer import server  # noqa: PLC0415 - as above
        from blade.viewer.guard import is_loopback, rules_for  # noqa: PLC0415 - as above
        from blade.viewer.params import first_page  # noqa: PLC0415 - as above
        from blade.viewer.report_page import report_file  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        if error.name not in {"starlette", "uvicorn"}:
            raise
        hint = "Install it with: pip install 'blade-engine[view]'"
        raise UsageError(f"The viewer needs the package '{error.name}', which is not installed.", hint) from None
    options = as_options(reading_options)
    page = report_file(report) if report is not None else None
    listening = server.listen(host, port, PORT)
    with reading(paths) as progress:
        index = open_index.open_index(paths, options, progress)
    token = secrets.token_urlsafe(24) if with_token or not is_loopback(host) else None
    place = first_page(index, task, run, attempt)
    address = server.address(listening, host, token, place)
    click.echo(address)
    click.echo("stop with Ctrl-C", err=True)
    if open_page:
        click.launch(address)
    server.serve(server.application(index, rules_for(host, token, allow_host), page), listening)
