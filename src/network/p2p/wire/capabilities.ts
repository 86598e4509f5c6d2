/** Number of codes reserved for the base protocol. */
const BASE_CODES = 16;

/** A protocol on top of the base protocol. */
export interface Capability {
  readonly name: string;
  readonly version: number;
}

/** A capability that this node offers. */
export interface OwnCapability extends Capability {
  /** Number of message codes. */
  readonly codes: number;
}

/** A capability shared by both sides. */
export interface SharedCapability extends OwnCapability {
  /** Offset of its codes. */
  readonly offset: number;
}

/** All versions of the chain protocol, the newest first. */
export const CHAIN_PROTOCOL: readonly OwnCapability[] = [
  { name: "istanbul", version: 67, codes: 26 },
  { name: "istanbul", version: 66, codes: 24 },
  { name: "istanbul", version: 65, codes: 23 },
  { name: "istanbul", version: 64, codes: 21 },
];

/**
 * The shared capabilities: for each name the highest common version. Code offsets are assigned in alphabetical order, from 16 on.
 */
export function sharedCapabilities(
  ours: readonly OwnCapability[],
  theirs: readonly Capability[],
): readonly SharedCapability[] {
  const best = new Map<string, OwnCapability>();
  for (const { name, version } of theirs) {
    const own = ours.find((one) => one.name === name && one.version === version);
    if (own !== undefined && version > (best.get(name)?.version ?? -1)) best.set(name, own);
  }
  let offset = BASE_CODES;
  return [...best.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((own) => {
      const placed = { ...own, offset };
      offset += own.codes;
      return placed;
    });
}
