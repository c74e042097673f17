# SPDX-License-Identifier: Apache-2.0
"""The pictures and the report of a folder of results."""

import struct
import unittest
from xml.etree import ElementTree

from plots_support import MISSING, PlotsTest

PLOTS = (
    "fig-boundary",
    "fig-end-to-end",
    "fig-generalisation",
    "fig-noise",
    "fig-rht-sweep",
    "fig-theta",
    "table-main-seeds",
)


class Plots(PlotsTest):
    def test_every_figure_and_block_is_made_and_a_second_run_changes_nothing(self):
        self.draw(self.folder, PYTHONHASHSEED="1")
        made = sorted(path.name for path in (self.folder / "plots").iterdir())
        self.assertEqual(
            made, sorted(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg"))
        )
        for name in PLOTS:
            root = ElementTree.parse(self.folder / "plots" / f"{name}.svg").getroot()
            self.assertTrue(root.tag.endswith("svg"))
            head = (self.folder / "plots" / f"{name}.png").read_bytes()[:24]
            self.assertTrue(head.startswith(b"\x89PNG"))
            self.assertGreater(min(struct.unpack(">II", head[16:24])), 400)
            self.assertEqual(self.report().count(f"](plots/{name}.png)"), 1)
        self.assertIn(f"Not yet run: `{MISSING}`.", self.report())
        self.assertNotIn("-->\n<!-- end", self.report())

        before = self.files()
        settings = self.folder.parent / "matplotlibrc"
        settings.write_text("font.size: 30\nsvg.hashsalt: other\nsavefig.bbox: tight\n")
        self.draw(self.folder, PYTHONHASHSEED="2", MATPLOTLIBRC=str(settings))
        self.assertEqual(self.files(), before)
        self.draw("--check", self.folder)

    def test_numbers_of_a_claim(self):
        self.keep_items("table-main")
        self.draw(self.folder)
        claim = self.report().split("<!-- begin claim-4 -->")[1].split("<!-- end claim-4 -->")[0]
        rows = dict(line.strip("| ").split(" | ", 1) for line in claim.strip().splitlines())
        paper, polar, *_ = rows["MLP + L_polar, seam"].split(" | ")
        _, vs, *_ = rows["MLP + L_vs, seam"].split(" | ")
        self.assertEqual(paper, "0.561")
        lift = round(100 * (float(vs) / float(polar) - 1))
        self.assertIn(f"{abs(lift)} %", rows["MLP, lift"].split(" | ")[1])
        self.assertIn("| VSmax + L_polar | 0.719 | – |", self.report())  # noqa: RUF001

    def test_check_names_what_would_change(self):
        self.keep_items("table-main", "fig-rht-sweep")
        self.assertIn("is missing", self.refusal("--check", self.folder))
        self.draw(self.folder)
        whole = self.report()
        self.edit("REPORT.md", "| MLP + L_polar | 0.719 |", "| MLP + L_polar | 0.720 |")
        self.assertIn("'table-main'", self.refusal("--check", self.folder))
        self.draw(self.folder)
        self.assertEqual(self.report(), whole)
        self.change("items/fig-rht-sweep.json", scale="smoke")
        self.assertIn("fig-rht-sweep.svg", self.refusal("--check", self.folder))
        self.draw(self.folder)
        self.assertIn("At smoke scale", self.report())

    def test_sentences_by_hand_stay(self):
        self.keep_items()
        text = "By hand, before.\n<!-- begin runs -->\nold\n<!-- end runs -->\nBy hand, after.\n"
        (self.folder / "REPORT.md").write_text(text)
        self.draw(self.folder)
        self.assertTrue(self.report().startswith("By hand, before.\n<!-- begin runs -->\n| run |"))
        self.assertTrue(self.report().endswith("\n<!-- end runs -->\nBy hand, after.\n"))
        self.assertNotIn("old", self.report())

    def test_a_run_of_another_configuration_counts_as_missing(self):
        self.keep_items("fig-theta")
        self.change("items/fig-theta.json", missing=["vsmax-vs-s42"], complete=False)
        self.draw(self.folder)
        self.assertNotIn("| `vsmax-vs-s42` |", self.report())
        self.assertIn("| VSmax | – | – | – |", self.report())  # noqa: RUF001

    def test_items_that_are_not_there_are_named_in_the_report(self):
        self.keep_items()
        self.draw(self.folder)
        self.assertFalse((self.folder / "plots").exists())
        self.assertIn("vsmax reproduce fig-noise", self.report())


class Refusals(PlotsTest):
    def setUp(self):
        super().setUp()
        self.before = self.files()

    def assert_nothing_written(self):
        self.assertEqual(self.files().keys(), self.before.keys())

    def test_broken_json(self):
        for name in ("items/fig-noise.json", "runs/argmax.json"):
            whole = (self.folder / name).read_text()
            (self.folder / name).write_text(whole[: len(whole) // 2])
            self.assertIn(name, self.refusal(self.folder))
            (self.folder / name).write_text("[1, 2]")
            self.assertIn(name, self.refusal(self.folder))
            (self.folder / name).write_text(whole)
        self.assert_nothing_written()

    def test_maps_of_another_form(self):
        self.keep_items("fig-boundary")
        self.edit(
            "runs/posterior.json", '"sigma": 0.6, "cells": [[', '"sigma": 0.6, "cells": [[1, '
        )
        self.assertIn("posterior.json", self.refusal(self.folder))

    def test_json_of_another_form(self):
        self.keep_items("fig-end-to-end")
        self.before = self.files()
        name = "items/fig-end-to-end.json"
        whole = (self.folder / name).read_text()
        for fields in (
            {"curves": None},
            {"curves": []},
            {"curves": [{}, {}, {}]},
            {"ceiling": {"sigma": [0.1], "mean": []}},
            {"ceiling": {"sigma": ["x"], "mean": [0.5]}},
        ):
            self.change(name, **fields)
            self.assertIn("fig-end-to-end", self.refusal(self.folder), fields)
            (self.folder / name).write_text(whole)
        self.assert_nothing_written()

    def test_an_unknown_item(self):
        (self.folder / "items" / "fig-unknown.json").write_text("{}")
        self.assertIn("'fig-unknown'", self.refusal(self.folder))

    def test_a_folder_without_results(self):
        self.assertIn("nowhere", self.refusal(self.folder / "nowhere"))

    def test_markers_that_do_not_fit(self):
        for text, reason in (
            ("<!-- begin runs -->\n", "no end"),
            ("<!-- end runs -->\n", "none begins"),
            ("<!-- begin runs -->\n<!-- begin status -->\n", "no end"),
            ("<!-- begin nonsense -->\n<!-- end nonsense -->\n", "nonsense"),
        ):
            (self.folder / "REPORT.md").write_text(text)
            self.assertIn(reason, self.refusal(self.folder))
            self.assertEqual((self.folder / "REPORT.md").read_text(), text)


if __name__ == "__main__":
    unittest.main()
