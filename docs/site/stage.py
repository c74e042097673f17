# SPDX-License-Identifier: Apache-2.0
"""Copies the documents into one tree for Sphinx, where they keep the paths of the repository.

Links become absolute, so that a page can include a part of another one. A link to a source file
leads to a page that shows it, one to a folder to a list of its files.
"""

import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = Path("docs/site")
DOCUMENTS = [
    *(Path(name) for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(Path(f"{name}/README.md") for name in ("examples/photos", "results/temperature")),
    *(path.relative_to(ROOT) for path in sorted(ROOT.glob("results/*/REPORT.md"))),
    *(path.relative_to(ROOT) for path in sorted(ROOT.glob("docs/*.md"))),
    *(path.relative_to(ROOT) for path in sorted(ROOT.glob("docs/site/**/*.md"))),
    *(path.relative_to(ROOT) for path in sorted(ROOT.glob("models/*.md"))),
]
FENCE = re.compile(r"^(```.*?^```)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
EQUATION_LINK = re.compile(r"\[(Eq\. (\d+))\]\([^)]*math\.md\)")
EQUATION = re.compile(r"^(?=\*\*Eq\. (\d+), )", re.MULTILINE)
IMAGES = {".png", ".jpg", ".svg"}
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".c": "c", ".py": "python", ".yaml": "yaml",
             ".cff": "yaml", ".sh": "sh", ".cmake": "cmake", ".txt": "cmake"}  # fmt: skip
README_SECTIONS = {  # where the site shows them
    "why-another-hough-transform": "/why.md",
    "finding-lines": "/engineer/command-line.md",
    "c": "/engineer/cpp.md",
    "python": "/python/index.md",
    "accuracy": "/researcher/evaluate.md",
    "speed": "/researcher/evaluate.md",
    "training": "/researcher/train.md",
}
TITLES = {"models": "Model cards", "configs": "Training configurations"}  # of the folders
ORPHAN = "---\norphan: true\n---\n\n"  # in no table of contents
LARGEST_SHOWN = 100_000  # bytes; larger files are offered as a download


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages: dict[str, str] = {}  # generated ones, by name

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def target(self, path: Path) -> str:
        """The address within the tree of a file or folder of the repository."""
        source = ROOT / path
        if not source.exists():
            raise SystemExit(f"docs: a document links to {path}, which does not exist")
        if path == Path("README.md"):
            return "/index.md"
        if path in DOCUMENTS:
            return "/" + str(path.relative_to(SITE) if path.is_relative_to(SITE) else path)
        if source.is_dir():
            if path / "README.md" in DOCUMENTS:
                return f"/{path}/README.md"
            self.pages.setdefault(f"{path}/index.md", self.list_of(path))
            return f"/{path}/index.md"
        if path.suffix in IMAGES or source.stat().st_size > LARGEST_SHOWN:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.folder / path)
            return f"/{path}"
        language = LANGUAGES.get(path.suffix, "text")
        text = source.read_text().rstrip()
        self.pages[f"source/{path}.md"] = (
            f"{ORPHAN}# {path}\n\n`````{{code-block}} {language}\n{text}\n`````\n"
        )
        return f"/source/{path}.md"

    def list_of(self, folder: Path) -> str:
        """A page with the files of a folder and how each begins."""
        rows, names = [], []
        for path in sorted((ROOT / folder).iterdir()):
            if path.suffix not in {".md", ".yaml"}:
                continue
            paragraphs = path.read_text().split("\n\n")
            about = paragraphs[1] if path.suffix == ".md" else comment_of(paragraphs[0])
            beginning = " ".join(re.split(r"(?<=\.) ", " ".join(about.split()))[:2])
            name = path.stem if path.suffix == ".md" else path.name
            target = self.target(folder / path.name)
            rows.append(f"| [{name}]({target}) | {beginning} |")
            names.append(f"{name} <{target.removesuffix('.md')}>")
        table = "\n".join(["| | |", "|---|---|", *rows])
        contents = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
        return f"# {TITLES[str(folder)]}\n\n{table}\n\n{contents}\n"

    def rewrite(self, document: Path, text: str) -> str:
        def absolute(match: re.Match[str]) -> str:
            link, _, anchor = match[1].partition("#")
            if not link or ":" in link or link.startswith("/"):
                return match[0]
            path = Path(os.path.normpath(document.parent / link))
            if path == Path("README.md") and anchor in README_SECTIONS:
                return f"]({README_SECTIONS[anchor]})"
            return f"]({self.target(path)}{'#' + anchor if anchor else ''})"

        parts = FENCE.split(text)
        for i in range(0, len(parts), 2):
            parts[i] = LINK.sub(absolute, EQUATION_LINK.sub(r"[\1](#eq-\2)", parts[i]))
        text = "".join(parts)
        return EQUATION.sub(r"(eq-\1)=\n", text) if document.name == "math.md" else text

    def documents(self) -> None:
        for folder in TITLES:
            self.target(Path(folder))
        for document in DOCUMENTS:
            text = self.rewrite(document, (ROOT / document).read_text())
            at_root = document.is_relative_to(SITE)
            self.write(str(document.relative_to(SITE) if at_root else document), text)
        for name, text in self.pages.items():
            self.write(name, text)


def comment_of(paragraph: str) -> str:
    lines = [line.lstrip("# ") for line in paragraph.splitlines() if line.startswith("#")]
    return " ".join(line for line in lines if not line.startswith("SPDX"))
