import type { Chain } from "../../../../ledger/chain/chain.ts";
import { activePrecompiles } from "../../../../ledger/evm/precompiles/index.ts";
import { HISTORY_ADDRESS } from "../../../../ledger/execution/system-call.ts";
import { ADDRESS_BOOK, MAINNET_CREDIT, REGISTRY } from "../../../../ledger/extensions/contracts/addresses.ts";
import type { ChainConfig } from "../../../../protocol/params/config.ts";
import { DEFAULT_BLOB_SCHEDULE } from "../../../../protocol/params/defaults.ts";
import { forkBlocks, forkId } from "../../../../protocol/params/fork-id.ts";
import { GENESIS_HASHES } from "../../../../protocol/params/presets.ts";
import { rulesAt } from "../../../../protocol/params/rules.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { ethConfig } from "../../spec/consensus/eth-config.ts";
import type { Handlers } from "../../spec/method.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";

/** `eth_config`. @see KIP-276, EIP-7910 */
export function ethConfigHandlers(chain: Chain): Handlers<typeof ethConfig> {
  return {
    config() {
      const head = chain.head.header.number;
      const forks = forkBlocks(chain.config);
      const current = forks.findLast((block) => block <= head) ?? 0n;
      const next = forks.find((block) => block > head);
      const rulesFrom = (block: bigint) => showRules(chain, block);
      return {
        current: rulesFrom(current),
        next: next === undefined ? null : rulesFrom(next),
        last: next === undefined ? null : rulesFrom(forks.at(-1) as bigint),
      };
    },
  };
}

/** The rules in force from a block on. */
function showRules({ config, genesisHash }: Chain, block: bigint): WireObject {
  return {
    blobSchedule: blobSchedule(config, block),
    chainId: `0x${config.chainId.toString(16)}`,
    forkId: bytesToHex(forkId(config, genesisHash, block)),
    precompiles: precompileAddresses(config, block),
    systemContracts: systemContracts(config, bytesToHex(genesisHash), block),
  };
}

function blobSchedule(config: ChainConfig, block: bigint): WireObject | null {
  if (!rulesAt(config, block).osaka) return null;
  const { target, max, baseFeeUpdateFraction } = config.blobSchedule ?? DEFAULT_BLOB_SCHEDULE;
  return {
    target: Number(target),
    max: Number(max),
    baseFeeUpdateFraction: Number(baseFeeUpdateFraction),
  };
}

function precompileAddresses(config: ChainConfig, block: bigint): Record<string, string> {
  const active = [...activePrecompiles(rulesAt(config, block))];
  return byName(
    active.map(([number, { name }]) => [name, `0x${number.toString(16).padStart(40, "0")}`] as const),
  );
}

/** System contracts by name; some exist since genesis. */
function systemContracts(config: ChainConfig, genesisHash: string, block: bigint): Record<string, string> {
  const rules = rulesAt(config, block);
  const isPast = (rebalancing: ChainConfig["kip103"]) => rebalancing && rebalancing.block <= block;
  const contracts: [string, Address | undefined | false][] = [
    ["ADDRESS_BOOK", ADDRESS_BOOK],
    ["HISTORY_STORAGE_ADDRESS", rules.prague && HISTORY_ADDRESS],
    ["KIP103", isPast(config.kip103) && config.kip103?.contract],
    ["KIP160", isPast(config.kip160) && config.kip160?.contract],
    ["MAINNET_CREDIT", genesisHash === GENESIS_HASHES.mainnet && MAINNET_CREDIT],
    ["REGISTRY", rules.randao && REGISTRY],
  ];
  return byName(
    contracts.flatMap(([name, address]) => (address ? [[name, bytesToHex(address)] as const] : [])),
  );
}

function byName(entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
