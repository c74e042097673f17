# SPDX-License-Identifier: Apache-2.0
"""'vsmax detect' on many images: where they come from, shards, and files that survive the run."""

import csv
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import VSMAX, CommandLineTest

FAST = ("detect", "--model", "classic", "--lines", 1)


class Batch(CommandLineTest):
    def make_images(self, count=6):
        """shots/0.png, ..., the last in a folder below."""
        (self.folder / "shots/more").mkdir(parents=True)
        names = [f"shots/{i}.png" for i in range(count - 1)] + [f"shots/more/{count - 1}.png"]
        for i, name in enumerate(names):
            self.synth(name, 0.3 + 0.1 * i, 2 * i, "--size", "64x48")
        return names

    def images_of(self, *arguments, **options):
        """The names in the output, in its order."""
        rows = self.succeed(*FAST, "--json", *arguments, **options).splitlines()
        return [json.loads(row)["image"] for row in rows]

    def records(self, name="out.jsonl"):
        text = (self.folder / name).read_text()
        self.assertTrue(text.endswith("\n"))
        return [json.loads(row) for row in text.splitlines()]

    def table(self, name="out.csv"):
        with open(self.folder / name, newline="", errors="surrogateescape") as file:
            return list(csv.DictReader(file, strict=True))


class Sources(Batch):
    def test_a_folder_means_all_images_below_it(self):
        names = self.make_images()
        (self.folder / "shots/notes.txt").write_text("no image")
        (self.folder / "shots/.hidden.png").write_text("no image")
        os.mkfifo(self.folder / "shots/pipe.png")  # reading it would never end
        (self.folder / "shots/9.JPEG").symlink_to("0.png")
        (self.folder / "shots/more/loop").symlink_to("..")
        expected = sorted([*names, "shots/9.JPEG"])
        self.assertEqual(self.images_of("shots"), expected)
        (self.folder / "shots/more/loop").unlink()
        self.assertEqual(self.images_of("shots/more", "shots/0.png"), [names[-1], names[0]])
        self.assertEqual(self.images_of("--files-from", "/dev/null"), [])

    def test_folders_that_cannot_be_read_or_are_empty_cost_only_themselves(self):
        (self.folder / "empty").mkdir()
        names = self.make_images(2)
        result = self.run_vsmax(*FAST, "--json", "empty", "missing", "shots/0.png/x", *names)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count(b"\n"), 2)
        complaints = result.stderr.decode().splitlines()
        self.assertEqual(complaints[0], "vsmax: empty: has no PNG or JPEG file")
        self.assertIn("missing: cannot be read", complaints[1])
        self.assertIn("shots/0.png/x: cannot be read", complaints[2])
        self.assertEqual(len(complaints), 3)

    def test_a_folder_without_permission_costs_only_itself(self):
        names = self.make_images()
        (self.folder / "shots/more").chmod(0)
        self.folder.chmod(0o755)
        copy = shutil.copy(VSMAX, self.folder / "vsmax")  # where any user may run it
        user = {"user": 65534} if os.geteuid() == 0 else {}  # root may read everything
        command = [copy, *map(str, FAST), "--out=-", "shots"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **user)
        (self.folder / "shots/more").chmod(0o755)
        sentence = "shots/more: the folder cannot be read (Permission denied)"
        self.assertEqual((done.returncode, done.stderr), (1, f"vsmax: {sentence}\n"))
        *records, last = map(json.loads, done.stdout.splitlines())
        self.assertEqual([record["image"] for record in records], names[:-1])
        self.assertEqual(last, {"image": "shots/more", "error": sentence})

    def test_a_link_to_nowhere_is_named(self):
        names = self.make_images(2)
        (self.folder / "shots/00.png").symlink_to("nowhere")
        result = self.run_vsmax(*FAST, "--json", "shots")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"shots/00.png: cannot be read", result.stderr)
        self.assertEqual(result.stdout.count(b"\n"), len(names))

    def test_patterns(self):
        names = self.make_images()
        self.assertEqual(self.images_of("shots/*.png"), names[:-1])
        self.assertEqual(self.images_of("shots/[13].png"), [names[1], names[3]])
        self.assertEqual(self.images_of("{shots/0,shots/mor?/*}.png"), [names[0], names[-1]])
        message = self.fail_with(1, *FAST, "shots/*.gif")
        self.assertEqual(message, "vsmax: shots/*.gif: no file matches the pattern\n")

    def test_a_file_with_the_name_of_a_pattern_is_that_file(self):
        self.synth("[a].png")
        self.synth("a.png")
        self.assertEqual(self.images_of("[a].png"), ["[a].png"])

    def test_lists(self):
        names = self.make_images()
        odd = self.synth("*.png")  # not a pattern in a list
        dash = self.synth("./-.png")
        (self.folder / "-").write_bytes((self.folder / odd).read_bytes())
        wanted = [*reversed(names), odd, dash]
        text = "\n".join([*wanted, "", "-"])  # an empty line, and no newline at the end
        (self.folder / "list").write_text(text)
        self.assertEqual(self.images_of("--files-from", "list"), [*wanted, "./-"])
        (self.folder / "list").write_text(text.replace("\n", "\r\n"))
        self.assertEqual(self.images_of("--files-from", "list"), [*wanted, "./-"])
        self.assertEqual(self.images_of("--files-from", "-", input=text.encode()), [*wanted, "./-"])
        null = text.replace("\n", "\0").encode()
        self.assertEqual(self.images_of("--files-from", "-", "-0", input=null), [*wanted, "./-"])
        self.assertEqual(self.images_of(odd, "--files-from=list")[:2], [odd, wanted[0]])

    def test_a_list_that_is_none(self):
        self.assertEqual(
            self.fail_with(1, *FAST, "--files-from", "missing", "--out", "out.jsonl"),
            "vsmax: missing: the list cannot be read (No such file or directory)\n",
        )
        self.assertFalse((self.folder / "out.jsonl").exists())
        self.assertIn(".: the list cannot be read", self.fail_with(1, *FAST, "--files-from", "."))
        message = self.fail_with(1, *FAST, "--files-from=-", input=b"a.png\0b.png\0")
        self.assertIn("needs --null", message)
        endless = b"x" * (2 << 20)
        self.assertIn("1048576 bytes", self.fail_with(1, *FAST, "--files-from=-", input=endless))

    def test_results_come_while_the_list_is_still_open(self):
        names = self.make_images(2)
        command = [VSMAX, *map(str, FAST), "--json", "--files-from", "-"]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with subprocess.Popen(command, cwd=self.folder, **pipes) as process:
            for name in names:
                process.stdin.write(name.encode() + b"\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["image"], name)
            process.send_signal(signal.SIGINT)  # while it waits for the next path
            self.assertEqual(process.wait(timeout=60), 130)

    def test_senseless_combinations(self):
        for arguments in (
            ("-", "--files-from", "-"),
            ("x.png", "--null"),
            ("x.png", "--resume"),
            ("x.png", "--out", "o", "--retry-errors"),
            ("x.png", "--out", "-", "--resume"),
            ("x.png", "--out", "o", "--resume", "--gallery", "g"),
            ("x.png", "--json", "--csv"),
            ("x.png", "--out="),
            ("--files-from=",),
        ):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.fail_with(2, "detect", *arguments).count("\n"), 1)
        for shard in ("2/2", "0/0", "-1/2", "1", "a/b", "1/2/3", "0/2x", "", "/", "0/"):
            with self.subTest(shard=shard):
                message = self.fail_with(2, "detect", f"--shard={shard}", "x.png")
                self.assertEqual(message.count("\n"), 1)


