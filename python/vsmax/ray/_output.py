# SPDX-License-Identifier: Apache-2.0
"""Where the results of 'vsmax detect --ray' go: JSON lines, or a folder of Parquet files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from .._c import Error

_ROWS_PER_FILE = 10_000
_POINTS = ("x1", "y1", "x2", "y2")


def json_record(row: dict[str, Any]) -> str:
    """A result as 'vsmax detect --json' prints it."""
    record = {key: row[key] for key in ("image", "image_hex") if row[key] is not None}
    record.update(width=row["width"], height=row["height"], model=row["model"], lines=[])
    for line in row["lines"]:
        x1, y1, x2, y2 = (line.pop(name) for name in _POINTS)
        ends = None if x1 is None else [[x1, y1], [x2, y2]]
        main = {key: line.pop(key) for key in ("theta", "rho", "confidence")}
        spread = {key: value for key, value in line.items() if value is not None}
        record["lines"].append({**main, "endpoints": ends, **spread})
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


class JsonLines:
    """Writes to standard output, which omits images without a result."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        rows = (row for row in table.to_pylist() if row["error"] is None)
        text = "".join(json_record(row) + "\n" for row in rows)
        try:
            self._file.write(text.encode())
            self._file.flush()
        except OSError:
            raise Error("standard output cannot be written") from None

    def finish(self) -> None: ...

    def abandon(self) -> str:
        return ""


class ParquetFolder:
    """A folder that gets its name once it is complete; until then, '.partial' is appended."""

    def __init__(self, path: str) -> None:
        self._path, self._partial = Path(path), Path(f"{path.rstrip('/')}.partial")
        self._tables: list[pa.Table] = []
        self._rows = self._files = 0
        if os.path.lexists(self._path):
            raise Error(f"{path}: exists already; choose another folder")
        try:
            self._partial.mkdir()
        except FileExistsError:
            raise Error(
                f"{self._partial}: exists already, from a run that has not ended; remove it or "
                "choose another folder"
            ) from None
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> Error:
        return Error(f"{self._path}: cannot be written ({error.strerror or error})")

    def write(self, table: pa.Table) -> None:
        self._tables.append(table)
        self._rows += table.num_rows
        if self._rows >= _ROWS_PER_FILE:
            self._write_file()

    def _write_file(self) -> None:
        path = self._partial / f"part-{self._files:05}.parquet"
        try:
            with open(path, "wb") as file:
                pq.write_table(pa.concat_tables(self._tables), file)
                file.flush()
                os.fsync(file.fileno())
        except BaseException as error:  # Ctrl-C, too, must not leave a truncated file
            path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise self._failure(error) from None
            raise
        self._tables.clear()
        self._rows = 0
        self._files += 1

    def finish(self) -> None:
        if self._tables:
            self._write_file()
        try:
            self._partial.rename(self._path)
        except OSError as error:
            raise self._failure(error) from None

    def abandon(self) -> str:
        """Keeps complete files, and returns where they are."""
        if self._files:
            return f"; what was finished is in {self._partial}"
        self._partial.rmdir()
        return ""
