# SPDX-License-Identifier: Apache-2.0
"""The actors: each keeps one model and answers batches, which are Arrow tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..detection import Answer, Detector, Error, Line

_NUMBER = pa.float64()
_INTERVAL = pa.list_(_NUMBER)  # from, to
LINE = pa.struct(
    {
        **dict.fromkeys(("theta", "rho", "confidence"), _NUMBER),
        **dict.fromkeys(("x1", "y1", "x2", "y2"), _NUMBER),
        **dict.fromkeys(("theta_sd", "rho_sd", "correlation"), _NUMBER),
        **dict.fromkeys(("theta_68", "theta_95", "rho_68", "rho_95"), _INTERVAL),
    }
)
ANSWER = pa.schema(
    {
        "width": pa.int32(),
        "height": pa.int32(),
        "model": pa.string(),
        "lines": pa.list_(LINE),
        "error": pa.string(),
    }
)


def check_column(names: Sequence[str], column: str) -> None:
    """Raises an Error if there is no column of images, or if one of our columns exists already."""
    if column not in names:
        raise Error(f"the dataset has no column '{column}' but {', '.join(names)}")
    for name in ANSWER.names:
        if name in names:
            raise Error(f"the dataset has a column '{name}' already: rename or drop it")


def is_path(kind: pa.DataType) -> bool:
    """Whether a column of this type holds paths."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def images_in(table: pa.Table, column: str) -> Iterator[Any]:
    """The bytes, paths or arrays of a column; None where there is nothing."""
    kind = table.schema.field(column).type
    if is_path(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        for value in table.column(column):
            yield value.as_py()
    elif isinstance(kind, pa.BaseExtensionType):  # Ray's tensors
        from ray.data.block import BlockAccessor

        for array in BlockAccessor.for_block(table.select([column])).to_numpy(column):
            # Ray puts dimensions of 1 in front of grey images that share a block with colours.
            while array.ndim > 2 and len(array) == 1:
                array = array[0]
            yield array
    else:
        raise TypeError(f"column '{column}' holds {kind}, not bytes, paths or arrays of images")


def _row_of(line: Line) -> dict[str, Any]:
    (x1, y1), (x2, y2) = line.endpoints or ((None, None), (None, None))
    row = {"theta": line.theta, "rho": line.rho, "confidence": line.confidence}
    spread = line.spread._asdict() if line.spread else {}
    return {**row, "x1": x1, "y1": y1, "x2": x2, "y2": y2, **spread}


def _utf8(text: str) -> str:
    """Arrow strings must be UTF-8; file names need not be."""
    return os.fsencode(text).decode(errors="replace")


def with_answers(table: pa.Table, answers: Sequence[Answer | str]) -> pa.Table:
    """The table with the columns of ANSWER appended; an answer that is a string is an error."""
    rows = [
        {"error": _utf8(answer)}
        if isinstance(answer, str)
        else {
            **answer._asdict(),
            "model": _utf8(answer.model),
            "lines": [_row_of(line) for line in answer.lines],
        }
        for answer in answers
    ]
    for field in ANSWER:
        column = pa.array([row.get(field.name) for row in rows], field.type)
        table = table.append_column(field, column)
    return table


class Searcher:
    """Finds the lines in one image after the other."""

    def __init__(self, asked: dict[str, Any], threads: int) -> None:
        self._detector = Detector(**asked)
        self._threads = threads

    def in_file(self, folder: str, name: str) -> Answer | str:
        """``name`` is relative to the folder. The error sentences are those of the program."""
        path = os.path.join(folder, name)
        try:
            return self._detector(path, self._threads)
        except IsADirectoryError:
            return f"{name}: is a directory, not a file"
        except OSError as error:
            return f"{name}: cannot be read ({error.strerror})"
        except MemoryError:
            return f"{name}: not enough memory"
        except Error as error:
            return name + str(error).removeprefix(path)

    def in_content(self, image: Any) -> Answer | str:
        try:
            return self._detector(image, self._threads)
        except (Error, TypeError) as error:
            return str(error)
        except MemoryError:
            return "not enough memory"


class Worker:
    """The actor of :func:`vsmax.ray.detect`."""

    def __init__(self, column: str, folder: str, asked: dict[str, Any], threads: int) -> None:
        self._column, self._folder = column, folder
        self._search = Searcher(asked, threads)

    def __call__(self, table: pa.Table) -> pa.Table:
        check_column(table.column_names, self._column)
        answers = [self._answer(image) for image in images_in(table, self._column)]
        if not is_path(table.schema.field(self._column).type):
            table = table.drop_columns([self._column])
        return with_answers(table, answers)

    def _answer(self, image: Any) -> Answer | str:
        if image is None:
            return f"there is no image in column '{self._column}'"
        if isinstance(image, str):
            return self._search.in_file(self._folder, image)
        return self._search.in_content(image)
