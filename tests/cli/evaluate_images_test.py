# SPDX-License-Identifier: Apache-2.0
"""Scores on labelled images, from images and labels made here."""

import csv
import json
import math
import unittest

from support import CommandLineTest, png_bytes

LINES = {  # name: theta, rho, in images of 120x90 pixels
    "a.png": (1.5, 10.0),
    "b, 1.png": (1.7, -20.0),
    "c.png": (0.02, 30.0),
    "d.png": (3.1, 5.0),
    "e.png": (2.3, 0.0),
}


def ends(theta, rho):
    """Two points of the line, from the centre of the top-left pixel of 120x90."""
    x, y = 59.5 + rho * math.cos(theta), 44.5 + rho * math.sin(theta)
    dx, dy = -20 * math.sin(theta), 20 * math.cos(theta)
    return [x - dx, y - dy, x + dx, y + dy]


class EvaluateImages(CommandLineTest):
    def setUp(self):
        super().setUp()
        (self.folder / "set/images").mkdir(parents=True)
        for name, (theta, rho) in LINES.items():
            self.synth(f"set/images/{name}", theta, rho, "--size", "120x90", "--sigma", 0.2)
        self.label({name: [ends(*line)] for name, line in LINES.items()})

    def label(self, lines, header=("image", "x0", "y0", "x1", "y1")):
        with open(self.folder / "set/lines.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            for name, rows in lines.items():
                for row in rows or [[""] * 4]:
                    writer.writerow([name, *row])

    def evaluate(self, *arguments, protocol="horizon"):
        arguments = ("--data", "set", "--protocol", protocol, "--json", *arguments)
        return json.loads(self.succeed("evaluate", *arguments))

    def refuse(self, *arguments, protocol="horizon", code=1):
        return self.fail_with(code, "evaluate", "--data", "set", "--protocol", protocol, *arguments)

    def write_answers(self, answers, name="answers.jsonl"):
        (self.folder / name).write_text("".join(json.dumps(row) + "\n" for row in answers))
        return name

    def images(self):
        return [f"set/images/{name}" for name in LINES]

    def test_never_writes_into_what_it_reads(self):
        before = (self.folder / "set/lines.csv").read_text()
        for place in ("set/lines.csv", "set/images/a.png", "set/scores.csv"):
            self.assertIn(f"{place}: lies in set", self.refuse("--per-image", place))
        self.assertEqual((self.folder / "set/lines.csv").read_text(), before)
        answers = self.write_answers([])
        said = self.refuse("--answers", answers, "--per-image", answers)
        self.assertIn("is an input of this command", said)

    def test_finds_the_lines_it_was_given(self):
        report = self.evaluate()
        self.assertEqual((report["model"], report["data"]), ("auto", "set"))
        self.assertEqual((report["images"], report["found"]), (5, 5))
        self.assertGreater(report["ea"]["mean"], 0.95)
        self.assertGreater(report["ea"]["percentile_5"], 0.9)
        self.assertEqual(report["ea"]["below_half"], 0)
        self.assertLess(report["angle_deg"]["mean"], 1.0)
        self.assertLess(report["offset_px"]["median"], 1.5)
        self.assertEqual(sum(bin["count"] for bin in report["calibration"]["bins"]), 5)
        text = self.succeed("evaluate", "--data", "set", "--protocol", "horizon")
        self.assertIn("lines found: 5 of 5", text)
        self.assertIn(f"{report['ea']['mean']:.4f}", text)

    def test_per_image_scores_average_to_the_report(self):
        report = self.evaluate("--per-image", "scores.csv")
        with open(self.folder / "scores.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["image"] for row in rows], sorted(LINES))
        mean = sum(float(row["ea"]) for row in rows) / 5
        self.assertAlmostEqual(mean, report["ea"]["mean"], places=5)
        angle = sum(float(row["angle_deg"]) for row in rows) / 5
        self.assertAlmostEqual(angle, report["angle_deg"]["mean"], places=3)

    def test_the_answers_of_detect_score_as_its_model(self):
        (self.folder / "set/images/f.png").write_bytes(png_bytes(120, 90, [[9] * 120] * 90))
        lines = {name: [ends(*line)] for name, line in LINES.items()}
        self.label({**lines, "f.png": [[0, 0, 9, 9]]})
        images = [*self.images(), "set/images/f.png"]
        for model in ("classic", "argmax", "paper"):
            for protocol, wanted in (
                ("horizon", ("--lines", 1, "--min-confidence", 0)),
                ("lines", ()),
            ):
                text = self.succeed("detect", "--json", "--model", model, *wanted, *images)
                (self.folder / "answers.jsonl").write_text(text)
                found = self.evaluate("--model", model, "--per-image", "a.csv", protocol=protocol)
                same = self.evaluate(
                    "--answers", "answers.jsonl", "--per-image", "b.csv", protocol=protocol
                )
                self.assertEqual(same.pop("answers"), "answers.jsonl")
                self.assertEqual(found.pop("model"), model)
                self.assertEqual(same, found)
                tables = [(self.folder / name).read_text() for name in ("a.csv", "b.csv")]
                self.assertEqual(*tables)
            self.assertIn("f.png,1,0,", tables[0])

    def test_sixteen_bits_are_kept(self):
        # A line of 20 in 65,535, which eight bits would not show.
        row = b"".join(bytes((0, 20 if x == 40 else 0)) for x in range(120))
        image = png_bytes(120, 90, [row] * 90, bits=16)
        for name in LINES:
            (self.folder / "set/images" / name).write_bytes(image)
        self.label({name: [[40, 0, 40, 89]] for name in LINES})
        self.assertGreater(self.evaluate("--model", "classic")["ea"]["mean"], 0.95)

    def test_the_same_for_any_number_of_threads(self):
        one = self.evaluate("--threads", 1, "--per-image", "1.csv")
        many = self.evaluate("--threads", 3, "--per-image", "3.csv")
        self.assertEqual(one, many)
        self.assertEqual(*((self.folder / name).read_text() for name in ("1.csv", "3.csv")))

    def test_scores_by_hand(self):
        # Each answer lies ten of 89 pixels below a level line.
        self.label({name: [[0, 30, 119, 30]] for name in LINES})
        line = {"theta": math.pi / 2, "rho": 40 - 44.5, "confidence": 0.5}
        answers = [
            {"image": f"/elsewhere/{name}", "width": 120, "height": 90, "lines": [line]}
            for name in LINES
        ]
        answers[3]["lines"] = []
        report = self.evaluate("--answers", self.write_answers(answers), "--per-image", "s.csv")
        ea = (1 - 10 / 89) ** 2
        self.assertAlmostEqual(report["ea"]["mean"], 0.8 * ea, places=9)
        self.assertAlmostEqual(report["ea"]["median"], ea, places=9)
        self.assertAlmostEqual(report["ea"]["below_half"], 0.2, places=9)
        self.assertAlmostEqual(report["offset_px"]["mean"], 10, places=9)
        self.assertEqual(report["found"], 4)
        self.assertAlmostEqual(report["calibration"]["error"], 0.8 * (ea - 0.5), places=9)
        self.assertLessEqual(report["calibration"]["chance"], report["calibration"]["error"])
        self.assertIn("d.png,0.000000,,,0.000000\n", (self.folder / "s.csv").read_text())

    def test_the_guide_is_the_line_to_find(self):
        other = [[10, 10, 20, 10, 0]]
        lines = {name: [*other, [*ends(*line), 1]] for name, line in LINES.items()}
        header = ("image", "x0", "y0", "x1", "y1", "guide")
        self.label(lines, header)
        self.assertGreater(self.evaluate(protocol="guide")["ea"]["mean"], 0.95)
        self.assertIn("2 lines", self.refuse())
        lines["c.png"] = other
        self.label(lines, header)
        self.assertIn("c.png has no guide", self.refuse(protocol="guide"))
        self.label({name: [ends(*line)] for name, line in LINES.items()})
        self.assertIn("no guides", self.refuse(protocol="guide"))

    def test_all_lines_are_matched_one_to_one(self):
        lines = {name: [[0, 30, 119, 30], [0, 60, 119, 60]] for name in LINES}
        lines["a.png"] = []
        self.label(lines)
        level = [{"theta": math.pi / 2, "rho": y - 44.5, "confidence": 1} for y in (30, 30, 60)]
        answers = [{"image": name, "width": 120, "height": 90, "lines": level} for name in LINES]
        report = self.evaluate("--answers", self.write_answers(answers), protocol="lines")
        self.assertEqual((report["labelled"], report["found"]), (8, 15))
        self.assertEqual((report["blank_images"], report["false_alarms"]), (1, 1))
        self.assertEqual(len(report["thresholds"]), 99)
        for entry in report["thresholds"]:
            self.assertAlmostEqual(entry["precision"], 8 / 15)
            self.assertAlmostEqual(entry["recall"], 1)
            self.assertAlmostEqual(entry["f"], 16 / 23)
        for key in ("mean_f", "f_50", "f_90"):
            self.assertAlmostEqual(report[key], 16 / 23)
        self.assertIn("a.png has 0 lines", self.refuse())

    def test_lines_of_low_confidence_are_left_out_unless_one_is_asked_for(self):
        found = [
            self.evaluate("--min-confidence", least, protocol="lines")["found"]
            for least in (0, 0.5, 1)
        ]
        self.assertGreater(found[0], found[1])
        self.assertGreaterEqual(found[1], 5)
        self.assertGreater(found[1], found[2])
        self.assertEqual(self.evaluate()["found"], 5)
        self.assertIn("--protocol lines", self.refuse("--min-confidence", 0.1, code=2))
        self.refuse("--min-confidence", 1.5, code=2)

    def test_folds_divide_the_images(self):
        names = []
        for fold in (1, 2, 3):
            report = self.evaluate("--fold", fold, "--folds", 3, "--per-image", "f.csv")
            rows = (self.folder / "f.csv").read_text().splitlines()[1:]
            self.assertEqual((report["fold"], report["folds"]), (fold, 3))
            self.assertEqual(report["images"], len(rows))
            names += next(zip(*csv.reader(rows), strict=True))
        self.assertEqual(names, sorted(LINES))
        alone = ("--data", "set", "--protocol", "horizon", "--fold", 1, "--folds", len(LINES))
        self.assertIn(" on 1 image of set,", self.succeed("evaluate", *alone))
        self.assertIn("is 4, but --folds is 3", self.refuse("--fold", 4, "--folds", 3, code=2))
        self.assertIn("9 folds", self.refuse("--fold", 1, "--folds", 9))
        for arguments in (("--fold", 1), ("--folds", 3), ("--fold", 0, "--folds", 3)):
            self.refuse(*arguments, code=2)

    def test_lines_that_miss_their_image_are_refused(self):
        lines = {name: [ends(*line)] for name, line in LINES.items()}
        self.label({**lines, "d.png": [[0, -30, 119, -20]]})
        message = self.refuse()
        for part in ("lines.csv", "row 5", "d.png", "120x90"):
            self.assertIn(part, message)

    def test_bad_answers_are_named(self):
        def row(**changes):
            line = {"theta": 1.0, "rho": 2.0, "confidence": 0.5, **changes.pop("line", {})}
            return {"image": "a.png", "width": 120, "height": 90, "lines": [line], **changes}

        for answer, parts in (
            ("[]", ("row 1", "JSON object")),
            ("{", ("row 1", "JSON object")),
            (row(lines=3), ("row 1", '"lines"', "wrong type")),
            (row(lines=[7]), ("row 1", "not an object")),
            (row(width="x"), ("row 1", '"width"')),
            (row(line={"theta": None}), ("row 1", '"theta"')),
            (row(line={"confidence": 1.5}), ("row 1", "confidence")),
            ({"width": 3}, ("row 1", 'no "image"')),
            (row(width=90, height=120), ("a.png", "90x120", "120x90")),
            (row(), ("no answer for b, 1.png",)),
            ({"image": "a.png", "error": "a.png: damaged"}, ("no answer for a.png",)),
        ):
            text = answer if isinstance(answer, str) else json.dumps(answer)
            (self.folder / "bad.jsonl").write_text(text + "\n")
            message = self.refuse("--answers", "bad.jsonl", "--threads", 1)
            for part in ("bad.jsonl", *parts):
                self.assertIn(part, message)
        self.write_answers([row(), row(image="x/a.png")], "twice.jsonl")
        self.assertIn("row 2 is a second answer", self.refuse("--answers", "twice.jsonl"))
        self.assertIn("no.jsonl", self.refuse("--answers", "no.jsonl"))

    def test_wrong_combinations_are_usage_errors(self):
        self.refuse("--sigma", 0.1, code=2)
        self.refuse("--temperature", 2, code=2)
        self.refuse("--sample", 2, code=2)
        self.refuse("--near-seam", 2, code=2)
        self.refuse("--reliability", code=2)
        self.refuse("--answers", "x", "--model", "paper", code=2)
        self.refuse("--answers", "x", "--min-confidence", 0.2, protocol="lines", code=2)
        self.refuse(protocol="curve", code=2)
        self.fail_with(2, "evaluate", "--data", "set")
        self.fail_with(2, "evaluate", "--protocol", "lines")
        self.fail_with(2, "evaluate", "--per-image", "x.csv")
        self.assertIn("posterior", self.refuse("--model", "posterior", code=2))

    def test_failures_leave_nothing_half_written(self):
        self.assertIn("no/x.csv", self.refuse("--per-image", "no/x.csv"))
        (self.folder / "set/images/c.png").write_bytes(b"no image")
        self.assertIn("c.png", self.refuse("--per-image", "x.csv"))
        self.assertFalse((self.folder / "x.csv").exists())


if __name__ == "__main__":
    unittest.main()
