# SPDX-License-Identifier: Apache-2.0
"""The page of 'vsmax detect --gallery': as a document, and in a browser where there is one."""

import html
import json
import os
import re
import shutil
import signal
import subprocess
import unittest
from xml.etree import ElementTree

from support import VSMAX, CommandLineTest, png_bytes, png_size

ODD_NAMES = ("<a & b> \"c\" 'd'.png", "M\u00f6bius \u03b8.png", "@ROWS@ 100%#?.png")


class Gallery(CommandLineTest):
    def make_gallery(self, *extra):
        """Four images: three lines under odd names, and one without a line."""
        for i, name in enumerate(ODD_NAMES):
            self.synth(name, 0.4 + 0.5 * i, 20 - 15 * i, "--size", "90x60")
        (self.folder / "flat.png").write_bytes(png_bytes(64, 48, [[77] * 64] * 48))
        names = [*ODD_NAMES, "flat.png"]
        output = self.succeed("detect", "--lines", 1, "--gallery", "out", *extra, *names)
        return names, output

    def rows(self):
        root = ElementTree.parse(self.folder / "out/index.html").getroot()
        return root, root.findall("body/table/tbody/tr")

    def test_page_is_well_formed_and_lists_every_image(self):
        names, _ = self.make_gallery()
        found = self.detect_json("--lines", 1, *names)
        root, rows = self.rows()
        self.assertEqual(root.find("head/title").text, "Lines found by auto")
        self.assertEqual(root.find("body/p").text, "4 images, 3 lines")
        self.assertEqual(len(rows), 4)
        for row, name, answer in zip(rows, names, found, strict=True):
            cells = row.findall("td")
            self.assertEqual([cells[1].text, cells[1].get("data-value")], [name, name])
            self.assertEqual(cells[2].text, str(len(answer["lines"])))
            for line in answer["lines"]:
                self.assertAlmostEqual(float(cells[4].get("data-value")), line["rho"])
                self.assertEqual(cells[5].text, f"{line['confidence']:.2f}")
            self.assertEqual(cells[6].text, answer["model"])
            image = cells[0].find("a/img")
            self.assertEqual(image.get("loading"), "eager")
            self.assertIn(name, image.get("alt"))
            size = png_size(self.folder / "out" / image.get("src"))
            self.assertEqual(size, (int(image.get("width")), int(image.get("height"))))
            self.assertLessEqual(max(size), 800)

    def test_names_that_are_not_utf8_are_shown_as_far_as_possible(self):
        name = os.fsdecode(b"not \xff UTF-8 \x01.png")
        self.synth(name)
        self.assertEqual(self.run_vsmax("detect", "--gallery", "out", name).returncode, 0)
        _, (row,) = self.rows()
        self.assertEqual(row.findall("td")[1].text, "not \ufffd UTF-8 \ufffd.png")

    def test_the_page_depends_on_neither_threads_nor_other_output(self):
        self.make_gallery("--threads", 1)
        one = (self.folder / "out/index.html").read_bytes()
        _, text = self.make_gallery("--threads", 3, "--json", "--overlay", "pictures")
        self.assertEqual((self.folder / "out/index.html").read_bytes(), one)
        self.assertEqual(len(text.splitlines()), 4)

    def test_images_that_fail_are_listed_with_the_reason(self):
        self.synth("good.png")
        (self.folder / "bad.png").write_bytes(b"no image")
        message = self.fail_with(1, "detect", "--gallery", "out", "bad.png", "good.png")
        root, rows = self.rows()
        summary = root.find("body/p").text
        self.assertEqual(summary, "2 images, 1 line, 1 image could not be searched")
        bad, good = (row.findall("td") for row in rows)
        self.assertIn(bad[0].text, message)
        self.assertEqual([len(bad), bad[1].text], [7, "bad.png"])
        self.assertEqual(good[1].text, "good.png")

    def test_an_interrupted_run_shows_what_it_has_found(self):
        self.synth("0.png")
        names = [f"{i}.png" for i in range(400)]
        for name in names[1:]:
            shutil.copyfile(self.folder / "0.png", self.folder / name)
        command = [VSMAX, "detect", "--gallery", "out", "--threads", "1", *names]
        with subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            self.assertEqual(process.wait(timeout=60), 130)
        root, rows = self.rows()
        self.assertEqual(root.find("head/title").text, "Lines found by auto, interrupted")
        self.assertTrue(1 <= len(rows) < 400, len(rows))
        for row in rows:
            self.assertTrue((self.folder / "out" / row.find("td/a").get("href")).exists())

    def test_no_image_is_replaced(self):
        (self.folder / "out/pictures").mkdir(parents=True)
        self.synth("out/pictures/00001.png")
        before = (self.folder / "out/pictures/00001.png").read_bytes()
        message = self.fail_with(1, "detect", "--gallery", "out", "out/pictures/00001.png")
        self.assertIn("00001.png", message)
        self.assertEqual((self.folder / "out/pictures/00001.png").read_bytes(), before)

    def test_pictures_of_an_earlier_gallery_do_not_stay(self):
        self.make_gallery()
        (self.folder / "out/notes.txt").write_text("mine")
        (self.folder / "bad.png").write_bytes(b"no image")
        self.fail_with(1, "detect", "--gallery", "out", "flat.png", "bad.png")
        left = sorted(path.name for path in (self.folder / "out").rglob("*"))
        self.assertEqual(left, ["00001.png", "index.html", "notes.txt", "pictures"])

    def test_a_picture_that_is_an_image_is_not_removed(self):
        self.make_gallery()
        message = self.fail_with(1, "detect", "--gallery", "out", "out/pictures/00003.png")
        self.assertIn("00003.png: is one of the images", message)
        self.assertEqual(len(list((self.folder / "out/pictures").iterdir())), 4)

    def test_in_a_browser(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            print("skipped in a browser: neither chromium nor google-chrome is installed")
            self.skipTest("no browser")
        names, _ = self.make_gallery()
        page = (self.folder / "out/index.html").read_text()
        # Uses the page as a reader would, and writes down what it sees.
        script = """<script>
addEventListener("load", async () => {
  const seen = [];
  const names = () => rows.filter((row) => !row.hidden).map((row) => row.cells[1].textContent);
  const order = () => Array.from(body.rows).map((row) => row.cells[1].textContent);
  const buttons = document.querySelectorAll("thead button");
  const press = (key) => viewer.dispatchEvent(new KeyboardEvent("keydown", { key }));
  const caption = () => viewer.querySelector("p").textContent.split("\\n")[0];
  buttons[2].click(); seen.push(order());
  buttons[2].click(); seen.push(order(), buttons[2].parentNode.getAttribute("aria-sort"));
  buttons[0].click(); seen.push(order());
  filter.value = "FLAT"; filter.dispatchEvent(new Event("input")); seen.push(names());
  filter.value = ""; filter.dispatchEvent(new Event("input")); seen.push(names().length);
  body.querySelector("a").click(); seen.push(viewer.open, caption());
  press("ArrowRight"); seen.push(caption());
  press("ArrowLeft"); press("ArrowLeft"); seen.push(caption());
  viewer.close(); await new Promise((done) => setTimeout(done));
  seen.push(document.activeElement === body.querySelector("a"));
  layout.click(); seen.push(layout.getAttribute("aria-pressed"));
  const width = (link) => new Promise((done) => {
    const image = new Image();
    image.onload = () => done(image.naturalWidth);
    image.onerror = () => done(0);
    image.src = link.href;
  });
  seen.push(await Promise.all(Array.from(body.querySelectorAll("a")).map(width)));
  document.body.innerHTML = "";
  document.body.dataset.seen = JSON.stringify(seen);
});
</script></body>"""
        (self.folder / "out/used.html").write_text(page.replace("</body>", script))
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=9000")
        result = subprocess.run(
            [browser, *options, f"--user-data-dir={self.folder}/profile", "--dump-dom",
             f"file://{self.folder}/out/used.html"],
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        (seen,) = re.findall('<body[^>]* data-seen="([^"]*)"', result.stdout.decode())
        self.check_what_was_seen(names, json.loads(html.unescape(seen)))

    def check_what_was_seen(self, names, seen):
        (rising, falling, sort, by_name, filtered, all_shown, is_open, first, second, back,
         focused, pressed, widths) = seen  # fmt: skip
        angle = [*names[:3], "flat.png"]  # the images were made by increasing theta
        self.assertEqual(rising, angle)
        self.assertEqual(falling, [*reversed(names[:3]), "flat.png"])
        self.assertEqual(sort, "descending")
        self.assertCountEqual(by_name, names)
        self.assertLess(by_name.index("flat.png"), by_name.index(names[1]))
        self.assertEqual((filtered, all_shown), (["flat.png"], 4))
        self.assertEqual((is_open, first, second, back), (True, by_name[0], by_name[1], by_name[0]))
        self.assertEqual((focused, pressed), (True, "true"))
        self.assertCountEqual(widths, [630, 630, 630, 640])


if __name__ == "__main__":
    unittest.main()
