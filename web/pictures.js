// SPDX-License-Identifier: Apache-2.0
// Images in, pictures of images and lines out.

const MOST_PIXELS = 1024; // along the longer side

// Gives a canvas as many pixels as it has on the screen; returns how many that is per CSS pixel.
function fitCanvas(canvas, aspect) {
  const dense = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * dense));
  const height = Math.round(width * aspect);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return dense;
}

// RGBA over black, no larger than MOST_PIXELS.
async function decode(blob) {
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none" });
  const shrink = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(2, Math.round(bitmap.width * shrink));
  const height = Math.max(2, Math.round(bitmap.height * shrink));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  return { pixels: context.getImageData(0, 0, width, height).data, width, height };
}

class Picture {
  constructor() {
    this.canvas = document.createElement("canvas");
  }

  update(pixels, width, height) {
    this.canvas.width = width;
    this.canvas.height = height;
    const data = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
    this.canvas.getContext("2d").putImageData(data, 0, 0);
  }

  // lines: {endpoints in pixels, colour, dashed}
  drawOn(canvas, lines) {
    const { width, height } = this.canvas;
    const dense = fitCanvas(canvas, Math.min(height / width, 1.2));
    const context = canvas.getContext("2d");
    const scale = Math.min(canvas.width / width, canvas.height / height);
    const left = (canvas.width - width * scale) / 2;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = scale < 2;
    context.drawImage(this.canvas, left, 0, width * scale, height * scale);
    context.save();
    context.beginPath();
    context.rect(left, 0, width * scale, height * scale);
    context.clip();
    for (const { endpoints, colour, dashed } of lines) {
      if (!endpoints) continue;
      const [from, to] = endpoints.map(([x, y]) => [left + (x + 0.5) * scale, (y + 0.5) * scale]);
      for (const [stroke, thick] of [["rgba(0, 0, 0, 0.65)", 6], [colour, 3]]) {
        context.setLineDash(dashed ? [7 * dense, 6 * dense] : []);
        context.beginPath();
        context.moveTo(...from);
        context.lineTo(...to);
        context.strokeStyle = stroke;
        context.lineWidth = (dashed ? thick * 0.6 : thick) * dense;
        context.stroke();
      }
    }
    context.restore();
  }
}

// A segment of the line that reaches beyond the image at both ends; drawOn clips it.
function longSegment({ theta, rho }, width, height) {
  const c = Math.cos(theta);
  const s = Math.sin(theta);
  const far = width + height;
  const x = (width - 1) / 2 + rho * c;
  const y = (height - 1) / 2 + rho * s;
  return [[x - far * s, y + far * c], [x + far * s, y - far * c]];
}
