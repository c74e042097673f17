# SPDX-License-Identifier: Apache-2.0
import base64
import csv
import io
import json
import math
import os
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from support import CommandLineTest, png_bytes, png_size


class Detect(CommandLineTest):
    def test_json_has_the_line_in_pixels_of_the_image(self):
        self.synth("line.png", 0.7, 21.5)
        (found,) = self.detect_json("line.png")
        self.assertEqual(found["image"], "line.png")
        self.assertEqual((found["width"], found["height"]), (256, 256))
        (line,) = found["lines"]
        self.assertAlmostEqual(line["theta"], 0.7, delta=0.02)
        self.assertAlmostEqual(line["rho"], 21.5, delta=1.5)
        self.assertTrue(0.0 <= line["confidence"] <= 1.0)

    def test_end_points_lie_on_the_line_and_on_the_border(self):
        self.synth("line.png", 2.0, -30, "--size", "300x200")
        (found,) = self.detect_json("line.png")
        (line,) = found["lines"]
        for x, y in line["endpoints"]:
            distance = (x - 149.5) * math.cos(line["theta"]) + (y - 99.5) * math.sin(line["theta"])
            self.assertAlmostEqual(distance, line["rho"], places=6)
            gap = min(x, 299 - x, y, 199 - y)
            self.assertAlmostEqual(gap, 0.0, places=6)

    def test_theta_is_canonical_on_the_seam(self):
        for theta in (0.0, 0.001, math.pi - 0.001, math.pi):
            self.synth("seam.png", theta, 40, "--sigma", 0.3)
            (found,) = self.detect_json("seam.png")
            (line,) = found["lines"]
            self.assertTrue(0.0 <= line["theta"] < math.pi)
            # The same line: close to theta = 0 with |rho| = 40.
            self.assertAlmostEqual(math.sin(line["theta"]), 0.0, delta=0.02)
            self.assertAlmostEqual(abs(line["rho"]), 40.0, delta=1.5)

    def test_text_shows_no_angle_of_180_degrees(self):
        self.synth("seam.png", 3.1405, 17.5, "--sigma", 0.4, "--seed", 206, "--size", "64x64")
        arguments = ("--model", "edges", "--lines", 1, "--min-confidence", 0, "seam.png")
        (found,) = self.detect_json(*arguments)
        (line,) = found["lines"]
        self.assertEqual(f"{math.degrees(line['theta']):.2f}", "180.00")
        text = self.succeed("detect", *arguments)
        self.assertIn(f": theta 0.00 deg, rho {-line['rho']:.2f} px", text)

    def test_constant_image_has_no_line(self):
        (self.folder / "flat.png").write_bytes(png_bytes(64, 48, [[77] * 64] * 48))
        (found,) = self.detect_json("flat.png")
        self.assertEqual(found["lines"], [])
        self.assertIn("no line", self.succeed("detect", "flat.png"))

    def draw(self, name, lines, *options):
        """An image of several lines, given as (theta, rho)."""
        places = [word for theta, rho in lines for word in (f"--theta={theta}", f"--rho={rho}")]
        self.succeed("synth", *places, *options, name)
        return name

    def check_lines(self, found, lines):
        """Every line is there once; (theta, rho) and (theta + pi, -rho) are one line."""
        self.assertEqual(len(found), len(lines))
        for theta, rho in lines:
            near = []
            for line in found:
                turns = round((line["theta"] - theta) / math.pi)
                angle = abs(line["theta"] - theta - turns * math.pi)
                near.append(angle < 0.03 and abs(line["rho"] * (-1) ** turns - rho) < 3)
            self.assertEqual(sum(near), 1, (theta, rho, found))

    LINES = ((0.8, 20), (2.5, -60), (0.01, 90), (1.6, -10))

    def test_finds_as_many_lines_as_there_are(self):
        for count in range(1, 5):
            self.draw("lines.png", self.LINES[:count], "--sigma", 0.3)
            (found,) = self.detect_json("lines.png")
            self.check_lines(found["lines"], self.LINES[:count])
            confidences = [line["confidence"] for line in found["lines"]]
            self.assertEqual(confidences, sorted(confidences, reverse=True))
            self.assertGreaterEqual(min(confidences), 0.5)

    def test_noise_has_no_line(self):
        self.draw("noise.png", [(0.0, 1e4)], "--sigma", 0.5)
        (found,) = self.detect_json("noise.png")
        self.assertEqual(found["lines"], [])
        self.assertEqual(self.succeed("detect", "noise.png"), "noise.png: no line\n")
        (forced,) = self.detect_json("--lines", 1, "--min-confidence", 0, "noise.png")
        self.assertEqual(len(forced["lines"]), 1)

    def test_text_has_one_row_per_line(self):
        self.draw("lines.png", self.LINES, "--sigma", 0.3)
        (found,) = self.detect_json("lines.png")
        rows = self.succeed("detect", "lines.png").splitlines()
        self.assertEqual(len(rows), 4)
        for row, line in zip(rows, found["lines"], strict=True):
            self.assertTrue(row.startswith(f"lines.png: theta {math.degrees(line['theta']):.2f} "))

    def test_text_has_one_row_per_line_whatever_the_name(self):
        name = "a\n\r\t\x1b[31m\x7f\x85\u2028\u00e9\\.png"
        shown = r"a\n\r\t\x1b[31m\x7f\u0085\u2028" + "\u00e9\\.png"
        self.draw(name, self.LINES[:2])
        self.draw("\n.png", [(0.0, 1e4)])
        rows = self.succeed("detect", name, "\n.png").split("\n")
        self.assertEqual(len(rows), 4)  # the last is empty
        for row in rows[:2]:
            self.assertTrue(row.startswith(shown + ": theta "), row)
        self.assertEqual(rows[2], r"\n.png: no line")
        # JSON and CSV have means of their own.
        objects = self.succeed("detect", "--json", name, "\n.png").rstrip("\n").split("\n")
        self.assertEqual([json.loads(row)["image"] for row in objects], [name, "\n.png"])
        table = io.StringIO(self.succeed("detect", "--csv", name), newline="")
        self.assertEqual([row["image"] for row in csv.DictReader(table)], [name] * 2)

    def test_complaints_take_one_line_whatever_the_name(self):
        self.synth("a.png")
        for code, words in (
            (1, ("no\nsuch.png",)),
            (2, ("--lines", "1\n2", "a.png")),
            (2, ("--model", "no\nmodel", "a.png")),
        ):
            message = self.fail_with(code, "detect", *words)
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(r"\n", message)
        self.assertEqual(self.fail_with(2, "no\ncommand").count("\n"), 1)

    def test_at_most_as_many_lines_as_asked_for(self):
        self.draw("lines.png", self.LINES, "--sigma", 0.3)
        for count in (1, 2, 3, 4, 5, 32):
            (found,) = self.detect_json("--lines", count, "lines.png")
            self.assertEqual(len(found["lines"]), min(count, 4))
        for bad in ("0", "-1", "1001", "many", "2.5", ""):
            message = self.fail_with(2, "detect", "--lines", bad, "lines.png")
            self.assertIn("--lines must be 'auto' or a whole number from 1 to 1000", message)
            self.assertIn(f"not '{bad}'", message)
        for bad in ("-0.1", "1.1", "nan", "high"):
            message = self.fail_with(2, "detect", f"--min-confidence={bad}", "lines.png")
            self.assertIn(f"must be a number from 0 to 1, not '{bad}'", message)

    def test_auto_says_where_it_stopped(self):
        for name in ("a.png", "b.png"):
            self.draw(name, [(0.0, 1e4)], "--sigma", 0.5)  # any peak of the noise counts as a line
        self.draw("few.png", self.LINES[:2])
        images = ("detect", "--json", "--model=classic", "--min-confidence=0", "a.png", "b.png")
        done = self.run_vsmax(*images)
        counts = [len(json.loads(row)["lines"]) for row in done.stdout.splitlines()]
        self.assertEqual(counts, [32, 32])
        self.assertEqual(done.stderr.decode(),
                         "vsmax: note: --lines auto stopped at 32 lines in 2 images, where there "
                         "may be more (--lines K finds up to K)\n")  # fmt: skip
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.run_vsmax(*images, "--lines=32").stderr, b"")
        self.assertEqual(self.run_vsmax("detect", "few.png").stderr, b"")

    def test_no_zero_has_a_sign(self):
        rows = [[255 if y == 50 else 0 for _ in range(101)] for y in range(101)]
        (self.folder / "middle.png").write_bytes(png_bytes(101, 101, rows))
        for form in ("--json", "--csv", "--threads=1"):
            text = self.succeed("detect", form, "--model=classic", "--lines=1", "middle.png")
            self.assertNotRegex(text, r"-0(\.0*)?[^0-9.]", text)
        (found,) = self.detect_json("--model=classic", "--lines=1", "middle.png")
        self.assertEqual(found["lines"][0]["rho"], 0.0)

    def test_pictures_of_several_lines(self):
        self.draw("lines.png", self.LINES, "--sigma", 0.3)
        self.succeed("detect", "--overlay", "out", "--explain", "out", "lines.png")
        self.assertEqual(png_size(self.folder / "out" / "lines-overlay.png"), (512, 512))
        self.check_explanation(self.folder / "out" / "lines-explain.svg", "lines.png")
        drawn = (self.folder / "out" / "lines-explain.svg").read_text()
        self.assertEqual(drawn.count("class='line'"), 4)

    def test_every_size_from_two_by_two(self):
        for width, height in ((2, 2), (2, 3), (3, 2), (2, 400), (400, 2), (5, 7)):
            rows = [[255 if x == y else 0 for x in range(width)] for y in range(height)]
            (self.folder / "small.png").write_bytes(png_bytes(width, height, rows))
            (found,) = self.detect_json("small.png")
            self.assertEqual((found["width"], found["height"]), (width, height))

    def test_a_single_pixel_is_refused_in_one_sentence(self):
        (self.folder / "dot.png").write_bytes(png_bytes(1, 1, [[255]]))
        message = self.fail_with(1, "detect", "dot.png")
        self.assertIn("dot.png", message)
        self.assertIn("1x1", message)

    def test_finds_a_dark_line_when_asked_for(self):
        rows = [[40 if abs(x - 30) < 1 else 220 for x in range(90)] for _ in range(60)]
        (self.folder / "dark.png").write_bytes(png_bytes(90, 60, rows))
        for model in ("edges", "horizon"):
            complaint = self.fail_with(2, "detect", "--dark", "--model", model, "dark.png")
            self.assertIn(f"which {model} is not", complaint)
        (found,) = self.detect_json("--dark", "dark.png")
        (line,) = found["lines"]
        self.assertAlmostEqual(line["endpoints"][0][0], 30, delta=1)
        self.assertGreater(line["confidence"], 0.9)

    def test_reads_standard_input(self):
        self.synth("line.png")
        image = (self.folder / "line.png").read_bytes()
        (piped,) = self.detect_json("-", input=image)
        (named,) = self.detect_json("line.png")
        self.assertEqual(piped["image"], "-")
        self.assertEqual(piped["lines"], named["lines"])
        self.assertIn("standard input", self.fail_with(1, "detect", "-", input=b""))

    def test_bad_images_are_named_and_the_others_still_done(self):
        self.synth("good.png")
        whole = (self.folder / "good.png").read_bytes()
        (self.folder / "cut.png").write_bytes(whole[: len(whole) // 2])
        (self.folder / "empty.png").write_bytes(b"")
        (self.folder / "text.jpg").write_text("this is no image\n")
        result = self.run_vsmax(
            "detect", "--json", "cut.png", "good.png", "empty.png", "text.jpg", "missing.png"
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.decode().count('"image":"good.png"'), 1)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        complaints = result.stderr.decode().splitlines()
        self.assertEqual(len(complaints), 4)
        for name in ("cut.png", "empty.png", "text.jpg", "missing.png"):
            self.assertEqual(sum(name in line for line in complaints), 1, complaints)

    def test_an_oversized_header_is_refused_before_allocation(self):
        bomb = bytearray(png_bytes(1, 1, [[0]]))
        huge = png_bytes(60000, 60000, [])
        bomb[: len(huge)] = huge
        (self.folder / "bomb.png").write_bytes(bytes(bomb))
        message = self.fail_with(1, "detect", "bomb.png")
        self.assertIn("bomb.png", message)
        self.assertIn("60000", message)

    def test_output_is_in_the_order_of_the_images_for_any_number_of_threads(self):
        names = [self.synth(f"{i}.png", 0.3 * i, 5 * i, "--size", "64x64") for i in range(8)]
        one = self.succeed("detect", "--json", "--threads", 1, *names)
        many = self.succeed("detect", "--json", "--threads", 4, *names)
        self.assertEqual(one, many)

    def test_pictures_are_written_and_none_overwrites_another(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        self.synth("a/line.png")
        self.synth("b/line.png", 1.9, -20)
        self.succeed("detect", "--overlay", "out/x", "--explain", "out", "a/line.png", "b/line.png")
        for name in ("x/line-overlay.png", "x/line-2-overlay.png"):
            self.assertEqual(png_size(self.folder / "out" / name), (512, 512))
        for name, title in (("line", "a/line.png"), ("line-2", "b/line.png")):
            self.check_explanation(self.folder / "out" / f"{name}-explain.svg", title)

    def check_explanation(self, path, title):
        svg = "{http://www.w3.org/2000/svg}"
        root = ElementTree.parse(path).getroot()
        self.assertEqual((root.tag, root.get("role")), (svg + "svg", "img"))
        self.assertEqual(root.find(svg + "title").text, title)
        self.assertEqual(len(root.findall(f"{svg}g[@class='panel']")), 4)
        sizes = []
        for image in root.iter(svg + "image"):
            kind, data = image.get("href").split(",")
            self.assertEqual(kind, "data:image/png;base64")
            png = base64.b64decode(data, validate=True)
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            sizes.append(struct.unpack(">II", png[16:24]))
        self.assertEqual(sizes[:3], [(512, 512), (480, 480), (480, 480)])

    def test_explanations_of_oddly_named_files_are_well_formed(self):
        self.synth("line.png")
        for name, title in (
            (b"<a & b> \"c\" 'd'.png", "<a & b> \"c\" 'd'.png"),
            ("M\u00f6bius \u03b8.png".encode(), "M\u00f6bius \u03b8.png"),
            (b"not \xff UTF-8 \x01.png", "not \ufffd UTF-8 \ufffd.png"),
        ):
            path = os.fsdecode(name)
            (self.folder / path).write_bytes((self.folder / "line.png").read_bytes())
            self.run_vsmax("detect", "--explain", "out", path)
            explanation = self.folder / "out" / (path.removesuffix(".png") + "-explain.svg")
            self.check_explanation(explanation, title)

    def test_no_overlay_replaces_an_image(self):
        self.synth("a.png")
        other = self.synth("a-overlay.png", 1.5)
        before = (self.folder / other).read_bytes()
        message = self.fail_with(1, "detect", "--overlay", ".", "a.png", other)
        self.assertIn("a-overlay.png", message)
        self.assertEqual((self.folder / other).read_bytes(), before)

    def test_a_picture_that_cannot_be_written_costs_no_line(self):
        self.synth("a.png")
        (self.folder / "out" / "a-overlay.png").mkdir(parents=True)  # in the picture's place
        result = self.run_vsmax("detect", "--overlay", "out", "a.png")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"a-overlay.png", result.stderr)
        self.assertIn(b"a.png: theta", result.stdout)

    def test_an_unwritable_folder_is_an_error(self):
        self.synth("line.png")
        (self.folder / "file").write_text("in the way")
        self.assertIn("file", self.fail_with(1, "detect", "--overlay", "file", "line.png"))

    def test_the_built_in_network(self):
        self.synth("line.png", 0.7, 21.5, "--sigma", 0.3)
        (found,) = self.detect_json("--model", "paper", "line.png")
        self.assertAlmostEqual(found["lines"][0]["theta"], 0.7, delta=0.03)
        self.assertAlmostEqual(found["lines"][0]["rho"], 21.5, delta=3)
        self.assertIn(
            "paper", self.fail_with(2, "detect", "--model=paper", "--grid=9x9", "line.png")
        )

    def test_the_model_is_chosen_by_the_image(self):
        self.succeed("synth", "--theta", 0.7, "--rho", 9, "thin.png")
        (found,) = self.detect_json("thin.png")
        self.assertEqual(found["model"], "default")
        self.assertIn("(default)", self.succeed("detect", "thin.png"))
        (found,) = self.detect_json("--model", "classic", "thin.png")
        self.assertEqual(found["model"], "classic")

    def test_grid_of_the_users_choice(self):
        self.synth("line.png", 0.7, 21.5)
        (found,) = self.detect_json("--grid", "361x509", "line.png")
        self.assertAlmostEqual(found["lines"][0]["theta"], 0.7, delta=0.01)
        for bad, reason in (("127x128", "odd"), ("0x3", "0x3"), ("12", "12"), ("axb", "axb")):
            self.assertIn(reason, self.fail_with(2, "detect", "--grid", bad, "line.png"))

    def test_unknown_models_and_damaged_weights(self):
        self.synth("line.png")
        for command in ("detect", "evaluate"):
            for name in ("nonsense", "no/such.safetensors", ""):
                message = self.fail_with(2, command, "--model", name)
                self.assertIn("must be an existing file or one of auto, default, ", message)
                self.assertIn(f"photo-lines or argmax, not '{name}' (see", message)
        (self.folder / "w.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
        message = self.fail_with(1, "detect", "--model", "w.safetensors", "line.png")
        self.assertIn("w.safetensors", message)
        (self.folder / "notes.txt").write_text("no weights here")
        message = self.fail_with(1, "detect", "--model", "notes.txt", "line.png")
        self.assertIn("notes.txt: is not a safetensors file", message)
        (self.folder / "run").mkdir()
        (self.folder / "run" / "model.safetensors").write_bytes(b"")
        message = self.fail_with(1, "detect", "--model", "run", "line.png")
        self.assertIn("its model is run/model.safetensors", message)


if __name__ == "__main__":
    unittest.main()
