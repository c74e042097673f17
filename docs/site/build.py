#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: Doxygen and Sphinx over the repository's own documents.

docs/site/build.py VSMAX WEB_PAGE OUT     writes OUT/html, from the root of the repository
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from stage import ROOT, Stage

KATEX = Path("/usr/share/javascript/katex")
COMMANDS = ("detect", "evaluate", "models", "synth")  # those that need no LibTorch


def public_headers() -> list[str]:
    """As listed in CMake, for Doxygen."""
    text = (ROOT / "src/vsmax/CMakeLists.txt").read_text()
    listed = re.search(r"set\(public_headers(.*?)\)", text, re.DOTALL)
    return [f"src/vsmax/{header}" for header in listed[1].split()]


def run_doxygen(out: Path, headers: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/site/Doxyfile").read_text()
    settings += f"INPUT = {' '.join(headers)}\nOUTPUT_DIRECTORY = {out}\n"
    settings += f'INPUT_FILTER = "{sys.executable} docs/site/doxygen_filter.py"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=ROOT)


def printed(*words: str) -> str:
    """What a command prints, as a block of Markdown."""
    text = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    return f"```text\n{text.strip()}\n```\n"


def help_texts(vsmax: str) -> str:
    parts = [f"## vsmax\n\n{printed(vsmax, '--help')}"]
    parts += [f"## vsmax {name}\n\n{printed(vsmax, name, '--help')}" for name in COMMANDS]
    return "\n".join(parts)


def copy_katex(folder: Path) -> None:
    """The style sheet and the fonts, in the one format that every browser of today reads."""
    (folder / "fonts").mkdir(parents=True)
    css = (KATEX / "katex.min.css").read_text()
    css = re.sub(r",url\([^)]*\.(woff|ttf)\) format\('\w+'\)", "", css)
    (folder / "katex.min.css").write_text(css)
    for font in KATEX.glob("fonts/*.woff2"):
        shutil.copy(font, folder / "fonts")


def main() -> None:
    vsmax, web_page, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    for name in ("doxygen", "source", "static", "extra"):
        shutil.rmtree(out / name, ignore_errors=True)

    headers = public_headers()
    run_doxygen(out / "doxygen/cpp", [header for header in headers if "/c/" not in header])
    run_doxygen(out / "doxygen/c", [header for header in headers if "/c/" in header])
    stage = Stage(out / "source")
    stage.documents()
    stage.write("generated/help.md", help_texts(vsmax))
    stage.write("generated/models.md", printed(vsmax, "models"))
    copy_katex(out / "static/katex")

    (out / "extra/web").mkdir(parents=True)
    shutil.copy(web_page, out / "extra/web/index.html")
    photos = sorted(map(str, Path("examples/photos").glob("*.jpg")))
    gallery = [vsmax, "detect", "--gallery", str(out / "extra/gallery"), *photos]
    subprocess.run(gallery, check=True, stdout=subprocess.DEVNULL)

    # -E, because a page does not know that what it shows of a header or docstring has changed.
    sphinx = [sys.executable, "-m", "sphinx", "-E", "-W", "--keep-going", "-q"]
    shutil.rmtree(out / "html", ignore_errors=True)
    subprocess.run(
        [*sphinx, "-d", out / "doctrees", "-c", "docs/site", out / "source", out / "html"],
        check=True,
        cwd=ROOT,
    )
    pages = len(list((out / "html").rglob("*.html")))
    size = sum(file.stat().st_size for file in (out / "html").rglob("*") if file.is_file())
    print(f"{out / 'html/index.html'}: {pages} pages, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
