import type { ChainOverrides } from "../../ledger/chain/chain-parts.ts";
import type { ConsensusRules } from "../../ledger/chain/consensus-rules.ts";
import type { ForkPoint } from "../../ledger/fork/fork-point.ts";
import type { ForkedState } from "../../ledger/fork/forked-state-store.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { SenderRecovery } from "../../protocol/transaction/recovery.ts";
import type { LedgerOverrides } from "../ledger.ts";
import { Impersonation, restoreImpersonated } from "./impersonation.ts";
import { NextBlock } from "./next-block.ts";

/** Where a development chain departs from the protocol: who may send without a key, and what the next block is like. */
export class DevRules implements LedgerOverrides {
  readonly impersonation = new Impersonation();
  readonly nextBlock = new NextBlock();
  readonly #fork: () => ForkedState | undefined;

  /** @param fork - what the chain goes on from now */
  constructor(fork: () => ForkedState | undefined) {
    this.#fork = fork;
  }

  consensus(rules: ConsensusRules): ConsensusRules {
    return this.nextBlock.consensus(onFork(rules, () => this.#fork()?.point));
  }

  recovery(recovery: SenderRecovery, chainId: bigint): SenderRecovery {
    return this.impersonation.recovering(recovery, chainId);
  }

  chain(chainId: bigint): ChainOverrides {
    return {
      nextBaseFee: () => this.nextBlock.setting.baseFee,
      ancestorHash: (number) => this.#ancestorHash(number),
      restore: (transactions) => restoreImpersonated(transactions, chainId),
    };
  }

  #ancestorHash(number: bigint): Hash | undefined {
    const fork = this.#fork();
    return fork !== undefined && number < fork.point.number ? fork.state.blockHash(number) : undefined;
  }
}

/** The same consensus, whose first header names the hash that its parent has on the other chain. */
function onFork(rules: ConsensusRules, forkPoint: () => ForkPoint | undefined): ConsensusRules {
  return {
    verifyHeader: (header, parent) => rules.verifyHeader(header, parent),
    author: (header) => rules.author(header),
    seal: (block, signal) => rules.seal(block, signal),
    prepare(parent, nowMs) {
      const header = rules.prepare(parent, nowMs);
      const point = forkPoint();
      return parent.number === point?.number ? { ...header, parentHash: point.hash } : header;
    },
  };
}
