# SPDX-License-Identifier: Apache-2.0
"""'vsmax detect --ray', to which the program hands its options and the names of the images."""

from __future__ import annotations

import argparse
import logging
import os
import re
import signal
import socket
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from .._c import Error
from . import checked, map_with, require_ray

if TYPE_CHECKING:
    import pyarrow as pa

_BAD_INPUT, _INTERRUPTED = 1, 130
_PATIENCE = 10  # seconds to wait for a machine that does not answer
_STORE = 256 << 20  # bytes of shared memory of a local cluster; it holds only names and lines
_BLOCK = 1 << 20  # bytes; Ray reserves as much for the result of a task
_FEWEST_ROWS, _MOST_ROWS = 16, 256  # of a block
_BLOCKS_PER_WORKER = 32  # so that the last ones end at about the same time


def complain(sentence: str) -> None:
    print(f"vsmax: {sentence}", file=sys.stderr, flush=True)


def silence_ray() -> BinaryIO:
    """Ray prints to standard output and writes to the descriptor of standard error: keeps both for
    ourselves. Returns the stream for the results.
    """
    results = os.fdopen(os.dup(1), "wb")
    sys.stderr = os.fdopen(os.dup(2), "w", errors="backslashreplace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return results


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="vsmax.ray", description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--images", type=int, required=True, help="file descriptor")
    parser.add_argument("--model", required=True)
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--min-confidence", type=float, required=True)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--workers", type=int, required=True, help="0 for one per processor")
    parser.add_argument("--out", help="folder; JSON is printed without it")
    return parser.parse_args(arguments)


def asked_of(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the Detector; the model's warning is printed here, not by every worker."""
    names = ("model", "lines", "min_confidence", "dark")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asked = checked(**{name: getattr(options, name) for name in names})
    for warning in told:
        complain(f"warning: {warning.message}")
    return asked


def connect(address: str, workers: int) -> None:
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        host, _, port = address.rpartition("/")[2].rpartition(":")
        if host and port.isdecimal():  # Ray itself would try for many minutes
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        if address == "local":
            own = {"include_dashboard": False, "object_store_memory": _STORE}
            ray.init("local", num_cpus=workers or None, **own, **quiet)
        else:
            ray.init(address, **quiet)
    except Exception as error:  # of many types, some of them Ray's own
        raise Error(f"Ray cannot be used at '{address}' ({first_line(error)})") from None
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # replaces Ray's handler


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def tables_of(content: bytes, workers: int) -> Iterator[pa.Table]:
    """The images in blocks: their names, and why an image cannot be read if that is known."""
    import pyarrow as pa

    text = pa.string()
    schema = pa.schema({"image": text, "image_hex": text, "failure": text})
    count = content.count(b"\0") // 2
    size = min(_MOST_ROWS, max(_FEWEST_ROWS, count // (workers * _BLOCKS_PER_WORKER)))
    rows: list[dict[str, str | None]] = []
    for name, failure in re.findall(rb"([^\0]*)\0([^\0]*)\0", content):
        shown = name.decode(errors="replace")
        exact = None if shown.encode() == name else name.hex()
        reason = failure.decode(errors="replace") or None
        rows.append({"image": shown, "image_hex": exact, "failure": reason})
        if len(rows) == size:
            yield pa.Table.from_pylist(rows, schema)
            rows = []
    if rows:
        yield pa.Table.from_pylist(rows, schema)


class FileWorker:
    """The actor: reads the files itself, so that no image passes through Ray."""

    def __init__(self, folder: str, asked: dict[str, Any]) -> None:
        from ._worker import Searcher

        self._folder, self._search = folder, Searcher(asked, threads=1)

    def __call__(self, table: pa.Table) -> pa.Table:
        from ._worker import with_answers

        answers = []
        for row in table.to_pylist():
            exact = row["image_hex"]
            name = os.fsdecode(bytes.fromhex(exact)) if exact else row["image"]
            answers.append(row["failure"] or self._search.in_file(self._folder, name))
        return with_answers(table.drop_columns(["failure"]), answers)


def results_of(options: argparse.Namespace, asked: dict[str, Any]) -> Iterator[pa.Table]:
    """The results in the order of the images."""
    import ray

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    context.target_max_block_size = _BLOCK
    workers = options.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    with os.fdopen(options.images, "rb") as file:
        tables = list(tables_of(file.read(), workers))
    if not tables:
        return
    found = map_with(
        FileWorker,
        ray.data.from_arrow(tables),
        {"folder": os.getcwd(), "asked": asked},
        concurrency=workers,
        batch_size=None,
        num_cpus=1,
    )
    yield from found.iter_batches(batch_size=None, batch_format="pyarrow")


def run(options: argparse.Namespace) -> int:
    require_ray()
    from ._output import JsonLines, ParquetFolder

    results = silence_ray()
    asked = asked_of(options)
    output = ParquetFolder(options.out) if options.out else JsonLines(results)
    try:
        connect(options.address, options.workers)
        failed = False
        for table in results_of(options, asked):
            for sentence in table.column("error").drop_null().to_pylist():
                failed = True
                complain(sentence)
            output.write(table)
        output.finish()
    except KeyboardInterrupt:
        complain("interrupted" + output.abandon())
        return _INTERRUPTED
    except Error as error:
        raise Error(f"{error}{output.abandon()}") from None
    except Exception as error:  # whatever Ray raises
        raise Error(f"the run on Ray failed: {first_line(error)}{output.abandon()}") from None
    return _BAD_INPUT if failed else 0


def main(arguments: list[str] | None = None) -> NoReturn:
    try:
        code = run(parse(arguments))
    except (Error, ImportError) as error:
        complain(str(error))
        code = _BAD_INPUT
    except OSError as error:
        if error.filename is None:
            complain(f"the run on Ray failed: {first_line(error)}")
        else:  # the model's file
            complain(f"{error.filename}: cannot be read ({error.strerror})")
        code = _BAD_INPUT
    except KeyboardInterrupt:
        complain("interrupted")
        code = _INTERRUPTED
    sys.exit(code)
