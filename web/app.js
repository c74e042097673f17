// SPDX-License-Identifier: Apache-2.0
// Ties controls, worker and pictures together. Only one request is in flight at a time; changes
// made meanwhile are requested after its answer.

const $ = (id) => document.getElementById(id);
const COLOURS = { vsmax: "#12b5a6", softargmax: "#ff7a45", truth: "#ffffff", probe: "#ffd166" };
const NAMES = { vsmax: "VSmax", softargmax: "soft-argmax" };
const EXAMPLES = {
  seam: { draw: { theta: 3.1284, rho: 60 }, width: 256, height: 256, sigma: 0.1, temperature: 100 },
  inside: { draw: { theta: 0.7, rho: 20 }, width: 256, height: 256, sigma: 0.1, temperature: 100 },
  noisy: { draw: { theta: 2.2, rho: -35 }, width: 256, height: 256, sigma: 0.6, temperature: 1 },
  sea: { photo: "photo-sea", kind: "edges", sigma: 0, temperature: 1 },
  saturn: { photo: "photo-saturn", kind: "edges", sigma: 0, temperature: 1 },
};

// Busy until the worker has started.
const state = { source: null, fresh: false, probe: null, shown: null, busy: true, dirty: false };
const picture = new Picture();
const accumulator = new StripMap($("accumulator"), paintRoot);
const probability = new StripMap($("probability"), paintLogarithm);
const camera = new Camera($("video"));
let worker = null;
let detectTimer = 0;
let choices = 0; // counts them: an image that is slow to decode must not replace a later choice

const readout = () => document.querySelector("input[name=readout]:checked").value;
const temperature = () => 10 ** Number($("temperature").value);
const sigma = () => Number($("noise").value);

// An angle that would round to 180° is written as 0°, with the other sign of rho: the same line.
function polar({ theta, rho }, digits = 1, spread = "") {
  const rounded = ((theta * 180) / Math.PI).toFixed(digits);
  const turned = Number(rounded) === 180;
  const distance = (turned ? -rho : rho).toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", "");
  return `θ ${turned ? (0).toFixed(digits) : rounded}°, ρ ${distance}${spread} px`;
}

function ask(message, transfer = []) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(message, transfer);
  });
}

function say(text, kind = "") {
  $("verdict").className = `verdict ${kind}`;
  if ($("verdict").textContent !== text) $("verdict").textContent = text;
}

// Shows the stages of the present source with the present settings.
async function refresh() {
  if (state.busy || !state.source) {
    state.dirty = true;
    return;
  }
  state.busy = true;
  state.dirty = false;
  if (camera.running) Object.assign(state, { source: camera.grab(), fresh: true });
  const { draw, pixels, width, height } = state.source;
  const settings = { model: $("kind").value, sigma: sigma(), temperature: temperature() };
  const message = { kind: "show", width, height, ...settings };
  if (state.fresh) Object.assign(message, { draw, pixels });
  state.fresh = false;
  let shown = null;
  try {
    shown = await ask(message);
  } catch (error) {
    say(error.message, "torn");
  }
  state.busy = false;
  if (camera.running ? camera.fresh : state.dirty) refresh(); // the worker goes on while we paint
  if (shown) show(Object.assign(shown, { width, height, drawn: draw }));
  if (camera.running || state.busy) return;
  clearTimeout(detectTimer);
  detectTimer = setTimeout(detect, 250);
}

function show(shown) {
  state.shown = shown;
  picture.update(shown.pixels, shown.width, shown.height);
  accumulator.update(shown.accumulator, shown.thetas, shown.rhos, shown.reach);
  probability.update(shown.probabilities, shown.thetas, shown.rhos, shown.reach);
  paint();
  if (camera.running) showRate(shown);
}

function paint() {
  const { shown } = state;
  if (!shown) return;
  const kind = readout();
  const found = shown[kind];
  const probe = state.probe && { ...state.probe, colour: COLOURS.probe };
  const marks = found ? [{ ...found, colour: COLOURS[kind] }] : [];
  if (shown.drawn) marks.push({ ...shown.drawn, colour: COLOURS.truth, dashed: true });
  accumulator.draw(probe ? [...marks, probe] : marks);
  const halves = massBesideSeam(shown);
  probability.draw(marks, halves ? averaged(halves, kind) : [], halves ? [halves.left, halves.right] : []);
  const long = (line) => longSegment(line, shown.width, shown.height);
  picture.drawOn($("image"), probe ? [{ endpoints: long(probe), colour: probe.colour }] : []);
  const lines = shown.drawn ? [{ endpoints: long(shown.drawn), colour: COLOURS.truth, dashed: true }] : [];
  if (found) lines.push({ endpoints: long(found), colour: COLOURS[kind] });
  picture.drawOn($("line"), lines);
  describe(kind, found, halves);
}

