import type { BlockHooks } from "../../../ledger/chain/execute/consensus-rules.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { type Address, EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";

/** Settings that developers made for the block after the head. */
export interface NextBlockSetting {
  /** kei per gas, for one block; the one after it follows KIP-71 again. */
  readonly baseFee?: bigint | undefined;
  /** The value of PREVRANDAO, for one block. */
  readonly prevRandao?: Hash | undefined;
  /** The recipient of rewards from now on. */
  readonly rewardbase?: Address | undefined;
}

/** Length of a BLS signature: a header with a mix hash has a random reveal too. */
const RANDOM_REVEAL_BYTES = 96;

/**
 * Headers of this node's blocks with the developers' settings. The headers of blocks that this node makes are not
 * verified.
 */
export class NextBlock {
  #setting: NextBlockSetting = {};

  get setting(): NextBlockSetting {
    return this.#setting;
  }

  /** Replaces all settings. */
  restore(setting: NextBlockSetting): void {
    this.#setting = setting;
  }

  set(part: NextBlockSetting): void {
    this.#setting = { ...this.#setting, ...part };
  }

  /** Prepares headers according to the settings. Those for one block are consumed by that block. */
  readonly hooks: BlockHooks = {
    prepare: (header) => this.#apply(header),
    committed: ({ block }) => this.#useUp(block.header),
  };

  #apply(header: Header): Header {
    const { baseFee, prevRandao, rewardbase } = this.#setting;
    return {
      ...header,
      ...(rewardbase && { rewardbase }),
      ...(baseFee !== undefined && header.baseFee !== undefined && { baseFee }),
      ...(prevRandao && {
        mixHash: prevRandao,
        randomReveal: header.randomReveal ?? new Uint8Array(RANDOM_REVEAL_BYTES),
      }),
    };
  }

  #useUp({ baseFee, mixHash }: Header): void {
    const setting = this.#setting;
    if (setting.baseFee === undefined && setting.prevRandao === undefined) return;
    const isMixed =
      setting.prevRandao !== undefined && equalBytes(setting.prevRandao, mixHash ?? EMPTY_BYTES);
    this.#setting = {
      rewardbase: setting.rewardbase,
      ...(setting.baseFee !== baseFee && { baseFee: setting.baseFee }),
      ...(!isMixed && { prevRandao: setting.prevRandao }),
    };
  }
}
