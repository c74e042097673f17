# SPDX-License-Identifier: Apache-2.0
"""Makes the notebook of an example: its cells begin at the lines "# %% text", its picture follows.

python tools/make_notebook.py examples/readout_swap.py PICTURE
"""

import ast
import base64
import json
import sys
from pathlib import Path


def cells_of(script: str) -> list[tuple[str, str]]:
    """(text, code) of each cell; the docstring is the first one's text."""
    docstring = ast.get_docstring(ast.parse(script)) or ""
    body = script.split('"""', 2)[2].split('\nif __name__ == "__main__":')[0]
    body = body.replace('\nimport matplotlib\n\nmatplotlib.use("Agg")', "")
    first, *rest = body.split("\n# %% ")
    cells = [(docstring.split("\n\n    python")[0], first.strip())]
    for part in rest:
        text, code = part.split("\n", 1)
        cells.append((text, code.strip()))
    return cells


def notebook(script: str, name: str, picture: bytes) -> dict:
    cells = []
    for text, code in cells_of(script):
        title, _, more = text.partition("\n\n")
        shown = f"# {title}\n\n{more}" if more else title
        cells.append({"cell_type": "markdown", "metadata": {}, "source": shown})
        cells.append(code_cell(code))
    cells.append(code_cell("torch.manual_seed(0)\nmain()"))
    output = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": base64.b64encode(picture).decode()},
    }
    show = f'from IPython.display import Image\n\nImage("{name}.png")'
    cells.append(code_cell(show, [output]))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def code_cell(code: str, outputs: list | None = None) -> dict:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs or [],
        "source": code,
    }


if __name__ == "__main__":
    path = Path(sys.argv[1])
    made = notebook(path.read_text(encoding="utf-8"), path.stem, Path(sys.argv[2]).read_bytes())
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".ipynb").write_text(text, encoding="utf-8")
