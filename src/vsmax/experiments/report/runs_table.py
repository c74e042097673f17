# SPDX-License-Identifier: Apache-2.0
"""The state of every item, and how every run was trained."""

import markdown

RUN_COLUMNS = ("run", "epochs", "best epoch", "validation loss", "end", "seconds", "device")
RUN_COLUMNS += ("precision", "commit")


def status(results):
    scale, usual = results.suite["scale"], results.suite["default_scale"]
    rows = []
    for name, item in results.items.items():
        missing = len(results.missing(item))
        state = f"runs missing: {missing}" if missing else "complete"
        rows.append([f"`{name}`", item["title"], state])
    table = markdown.table(["item", "what it shows", ""], rows, left=3)
    if scale == usual:
        return table
    return (
        f"**At {scale} scale: this shows that everything runs. The numbers mean nothing, and the "
        f"sentences around them were written for the {usual} scale.**\n\n{table}"
    )


def runs(results):
    rows = []
    seconds = 0.0
    for name, run in results.finished().items():
        seconds += run.get("seconds") or 0.0
        rows.append(
            [
                f"`{name}`",
                str(run.get("epochs", markdown.UNKNOWN)),
                str(run.get("best_epoch", markdown.UNKNOWN)),
                markdown.three_digits(run.get("validation_loss")),
                run.get("end", "not trained"),
                markdown.count(run.get("seconds")),
                run.get("device", ""),
                run["configuration"].get("precision", ""),
                f"`{run['commit'][:10]}`" if run.get("commit") else "",
            ]
        )
    if not rows:
        return "No run is finished yet."
    total = f"{len(rows)} runs, {seconds / 3600:.1f} hours of training."
    return f"{markdown.table(RUN_COLUMNS, rows)}\n\n{total}"
