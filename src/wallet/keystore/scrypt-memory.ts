/** Overhead of the library. */
const SLACK_BYTES = 2 ** 20;

/** Memory that OpenSSL needs for these parameters, bytes: 128·r·(n + p) and slack. @see RFC 7914, 5 */
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
