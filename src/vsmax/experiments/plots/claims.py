# SPDX-License-Identifier: Apache-2.0
"""The numbers that each claim of the paper rests on, one block of the report a claim."""

import fig_boundary
import markdown
from facts import Facts, Number, combined, lead, lift, minus
from markdown import MINUS, SIGMA

SETTINGS = ("g1", "g2", "g3", "g4")
WIDTHS = ("0.5", "1.1", "1.5", "2.0", "3.0")
RIVAL = "soft-argmax + L_vs"  # the same but for the readout
PIPELINES = ("MLP", "soft-argmax", "VSmax")


def seam_tears(facts):
    seam = facts.main(RIVAL, "seam")
    interior = facts.main(RIVAL, "interior")
    return [
        ("soft-argmax + L_vs, seam", seam),
        ("soft-argmax + L_vs, interior", interior),
        (f"seam {MINUS} interior", minus(seam, interior)),
    ]


def seam_resolved(facts):
    seam = facts.main("VSmax + L_vs", "seam")
    interior = facts.main("VSmax + L_vs", "interior")
    return [
        ("VSmax + L_vs, seam", seam),
        ("VSmax + L_vs, interior", interior),
        (f"seam {MINUS} interior", minus(seam, interior)),
        (
            f"VSmax {MINUS} soft-argmax, seam",
            lead(seam, facts.main(RIVAL, "seam")),
        ),
    ]


def corner_bands(facts):
    rows = []
    for name, function, form in (
        ("mean EA of the outermost offsets", fig_boundary.outer_band, markdown.score),
        (f"lines below {fig_boundary.DARK}", fig_boundary.dark_share, markdown.share),
    ):
        for readout in ("soft-argmax", "VSmax"):
            rows.append((f"{readout}, {name}", facts.of_map(readout, function, form)))
    return rows


def loss_lifts_seam(facts):
    rows = []
    for pipeline in PIPELINES:
        polar = facts.main(f"{pipeline} + L_polar", "seam")
        vs = facts.main(f"{pipeline} + L_vs", "seam")
        rows += [
            (f"{pipeline} + L_polar, seam", polar),
            (f"{pipeline} + L_vs, seam", vs),
            (f"{pipeline}, lift", lift(vs, polar)),
        ]
    return rows


def mlp_deficit(facts):
    rows = []
    for loss in ("L_polar", "L_vs"):
        seam = facts.main(f"MLP + {loss}", "seam")
        interior = facts.main(f"MLP + {loss}", "interior")
        rows.append((f"MLP + {loss}, seam {MINUS} interior", minus(seam, interior)))
    return rows


def complementary(facts):
    methods = ("soft-argmax + L_polar", "soft-argmax + L_vs", "VSmax + L_polar", "VSmax + L_vs")
    return [(f"{method}, seam", facts.main(method, "seam")) for method in methods]


def graceful_loss(facts):
    rows = []
    for pipeline in PIPELINES:
        at = {
            (loss, sigma): facts.curve(
                "fig-noise",
                loss,
                sigma,
                facts.main(f"{pipeline} + {loss}", "interior").paper if sigma == 0.6 else None,
                pipeline,
            )
            for loss in ("L_vs", "L_polar")
            for sigma in (0.0, 0.6, 0.8)
        }
        for sigma in (0.0, 0.6, 0.8):
            ahead = lead(at["L_vs", sigma], at["L_polar", sigma])
            rows.append((f"{pipeline}, {SIGMA} = {sigma:g}: L_vs {MINUS} L_polar", ahead))
        for loss in ("L_vs", "L_polar"):
            change = minus(at[loss, 0.6], at[loss, 0.0])
            rows.append((f"{pipeline} + {loss}, from {SIGMA} = 0 to 0.6", change))
    return rows


