/** Origins of pages served from this machine. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** The pages that requests may come from. */
export type OriginRule =
  /** Requests without an origin, and pages whose origin matches; a pattern may contain one `*`. */
  | {
      readonly patterns: readonly string[];
      /** Also pages served from this machine. */
      readonly loopback: boolean;
    }
  /** Only requests with exactly one of these values, in lower case. */
  | { readonly exactly: ReadonlySet<string> };

/** Whether a request with this origin may come. */
export function isOriginAllowed(origin: string | undefined, rule: OriginRule): boolean {
  if ("exactly" in rule) return rule.exactly.has(origin?.toLowerCase() ?? "");
  if (origin === undefined || (rule.loopback && LOOPBACK.test(origin))) return true;
  return originMatches(origin, rule.patterns);
}

/** Whether an origin matches a pattern. */
export function originMatches(origin: string, patterns: readonly string[]): boolean {
  return patterns.some((allowed) => {
    const [before, after] = allowed.toLowerCase().split("*") as [string, string?];
    const given = origin.toLowerCase();
    if (after === undefined) return given === before;
    return given.length >= before.length + after.length && given.startsWith(before) && given.endsWith(after);
  });
}
