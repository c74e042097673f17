// SPDX-License-Identifier: Apache-2.0
// The module without a browser. Reads one JSON object per line, writes one answer per line.
//   node detect.cjs FOLDER < requests     FOLDER holds vsmax.js and vsmax.wasm
// A request has an `image` (file of RGBA bytes), its `width` and `height`, and a `model`; or instead
// of the image `draw` ({theta, rho}) and `sigma`. The pixels go to the file `save` if there is one.
const fs = require("fs");
const path = require("path");

async function main(folder) {
  const createVsmax = require(path.resolve(folder, "vsmax.js"));
  const wasmBinary = fs.readFileSync(path.join(folder, "vsmax.wasm"));
  const module = await createVsmax({ wasmBinary });
  for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const request = JSON.parse(line);
    const { width, height, draw } = request;
    if (draw) module._web_draw(width, height, draw.theta, draw.rho);
    else {
      const place = module._web_image(width, height); // before HEAPU8, which may move
      module.HEAPU8.set(fs.readFileSync(request.image), place);
    }
    const pixels = module._web_noise(request.sigma ?? 0, 42);
    if (request.save)
      fs.writeFileSync(request.save, module.HEAPU8.slice(pixels, pixels + 4 * width * height));
    const answer = module.ccall("web_detect", "string", ["string"], [request.model]);
    console.log(answer.trimEnd()); // a record ends with a newline, an error does not
  }
}

main(process.argv[2]);
