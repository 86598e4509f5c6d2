import { activePrecompiles } from "../../../../ledger/evm/precompiles/index.ts";
import type { PrecompileMove } from "../../../../ledger/evm/precompiles/moved-precompiles.ts";
import { checksumAddress } from "../../../../protocol/account/address.ts";
import type { Rules } from "../../../../protocol/params/forks.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { SimulationArgs } from "../../spec/calls/simulation.ts";

type Overrides = NonNullable<SimulationArgs["blockStateCalls"][number]["stateOverrides"]>;

/**
 * Precompile moves in the overrides of a simulated block: overriding the address of a precompile removes it from there, and may move
 * it to another. Ordered by address, with geth's errors.
 * @returns undefined if no precompile is overridden
 * @throws RpcError -32000 for an address that is not a precompile, and for a destination that has overrides of its own
 * @see execution-apis, `eth_simulateV1`
 */
export function precompileMoves(overrides: Overrides, rules: Rules): PrecompileMove[] | undefined {
  const precompiles = new Set([...activePrecompiles(rules).keys()].map(addressOf));
  const moves: PrecompileMove[] = [];
  for (const [address, { movePrecompileToAddress: to }] of [...overrides].sort(byAddress)) {
    if (precompiles.has(address)) moves.push({ from: hexToBytes(address), to });
    else if (to !== undefined) throw refused(`account ${shown(address)} is not a precompile`);
    if (to !== undefined && overrides.has(bytesToHex(to)))
      throw refused(`account ${checksumAddress(to)} is already overridden`);
  }
  return moves.length === 0 ? undefined : moves;
}

function addressOf(number: number): string {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

function byAddress([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function shown(address: string): string {
  return checksumAddress(hexToBytes(address));
}
