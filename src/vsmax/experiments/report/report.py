# SPDX-License-Identifier: Apache-2.0
"""Writes the report of a folder that `vsmax reproduce` filled: REPORT.md and plots/."""

import argparse
import os
import sys
import traceback
from pathlib import Path

try:
    import jinja2
    import style
    from results import ReportError, Results
    from template import ItemError, Template
except ModuleNotFoundError as missing:
    sys.exit(
        f"a report needs jinja2 and matplotlib, but {sys.executable} has no module "
        f"'{missing.name}'; install python3-jinja2 and python3-matplotlib (Debian), or name "
        "another Python in VSMAX_PYTHON"
    )

MISTAKES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # in an expression
DEFAULT = Path(__file__).with_name("default.report.md")


def rendered(results, path):
    """The report's text, and {name: figure} of the figures that it shows."""
    spaces = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **spaces)
    template = Template(results, path.parent)
    try:
        code = environment.from_string(path.read_text(encoding="utf-8"), template.names())
        return code.render(), template.figures
    except jinja2.TemplateSyntaxError as error:
        raise ReportError(f"{path}, line {error.lineno}: {error.message}") from error
    except ItemError:
        raise  # its message names the suite already
    except (ReportError, jinja2.TemplateError, *MISTAKES) as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((frame.lineno for frame in frames if frame.filename == "<template>"), "?")
        raise ReportError(f"{path}, line {line}: {error}") from error


def write(path, data):
    """Atomically; a file that would not change is left alone."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder of vsmax reproduce")
    parser.add_argument("--template", type=Path, default=DEFAULT, help="text of the report")
    parser.add_argument("--check", action="store_true", help="write nothing, only report errors")
    arguments = parser.parse_args()
    style.apply()
    try:
        text, figures = rendered(Results(arguments.folder), arguments.template)
        if arguments.check:
            return
        for name, figure in figures.items():
            for kind in ("svg", "png"):
                path = arguments.folder / "plots" / f"{name}.{kind}"
                write(path, style.rendered(figure, kind))
        write(arguments.folder / "REPORT.md", text.encode())
    except KeyError as error:
        sys.exit(f"report.py: {arguments.folder}: the field {error} is missing in a JSON file")
    except (ReportError, OSError, UnicodeDecodeError) as error:
        sys.exit(f"report.py: {error}")


if __name__ == "__main__":
    main()
