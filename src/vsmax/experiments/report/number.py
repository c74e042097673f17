# SPDX-License-Identifier: Apache-2.0
"""A number in the report: as published, ours, over the seeds, and of the ceiling."""

import operator
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

import markdown
import statistic


@dataclass(frozen=True)
class Number:
    """In a template, {{ number }} shows ours; an unknown value is shown as an en dash."""

    ours: float | str | None = None
    published: float | str | None = None  # a text is shown as it is
    ceiling: float | None = None
    by_seed: dict[int, float] = field(default_factory=dict)
    form: Callable[[float | None], str] = markdown.score
    place: tuple = ()  # numbers at the same place have the same ceiling

    def __post_init__(self):
        known = {seed: value for seed, value in self.by_seed.items() if value is not None}
        object.__setattr__(self, "by_seed", known)

    def __str__(self):
        return self._shown(self.ours)

    def _shown(self, value):
        return value if isinstance(value, str) else self.form(value)

    def _combined(self, other, function, form, same_ceiling=False):
        if not isinstance(other, Number):
            other = Number(other, other, other)

        def of(one, two):
            one, two = _value(one), _value(two)
            return function(one, two) if one is not None and two is not None else None

        both = [seed for seed in self.by_seed if seed in other.by_seed]
        return Number(
            of(self.ours, other.ours),
            of(self.published, other.published),
            None if same_ceiling else of(self.ceiling, other.ceiling),
            {seed: of(self.by_seed[seed], other.by_seed[seed]) for seed in both},
            form,
            (*self.place, "-", *other.place),
        )

    def __sub__(self, other):
        same_ceiling = isinstance(other, Number) and self.place == other.place
        return self._combined(other, operator.sub, markdown.difference, same_ceiling)

    def __truediv__(self, other):
        return self._combined(other, operator.truediv, markdown.count, True)

    def lift(self, other):
        """The relative change from `other` to this one."""
        return self._combined(other, lambda a, b: a / b - 1 if b else None, markdown.percent, True)

    def _over(self, function, least_seeds=1):
        values = list(self.by_seed.values())
        return self.form(function(values) if len(values) >= least_seeds else None)

    published_text = property(lambda self: self._shown(self.published))
    plain = property(lambda self: str(self).removeprefix("+"))
    seeds = property(lambda self: len(self.by_seed))
    mean = property(lambda self: self._over(statistics.fmean))
    lowest = property(lambda self: self._over(min))
    highest = property(lambda self: self._over(max))
    spread = property(lambda self: self._over(statistics.stdev, 2).removeprefix("+"))
    over_seeds = property(
        lambda self: self.mean if self.seeds < 2 else f"{self.mean} ± {self.spread}"
    )

    def _t_test(self):
        return statistic.paired_t(list(self.by_seed.values()))

    t = property(lambda self: markdown.plain(self._t_test()[1], 1))  # of the mean against zero
    p = property(lambda self: markdown.probability(self._t_test()[2]))

    def quoted(self, digits=2):
        """The published number, rounded as the paper's sentences do."""
        value = _value(self.published)
        return self._shown(self.published) if value is None else f"{value:.{digits}f}"

    @property
    def every_seed(self):
        return ", ".join(map(self.form, self.by_seed.values())) or markdown.UNKNOWN

    def _seeds_where(self, condition):
        if not self.by_seed:
            return markdown.UNKNOWN
        return f"{sum(map(condition, self.by_seed.values()))} of {self.seeds}"

    def seeds_above(self, limit):
        """For how many seeds it is more than the limit, as in "3 of 5"."""
        return self._seeds_where(lambda value: value > limit)

    def seeds_within(self, limit):
        """For how many seeds it differs from zero by at most the limit."""
        return self._seeds_where(lambda value: abs(value) <= limit)

    def cells(self):
        seeds = f"{self.over_seeds} ({self.seeds})" if self.seeds > 1 else markdown.UNKNOWN
        return [self.published_text, str(self), seeds, self._shown(self.ceiling)]


def _value(number):
    try:
        return None if number is None else float(number)
    except ValueError:
        return None


def best(numbers):
    """The highest of {label: number} and whose it is, separately for published and ours."""

    def winner(kind):
        values = [(_value(getattr(number, kind)), label) for label, number in numbers.items()]
        known = [(value, label) for value, label in values if value is not None]
        value, label = max(known, key=lambda pair: pair[0], default=(None, None))
        return label and f"{markdown.score(value)} ({label})"

    return Number(winner("ours"), winner("published"))


def fewest_seeds_above(numbers, limit):
    """seeds_above() of the number that is above the limit for the fewest seeds."""
    least = min(numbers, key=lambda number: sum(v > limit for v in number.by_seed.values()))
    return least.seeds_above(limit)


def lowest(numbers):
    return _extreme(numbers, min, numbers[0].form)


def largest(differences):
    """The largest absolute value of some differences."""
    return _extreme(differences, lambda values: max(map(abs, values)), markdown.score)


def smallest(differences):
    """The smallest absolute value of some differences."""
    return _extreme(differences, lambda values: min(map(abs, values)), markdown.score)


def spread_of(numbers):
    """The largest standard deviation over the seeds."""
    spreads = [statistics.stdev(n.by_seed.values()) for n in numbers if n.seeds > 1]
    return Number(max(spreads, default=None))


def _extreme(numbers, function, form):
    values = [_value(number.ours) for number in numbers]
    return Number(None if None in values else function(values), form=form)


def table(numbers):
    """{label: number} as rows; columns in which nothing is known are left out."""
    head = ["", "published", "ours", "ours, mean of (n) seeds", "ceiling"]
    rows = [[label, *number.cells()] for label, number in numbers.items()]
    columns = zip(head, *rows, strict=True)
    kept = [
        [title, *cells]
        for title, *cells in columns
        if title in ("", "ours") or any(cell != markdown.UNKNOWN for cell in cells)
    ]
    head, *rows = zip(*kept, strict=True)
    return markdown.table(head, rows)
