import type { Account } from "../../../protocol/account/account.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { DEFAULT_PARAMS } from "../../../protocol/params/defaults.ts";
import { rulesOfLevel } from "../../../protocol/params/rules.ts";
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Chain, ExecutedBlock, HeadEvent } from "../../chain/chain.ts";
import type { StateReader } from "../../state/state.ts";

/** Accounts by lower-case 0x hex address. */
export type PoolAccounts = Map<string, Account>;

/** The part of a chain that the pool uses, over accounts set by a test. */
export interface PoolChain {
  readonly chain: Chain;
  readonly accounts: PoolAccounts;
  baseFee: bigint;
  /** Notifies the pool of a new head after the test changed the accounts. */
  publish(event?: { added?: readonly Block[]; removed?: readonly Block[] }): void;
}

/** A chain at block 0 with the rules of a fork level. */
export function createPoolChain(level: number, chainId: bigint, accounts: PoolAccounts): PoolChain {
  const listeners = new Set<(event: HeadEvent) => void>();
  const rules = rulesOfLevel(chainId, level);
  const state: StateReader = {
    account: (address) => accounts.get(bytesToHex(address)),
    storage: () => EMPTY_BYTES,
    code: () => EMPTY_BYTES,
  };
  const executed = (block: Block): ExecutedBlock => ({ block, hash: ZERO_HASH, receipts: [] });
  const made: PoolChain = {
    accounts,
    baseFee: 25_000_000_000n,
    chain: {
      config: { chainId, forks: {}, params: {}, json: {} } satisfies ChainConfig,
      params: { at: () => ({ ...DEFAULT_PARAMS, unitPrice: 25_000_000_000n }) },
      genesisHash: ZERO_HASH,
      head: { header: emptyHeader(), hash: ZERO_HASH },
      rulesAt: () => rules,
      header: () => undefined,
      hash: () => undefined,
      number: () => undefined,
      block: () => undefined,
      receipts: () => undefined,
      logs: () => [],
      transaction: () => undefined,
      receipt: () => undefined,
      transactionHashAt: () => undefined,
      locate: () => undefined,
      sent: () => [],
      transactionHashBySender: () => undefined,
      stateAt: () => state,
      latestState: () => state,
      nextBaseFee: () => (rules.magma ? made.baseFee : 0n),
      author: () => ZERO_ADDRESS,
      checkWritable: () => {},
      rewrites: 0,
      onHead(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    publish({ added = [], removed = [] } = {}) {
      const event = { added: added.map(executed), removed: removed.map(executed) };
      for (const listener of listeners) listener(event);
    },
  };
  return made;
}