function describe(kind, found, halves) {
  const { shown } = state;
  $("readout-name").textContent = `read by ${NAMES[kind]}`;
  $("image-note").textContent = `${shown.width} × ${shown.height} pixels`;
  $("line-note").textContent = shown.drawn ? "Dashed: the true line, where it is visible." : "";
  $("halves").textContent = halves
    ? `${percent(halves.left.mass)} near ${polar(halves.left)} and ${percent(halves.right.mass)} near ` +
      `${polar(halves.right)}: almost the same line, seen from both sides of the seam.`
    : "Nearly all of the probability lies on one side of the seam.";
  if (!found) return say("There is no contrast in this image, so there is no line.");
  const answer = `${NAMES[kind]} reads ${polar(found)}`;
  if (camera.running) return;
  if (!shown.drawn) return say(`${answer}. For photographs, the models below do better.`, "plain");
  const score = `EA-score ${found.ea.toFixed(2)} of 1`;
  const other = shown[kind === "vsmax" ? "softargmax" : "vsmax"];
  if (found.ea > 0.9)
    say(`${answer}: ${score}. ` + (other.ea < 0.7
      ? "The seam is healed. Switch to soft-argmax to see it tear."
      : "Both readouts agree here; raise the temperature at the seam to see them differ."), "healed");
  else
    say(`${answer}: ${score}. ` + (other.ea > 0.9
      ? "The seam is torn: it averaged the strip's two ends, which are the same place. Switch to VSmax."
      : "The probability is spread over too many lines for either readout; lower the temperature."), "torn");
}

const percent = (mass) => `${Math.round(100 * mass)} %`;

// The mean line of the probability near each edge, if both have a noticeable share.
function massBesideSeam({ probabilities, thetas, rhos, reach }) {
  const near = Math.round(thetas / 8);
  const mean = (from, to) => {
    const sum = { mass: 0, theta: 0, rho: 0 };
    for (let t = from; t < to; t++)
      for (let r = 0; r < rhos; r++) {
        const p = probabilities[t * rhos + r];
        sum.mass += p;
        sum.theta += p * ((t * Math.PI) / thetas);
        sum.rho += p * ((2 * r) / (rhos - 1) - 1) * reach;
      }
    return { mass: sum.mass, theta: sum.theta / sum.mass, rho: sum.rho / sum.mass };
  };
  const [left, right] = [mean(0, near), mean(thetas - near, thetas)];
  return left.mass > 0.05 && right.mass > 0.05 && left.mass + right.mass > 0.9 ? { left, right } : null;
}

// The path of the readout's average: soft-argmax through the whole strip, VSmax across the seam.
function averaged({ left, right }, kind) {
  if (kind === "softargmax") return [left, right];
  return [right, { theta: left.theta + Math.PI, rho: -left.rho }];
}

async function detect() {
  if (state.busy || camera.running || !state.shown) return;
  const model = $("model").value;
  const isCurrent = () => $("model").value === model;
  state.busy = true;
  $("lines").textContent = "Looking for lines…";
  try {
    const answer = await ask({ kind: "detect", model });
    if (isCurrent()) showAnswer(answer);
  } catch (error) {
    $("lines").textContent = error.message;
  }
  state.busy = false;
  if (state.dirty || state.fresh) refresh();
  else if (!isCurrent()) detect();
}

function showAnswer({ lines, model, milliseconds }) {
  const hue = (i) => `hsl(${(168 + 67 * i) % 360} 85% 55%)`;
  picture.drawOn($("answer"), lines.map((line, i) => ({ ...line, colour: hue(i) })));
  const list = document.createElement("ol");
  for (const [i, line] of lines.entries()) {
    const item = document.createElement("li");
    const swatch = document.createElement("i");
    swatch.style.background = hue(i);
    const spread = line.rho_sd ? ` ± ${Number(line.rho_sd.toPrecision(1))}` : "";
    item.append(swatch, `${polar(line, 2, spread)}, `,
      Object.assign(document.createElement("b"), { textContent: `confidence ${line.confidence.toFixed(2)}` }));
    list.append(item);
  }
  const by = `${model ?? $("model").value}, ${Math.round(milliseconds)} ms`;
  const head = document.createElement("p");
  head.textContent = lines.length ? `${lines.length === 1 ? "One line" : `${lines.length} lines`} (${by})`
    : `No line is certain enough (${by}).`;
  $("lines").replaceChildren(head, list);
  $("lines").dataset.answer = JSON.stringify({ model, lines });
}

function use(source, settings) {
  state.source = source;
  state.fresh = true;
  state.probe = null;
  set(settings);
  refresh();
}

function set({ sigma: noise, temperature: heat, kind = "classic" }) {
  $("noise").value = noise;
  $("temperature").value = Math.log10(heat);
  $("kind").value = kind;
  showSettings();
}

const PHOTOGRAPH = { sigma: 0, temperature: 1, kind: "edges" };

