# SPDX-License-Identifier: Apache-2.0
"""The report: the committed one, one of every kind of table and figure, and what is refused."""

import copy
import json
import re
import struct
import tempfile
import unittest
import warnings
from pathlib import Path
from xml.etree import ElementTree

from report_support import MISSING, ROOT, SUITE, ReportTest
from report_support import run as finished_run

import style  # isort: skip
from markdown import MINUS, UNKNOWN  # isort: skip
from number import Number  # isort: skip
from report import DEFAULT, rendered  # isort: skip
from results import ReportError, Results  # isort: skip
from statistic import paired_t, two_sided_p  # isort: skip


class CommittedReport(unittest.TestCase):
    def check(self, name):
        """The report is what its template makes of the committed runs."""
        style.apply()
        folder = ROOT / "results" / name
        text, figures = rendered(Results(folder), ROOT / "suites" / f"{name}.report.md")
        committed = (folder / "REPORT.md").read_text()
        pairs = zip(committed.splitlines(), text.splitlines(), strict=False)
        for number, (old, new) in enumerate(pairs, start=1):
            self.assertEqual(old, new, f"REPORT.md differs first in line {number}")
        self.assertEqual(committed, text)
        for figure in figures:
            self.assertTrue((folder / "plots" / f"{figure}.svg").exists(), figure)
        return text

    def test_the_paper(self):
        text = self.check("paper")
        for name in ("table-main", "fig-seam", "table-paired", "table-generalisation"):
            self.assertRegex(text, rf"\| `{name}` \| .* \| complete \|")

    def test_photographs(self):
        self.check("real")

    def test_the_choices_that_the_paper_leaves_open(self):
        text = self.check("choices")
        self.assertIn("| E1 | the readout or the cover? | 10 of 10 | finished |", text)

    def test_the_runs_that_two_suites_share_are_the_same(self):
        results = ROOT / "results"
        for kind in ("runs", "angles"):
            shared = 0
            for path in (results / "choices" / kind).glob("*.json"):
                original = results / "paper" / kind / path.name
                if original.exists():
                    self.assertEqual(path.read_bytes(), original.read_bytes(), path.name)
                    shared += 1
            self.assertGreaterEqual(shared, 10, kind)

    def test_the_report_beyond_the_paper_is_that_of_its_runs(self):
        self.assertNotIn("Not yet run", self.check("beyond"))


# Table 1 of the paper: all, seam, interior.
TABLE_1 = {
    "mlp-polar": ("0.719 ± 0.268", "0.561 ± 0.297", "0.730 ± 0.263"),
    "mlp-vs": ("0.763 ± 0.294", "0.720 ± 0.293", "0.766 ± 0.294"),
    "softargmax-polar": ("0.659 ± 0.314", "0.627 ± 0.351", "0.662 ± 0.311"),
    "softargmax-vs": ("0.717 ± 0.298", "0.692 ± 0.339", "0.719 ± 0.295"),
    "vsmax-polar": ("0.692 ± 0.295", "0.806 ± 0.237", "0.684 ± 0.297"),
    "vsmax-vs": ("0.878 ± 0.233", "0.918 ± 0.177", "0.875 ± 0.237"),
}
# Its table of generalisation: in support, held out.
GENERALISATION = {
    "mlp-vs-g1": ("0.934 ± 0.147", "0.325 ± 0.341"),
    "mlp-vs-g2": ("0.945 ± 0.116", "0.289 ± 0.330"),
    "mlp-vs-g3": ("0.931 ± 0.204", "0.515 ± 0.331"),
    "mlp-vs-g4": ("0.956 ± 0.085", "0.296 ± 0.315"),
    "vsmax-vs-g1": ("0.949 ± 0.058", "0.949 ± 0.058"),
    "vsmax-vs-g2": ("0.948 ± 0.058", "0.947 ± 0.059"),
    "vsmax-vs-g3": ("0.948 ± 0.054", "0.948 ± 0.055"),
    "vsmax-vs-g4": ("0.914 ± 0.060", "0.914 ± 0.063"),
}
# Numbers that the text of the paper's report may type: definitions and mathematics, no results.
TYPED = {"0.4", "0.01", "0.05", "1.633", "1.500", "70.5", "0.5", "1.1", "2.0", "3.0", "11"}
TYPED |= {"0.09"}  # p of a mean that equals the deviation of five seeds
TYPED |= {"0.1", "0.2", "0.3", "0.6", "0.7", "0.8"}  # noise
TYPED_CHOICES = {"0.05", "0.3", "0.5", "0.6", "3.0", "6.7", "1.8"}  # the last two: squared targets


