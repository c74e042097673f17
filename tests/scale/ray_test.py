# SPDX-License-Identifier: Apache-2.0
"""vsmax on a local Ray cluster of two workers: its answers are those of one process.

Run by 'make test-scale', with Ray and vsmax in the interpreter's environment, and the program in
VSMAX.
"""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray

import vsmax
import vsmax.ray

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from drawing import drawn_line, png

ROOT = Path(__file__).resolve().parents[2]
VSMAX = os.environ["VSMAX"]
SIZE = (48, 64)
COUNT = 12
PIXELS = [255 * drawn_line(0.2 + 0.2 * i, i - 5.0, SIZE) for i in range(COUNT)]
BAD = 7  # the broken image in the middle


def plain(line):
    """A line of vsmax.detect as a row of the column 'lines'."""
    (x1, y1), (x2, y2) = line.endpoints
    row = {"theta": line.theta, "rho": line.rho, "confidence": line.confidence}
    spread = vsmax.Spread(*line.spread) if line.spread else vsmax.Spread(*[None] * 7)
    intervals = {k: list(v) if isinstance(v, tuple) else v for k, v in spread._asdict().items()}
    return {**row, "x1": x1, "y1": y1, "x2": x2, "y2": y2, **intervals}


def expected():
    return [[plain(line) for line in lines] for lines in vsmax.detect(PIXELS)]


class FolderTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write_images(self):
        (self.folder / "shots").mkdir()
        for i, pixels in enumerate(PIXELS):
            (self.folder / f"shots/{i:02}.png").write_bytes(png(pixels))
        (self.folder / f"shots/{BAD:02}b.png").write_bytes(png(PIXELS[0])[:60])