function press(button) {
  choices++;
  if (camera.running && button !== $("camera")) stopCamera();
  for (const one of document.querySelectorAll(".sources button"))
    one.setAttribute("aria-pressed", String(one === button));
}

async function useExample(name) {
  const example = EXAMPLES[name];
  press(document.querySelector(`[data-example=${name}]`));
  const choice = choices;
  const source = example.draw ? example : await decode(new Blob([bytesOf(example.photo)]));
  if (choice === choices) use(source, example);
}

async function useFile(file) {
  if (!file) return;
  press(null);
  const choice = choices;
  try {
    const source = await decode(file);
    if (choice === choices) use(source, PHOTOGRAPH);
  } catch {
    if (choice === choices) say(`${file.name} is not an image that this browser can read.`, "torn");
  }
}

function showRate({ width, height, milliseconds }) {
  const rate = camera.countFrame();
  $("rate").textContent = `${rate.toFixed(0)} frames per second, ${width} × ${height}, ${milliseconds.toFixed(1)} ms each`;
  $("rate").dataset.rate = rate;
}

async function toggleCamera() {
  if (camera.running) return stopCamera();
  try {
    await camera.start(() => state.busy || refresh());
    press($("camera"));
    state.probe = null;
    set(PHOTOGRAPH);
    $("rate").hidden = false;
    $("answer").hidden = true;
    $("lines").textContent = "Stop the camera to ask about its last frame.";
    say("The camera is on. Hold up something with a straight line.", "plain");
  } catch (error) {
    camera.stop();
    say(`The camera cannot be used: ${error.message}`, "torn");
  }
}

function stopCamera() {
  camera.stop();
  $("rate").hidden = true;
  $("answer").hidden = false;
  $("camera").setAttribute("aria-pressed", "false");
  paint();
  detectTimer = setTimeout(detect, 250);
}

function showSettings() {
  const t = temperature();
  $("temperature-value").textContent = t < 10 ? t.toFixed(1) : t.toFixed(0);
  $("temperature").setAttribute("aria-valuetext", $("temperature-value").textContent);
  $("noise-value").textContent = `σ = ${sigma().toFixed(2)}`;
  $("noise").setAttribute("aria-valuetext", $("noise-value").textContent);
}

// A cell of the accumulator, by pointer or keyboard, and its line over the image.
function probeAt(line) {
  state.probe = line;
  paint();
  if (line) $("accumulator").setAttribute("aria-label", `The Hough accumulator, at ${polar(line)}`);
}

function probeByPointer(event) {
  const box = $("accumulator").getBoundingClientRect();
  const dense = $("accumulator").width / box.width;
  probeAt(accumulator.lineAt((event.clientX - box.left) * dense, (event.clientY - box.top) * dense));
}

function probeByKey(event) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const step = steps[event.key];
  if (!step || !state.shown) return;
  event.preventDefault();
  const at = state.probe ?? state.shown[readout()] ?? { theta: 0, rho: 0 };
  const { thetas, reach } = state.shown;
  let theta = at.theta + (step[0] * Math.PI) / thetas;
  let rho = Math.max(-reach, Math.min(reach, at.rho + step[1] * (reach / 64)));
  if (theta < 0 || theta >= Math.PI) {
    theta -= Math.PI * Math.sign(theta);
    rho = -rho;
  }
  probeAt({ theta, rho });
}

function listen() {
  for (const input of document.querySelectorAll("input[name=readout]")) input.addEventListener("change", paint);
  for (const id of ["temperature", "noise"])
    $(id).addEventListener("input", () => {
      showSettings();
      if (!camera.running) refresh();
    });
  for (const button of document.querySelectorAll("[data-example]"))
    button.addEventListener("click", () => useExample(button.dataset.example));
  $("file").addEventListener("change", () => {
    useFile($("file").files[0]);
    $("file").value = ""; // so that the same file can be chosen again
  });
  $("camera").addEventListener("click", toggleCamera);
  $("model").addEventListener("change", detect);
  $("kind").addEventListener("change", () => camera.running || refresh());
  $("accumulator").addEventListener("pointermove", probeByPointer);
  $("accumulator").addEventListener("pointerleave", () => probeAt(null));
  $("accumulator").addEventListener("blur", () => probeAt(null));
  $("accumulator").addEventListener("keydown", probeByKey);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    useFile(event.dataTransfer.files[0]);
  });
  addEventListener("resize", paint);
}

async function main() {
  listen();
  showSettings();
  try {
    const wasm = await inflate(bytesOf("wasm"));
    const script = new Blob([$("worker").textContent], { type: "text/javascript" });
    worker = new Worker(URL.createObjectURL(script));
    await ask({ kind: "start", wasm }, [wasm.buffer]);
    state.busy = false;
    await useExample("seam");
  } catch (error) {
    say(`This browser cannot run the page: ${error.message}`, "torn");
  }
}

main();
