/** Origins of pages served from this machine. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether an origin is allowed; patterns may contain one `*`. */
export function originAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.some((allowed) => {
    const [before, after] = allowed.toLowerCase().split("*") as [string, string?];
    const given = origin.toLowerCase();
    if (after === undefined) return given === before;
    return given.length >= before.length + after.length && given.startsWith(before) && given.endsWith(after);
  });
}

/** Whether an origin is a page served from this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.test(origin);
}
