// SPDX-License-Identifier: Apache-2.0
// Unpacks what build_page.py put into the page, so that it works from a file, without a server.

// Seven bits per character; those that HTML would change are written as letters with the same bits.
function bytesOf(id) {
  const text = document.getElementById(id).textContent;
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let bits = 0;
  let held = 0;
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    held = ((held << 7) | (text.charCodeAt(i) & 127)) & 0xffff;
    bits += 7;
    if (bits >= 8) {
      bits -= 8;
      bytes[size++] = held >> bits;
    }
  }
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
