# SPDX-License-Identifier: Apache-2.0
"""A small folder of results with one item of every kind, and report.py called on it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "src" / "vsmax" / "experiments" / "report"
sys.path.insert(0, str(REPORT))
from report import rendered  # noqa: E402
from results import ReportError, Results  # noqa: E402

ANGLES, OFFSETS = 9, 7
SIGMAS = (0.0, 0.6)
MISSING = "soft-s2"

SUITE = {
    "suite": "small",
    "title": "A small suite",
    "scale": "full",
    "default_scale": "full",
    "ceiling": "best",
    "items": {
        "scores": {
            "kind": "table",
            "title": "Scores",
            "columns": [{"lines": "all", "sigma": 0.6}, {"lines": "in", "sigma": 0}],
            "show": ["published", "deviation", "ceiling"],
            "runs": ["soft", "vsmax"],
            "needs": ["soft-s1", "vsmax-s1", "best"],
        },
        "noise": {
            "kind": "noise",
            "title": "Noise",
            "lines": "interior",
            "training_maximum": 0.5,
            "panels": [
                {"title": "one", "curves": [{"run": "soft", "colour": "vermilion"}]},
                {"title": "two", "curves": [{"run": "vsmax", "label": "L_vs", "dashed": True}]},
            ],
            "needs": ["soft-s1", "vsmax-s1", "best"],
        },
        "seeds": {
            "kind": "seeds",
            "title": "Seeds",
            "sigma": 0.6,
            "groups": [{"seeds": "soft"}, {"seeds": "vsmax", "colour": "#08519C"}],
            "needs": ["soft-s1", MISSING, "vsmax-s1", "vsmax-s2", "best"],
        },
        "maps": {
            "kind": "maps",
            "title": "Maps",
            "columns": ["soft", "VSmax"],
            "rows": [
                {"title": "Region", "support": True, "sigma": 0, "runs": ["soft", "vsmax"]},
                {"sigma": 0, "runs": ["soft", "vsmax"]},
            ],
            "needs": ["soft-s1", "vsmax-s1", "best"],
        },
        "photos": {
            "kind": "photos",
            "title": "Photographs",
            "runs": [{"seeds": "rows", "colour": "blue"}, {"seeds": "rows", "label": "L_vs"}],
            "needs": ["rows-s1", "rows-s2"],
        },
        "paired": {
            "kind": "paired",
            "title": "Paired",
            "training_maximum": 0.5,
            "pairs": [{"label": "both", "ours": {"seeds": "vsmax"}, "other": {"seeds": "soft"}}],
            "needs": ["soft-s1", "vsmax-s1", "vsmax-s2", "best"],
        },
        "seam": {
            "kind": "seam",
            "title": "Seam",
            "sigma": 0,
            "reach": 4,
            "panels": [{"title": "P", "curves": [{"seeds": "soft"}, {"seeds": "vsmax"}]}],
            "needs": ["soft-s1", "vsmax-s1", "vsmax-s2", "best"],
        },
        "theta": {
            "kind": "theta",
            "title": "Theta",
            "sigma": 0,
            "curves": [{"run": "soft"}, {"run": "vsmax"}],
            "needs": ["soft-s1", "vsmax-s1", "best"],
        },
        "reliability": {
            "kind": "reliability",
            "title": "Reliability",
            "runs": [{"run": "vsmax"}, {"run": "best", "label": "the best"}],
            "needs": ["vsmax-s1", "best"],
        },
    },
    "runs": {
        "soft": {
            "label": "soft-argmax",
            "published": {"0.6": {"all": "0.7 ± 0.1"}},
            "runs": [{"name": f"soft-s{seed}", "seed": seed, "hash": "a"} for seed in (1, 2)],
        },
        "vsmax": {
            "label": "VSmax",
            "published": {"0.6": {"all": "0.9 ± 0.2"}, "parameters": 37600},
            "runs": [{"name": f"vsmax-s{seed}", "seed": seed, "hash": "b"} for seed in (1, 2)],
        },
        "rows": {
            "label": "rows",
            "published": None,
            "runs": [{"name": f"rows-s{seed}", "seed": seed, "hash": "d"} for seed in (1, 2)],
        },
        "best": {
            "label": "ceiling",
            "published": None,
            "runs": [{"name": "best", "seed": None, "hash": "c"}],
        },
    },
}
LEVELS = {"soft-s1": 0.6, "vsmax-s1": 0.8, "vsmax-s2": 0.82, "best": 0.99}


def run(name, level):
    """One of the small suite's runs."""
    return scored_run(name, level, SUITE["runs"][name.partition("-s")[0]]["runs"][0]["hash"])


