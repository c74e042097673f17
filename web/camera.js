// SPDX-License-Identifier: Apache-2.0
// Camera frames, grabbed on demand; those in between are dropped.

class Camera {
  constructor(video) {
    this.video = video;
    this.canvas = document.createElement("canvas");
    this.stream = null;
  }

  get running() {
    return this.stream !== null;
  }

  // Calls `announce` for every new frame.
  async start(announce) {
    if (!navigator.mediaDevices) throw new Error("This browser does not give this page access to a camera.");
    this.stream = await navigator.mediaDevices.getUserMedia({
      video: { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 60 }, facingMode: "environment" },
    });
    this.video.srcObject = this.stream;
    await this.video.play();
    this.times = [];
    this.watch(announce);
  }

  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
    this.video.srcObject = null;
  }

  watch(announce) {
    const next = (body) =>
      this.video.requestVideoFrameCallback?.(body) ?? requestAnimationFrame(body);
    const seen = () => {
      if (!this.running) return;
      this.fresh = true;
      announce();
      next(seen);
    };
    next(seen);
  }

  grab() {
    this.fresh = false;
    const { videoWidth, videoHeight } = this.video;
    const shrink = Math.min(1, 640 / Math.max(videoWidth, videoHeight));
    const width = Math.round(videoWidth * shrink);
    const height = Math.round(videoHeight * shrink);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    }
    this.context.drawImage(this.video, 0, 0, width, height);
    return { pixels: this.context.getImageData(0, 0, width, height).data, width, height };
  }

  // Frames per second over the last second, counting this one.
  countFrame() {
    const now = performance.now();
    this.times.push(now);
    while (now - this.times[0] > 1000) this.times.shift();
    return this.times.length > 1 ? ((this.times.length - 1) * 1000) / (now - this.times[0]) : 0;
  }
}
