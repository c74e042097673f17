# SPDX-License-Identifier: Apache-2.0
"""How runs on Ray fail: the files and messages that they leave. Needs neither Ray nor Arrow."""

import importlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from vsmax import Error


class ArrowStandIn:
    """Writes half a file and then fails, if `failure` is set."""

    def __init__(self) -> None:
        self.__name__ = "pyarrow"
        self.failure: BaseException | None = None
        self.parquet = SimpleNamespace(write_table=self.write_table)

    def concat_tables(self, tables: list) -> bytes:
        return b"table" * len(tables)

    def write_table(self, table: bytes, file) -> None:
        file.write(table)
        if self.failure:
            raise self.failure


@pytest.fixture
def arrow(monkeypatch) -> ArrowStandIn:
    stand_in = ArrowStandIn()
    monkeypatch.setitem(sys.modules, "pyarrow", stand_in)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", stand_in.parquet)
    return stand_in


@pytest.fixture
def parquet_folder(arrow) -> Iterator[type]:
    yield importlib.import_module("vsmax.ray._output").ParquetFolder
    del sys.modules["vsmax.ray._output"]  # it has loaded the stand-in


FULL = SimpleNamespace(num_rows=10_000)  # a table that fills a file


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("complete", [0, 1])
def test_a_truncated_file_is_removed(arrow, parquet_folder, tmp_path, failure, complete) -> None:
    folder = parquet_folder(str(tmp_path / "out"))
    for _ in range(complete):
        folder.write(FULL)
    arrow.failure = failure
    with pytest.raises(KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else Error):
        folder.write(FULL)
    partial = tmp_path / "out.partial"
    assert len(list(partial.iterdir())) == complete
    told = folder.abandon()
    assert told == (f"; what was finished is in {partial}" if complete else "")
    assert partial.exists() == bool(complete)


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (OSError(9, "Bad file descriptor"), "the run on Ray failed: [Errno 9] Bad file descriptor"),
        (OSError(2, "No such file", "a.bin"), "a.bin: cannot be read (No such file)"),
    ],
)
def test_an_error_names_a_file_if_it_has_one(monkeypatch, capsys, failure, sentence) -> None:
    from vsmax.ray import _command

    def fail(_) -> int:
        raise failure

    monkeypatch.setattr(_command, "run", fail)
    options = ("--address=local", "--images=0", "--model=auto", "--lines=1")
    with pytest.raises(SystemExit) as ended:
        _command.main([*options, "--min-confidence=0", "--workers=1"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"vsmax: {sentence}\n"
