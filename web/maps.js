// SPDX-License-Identifier: Apache-2.0
// The accumulator and the probability as pictures of the strip, theta to the right, rho downwards.
// Beyond each edge the strip continues with its other end, upside down, as the edges are glued.

const BEYOND = 0.18; // of the strip's width, shown past each edge

const HEAT = (() => {
  const stops = [[10, 12, 36], [38, 32, 106], [31, 102, 141], [38, 168, 132], [151, 216, 63], [253, 240, 150]];
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const [r, g, b] = stops[low].map((v, c) => Math.round(v + (at - low) * (stops[low + 1][c] - v)));
    table[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return table;
})();

function edgeColours(context, top, bottom, turned) {
  const gradient = context.createLinearGradient(0, top, 0, bottom);
  const hues = [[0, "#ff5d8f"], [0.5, "#ffd166"], [1, "#4cc9f0"]];
  for (const [place, colour] of hues) gradient.addColorStop(turned ? 1 - place : place, colour);
  return gradient;
}

// Each maps values to colours; the root keeps other votes visible beside those of the line.
function paintRoot(values, colours) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = Math.abs(values[i]); // votes of edges have a sign
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const factor = (255 * 255) / (high - low || 1);
  for (let i = 0; i < values.length; i++) colours[i] = HEAT[Math.sqrt((Math.abs(values[i]) - low) * factor) | 0];
}

function paintLogarithm(values, colours) {
  const decades = 6;
  let high = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > high) high = values[i];
  const least = high * 10 ** -decades;
  const factor = 255 / (decades * Math.LN10);
  for (let i = 0; i < values.length; i++)
    colours[i] = HEAT[values[i] > least ? (Math.log(values[i] / least) * factor) | 0 : 0];
}

class StripMap {
  constructor(canvas, paint) {
    this.canvas = canvas;
    this.paint = paint;
    this.cells = document.createElement("canvas"); // theta downwards, as in memory
  }

  update(values, thetas, rhos, reach) {
    Object.assign(this, { thetas, rhos, reach });
    this.beyond = Math.round(thetas * BEYOND);
    this.columns = thetas + 2 * this.beyond;
    if (this.cells.width !== rhos || this.cells.height !== thetas) {
      this.cells.width = rhos;
      this.cells.height = thetas;
      this.image = new ImageData(rhos, thetas);
    }
    this.paint(values, new Uint32Array(this.image.data.buffer));
    this.cells.getContext("2d").putImageData(this.image, 0, 0);
  }

  // The strip, and beyond each edge its other end again, with rho reversed.
  drawCells(context) {
    const { width, height } = this.canvas;
    const wide = width / this.columns;
    const high = height / this.rhos;
    for (const turn of [-1, 1, 0]) {
      const left = (this.beyond + turn * this.thetas) * wide;
      context.setTransform(0, turn ? -high : high, wide, 0, left, turn ? height : 0);
      context.drawImage(this.cells, 0, 0);
    }
    context.resetTransform();
  }

  place(theta, rho) {
    const { width, height } = this.canvas;
    const column = (theta / Math.PI) * this.thetas + this.beyond + 0.5;
    return [(column / this.columns) * width, ((rho / this.reach + 1) / 2) * height];
  }

  // The line at a point of the canvas, with theta in [0, pi).
  lineAt(x, y) {
    const theta = ((x / this.canvas.width) * this.columns - this.beyond - 0.5) * (Math.PI / this.thetas);
    const rho = ((y / this.canvas.height) * 2 - 1) * this.reach;
    if (theta < 0) return { theta: theta + Math.PI, rho: -rho };
    return theta < Math.PI ? { theta, rho } : { theta: theta - Math.PI, rho: -rho };
  }