class Shards(Batch):
    def test_together_they_are_one_run(self):
        self.make_images(12)
        (self.folder / "shots/bad.png").write_text("no image")
        whole = self.run_vsmax(*FAST, "shots", "--out", "-")
        parts = [self.run_vsmax(*FAST, "shots", "--out", "-", f"--shard={i}/3") for i in range(3)]
        self.assertEqual(
            sorted(row for part in parts for row in part.stdout.splitlines()),
            sorted(whole.stdout.splitlines()),
        )
        self.assertEqual(sum(part.returncode for part in parts), 1)  # that with the bad file
        for part in parts:
            self.assertGreater(part.stdout.count(b"\n"), 0)

    def test_they_do_not_depend_on_other_images(self):
        names = self.make_images(12)
        first = self.images_of("shots", "--shard=0/2")
        some = [name for name in reversed(names) if name != first[0]]
        self.assertEqual(sorted(self.images_of(*some, "--shard=0/2")), sorted(first[1:]))

    def test_pictures_of_shards_have_their_own_names(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        for name in ("a/x.png", "b/x.png", "a/y.png", "b/y.png"):
            self.synth(name, 0.5, 3, "--size", "32x32")
        for shard in ("0/2", "1/2"):
            self.succeed(*FAST, "--overlay", "out", "--shard", shard, "a", "b")
        pictures = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(pictures, [f"{stem}-overlay.png" for stem in ("x-2", "x", "y-2", "y")])


class Log(Batch):
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
            self.assertEqual([r["image"] for r in records], [*names[:3], "shots/2x.jpg", *names[3:]])
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
            self.assertEqual(sorted(r["image"] for r in read(name)), sorted([*names, "shots/2x.jpg"]))
            self.assertFalse(any(r.get("error") for r in read(name)))
            (self.folder / "shots/2x.jpg").write_text("no image")
        self.assertFalse((self.folder / "out.jsonl.tmp").exists())

    def test_an_image_mentioned_twice_has_one_record(self):
        names = self.make_images(2)
        self.succeed(*FAST, *names, *names, "--out", "out.jsonl")
        self.assertEqual([r["image"] for r in self.records()], names)
        self.assertEqual(self.images_of(*names, *names), names * 2)  # as the command line says

    def test_names_of_any_kind_are_told_apart_when_resumed(self):
        odd = [b"new\nline.png", b"quo\"te, 'x'.png", b"not \xff.png", b"not \xfe.png", b"a ", b"\\n"]
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


class Resume(Batch):
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
        self.succeed("synth", "--theta=0.5", "--rho=5", "--theta=2", "--rho=9", "a\n\"2\".png")
        self.synth("b.png", 1.0, 3, "--size", "32x32")
        images = ("a\n\"2\".png", "b.png")
        for name, form in (("out.jsonl", "--json"), ("out.csv", "--csv")):
            command = ("detect", *images, "--model", "classic", form, "--out", name, "--resume")
            self.succeed(*command)
            whole = (self.folder / name).read_bytes()
            starts = [i + 1 for i in range(len(whole)) if whole[i : i + 1] == b"\n"]
            for size in sorted({0, 1, *starts, *(s - 1 for s in starts), *range(5, len(whole), 97)}):
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


class Progress(Batch):
    def test_a_terminal_shows_the_rate_and_the_time_left(self):
        self.make_images(40)
        ours, theirs = pty.openpty()
        command = [VSMAX, "detect", "shots", "--out", "out.jsonl", "--threads", "1"]
        with subprocess.Popen(command, cwd=self.folder, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    shown += os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
            self.assertEqual(process.wait(timeout=60), 0)
        os.close(ours)
        self.assertRegex(shown, rb"detecting .*images/s")
        self.assertIsNotNone(re.search(rb"\d+/40, [\d.]+ images/s, \d:\d\d left", shown), shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))


if __name__ == "__main__":
    unittest.main()
