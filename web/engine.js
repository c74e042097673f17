// SPDX-License-Identifier: Apache-2.0
// The worker: answers messages one at a time with the WebAssembly module.
let engine = null;

function load({ draw, pixels, width, height }) {
  if (draw) return engine._web_draw(width, height, draw.theta, draw.rho);
  const place = engine._web_image(width, height);
  engine.HEAPU8.set(pixels, place);
}

function show(message) {
  if (message.draw || message.pixels) load(message);
  const noisy = engine._web_noise(message.sigma, 42);
  const { model, temperature } = message;
  const text = engine.ccall("web_explain", "string", ["string", "number"], [model, temperature]);
  const result = JSON.parse(text);
  if (result.error) return result;
  const cells = result.thetas * result.rhos;
  const copyOut = (heap, at, count) => heap.slice(at, at + count);
  result.pixels = copyOut(engine.HEAPU8, noisy, 4 * message.width * message.height);
  result.accumulator = copyOut(engine.HEAPF32, engine._web_accumulator() >> 2, cells);
  result.probabilities = copyOut(engine.HEAPF32, engine._web_probabilities() >> 2, cells);
  return result;
}

async function answerTo(message) {
  if (message.kind === "start") engine = await createVsmax({ wasmBinary: message.wasm });
  if (message.kind === "show") return show(message);
  if (message.kind === "detect")
    return JSON.parse(engine.ccall("web_detect", "string", ["string"], [message.model]));
  return {};
}

onmessage = async ({ data }) => {
  const begin = performance.now();
  // The page's onerror would not see an exception in an asynchronous function.
  const answer = await answerTo(data).catch((error) => ({ error: error.message ?? String(error) }));
  answer.milliseconds = performance.now() - begin;
  const large = [answer.pixels, answer.accumulator, answer.probabilities];
  postMessage(answer, large.filter(Boolean).map((array) => array.buffer));
};
