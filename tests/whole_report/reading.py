"""A written report as a reader takes it: its sections, tables, cards, pictures and lines on the screen."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from blade.model import Analysis

GAIN, LOSS = "#00695c", "#bf360c"
"""The colours of a pass and of a failure on a light page."""


@dataclass(frozen=True, slots=True)
class Told:
    """One scenario as it was written: Markdown, HTML, the summary on the screen, and the pictures by name."""

    analysis: Analysis
    markdown: str
    page: str
    screen: str
    pictures: dict[str, str]

    def section(self, title: str) -> str:
        """The Markdown below a heading of a section."""
        parts = re.split(r"^## (.+)$", self.markdown, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2], strict=True))[title]

    def bullets(self, title: str) -> list[str]:
        """The items of a section, without the links to what proves them and to the glossary."""
        section = re.sub(r"\[([^\]]*)\]\(#glossary\)", r"\1", self.section(title))
        items = (line[2:] for line in section.splitlines() if line.startswith("- "))
        return [re.sub(r" \(see \[[^\]]*\]\([^)]*\)\)$", "", item) for item in items]

    def bullet(self, title: str, start: str) -> str:
        """The item of a section that begins so."""
        return next(item for item in self.bullets(title) if item.startswith(start))

    def row(self, title: str, first: str, *, nth: int = 0) -> list[str]:
        """The cells behind a first cell, in the tables of a section."""
        lines = [line for line in self.section(title).splitlines() if line.startswith(f"| {first} |")]
        return [cell.strip() for cell in lines[nth].strip("| ").split("|")][1:]

    def rows(self, title: str, first: str) -> int:
        return sum(line.startswith(f"| {first} |") for line in self.section(title).splitlines())

    @property
    def text(self) -> str:
        """The page without its markup."""
        bare = re.sub(r"<(svg|style|script)\b.*?</\1>", " ", self.page, flags=re.DOTALL)
        return " ".join(html.unescape(re.sub(r"<[^>]+>", "", bare)).split())

    @property
    def answer(self) -> dict[str, str]:
        """The card at the top of the page: its classes, its headline, its verdict and its scores."""
        found = re.search(
            r'<div class="card answer ([^"]+)">.*?<p class="headline">(.*?)</p>\s*<p><strong>(.*?)</strong>(.*?)</p>'
            r'\s*<p class="soft">(.*?)</p>',
            self.page,
            flags=re.DOTALL,
        )
        assert found is not None
        words = [html.unescape(re.sub("</?abbr[^>]*>", "", group)) for group in found.groups()]
        return dict(zip(("classes", "headline", "verdict", "rest", "scores"), words, strict=True))

    def check(self, name: str) -> tuple[str, str, str]:
        """A line of the trust panel: its state, its sign and its words."""
        found = re.search(
            rf'<tr class="state-(\w+)" id="check-{name}">.*?aria-hidden="true">(.)<.*?</th><td>(.*?)</td>',
            self.page,
            flags=re.DOTALL,
        )
        assert found is not None
        return found[1], found[2], html.unescape(found[3])

    def parts(self) -> list[tuple[str, str, str]]:
        """The parts of the ledger on the page: which way, how many points, which words."""
        found = re.findall(
            r'<details class="part (way-\w+(?: pale)?)"><summary><span class="points">(.*?)</span> (.*?)\n', self.page
        )
        return [(way, points, html.unescape(words)) for way, points, words in found]

    def matrix(self, task: str) -> tuple[str, list[str], list[str]]:
        """A line of the task matrix: which way the task went, the outcomes of all attempts, and the results."""
        found = re.search(rf'<tr id="task-{task}" data-change="(\w+)".*?</tr>', self.page, flags=re.DOTALL)
        assert found is not None
        outcomes = re.findall(r'class="cell outcome-(\w+)"', found[0])
        return found[1], outcomes, re.findall(r'class="soft result">(.*?)<', found[0])

    def bars(self) -> dict[str, str]:
        """The bars of the waterfall: their words and their colours."""
        found = re.findall(
            r'aria-label="([^"]+), open its tasks"><rect [^>]*?fill="([^"]+)"', self.pictures["waterfall"]
        )
        return {html.unescape(words): colour for words, colour in found}

    def line(self, start: str) -> str:
        """The line on the screen that begins so, with what it was folded to."""
        lines = self.screen.splitlines()
        return next(" ".join(line.split()) for line in lines if line.startswith(start))