class PublishedNumbers(unittest.TestCase):
    def test_they_are_the_papers(self):
        results = Results(ROOT / "results" / "paper")
        text = (ROOT / "results" / "paper" / "REPORT.md").read_text()
        for run, scores in TABLE_1.items():
            for lines, score in zip(("all", "seam", "interior"), scores, strict=True):
                self.assertEqual(results.published(run, 0.6, lines), score, f"{run}, {lines}")
                self.assertIn(f"| {score} |", text)
        for run, scores in GENERALISATION.items():
            for lines, score in zip(("in", "out"), scores, strict=True):
                self.assertEqual(results.published(run, 0, lines), score, f"{run}, {lines}")

    def test_no_result_is_typed_by_hand(self):
        for suite, typed in (("paper", TYPED), ("choices", TYPED_CHOICES)):
            template = (ROOT / "suites" / f"{suite}.report.md").read_text()
            prose = re.sub(
                r"\{[{%].*?[}%]\}|`[^`]*`|\([^()]*\.md\)|\]\([^)]*\)", "", template, flags=re.S
            )
            found = set(re.findall(r"\d+\.\d+|\d+(?= %)", prose))
            self.assertEqual(found - typed, set(), suite)


class Report(ReportTest):
    def test_every_kind_is_drawn_and_a_second_run_changes_nothing(self):
        self.run_report(PYTHONHASHSEED="1")
        text = (self.folder / "REPORT.md").read_text()
        for name in SUITE["items"].keys() - {"scores"}:
            root = ElementTree.parse(self.folder / "plots" / f"{name}.svg").getroot()
            self.assertTrue(root.tag.endswith("svg"))
            head = (self.folder / "plots" / f"{name}.png").read_bytes()[:24]
            self.assertTrue(head.startswith(b"\x89PNG"))
            self.assertGreater(min(struct.unpack(">II", head[16:24])), 400)
            self.assertEqual(text.count(f"](plots/{name}.png)"), 1)
        self.assertIn(f"Not yet run: `{MISSING}`.", text)
        self.assertIn("| `seeds` | Seeds | runs missing: 1 |", text)

        files = [path for path in self.folder.rglob("*") if path.is_file()]
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
        settings = self.folder.parent / "matplotlibrc"
        settings.write_text("font.size: 30\nsvg.hashsalt: other\nsavefig.bbox: tight\n")
        self.run_report(PYTHONHASHSEED="2", MATPLOTLIBRC=str(settings))
        for path, state in before.items():
            self.assertEqual((path.read_bytes(), path.stat().st_mtime_ns), state, path)

    def test_every_kind_is_drawn_whatever_is_finished(self):
        runs = {path: path.read_text() for path in (self.folder / "runs").iterdir()}
        for finished in (None, *runs):
            for path in runs:
                path.unlink(missing_ok=True)
            if finished:
                finished.write_text(runs[finished])
            with self.subTest(finished=finished):
                self.draw_everything()

    def test_every_kind_is_drawn_without_a_run_or_ceiling(self):
        suite = copy.deepcopy({**SUITE, "ceiling": None})
        suite["items"]["scores"]["show"].remove("ceiling")
        del suite["items"]["noise"]["training_maximum"]
        self.write("suite.json", suite)
        for path in (self.folder / "runs").iterdir():
            path.unlink()
        self.draw_everything()

    def draw_everything(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            style.apply()
            _, figures = rendered(Results(self.folder), DEFAULT)
            for figure in figures.values():
                figure.draw_without_rendering()
        self.assertEqual(figures.keys(), SUITE["items"].keys() - {"scores"})

    def test_a_scale_may_leave_out_a_noise(self):
        suite = copy.deepcopy({**SUITE, "sigmas": [0, 0.3, 0.6]})
        for item in suite["items"].values():
            for part in (item, *item.get("columns", []), *item.get("rows", [])):
                if "sigma" in part:
                    part["sigma"] = 0.3
        self.write("suite.json", suite)
        self.draw_everything()
        rows = self.render('{{ table("seeds") }}').splitlines()
        self.assertEqual(rows[2], f"| soft-argmax | 1 |{f' {UNKNOWN} |' * 3}")
        self.assertEqual(rows[5], f"| **VSmax** | **mean of 2** |{f' **{UNKNOWN}** |' * 3}")

    def test_photographs_are_scored_over_all_folds(self):
        row = self.render('{{ table("photos") }}').splitlines()[2]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        expected = ["rows", "0.725 ± 0.071", "0.675", "0.350", "0.850", "−0.500", "25.0 %"]  # noqa: RUF001
        self.assertEqual(cells, [*expected, "2.00°"])

    def test_one_seed_has_no_spread(self):
        rows = self.render('{{ table("seeds") }}').splitlines()
        self.assertEqual(
            [row.split(" | ")[1] for row in rows[2:6]], ["1", "1", "2", "**mean of 2**"]
        )
        (self.folder / "runs" / "soft-s1.json").unlink()
        rows = self.render('{{ table("seeds") }}').splitlines()
        self.assertEqual(rows[2], f"| soft-argmax | not yet run |{f' {UNKNOWN} |' * 3}")

    def test_leads_are_paired_by_seed(self):
        """soft has one seed, vsmax two: only the first is a pair."""
        rows = self.render('{{ table("paired") }}').splitlines()
        cells = [cell.strip() for cell in rows[2].strip("|").split("|")]
        self.assertEqual(cells[:6], ["both", "0", "+0.200", UNKNOWN, UNKNOWN, "1 of 1"])
        self.write("runs/soft-s2.json", finished_run("soft-s2", 0.7))
        rows = self.render('{{ table("paired") }}').splitlines()
        cells = [cell.strip() for cell in rows[2].strip("|").split("|")]
        mean, t, p = paired_t([0.2, 0.12])
        self.assertEqual(cells[2:6], [f"+{mean:.3f}", f"{t:.1f}", f"{p:.3f}", "2 of 2"])

    def test_the_distance_from_the_seam(self):
        """The seam is between angles 8 and 0 of 9; the later test counts more than the map."""

        def cells():
            row = self.render('{{ table("seam") }}').splitlines()[-1]
            return [cell.strip() for cell in row.strip("|").split("|")]

        self.assertIn("| seeds | 0.5 | 1.5 |", self.render('{{ table("seam") }}'))
        # Angle 0 has 6 lines that score 0.80 and 0.82, angle 8 has 7 that score 0.20 less.
        first, second = "0.702 (0.692 to 0.712)", "0.710 (0.700 to 0.720)"
        self.assertEqual(cells()[:5], ["P", "VSmax", "2", first, second])
        pooled = '{{ at_angle("vsmax", 0, 0, -1).over_seeds }}'
        self.assertEqual(self.render(pooled), "0.702 ± 0.014")
        again = {"sigma": 0.0, "mean": [0.5] * 9, "lost": [0.1] * 9, "count": [6] + [7] * 8}
        (self.folder / "angles").mkdir()
        self.write("angles/vsmax-s1.json", {"hash": "b", "angles": [again]})
        self.assertEqual(self.render('{{ at_angle("vsmax", 0, 0) }}'), "0.500")
        self.assertEqual(self.render('{{ lost_at_angle("vsmax", 0, 0, -1) }}'), "10.0 %")
        self.assertEqual(cells()[3], "0.606 (0.500 to 0.712)")

        # An angle that was tested on one side of the seam only is not shown.
        for untested in (3, 4):
            again["mean"][untested], again["count"][untested] = None, 0
        self.write("angles/vsmax-s1.json", {"hash": "b", "angles": [again]})
        self.assertEqual(cells()[5:7], ["0.610 (0.500 to 0.720)", UNKNOWN])

        self.write("angles/vsmax-s1.json", {"hash": "old", "angles": [again]})
        self.assertEqual(self.render('{{ at_angle("vsmax", 0, 0) }}'), "0.800")

    def test_numbers_of_a_template(self):
        expected = {
            'ea("vsmax", "in", 0)': "0.800",
            'ea("vsmax-s2", "in", 0)': "0.820",
            'ea("vsmax", "out", 0).over_seeds': "0.610 ± 0.014",
            'ea("vsmax", "all", 0.6) - ea("soft", "all", 0.6)': "+0.200",
            '(ea("vsmax", "all", 0.6) - ea("soft", "all", 0.6)).plain': "0.200",
            '(ea("soft", "all", 0.6) - ea("vsmax", "all", 0.6)).published_text': f"{MINUS}0.200",
            '(ea("vsmax", "all", 0) - ea("soft", "all", 0)).seeds_above(0)': "1 of 1",
            'ea("vsmax", "all", 0).lift(ea("soft", "all", 0))': "+39 %",
            'below("soft", 0, 0.5)': "45.2 %",
            'at_angle("best", 0, 8)': "0.790",
            'at_angle("vsmax", 0, 0).over_seeds': "0.810 ± 0.014",
            '(ea("vsmax", "all", 0) - ea("best", "all", 0)).t': UNKNOWN,
            'ea("vsmax", "all", 0.6).quoted(1)': "0.9",
            'smallest([ea("soft", "in", 0) - ea("vsmax", "in", 0)])': "0.200",
            'spread_of([ea("vsmax", "all", 0)])': "0.014",
            'results_of("results").ea("vsmax", "in", 0)': "0.800",
            'results_of("nowhere")': "None",
            'parameters("vsmax")': "37,601",
            'lines("vsmax")': "62",
            'info("vsmax", "validation_loss") / 0.01': "5",
            'best(["soft", "vsmax"], "all", 0)': "0.710 (VSmax)",
            'largest([ea("soft", "in", 0) - ea("vsmax", "in", 0)])': "0.200",
            f'ea("{MISSING}", "all", 0)': UNKNOWN,
            'ea("soft", "all", 0.3) - ea("vsmax", "all", 0)': UNKNOWN,
        }
        lines = "".join(f"{{{{ {expression} }}}}\n" for expression in expected)
        text = self.render(lines + '{{ table("scores") }}\n')
        for (expression, value), line in zip(expected.items(), text.splitlines(), strict=False):
            self.assertEqual(line, value, expression)
        row = f"| VSmax | 0.9 ± 0.2 | 0.650 ± 0.100 | 0.840 | {UNKNOWN} | 0.800 ± 0.000 | 0.990 |"
        self.assertIn(row, text)

    def test_a_run_of_another_configuration_counts_as_missing(self):
        suite = copy.deepcopy(SUITE)
        suite["runs"]["vsmax"]["runs"][0]["hash"] = "changed"
        self.write("suite.json", suite)
        text = self.render('{{ ea("vsmax", "all", 0) }}\n{{ table("theta") }}\n')
        self.assertTrue(text.startswith(f"{UNKNOWN}\n"))
        self.assertIn(f"| VSmax | {UNKNOWN} | {UNKNOWN} | {UNKNOWN} |", text)
        self.assertIn("Not yet run: `vsmax-s1`.", text)

    def test_another_scale_is_named(self):
        self.write("suite.json", {**SUITE, "scale": "smoke"})
        self.assertIn("At smoke scale", self.render("{{ status() }}"))

    def test_a_check_writes_nothing(self):
        (self.folder / "REPORT.md").write_text("old\n")
        self.run_report("--check")
        self.assertEqual((self.folder / "REPORT.md").read_text(), "old\n")
        self.assertFalse((self.folder / "plots").exists())


class Numbers(unittest.TestCase):
    def test_what_is_unknown_stays_unknown(self):
        known, unknown = Number(0.5, "0.4", 1.0, {1: 0.5, 2: 0.7}), Number()
        self.assertEqual(str(known - unknown), UNKNOWN)
        self.assertEqual(unknown.seeds_above(0), UNKNOWN)
        self.assertEqual(known.over_seeds, "0.600 ± 0.141")
        self.assertEqual((known - Number(0.2, "0.1", 1.0, {2: 0.1})).every_seed, "+0.600")
        self.assertEqual(Number(0.99996).__str__(), "0.99996")

    def test_numbers_at_one_place_have_one_ceiling(self):
        one, other = (
            Number(0.5, ceiling=0.9, place=("all", 0)),
            Number(0.4, ceiling=0.9, place=("all", 0)),
        )
        self.assertIsNone((one - other).ceiling)
        seam = Number(0.4, ceiling=0.8, place=("seam", 0))
        self.assertAlmostEqual((one - seam).ceiling, 0.1)


class Statistics(unittest.TestCase):
    def test_student(self):
        # The table of every textbook.
        for degrees, t in (
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (9, 2.262),
            (30, 2.042),
        ):
            self.assertAlmostEqual(two_sided_p(t, degrees), 0.05, delta=1e-4)
        self.assertAlmostEqual(two_sided_p(-4.604, 4), 0.01, delta=1e-4)
        mean, t, p = paired_t([0.1, 0.2, 0.3])
        self.assertAlmostEqual(mean, 0.2)
        self.assertAlmostEqual(t, 0.2 / (0.1 / 3**0.5))
        self.assertAlmostEqual(p, two_sided_p(t, 2))
        self.assertEqual(paired_t([0.5]), (0.5, None, None))


class Refusals(ReportTest):
    def changed_item(self, name, **fields):
        """With and without runs: a mistake must show before anything is trained."""
        suite = copy.deepcopy(SUITE)
        suite["items"][name].update(fields)
        self.write("suite.json", suite)
        sentence = self.refusal()
        self.assertTrue(sentence.startswith(f"small.yaml: item '{name}': "), sentence)
        with tempfile.TemporaryDirectory() as empty:
            (Path(empty) / "suite.json").write_text(json.dumps(suite))
            with self.assertRaises(ReportError) as caught:
                rendered(Results(empty), DEFAULT)
            self.assertEqual(str(caught.exception), sentence)
        return sentence

    def test_items_of_another_form(self):
        self.assertIn("'pie'", self.changed_item("theta", kind="pie"))
        self.assertIn("'color'", self.changed_item("theta", color="red"))
        self.assertIn(
            "'mauvish'", self.changed_item("theta", curves=[{"run": "soft", "colour": "mauvish"}])
        )
        for name, part in (("seam", "panels"), ("photos", "runs"), ("seeds", "groups")):
            entry = {"seeds": "soft", "colour": "mauvish"}
            parts = [{"title": "P", "curves": [entry]}] if part == "panels" else [entry]
            self.assertIn("'mauvish'", self.changed_item(name, **{part: parts}))
        wrong = [{"curves": [{"run": "soft", "marker": "qq"}]}]
        self.assertIn("'qq'", self.changed_item("noise", panels=wrong))
        self.assertIn("'edge'", self.changed_item("noise", lines="edge"))
        self.assertIn(
            "'widht'",
            self.changed_item("noise", panels=[{"curves": [{"run": "soft", "widht": 1}]}]),
        )
        self.assertIn("one for each column", self.changed_item("maps", columns=["one"]))
        self.assertIn("does not have the form", self.changed_item("noise", panels=3))
        self.assertIn(
            "'edge'", self.changed_item("scores", columns=[{"lines": "edge", "sigma": 0}])
        )

    def test_a_ceiling_that_the_suite_does_not_have(self):
        self.write("suite.json", {**SUITE, "ceiling": None})
        self.assertIn("small.yaml: item 'scores': 'show' lists 'ceiling'", self.refusal())

    def test_a_formula_that_cannot_be_typeset(self):
        wrong = r"$\foo$"
        seeds, runs = {"seeds": "soft", "label": wrong}, {"run": "soft", "label": wrong}
        pair = {"label": wrong, "ours": {"seeds": "vsmax"}, "other": {"seeds": "soft"}}
        for name, fields in (
            ("noise", {"panels": [{"curves": [runs]}]}),
            ("seeds", {"groups": [seeds]}),
            ("maps", {"rows": [{"title": wrong, "sigma": 0, "runs": ["soft", "vsmax"]}]}),
            ("photos", {"runs": [seeds]}),
            ("paired", {"pairs": [pair]}),
            ("seam", {"panels": [{"title": "P", "curves": [seeds]}]}),
            ("seam", {"panels": [{"title": wrong, "curves": [{"seeds": "soft"}]}]}),
            ("theta", {"curves": [runs]}),
            ("reliability", {"runs": [runs]}),
        ):
            self.assertIn(wrong, self.changed_item(name, **fields))

    def test_a_misspelt_key_is_named_rather_than_the_missing_one(self):
        suite = copy.deepcopy(SUITE)
        suite["items"]["noise"]["pannels"] = suite["items"]["noise"].pop("panels")
        self.write("suite.json", suite)
        sentence = self.refusal()
        self.assertIn("small.yaml: item 'noise': the key 'pannels'", sentence)
        self.assertNotIn("needs", sentence)  # which is not the user's

    def test_a_noise_that_no_scale_evaluates(self):
        self.write("suite.json", {**SUITE, "sigmas": [0, 0.3, 0.6]})
        self.assertEqual(self.render('{{ ea("vsmax", "all", 0.3) }}'), UNKNOWN)
        for run in ("vsmax", MISSING):
            for expression in (
                'ea(RUN, "all", 0.45)',
                'ea(RUN, "in", 0.45)',
                "at_angle(RUN, 0.45, 0)",
                "below(RUN, 0.45, 0.4)",
                'best([RUN], "seam", 0.45)',
            ):
                sentence = self.refusal(f"a\n{{{{ {expression.replace('RUN', repr(run))} }}}}")
                self.assertIn("line 2: 0.45 is not one of the suite's sigmas 0, 0.3, 0.6", sentence)

    def test_templates(self):
        for text, part in (
            ('one\n{{ ea("vsmx", "all", 0) }}\n', "line 2: there is no run 'vsmx'"),
            ("{{ nothing }}\n", "line 1: 'nothing' is undefined"),
            ("a\nb\n{% if %}\n", "line 3"),
            ('{{ table("tabel") }}', "'tabel'"),
            ('{{ figure("scores") }}', "draws no figure"),
            ("{{ ea() }}", "line 1"),
            ("a\n{{ 1 / 0 }}", "line 2"),
        ):
            self.assertIn(part, self.refusal(text))

    def test_broken_files(self):
        for name in ("suite.json", "runs/best.json"):
            whole = (self.folder / name).read_text()
            for text in (whole[: len(whole) // 2], "[1, 2]"):
                (self.folder / name).write_text(text)
                self.assertIn(name, self.refusal())
            (self.folder / name).write_text(whole)
        (self.folder / "suite.json").unlink()
        self.assertIn("suite.json", self.refusal())

    def test_the_program_fails_with_one_sentence_and_writes_nothing(self):
        for content in ([1], {"suite": "x"}):
            self.write("suite.json", content)
            error = self.run_report(code=1)
            self.assertEqual(len(error.splitlines()), 1, error)
            self.assertTrue(error.startswith("report.py: "), error)
            self.assertFalse((self.folder / "REPORT.md").exists())


if __name__ == "__main__":
    unittest.main()