  // path: points of the strip to connect, also beyond its edges. blobs: probability worth seeing.
  draw(marks, path = [], blobs = []) {
    const { canvas } = this;
    const dense = fitCanvas(canvas, 0.92);
    const context = canvas.getContext("2d");
    const { width, height } = canvas;
    this.drawCells(context);
    const left = (this.beyond / this.columns) * width;
    const right = width - left;
    context.fillStyle = "rgba(150, 156, 178, 0.5)";
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, left, height);
    for (const [x, turned] of [[left, false], [right, true]]) this.drawEdge(context, x, turned, dense);
    for (const blob of blobs) this.drawBlob(context, blob, dense);
    this.drawPath(context, path, dense);
    for (const mark of marks) this.drawMark(context, mark, dense);
    this.drawLabels(context, left, right, dense);
  }

  drawEdge(context, x, turned, dense) {
    const { height } = this.canvas;
    const bar = 6 * dense;
    context.fillStyle = edgeColours(context, 0, height, turned);
    context.fillRect(turned ? x : x - bar, 0, bar, height); // outside, so that no cell is covered
    x += (turned ? 0.5 : -0.5) * bar;
    for (const place of [0.12, 0.5, 0.85]) {
      const y = height * place;
      const tip = (turned ? 1 : -1) * 11 * dense;
      context.beginPath();
      context.moveTo(x, y + tip);
      context.lineTo(x - 9 * dense, y - tip * 0.5);
      context.lineTo(x + 9 * dense, y - tip * 0.5);
      context.closePath();
      context.fill();
      context.strokeStyle = "#0a0c24";
      context.lineWidth = dense;
      context.stroke();
    }
  }

  // Where a line appears: on the strip and, if it is near an edge, once more beyond the other.
  *places({ theta, rho }) {
    for (const [shift, sign] of [[-Math.PI, -1], [0, 1], [Math.PI, -1]]) {
      const [x, y] = this.place(theta + shift, sign * rho);
      if (x >= 0 && x <= this.canvas.width) yield [x, y, shift === 0];
    }
  }

  drawBlob(context, blob, dense) {
    const radius = (7 + 22 * Math.sqrt(blob.mass)) * dense;
    for (const [x, y, own] of this.places(blob)) {
      const glow = context.createRadialGradient(x, y, 0, x, y, radius);
      glow.addColorStop(0, `rgba(253, 240, 150, ${own ? 1 : 0.75})`);
      glow.addColorStop(0.35, `rgba(253, 220, 110, ${own ? 0.75 : 0.5})`);
      glow.addColorStop(1, "rgba(253, 200, 90, 0)");
      context.fillStyle = glow;
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
  }

  drawPath(context, path, dense) {
    if (path.length === 0) return;
    context.beginPath();
    for (const { theta, rho } of path) context.lineTo(...this.place(theta, rho));
    context.setLineDash([6 * dense, 5 * dense]);
    context.strokeStyle = "#ffffff";
    context.lineWidth = 2 * dense;
    context.stroke();
    context.setLineDash([]);
  }

  drawMark(context, mark, dense) {
    const { colour, dashed } = mark;
    for (const [x, y, own] of this.places(mark)) {
      context.globalAlpha = own ? 1 : 0.6;
      for (const [stroke, thick] of [["#fff", 5], [colour, 3]]) {
        context.setLineDash(dashed ? [4 * dense, 3 * dense] : []);
        context.beginPath();
        context.arc(x, y, (dashed ? 13 : 8) * dense, 0, 7);
        context.strokeStyle = dashed && stroke === "#fff" ? "transparent" : stroke;
        context.lineWidth = (dashed ? 2 : thick) * dense;
        context.stroke();
      }
    }
    context.globalAlpha = 1;
    context.setLineDash([]);
  }

  drawLabels(context, left, right, dense) {
    context.font = `600 ${12 * dense}px system-ui, sans-serif`;
    context.textAlign = "center";
    for (const [text, x] of [["θ = 0", left], ["θ = π", right]]) {
      const wide = context.measureText(text).width + 10 * dense;
      context.fillStyle = "rgba(10, 12, 36, 0.85)";
      context.fillRect(x - wide / 2, this.canvas.height - 20 * dense, wide, 18 * dense);
      context.fillStyle = "#fff";
      context.fillText(text, x, this.canvas.height - 7 * dense);
    }
  }
}
