/** Flags that are accepted and ignored, and whether an argument follows them. */
export type IgnoredFlags = ReadonlyMap<string, "switch" | "value">;

/** Builds the map from lists of names separated by whitespace. */
export function ignoredFlags(switches: string, values: string): IgnoredFlags {
  const rows = (names: string, kind: "switch" | "value") =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind] as const);
  return new Map([...rows(switches, "switch"), ...rows(values, "value")]);
}
