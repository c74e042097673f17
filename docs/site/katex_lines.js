// SPDX-License-Identifier: Apache-2.0
// Formulas in, HTML out: one JSON value per line each. A formula with a mistake ends the program.
const katex = require("/usr/share/javascript/katex/katex.min.js");

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { formula, displayMode } = JSON.parse(line);
  const html = katex.renderToString(formula, { displayMode, strict: "ignore" });
  process.stdout.write(JSON.stringify(html) + "\n");
});
