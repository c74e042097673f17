# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: formulas by KaTeX, drawn when the site is built, and links to equations."""

import functools
import json
import re
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

NOT_PROSE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.reference, nodes.strong,
             nodes.title, addnodes.pending_xref)  # fmt: skip


@functools.cache
def katex() -> subprocess.Popen[str]:
    script = Path(__file__).with_name("katex_lines.js")
    pipe = subprocess.PIPE
    return subprocess.Popen(["node", script], stdin=pipe, stdout=pipe, text=True)


@functools.cache
def rendered(formula: str, display: bool) -> str:
    process = katex()
    process.stdin.write(json.dumps({"formula": formula, "displayMode": display}) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise ExtensionError(f"KaTeX cannot draw {formula}")
    return json.loads(answer)


def visit_inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(f'<span class="math">{rendered(node.astext(), False)}</span>')
    raise nodes.SkipNode


def visit_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{rendered(node.astext(), True)}</div>\n')
    raise nodes.SkipNode


def finish(_app: Sphinx, _error: Exception | None) -> None:
    if katex.cache_info().currsize:
        katex().stdin.close()
        katex().wait()


class EquationLinks(SphinxTransform):
    """Makes "Eq. 7" a link to that equation, wherever it is cited."""

    default_priority = 400

    def apply(self, **_: object) -> None:
        for text in list(self.document.findall(nodes.Text)):
            pieces = re.split(r"(Eq\.\s\d+)", text.astext())
            if len(pieces) == 1 or self.is_inside(text, NOT_PROSE):
                continue
            links = [self.link(p) if i % 2 else nodes.Text(p) for i, p in enumerate(pieces)]
            text.parent.replace(text, links)

    def is_inside(self, node: nodes.Node, kinds: tuple[type, ...]) -> bool:
        while (node := node.parent) is not None:
            if isinstance(node, kinds):
                return True
        return False

    def link(self, words: str) -> addnodes.pending_xref:
        return addnodes.pending_xref(
            "", nodes.inline("", words), refdomain="std", reftype="ref", refexplicit=True,
            refwarn=True, refdoc=self.env.docname, reftarget=f"eq-{words.split()[-1]}",
        )  # fmt: skip


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("katex_lines", (visit_inline, None), (visit_block, None))
    app.add_css_file("katex/katex.min.css")
    app.add_transform(EquationLinks)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
