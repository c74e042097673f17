# SPDX-License-Identifier: Apache-2.0
"""Clean EA in and out of the region that a model was trained on."""

import markdown

ITEM = "table-generalisation"
BLOCKS = (ITEM,)


def plots(item, results):
    return {}


def blocks(item, results):
    rows = []
    for line in item["rows"]:
        ours = line["ours"] or {}
        ceiling = (item["ceiling"] or {}).get(line["setting"]) or {}
        cells = [f"{line['setting']}, {line['method']}"]
        for part in ("in", "out"):
            best = ceiling.get(part) or {}
            cells += [
                markdown.paper(line, part),
                markdown.summary(ours.get(part)),
                markdown.score(best.get("mean")),
            ]
        rows.append(cells)
    head = [
        "",
        *(f"{part}: {who}" for part in ("in support", "held out") for who in markdown.COLUMNS),
    ]
    return {ITEM: markdown.block(item, markdown.table(head, rows))}
