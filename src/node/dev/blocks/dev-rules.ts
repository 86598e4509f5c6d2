import type { ChainOverrides } from "../../../ledger/chain/chain-parts.ts";
import type { BlockHooks } from "../../../ledger/chain/execute/consensus-rules.ts";
import type { ForkedState } from "../../../ledger/remote/forked-state-store.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { SenderRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import type { LedgerOverrides } from "../../storage/ledger.ts";
import { Impersonation, restoreImpersonated } from "../accounts/impersonation.ts";
import { NextBlock } from "./next-block.ts";

/** Where a development chain departs from the protocol: accounts that send without a key, and the contents of the next block. */
export class DevRules implements LedgerOverrides {
  readonly impersonation = new Impersonation();
  readonly nextBlock = new NextBlock();
  readonly #fork: () => ForkedState | undefined;
  readonly #codeSizeLimit: number | undefined;

  /**
   * @param fork - the fork point that the chain now continues from
   * @param codeSizeLimit - maximum size of a contract's code in bytes; absent = the protocol's
   */
  constructor(fork: () => ForkedState | undefined, codeSizeLimit: number | undefined) {
    this.#fork = fork;
    this.#codeSizeLimit = codeSizeLimit;
  }

  config(stored: ChainConfig): ChainConfig {
    return this.#codeSizeLimit === undefined ? stored : { ...stored, codeSizeLimit: this.#codeSizeLimit };
  }

  get hooks(): readonly BlockHooks[] {
    return [{ prepare: (header) => this.#onFork(header) }, this.nextBlock.hooks];
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

  /** The first header on a fork names the hash that its parent has on the other chain. */
  #onFork(header: Header): Header {
    const point = this.#fork()?.point;
    return point && header.number === point.number + 1n ? { ...header, parentHash: point.hash } : header;
  }

  #ancestorHash(number: bigint): Hash | undefined {
    const fork = this.#fork();
    return fork !== undefined && number < fork.point.number ? fork.state.blockHash(number) : undefined;
  }
}
