# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a folder that `vsmax reproduce` wrote, and fills the tables of its report.

draw.py DIR            writes DIR/plots/ITEM.svg and .png and the blocks of DIR/REPORT.md
draw.py --check DIR    writes nothing, and names the first of them that would change
"""

import argparse
import contextlib
import os
import sys
import tempfile

try:
    import claims
    import fig_boundary
    import fig_end_to_end
    import fig_generalisation
    import fig_noise
    import fig_rht_sweep
    import fig_theta
    import report
    import runs_table
    import style
    import table_choices
    import table_generalisation
    import table_main
    from results import Results, ResultsError
except ModuleNotFoundError as error:
    sys.exit(
        f"draw.py: {sys.executable} has no module '{error.name}'; Debian's python3-matplotlib "
        "belongs to /usr/bin/python3"
    )

ITEMS = (
    table_main,
    fig_boundary,
    fig_theta,
    fig_noise,
    fig_end_to_end,
    fig_generalisation,
    table_generalisation,
    fig_rht_sweep,
    table_choices,
)


def plots_and_blocks(results):
    """{name: figure} and {name: Markdown} of all items."""
    plots = {}
    blocks = {}
    modules = {module.ITEM: module for module in ITEMS}
    for name in results.items:
        if name not in modules:
            raise ResultsError(
                f"{results.folder / 'items' / name}.json: there is no item '{name}'; the items are "
                f"{', '.join(modules)}"
            )
    for name, module in modules.items():
        if name not in results.items:
            command = f"`vsmax reproduce {name} --out {results.folder.name}`"
            blocks.update(dict.fromkeys(module.BLOCKS, f"Not yet run: {command}."))
            continue
        with complaints_about(results.folder / "items" / f"{name}.json"):
            plots.update(module.plots(results.items[name], results))
            blocks.update(module.blocks(results.items[name], results))
    with complaints_about(results.folder):
        blocks[runs_table.STATUS] = runs_table.status(results, modules)
        blocks.update(claims.blocks(results))
    with complaints_about(results.folder / "runs"):
        blocks[runs_table.RUNS] = runs_table.runs(results)
    return plots, blocks


@contextlib.contextmanager
def complaints_about(path):
    """JSON of another form than expected becomes a sentence that names the file."""
    try:
        yield
    except KeyError as error:
        raise ResultsError(f"{path}: the field {error} is missing") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise ResultsError(f"{path}: has not the form of a result ({error})") from error


def outputs(results):
    """All files to be written, {path: bytes}, the report last."""
    plots, blocks = plots_and_blocks(results)
    files = {}
    for name, figure in plots.items():
        for kind in ("svg", "png"):
            files[results.folder / "plots" / f"{name}.{kind}"] = style.rendered(figure, kind)
    path = results.folder / "REPORT.md"
    source = path if path.exists() else report.TEMPLATE
    files[path] = report.filled(source.read_text(encoding="utf-8"), blocks, source).encode()
    return files


def write(path, data):
    """Beside its target, synced and renamed; a file that is the same already is left alone."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def check(files):
    """Raises for the first file that is not what it would be."""
    for path, data in files.items():
        if not path.exists():
            raise ResultsError(f"{path}: is missing")
        old = path.read_bytes()
        if old == data:
            continue
        if path.suffix == ".md":
            block = report.changed_block(old.decode(), data.decode())
            raise ResultsError(f"{path}: the block '{block}' would change")
        raise ResultsError(f"{path}: would change")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="DIR", help="what vsmax reproduce wrote")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, name what would change"
    )
    arguments = parser.parse_args()
    style.apply()
    try:
        files = outputs(Results(arguments.folder))
        if arguments.check:
            check(files)
        else:
            for path, data in files.items():
                write(path, data)
    except (ResultsError, OSError, UnicodeDecodeError) as error:
        sys.exit(f"draw.py: {error}")


if __name__ == "__main__":
    main()
