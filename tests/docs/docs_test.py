# SPDX-License-Identifier: Apache-2.0
"""The documents: links lead somewhere, named files exist, numbers are those of the results."""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import model_cards  # noqa: E402

DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples/photos/README.md",
]

# Rows of README's speed table: the benchmarks whose medians they show, and those they divide by.
SPEED = {
    "**vsmax**, Hough transform, float / 8-bit": (["forward/vsmax", "forward/vsmax 8-bit"], None),
    "cv::HoughLines, all pixels": (["forward/cv::HoughLines, all pixels"], "forward/vsmax"),
    "cv::HoughLines, 3 % edge pixels": (["forward/cv::HoughLines, 3 % edges"], "forward/vsmax"),
    "cv::ximgproc::FastHoughTransform": (["forward/cv FastHoughTransform"], "forward/vsmax"),
    "Eigen sparse product": (["forward/Eigen sparse product"], "forward/vsmax"),
    "a loop over a table of bins": (["forward/naive loop"], "forward/vsmax"),
    "**vsmax**, its adjoint": (["adjoint/vsmax"], None),
    "a loop over a table of bins, adjoint": (["adjoint/naive loop"], "adjoint/vsmax"),
    "**vsmax**, refinement network": (["net/vsmax/1"], None),
    "LibTorch 1.13, memory kept / default": (["net/LibTorch, memory kept/1", "net/LibTorch/1"],
                                             "net/vsmax/1"),
    "**vsmax**, softmax and barycentre": (["readout/vsmax"], None),
    "LibTorch 1.13": (["readout/LibTorch"], "readout/vsmax"),
    "**vsmax**, image to line with the network": (["pipeline/vsmax/1"], None),
    "LibTorch 1.13, memory kept / default (pipeline)": (
        ["pipeline/LibTorch, memory kept/1", "pipeline/LibTorch/1"], "pipeline/vsmax/1"),
}  # fmt: skip


# Rows of README's table of accuracy: files in results.
ACCURACY = {
    "**`default`**": "beyond/runs/default",
    "`classic`": "beyond/runs/classic",
    "`argmax`, the textbook Hough transform": "paper/runs/argmax",
    "`paper`": "beyond/runs/paper",
    "ceiling: exact posterior, highest expected EA": "paper/runs/posterior",
    "`default`, lines anywhere, not on the grid": "beyond/runs/default-continuous",
    "`classic`, lines anywhere": "beyond/runs/classic-continuous",
}

# Runs whose scores at the wrap README names.
WRAP = (
    ("paper", "softargmax-vs-raw"),
    ("paper", "softargmax-vs"),
    ("paper", "vsmax-vs-raw"),
    ("paper", "vsmax-vs"),
    ("choices", "softargmax-vs-double"),
    ("choices", "vsmax-vs-single"),
)

# Rows of README's table of photographs: runs of results/real.
PHOTOS = {
    "**VSmax + L_vs**, double cover": "vsmax-vs",
    "VSmax + L_vs, single cover": "vsmax-vs-single",
    "VSmax + L_vs + likelihood, double cover": "vsmax-likelihood",
    "VSmax + L_polar, double cover": "vsmax-polar",
    "soft-argmax + L_vs, double cover": "soft-vs",
    "soft-argmax + L_vs, single cover": "soft-vs-single",
    "soft-argmax + L_polar, single cover": "soft-polar-single",
    "regression + L_vs, a ResNet-18 without Hough transform": "regression-vs",
}


def medians():
    """Wall time for the threaded benchmarks, processor time for the others, in microseconds."""
    found = {}
    for entry in json.loads((ROOT / "results/bench/bench.json").read_text())["benchmarks"]:
        if entry.get("aggregate_name") == "median":
            name = entry["name"].removesuffix("_median")
            clock = "real_time" if name.endswith("/real_time") else "cpu_time"
            found[name.removesuffix("/real_time")] = entry[clock]
    return found


def numbers(text):
    return [float(part.replace(",", "")) for part in re.findall(r"[\d,.]+", text)]


def rows_of(text):
    for line in text.splitlines():
        if line.startswith("| ") and "---" not in line:
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


