#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: links and anchors lead somewhere, nothing is loaded from elsewhere, and
every page fits a phone.

tests/docs/site_test.py build/docs/html
"""

import re
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "web"))
from browser import Browser

SITE = Path(sys.argv.pop(1)).resolve()
WIDTHS = (360, 1280)
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("img", "srcset"), ("iframe", "src"),
          ("source", "src"), ("video", "src"), ("object", "data"), ("embed", "src")}  # fmt: skip

# What sticks out of the window without a frame of its own to scroll in.
STICKS_OUT = """[...document.querySelectorAll('article *')].filter((e) => {
  if (e.closest('.katex-mathml') || e.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let a = e.parentElement; a.tagName !== 'ARTICLE'; a = a.parentElement)
    if (getComputedStyle(a).overflowX !== 'visible') return false;
  return true;
}).map((e) => `${e.tagName} ${e.textContent.trim().slice(0, 40)}`)"""


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value)

    def target(self, link: str) -> tuple[Path, str]:
        parts = urlsplit(link)
        path = (self.path.parent / unquote(parts.path)).resolve() if parts.path else self.path
        return path, unquote(parts.fragment)


PAGES = {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def is_elsewhere(address: str) -> bool:
    return bool(re.match(r"(\w+:)?//", address))


class Site(unittest.TestCase):
    def test_there_are_pages(self):
        for name in ("index", "docs/math", "api/cpp", "api/c", "api/python", "web/index",
                     "results/paper/REPORT", "models/horizon", "gallery/index"):  # fmt: skip
            self.assertIn(SITE / f"{name}.html", PAGES)

    def test_links_and_anchors_lead_somewhere(self):
        count = 0
        for page in PAGES.values():
            for link in page.links + page.loaded:
                if is_elsewhere(link) or link.startswith(("data:", "mailto:", "javascript:")):
                    continue
                count += 1
                path, anchor = page.target(link)
                with self.subTest(page=str(page.path.relative_to(SITE)), link=link):
                    self.assertTrue(path.is_relative_to(SITE), "leaves the site")
                    self.assertTrue(path.is_file(), "no such file")
                    if anchor and path in PAGES:
                        self.assertIn(anchor, PAGES[path].anchors)
        print(f"{len(PAGES)} pages, {count} links within the site")

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in PAGES.values():
            self.assertEqual([a for a in page.loaded if is_elsewhere(a)], [], page.path)
        for path in SITE.rglob("*.css"):
            found = re.findall(r"(?:url\(|@import)\s*[\"']?((?:\w+:)?//[^\"')]+)", path.read_text())
            self.assertEqual(found, [], path)

    def test_no_markup_is_left(self):
        code = re.compile(r"<(script|style|pre|code|annotation)\b.*?</\1>", re.DOTALL)
        for path in PAGES:
            if path.parent.name not in ("web", "gallery"):
                text = re.sub(r"<[^>]*>", "", code.sub("", path.read_text()))
                left = re.search(r"\]\((http|\S*\.\w+\))|```|:\w+:`|:start-after:", text)
                self.assertIsNone(left, path)

    def test_equations_are_drawn_and_cited(self):
        equations = PAGES[SITE / "docs/math.html"]
        text = equations.path.read_text()
        self.assertGreater(text.count('class="katex-display"'), 10)
        self.assertNotIn("$", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
        self.assertLessEqual({f"eq-{n}" for n in range(1, 64)}, equations.anchors)
        cited = [link for link in PAGES[SITE / "api/cpp.html"].links if "#eq-" in link]
        self.assertTrue(cited)

    def test_functions_are_documented(self):
        for page, names in (
            (
                "api/cpp",
                ("LineRecoverer", "by falling confidence; empty if the image has no contrast"),
            ),
            ("api/c", ("vsmax_recover_file", "out of memory", "reads the one line that explains")),
            (
                "api/python",
                ("SoftArgmax(cover: str", "The lines in an image, the most certain first"),
            ),
        ):
            text = re.sub(r"<[^>]*>", "", (SITE / f"{page}.html").read_text())
            for name in names:
                self.assertIn(name, text)
        self.assertNotIn("state_", (SITE / "api/cpp.html").read_text())

    def test_pages_fit_and_request_nothing(self):
        with Browser() as browser:
            for width in WIDTHS:
                for path in PAGES:
                    with self.subTest(page=str(path.relative_to(SITE)), width=width):
                        browser.open(path.as_uri(), width)
                        browser.wait_for(f"document.readyState == 'complete' && "
                                         f"location.href == '{path.as_uri()}'")  # fmt: skip
                        wide = browser.evaluate("document.documentElement.scrollWidth")
                        self.assertLessEqual(wide, width)
                        self.assertEqual(browser.evaluate(STICKS_OUT), [])
            browser.open(f"{(SITE / 'search.html').as_uri()}?q=confidence")
            browser.wait_for("document.querySelectorAll('#search-results li').length > 5")
            local = ("file:", "data:", "blob:", "about:")
            self.assertEqual([a for a in browser.requested() if not a.startswith(local)], [])
            self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
