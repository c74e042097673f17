# SPDX-License-Identifier: Apache-2.0
"""Two or three processes train what one would. The longer tests are in tests/scale."""

from process_support import ProcessTest
from train_support import FAST, main

# Synthetic scenes: losses are means over the lines that are there, not over the images.
SCENES = """
model: vsmax-vs
evidence: learned
image: [32, 24]
grid: [15, 15]
scale: 0.0625
loss: {likelihood: 0.1, presence: 0.05}
data: {scenes: 0.7, blanks: 0.3, steps: 4}
optimiser: {learning_rate: 1.0e-3, clip: 0.1, average: 0.9}
batch: 7
max_epochs: 2
"""


class Processes(ProcessTest):
    def test_they_train_what_one_process_would(self):
        scenes = self.config("scenes.yaml", SCENES)
        for config, count in (("fast.yaml", 3), (scenes, 2)):  # batches of 8 and 7: unequal parts
            one, several = config + ".one", config + ".several"
            self.train(config, one, "--epochs", 2)
            (output, _), *others = self.together(count, config, several, "--epochs", 2)
            self.assertEqual(others, [("", "")] * (count - 1))
            self.assertEqual(len(output.splitlines()), 4, output)
            self.assert_same_curve(one, several)
            self.assertEqual(self.fingerprint(one).keys(), self.fingerprint(several).keys())

    def test_a_bad_step_is_found_together_and_told_once(self):
        config = self.config("huge.yaml", FAST + "scale: 1.0e+30\n")
        alone = self.refusal(config, "one")
        sentence = self.only_sentence(self.together(2, config, "two", code=1))
        self.assertEqual(sentence, alone.strip().replace("one/", "two/"))
        batches = [self.folder / out / "nan-batch.safetensors" for out in ("one", "two")]
        self.assertEqual(batches[0].read_bytes(), batches[1].read_bytes())

    def test_what_is_refused_is_told_once(self):
        small = self.config("small.yaml", FAST.replace("batch: 8", "batch: 2"))
        sentence = self.only_sentence(self.together(3, small, "run", code=1))
        self.assertIn("batch (= 2) is smaller than the number of processes, 3", sentence)
        self.assertIn("missing.yaml", self.only_sentence(
            self.together(2, "missing.yaml", "run", code=1)))  # fmt: skip
        self.train("fast.yaml", "run", "--epochs", 1)
        before = self.fingerprint("run")
        sentence = self.only_sentence(self.together(2, "fast.yaml", "run", code=1))
        self.assertIn("exists already", sentence)
        self.assertEqual(self.fingerprint("run"), before)


if __name__ == "__main__":
    main()
