# SPDX-License-Identifier: Apache-2.0
"""The folder that `vsmax reproduce` writes: runs/NAME.json and items/ITEM.json."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CEILING = "posterior"  # the run that knows the noise: no estimator scores more


class ResultsError(Exception):
    """One sentence for the user."""


@dataclass
class Map:
    """EA of every line of the grid: not a number where no line can be seen."""

    cells: np.ndarray  # T x R
    mean: np.ndarray  # over rho, T values
    deviation: np.ndarray


@dataclass
class Curve:
    label: str
    sigma: np.ndarray  # empty if the run is missing
    mean: np.ndarray


class Results:
    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "items").is_dir():
            raise ResultsError(f"{self.folder}: holds no results, there is no folder 'items'")
        self.items = _read_folder(self.folder / "items")
        self._runs = _read_folder(self.folder / "runs")
        self._missing = {name for item in self.items.values() for name in item.get("missing", [])}

    def run_names(self):
        """The runs that count: one whose configuration is another than the item's is missing."""
        return sorted(self._runs.keys() - self._missing)

    def run(self, name):
        """The run, or None if it is missing."""
        return None if name in self._missing else self._runs.get(name)

    def map(self, entry):
        """The map that {"run", "sigma"} names, or None if there is none."""
        run = self.run(entry["run"])
        for candidate in run.get("maps", []) if run else []:
            if abs(candidate["sigma"] - entry["sigma"]) < 1e-9:
                return self._map(entry["run"], candidate)
        return None

    def _map(self, name, stored):
        try:
            found = Map(
                numbers(stored["cells"]),
                numbers([summary["mean"] for summary in stored["theta"]]),
                numbers([summary["deviation"] for summary in stored["theta"]]),
            )
        except (KeyError, TypeError, ValueError) as error:
            path = self.folder / "runs" / f"{name}.json"
            raise ResultsError(f"{path}: the map at sigma {stored['sigma']} is damaged") from error
        if found.cells.ndim != 2 or found.cells.shape[0] != found.mean.size:
            path = self.folder / "runs" / f"{name}.json"
            raise ResultsError(
                f"{path}: the map at sigma {stored['sigma']} has cells of shape "
                f"{found.cells.shape} and {found.mean.size} angles"
            )
        return found


def curve_of(stored):
    """{"label", "sigma": [..], "mean": [..]}; a ceiling has no label and may be None."""
    stored = stored or {"sigma": [], "mean": []}
    curve = Curve(stored.get("label", ""), numbers(stored["sigma"]), numbers(stored["mean"]))
    if curve.sigma.size != curve.mean.size:
        raise ValueError(f"{curve.sigma.size} noises, but {curve.mean.size} means")
    return curve


def numbers(nested):
    """An array with not-a-number for null."""
    return np.array(nested, dtype=float)


def _read_folder(folder):
    return {path.stem: _read_object(path) for path in sorted(folder.glob("*.json"))}


def _read_object(path):
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        raise ResultsError(
            f"{path}: is not JSON (line {error.lineno}, column {error.colno}: {error.msg})"
        ) from error
    if not isinstance(content, dict):
        raise ResultsError(f"{path}: holds no JSON object")
    return content
