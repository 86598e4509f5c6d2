import type { ConsensusRules } from "../../ledger/chain/consensus-rules.ts";
import type { Header } from "../../protocol/block/header.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";

/** What developers asked of the block after the head. */
export interface NextBlockSetting {
  /** kei per gas, for one block; the one after it follows KIP-71 again. */
  readonly baseFee?: bigint | undefined;
  /** What PREVRANDAO answers, for one block. */
  readonly prevRandao?: Hash | undefined;
  /** Who gets the rewards, from now on. */
  readonly rewardbase?: Address | undefined;
}

/** Length of a BLS signature: a header that names a mix hash has a random reveal too. */
const RANDOM_REVEAL_BYTES = 96;

/** Headers of own blocks with what developers asked for. Nobody checks the headers of blocks that this node makes. */
export class NextBlock {
  #setting: NextBlockSetting = {};

  get setting(): NextBlockSetting {
    return this.#setting;
  }

  /** Replaces all that was asked for. */
  restore(setting: NextBlockSetting): void {
    this.#setting = setting;
  }

  ask(part: NextBlockSetting): void {
    this.#setting = { ...this.#setting, ...part };
  }

  /** The same consensus, which prepares headers as asked. What is for one block is used up when the block is sealed. */
  consensus(rules: ConsensusRules): ConsensusRules {
    return {
      verifyHeader: (header, parent) => rules.verifyHeader(header, parent),
      author: (header) => rules.author(header),
      prepare: (parent, nowMs) => this.#apply(rules.prepare(parent, nowMs)),
      seal: async (block, signal) => {
        const sealed = await rules.seal(block, signal);
        const { rewardbase } = this.#setting;
        this.#setting = { rewardbase };
        return sealed;
      },
    };
  }

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
}
