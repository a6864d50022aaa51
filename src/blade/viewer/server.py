"""The application: addresses to views to templates; and the server that runs it on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import uvicorn
from jinja2 import Environment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from blade.errors import BladeError, InputError, NotFound, UsageError
from blade.evidence import open_bytes_at, open_row
from blade.index.tables import Index
from blade.pages import environment as pages
from blade.renderers.html.links import task_anchor
from blade.viewer import compare_page, links, params, views
from blade.viewer.entry_page import entry_page
from blade.viewer.guard import Guard, Rules
from blade.viewer.report_page import report_page
from blade.viewer.transcript import pieces

View = Callable[[Index, views.Given], dict[str, Any]]
PAGES: dict[str, tuple[str, View]] = {
    "/": ("overview.html", views.overview),
    "/tasks": ("tasks.html", views.task_list),
    "/task": ("task.html", views.task_page),
    "/transcript": ("transcript.html", views.transcript_page),
    "/items": ("items.html", views.items),
    "/item": ("item.html", entry_page),
    "/twin": ("twin.html", compare_page.twin_page),
    "/twin-rows": ("twin_rows.html", compare_page.twin_rows),
    "/search": ("search.html", views.search_page),
    "/text": ("text.html", views.text_hits),
}
MOST_RAW = 64 << 20
"""A larger row is sent as it stands in the file, not indented."""


def application(index: Index, rules: Rules, report: Path | None = None) -> ASGIApp:
    """The viewer of one index, with the report of the same runs where it is known."""
    environment = pages.environment("blade.viewer")
    scales = {run["name"]: run["scale"] for run in index.facts["runs"]}
    environment.globals.update(
        {
            "links": links,
            "index": index,
            "runs": index.runs,
            "pieces": pieces,
            "scale": lambda run: scales.get(run, "unit"),
            "modes_of": views.modes_of,
            "labels_of": views.labels_of,
            "telling_attempt": views.telling_attempt,
            "part_name": partial(views.part_name, index),
            "has_report": report is not None,
            "task_anchor": task_anchor,
        }
    )
    routes = [Route(path, partial(_page, environment, index, *page), name=path) for path, page in PAGES.items()]
    routes += [Route("/raw", partial(_raw, index)), Route("/static/{name}", partial(_static, _assets()))]
    routes += [Route("/report", lambda _request: report_page(report))] if report is not None else []
    inner = Starlette(
        routes=routes,
        exception_handlers={BladeError: partial(_sorry, environment), 404: partial(_sorry, environment)},
    )
    return Guard(inner, rules)


def _page(environment: Environment, index: Index, template: str, view: View, request: Request) -> Response:
    values = view(index, request.query_params)
    fragment = request.headers.get("x-blade") == "fragment"
    return HTMLResponse(environment.get_template(template).render(values, path=request.url.path, fragment=fragment))


def _sorry(environment: Environment, request: Request, error: Exception) -> Response:
    del request
    shown_error = error if isinstance(error, BladeError) else NotFound("There is no such page.", "")
    status = 404 if isinstance(shown_error, NotFound) else 410 if isinstance(shown_error, InputError) else 400
    body = environment.get_template("sorry.html").render(
        message=shown_error.message, hint=shown_error.hint, path="", status=status
    )
    return HTMLResponse(body, status)


def _raw(index: Index, request: Request) -> Response:
    """The row, or one item of it, as JSON. A browser shows it as text and runs nothing of it."""
    attempt = params.attempt_asked(index, request.query_params)
    number = request.query_params.get("item", "")
    if number:
        value: Any = _item(open_row(attempt.source), int(number) if number.isdecimal() and len(number) < 9 else -1)
    elif attempt.source.length > MOST_RAW:
        return Response(open_bytes_at(attempt.source), media_type="application/json")
    else:
        value = open_row(attempt.source)
    return Response(_indented(value), media_type="application/json")


def _item(row: dict[str, Any], number: int) -> Any:
    answer = row.get("response")
    output = answer.get("output") if isinstance(answer, dict) else None
    if not isinstance(output, list) or not 0 <= number < len(output):
        raise NotFound(f"The rollout has no item {number}.", "")
    return output[number]


def _indented(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):
        import json  # noqa: PLC0415 - only for what the fast writer does not take

        return json.dumps(value, indent=2).encode()


def _assets() -> dict[str, tuple[str, str]]:
    """Every file that can be asked for by name; nothing else is ever opened for a browser."""
    from importlib.resources import files  # noqa: PLC0415 - once

    static = files("blade.viewer").joinpath("static")
    return {
        "style.css": (pages.style() + static.joinpath("viewer.css").read_text(encoding="utf-8"), "text/css"),
        "icon.svg": (static.joinpath("icon.svg").read_text(encoding="utf-8"), "image/svg+xml"),
        "theme.js": (pages.asset(pages.THEME), "text/javascript"),
        "viewer.js": (static.joinpath("viewer.js").read_text(encoding="utf-8"), "text/javascript"),
    }


def _static(assets: dict[str, tuple[str, str]], request: Request) -> Response:
    asset = assets.get(request.path_params["name"])
    if asset is None:
        raise NotFound("There is no such file.", "")
    return Response(asset[0], media_type=asset[1])


def listen(host: str, port: int | None, usual: int) -> socket.socket:
    """A socket that listens: on the port asked for, else on the usual one, else on any that is free."""
    for candidate in (port,) if port is not None else (usual, 0):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(64)
        except OSError as error:
            listener.close()
            reason = error.strerror or str(error)
        else:
            return listener
    raise UsageError(f"{host}: cannot listen there ({reason}).", "Give another --host or --port.")


def address(listening: socket.socket, host: str, token: str | None, place: str = "/") -> str:
    """What to open. Where the server listens everywhere, by the name of this machine."""
    name = socket.gethostname() if host in {"0.0.0.0", "::"} else host  # noqa: S104 - compared, not bound
    shown = f"[{name}]" if ":" in name else name
    joint = "&" if "?" in place else "?"
    return f"http://{shown}:{listening.getsockname()[1]}{place}" + (f"{joint}token={token}" if token else "")


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer until the user stops it."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, date_header=False, lifespan="off"
    )
    uvicorn.Server(config).run(sockets=[listening])