def best_of_six(facts):
    others = [
        f"{pipeline} + {loss}"
        for pipeline in PIPELINES
        for loss in ("L_polar", "L_vs")
        if (pipeline, loss) != ("VSmax", "L_vs")
    ]
    rows = []
    for part in ("all", "seam", "interior"):
        ours = facts.main("VSmax + L_vs", part)
        numbers = {method: facts.main(method, part) for method in others}
        best = Number(
            _best({method: number.paper for method, number in numbers.items()}),
            _best({method: number.ours for method, number in numbers.items()}),
        )
        rows += [
            (f"VSmax + L_vs, {part}", ours),
            (f"the best of the other five, {part}", best),
            (f"VSmax {MINUS} soft-argmax, both L_vs, {part}", lead(ours, numbers[RIVAL])),
        ]
    return rows


def _best(scores):
    """The highest score and whose it is."""
    known = {method: score for method, score in scores.items() if markdown.known(score)}
    if not known:
        return None
    winner = max(known, key=known.get)
    return f"{markdown.score(known[winner])} ({winner})"


def classical_decays(facts):
    papers = {0.0: "≈ 0.98", 0.8: "towards 0.5"}
    return [
        (
            f"HT+argmax, {SIGMA} = {sigma:g}",
            facts.curve("fig-end-to-end", "HT+argmax", sigma, papers.get(sigma)),
        )
        for sigma in (0.0, 0.3, 0.6, 0.8)
    ]


def rht_collapses(facts):
    clean = {"0.5": "0.79", "3.0": "0.89"}
    rows = []
    for sigma in (0.0, 0.3):
        for width in WIDTHS:
            paper = "≈ 0.1" if sigma else clean.get(width)
            number = facts.curve("fig-rht-sweep", width, sigma, paper)
            rows.append((f"RHT, {SIGMA}_t = {width}, {SIGMA} = {sigma:g}", number))
    return rows


def vsmax_graceful(facts):
    published = {0.6: facts.main("VSmax + L_vs", "all").paper}
    rows = []
    for sigma in (0.0, 0.3, 0.5, 0.6, 0.8):
        number = facts.curve("fig-end-to-end", "VSmax", sigma, published.get(sigma))
        rows.append((f"VSmax, {SIGMA} = {sigma:g}", number))
    return rows


def comparable_inside(facts):
    return [
        (f"{setting}, {method}, in support", facts.region(setting, method, "in"))
        for setting in SETTINGS
        for method in ("MLP", "operator")
    ]


def apart_outside(facts):
    rows = []
    for setting in SETTINGS:
        for method in ("MLP", "operator"):
            outside = facts.region(setting, method, "out")
            rows.append((f"{setting}, {method}, held out", outside))
            inside = facts.region(setting, method, "in")
            rows.append((f"{setting}, {method}, held out {MINUS} in", minus(outside, inside)))
    return rows


def small_network(facts):
    operator = facts.parameters("VSmax + L_vs", 37_600)
    mlp = facts.parameters("MLP + L_vs", 11_300_000)
    return [
        ("parameters, known operator", operator),
        ("parameters, MLP", mlp),
        ("MLP / operator", combined(lambda a, b: a / b, markdown.count, mlp, operator)),
    ]


def resolvable_lines(facts):
    return [("lines of the test", Number(14_384, facts.lines(), form=markdown.count))]


# In the order of the report.
CLAIMS = {
    "claim-1": seam_tears,
    "claim-2": seam_resolved,
    "claim-3": corner_bands,
    "claim-4": loss_lifts_seam,
    "claim-5": mlp_deficit,
    "claim-6": complementary,
    "claim-7": graceful_loss,
    "claim-8": best_of_six,
    "claim-9": classical_decays,
    "claim-10": rht_collapses,
    "claim-11": vsmax_graceful,
    "claim-12": comparable_inside,
    "claim-13": apart_outside,
    "claim-14": small_network,
    "claim-15": resolvable_lines,
}


def blocks(results):
    facts = Facts(results)
    return {name: _table(rows(facts)) for name, rows in CLAIMS.items()}


def _table(rows):
    """The column of the seeds and that of the ceiling only where they hold something."""
    head = ["", "paper", "ours", "ours, mean of (n) seeds", "ceiling"]
    lines = [[label, *number.cells()] for label, number in rows]
    kept = [
        column
        for column in range(len(head))
        if column < 3 or any(line[column] != markdown.UNKNOWN for line in lines)
    ]
    return markdown.table(
        [head[column] for column in kept], [[line[column] for column in kept] for line in lines]
    )
