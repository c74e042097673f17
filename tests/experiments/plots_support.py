# SPDX-License-Identifier: Apache-2.0
"""A small folder of results, as `vsmax reproduce` writes it, and draw.py called on it."""

import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRAW = ROOT / "src" / "vsmax" / "experiments" / "plots" / "draw.py"

ANGLES, OFFSETS = 9, 7
SIGMAS = (0.0, 0.3, 0.6, 0.8)
SETTINGS = ("g1", "g2", "g3", "g4")
WIDTHS = ("0.5", "1.1", "1.5", "2.0", "3.0")
METHODS = {
    f"{title} + L_{loss}": f"{name}-{loss}"
    for title, name in (("MLP", "mlp"), ("soft-argmax", "softargmax"), ("VSmax", "vsmax"))
    for loss in ("polar", "vs")
}
MISSING = "vsmax-polar-s42"


def visible(t, r):
    return (t + r) % 11 != 0


def cells(level):
    return [
        [level - 0.01 * ((3 * t + r) % 5) if visible(t, r) else None for r in range(OFFSETS)]
        for t in range(ANGLES)
    ]


def summary(scores):
    scores = [score for score in scores if score is not None]
    mean = sum(scores) / len(scores)
    squares = sum((score - mean) ** 2 for score in scores) / len(scores)
    return {"mean": mean, "deviation": math.sqrt(squares), "count": len(scores)}


def scores_of(rows):
    return {
        "all": summary(itertools.chain(*rows)),
        "seam": summary(rows[0] + rows[-1]),
        "interior": summary(itertools.chain(*rows[1:-1])),
    }


def run(name, level, trained=True):
    maps = {sigma: cells(level - 0.3 * sigma) for sigma in SIGMAS}
    training = {
        "configuration": {"model": name, "precision": "float32"},
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "device": "CPU",
        "epochs": 12,
        "best_epoch": 7,
        "validation_loss": 0.00035,
        "end": "early stopping",
        "seconds": 4.5,
    }
    results = [{"sigma": sigma, **scores_of(rows)} for sigma, rows in maps.items()]
    return {
        "format": 1,
        "name": name,
        "hash": "0" * 16,
        "configuration": {"model": name},
        **(training if trained else {"device": "cpu"}),
        "T": ANGLES,
        "R": OFFSETS,
        "evaluation": {"lines": "grid", "seed": 42, "results": results},
        "maps": [
            {"sigma": sigma, "cells": maps[sigma], "theta": [summary(row) for row in maps[sigma]]}
            for sigma in (0.0, 0.6)
        ],
    }


def all_runs():
    names = [f"{name}-s42" for name in METHODS.values()]
    names += ["vsmax-vs-s43", "softargmax-vs-s43"]
    names += [f"rht-t{width}-s42" for width in WIDTHS]
    names += [f"{name}-{g}-s42" for name in ("mlp-vs", "vsmax-vs") for g in SETTINGS]
    runs = {name: run(name, 0.9 - 0.01 * place) for place, name in enumerate(names)}
    del runs[MISSING]
    runs["argmax"] = run("argmax", 0.95, trained=False)
    runs["posterior"] = run("posterior", 0.99, trained=False)
    return runs


def at(runs, name, sigma):
    if name not in runs:
        return None
    for entry in runs[name]["evaluation"]["results"]:
        if entry["sigma"] == sigma:
            return {part: entry[part] for part in ("all", "seam", "interior")}
    return None


def curve(runs, name, part, **label):
    results = runs[name]["evaluation"]["results"] if name in runs else []
    return {
        **label,
        "run": name,
        "sigma": [entry["sigma"] for entry in results],
        "mean": [entry[part]["mean"] for entry in results],
    }


def table_main(runs):
    rows = []
    for method, name in METHODS.items():
        row = {
            "method": method,
            "run": f"{name}-s42",
            "ours": at(runs, f"{name}-s42", 0.6),
            "paper": {"all": 0.719, "seam": 0.561, "interior": 0.73},
        }
        if f"{name}-s43" in runs:
            row["seeds"] = [
                {
                    "seed": seed,
                    "run": f"{name}-s{seed}",
                    **{k: v["mean"] for k, v in at(runs, f"{name}-s{seed}", 0.6).items()},
                }
                for seed in (42, 43)
            ]
        rows.append(row)
    return {"sigma": 0.6, "rows": rows, "ceiling": at(runs, "posterior", 0.6)}