class Documents(unittest.TestCase):
    def test_the_web_page_names_no_other_site(self):
        for source in sorted((ROOT / "web").iterdir()):
            text = source.read_text()
            self.assertIsNone(re.search(r"(https?:|src=\"|url\(|[\"'])//\w", text), source)

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
                if not target.startswith("http"):
                    with self.subTest(document=document.name, target=target):
                        self.assertTrue((document.parent / target).exists())

    def test_sources_named_in_the_text_exist(self):
        pattern = re.compile(r"`([a-z_]+(?:/[a-z_]+)*/[a-z_]+\.(?:h|cpp|cu|py|sh|yaml))`")
        for document in DOCUMENTS:
            for name in pattern.findall(document.read_text()):
                with self.subTest(document=document.name, name=name):
                    places = (ROOT / name, ROOT / "src" / name, ROOT / "src/vsmax" / name)
                    self.assertTrue(any(place.exists() for place in places))

    def test_the_reference_is_complete(self):
        listed = (ROOT / "src/vsmax/CMakeLists.txt").read_text().split("set(public_headers", 1)[1]
        headers = {name.rsplit("/")[-1] for name in listed.split(")", 1)[0].split()}
        page = (ROOT / "docs/site/api/cpp.md").read_text()
        shown = set(re.findall(r"\{doxygenfile\} (\S+)", page))
        self.assertEqual(shown, headers - {"host_device.h"})  # one macro, for CUDA

        package = (ROOT / "python/vsmax/__init__.py").read_text().split("__all__ = ", 1)[1]
        page = (ROOT / "docs/site/api/python.md").read_text()
        shown = set(re.findall(r":: vsmax\.(\w+)", page))
        self.assertEqual(shown, set(re.findall(r"\"(\w+)\"", package)))

    def test_the_c_example_is_the_file(self):
        example = (ROOT / "examples/c/detect.c").read_text()
        code = (ROOT / "docs/c.md").read_text().split("```c\n", 1)[1].split("```", 1)[0]
        self.assertEqual(code, example[example.index("#include") :])

    def test_the_speed_table_is_the_benchmarks(self):
        times = medians()
        table = (ROOT / "README.md").read_text().split("<!-- speed table", 1)[1].split("\n\n", 1)[0]
        seen = []
        for name, microseconds, ratio in rows_of(table):
            key = f"{name} (pipeline)" if name in seen else name
            if not key:
                continue
            seen.append(key)
            benchmarks, reference = SPEED[key]
            with self.subTest(row=key):
                for shown, benchmark in zip(numbers(microseconds), benchmarks, strict=True):
                    self.assertAlmostEqual(shown, times[benchmark], delta=1 + 1e-3 * shown)
                if reference is None:
                    self.assertEqual(ratio, "1")
                    continue
                for shown, benchmark in zip(numbers(ratio), benchmarks, strict=True):
                    exact = times[benchmark] / times[reference]
                    self.assertAlmostEqual(shown, exact, delta=0.51 if shown >= 20 else 0.06)
        self.assertEqual(set(seen), set(SPEED))

    def test_the_speed_table_of_cuda_is_the_benchmarks(self):
        times = {
            (row["name"], row["batch"]): row["median"]
            for row in json.loads((ROOT / "results/bench-cuda/bench.json").read_text())["results"]
        }
        table = (ROOT / "docs/cuda.md").read_text().split("<!-- speed table", 1)[1]
        rows = [cells for cells in rows_of(table.split("\n\n", 1)[0]) if cells[0]]
        self.assertEqual(len(rows), 14)
        for name, *shown in rows:
            for text, batch in zip(shown, (64, 1), strict=True):
                time = times[name, batch]
                self.assertEqual(text, f"{time:,.0f}" if time >= 100 else f"{time:.1f}", name)

    def test_the_accuracy_table_is_the_runs(self):
        readme = (ROOT / "README.md").read_text()
        rows = {cells[0]: cells[1:] for cells in rows_of(readme)}
        for row, run in ACCURACY.items():
            results = json.loads((ROOT / f"results/{run}.json").read_text())
            means = {e["sigma"]: e["all"]["mean"] for e in results["evaluation"]["results"]}
            for shown, sigma in zip(rows[row], (0.0, 0.3, 0.6, 0.8), strict=True):
                number = shown.strip("*")
                digits = len(number) - 2
                self.assertEqual(number, f"{means[sigma]:.{digits}f}", f"{run} at {sigma}")

    def test_the_table_of_photographs_is_the_runs(self):
        """Pooled over all folds that have been run."""
        rows = {cells[0]: cells[1:] for cells in rows_of((ROOT / "README.md").read_text())}
        for row, run in PHOTOS.items():
            columns = []
            for name, parts in (("guide", ("all",)), ("rotated", ("seam", "interior"))):
                files = sorted((ROOT / "results/real/runs").glob(f"{name}-{run}-s?.json"))
                scores = [json.loads(f.read_text())["evaluation"]["results"][0] for f in files]
                for part in parts:
                    count = sum(score[part]["count"] for score in scores)
                    total = sum(score[part]["mean"] * score[part]["count"] for score in scores)
                    columns.append(f"{total / count:.3f}" if count else "-")
            self.assertEqual([cell.strip("*") for cell in rows[row]], columns, row)

    def test_the_scores_at_the_wrap_are_the_runs(self):
        """The mean over the seeds at the first and the last angle, in the section on the seam."""
        readme = (ROOT / "README.md").read_text()
        section = " ".join(readme.partition("## The seam under noise")[2].split())
        shown, seeds = {}, {}
        for suite, name in WRAP:
            scores = []
            for run in sorted((ROOT / f"results/{suite}/runs").glob(f"{name}-s*.json")):
                later = ROOT / f"results/{suite}/angles/{run.name}"
                angles = json.loads((later if later.exists() else run).read_text())["angles"]
                for entry in (entry for entry in angles if entry["sigma"] == 0.6):
                    mean, count = entry["mean"], entry["count"]
                    total = mean[0] * count[0] + mean[-1] * count[-1]
                    scores.append(total / (count[0] + count[-1]))
            self.assertEqual(len(scores), 5, name)
            shown[name] = f"{sum(scores) / 5:.2f}"
            seeds[name] = [f"{score:.2f}" for score in sorted(scores)]
        lowest, second, *_, highest = seeds["softargmax-vs"]
        for sentence in (
            "is {softargmax-vs-raw} over five seeds, and VSmax's {vsmax-vs-raw}.",
            "the means are {softargmax-vs} and {vsmax-vs},",
            f"soft-argmax scores {lowest}, with the others {second} to {highest}.",
            "soft-argmax has {softargmax-vs-double} at the wrap and VSmax {vsmax-vs-single}:",
        ):
            self.assertIn(sentence.format(**shown), section)

    def test_model_cards_are_those_of_their_runs(self):
        runs = ROOT / "results/paper/runs"
        ceiling = json.loads((runs / "posterior.json").read_text())
        cards = [
            path for path in (ROOT / "models").glob("*.md") if (runs / f"{path.stem}.json").exists()
        ]
        self.assertEqual(len(cards), 35)
        for path in cards:
            run = json.loads((runs / f"{path.stem}.json").read_text())
            self.assertEqual(path.read_text(), model_cards.card(run, ceiling), path.name)


if __name__ == "__main__":
    unittest.main()
