import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { ArtifactContract, Contracts } from "./contracts.ts";
import { type Names, namesOf } from "./names.ts";
import { framesOf, isCreation, type TraceFrame } from "./trace-frame.ts";

/** The code at an address; empty where there is none. */
export type CodeAt = (address: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Maximum addresses of one trace whose code is requested. */
const MAX_ADDRESSES = 500;

/** The known contracts of a trace. */
export interface TracedContracts {
  readonly contracts: Contracts;
  /** The contract whose code a frame runs. */
  of(frame: TraceFrame): ArtifactContract | undefined;
  readonly names: Names;
}

/** Looks up the contracts of all frames of a trace, and of the logs in them. */
export async function contractsOfTrace(
  root: TraceFrame,
  contracts: Contracts,
  codeAt: CodeAt,
): Promise<TracedContracts> {
  const byAddress = new Map<string, ArtifactContract | undefined>();
  for (const frame of framesOf(root)) {
    if (byAddress.size >= MAX_ADDRESSES) break;
    const key = bytesToHex(frame.to);
    if (isCreation(frame)) byAddress.set(key, contracts.withInitCode(frame.input));
    else if (frame.to.length > 0 && !byAddress.has(key))
      byAddress.set(key, contracts.withCode(await codeAt(frame.to)));
  }
  const at = (address: Uint8Array) => byAddress.get(bytesToHex(address));
  return {
    contracts,
    of: (frame) => (isCreation(frame) ? contracts.withInitCode(frame.input) : at(frame.to)),
    names: namesOf(() => contracts, at),
  };
}