def scored_run(name, level, code, sigmas=SIGMAS):
    """A run that scores `level` in the first half of theta and 0.2 less elsewhere; `code` is its
    hash."""
    cells = np.full((ANGLES, OFFSETS), level)
    cells[(ANGLES + 1) // 2 :] -= 0.2
    cells[0, 0] = np.nan
    parts = {"all": cells, "seam": cells[[0, -1]], "interior": cells[1:-1]}
    results = [
        {
            "sigma": sigma,
            **{
                part: {
                    "mean": float(np.nanmean(values)) - 0.1 * sigma,
                    "deviation": float(np.nanstd(values)),
                    "count": int((~np.isnan(values)).sum()),
                }
                for part, values in parts.items()
            },
        }
        for sigma in sigmas
    ]
    stored = [[None if np.isnan(cell) else cell for cell in row] for row in cells.tolist()]
    return {
        "name": name,
        "hash": code,
        "configuration": {"model": name.partition("-s")[0], "data.support": "g1"},
        "parameters": 37601,
        "validation_loss": 0.05,
        "evaluation": {"results": results},
        "maps": [{"sigma": sigma, "cells": stored} for sigma in sigmas],
    }


def photo_run(name, level, code="d"):
    """A run on photographs: 10 of 40 views lie on the seam and score 0.5 less."""
    theta = [*[0.5] * 5, *[179.0] * 5, *[40.0] * 30]
    scores = [level - 0.5] * 10 + [level] * 30
    parts = {"all": scores, "seam": scores[:10], "interior": scores[10:]}
    result = {
        part: {"mean": float(np.mean(values)), "deviation": 0.0, "count": len(values)}
        for part, values in parts.items()
    }
    views = {"theta_deg": theta, "ea": scores, "angle_deg": [None, *[2.0] * 39]}
    return {
        "name": name,
        "hash": code,
        "configuration": {"model": "vsmax-vs"},
        "evaluation": {"results": [{"sigma": 0.0, **result}], "views": views},
    }


class ReportTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="vsmax-report-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "results"
        (self.folder / "runs").mkdir(parents=True)
        self.write("suite.json", SUITE)
        for name, level in LEVELS.items():
            self.write(f"runs/{name}.json", run(name, level))
        for seed, level in ((1, 0.9), (2, 0.8)):
            self.write(f"runs/rows-s{seed}.json", photo_run(f"rows-s{seed}", level))

    def write(self, name, content):
        (self.folder / name).write_text(json.dumps(content))

    def render(self, text):
        """What a template of this text becomes."""
        path = self.folder.parent / "own.report.md"
        path.write_text(text)
        return rendered(Results(self.folder), path)[0]

    def refusal(self, text="{% for name in items %}{{ show(name) }}{% endfor %}"):
        """The one sentence with which a folder or a template is refused."""
        with self.assertRaises(ReportError) as caught:
            self.render(text)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        return str(caught.exception)

    def run_report(self, *arguments, code=0, **environment):
        """Runs report.py; returns what it says on standard error."""
        result = subprocess.run(
            [sys.executable, REPORT / "report.py", self.folder, *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr
