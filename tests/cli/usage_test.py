# SPDX-License-Identifier: Apache-2.0
import json
import signal
import subprocess
import time
import unittest

from support import VSMAX, CommandLineTest


class Usage(CommandLineTest):
    def test_every_help_shows_an_example(self):
        for command in ((), ("detect",), ("evaluate",), ("synth",), ("models",)):
            self.assertIn("Example", self.succeed(*command, "--help"))

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"^vsmax \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_with_two(self):
        for arguments in ((), ("nonsense",), ("detect",), ("detect", "--nonsense", "x.png")):
            self.fail_with(2, *arguments)
        self.fail_with(2, "evaluate", "--lines", "sideways")
        self.fail_with(2, "evaluate", "--sigma", "loud")
        self.fail_with(2, "evaluate", "--sigma", "")
        self.fail_with(2, "synth", "--theta", "1", "out.png")
        self.fail_with(2, "detect", "--overlay", "", "x.png")
        self.assertIn("-1", self.fail_with(2, "detect", "--threads", "-1", "x.png"))
        self.assertIn("no command 'detec'", self.fail_with(2, "detec", "x.png"))
        self.assertIn("empty", self.fail_with(2, "detect", ""))
        for value in ("nan", "inf", "0", "-1"):
            message = self.fail_with(2, "evaluate", "--temperature", value)
            self.assertIn(f"--temperature must be a positive number, not '{value}'", message)
        for seed in ("-1", "1.5", "18446744073709551616"):
            message = self.fail_with(2, "synth", "--theta", 1, "--rho", 1, "--seed", seed, "x.png")
            self.assertIn(seed, message)

    def test_malformed_values_are_wrong_usage(self):
        self.synth("a.png")
        line = ("synth", "--theta=1", "--rho=1", "o.png")
        data = ("evaluate", "--data", ".", "--protocol", "lines")
        values = {
            ("detect", "a.png"): {
                "--grid": ("12", "127x128", "0x3", "axb", "9x9x9", ""),
                "--lines": ("0", "1.5", "many", ""),
                "--min-confidence": ("-0.1", "2", "nan", "x", ""),
                "--threads": ("-1", "x", "1.5", ""),
                "--overlay": ("",),
                "--explain": ("",),
                "--gallery": ("",),
            },
            ("evaluate", "--model", "argmax"): {
                "--grid": ("12", "127x128"),
                "--sigma": ("-1", "nan", "inf", "0,x", ""),
                "--lines": ("sideways", ""),
                "--seed": ("-1", "1.5", ""),
                "--size": ("12", "1x1", "axb", "99999x99999", ""),
                "--line-grid": ("12", "127x128", ""),
                "--temperature": ("0", "x", ""),
                "--threads": ("-1", ""),
            },
            data: {
                "--fold": ("0", "-1", "1.5", "3 --folds 2", ""),
                "--folds": ("0 --fold 1", "x --fold 1"),
                "--min-confidence": ("2", ""),
            },
            line: {
                "--size": ("0x5", "5", "-3x4", "99999x99999", ""),
                "--sigma": ("-0.1", "nan", "inf", "loud", ""),
                "--seed": ("-1", "1.5", ""),
                "--theta": ("nan --rho=1", "inf --rho=1", "x --rho=1", ""),
            },
        }
        for command, options in values.items():
            for option, texts in options.items():
                for text in texts:
                    value, *more = text.split(" ") if text else [""]
                    with self.subTest(command=command[0], option=option, value=text):
                        message = self.fail_with(2, *command, f"{option}={value}", *more)
                        self.assertEqual(message.count("\n"), 1, message)
                        # Some complain about the image that would result.
                        if value and option not in ("--size", "--grid", "--line-grid"):
                            self.assertRegex(message, f"{option} (is|must be) .*'?{value}")
        self.assertFalse((self.folder / "o.png").exists())

    def test_a_number_that_is_none_is_named_in_one_style(self):
        for words, complaint in (
            ("detect --threads 2.5", "--threads must be a whole number from 0 to 4096, not '2.5'"),
            ("detect --threads 4097",
             "--threads must be a whole number from 0 to 4096, not '4097'"),
            ("detect --min-confidence x", "--min-confidence must be a number from 0 to 1, not 'x'"),
            ("detect --grid abc", "--grid must be two positive numbers such as 255x127, not 'abc'"),
            ("detect --shard 4/4",
             "--shard must be I/N with I from 0 to N - 1, such as 0/4, not '4/4'"),
            ("detect --device gpu", "--device must be cpu or cuda, not 'gpu'"),
            ("evaluate --sample 1e3",
             "--sample must be a whole number from 1 to 2147483647, not '1e3'"),
            ("evaluate --temperature 0x1", "--temperature must be a positive number, not '0x1'"),
            ("evaluate --size abc",
             "--size must be two positive numbers such as 256x192, not 'abc'"),
            ("evaluate --lines x", "--lines must be grid or continuous, not 'x'"),
            ("synth --theta x", "--theta must be a number, not 'x'"),
            ("synth --sigma -1e-3", "--sigma must be a number of at least 0, not '-1e-3'"),
            ("synth --seed 1.0",
             "--seed must be a whole number from 0 to 18446744073709551615, not '1.0'"),
            ("synth --theta", "--theta needs a value"),
            ("detect --lines 1 --lines 2", "--lines can be given only once"),
        ):  # fmt: skip
            command = words.split()[0]
            expected = f"vsmax: {complaint} (see 'vsmax {command} --help')\n"
            self.assertEqual(self.fail_with(2, *words.split()), expected)

    def test_every_item_of_a_list_is_a_number(self):
        small = ("evaluate", "--size", "8x8", "--line-grid", "5x5", "--json")
        for sigmas in ("0,,1", ",1", "0,", ",", "0, 1", "0,-1", "0,nan"):
            message = self.fail_with(2, *small, "--sigma", sigmas)
            self.assertIn("--sigma must be numbers of at least 0, separated by commas", message)
            self.assertIn(f", not '{sigmas}'", message)
        results = json.loads(self.succeed(*small, "--sigma", "0,1e-1", "0.2"))["results"]
        self.assertEqual([result["sigma"] for result in results], [0, 0.1, 0.2])

    def test_leading_zeros_do_not_change_a_number(self):
        small = ("evaluate", "--size=8x8", "--line-grid=5x5", "--sigma=0", "--json")
        self.assertEqual(json.loads(self.succeed(*small, "--seed", "0010"))["seed"], 10)
        self.assertEqual(json.loads(self.succeed(*small, "--seed", "08"))["seed"], 8)

    def test_models_are_listed(self):
        text = self.succeed("models")
        self.assertIn("classic", text)
        self.assertIn("argmax", text)
        self.assertIn("paper", text)
        self.assertRegex(text, r"(?m)^auto +- +- ")

    def test_lost_output_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([VSMAX, "models"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "vsmax: standard output cannot be written\n")

    def test_the_program_links_no_torch(self):
        libraries = subprocess.run(["ldd", VSMAX], capture_output=True, check=True).stdout.decode()
        self.assertNotRegex(libraries, "lib(torch|c10)")  # an address may hold c10

    def test_interrupt_ends_cleanly(self):
        process = subprocess.Popen(
            [VSMAX, "evaluate", "--sigma", "0.5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(complaints, b"vsmax: interrupted\n")  # no progress bar in a pipe

    def test_interrupt_ends_synth_at_once_and_leaves_no_file(self):
        command = [VSMAX, "synth", "--theta", "1", "--rho", "3", "--sigma", "1"]
        process = subprocess.Popen([*command, "--size", "9000x9000", "big.png"], cwd=self.folder)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), -signal.SIGINT)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_interrupt_ends_the_wait_for_standard_input(self):
        process = subprocess.Popen(
            [VSMAX, "detect", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


class Synth(CommandLineTest):
    def test_writes_to_standard_output(self):
        self.synth("a.png", 1.0, 3)
        arguments = ("synth", "--theta", "1.0", "--rho", "3", "-")
        done = subprocess.run([VSMAX, *arguments], stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, (self.folder / "a.png").read_bytes())

    def test_a_name_of_another_format_is_refused(self):
        self.assertIn(".png", self.fail_with(2, "synth", "--theta", "1", "--rho", "3", "a.JPG"))
        self.assertFalse((self.folder / "a.JPG").exists())

    def test_same_seed_same_file(self):
        self.synth("a.png", 1.0, 3, "--sigma", 0.4, "--seed", 5)
        self.synth("b.png", 1.0, 3, "--sigma", 0.4, "--seed", 5)
        self.synth("c.png", 1.0, 3, "--sigma", 0.4, "--seed", 6)
        read = lambda name: (self.folder / name).read_bytes()  # noqa: E731
        self.assertEqual(read("a.png"), read("b.png"))
        self.assertNotEqual(read("a.png"), read("c.png"))

    def test_several_lines_in_one_image(self):
        self.synth("a.png", 1.0, 3)
        self.synth("b.png", 2.0, -9)
        self.synth("both.png", 1.0, 3, "--theta", 2.0, "--rho=-9")
        (a,), (b,), both = map(self.detect_lines, ("a.png", "b.png", "both.png"))
        self.assertEqual(len(both), 2)
        for line in (a, b):
            self.assertTrue(any(abs(line["theta"] - found["theta"]) < 0.03 for found in both))
        message = self.fail_with(2, "synth", "--theta=1", "--rho=2", "--theta=3", "c.png")
        self.assertIn("there are 2 and 1", message)

    def detect_lines(self, name):
        (found,) = self.detect_json(name)
        return found["lines"]

    def test_bad_values_are_named(self):
        synth = ("synth", "--rho=0", "o.png")
        self.assertIn("-0.1", self.fail_with(2, *synth, "--theta=1", "--sigma=-0.1"))
        self.assertIn("nan", self.fail_with(2, *synth, "--theta=nan"))
        for size in ("0x5", "5", "-3x4", "99999x99999"):
            message = self.fail_with(2, "synth", "--theta=1", "--rho=0", f"--size={size}", "o.png")
            self.assertIn(size, message)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_unwritable_target(self):
        message = self.fail_with(1, *["synth", "--theta", "1", "--rho", "0", "nowhere/o.png"])
        self.assertIn("nowhere/o.png", message)


if __name__ == "__main__":
    unittest.main()
