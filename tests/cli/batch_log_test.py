# SPDX-License-Identifier: Apache-2.0
"""The files of 'vsmax detect --out', however the run ends."""

import csv
import os
import signal
import subprocess
import time
import unittest

from support import VSMAX, BatchTest

FAST = BatchTest.FAST


class Log(BatchTest):
    LOG = (*FAST, "shots", "--out", "out.jsonl")

    def test_json_and_csv_have_what_is_printed(self):
        self.make_images()
        printed = self.succeed(*FAST, "shots", "--json")
        self.assertEqual(self.succeed(*self.LOG), "")
        self.assertEqual((self.folder / "out.jsonl").read_text(), printed)
        printed = self.succeed(*FAST, "shots", "--csv")
        self.succeed(*FAST, "shots", "--csv", "--out", "out.csv")
        self.assertEqual((self.folder / "out.csv").read_text(), printed)
        for row, answer in zip(self.table(), self.records(), strict=True):
            (line,) = answer["lines"]
            self.assertEqual((row["image"], row["lines"], row["line"]), (answer["image"], "1", "1"))
            self.assertEqual([float(row[key]) for key in ("theta", "rho", "confidence")],
                             [line[key] for key in ("theta", "rho", "confidence")])  # fmt: skip
            ends = [[float(row["x1"]), float(row["y1"])], [float(row["x2"]), float(row["y2"])]]
            self.assertEqual(ends, line["endpoints"])

    def test_csv_of_no_line_and_of_several(self):
        self.succeed("synth", "--theta=0.5", "--rho=5", "--theta=2", "--rho=9", "two.png")
        self.succeed("synth", "--theta=0", "--rho=10000", "none.png")
        text = self.succeed("detect", "--csv", "two.png", "none.png")
        rows = list(csv.DictReader(text.splitlines(), strict=True))
        self.assertEqual([row["image"] for row in rows], ["two.png", "two.png", "none.png"])
        self.assertEqual([(row["lines"], row["line"]) for row in rows],
                         [("2", "1"), ("2", "2"), ("0", "")])  # fmt: skip
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))
        self.assertGreater(float(rows[0]["theta_sd"]), 0)

    def test_an_existing_file_is_not_replaced(self):
        self.make_images(2)
        (self.folder / "out.jsonl").write_text("mine\n")
        message = self.fail_with(1, *self.LOG)
        self.assertIn("out.jsonl: exists already", message)
        self.assertIn("--resume", message)
        self.assertIn("row 1 is not a record", self.fail_with(1, *self.LOG, "--resume"))
        self.assertIn("header", self.fail_with(1, *self.LOG, "--csv", "--resume"))
        self.assertEqual((self.folder / "out.jsonl").read_text(), "mine\n")

    def test_a_bad_file_has_a_record_and_costs_nothing_else(self):
        names = self.make_images()
        (self.folder / "shots/2x.jpg").write_text("no image")
        for name, read in (("out.jsonl", self.records), ("out.csv", self.table)):
            form = "--csv" if name.endswith("csv") else "--json"
            command = (*FAST, "shots", form, "--out", name)
            message = self.fail_with(1, *command)
            sentence = "shots/2x.jpg: not a PNG or JPEG image"
            self.assertEqual(message, f"vsmax: {sentence}\n")
            records = read(name)
            order = [*names[:3], "shots/2x.jpg", *names[3:]]
            self.assertEqual([r["image"] for r in records], order)
            self.assertEqual([r["error"] for r in records if r.get("error")], [sentence])

            # Skipped and mentioned, until it is tried again.
            before = (self.folder / name).read_bytes()
            result = self.run_vsmax(*command, "--resume")
            self.assertEqual(result.returncode, 0)
            self.assertIn(b"1 image failed in an earlier run", result.stderr)
            self.assertEqual((self.folder / name).read_bytes(), before)
            self.fail_with(1, *command, "--resume", "--retry-errors")
            self.assertEqual(len(read(name)), len(records))
            good = (self.folder / names[0]).read_bytes()
            (self.folder / "shots/2x.jpg").write_bytes(good)
            self.succeed(*command, "--resume", "--retry-errors")
            self.assertEqual(sorted(r["image"] for r in read(name)), sorted(order))
            self.assertFalse(any(r.get("error") for r in read(name)))
            (self.folder / "shots/2x.jpg").write_text("no image")
        self.assertFalse((self.folder / "out.jsonl.tmp").exists())

    def test_an_image_mentioned_twice_has_one_record(self):
        names = self.make_images(2)
        self.succeed(*FAST, *names, *names, "--out", "out.jsonl")
        self.assertEqual([r["image"] for r in self.records()], names)
        self.assertEqual(self.images_of(*names, *names), names * 2)  # as the command line says

    def test_names_of_any_kind_are_told_apart_when_resumed(self):
        odd = [b"new\nline.png", b"quo\"te, 'x'.png", b"not \xff.png", b"not \xfe.png", b"a "]
        self.synth("line.png", 0.5, 3, "--size", "32x32")
        for name in odd:
            (self.folder / os.fsdecode(name)).write_bytes((self.folder / "line.png").read_bytes())
        text = b"\0".join(odd)
        for name, form in (("out.jsonl", "--json"), ("out.csv", "--csv")):
            command = (*FAST, form, "--files-from=-", "--null", "--resume", "--out", name)
            for most in (3, 4, len(odd)):
                result = self.run_vsmax(*command, input=b"\0".join(odd[:most]))
                self.assertEqual((result.returncode, result.stderr), (0, b""))
            whole = self.run_vsmax(*FAST, form, "--files-from=-", "--null", input=text).stdout
            self.assertEqual((self.folder / name).read_bytes(), whole)
        self.assertEqual([os.fsencode(row["image"]) for row in self.table()], odd)
        for name, record in zip(odd, self.records(), strict=True):
            self.assertEqual(record["image"], name.decode(errors="replace"))
            self.assertEqual(record.get("image_hex"), name.hex() if b"not" in name else None)


