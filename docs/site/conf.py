# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx; see build.py."""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

project = "vsmax"
author = "The vsmax authors"
copyright = "the vsmax authors, Apache-2.0"
release = re.search(r"VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1])[1]

extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinxcontrib.katex",
]
exclude_patterns = ["README.md", "generated"]  # which are only included

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

katex_prerender = True
katex_js_path = "/usr/share/javascript/katex/katex.min.js"
katex_css_path = "katex/katex.min.css"
katex_options = "{throwOnError: true, strict: 'ignore'}"

breathe_default_project = "vsmax"
breathe_show_include = False
breathe_domain_by_file_pattern = {"*/c/vsmax.h": "c"}
# A namespace that goes on in the next header, and a C struct with its typedef.
suppress_warnings = ["duplicate_declaration.c", "duplicate_declaration.cpp"]
breathe_default_members = ("members", "undoc-members")

# The package is documented without torch, which is imported only to be subclassed.
sys.path.insert(0, str(ROOT / "python"))
autodoc_mock_imports = ["numpy", "torch", "vsmax._build"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = f"vsmax {release}"
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
pygments_style = "tango"


class EquationLinks(SphinxTransform):
    """Makes "Eq. 7" a link to that equation, wherever it is cited."""

    default_priority = 400

    def apply(self, **_: object) -> None:
        for text in list(self.document.findall(nodes.Text)):
            parents = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.reference, nodes.strong,
                       nodes.title, addnodes.pending_xref)  # fmt: skip
            parent, inside = text.parent, False
            while parent is not None and not inside:
                inside, parent = isinstance(parent, parents), parent.parent
            pieces = re.split(r"(Eq\.\s\d+)", text.astext())
            if inside or len(pieces) == 1:
                continue
            text.parent.replace(text, [self.link(p) if i % 2 else nodes.Text(p) for i, p in enumerate(pieces)])

    def link(self, words: str) -> addnodes.pending_xref:
        return addnodes.pending_xref(
            "", nodes.inline("", words), refdomain="std", reftype="ref", refexplicit=True, refwarn=True,
            refdoc=self.env.docname, reftarget=f"eq-{words.split()[-1]}",
        )  # fmt: skip


def paths(app: Sphinx) -> None:
    """Everything that is made by build.py lies beside the staged pages."""
    out = Path(app.srcdir).parent
    app.config.html_static_path = [str(HERE / "static"), str(out / "static")]
    app.config.html_extra_path = [str(out / "extra")]
    projects = {"vsmax": "cpp", "vsmax-c": "c"}
    app.config.breathe_projects = {p: str(out / f"doxygen/{d}/xml") for p, d in projects.items()}


def setup(app: Sphinx) -> None:
    app.connect("config-inited", lambda app, _: paths(app), priority=100)
    app.add_css_file("site.css")
    app.add_transform(EquationLinks)
