# SPDX-License-Identifier: Apache-2.0
"""EA where a choice that the paper leaves open is made otherwise."""

import markdown
from facts import point_of
from table_main import seed_table

ITEM = "table-choices"
BLOCKS = (ITEM,)
COLUMNS = (("all", 0.0), ("all", 0.3), ("all", 0.6), ("seam", 0.6), ("interior", 0.6))


def plots(item, results):
    return {}


def blocks(item, results):
    rows = []
    shown = set()
    for line in item["rows"]:
        usual = [] if line["method"] in shown else [("as in the other tables", line["usual"])]
        shown.add(line["method"])
        for choice, figures in [*usual, (line["choice"], line["changed"])]:
            scores = [markdown.score(point_of(figures[part], sigma)) for part, sigma in COLUMNS]
            rows.append([line["method"], choice, *scores])
    head = ["", "", *(f"{part}, {markdown.SIGMA} = {sigma:g}" for part, sigma in COLUMNS)]
    table = markdown.table(head, rows, left=2)
    seeds = seed_table(item)
    if seeds:
        seeds = f"Votes not scaled, {markdown.SIGMA} = 0.6, over the seeds:\n\n{seeds}"
    return {ITEM: markdown.block(item, table, seeds or "")}