class Resume(BatchTest):
    def run_and_kill(self, signal_number, command, after):
        """Ends the program once the file has `after` bytes."""
        out = self.folder / command[-1]
        with subprocess.Popen([VSMAX, *map(str, command)], cwd=self.folder,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            while process.poll() is None and not (out.exists() and out.stat().st_size > after):
                time.sleep(0.001)
            process.send_signal(signal_number)
            return process.wait()

    def test_after_a_kill_every_image_is_there_once(self):
        self.synth("a.png", 0.5, 3, "--size", "200x200")
        names = [f"shots/{i:03}.png" for i in range(150)]
        (self.folder / "shots").mkdir()
        for name in names:
            os.link(self.folder / "a.png", self.folder / name)
        for name, form in (("out.jsonl", "--json"), ("out.csv", "--csv")):
            command = ("detect", "shots", form, "--resume", "--out", name)
            codes = []
            for after in (500, 5000):
                codes.append(self.run_and_kill(signal.SIGKILL, command, after))
                self.assertLess((self.folder / name).read_bytes().count(b"\n"), len(names))
            self.assertEqual(codes, [-signal.SIGKILL] * 2)
            code = self.run_and_kill(signal.SIGINT, command, 15000)
            self.assertEqual(code, 130)
            self.assertTrue((self.folder / name).read_bytes().endswith(b"\n"))
            self.succeed(*command)
            records = self.table() if form == "--csv" else self.records()
            self.assertEqual(sorted(record["image"] for record in records), names)

    def test_after_a_cut_anywhere_the_file_becomes_whole(self):
        self.succeed("synth", "--theta=0.5", "--rho=5", "--theta=2", "--rho=9", 'a\n"2".png')
        self.synth("b.png", 1.0, 3, "--size", "32x32")
        images = ('a\n"2".png', "b.png")
        for name, form in (("out.jsonl", "--json"), ("out.csv", "--csv")):
            command = ("detect", *images, "--model", "classic", form, "--out", name, "--resume")
            self.succeed(*command)
            whole = (self.folder / name).read_bytes()
            starts = [i + 1 for i in range(len(whole)) if whole[i : i + 1] == b"\n"]
            ends = [start - 1 for start in starts]
            for size in {0, 1, *starts, *ends, *range(5, len(whole), 97)}:
                (self.folder / name).write_bytes(whole[:size])
                self.succeed(*command)
                self.assertEqual((self.folder / name).read_bytes(), whole, f"cut to {size}")

    def test_only_the_end_of_a_file_is_repaired(self):
        names = self.make_images(2)
        header = self.succeed(*FAST, "--csv", names[0]).splitlines()[0]
        text = f'{header}\n"{"x" * (2 << 20)}\n'
        (self.folder / "out.csv").write_text(text)
        message = self.fail_with(1, *FAST, "--csv", "--out", "out.csv", "--resume", *names)
        self.assertIn("out.csv: its last 2097154 bytes are not a record", message)
        self.assertEqual((self.folder / "out.csv").read_text(), text)

    def test_two_runs_cannot_write_to_one_file(self):
        names = self.make_images(2)
        command = [VSMAX, *map(str, FAST), "--files-from", "-", "--out", "out.jsonl"]
        out = self.folder / "out.jsonl"
        with subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE) as first:
            first.stdin.write(names[0].encode() + b"\n")
            first.stdin.flush()
            while first.poll() is None and not (out.exists() and out.stat().st_size > 0):
                time.sleep(0.001)
            message = self.fail_with(1, *FAST, *names, "--out", "out.jsonl", "--resume")
            self.assertEqual(message, "vsmax: out.jsonl: another process is writing to it\n")
            first.stdin.close()
            self.assertEqual(first.wait(timeout=60), 0)

    def test_a_full_disk_leaves_complete_lines(self):
        names = self.make_images()
        self.assertEqual(
            self.fail_with(1, *FAST, *names, "--out", "/dev/full"),
            "vsmax: /dev/full: cannot be written (No space left on device)\n",
        )
        with open("/dev/full", "w") as full:
            command = [VSMAX, *map(str, FAST), *names]
            done = subprocess.run(command, cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output: cannot be written", done.stderr)

        # The same by a limit on the size of files, so that a record is written in part.
        out = self.folder / "out.jsonl"
        command = [VSMAX, *map(str, FAST), *names, "--out", "out.jsonl"]
        limited = ["/bin/sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "sh", *command]
        done = subprocess.run(limited, cwd=self.folder, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, b"vsmax: out.jsonl: cannot be written (File too large)\n")
        self.assertTrue(out.read_bytes().endswith(b"}\n"))
        self.assertTrue(0 < len(self.records()) < len(names))
        self.succeed(*FAST, *names, "--out", "out.jsonl", "--resume")
        self.assertEqual([record["image"] for record in self.records()], names)


if __name__ == "__main__":
    unittest.main()
