# SPDX-License-Identifier: Apache-2.0
"""Where the images of 'vsmax detect' come from: folders, patterns, lists, shards of them."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import VSMAX, BatchTest

FAST = BatchTest.FAST


class Sources(BatchTest):
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

    def test_an_image_that_takes_long_holds_the_others_back_but_not_for_ever(self):
        """More images than may be finished ahead of it wait for one in a pipe."""
        self.synth("tiny.png", 0.5, 1, "--size", "8x8")
        (self.folder / "many").mkdir()
        names = [f"many/{i:04}.png" for i in range(1200)]
        for name in names:
            os.link(self.folder / "tiny.png", self.folder / name)
        os.mkfifo(self.folder / "slow.png")
        command = [VSMAX, *FAST, "--json", "--threads", "2", "slow.png", "many"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE) as process:
            with open(self.folder / "slow.png", "wb") as pipe:
                time.sleep(1)
                pipe.write((self.folder / "tiny.png").read_bytes())
            printed = process.stdout.read().splitlines()
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual([json.loads(row)["image"] for row in printed], ["slow.png", *names])

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


class Shards(BatchTest):
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


class Progress(BatchTest):
    def test_a_terminal_shows_the_rate_and_the_time_left(self):
        self.make_images(4)
        for i in range(4, 500):  # enough for several updates on any machine
            shutil.copyfile(self.folder / "shots/0.png", self.folder / f"shots/{i}.png")
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
        self.assertIsNotNone(re.search(rb"\d+/500, [\d.]+ images/s, \d:\d\d left", shown), shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))


if __name__ == "__main__":
    unittest.main()
