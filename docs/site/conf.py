# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx; see build.py."""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import inspect

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]

project = "vsmax"
author = "The vsmax authors"
copyright = "the vsmax authors, Apache-2.0"
release = re.search(r"project\(vsmax VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

extensions = [
    "breathe",
    "equations",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
]
exclude_patterns = ["README.md", "generated"]  # which are only included

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

html_math_renderer = "katex_lines"

breathe_default_project = "vsmax"
breathe_show_include = False
breathe_domain_by_file_pattern = {"*/c/vsmax.h": "c"}
# A namespace that goes on in the next header, and a C struct with its typedef.
suppress_warnings = ["duplicate_declaration.c", "duplicate_declaration.cpp"]
breathe_default_members = ("members", "undoc-members")

# The package is documented without torch, which is imported only to be subclassed, and without its
# operators.
autodoc_mock_imports = ["numpy", "torch", "vsmax._build", "vsmax._library"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = f"vsmax {release}"
html_copy_source = False
html_show_search_summary = False  # which pages opened as files could not fetch
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
pygments_style = "tango"


def paths(app: Sphinx) -> None:
    """Everything that is made by build.py lies beside the staged pages."""
    out = Path(app.srcdir).parent
    app.config.html_static_path = [str(HERE / "static"), str(out / "static")]
    app.config.html_extra_path = [str(out / "extra")]
    projects = {"vsmax": "cpp", "vsmax-c": "c"}
    app.config.breathe_projects = {p: str(out / f"doxygen/{d}/xml") for p, d in projects.items()}


def own_signature(_app, _what, _name, obj, _options, signature, returns):
    """Of a class's own constructor; autodoc shows that of its imitated base, torch's Module."""
    if signature is None or not re.fullmatch(r"\(\*args\b.*\*\*kwargs\b.*\)", signature):
        return None
    if "__init__" not in vars(obj):
        return "()", returns
    own = inspect.signature(obj.__init__, bound_method=True)
    return inspect.stringify_signature(own, show_return_annotation=False), returns


def setup(app: Sphinx) -> None:
    app.connect("config-inited", lambda app, _: paths(app), priority=100)
    app.connect("autodoc-process-signature", own_signature)
    app.add_css_file("site.css")
