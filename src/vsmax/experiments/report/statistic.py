# SPDX-License-Identifier: Apache-2.0
"""Student's t for the difference of two methods over the same seeds."""

import math
import statistics


def two_sided_p(t, degrees):
    """P(|T| > |t|), by the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(abs(t) / math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = degrees % 2 == 1
    term = total = cosine if odd else 1.0
    if degrees == 1:
        total = 0.0
    for k in range(3 if odd else 2, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return max(0.0, 1.0 - inside)


def paired_t(differences):
    """The mean, t and p; t and p are None for fewer than two differences, or if all are equal."""
    if not differences:
        return None, None, None
    mean = statistics.fmean(differences)
    spread = statistics.stdev(differences) if len(differences) > 1 else 0.0
    if spread == 0.0:
        return mean, None, None
    t = mean / (spread / math.sqrt(len(differences)))
    return mean, t, two_sided_p(t, len(differences) - 1)