def fig_noise(runs):
    panels = [
        {
            "title": title,
            "curves": [
                curve(runs, f"{name}-{loss}-s42", "interior", label=f"L_{loss}")
                for loss in ("vs", "polar")
            ],
        }
        for title, name in (("MLP", "mlp"), ("soft-argmax", "softargmax"), ("VSmax", "vsmax"))
    ]
    return {"panels": panels, "ceiling": curve(runs, "posterior", "interior")}


def fig_generalisation():
    mask = [[int(r > t) if visible(t, r) else None for r in range(OFFSETS)] for t in range(ANGLES)]
    rows = [
        {"title": title, "maps": [{"run": f"{name}-{g}-s42", "sigma": 0.0} for g in SETTINGS]}
        for title, name in (("Data-driven", "mlp-vs"), ("Known-operator", "vsmax-vs"))
    ]
    return {"settings": list(SETTINGS), "support": [mask] * 4, "rows": rows}


def table_generalisation():
    part = {"mean": 0.9, "deviation": 0.1, "count": 20}
    both = {"in": part, "out": part}
    rows = [
        {"setting": g, "method": method, "run": "", "ours": both, "paper": {"in": 0.9, "out": 0.3}}
        for g in SETTINGS
        for method in ("MLP", "operator")
    ]
    return {"sigma": 0.0, "rows": rows, "ceiling": dict.fromkeys(SETTINGS, both)}


def table_choices(runs):
    def figures(name):
        parts = ("all", "seam", "interior")
        return {"run": name, **{part: curve(runs, name, part) for part in parts}}

    row = {"method": "RHT", "choice": "trained on clean images"}
    both = {"usual": figures("rht-t3.0-s42"), "changed": figures("rht-t3.0-clean-s42")}
    return {"rows": [{**row, **both}]}


def all_items(runs):
    maps = [
        {"title": title, "run": name, "sigma": 0.6}
        for title, name in (
            ("soft-argmax", "softargmax-vs-s42"),
            ("VSmax", "vsmax-vs-s42"),
            ("ceiling", "posterior"),
        )
    ]
    three = (("RHT", "rht-t3.0-s42"), ("HT+argmax", "argmax"), ("VSmax", "vsmax-vs-s42"))
    end_to_end = [curve(runs, name, "all", label=label) for label, name in three]
    sweep = [curve(runs, f"rht-t{width}-s42", "all", label=width) for width in WIDTHS]
    ceiling = curve(runs, "posterior", "all")
    return {
        "table-main": table_main(runs),
        "fig-boundary": {"sigma": 0.6, "maps": maps},
        "fig-theta": {"sigma": 0.6, "maps": maps},
        "fig-noise": fig_noise(runs),
        "fig-end-to-end": {"curves": end_to_end, "ceiling": ceiling},
        "fig-rht-sweep": {"curves": sweep, "ceiling": ceiling},
        "fig-generalisation": fig_generalisation(),
        "table-generalisation": table_generalisation(),
        "table-choices": table_choices(runs),
    }


def write_results(folder):
    runs = all_runs()
    (folder / "runs").mkdir(parents=True)
    (folder / "items").mkdir()
    for name, content in runs.items():
        (folder / "runs" / f"{name}.json").write_text(json.dumps(content))
    for name, content in all_items(runs).items():
        missing = [MISSING] if name in ("table-main", "fig-noise") else []
        head = {"item": name, "title": f"What {name} shows", "scale": "full"}
        whole = {**head, "complete": not missing, "missing": missing, **content}
        (folder / "items" / f"{name}.json").write_text(json.dumps(whole))


class PlotsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="vsmax-plots-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "results"
        write_results(self.folder)

    def draw(self, *arguments, code=0, **environment):
        result = subprocess.run(
            [sys.executable, DRAW, *map(str, arguments)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr

    def refusal(self, *arguments):
        """The one sentence with which a folder is refused."""
        complaint = self.draw(*arguments, code=1)
        self.assertEqual(len(complaint.splitlines()), 1, complaint)
        self.assertTrue(complaint.startswith("draw.py: "), complaint)
        return complaint

    def keep_items(self, *names):
        """For a test that need not wait for all figures."""
        for path in (self.folder / "items").iterdir():
            if path.stem not in names:
                path.unlink()

    def report(self):
        return (self.folder / "REPORT.md").read_text()

    def change(self, name, **fields):
        path = self.folder / name
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def files(self):
        """Content and time of every file."""
        return {
            path.relative_to(self.folder): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in self.folder.rglob("*")
            if path.is_file()
        }