class Datasets(FolderTest):
    @classmethod
    def setUpClass(cls):
        ray.init(
            "local",
            num_cpus=2,
            object_store_memory=128 << 20,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        cls.addClassCleanup(ray.shutdown)

    def test_files_with_a_broken_one_among_them(self):
        self.write_images()
        images = ray.data.read_binary_files(str(self.folder / "shots"), include_paths=True)
        rows = vsmax.ray.detect(images, concurrency=2, batch_size=2).take_all()
        self.assertEqual(len(rows), COUNT + 1)
        self.assertEqual(set(rows[0]), {"path", "width", "height", "model", "lines", "error"})
        rows.sort(key=lambda row: row["path"])
        bad = rows.pop(BAD + 1)
        self.assertEqual((bad["lines"], bad["width"], bad["model"]), (None, None, None))
        self.assertIn("encoded image: ", bad["error"])
        self.assertEqual([row["lines"] for row in rows], expected())
        self.assertEqual({(row["height"], row["width"]) for row in rows}, {SIZE})
        self.assertEqual({row["error"] for row in rows}, {None})

    def test_parquet_is_read_and_written(self):
        content = [png(pixels) for pixels in PIXELS]
        numbers = pa.array([*range(COUNT), None], pa.int8())
        table = pa.table({"content": pa.array([*content, None]), "number": numbers})
        pq.write_table(table, self.folder / "in.parquet", row_group_size=4)
        images = ray.data.read_parquet(str(self.folder / "in.parquet"))
        found = vsmax.ray.detect(images, column="content", batch_size=4)
        found.write_parquet(str(self.folder / "out"))
        written = pq.read_table(self.folder / "out").sort_by("number")
        self.assertEqual(written.schema.field("number").type, pa.int8())
        self.assertEqual(written.column("lines").to_pylist(), [*expected(), None])
        self.assertEqual(
            written.column("error").to_pylist(),
            [None] * COUNT + ["there is no image in column 'content'"],
        )

    def test_arrays_of_one_size_and_of_several(self):
        grey = ray.data.from_numpy(np.stack(PIXELS))
        rows = vsmax.ray.detect(grey, column="data").take_all()
        self.assertEqual([row["lines"] for row in rows], expected())
        colour = np.stack([PIXELS[2], PIXELS[2] // 2, PIXELS[2] // 3], -1)
        sizes = [PIXELS[0], PIXELS[1][4:, 2:], colour, np.zeros((4, 5, 6, 7), np.uint8)]
        rows = vsmax.ray.detect(
            ray.data.from_items([{"image": pixels} for pixels in sizes]), column="image"
        ).take_all()
        lines = [[plain(line) for line in vsmax.detect(pixels)] for pixels in sizes[:3]]
        self.assertEqual([row["lines"] for row in rows], [*lines, None])
        self.assertIn("(4, 5, 6, 7)", rows[3]["error"])

    def test_paths_are_read_where_the_actors_are(self):
        self.write_images()
        names = [f"shots/{i:02}.png" for i in range(3)] + ["shots", "none.png"]
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        rows = vsmax.ray.detect(
            ray.data.from_items([{"path": name} for name in names]), column="path", lines=1
        ).take_all()
        self.assertEqual([row["path"] for row in rows], names)
        self.assertEqual(
            [row["lines"] for row in rows[:3]],
            [[plain(line) for line in vsmax.detect(pixels, lines=1)] for pixels in PIXELS[:3]],
        )
        self.assertEqual(
            [row["error"] for row in rows[3:]],
            [
                "shots: is a directory, not a file",
                "none.png: cannot be read (No such file or directory)",
            ],
        )

    def test_wrong_arguments_are_refused_at_once(self):
        images = ray.data.from_items([{"bytes": b"", "width": 3}])
        for wrong, words in (
            ({"column": "image"}, "no column 'image' but bytes, width"),
            ({}, "a column 'width' already"),
            ({"num_gpus": 1}, "on the CPU"),
            ({"threads": 0}, "at least 1"),
        ):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(vsmax.Error, words):
                vsmax.ray.detect(images, **wrong)
        with self.assertRaisesRegex(vsmax.Error, "no built-in model 'nosuch'"):
            vsmax.ray.detect(ray.data.from_items([{"bytes": b""}]), model="nosuch")

    def test_nothing_loads_torch(self):
        images = ray.data.from_items([{"bytes": png(PIXELS[0])}])
        found = vsmax.ray.detect(images).map(lambda row: {"torch": "torch" in sys.modules})
        self.assertEqual(found.take_all(), [{"torch": False}])
        self.assertNotIn("torch", sys.modules)


def workers_in(folder):
    """The processes of the actors that work in a folder; Ray names them after their class."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            is_worker = b"(FileWorker)" in (process / "cmdline").read_bytes()
            if is_worker and os.path.samefile(process / "cwd", folder):
                found.append(int(process.name))
    return found


class CommandLine(FolderTest):
    def setUp(self):
        super().setUp()
        self.write_images()

    def run_vsmax(self, *arguments):
        command = [VSMAX, "detect", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, timeout=300)

    def run_ray(self, *arguments):
        return self.run_vsmax("--ray", "local", "--threads", "2", *arguments)

    def start_ray(self, *arguments):
        command = [VSMAX, "detect", "--ray", "local", "--threads", "2", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, stdout=pipe, stderr=pipe, bufsize=0)

    def test_two_workers_print_what_one_process_prints(self):
        inputs = ("shots", "none.png", "no*.png")
        for options in ((), ("--model", "classic", "--lines", "2", "--min-confidence", "0.1")):
            one, two = self.run_vsmax("--json", *options, *inputs), self.run_ray(*options, *inputs)
            self.assertEqual(two.stdout, one.stdout)
            self.assertEqual(two.stdout.count(b"\n"), COUNT)
            self.assertEqual((two.returncode, two.stderr), (1, one.stderr))

    def test_a_list_of_names_becomes_parquet(self):
        odd = os.fsdecode(b"\xff.png")
        (self.folder / odd).write_bytes(png(PIXELS[0]))
        names = [odd, *(f"shots/{i:02}.png" for i in range(3))]
        (self.folder / "list").write_bytes(b"\0".join(map(os.fsencode, names)))
        done = self.run_ray("--files-from", "list", "--null", "--out", "lines.parquet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        rows = pq.read_table(self.folder / "lines.parquet").to_pylist()
        printed = self.run_vsmax("--json", "--files-from", "list", "--null").stdout.splitlines()
        for row, record in zip(rows, map(json.loads, printed), strict=True):
            self.assertEqual(row["image"], record["image"])
            self.assertEqual(row["image_hex"], record.get("image_hex"))
            (line,), (other,) = row["lines"], record["lines"]
            ends = [[line["x1"], line["y1"]], [line["x2"], line["y2"]]]
            self.assertEqual(ends, other.pop("endpoints"))
            self.assertEqual(other, {name: line[name] for name in other})
        again = self.run_ray("shots", "--out", "lines.parquet")
        self.assertEqual(
            (again.returncode, again.stderr),
            (1, b"vsmax: lines.parquet: exists already; choose another folder\n"),
        )

    def test_a_killed_worker_costs_nothing(self):
        names = [f"shots/{i % COUNT:02}.png" for i in range(3000)]
        (self.folder / "list").write_text("\n".join(names))
        options = ("--model", "classic", "--files-from", "list")
        process = self.start_ray(*options)
        first = process.stdout.readline()  # now there are workers, and most of the work is left
        killed = workers_in(self.folder)
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        self.assertTrue(killed)
        rest, complaints = process.communicate(timeout=300)
        self.assertEqual((process.returncode, complaints), (0, b""))
        self.assertEqual(first + rest, self.run_vsmax("--json", *options).stdout)

    def test_the_example_writes_parquet(self):
        command = [sys.executable, ROOT / "examples/ray_folder.py", "shots", "lines"]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, check=True, timeout=300
        )
        self.assertIn(f"{COUNT + 1} images, of which 1 could not be read".encode(), done.stdout)
        rows = pq.read_table(self.folder / "lines").sort_by("path").to_pylist()
        self.assertIsNotNone(rows.pop(BAD + 1)["error"])
        self.assertEqual([row["lines"] for row in rows], expected())

    def test_an_interrupt_ends_it(self):
        (self.folder / "list").write_text("shots/00.png\n" * 10_000)
        # In the background a shell ignores interrupts, and so would the program.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process = self.start_ray("--files-from", "list")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=120)
        self.assertEqual((process.returncode, complaints), (130, b"vsmax: interrupted\n"))

    def test_a_full_disk_and_a_missing_cluster_are_told_in_one_sentence(self):
        with open("/dev/full", "wb") as full:
            command = [VSMAX, "detect", "--ray", "local", "--threads", "1", "shots/00.png"]
            done = subprocess.run(command, cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(
            (done.returncode, done.stderr), (1, b"vsmax: standard output cannot be written\n")
        )
        done = self.run_vsmax("--ray", "127.0.0.1:1", "shots")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rb"^vsmax: Ray cannot be used at '127.0.0.1:1' \(.*\)\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
