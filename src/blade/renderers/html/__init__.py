"""HTML: report.html, one page that needs nothing beside it: views, pictures, quotes and the places they stand at.

It is made from the same report as the Markdown: every section stands in one of the views below, and what a view adds
(the trust panel, the task matrix, the transcripts) comes from the same analysis.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from blade.document import WIDEST, Report
from blade.model import Analysis
from blade.pages.environment import THEME, asset, environment, style
from blade.quoted_evidence import Exhibits
from blade.renderers.html.blocks import Sections, drawing, kind
from blade.renderers.html.claims import checked_claims
from blade.renderers.html.funnel_drops import funnel_drops
from blade.renderers.html.health_checks import findings_of_checks, health_checks
from blade.renderers.html.ledger import ledgers
from blade.renderers.html.links import Links, distinct
from blade.renderers.html.matrix import matrix, once
from blade.renderers.html.modes import cards
from blade.renderers.html.trust import SIGNS, trust
from blade.renderers.html.verdict import verdict
from blade.renderers.html.without_suspects import without_suspects
from blade.short_report import first_screen
from blade.summary.change_words import worth
from blade.version import __version__

EXTENSION = "html"
_LEAD = re.compile(r"(<li>\s*)((?:Broken|In doubt|Score|Trend|Difference|Failures|Next \([a-z]+\)):)")
VIEWS = (
    ("verdict", "Verdict", ("executive_summary", "checkpoint_series", "aggregate_results")),
    ("ledger", "Ledger", ("score_change",)),
    ("tasks", "Tasks", ("failing_tasks", "task_outcome_buckets", "slices", "cross_model_comparison")),
    ("funnel", "Funnel", ("workflow_funnel",)),
    ("modes", "Failure modes", ("dominant_failure_modes",)),
    ("fixes", "What to fix", ("recommendations",)),
    ("twins", "Twins", ("sometimes_pass_deep_dives", "never_pass_deep_dives")),
    ("health", "Benchmark health", ("benchmark_health", "denominator")),
    ("method", "Method and evidence", ("artifact_inventory", "reproducibility_notes")),
)
"""View → its title and the sections that stand in it; a section that no view knows stands in the last.

A view that would only say that it is empty is left out, from the navigation too."""


def render(report: Report) -> str:
    """The worded report alone as a page: its sections in order, without the views that need the analysis."""
    sections = Sections(report, Links())
    return _page("plain.html", report=report, sections=sections, links=Links(), names=[])


def page(report: Report, analysis: Analysis, document: Mapping[str, Any], exhibits: Exhibits) -> str:
    """The whole report: the views, the sections inside them, and the evidence they lead to."""
    links = Links(analysis, exhibits)
    sections = Sections(report, links)
    claims = checked_claims(report, document, links)
    comparisons = ledgers(analysis, links)
    contents = {"ledger": comparisons, "funnel": (), "fixes": analysis.interventions, "twins": exhibits.pairs}
    views = [view for view in _views(report) if view[2] or view[0] not in contents or contents[view[0]]]
    return _page(
        "report.html",
        report=report,
        analysis=analysis,
        first=first_screen(report, [run.name for run in analysis.runs], [task.task for task in analysis.tasks]),
        summary_title=report.sections[0].title if report.sections else "",
        names=[run.name for run in analysis.runs],
        scale=analysis.runs[0].scale if analysis.runs else "unit",
        views=views,
        sections=sections,
        links=links,
        exhibits=exhibits,
        verdicts=verdict(analysis),
        checks=trust(analysis),
        comparisons=comparisons,
        matrix=matrix(analysis, links),
        drawn=once(),
        cards=cards(analysis, links),
        excluded=without_suspects(analysis),
        health_checks=health_checks(analysis),
        findings_of_checks=findings_of_checks(analysis),
        funnel_drops=funnel_drops(analysis, links),
        claims=claims,
        paths=_paths(analysis),
    )


def _paths(analysis: Analysis) -> dict[str, str]:
    """Run → how a command names it again: its name and the folder or file that its rollouts stand in."""
    run_arguments = {}
    for run in analysis.runs:
        rollouts = [file.path for file in run.files if file.kind == "gym_rollouts"]
        place = rollouts[0] if len(rollouts) == 1 else rollouts[0].parent if rollouts else Path()
        run_arguments[run.name] = shlex.quote(f"{run.name}={place}")
    return run_arguments


def _views(report: Report) -> list[tuple[str, str, list[str]]]:
    section_names = [section.name for section in report.sections]
    placed_names = {name for _, _, names in VIEWS for name in names}
    views = [(view, title, [name for name in names if name in section_names]) for view, title, names in VIEWS]
    views[-1][2].extend(name for name in section_names if name not in placed_names)
    return views


def _page(template: str, **values: Any) -> str:
    """The page with its style and its script inside, and a policy that allows those two and nothing else."""
    css, script = _style_and_script()
    assets = {"css_markup": Markup(css), "script_markup": Markup(script)}  # noqa: S704 - files of this package
    page_values = {**assets, "policy": page_policy(), "version": __version__}
    return _environment().get_template(template).render(**page_values, **values)


def page_policy() -> str:
    """What a browser may do with a page of this version: its own style and script, pictures inside it, nothing else."""
    css, script = _style_and_script()
    return (
        f"default-src 'none'; style-src '{_digest(css)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _style_and_script() -> tuple[str, str]:
    return style() + _asset_text("report.css"), asset(THEME) + _asset_text("report.js")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset_text(name: str) -> str:
    return files("blade.renderers.html").joinpath(name).read_text(encoding="utf-8")


def _with_leads(claims: Markup) -> Markup:
    """The claims of the first screen with the question that each answers in bold; all of it was escaped before."""
    return Markup(_LEAD.sub(r"\1<strong>\2</strong>", str(claims)))  # noqa: S704 - markup of this page's own template


@cache
def _environment() -> Environment:
    template_environment = environment("blade.renderers.html")
    template_environment.filters["shown_of"] = lambda entry, links: links.exhibits.of(entry)
    template_environment.filters["distinct"] = distinct
    template_environment.filters["with_leads"] = _with_leads
    template_environment.globals.update(
        {"kind": kind, "drawing": drawing, "signs": SIGNS, "worth": worth, "widest": WIDEST}
    )
    return template_environment
