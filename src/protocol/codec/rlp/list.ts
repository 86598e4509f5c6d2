/**
 * A list whose elements are encoded already.
 * @returns new bytes
 */
export function encodeList(elements: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const element of elements) length += element.length;
  const header = listHeader(length);
  const out = new Uint8Array(header.length + length);
  out.set(header);
  let at = header.length;
  for (const element of elements) {
    out.set(element, at);
    at += element.length;
  }
  return out;
}

function listHeader(length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(0xc0 + length);
  const size: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) size.unshift(rest & 0xff);
  return Uint8Array.of(0xf7 + size.length, ...size);
}
