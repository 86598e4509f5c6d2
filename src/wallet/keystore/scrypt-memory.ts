/** Above the memory of the algorithm itself, for what the library adds. */
const SLACK_BYTES = 2 ** 20;

/** Bytes that OpenSSL must be allowed for these costs: 128·r·(n + p) and a little. @see RFC 7914, 5 */
export function memoryOfScrypt({
  n,
  r,
  p,
}: {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}): number {
  return 128 * r * (n + p) + SLACK_BYTES;
}
