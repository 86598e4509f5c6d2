import type { BlockRow } from "../../rpc/spec/dashboard/wire.ts";

/** A validator and its recent record. */
export interface ProposerRecord {
  readonly address: string;
  /** Whether it is in the set now. */
  readonly isQualified: boolean;
  /** Blocks that it proposed, and those of them that needed a later round. */
  readonly proposed: number;
  readonly late: number;
  /** Number of its newest block. */
  readonly last: number | undefined;
}

/** What each validator proposed of some blocks, newest first. Proposers that are no longer validators come last. */
export function proposersOf(
  blocks: readonly BlockRow[],
  validators: readonly string[],
): readonly ProposerRecord[] {
  const qualified = validators.map((address) => address.toLowerCase());
  const others = blocks.flatMap(({ proposer }) => (proposer === null ? [] : [proposer.toLowerCase()]));
  return [...new Set([...qualified, ...others])].map((address) => {
    const own = blocks.filter(({ proposer }) => proposer?.toLowerCase() === address);
    return {
      ...{ address, isQualified: qualified.includes(address), proposed: own.length },
      late: own.filter(({ round }) => round > 0).length,
      last: own[0]?.number,
    };
  });
}
