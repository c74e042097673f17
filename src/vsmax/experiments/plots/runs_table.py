# SPDX-License-Identifier: Apache-2.0
"""All runs with how they were trained, and which item is how far."""

import markdown

RUNS = "runs"
STATUS = "status"
RUN_COLUMNS = (
    "run",
    "epochs",
    "best epoch",
    "validation loss",
    "end",
    "seconds",
    "device",
    "precision",
    "commit",
)


def status(results, names):
    """The items that there are, in the order of `names`."""
    rows = []
    for name in names:
        item = results.items.get(name)
        if item is None:
            rows.append([f"`{name}`", "", "", "not yet run"])
            continue
        rows.append(
            [
                f"`{name}`",
                item["title"],
                item["scale"],
                "complete" if item["complete"] else f"runs missing: {len(item['missing'])}",
            ]
        )
    table = markdown.table(["item", "what it shows", "scale", ""], rows, left=4)
    small = sorted({item["scale"] for item in results.items.values()} - {"full"})
    if small:
        sentence = f"At {', '.join(small)} scale: all below shows that it runs, not what comes out."
        table = f"{table}\n\n{sentence}"
    return table


def runs(results):
    rows = []
    seconds = 0.0
    for name in results.run_names():
        run = results.run(name)
        seconds += run.get("seconds") or 0.0
        loss = run.get("validation_loss")
        rows.append(
            [
                f"`{name}`",
                str(run.get("epochs", markdown.UNKNOWN)),
                str(run.get("best_epoch", markdown.UNKNOWN)),
                f"{loss:.3g}" if markdown.known(loss) else markdown.UNKNOWN,
                run.get("end", "not trained"),
                markdown.count(run.get("seconds")),
                run.get("device", ""),
                run["configuration"].get("precision", ""),
                f"`{run['commit'][:10]}`" if run.get("commit") else "",
            ]
        )
    if not rows:
        return "No run yet."
    total = f"{len(rows)} runs, {seconds / 3600:.1f} hours of training."
    return f"{markdown.table(RUN_COLUMNS, rows)}\n\n{total}"
