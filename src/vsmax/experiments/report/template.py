# SPDX-License-Identifier: Apache-2.0
"""What a report's template can say: tables, figures, and every number of its sentences."""

import contextlib
import functools
import importlib
import json
import operator
import pkgutil

import kinds
import markdown
import number
import runs_table
import style
from kinds.maps import outermost, share_below
from number import Number
from results import ReportError, Results

KINDS = {
    module.name: importlib.import_module(f"kinds.{module.name}")
    for module in pkgutil.iter_modules(kinds.__path__)
}

MOST_NAMED = 8  # runs in a sentence


class ItemError(ReportError):
    """A mistake in an item of the suite, wherever the template shows it."""


def _pooled(key, bins):
    def mean(angles):
        counts = [angles["count"][theta] for theta in bins]
        values = [angles[key][theta] for theta in bins]
        return sum(map(operator.mul, counts, values)) / sum(counts)

    return mean


class Template:
    """The functions of a template; figures that it asks for are collected."""

    def __init__(self, results, folder):
        self.results = results
        self.folder = folder  # of the template
        self.figures = {}

    def names(self):
        """Everything that a template may use, by name."""
        public = ("table", "figure", "show", "data")
        public += ("ea", "at_angle", "lost_at_angle", "outermost", "below", "best")
        public += ("parameters", "lines", "info", "results_of")
        return {
            **{name: getattr(self, name) for name in public},
            "status": functools.partial(runs_table.status, self.results),
            "runs": functools.partial(runs_table.runs, self.results),
            "numbers": number.table,
            "fewest_seeds_above": number.fewest_seeds_above,
            "lowest": number.lowest,
            "largest": number.largest,
            "smallest": number.smallest,
            "spread_of": number.spread_of,
            "title": self.results.suite["title"],
            "items": self.results.items,
        }

    # Tables and figures of the suite.

    def _item(self, name):
        items = self.results.items
        if name not in items:
            raise ReportError(f"there is no item '{name}'; the items are {', '.join(items)}")
        item = items[name]
        kind = KINDS.get(item["kind"])
        with self._blaming(name):
            if not kind:
                known = f"the kinds are {', '.join(KINDS)}"
                raise ReportError(f"there is no kind '{item['kind']}'; {known}")
            own = {key: value for key, value in item.items() if key != "needs"}
            kinds.require_keys(own, ("kind", "title", *kind.REQUIRED), kind.OPTIONAL, "the item")
        return item, kind

    @contextlib.contextmanager
    def _blaming(self, name):
        """Mistakes, and data of an unexpected form, become a sentence that names the item."""
        place = f"{self.results.suite['suite']}.yaml: item '{name}'"
        try:
            yield
        except ReportError as error:
            raise ItemError(f"{place}: {error}") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            reason = f"does not have the form of its kind ({type(error).__name__}: {error})"
            raise ItemError(f"{place}: {reason}") from error

    def table(self, name):
        item, kind = self._item(name)
        missing = self.results.missing(item)
        names = ", ".join(f"`{run}`" for run in missing)
        if len(missing) > MOST_NAMED:
            names = f"{len(missing)} of {len(item['needs'])} runs"
        note = f"\n\nNot yet run: {names}." if missing else ""
        with self._blaming(name):
            return kind.table(item, self.results) + note

    def figure(self, name):
        item, kind = self._item(name)
        if not hasattr(kind, "figure"):
            raise ReportError(f"item '{name}': the kind '{item['kind']}' draws no figure")
        with self._blaming(name):
            fig = kind.figure(item, self.results)
        scale = self.results.suite["scale"]
        if scale != self.results.suite["default_scale"]:
            corner = {"ha": "right", "va": "bottom", "fontsize": 7, "in_layout": False}
            fig.text(0.995, 0.012, f"{scale} scale", color=style.FAINT, **corner)
        self.figures[name] = fig
        return markdown.picture(name, item["title"])

    def show(self, name):
        """The figure, if the kind has one, and the table."""
        _, kind = self._item(name)
        picture = f"{self.figure(name)}\n\n" if hasattr(kind, "figure") else ""
        return picture + self.table(name)

    # Numbers.

    def ea(self, run, lines, sigma):
        """EA of a run over a set of lines: all, seam, interior, in or out of its support."""

        def mean(name):
            found = self.results.score(name, lines, sigma, region_of=run)
            return found["mean"] if found else None

        published = self.results.published(run, sigma, lines)
        if isinstance(published, str):
            published = published.partition(" ± ")[0]
        seeds = {seed: mean(name) for seed, name in self.results.seeds(run).items()}
        ceiling = mean(self.results.ceiling) if self.results.ceiling else None
        return Number(mean(run), published, ceiling, seeds, place=(lines, sigma))

    def _of_map(self, run, sigma, function, form=markdown.score):
        def of(name):
            cells = self.results.map(name, sigma) if name else None
            return None if cells is None else float(function(cells))

        return Number(of(run), ceiling=of(self.results.ceiling), form=form, place=(sigma, form))

    def _of_angles(self, run, sigma, function, form):
        def of(name):
            angles = self.results.angles(name, sigma) if name else None
            return None if angles is None else float(function(angles))

        seeds = {seed: of(name) for seed, name in self.results.seeds(run).items()}
        ceiling = of(self.results.ceiling)
        return Number(of(run), None, ceiling, seeds, form, (sigma, form))

    def at_angle(self, run, sigma, *bins):
        """EA over the lines of one angle, or of several; -1 is the last."""
        return self._of_angles(run, sigma, _pooled("mean", bins), markdown.score)

    def lost_at_angle(self, run, sigma, *bins):
        """The share of these lines whose EA is below 0.4."""
        return self._of_angles(run, sigma, _pooled("lost", bins), markdown.share)

    def outermost(self, run, sigma):
        """EA over the outermost offsets of every angle."""
        return self._of_map(run, sigma, outermost)

    def below(self, run, sigma, limit):
        """The share of lines whose EA is below a limit."""
        return self._of_map(run, sigma, lambda cells: share_below(cells, limit), markdown.share)

    def best(self, runs, lines, sigma):
        return number.best({self.results.label(run): self.ea(run, lines, sigma) for run in runs})

    def parameters(self, run):
        count = (self.results.run(run) or {}).get("parameters")
        return Number(count, self.results.published(run, "parameters"), form=markdown.count)

    def lines(self, run):
        """How many lines the test has."""
        first = next(iter(self.results.scores(run)), {})  # the same lines at every noise
        count = first.get("all", {}).get("count")
        return Number(count, self.results.published(run, "lines"), form=markdown.count)

    def info(self, run, key):
        """A field of a run's file, such as best_epoch or validation_loss."""
        return Number((self.results.run(run) or {}).get(key), form=markdown.three_digits)

    def results_of(self, path):
        """The numbers of another folder of results, relative to the template; None if it is not
        there."""
        folder = self.folder / path
        return Template(Results(folder), self.folder) if folder.exists() else None

    def data(self, path):
        """A JSON file, relative to the template; None if it is not there."""
        file = self.folder / path
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
