# SPDX-License-Identifier: Apache-2.0
"""The folder that `vsmax reproduce` writes: suite.json and runs/NAME.json."""

import json
import re
from pathlib import Path

import numpy as np

SETS_OF_LINES = ("all", "seam", "interior")  # that every test distinguishes
LOST = 0.4  # a line that scores less is lost; the lower end of the maps' colours


class ReportError(Exception):
    """One sentence for the user."""


def in_region(support, angles, offsets):
    """The cells of `data.support`, as in torch/train/support_region.h."""
    t, r = np.mgrid[:angles, :offsets]
    half_of_theta, negative_rho = 2 * t < angles, 2 * r < offsets - 1
    regions = {"g1": half_of_theta, "g2": negative_rho, "g4": half_of_theta & negative_rho}
    return {**regions, "g3": r * angles > t * offsets, "all": t >= 0}[support]


class Results:
    """A run is named FAMILY-sSEED, or by its family alone, which means the first seed."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.suite = _read_object(self.folder / "suite.json")
        self.families = self.suite["runs"]
        self.items = self.suite["items"] or {}
        self.ceiling = self.suite["ceiling"]
        self._runs = {}
        for family in self.families.values():
            for run in family["runs"]:
                path = self.folder / "runs" / f"{run['name']}.json"
                content = _read_object(path) if path.exists() else {}
                if content.get("hash") == run["hash"]:
                    self._runs[run["name"]] = content

    def family(self, name):
        """The family of a run or family, by name."""
        family = name if name in self.families else re.sub(r"-s\d+$", "", str(name))
        if family not in self.families:
            raise ReportError(f"there is no run '{name}'; the runs are {', '.join(self.families)}")
        return family

    def label(self, name):
        return self.families[self.family(name)]["label"]

    def run(self, name):
        """The content of a finished run, or None."""
        family = self.family(name)
        if name == family:
            name = self.families[family]["runs"][0]["name"]
        return self._runs.get(name)

    def seeds(self, name):
        """{seed: name} of a family's finished runs."""
        runs = self.families[self.family(name)]["runs"]
        return {run["seed"]: run["name"] for run in runs if run["name"] in self._runs}

    def finished(self):
        """{name: content}, sorted by name."""
        return dict(sorted(self._runs.items()))

    def missing(self, item):
        """The names of the runs that an item needs and that are not finished."""
        return [name for name in item["needs"] if name not in self._runs]

    def published(self, name, *keys):
        """A published text or number, or None: published("vsmax-vs", 0.6, "all")."""
        value = self.families[self.family(name)]["published"]
        for key in keys:
            value = {_key(known): inner for known, inner in (value or {}).items()}.get(_key(key))
        return value

    def score(self, name, lines, sigma, region_of=None):
        """{"mean", "deviation"} of a run over a set of lines, or None. "in" and "out" are the lines
        inside and outside the region that the run, or the run `region_of`, was trained on."""
        if lines in ("in", "out"):
            cells = self.map(name, sigma)
            mask = self.support(region_of or name, sigma)
            if cells is None or mask is None:
                return None
            scores = cells[mask == (1 if lines == "in" else 0)]
            return {"mean": float(scores.mean()), "deviation": float(scores.std())}
        if lines not in SETS_OF_LINES:
            raise ReportError(f"the lines are all, seam, interior, in or out, not '{lines}'")
        entry = self._at_sigma(self.scores(name), sigma)
        return entry and entry[lines]

    def scores(self, name):
        """One entry per noise level; empty if the run is missing."""
        return (self.run(name) or {}).get("evaluation", {}).get("results", [])

    def curve(self, name, lines):
        """{sigma: mean EA}, empty if the run is missing."""
        if lines not in SETS_OF_LINES:
            raise ReportError(f"the lines are all, seam or interior, not '{lines}'")
        return {entry["sigma"]: entry[lines]["mean"] for entry in self.scores(name)}

    def map(self, name, sigma):
        """EA of every cell of the grid (T x R, NaN for cells without a line), or None."""
        stored = self._at_sigma((self.run(name) or {}).get("maps", []), sigma)
        return stored and np.array(stored["cells"], float)

    def angles(self, name, sigma):
        """{"mean", "lost", "count"}, each a list over the angles of the grid, or None: from a later
        test of the weights (tools/angle_scores.py), else from the run, else from its map."""
        run = self.run(name)
        stored = self._at_sigma((run or {}).get("angles", []), sigma)
        if run is None:
            return None
        later = self.folder / "angles" / f"{run['name']}.json"
        content = _read_object(later) if later.exists() else {}
        again = content.get("angles", []) if content.get("hash") == run["hash"] else []
        stored = self._at_sigma(again, sigma) or stored
        cells = self.map(name, sigma)
        if stored or cells is None:
            return stored
        visible = ~np.isnan(cells)
        mean, lost = np.nanmean(cells, axis=1), (cells < LOST).sum(axis=1) / visible.sum(axis=1)
        return {"mean": mean, "lost": lost, "count": visible.sum(axis=1)}

    def support(self, name, sigma):
        """1 in the region that a run was trained on, 0 outside, NaN for cells without a line."""
        cells = self.map(name, sigma)
        if cells is None:
            return None
        support = self.run(name)["configuration"].get("data.support", "all")
        mask = in_region(support, *cells.shape).astype(float)
        mask[np.isnan(cells)] = np.nan
        return mask

    def _at_sigma(self, entries, sigma):
        """The entry for a noise level, or None if it is missing. It may be one that the suite
        evaluates only at another scale; one that it never evaluates is a mistake."""
        evaluated = self.suite.get("sigmas")  # missing in older folders
        if evaluated and not any(_same(known, sigma) for known in evaluated):
            known = ", ".join(f"{known:g}" for known in evaluated)
            raise ReportError(f"{sigma} is not one of the suite's sigmas {known}")
        return next((entry for entry in entries if _same(entry["sigma"], sigma)), None)


def _same(sigma, other):
    return abs(sigma - other) < 1e-9


def _key(key):
    try:
        return float(key)
    except ValueError:
        return key


def _read_object(path):
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}: is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise ReportError(f"{path}: does not hold a JSON object")
    return content
