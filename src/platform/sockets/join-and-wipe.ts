/** Both concatenated; the originals are overwritten, since they may contain secrets. */
export function joinAndWipe(first: Buffer, second: Buffer): Buffer {
  const both = Buffer.concat([first, second]);
  first.fill(0);
  second.fill(0);
  return both;
}
