# SPDX-License-Identifier: Apache-2.0
"""Looks up a number in the results: the paper's, ours, and the ceiling's."""

from collections.abc import Callable
from dataclasses import dataclass, field

import markdown
from results import CEILING, curve_of
from table_main import mean_and_spread


@dataclass
class Number:
    paper: float | str | None = None  # a text is shown as it is
    ours: float | str | None = None
    ceiling: float | None = None
    seeds: dict[int, float] = field(default_factory=dict)
    form: Callable[[float | None], str] = markdown.score

    def cells(self):
        over = markdown.UNKNOWN
        if len(self.seeds) > 1:
            mean, spread = mean_and_spread(self.seeds.values())
            over = f"{self.form(mean)} ± {self.form(spread).lstrip('+')} ({len(self.seeds)})"
        return [self._shown(self.paper), self._shown(self.ours), over, self._shown(self.ceiling)]

    def _shown(self, value):
        return value if isinstance(value, str) else self.form(value)


def combined(function, form, one, other):
    """A function of two numbers, wherever both are known; seed by seed."""

    def of(a, b):
        return function(a, b) if markdown.known(a) and markdown.known(b) else None

    return Number(
        of(one.paper, other.paper),
        of(one.ours, other.ours),
        of(one.ceiling, other.ceiling),
        {seed: of(one.seeds[seed], other.seeds[seed]) for seed in one.seeds if seed in other.seeds},
        form,
    )


def minus(one, other):
    return combined(lambda a, b: a - b, markdown.difference, one, other)


def lead(one, other):
    """By how much a method scores more than another: the ceiling is the same for both."""
    number = minus(one, other)
    number.ceiling = None
    return number


def lift(one, other):
    """The same in parts of the other."""
    number = combined(lambda a, b: a / b - 1 if b else None, markdown.percent, one, other)
    number.ceiling = None
    return number


class Facts:
    """Looks numbers up; what is not there is unknown."""

    def __init__(self, results):
        self._results = results

    def _item(self, name):
        return self._results.items.get(name, {})

    def main(self, method, part):
        """A cell of the main table."""
        item = self._item("table-main")
        ceiling = _mean(item.get("ceiling"), part)
        for row in item.get("rows", []):
            if row["method"] == method:
                seeds = {seed["seed"]: seed[part] for seed in row.get("seeds", [])}
                return Number(row["paper"][part], _mean(row["ours"], part), ceiling, seeds)
        return Number(ceiling=ceiling)

    def curve(self, name, label, sigma, paper=None, panel=None):
        """A point of a curve."""
        item = self._item(name)
        curves = item.get("curves", [])
        for candidate in item.get("panels", []):
            if candidate["title"] == panel:
                curves = candidate["curves"]
        number = Number(paper, ceiling=point_of(item.get("ceiling"), sigma))
        for stored in curves:
            if stored["label"] == label:
                number.ours = point_of(stored, sigma)
        return number

    def region(self, setting, method, part):
        """A cell of the table on generalisation."""
        item = self._item("table-generalisation")
        ceiling = _mean((item.get("ceiling") or {}).get(setting), part)
        for row in item.get("rows", []):
            if (row["setting"], row["method"]) == (setting, method):
                return Number(row["paper"][part], _mean(row["ours"], part), ceiling)
        return Number(ceiling=ceiling)

    def of_map(self, title, function, form):
        """What a function finds in a map of the figure on the boundary."""
        found = {}
        for entry in self._item("fig-boundary").get("maps", []):
            stored = self._results.map(entry)
            if stored is not None:
                key = CEILING if entry["run"] == CEILING else entry["title"]
                found[key] = function(stored.cells)
        return Number(ours=found.get(title), ceiling=found.get(CEILING), form=form)

    def lines(self):
        """How many lines the evaluation has."""
        for name in self._results.run_names():
            for entry in self._results.run(name)["evaluation"]["results"]:
                return entry["all"]["count"]
        return None

    def parameters(self, row_method, paper):
        """How many parameters a method of the main table trains, where its run says so."""
        for row in self._item("table-main").get("rows", []):
            if row["method"] == row_method:
                run = self._results.run(row["run"]) or {}
                return Number(paper, run.get("parameters"), form=markdown.count)
        return Number(paper, form=markdown.count)


def _mean(scores, part):
    return ((scores or {}).get(part) or {}).get("mean")


def point_of(stored, sigma):
    curve = curve_of(stored)
    for x, mean in zip(curve.sigma.tolist(), curve.mean.tolist(), strict=True):
        if abs(x - sigma) < 1e-9:
            return mean
    return None
